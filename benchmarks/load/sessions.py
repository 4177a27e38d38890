"""A program together with everything it started, found by its session and ended as one."""

import contextlib
import os
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

FILE_NAME = "engine.pid"
POLL_S = 0.05
TRACKER = "resource_tracker"
TRACKER_GRACE_S = 5.0
KILL_DEADLINE_S = 5.0


@dataclass(frozen=True, slots=True)
class Session:
    """The process that leads a session, and when it was made: its number alone may be another's by now."""

    leader: int
    created_s: float


def remember(folder: Path, pid: int) -> None:
    """Write down which session the engine of a run leads, for whoever has to clean up after its keeper."""
    (folder / FILE_NAME).write_text(f"{pid} {psutil.Process(pid).create_time()!r}", encoding="ascii")


def forget(folder: Path) -> None:
    (folder / FILE_NAME).unlink(missing_ok=True)


def remembered(folder: Path) -> Session | None:
    """The session written down in a run's folder; None where there is none or it cannot be read."""
    try:
        leader, created_s = (folder / FILE_NAME).read_text(encoding="ascii").split()
        return Session(int(leader), float(created_s))
    except (OSError, ValueError):
        return None


def leads(session: Session) -> bool:
    """Whether the leader still lives."""
    try:
        leader = psutil.Process(session.leader)
        same = abs(leader.create_time() - session.created_s) <= POLL_S
        return same and leader.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def members(session: Session) -> list[psutil.Process]:
    """The living processes of a session, its leader first where it lives; none when the number was given anew."""
    found = []
    for member in psutil.process_iter():
        with contextlib.suppress(psutil.Error, ProcessLookupError, PermissionError):
            if os.getsid(member.pid) == session.leader and member.status() != psutil.STATUS_ZOMBIE:
                if member.pid == session.leader and abs(member.create_time() - session.created_s) > POLL_S:
                    return []
                found.append(member)
    return sorted(found, key=lambda member: member.pid != session.leader)


def end(session: Session | None, grace_s: float) -> None:
    """Ask the leader to end, and after the grace kill all that is left.

    Python's resource trackers come last: they remove the shared memory that their killed programs leave.
    """
    if session is None or not (family := members(session)):
        return
    if family[0].pid == session.leader and grace_s > 0:
        with contextlib.suppress(psutil.Error):
            family[0].terminate()
        wait_until_gone(session, grace_s)
    kill([member for member in members(session) if not is_tracker(member)])
    wait_until_gone(session, TRACKER_GRACE_S)
    until = time.monotonic() + KILL_DEADLINE_S
    while (left := members(session)) and time.monotonic() < until:
        kill(left)
        time.sleep(POLL_S)


def kill(family: list[psutil.Process]) -> None:
    for member in family:
        with contextlib.suppress(psutil.Error):
            member.kill()


def wait_until_gone(session: Session, deadline_s: float) -> None:
    """Return once nobody of the session is left, or at the deadline."""
    until = time.monotonic() + deadline_s
    while members(session) and time.monotonic() < until:
        time.sleep(POLL_S)


def is_tracker(member: psutil.Process) -> bool:
    try:
        return any(TRACKER in part for part in member.cmdline())
    except psutil.Error:
        return False
