"""Whatever is killed, the run ends or is said to be stalled, the next one is measured, and no process is left."""

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from tests.benchmarks.worksite import LEFT_DEADLINE_S, Site
from tests.prepared import Copy

SMALL = {"concurrencies": (1,), "requests_count": 8, "prompt_tokens": 24, "output_tokens": 8}
LONG = {"concurrencies": (2,), "requests_count": 100_000, "prompt_tokens": 64, "output_tokens": 64}
KEPT = (
    "SELECT COUNT(*) FROM benchmarks_benchmarktick t JOIN benchmarks_benchmarkstep s ON s.id = t.step_id"
    " JOIN benchmarks_benchmarkrun r ON r.id = s.run_id WHERE r.code = ?"
)

pytestmark = pytest.mark.worker
Process = psutil.Process


@pytest.fixture
def site(tmp_path: Path, migrated: Copy) -> Iterator[Site]:
    migrated(tmp_path)
    site = Site(tmp_path)
    site.start_worker()
    yield site
    site.end()


def task_of(engine: Process) -> Process:
    """The pool process that carries the run out: the parent of the supervisor, which is the engine's parent."""
    return engine.parents()[1]


def supervisor_of(engine: Process) -> Process:
    return engine.parents()[0]


def the_engine(engine: Process) -> Process:
    return engine


def ended(site: Site, code: str) -> tuple[str, str]:
    status = site.wait_for_end(code)
    return status, str(site.read("SELECT error_code FROM benchmarks_benchmarkrun WHERE code = ?", code)[0][0])


def assert_usable(site: Site) -> None:
    """The worker measures the next run, and after it nothing but the worker itself is left."""
    code = site.start_run(**SMALL)
    assert site.wait_for_end(code) == "succeeded", site.log()
    site.wait(lambda: [process for process in site.family() if "benchmarks." in line_of(process)] == [], "nothing left")


def line_of(process: Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return ""


@pytest.mark.parametrize(
    ("victim", "end"),
    [
        (the_engine, ("failed", "engine_died")),
        (supervisor_of, ("failed", "supervisor_lost")),
        (task_of, ("stalled", "heartbeat_lost")),
    ],
)
def test_a_kill_ends_the_run_with_its_reason_and_leaves_a_worker_that_measures(
    site: Site, victim: Callable[[Process], Process], end: tuple[str, str]
) -> None:
    code = site.start_run(**LONG)
    engine = site.wait_for_answers(code)
    site.wait(lambda: site.read(KEPT, code)[0][0] >= 1, "a second is stored")
    family = [engine, supervisor_of(engine)]
    sampler = [process for process in site.family() if "telemetry.sampler" in line_of(process)]
    assert len(sampler) == 1
    os.kill(victim(engine).pid, signal.SIGKILL)
    assert ended(site, code) == end, site.log()
    assert psutil.wait_procs([*family, *sampler], timeout=LEFT_DEADLINE_S)[1] == []
    assert site.read(KEPT, code)[0][0] >= 1
    assert_usable(site)


def test_soft_and_hard_limits_end_a_run_with_what_it_has(site: Site) -> None:
    """The soft one in good order; the hard one although the supervisor cannot answer any more."""
    code = site.start_run(**LONG, soft_limit_s=4)
    assert ended(site, code) == ("failed", "deadline"), site.log()
    rows = "SELECT COUNT(*) FROM benchmarks_benchmarksample WHERE error_kind = ''"
    assert site.read(rows)[0][0] > 0
    code = site.start_run(**LONG, soft_limit_s=8, hard_limit_s=9)
    engine = site.wait_for_answers(code)
    supervisor = supervisor_of(engine)
    supervisor.suspend()
    assert ended(site, code) == ("failed", "hard_limit"), site.log()
    assert psutil.wait_procs([engine, supervisor], timeout=LEFT_DEADLINE_S)[1] == []
    assert_usable(site)
