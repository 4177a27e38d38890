"""Whatever is not ready at the start is told in one sentence, with status 1, without traceback or password."""

import socket
from pathlib import Path

import pytest

from tests.platform import processes
from tests.prepared import Copy

CLOSED_PORT = "1"


def refusal(*arguments: str, **environment: str) -> str:
    """What the command says as it refuses to start."""
    done = processes.manage(*(arguments or ("preflight",)), **environment)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "s3cret" not in done.stderr + done.stdout
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1 and lines[0].startswith("VMCloud cannot start.")
    return lines[0]


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("mysql://u:s3cret@h/db", "must start with postgresql://"),
        ("postgresql://u:s3cret@localhost", "names no database"),
        ("postgresql://u:s3cret@localhost:port/db", "cannot be read"),
        (f"postgresql://u:s3cret@127.0.0.1:{CLOSED_PORT}/db", "Connection refused. Check DATABASE_URL."),
        ("postgresql://u:s3cret@/db?host=/no/such/folder", "Check DATABASE_URL."),
        ("postgresql://u:s3cret@127.0.0.1/db?colour=blue", "Check DATABASE_URL."),
    ],
)
def test_a_wrong_or_dead_database_is_one_sentence(url: str, sentence: str, tmp_path: Path) -> None:
    assert sentence in refusal(DATABASE_URL=url, VMCLOUD_VAR=str(tmp_path))


@pytest.fixture(scope="module")
def migrated_folder(tmp_path_factory: pytest.TempPathFactory, migrated: Copy) -> str:
    """A data folder with an up-to-date SQLite database."""
    folder = tmp_path_factory.mktemp("var")
    migrated(folder)
    return str(folder)


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("http://localhost", "CELERY_BROKER_URL must start with redis://"),
        ("localhost:6379", "CELERY_BROKER_URL must start with redis://"),
        (f"redis://:s3cret@127.0.0.1:{CLOSED_PORT}/0", "The task broker does not answer"),
        ("redis+socket:///no/such.sock?virtual_host=0", "The task broker does not answer"),
        (f"amqp://u:s3cret@127.0.0.1:{CLOSED_PORT}//", "The task broker does not answer"),
        ("redis://127.0.0.1:port/0", "The task broker does not answer"),
    ],
)
def test_a_wrong_or_dead_broker_is_one_sentence(url: str, sentence: str, migrated_folder: str) -> None:
    assert sentence in refusal(CELERY_BROKER_URL=url, VMCLOUD_VAR=migrated_folder)


def test_a_silent_broker_is_given_up_within_seconds(migrated_folder: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"redis://127.0.0.1:{silent.getsockname()[1]}/0"
        assert "does not answer" in refusal(CELERY_BROKER_URL=url, VMCLOUD_VAR=migrated_folder)


def test_missing_migrations_are_named(tmp_path: Path) -> None:
    said = refusal(VMCLOUD_VAR=str(tmp_path))
    assert "lacks migrations: " in said and "manage.py migrate" in said


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("DEBUG", "maybe", "DEBUG must be 1 or 0"),
        ("LOG_LEVEL", "loud", "LOG_LEVEL must be DEBUG, INFO"),
        ("VMCLOUD_VAR", "/proc/vmcloud", "name another by VMCLOUD_VAR"),
    ],
)
def test_a_wrong_setting_is_one_sentence(name: str, value: str, sentence: str, tmp_path: Path) -> None:
    environment = {"VMCLOUD_VAR": str(tmp_path), name: value}
    assert sentence in refusal("check", **environment)


def test_what_is_ready_is_said(migrated_folder: str) -> None:
    done = processes.manage("preflight", VMCLOUD_VAR=migrated_folder)
    assert (done.returncode, done.stdout.strip()) == (0, "Database, migrations and task broker are ready.")


OPENS_NO_POOL = """
from vmcloud.preflight import exit_unless_ready
exit_unless_ready()
from django.db.backends.postgresql.base import DatabaseWrapper
raise SystemExit(f"open: {DatabaseWrapper._connection_pools}" if DatabaseWrapper._connection_pools else 0)
"""


@pytest.mark.postgres
def test_the_checks_open_no_pool_that_forked_web_processes_would_share(migrated_database: str, tmp_path: Path) -> None:
    environment = {"DATABASE_URL": migrated_database, "VMCLOUD_VAR": str(tmp_path)}
    done = processes.run("-c", OPENS_NO_POOL, DATABASE_POOL="1", **environment)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("program", ["gunicorn vmcloud.wsgi", "celery --app vmcloud worker --pool solo"])
def test_web_and_worker_refuse_to_start_unready(program: str, tmp_path: Path) -> None:
    done = processes.run("-m", *program.split(), VMCLOUD_VAR=str(tmp_path), PORT="0")
    assert done.returncode != 0
    assert "VMCloud cannot start. The database lacks migrations" in done.stderr
    assert "Traceback" not in done.stderr
