"""Plans that start the stand-in for vLLM, and what is left of it."""

import shlex
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from benchmarks.load import records
from benchmarks.runner import Runner

DEADLINE_S = 60
PROGRAM = Path(__file__).parent / "fakevllm.py"
ARGUMENTS = ("/models/tiny", "--load-format", "dummy", "--max-num-seqs", "32")


def program(folder: Path) -> str:
    """The stand-in as a program of its own name."""
    path = folder / "vllm"
    path.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {shlex.quote(str(PROGRAM))} "$@"\n')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def plan(folder: Path, **values: object) -> records.Plan:
    known: dict[str, object] = {
        "model_path": "",
        "folder": str(folder),
        "concurrencies": (2,),
        "requests_count": 6,
        "prompt_tokens": 20,
        "output_tokens": 8,
        "seed": 3,
        "vocabulary_size": 300,
        "start_deadline_s": 30.0,
        "vllm": records.VllmPlan(program(folder), "/models/tiny", ARGUMENTS),
    }
    return records.Plan(**(known | values))  # type: ignore[arg-type]


def messages(runner: Runner) -> Iterator[records.Message]:
    until = time.monotonic() + DEADLINE_S
    for message in runner.messages():
        assert time.monotonic() < until, "the supervisor went on for too long"
        if message is not None:
            yield message


def family(folder: Path) -> list[psutil.Process]:
    """The stand-in and its child, while they live."""
    numbers = [int((folder / name).read_text().split()[0]) for name in ("engine.pid", "child.pid")]
    return [psutil.Process(number) for number in numbers if psutil.pid_exists(number)]


def gone(folder: Path) -> bool:
    """Whether nobody of the family is left; a moment is given to the kernel."""
    until = time.monotonic() + 10
    while left := [one for one in family(folder) if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]:
        if time.monotonic() > until:
            return not left
        time.sleep(0.05)
    return True
