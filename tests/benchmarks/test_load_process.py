"""Cores that are not shared, and processes that do not outlive their parents."""

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from benchmarks.load import process


@pytest.mark.parametrize(
    ("available", "engine", "client", "shared"),
    [
        ((0, 1), (0,), (1,), False),
        ((0, 1, 2, 3), (0, 1, 2), (3,), False),
        ((2, 5), (2,), (5,), False),
        ((0,), (0,), (0,), True),
        ((), (), (), True),
    ],
)
def test_the_last_core_is_the_clients_and_sharing_is_said(
    available: tuple[int, ...], engine: tuple[int, ...], client: tuple[int, ...], shared: bool
) -> None:
    assert process.split_cores(available) == process.Cores(engine, client, shared)


def test_available_cores_are_those_of_this_process() -> None:
    assert set(process.available_cores()) == os.sched_getaffinity(0)


def test_a_pinned_process_stays_on_its_core() -> None:
    core = process.available_cores()[-1]
    code = f"import os; from benchmarks.load import process; process.pin(({core},)); print(os.sched_getaffinity(0))"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.strip() == f"{{{core}}}"


def test_core_lists_are_written_and_read_back() -> None:
    assert process.read_core_list(process.core_list((0, 3, 12))) == (0, 3, 12)
    assert process.read_core_list("") == ()


PARENT = """
import os, subprocess, sys, time
code = (
    "import os, signal, time; from benchmarks.load import process;"
    "process.end_with_parent(int(os.environ['PARENT']), signal.SIGKILL);"
    "print('ready', flush=True); time.sleep(60)"
)
env = {**os.environ, "PARENT": str(os.getpid())}
child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env=env)
child.stdout.readline()
print(child.pid, flush=True)
time.sleep(60)
"""


def test_a_child_ends_when_its_parent_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline()))
        parent.kill()
        gone, alive = psutil.wait_procs([child], timeout=45)
    assert (len(gone), alive) == (1, [])


def test_a_child_whose_parent_is_gone_already_ends_at_once() -> None:
    code = (
        "import signal; from benchmarks.load import process;"
        "process.end_with_parent(1, signal.SIGTERM); print('still here')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == -signal.SIGTERM
    assert done.stdout == ""


def test_signalling_a_group_that_is_gone_is_fine() -> None:
    child = subprocess.Popen([sys.executable, "-c", ""], start_new_session=True)
    child.wait(timeout=60)
    process.signal_group(child.pid, signal.SIGTERM)


def test_a_group_is_signalled_as_a_whole() -> None:
    code = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(60)'])"
    parent = subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
    watched = psutil.Process(parent.pid)
    until = time.monotonic() + 10
    while not (children := watched.children()) and time.monotonic() < until:
        time.sleep(0.02)
    process.signal_group(parent.pid, signal.SIGKILL)
    parent.wait(timeout=45)
    assert psutil.wait_procs(children, timeout=45)[1] == []
