"""A program is ended with everything it started, and a process that only has its number is left alone."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from benchmarks.load import keeper, sessions

DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
PARENT = f"import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', {DEAF!r}]); print(flush=True); time.sleep(60)"  # noqa: E501


@pytest.fixture
def leader() -> Iterator["subprocess.Popen[bytes]"]:
    """A process that leads a session with one child that ignores SIGTERM."""
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, start_new_session=True) as child:
        assert child.stdout is not None
        child.stdout.readline()
        yield child
        child.kill()


def session_of(child: "subprocess.Popen[bytes]") -> sessions.Session:
    return sessions.Session(child.pid, psutil.Process(child.pid).create_time())


def test_all_of_a_session_are_found_its_leader_first(leader: "subprocess.Popen[bytes]") -> None:
    family = sessions.members(session_of(leader))
    assert [member.pid == leader.pid for member in family] == [True, False]


def test_the_end_reaches_children_that_do_not_listen(leader: "subprocess.Popen[bytes]") -> None:
    session = session_of(leader)
    family = sessions.members(session)
    sessions.end(session, grace_s=0.3)
    leader.wait(timeout=10)
    assert sessions.members(session) == []
    assert psutil.wait_procs(family, timeout=10)[1] == []


def test_orphans_are_found_by_their_session(leader: "subprocess.Popen[bytes]") -> None:
    session = session_of(leader)
    leader.kill()
    leader.wait(timeout=10)
    assert not sessions.leads(session)
    orphans = sessions.members(session)
    assert len(orphans) == 1
    sessions.end(session, grace_s=5)  # no leader to wait for: at once
    assert psutil.wait_procs(orphans, timeout=10)[1] == []


def test_a_number_given_anew_names_nobody(leader: "subprocess.Popen[bytes]") -> None:
    older = sessions.Session(leader.pid, session_of(leader).created_s - 60)
    assert not sessions.leads(older)
    assert sessions.members(older) == []
    sessions.end(older, grace_s=0)
    assert leader.poll() is None


def test_a_session_is_remembered_and_forgotten(tmp_path: Path, leader: "subprocess.Popen[bytes]") -> None:
    assert sessions.remembered(tmp_path) is None
    sessions.remember(tmp_path, leader.pid)
    assert sessions.remembered(tmp_path) == session_of(leader)
    (tmp_path / sessions.FILE_NAME).write_text("torn")
    assert sessions.remembered(tmp_path) is None
    sessions.forget(tmp_path)
    sessions.forget(tmp_path)
    sessions.end(None, grace_s=5)


def test_pythons_trackers_are_told_apart() -> None:
    own = psutil.Process(os.getpid())
    assert not sessions.is_tracker(own)
    code = "import time; time.sleep(60)  # multiprocessing.resource_tracker"
    with subprocess.Popen([sys.executable, "-c", code]) as child:
        until = time.monotonic() + 10
        while not (found := sessions.is_tracker(psutil.Process(child.pid))) and time.monotonic() < until:
            time.sleep(0.02)
        child.kill()
    assert found


def test_the_keeper_returns_what_the_program_returned(tmp_path: Path) -> None:
    assert keeper.keep(tmp_path, [sys.executable, "-c", "print('last words'); raise SystemExit(7)"]) == 7
    assert (tmp_path / "engine.log").read_text() == "last words\n"


def test_being_told_to_leave_twice_does_not_leave_half_of_the_family(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.load.keeper", f"--parent={os.getpid()}", f"--folder={tmp_path}"]
    with subprocess.Popen([*command, "--", sys.executable, "-c", PARENT], start_new_session=True) as child:
        until = time.monotonic() + 20
        while (session := sessions.remembered(tmp_path)) is None or len(sessions.members(session)) < 2:
            assert time.monotonic() < until
            time.sleep(0.02)
        family = sessions.members(session)
        for _ in range(3):
            child.terminate()
            time.sleep(0.1)
        child.wait(timeout=20)
    assert psutil.wait_procs(family, timeout=10)[1] == []


def test_a_program_that_cannot_be_run_is_said_in_the_log(tmp_path: Path) -> None:
    assert keeper.keep(tmp_path, [str(tmp_path / "nowhere")]) == 127
    assert "nowhere" in (tmp_path / "engine.log").read_text()
