"""Keeps the sampler beside a run: started before anything else of it, ended after. It may fail; the run goes on."""

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Self

from benchmarks.load import process

PROJECT_DIR = Path(__file__).resolve().parents[2]
FILE_NAME = "telemetry.jsonl"
END_GRACE_S = 3.0


class Watch:
    """The sampler as a context. The lines of `folder`/telemetry.jsonl appear while the run goes on."""

    def __init__(self, folder: Path, gpus: tuple[str, ...] = ()) -> None:
        self.folder = folder
        self.gpus = gpus
        self._child: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        command = [sys.executable, "-m", "benchmarks.telemetry.sampler", str(self.folder / FILE_NAME)]
        options = [f"--gpus={','.join(self.gpus)}", f"--parent={os.getpid()}"]
        with contextlib.suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            with (self.folder / "telemetry.log").open("wb") as log:
                self._child = subprocess.Popen(  # noqa: S603 - our own module, no shell
                    [*command, *options], cwd=PROJECT_DIR, stdout=log, stderr=log, start_new_session=True
                )
        return self

    def __exit__(self, *_: object) -> None:
        """Ask for the last line; past the grace the sampler is killed and its file stays without one."""
        if self._child is None:
            return
        self._child.terminate()
        try:
            self._child.wait(END_GRACE_S)
        except subprocess.TimeoutExpired:
            process.signal_group(self._child.pid, signal.SIGKILL)
            self._child.wait()
