"""Backup and restore of var/: the SQLite database through its online backup, the secret key, files people uploaded,
and what each throughput run recorded, which the database names by SHA-256.

What can be made again (queue, collected static files, browsers, the test model's weights) stays out. The archive holds
the secret key, so only its owner may read it.
"""

import datetime as dt
import fcntl
import os
import shutil
import sqlite3
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

DATABASE = "db.sqlite3"
SECRET_KEY = "secret_key"  # noqa: S105
UPLOADS = "uploads"
RUNS = "runs"
KEPT = (DATABASE, SECRET_KEY, UPLOADS, RUNS)
SIDE_FILES = ("-wal", "-shm", "-journal")


class ArchiveError(Exception):
    """Nothing was changed; the message is one sentence for the person at the keyboard."""


def copy_database(source: Path, target: Path) -> None:
    """A consistent copy while the product runs, whatever it writes meanwhile."""
    with closing(sqlite3.connect(source)) as live, closing(sqlite3.connect(target)) as copy:
        live.backup(copy)


def kept_member(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Files and folders only: a running engine's socket or link is no evidence, and `unpack` would refuse it."""
    return member if member.isfile() or member.isdir() else None


def create(var: Path, now: dt.datetime) -> Path:
    """Write var/backups/vmcloud-DATE.tar.gz (mode 600) and return its path."""
    if not (var / DATABASE).exists():
        raise ArchiveError("There is no database to back up yet; `make run` creates one.")
    folder = var / "backups"
    folder.mkdir(mode=0o700, exist_ok=True)
    target = folder / f"vmcloud-{now:%Y%m%d-%H%M%S}.tar.gz"
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        copy, archive = Path(scratch) / DATABASE, Path(scratch) / "archive"
        copy_database(var / DATABASE, copy)
        # Opened by descriptor so that the file is private from its first byte.
        handle = os.open(archive, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as raw, tarfile.open(fileobj=raw, mode="w:gz") as tar:
            tar.add(copy, arcname=DATABASE)
            for name in KEPT[1:]:
                if (var / name).exists():
                    tar.add(var / name, arcname=name, filter=kept_member)
        archive.replace(target)
    return target


@contextmanager
def nothing_runs(var: Path) -> Iterator[None]:
    """Hold the lock that a running product shares; refuse while it runs."""
    with (var / "running.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise ArchiveError(
                "VMCloud is running on this data; stop it first (Ctrl-C where `make run` runs)."
            ) from error
        yield


def unpack(archive: Path, folder: Path) -> None:
    """Unpack a backup, accepting only what a backup holds."""
    try:
        with tarfile.open(archive, "r:gz") as tar:
            for member in tar.getmembers():
                if Path(member.name).parts[:1] not in {(name,) for name in KEPT}:
                    raise ArchiveError(f"This is not a backup of VMCloud: it holds “{member.name}”.")
            tar.extractall(folder, filter="data")
    except FileNotFoundError as error:
        raise ArchiveError(f"There is no file {archive}.") from error
    except (tarfile.TarError, OSError, EOFError) as error:
        raise ArchiveError(f"The backup cannot be read: {error}.") from error


def check_database(path: Path) -> None:
    """The copy is a whole SQLite database."""
    try:
        with closing(sqlite3.connect(path)) as database:
            (verdict,) = database.execute("PRAGMA integrity_check").fetchone()
    except sqlite3.DatabaseError as error:
        raise ArchiveError(f"The database in the backup is damaged: {error}.") from error
    if verdict != "ok":
        raise ArchiveError(f"The database in the backup is damaged: {verdict}.")


def restore(var: Path, archive: Path, now: dt.datetime) -> Path | None:
    """Put a backup in the place of the present data, which is kept beside it; returns where, None if there was none."""
    with nothing_runs(var), tempfile.TemporaryDirectory(dir=var) as scratch:
        fresh = Path(scratch)
        unpack(archive, fresh)
        if not (fresh / DATABASE).is_file():
            raise ArchiveError("This is not a backup of VMCloud: it holds no database.")
        check_database(fresh / DATABASE)
        before = var / "backups" / f"before-restore-{now:%Y%m%d-%H%M%S}"
        before.mkdir(mode=0o700, parents=True)
        moved = [move(var / name, before / name) for name in (*KEPT, *(DATABASE + end for end in SIDE_FILES))]
        for name in KEPT:
            move(fresh / name, var / name)
        if (var / SECRET_KEY).exists():
            (var / SECRET_KEY).chmod(0o600)
    return before if any(moved) else None


def move(source: Path, target: Path) -> bool:
    """Move what is there; say whether something was."""
    if not source.exists():
        return False
    shutil.move(source, target)
    return True
