"""Runs a server program and answers for it: when this process ends, for whatever reason, the program's family ends.

Run as `python -m benchmarks.load.keeper --parent PID --folder RUN -- PROGRAM ARGUMENT…`. The program gets a session of
its own, so that whatever it starts can be found again: vLLM's workers outlive a killed parent, and rewrite the memory
that their environment could be read from. What it prints goes to engine.log of the run's folder.
"""

import argparse
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import BinaryIO

from benchmarks.load import process, sessions

LOG_NAME = "engine.log"
GRACE_S = 2.0
ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
NOT_STARTED = 127  # what a shell says of a program that it cannot run


def keep(folder: Path, command: Sequence[str], grace_s: float = GRACE_S) -> int:
    """Run `command` to its end, or to ours; its exit status. None of its family is left when this returns."""
    with (folder / LOG_NAME).open("ab") as log:
        try:
            child = started(folder, command, log)
        except OSError as error:
            log.write(f"{error}\n".encode())
            return NOT_STARTED
    sessions.remember(folder, child.pid)
    try:
        return child.wait()
    finally:
        with undisturbed():
            sessions.end(sessions.remembered(folder), grace_s)
            child.wait()


def started(folder: Path, command: Sequence[str], log: BinaryIO) -> "subprocess.Popen[bytes]":
    """The program in a session of its own; the kernel kills it should this process be killed."""
    keeper = os.getpid()
    return subprocess.Popen(  # noqa: S603 - the program that the operator of the host named, no shell
        list(command),
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        preexec_fn=lambda: process.end_with_parent(keeper, signal.SIGKILL),  # noqa: PLW1509 - no threads here
    )


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Being told to leave while the family is being ended must not leave half of it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def leave(_number: int, _frame: FrameType | None) -> None:
    sys.exit(0)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--parent", type=int, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("command", nargs="+")
    given = parser.parse_args()
    for number in ENDING:
        signal.signal(number, leave)
    process.end_with_parent(given.parent, signal.SIGTERM)
    sys.exit(keep(given.folder, given.command))


if __name__ == "__main__":
    main()
