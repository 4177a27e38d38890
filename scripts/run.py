"""`make run`: prepare, then web and worker side by side until Ctrl-C, and nothing left behind afterwards."""

import contextlib
import ctypes
import fcntl
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO

import psutil
from honcho.environ import parse_procfile
from honcho.manager import Manager

ROOT = Path(__file__).resolve().parent.parent
FIRST_PORT, LAST_PORT = 8000, 8099
PR_SET_CHILD_SUBREAPER = 36
STOP_DEADLINE_S = 6
INSIST_DEADLINE_S = 2


class NoPortError(Exception):
    """No port to serve on; the message says why."""


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def choose_port(wanted: str) -> int:
    """The port asked for, which must be free, or the first free one from 8000 on."""
    if not wanted:
        free = (port for port in range(FIRST_PORT, LAST_PORT + 1) if is_free(port))
        if (port := next(free, None)) is None:
            raise NoPortError(f"All ports from {FIRST_PORT} to {LAST_PORT} are taken; choose one by PORT=.")
        return port
    if not wanted.isascii() or not wanted.isdigit() or not 1 <= int(wanted) <= 65535:
        raise NoPortError(f"PORT must be a number from 1 to 65535, not “{wanted}”.")
    if not is_free(int(wanted)):
        raise NoPortError(f"Port {wanted} is taken or not allowed; leave PORT out to use the next free one.")
    return int(wanted)


def adopt_orphans() -> None:
    """On Linux, children of children that lose their parent become ours, so that none can outlive this program."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


class ToTheProgram:
    """Signals for the program itself, not its group: gunicorn and Celery end their own children in good order."""

    @staticmethod
    def terminate(pid: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)

    @staticmethod
    def kill(pid: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


class Runner(Manager):  # type: ignore[misc]  # honcho carries no types
    """Honcho's manager, which waits for ever where a child of a child keeps its output open: here, not for ever."""

    def __init__(self) -> None:
        super().__init__()
        self._procmgr = ToTheProgram

    def terminate(self) -> None:
        if self._terminating:
            return
        super().terminate()
        threading.Thread(target=end_what_is_left, daemon=True).start()


def end_what_is_left() -> None:
    """Give web and worker time to end what they started; then end whatever still runs below this program."""
    deadline = time.monotonic() + STOP_DEADLINE_S
    while (left := started_processes()) and time.monotonic() < deadline:
        time.sleep(0.1)
    stop(left)


def started_processes() -> list[psutil.Process]:
    """Everything below this program but honcho's readers, which end by themselves when the output closes."""
    readers = {process.pid for process in multiprocessing.active_children()}
    return [process for process in psutil.Process().children(recursive=True) if process.pid not in readers]


def stop(processes: list[psutil.Process]) -> None:
    """Ask, wait, then insist."""
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.terminate()
    _gone, alive = psutil.wait_procs(processes, timeout=INSIST_DEADLINE_S)
    for process in alive:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(alive, timeout=INSIST_DEADLINE_S)


def hold_lock() -> IO[str]:
    """Shared by everything that runs on this var/; `make restore` wants it alone."""
    from vmcloud.settings import VAR_DIR

    lock = (VAR_DIR / "running.lock").open("w")
    fcntl.flock(lock, fcntl.LOCK_SH)
    return lock


def serve(port: int) -> int:
    """Run the Procfile until one of its processes ends or a signal arrives; then stop all that is left."""
    adopt_orphans()
    environment = {**os.environ, "PORT": str(port), "PYTHON": sys.executable, "PYTHONUNBUFFERED": "1"}
    manager = Runner()
    for name, command in parse_procfile((ROOT / "Procfile").read_text()).processes.items():
        manager.add_process(name, f"exec {command}", env=environment, cwd=str(ROOT))
    # A closed terminal ends it as Ctrl-C does.
    signal.signal(signal.SIGHUP, lambda *_: os.kill(os.getpid(), signal.SIGTERM))
    try:
        manager.loop()
    finally:
        stop(psutil.Process().children(recursive=True))
    stopped_by_hand = manager.returncode in (128 + signal.SIGINT, 128 + signal.SIGTERM)
    return 0 if stopped_by_hand else manager.returncode or 1


def main() -> int:
    os.chdir(ROOT)
    try:
        port = choose_port(os.environ.get("PORT", "").strip())
    except NoPortError as error:
        print(error, file=sys.stderr)
        return 1
    try:
        prepared = subprocess.run([sys.executable, "-m", "scripts.prepare"], check=False)
        if prepared.returncode != 0:
            return prepared.returncode
        with hold_lock():
            return serve(port)
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
