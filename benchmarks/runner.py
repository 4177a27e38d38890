"""Starts the supervisor and reads what it says; knows no Django. Whoever leaves the block leaves no process behind."""

import math
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.load import process, records, sessions

PROJECT_DIR = Path(__file__).resolve().parent.parent
POLL_S = 1.0
STOP_GRACE_S = 8.0  # an engine is asked to end before it is killed
READ_BYTES = 65536


class Runner:
    """A supervisor process as a context: `messages` yields what it says, or None once a second of silence.

    Whatever it starts sees the GPUs of `gpus` (UUIDs) and no other. After `hard_limit_s` all of it is killed and
    `overdue` says so: the supervisor keeps the soft limit itself.
    """

    def __init__(self, plan: records.Plan, gpus: tuple[str, ...] = (), hard_limit_s: float = math.inf) -> None:
        self.plan = plan
        self.gpus = gpus
        self.overdue = False
        self._hard_at = time.monotonic() + hard_limit_s
        self._child: subprocess.Popen[bytes] | None = None
        self._stop_by: float | None = None

    def __enter__(self) -> "Runner":
        folder = Path(self.plan.folder)
        folder.mkdir(parents=True, exist_ok=True)
        plan_path = folder / "plan.json"
        plan_path.write_bytes(records.dump(self.plan))
        command = [sys.executable, "-m", "benchmarks.load.supervisor", str(plan_path), f"--parent={os.getpid()}"]
        with (folder / "supervisor.log").open("wb") as log:
            self._child = subprocess.Popen(  # noqa: S603 - our own module, no shell
                command,
                cwd=PROJECT_DIR,
                env={**os.environ, "CUDA_VISIBLE_DEVICES": ",".join(self.gpus)},
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            )
        return self

    def __exit__(self, *_: object) -> None:
        child = self.child
        if child.poll() is None:
            child.terminate()
            try:
                child.wait(STOP_GRACE_S)
            except subprocess.TimeoutExpired:
                process.signal_group(child.pid, signal.SIGKILL)
                child.wait()
        process.signal_group(child.pid, signal.SIGKILL)
        sessions.end(sessions.remembered(Path(self.plan.folder)), grace_s=0)
        if child.stdout:
            child.stdout.close()

    @property
    def child(self) -> subprocess.Popen[bytes]:
        if self._child is None:
            raise RuntimeError("the runner is used outside its with block")
        return self._child

    def stop(self) -> None:
        """Ask the supervisor to stop; past the grace it is killed with all it started. May be called again."""
        if self._stop_by is None:
            self._stop_by = time.monotonic() + STOP_GRACE_S
            self.child.terminate()

    def messages(self) -> Iterator[records.Message | None]:
        """Until the supervisor closes its output: its messages, and None whenever it was silent for a second."""
        pipe = self.child.stdout
        if pipe is None:
            return
        pending = b""
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, selectors.EVENT_READ)
            while True:
                self._kill_if_overdue()
                if not selector.select(POLL_S):
                    yield None
                    continue
                if not (chunk := os.read(pipe.fileno(), READ_BYTES)):
                    return
                *lines, pending = (pending + chunk).split(b"\n")
                yield from map(records.load_message, lines)

    def _kill_if_overdue(self) -> None:
        now = time.monotonic()
        self.overdue = self.overdue or now > self._hard_at
        if self.overdue or (self._stop_by is not None and now > self._stop_by):
            process.signal_group(self.child.pid, signal.SIGKILL)
