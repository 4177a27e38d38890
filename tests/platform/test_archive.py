"""A backup is whole, private, and comes back; what cannot be restored changes nothing."""

import datetime as dt
import fcntl
import hashlib
import io
import os
import shutil
import sqlite3
import stat
import tarfile
from contextlib import closing
from pathlib import Path

import pytest

from tests.platform import processes
from tests.prepared import Copy
from vmcloud import archive

SAMPLES = '{"i": 0, "ttft_s": 0.25}\n'
NOW = dt.datetime(2026, 11, 30, 12, 0, 0)  # noqa: DTZ001  (only names a file)


def write(var: Path, value: str) -> None:
    with closing(sqlite3.connect(var / "db.sqlite3")) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("CREATE TABLE IF NOT EXISTS note (text)")
        database.execute("DELETE FROM note")
        database.execute("INSERT INTO note VALUES (?)", (value,))
        database.commit()


def read(var: Path) -> str:
    with closing(sqlite3.connect(var / "db.sqlite3")) as database:
        return str(database.execute("SELECT text FROM note").fetchone()[0])


@pytest.fixture
def var(tmp_path: Path) -> Path:
    folder = tmp_path / "var with space"
    folder.mkdir()
    write(folder, "before")
    (folder / "secret_key").write_text("key one")
    (folder / "uploads").mkdir()
    (folder / "uploads" / "prices.csv").write_text("a;b")
    (folder / "runs" / "R-1").mkdir(parents=True)
    (folder / "runs" / "R-1" / "samples.jsonl").write_text(SAMPLES)
    (folder / "models").mkdir()
    (folder / "models" / "test.gguf").write_text("weights")
    (folder / "queue").mkdir()
    (folder / "queue" / "message").write_text("in flight")
    return folder


def test_a_backup_comes_back_whole(var: Path) -> None:
    made = archive.create(var, NOW)
    write(var, "after")
    (var / "secret_key").write_text("key two")
    (var / "uploads" / "prices.csv").unlink()
    kept = archive.restore(var, made, NOW)
    assert read(var) == "before"
    assert (var / "secret_key").read_text() == "key one"
    assert (var / "uploads" / "prices.csv").read_text() == "a;b"
    assert kept is not None
    assert read(kept) == "after", "what was there is kept beside it"


def test_what_a_run_recorded_comes_back_byte_for_byte(var: Path) -> None:
    """The database holds the SHA-256 of each file of samples: a backup without them could not be verified."""
    samples = var / "runs" / "R-1" / "samples.jsonl"
    before = hashlib.sha256(samples.read_bytes()).hexdigest()
    made = archive.create(var, NOW)
    samples.write_text("changed")
    (var / "runs" / "R-2").mkdir()
    kept = archive.restore(var, made, NOW)
    assert hashlib.sha256(samples.read_bytes()).hexdigest() == before
    assert not (var / "runs" / "R-2").exists(), "a run that the restored database does not know is set aside"
    assert kept is not None and (kept / "runs" / "R-1" / "samples.jsonl").read_text() == "changed"


def test_a_backup_made_while_a_run_is_at_work_comes_back(var: Path) -> None:
    """A socket or a link in the run's folder is left out rather than refused on the way back."""
    (var / "runs" / "R-1" / "latest").symlink_to("/etc/hostname")
    os.mkfifo(var / "runs" / "R-1" / "pipe")
    archive.restore(var, archive.create(var, NOW), NOW)
    assert [path.name for path in (var / "runs" / "R-1").iterdir()] == ["samples.jsonl"]


def test_a_backup_without_runs_comes_back(var: Path) -> None:
    shutil.rmtree(var / "runs")
    archive.restore(var, archive.create(var, NOW), NOW)
    assert read(var) == "before"
    assert not (var / "runs").exists()


def test_a_backup_while_somebody_writes_holds_what_was_committed(var: Path) -> None:
    with closing(sqlite3.connect(var / "db.sqlite3")) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("UPDATE note SET text = 'half done'")
        made = archive.create(var, NOW)
        writer.rollback()
    archive.restore(var, made, NOW)
    assert read(var) == "before"


def test_a_backup_is_private_and_holds_no_scratch_files(var: Path) -> None:
    made = archive.create(var, NOW)
    assert stat.S_IMODE(made.stat().st_mode) == 0o600
    with tarfile.open(made) as tar:
        assert set(tar.getnames()) == {
            "db.sqlite3",
            "secret_key",
            "uploads",
            "uploads/prices.csv",
            "runs",
            "runs/R-1",
            "runs/R-1/samples.jsonl",
        }
    assert [path.name for path in (var / "backups").iterdir()] == [made.name]


def test_the_restored_key_is_readable_by_its_owner_only(var: Path) -> None:
    archive.restore(var, archive.create(var, NOW), NOW)
    assert stat.S_IMODE((var / "secret_key").stat().st_mode) == 0o600


def test_no_restore_while_the_product_runs(var: Path) -> None:
    made = archive.create(var, NOW)
    write(var, "after")
    with (var / "running.lock").open("w") as running:
        fcntl.flock(running, fcntl.LOCK_SH)
        with pytest.raises(archive.ArchiveError, match="running on this data; stop it first"):
            archive.restore(var, made, NOW)
    assert read(var) == "after"


def tar_with(path: Path, name: str, content: bytes) -> Path:
    with tarfile.open(path, "w:gz") as tar:
        member = tarfile.TarInfo(name)
        member.size = len(content)
        tar.addfile(member, io.BytesIO(content))
    return path


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("../../etc/passwd", b"x", "This is not a backup of VMCloud"),
        ("somewhere/db.sqlite3", b"x", "This is not a backup of VMCloud"),
        ("uploads/../../db.sqlite3", b"x", "cannot be read"),
        ("secret_key", b"x", "it holds no database"),
        ("db.sqlite3", b"not a database at all" * 100, "damaged"),
    ],
)
def test_what_is_no_backup_changes_nothing(var: Path, tmp_path: Path, name: str, content: bytes, sentence: str) -> None:
    with pytest.raises(archive.ArchiveError, match=sentence):
        archive.restore(var, tar_with(tmp_path / "bad.tar.gz", name, content), NOW)
    assert read(var) == "before"
    assert (var / "secret_key").read_text() == "key one"


@pytest.mark.parametrize("content", [b"", b"plain text", b"\x1f\x8b broken"])
def test_an_unreadable_file_is_one_sentence(var: Path, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bad.tar.gz").write_bytes(content)
    with pytest.raises(archive.ArchiveError, match="cannot be read"):
        archive.restore(var, tmp_path / "bad.tar.gz", NOW)


def test_a_missing_file_and_an_empty_folder_are_said(var: Path, tmp_path: Path) -> None:
    with pytest.raises(archive.ArchiveError, match="There is no file"):
        archive.restore(var, tmp_path / "absent.tar.gz", NOW)
    with pytest.raises(archive.ArchiveError, match="no database to back up yet"):
        archive.create(tmp_path, NOW)


@pytest.mark.parametrize("command", [["backup"], ["restore", "x.tar.gz"]])
def test_on_postgresql_its_own_tools_are_named(command: list[str], tmp_path: Path) -> None:
    done = processes.manage(*command, DATABASE_URL="postgresql://u@h/db", VMCLOUD_VAR=str(tmp_path))
    assert done.returncode == 1
    assert "pg_dump" in done.stderr and "secret_key" in done.stderr


def test_restore_without_a_file_says_what_to_name(tmp_path: Path) -> None:
    done = processes.manage("restore", "", VMCLOUD_VAR=str(tmp_path))
    assert done.returncode == 1
    assert "make restore FILE=" in done.stderr


def test_the_commands_bring_back_a_real_database(tmp_path: Path, migrated: Copy) -> None:
    folder = str(tmp_path)
    migrated(tmp_path)
    made = processes.manage("backup", VMCLOUD_VAR=folder)
    path = made.stdout.split("Wrote ")[1].split(". It holds")[0]
    assert processes.manage("flush", "--no-input", "-v0", VMCLOUD_VAR=folder).returncode == 0
    done = processes.manage("restore", path, VMCLOUD_VAR=folder)
    assert done.returncode == 0 and done.stdout.startswith("Restored.")
    assert processes.manage("preflight", VMCLOUD_VAR=folder).returncode == 0
