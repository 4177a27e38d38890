"""A probe as a child process of the GPU's own Python; knows no Django. Whoever leaves the block leaves none behind.

The probe's lines go straight into a file, so that nothing is lost whatever happens to the reader; what its libraries
say goes into a log beside it. The child ends with its parent, by its own request to the kernel.
"""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.load import process
from benchmarks.load.vllmprocess import PRIVATE_NAMES, PRIVATE_PREFIXES
from benchmarks.probes import lines

PROJECT_DIR = Path(__file__).resolve().parent.parent
POLL_S = 0.5
STOP_GRACE_S = 20.0
LINES_NAME, LOG_NAME = "probe.jsonl", "probe.log"
LOG_BYTES = 4000


class NoPythonError(Exception):
    """GPU_PYTHON is not set, or cannot be started; the message says which."""


@dataclass(frozen=True, slots=True)
class Order:
    """What is started, with which GPUs (UUIDs; none: the processor), and for how long at most.

    At `limit_s` it is asked to end with what it has; at `hard_s` its whole group is killed, whoever reads it or not.
    """

    python: str
    probe: str
    arguments: tuple[str, ...]
    folder: Path
    gpus: tuple[str, ...] = ()
    limit_s: float = 3600.0
    hard_s: float = 3660.0

    @property
    def command(self) -> list[str]:
        """The child's command line."""
        module = f"benchmarks.probes.{self.probe}"
        return [self.python, "-m", module, f"--parent={os.getpid()}", *self.arguments]


class ProbeProcess:
    """A probe that runs; `records` yields what it writes, and None whenever it was silent for a moment."""

    def __init__(self, order: Order) -> None:
        self.order = order
        self.overdue = self.killed = False
        self._child: subprocess.Popen[bytes] | None = None
        self._stop_by: float | None = None
        self._ends_at = time.monotonic() + order.limit_s
        # A thread, because whoever follows the probe may hang in a database that takes the connection and says nothing.
        self._killer = threading.Timer(order.hard_s, self._kill)
        self._killer.daemon = True

    def __enter__(self) -> "ProbeProcess":
        if not self.order.python:
            raise NoPythonError("GPU_PYTHON")
        self.order.folder.mkdir(parents=True, exist_ok=True)
        environment = child_environment(self.order.gpus)
        with self.lines_path.open("wb") as out, self.log_path.open("wb") as log:
            try:
                self._child = subprocess.Popen(  # noqa: S603 - an interpreter that the host's operator named
                    self.order.command,
                    cwd=PROJECT_DIR,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=log,
                    start_new_session=True,
                )
            except OSError as error:
                raise NoPythonError(f"{self.order.python}: {error.strerror}") from error
        self._killer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._killer.cancel()
        if self._child is None:
            return
        if self._child.poll() is None:
            self.stop()
            self._wait()
        process.signal_group(self._child.pid, signal.SIGKILL)
        self._child.wait()

    @property
    def lines_path(self) -> Path:
        return self.order.folder / LINES_NAME

    @property
    def log_path(self) -> Path:
        return self.order.folder / LOG_NAME

    @property
    def exit_code(self) -> int | None:
        return None if self._child is None else self._child.poll()

    def stop(self) -> None:
        """Ask the probe to end with what it has; past the grace its whole group is killed. May be called again."""
        if self._stop_by is None and self._child is not None:
            self._stop_by = time.monotonic() + STOP_GRACE_S
            self._child.terminate()

    def log_end(self) -> str:
        """The last lines of the log."""
        if not self.log_path.exists():
            return ""
        with self.log_path.open("rb") as file:
            file.seek(max(0, self.log_path.stat().st_size - LOG_BYTES))
            return file.read().decode(errors="replace").strip()

    def records(self) -> Iterator[dict[str, object] | None]:
        """Until the probe has ended: the records of its whole lines. A line that is none raises lines.LineError."""
        pending = ""
        with self.lines_path.open(encoding="utf-8", errors="replace") as file:
            while True:
                ended = self.exit_code is not None
                pending += file.read()
                *whole, pending = pending.split("\n")
                yield from filter(None, map(lines.load, whole))
                if ended:
                    return
                self._watch_time()
                yield None
                time.sleep(POLL_S)

    def _watch_time(self) -> None:
        now = time.monotonic()
        if now > self._ends_at and not self.overdue:
            self.overdue = True
            self.stop()
        if self._stop_by is not None and now > self._stop_by and self._child is not None:
            process.signal_group(self._child.pid, signal.SIGKILL)

    def _kill(self) -> None:
        """The hard limit: nothing of the probe outlives it."""
        if self._child is not None and self._child.returncode is None:
            self.killed = True
            process.signal_group(self._child.pid, signal.SIGKILL)

    def _wait(self) -> None:
        try:
            if self._child is not None:
                self._child.wait(STOP_GRACE_S)
        except subprocess.TimeoutExpired:
            return


def child_environment(gpus: Sequence[str]) -> dict[str, str]:
    """What a probe sees of the worker's environment: its GPUs, and neither database nor queue nor keys."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in PRIVATE_NAMES and not name.startswith(PRIVATE_PREFIXES)
    }
    return {**kept, "CUDA_VISIBLE_DEVICES": ",".join(gpus), "PYTHONUNBUFFERED": "1"}


def flags(values: Sequence[tuple[str, object]]) -> tuple[str, ...]:
    """Command line options of the values that are set.

    >>> flags([("seconds", 2.0), ("size", None), ("dtypes", ""), ("recompute", True), ("batch", 4)])
    ('--seconds=2.0', '--recompute', '--batch=4')
    """
    found = []
    for name, value in values:
        if value is True:
            found.append(f"--{name}")
        elif value not in (None, "", False):
            found.append(f"--{name}={value}")
    return tuple(found)
