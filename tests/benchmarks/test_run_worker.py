"""From a click to figures with nothing simulated: a real Celery worker, a real llama.cpp server, a database file.

Each test has a var/ of its own.
"""

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.benchmarks.worksite import LEFT_DEADLINE_S, Site
from tests.prepared import Copy

SMALL = {"concurrencies": (1, 2), "requests_count": 8, "prompt_tokens": 24, "output_tokens": 16}
LONG = {"concurrencies": (4,), "requests_count": 100_000, "prompt_tokens": 64, "output_tokens": 64}

pytestmark = pytest.mark.worker


def port_of(engine: psutil.Process) -> int:
    return next(held.laddr.port for held in engine.net_connections("tcp") if held.status == psutil.CONN_LISTEN)


def is_listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def site_on(broker: str, with_catalogue: Copy, folder: Path) -> Iterator[Site]:
    with_catalogue(folder)
    site = Site(folder, broker)
    site.start_worker()
    yield site
    site.end()


@pytest.fixture
def site(with_catalogue: Copy, tmp_path: Path) -> Iterator[Site]:
    """On the embedded default: SQLite and the filesystem transport, in a path with a space."""
    yield from site_on("", with_catalogue, tmp_path / "var here")


@pytest.fixture
def valkey_site(with_catalogue: Copy, tmp_path: Path, valkey_url: str) -> Iterator[Site]:
    yield from site_on(valkey_url, with_catalogue, tmp_path)


def assert_measured(site: Site, code: str) -> None:
    """Both steps whole, answers of the exact length, rates above zero, each request stored."""
    steps = site.read(
        "SELECT concurrency, ok_count, error_count, output_tokens_mean, s.prompt_tokens_mean, output_tok_per_s"
        " FROM benchmarks_benchmarkstep s JOIN benchmarks_benchmarkrun r ON r.id = s.run_id WHERE r.code = ?"
        " ORDER BY s.position",
        code,
    )
    assert [step[:5] for step in steps] == [(1, 8, 0, 16, 24), (2, 8, 0, 16, 24)], site.log()
    assert all(step[5] > 50 for step in steps)
    assert site.read("SELECT COUNT(*) FROM benchmarks_benchmarksample")[0][0] == (1 + 8) + (2 + 8)


def test_a_run_goes_from_queue_to_figure_on_the_filesystem_transport(site: Site) -> None:
    """Delivered three times, measured once, published twice as one set."""
    code = site.start_run(times=3, **SMALL)
    assert site.wait_for_end(code) == "succeeded", site.log()
    site.wait(lambda: site.log().count("succeeded in") == 3, "three deliveries are handled")
    assert_measured(site, code)
    # A busy machine may have made the client late; that such a run is refused is tested where it is decided.
    published = "BenchmarkRun.objects.update(flag_client_bound=False)\nrun = BenchmarkRun.objects.get()\n"
    published += "for _ in range(2): figures = publishing.publish(run.pk)\n"
    assert site.python(f"{published}print(len(figures))") == "2"
    rates = site.read("SELECT concurrency, value, kind, test_model, run FROM calculator_figure WHERE run <> ''")
    assert sorted((row[0], row[2], row[3], row[4]) for row in rates) == [
        (1, "measured", 1, code),
        (2, "measured", 1, code),
    ]


def test_a_run_whose_message_was_lost_is_measured_by_the_next_worker(site: Site) -> None:
    """An empty file in the queue, as a full disk leaves it, neither ends the worker nor holds the next run up."""
    (site.var / "queue" / "0_cut-short.default.msg").write_bytes(b"")
    code = site.start_run(times=0, **SMALL)
    other = site.start_run(**SMALL)
    assert site.wait_for_end(other) == "succeeded", site.log()
    assert site.status(code) == "queued"
    site.end()
    site.start_worker()
    assert site.wait_for_end(code) == "succeeded", site.log()


def test_a_run_goes_from_queue_to_result_on_valkey(valkey_site: Site) -> None:
    code = valkey_site.start_run(times=2, **SMALL)
    assert valkey_site.wait_for_end(code) == "succeeded", valkey_site.log()
    assert_measured(valkey_site, code)


def test_a_run_cancelled_under_way_leaves_no_process_and_no_port(site: Site) -> None:
    code = site.start_run(**LONG)
    engine = site.wait_for_answers(code)
    port, family = port_of(engine), engine.parents()[0]
    assert is_listening(port)
    site.python(f"print(services.request_cancel(BenchmarkRun.objects.get(code={code!r}).pk))")
    assert site.wait_for_end(code) == "cancelled"
    assert psutil.wait_procs([engine, family], timeout=LEFT_DEADLINE_S)[1] == []
    assert not is_listening(port)
    partial = "SELECT flag_partial, samples_sha256 <> '' FROM benchmarks_benchmarkrun"
    assert site.read(partial) == [(1, 1)]
    assert site.read("SELECT COUNT(*) FROM benchmarks_benchmarksample WHERE error_kind = ''")[0][0] > 0
    assert site.worker is not None and site.worker.poll() is None


def test_a_killed_worker_leaves_a_stalled_run_and_no_process(site: Site) -> None:
    code = site.start_run(**LONG)
    engine = site.wait_for_answers(code)
    port, family = port_of(engine), site.family()
    assert site.worker is not None
    os.kill(site.worker.pid, signal.SIGKILL)
    site.worker.wait(timeout=LEFT_DEADLINE_S)
    assert psutil.wait_procs(family, timeout=LEFT_DEADLINE_S)[1] == []
    assert not is_listening(port)
    assert site.status(code) == "running"
    later = "from datetime import timedelta; from django.utils import timezone\n"
    later += "print(services.reap_stalled(timezone.now() + services.STALLED_AFTER + timedelta(seconds=1)))"
    assert site.python(later) == "1"
    assert site.status(code) == "stalled"


def test_a_worker_told_to_stop_ends_its_run_and_itself(site: Site) -> None:
    code = site.start_run(**LONG)
    site.wait_for_answers(code)
    family = site.family()
    assert site.worker is not None
    site.worker.terminate()
    assert site.worker.wait(timeout=LEFT_DEADLINE_S) == 0
    assert psutil.wait_procs(family, timeout=LEFT_DEADLINE_S)[1] == []
    found = site.read("SELECT status, error_code FROM benchmarks_benchmarkrun WHERE code = ?", code)
    assert found == [("cancelled", "worker_stopped")]
