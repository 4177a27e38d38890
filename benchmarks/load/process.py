"""Processes that end with their parent, and cores that are not shared."""

import contextlib
import ctypes
import os
import signal
import sys
from dataclasses import dataclass

PR_SET_PDEATHSIG = 1


@dataclass(frozen=True, slots=True)
class Cores:
    """Which cores the engine and the client run on; `shared` when there was no core to keep apart."""

    engine: tuple[int, ...]
    client: tuple[int, ...]
    shared: bool


def available_cores() -> tuple[int, ...]:
    """The cores this process may use; empty where the system cannot tell (then nothing is pinned)."""
    if not hasattr(os, "sched_getaffinity"):
        return ()
    return tuple(sorted(os.sched_getaffinity(0)))


def split_cores(available: tuple[int, ...]) -> Cores:
    """The last core for the client, the others for the engine; one core or none known: both share, and it is said."""
    if len(available) < 2:
        return Cores(engine=available, client=available, shared=True)
    return Cores(engine=available[:-1], client=available[-1:], shared=False)


def pin(cores: tuple[int, ...]) -> None:
    """Keep this process and its future threads on `cores`."""
    if cores and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cores)


def end_with_parent(parent_pid: int, how: signal.Signals) -> None:
    """Ask the kernel to send `how` when the parent dies, and leave at once if it is dead already (Linux)."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, int(how), 0, 0, 0)
    if os.getppid() != parent_pid:
        os.kill(os.getpid(), how)


def signal_group(pid: int, how: signal.Signals) -> None:
    """Signal a whole session started with start_new_session; gone is fine."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, how)


def core_list(cores: tuple[int, ...]) -> str:
    return ",".join(str(core) for core in cores)


def read_core_list(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(",") if part)
