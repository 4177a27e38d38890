"""What the environment decides, and what is safe without being asked."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.platform import processes

READ = """
import json, sys
from django.conf import settings
print(json.dumps({name: getattr(settings, name) for name in sys.argv[1:]}, default=str))
"""


def settings_of(names: str, var: Path, **environment: str) -> dict[str, Any]:
    """The product's settings as another process reads them."""
    done = processes.run("-c", READ, *names.split(), VMCLOUD_VAR=str(var), **environment)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def test_debug_is_off_and_only_this_machine_is_answered_by_default(tmp_path: Path) -> None:
    found = settings_of("DEBUG ALLOWED_HOSTS", tmp_path)
    assert found == {"DEBUG": False, "ALLOWED_HOSTS": ["127.0.0.1", "localhost", "[::1]"]}


def test_the_key_is_made_once_and_is_its_owners_alone(tmp_path: Path) -> None:
    first = settings_of("SECRET_KEY", tmp_path / "var")["SECRET_KEY"]
    assert len(first) >= 50
    assert settings_of("SECRET_KEY", tmp_path / "var")["SECRET_KEY"] == first
    assert stat.S_IMODE((tmp_path / "var" / "secret_key").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "var").stat().st_mode) == 0o700
    assert settings_of("SECRET_KEY", tmp_path / "other")["SECRET_KEY"] != first


def test_starts_at_the_same_moment_agree_on_one_key(tmp_path: Path) -> None:
    reading = [sys.executable, "-c", READ, "SECRET_KEY"]
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "vmcloud.settings", "VMCLOUD_VAR": str(tmp_path)}
    starts = [
        subprocess.Popen(reading, cwd=processes.ROOT, env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    keys = {start.communicate(timeout=60)[0] for start in starts}
    assert len(keys) == 1 and len(json.loads(keys.pop())["SECRET_KEY"]) >= 50
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["secret_key"]


def test_a_folder_that_cannot_be_written_to_is_named_in_one_sentence() -> None:
    """/proc takes no files, whoever asks."""
    done = processes.run("-m", "scripts.prepare", VMCLOUD_VAR="/proc")
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("VMCloud cannot start. The folder for data, /proc, cannot be made or written to (")
    assert done.stderr.endswith("); name another by VMCLOUD_VAR.\n")


def test_a_key_given_by_hand_is_not_written_down(tmp_path: Path) -> None:
    assert settings_of("SECRET_KEY", tmp_path, SECRET_KEY="by hand")["SECRET_KEY"] == "by hand"
    assert not (tmp_path / "secret_key").exists()


def test_https_makes_cookies_secure_and_tells_browsers_to_stay(tmp_path: Path) -> None:
    names = "SESSION_COOKIE_SECURE CSRF_COOKIE_SECURE SECURE_SSL_REDIRECT SECURE_HSTS_SECONDS"
    assert settings_of(names, tmp_path, HTTPS="1") == {
        "SESSION_COOKIE_SECURE": True,
        "CSRF_COOKIE_SECURE": True,
        "SECURE_SSL_REDIRECT": True,
        # A year of 365 days.
        "SECURE_HSTS_SECONDS": 31_536_000,
    }
    assert not any(settings_of(names, tmp_path).values())


def test_a_proxy_is_trusted_only_when_told(tmp_path: Path) -> None:
    assert settings_of("SECURE_PROXY_SSL_HEADER", tmp_path) == {"SECURE_PROXY_SSL_HEADER": None}
    told = settings_of("SECURE_PROXY_SSL_HEADER", tmp_path, BEHIND_PROXY="1")
    assert told == {"SECURE_PROXY_SSL_HEADER": ["HTTP_X_FORWARDED_PROTO", "https"]}


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (
            "postgresql://ann:p%40ss@db.example:6543/calc?sslmode=require",
            {"NAME": "calc", "USER": "ann", "PASSWORD": "p@ss", "HOST": "db.example", "PORT": "6543"},
        ),
        ("postgres://ann@/calc?host=/run/pg&port=6000", {"NAME": "calc", "HOST": "/run/pg", "PORT": "6000"}),
        ("postgresql:///calc", {"NAME": "calc", "USER": "", "HOST": "", "PORT": ""}),
    ],
)
def test_a_database_address_is_read_in_all_its_parts(url: str, expected: dict[str, str], tmp_path: Path) -> None:
    found = settings_of("DATABASES", tmp_path, DATABASE_URL=url)["DATABASES"]["default"]
    assert {name: found[name] for name in expected} == expected
    assert found["OPTIONS"].get("sslmode", "require") == "require"
    assert "host" not in found["OPTIONS"] and "pool" not in found["OPTIONS"]


def test_only_web_processes_pool_their_connections(tmp_path: Path) -> None:
    told = {"DATABASE_URL": "postgresql://ann@db/calc", "DATABASE_POOL": "1"}
    assert settings_of("DATABASES", tmp_path, **told)["DATABASES"]["default"]["OPTIONS"]["pool"]["max_size"] == 8
    assert 'os.environ.setdefault("DATABASE_POOL", "1")' in (processes.ROOT / "gunicorn.conf.py").read_text()


def test_sqlite_waits_for_its_turn_and_keeps_readers_free(tmp_path: Path) -> None:
    options = settings_of("DATABASES", tmp_path)["DATABASES"]["default"]["OPTIONS"]
    assert options["transaction_mode"] == "IMMEDIATE" and "journal_mode=WAL" in options["init_command"]
    assert options["timeout"] == 20


def test_tasks_are_json_only_and_survive_a_lost_worker(tmp_path: Path) -> None:
    names = "CELERY_TASK_SERIALIZER CELERY_ACCEPT_CONTENT CELERY_TASK_ACKS_LATE CELERY_WORKER_PREFETCH_MULTIPLIER"
    assert list(settings_of(names, tmp_path).values()) == ["json", ["json"], True, 1]


def test_the_seller_is_what_the_settings_say(tmp_path: Path) -> None:
    assert settings_of("SELLER_NAME SELLER_LEGAL", tmp_path) == {"SELLER_NAME": "VMCloud", "SELLER_LEGAL": ""}
    assert settings_of("SELLER_LEGAL", tmp_path, SELLER_LEGAL="SAS, Paris")["SELLER_LEGAL"] == "SAS, Paris"


def test_the_deployment_check_finds_nothing_wrong_behind_https(tmp_path: Path) -> None:
    done = processes.manage("check", "--deploy", "--tag", "security", HTTPS="1", VMCLOUD_VAR=str(tmp_path))
    found = {word.strip("()") for word in done.stderr.split() if word.startswith("(security.")}
    # Sub-domains and the preload list are the owner's of the domain to decide.
    assert {code.rstrip("):") for code in found} <= {"security.W005", "security.W021"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("abc", "WEB_CONCURRENCY must be a whole number, not 'abc'."),
        ("-1", "WEB_CONCURRENCY must be a whole number, not '-1'."),
        ("0", "WEB_CONCURRENCY must be 1 or more: without a process no page is answered."),
    ],
)
def test_a_count_of_processes_that_cannot_be_is_named_before_gunicorn_starts(
    given: str, said: str, tmp_path: Path
) -> None:
    done = processes.run("-m", "scripts.prepare", VMCLOUD_VAR=str(tmp_path), WEB_CONCURRENCY=given)
    assert (done.returncode, done.stderr.strip()) == (1, f"VMCloud cannot start. {said}")
