"""Bring this checkout up to date before a start: texts, tables, catalogue, static files; quick when nothing changed."""

import argparse
import contextlib
import fcntl
import hashlib
import importlib.metadata
import io
import logging
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def static_fingerprint() -> str:
    """Changes when a static file of ours, what makes it lighter, or a package that ships some, changes."""
    digest = hashlib.sha256()
    for package in ("django", "whitenoise", "brotli"):
        digest.update(f"{package} {importlib.metadata.version(package)}\n".encode())
    for path in (ROOT / "vmcloud" / "statics.py", *sorted((ROOT / "static").rglob("*"))):
        if path.is_file():
            digest.update(f"{path.relative_to(ROOT)}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def collect_static(folder: Path) -> None:
    """Hash and compress the static files, unless they were since they last changed."""
    from django.core.management import call_command

    stamp, current = folder / "collected", static_fingerprint()
    if stamp.exists() and stamp.read_text() == current:
        return
    print("Compressing static files …", flush=True)
    stamp.unlink(missing_ok=True)
    call_command("collectstatic", interactive=False, verbosity=0, clear=True)
    stamp.write_text(current)


def compile_texts() -> None:
    from scripts import messages

    if messages.compile_catalogue():
        print("Compiled the English texts.", flush=True)


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Two starts at once on one var/ prepare it one after the other: tables are made once, files cleared by nobody."""
    with (folder / "prepare.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Waiting for another start that prepares the same folder …", flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def prepare(folder: Path, *, quiet: bool) -> None:
    from django.core.management import call_command

    call_command("migrate", interactive=False, verbosity=0)
    call_command("roles", stdout=io.StringIO())
    call_command("seed")
    if not quiet:
        collect_static(folder)


def main() -> int:
    # Ctrl-C ends it at once and in silence, whatever is being imported: each step is taken up again by the next start.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quiet", action="store_true", help="tables and catalogue only")
    quiet = parser.parse_args().quiet
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "vmcloud.settings")
    compile_texts()
    from vmcloud.preflight import exit_unless_ready

    exit_unless_ready(migrations=False, broker=not quiet)
    from django.conf import settings

    logging.getLogger().setLevel(logging.WARNING)
    with alone(settings.VAR_DIR):
        prepare(settings.STATIC_ROOT, quiet=quiet)
    return 0


if __name__ == "__main__":
    sys.exit(main())
