"""Broker restarted, database away, disk full, all for real: nothing that was stored is lost, and no run stays stuck."""

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import psycopg
import pytest

from scripts.services import Postgres, UnavailableError, Valkey
from tests.benchmarks import fakeprobe
from tests.benchmarks.worksite import LEFT_DEADLINE_S, Site
from tests.conftest import not_here

SMALL = {"concurrencies": (1,), "requests_count": 8, "prompt_tokens": 24, "output_tokens": 8}
LONG = {"concurrencies": (2,), "requests_count": 100_000, "prompt_tokens": 64, "output_tokens": 64}
AWAY_S = 30
FILE_LIMIT_BYTES = 400_000
LIMITED = (
    "import os, resource, sys; limit = int(sys.argv[1]);"
    " resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)); os.execv(sys.argv[2], sys.argv[2:])"
)
TICKS = "SELECT COUNT(*), MAX(t.at) FROM benchmarks_benchmarktick t"

pytestmark = [pytest.mark.worker, pytest.mark.postgres]


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Postgres]:
    """A server of this module alone, which its tests may stop; its first database has all tables."""
    try:
        server = Postgres().start()
    except UnavailableError as error:
        not_here(str(error))
    Site(tmp_path_factory.mktemp("migrated"), database=server.url).manage("migrate", "--verbosity", "0")
    yield server
    server.stop()


@pytest.fixture
def database(postgres: Postgres, request: pytest.FixtureRequest) -> str:
    """The address of a database of the test's own, with all tables."""
    name = f"fault_{abs(hash(request.node.name)) % 10**9}"
    with psycopg.connect(postgres.url.replace("/postgres?", "/template1?"), autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name} TEMPLATE postgres")
    return postgres.url.replace("/postgres?", f"/{name}?")


@pytest.fixture
def valkey() -> Iterator[Valkey]:
    try:
        server = Valkey().start()
    except UnavailableError as error:
        not_here(str(error))
    yield server
    server.stop()


def assert_nothing_left(site: Site, *processes: psutil.Process) -> None:
    assert psutil.wait_procs(list(processes), timeout=LEFT_DEADLINE_S)[1] == []
    site.wait(lambda: not [line for line in lines(site) if "benchmarks." in line], "nothing is left")


def lines(site: Site) -> list[str]:
    found = []
    for process in site.family():
        try:
            found.append(" ".join(process.cmdline()))
        except psutil.NoSuchProcess:
            continue
    return found


def test_a_broker_that_restarts_loses_no_run(tmp_path: Path, valkey: Valkey, database: str) -> None:
    """One run is measured, one waits behind it, one is asked for afterwards: all three are measured once."""
    site = Site(tmp_path, valkey.url, database=database)
    site.start_worker()
    try:
        measured = site.start_run(**{**LONG, "requests_count": 400})
        engine = site.wait_for_answers(measured)
        waiting = site.start_run(**SMALL)
        valkey.leave()
        valkey.serve()
        later = site.start_run(**SMALL)
        for code in (measured, waiting, later):
            assert site.wait_for_end(code) == "succeeded", site.log()
        samples = "SELECT COUNT(*) FROM benchmarks_benchmarksample"
        assert site.read(samples) == [((2 + 400) + 2 * (1 + 8),)]
        assert_nothing_left(site, engine)
    finally:
        site.end()


PROBING_S = 8


def test_a_probe_goes_on_while_the_database_is_away_and_its_figures_come_in_later(
    tmp_path: Path, postgres: Postgres, database: str
) -> None:
    """One figure is found before the database leaves, one while it is away, one when it is back."""
    gone, back = tmp_path / "gone", tmp_path / "back"
    wait = "\n".join(
        line
        for path, number in ((gone, 2), (back, 3))
        for line in (
            f"while not os.path.exists({str(path)!r}): time.sleep(0.05)",
            f"print({fakeprobe.reading(metric='gemm_fp16', value=number * 1e12)!r}, flush=True)",
        )
    )
    (tmp_path / "bin").mkdir()
    python = fakeprobe.python(
        tmp_path / "bin", fakeprobe.start(), fakeprobe.reading(), then=f"{wait}\nprint({fakeprobe.end()!r}, flush=True)"
    )
    site = Site(tmp_path, database=database)
    site.start_worker(GPU_PYTHON=python)
    try:
        code = site.python(
            "from benchmarks import probeorders\n"
            "run = probeorders.create_probe(probeorders.ProbeConfig('gemm'), None)\n"
            "tasks.submit(run)\nprint(run.code)"
        )
        readings = "SELECT COUNT(*) FROM benchmarks_probereading"
        site.wait(lambda: site.read(readings) == [(1,)], "the first figure is stored")
        postgres.leave()
        gone.touch()
        time.sleep(PROBING_S)
        postgres.serve()
        back.touch()
        assert site.wait_for_end(code) == "succeeded", site.log()
        assert site.read(readings) == [(3,)]
        assert len(str(site.read("SELECT lines_sha256 FROM benchmarks_probejob")[0][0])) == 64
        assert_nothing_left(site)
    finally:
        site.end()


def test_a_database_that_is_away_for_half_a_minute_costs_nothing_that_was_measured(
    tmp_path: Path, postgres: Postgres, database: str
) -> None:
    """The measurement goes on meanwhile; its seconds are stored when the database is back, and the run ends."""
    site = Site(tmp_path, database=database)
    site.start_worker()
    try:
        code = site.start_run(**LONG, soft_limit_s=AWAY_S + 20)
        engine = site.wait_for_answers(code)
        site.wait(lambda: int(site.read(TICKS)[0][0]) >= 2, "two seconds are stored")
        before = int(site.read(TICKS)[0][0])
        postgres.leave()
        time.sleep(AWAY_S)
        assert engine.is_running()
        postgres.serve()
        assert site.wait_for_end(code) == "failed", site.log()
        assert site.read("SELECT error_code FROM benchmarks_benchmarkrun") == [("deadline",)]
        # One a second, also for those in which nobody could store them.
        assert int(site.read(TICKS)[0][0]) >= before + AWAY_S
        stored = "SELECT COUNT(*) FROM benchmarks_benchmarksample WHERE error_kind = ''"
        assert int(site.read(stored)[0][0]) > 100
        assert_nothing_left(site, engine)
        after = site.start_run(**SMALL)
        assert site.wait_for_end(after) == "succeeded", site.log()
    finally:
        site.end()


def test_a_full_disk_ends_the_run_readably_with_what_was_written(tmp_path: Path, database: str) -> None:
    """No file of the worker may grow beyond 400 kB: the raw rows of a long run do."""
    site = Site(tmp_path, database=database)
    site.python("from benchmarks.load import testmodel; from django.conf import settings; from pathlib import Path\n"
                "print(testmodel.ensure(Path(settings.VAR_DIR) / 'models'))")  # fmt: skip
    celery = [sys.executable, "-m", "celery", "-A", "vmcloud", "worker", "-P", "prefork", "-c", "1", "-l", "INFO"]
    site.launch([sys.executable, "-c", LIMITED, str(FILE_LIMIT_BYTES), *celery])
    try:
        code = site.start_run(**LONG)
        engine = site.wait_for_answers(code)
        assert site.wait_for_end(code) == "failed", site.log()
        ended = site.read("SELECT error_code, error_detail, flag_partial FROM benchmarks_benchmarkrun")
        assert [(row[0], row[2]) for row in ended] == [("disk_full", True)], (ended, site.log())
        assert "large" in str(ended[0][1]) or "part" in str(ended[0][1])
        raw = tmp_path / "runs" / code / "samples.jsonl"
        assert FILE_LIMIT_BYTES / 2 < raw.stat().st_size <= FILE_LIMIT_BYTES
        assert int(site.read("SELECT COUNT(*) FROM benchmarks_benchmarksample WHERE error_kind = ''")[0][0]) > 50
        assert_nothing_left(site, engine)
        after = site.start_run(**SMALL)
        assert site.wait_for_end(after) == "succeeded", site.log()
    finally:
        site.end()
