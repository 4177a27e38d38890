"""Preparing a start: two at once on the same folder do not trip over each other."""

import fcntl
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DEADLINE_S = 120


def start(var: Path) -> subprocess.Popen[str]:
    left_out = {"DATABASE_URL", "CELERY_BROKER_URL", "DJANGO_SETTINGS_MODULE", "VMCLOUD_TEST_VAR"}
    environment = {name: value for name, value in os.environ.items() if name not in left_out}
    return subprocess.Popen(
        [sys.executable, "-m", "scripts.prepare", "--quiet"],
        cwd=ROOT,
        env={**environment, "VMCLOUD_VAR": str(var)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@pytest.fixture
def var(tmp_path: Path) -> Path:
    folder = tmp_path / "var here"
    folder.mkdir()
    return folder


def test_two_starts_at_once_make_the_tables_once(var: Path) -> None:
    both = [start(var), start(var)]
    said = [process.communicate(timeout=DEADLINE_S)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert sorted("0 changes" in text for text in said) == [False, True], said


def test_a_start_waits_for_the_one_before_it_and_says_so(var: Path) -> None:
    with (var / "prepare.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        process = start(var)
        assert process.stdout is not None
        assert process.stdout.readline() == "Waiting for another start that prepares the same folder …\n"
        with sqlite3.connect(var / "db.sqlite3") as connection:
            assert connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone() == (0,)
    said, _ = process.communicate(timeout=DEADLINE_S)
    assert (process.returncode, "Catalogue v1" in said) == (0, True)


def test_an_interrupted_start_ends_in_silence(var: Path) -> None:
    with (var / "prepare.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        process = start(var)
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=DEADLINE_S)
    assert (process.returncode, said) == (-signal.SIGINT, "")
