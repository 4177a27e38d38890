"""A run against a server over the network that is told to stop, killed, or out of time: no stream stays open.

The supervisor and the server are processes of their own; the server says how many streams it holds.
"""

import json
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from benchmarks import metrics
from benchmarks.load import records
from benchmarks.load.targets import Target
from benchmarks.runner import Runner

ROOT = Path(__file__).resolve().parents[2]
STREAMS = 16
STOPPED_AFTER_S, GONE_WITHIN_S = 5.0, 3.0
pytestmark = pytest.mark.worker
DEADLINE_S = 60


@pytest.fixture
def paced() -> Iterator[str]:
    """A server whose answers take a minute: a token each 50 ms, 1,200 of them."""
    command = [sys.executable, "-m", "tests.benchmarks.pacedserver", "0.1", "0.05", "1200"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.kill()


def plan(folder: Path, address: str, **values: object) -> records.Plan:
    own = folder / "own.jsonl"
    own.write_text("".join(f'{{"prompt": "question {n}"}}\n' for n in range(STREAMS + 100)))
    known: dict[str, object] = {
        "model_path": "",
        "folder": str(folder),
        "concurrencies": (STREAMS,),
        "requests_count": 100,
        "prompt_tokens": 8,
        "output_tokens": 1200,
        "seed": 3,
        "vocabulary_size": 0,
        "prompts_path": str(own),
        "target": Target(address, "completions", "m", allowed=("127.0.0.1",)),
    }
    return records.Plan(**(known | values))  # type: ignore[arg-type]


def streams(address: str) -> int:
    with urllib.request.urlopen(f"{address}/seen", timeout=10) as answer:
        return int(json.loads(answer.read())["open"])


def until_streaming(runner: Runner, address: str) -> None:
    """Read messages until every stream is open."""
    until = time.monotonic() + DEADLINE_S
    for _ in runner.messages():
        assert time.monotonic() < until, "not every stream came to be open"
        if streams(address) == STREAMS:
            return


def assert_no_stream(address: str, within_s: float) -> None:
    until = time.monotonic() + within_s
    while (left := streams(address)) and time.monotonic() < until:
        time.sleep(0.05)
    assert left == 0


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_l30_a_signal_closes_every_stream_and_leaves_a_readable_result(
    tmp_path: Path, paced: str, how: signal.Signals
) -> None:
    """After 5 s of a 60 s run with 16 streams; within 3 s nothing of it is left, and its summary has the counts."""
    given = plan(tmp_path, paced, duration_s=60.0)
    with Runner(given) as runner:
        until_streaming(runner, paced)
        until = time.monotonic() + STOPPED_AFTER_S
        next(message for message in runner.messages() if time.monotonic() >= until)
        family = psutil.Process(runner.child.pid).children(recursive=True)
        asked = time.monotonic()
        runner.child.send_signal(how)
        said = [message for message in runner.messages() if message]
        assert runner.child.wait(timeout=DEADLINE_S) == 0
        assert_no_stream(paced, asked + GONE_WITHIN_S - time.monotonic())
        assert [child for child in family if child.is_running()] == []
        assert time.monotonic() - asked < GONE_WITHIN_S
    assert said[-1] == records.RunEnd("cancelled")
    requests = records.load_requests(given.samples_path)
    assert len(requests) == STREAMS
    assert {request.error_kind for request in requests} == {"cancelled"}
    assert all((request.output_tokens or 0) > 0 for request in requests)
    ends = [message for message in said if isinstance(message, records.StepEnd)]
    assert [(end.complete, end.concurrency) for end in ends] == [(False, STREAMS)]
    found = metrics.step_metrics(requests, None)
    counts = (found.measured_count, found.ok_count, found.error_count, found.warm_up_count, found.incomplete_count)
    # What was cut off is no failure of the server's; the first 16 requests warm up, and all of these are.
    assert counts == (0, 0, 0, STREAMS, 0)


def test_leaving_the_runners_block_closes_every_stream(tmp_path: Path, paced: str) -> None:
    with Runner(plan(tmp_path, paced)) as runner:
        until_streaming(runner, paced)
    assert_no_stream(paced, 3)


def test_a_killed_supervisor_leaves_no_stream(tmp_path: Path, paced: str) -> None:
    with Runner(plan(tmp_path, paced)) as runner:
        until_streaming(runner, paced)
        runner.child.kill()
        runner.child.wait(timeout=DEADLINE_S)
        assert_no_stream(paced, 3)


PARENT = """
import sys, time
from pathlib import Path
from benchmarks.load import records
from benchmarks.runner import Runner
with Runner(records.load_plan(Path(sys.argv[1]))) as runner:
    print(runner.child.pid, flush=True)
    for _ in runner.messages():
        pass
"""


def test_a_killed_worker_takes_its_supervisor_and_its_streams_along(tmp_path: Path, paced: str) -> None:
    path = tmp_path / "given.json"
    path.write_bytes(records.dump(plan(tmp_path, paced)))
    command = [sys.executable, "-c", PARENT, str(path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout is not None
        supervisor = psutil.Process(int(worker.stdout.readline()))
        until = time.monotonic() + DEADLINE_S
        while streams(paced) < STREAMS and time.monotonic() < until:
            time.sleep(0.05)
        worker.kill()
    assert psutil.wait_procs([supervisor], timeout=10)[1] == []
    assert_no_stream(paced, 3)
    assert len(records.load_requests(tmp_path / "samples.jsonl")) == STREAMS


def test_the_deadline_of_a_run_closes_every_stream(tmp_path: Path, paced: str) -> None:
    with Runner(plan(tmp_path, paced, run_deadline_s=1.5)) as runner:
        said = [message for message in runner.messages() if message]
    assert said[-1] == records.RunEnd("failed", "deadline")
    assert_no_stream(paced, 1)


def test_an_answer_out_of_time_is_given_up_with_its_stream(tmp_path: Path, paced: str) -> None:
    given = plan(tmp_path, paced, request_timeout_s=1.0, requests_count=STREAMS)
    with Runner(given) as runner:
        said = [message for message in runner.messages() if message]
    assert said[-1] == records.RunEnd("failed", "all_requests_failed")
    assert {request.error_kind for request in records.load_requests(given.samples_path)} == {"timeout"}
    assert_no_stream(paced, 1)
