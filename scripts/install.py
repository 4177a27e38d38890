"""Make .venv and install the locked requirements into it; does nothing, in milliseconds, when both are up to date.

Run by the interpreter that `python.sh` found, so: standard library only. `install.py base` installs what the product
needs, `install.py dev` that and what tests and checks need. The stamp is written last and a marker stands while pip
works, so an interrupted installation is noticed and made again from nothing.
"""

import fcntl
import hashlib
import json
import os
import subprocess
import sys
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "installed.json"
MARKER = VENV / "installing"
SETS = {"base": ("base",), "dev": ("base", "dev")}


def fingerprint(name: str) -> str:
    return hashlib.sha256((ROOT / "requirements" / f"{name}.txt").read_bytes()).hexdigest()


def stamped() -> dict[str, str]:
    try:
        found = json.loads(STAMP.read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def works(*arguments: str) -> bool:
    """Whether .venv's own Python runs with these arguments (its base interpreter may have been removed)."""
    try:
        return subprocess.run([str(PYTHON), *arguments], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def up_to_date(names: tuple[str, ...]) -> bool:
    done = stamped()
    return not MARKER.exists() and all(done.get(name) == fingerprint(name) for name in names) and works("-c", "pass")


def make_venv() -> None:
    recent = "import sys; sys.exit(sys.version_info < (3, 12))"
    if not MARKER.exists() and works("-c", recent) and works("-m", "pip", "--version"):
        return
    print(f"Creating .venv with Python {sys.version.split()[0]} …", flush=True)
    VENV.mkdir(exist_ok=True)
    MARKER.touch()
    venv.EnvBuilder(clear=True, symlinks=True, with_pip=True).create(VENV)


def install(names: tuple[str, ...]) -> None:
    """One pip call for all files, so that two files which pin different versions are an error; no resolver: locked."""
    MARKER.touch()
    STAMP.unlink(missing_ok=True)
    print("Installing the locked requirements into .venv (a few minutes the first time) …", flush=True)
    files = [part for name in names for part in ("-r", str(ROOT / "requirements" / f"{name}.txt"))]
    quiet = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_ROOT_USER_ACTION": "ignore", "PIP_NO_INPUT": "1"}
    command = [str(PYTHON), "-m", "pip", "install", "--quiet", "--no-deps", *files]
    subprocess.run(command, check=True, cwd=ROOT, stdin=subprocess.DEVNULL, env={**os.environ, **quiet})
    STAMP.write_text(json.dumps({name: fingerprint(name) for name in names}))
    MARKER.unlink()


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Two commands started together do not install into the same folder at once."""
    (ROOT / "var").mkdir(mode=0o700, exist_ok=True)
    with (ROOT / "var" / "install.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def main(which: str) -> int:
    names = SETS[which]
    if up_to_date(names):
        return 0
    try:
        with one_at_a_time():
            if not up_to_date(names):
                make_venv()
                install(names)
    except subprocess.CalledProcessError:
        print("The requirements could not be installed; pip's message stands above.", file=sys.stderr)
        return 1
    except OSError as error:
        print(f".venv could not be made: {error}.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nInterrupted; the next start installs again.", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
