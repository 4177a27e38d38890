"""The supervisor with a real llama.cpp server: it measures, it stops when told, it leaves nothing behind."""

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from benchmarks import metrics
from benchmarks.load import records, testmodel
from benchmarks.runner import Runner

DEADLINE_S = 90
pytestmark = pytest.mark.worker


@pytest.fixture(scope="module")
def model_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return testmodel.ensure(tmp_path_factory.mktemp("models"))


def plan(folder: Path, model_path: Path, **values: object) -> records.Plan:
    known: dict[str, object] = {
        "model_path": str(model_path),
        "folder": str(folder),
        "concurrencies": (1, 2),
        "requests_count": 6,
        "prompt_tokens": 24,
        "output_tokens": 16,
        "seed": 3,
        "vocabulary_size": testmodel.TEST_MODEL.vocabulary_size,
    }
    return records.Plan(**(known | values))  # type: ignore[arg-type]


def messages(runner: Runner) -> Iterator[records.Message]:
    """What it says, within a deadline."""
    until = time.monotonic() + DEADLINE_S
    for message in runner.messages():
        assert time.monotonic() < until, "the supervisor went on for too long"
        if message is not None:
            yield message


def engine_of(runner: Runner) -> psutil.Process:
    """The engine among the supervisor's children."""
    children = psutil.Process(runner.child.pid).children()
    return next(child for child in children if any("benchmarks.load.engine" in part for part in child.cmdline()))


def listening_port(engine: psutil.Process) -> int:
    return next(held.laddr.port for held in engine.net_connections("tcp") if held.status == psutil.CONN_LISTEN)


def test_a_real_server_is_measured_step_by_step(tmp_path: Path, model_path: Path) -> None:
    given = plan(tmp_path, model_path)
    with Runner(given) as runner:
        said = list(messages(runner))
    ready, end = said[0], said[-1]
    assert isinstance(ready, records.EngineReady) and ready.engine == "llama.cpp"
    assert end == records.RunEnd("succeeded")
    steps = [message for message in said if isinstance(message, records.StepEnd)]
    assert [(step.step, step.concurrency, step.complete) for step in steps] == [(1, 1, True), (2, 2, True)]
    assert any(isinstance(message, records.Tick) for message in said)
    assert len(records.load_requests(given.samples_path)) == (1 + 6) + (2 + 6)
    second = records.load_requests(given.samples_path, 2)
    assert len(second) == 2 + 6
    found = metrics.step_metrics(second, (steps[1].window_start_ns or 0, steps[1].window_end_ns or 0))
    assert (found.warm_up_count, found.ok_count, found.error_count) == (2, 6, 0)
    assert (found.prompt_tokens_mean, found.output_tokens_mean) == (24, 16)
    assert found.cached_prompt_ratio == 0
    assert (found.output_tok_per_s or 0) > 50


def test_engine_and_client_have_cores_of_their_own(tmp_path: Path, model_path: Path) -> None:
    with Runner(plan(tmp_path, model_path, requests_count=400)) as runner:
        ready = next(messages(runner))
        assert isinstance(ready, records.EngineReady)
        engine, client = set(engine_of(runner).cpu_affinity()), set(psutil.Process(runner.child.pid).cpu_affinity())
        assert ready.shared_core is bool(engine & client)
        assert ready.engine_cores == ",".join(map(str, sorted(engine)))
        assert ready.client_cores == ",".join(map(str, sorted(client)))


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_l30_told_to_stop_it_writes_what_it_has_and_leaves_nothing(
    tmp_path: Path, model_path: Path, how: signal.Signals
) -> None:
    given = plan(tmp_path, model_path, concurrencies=(8,), requests_count=5000, output_tokens=64)
    with Runner(given) as runner:
        for message in messages(runner):
            if isinstance(message, records.Tick) and message.done_count:
                break
        engine = engine_of(runner)
        port = listening_port(engine)
        asked = time.monotonic()
        runner.child.send_signal(how)
        said = list(messages(runner))
        assert runner.child.wait(timeout=45) == 0
        assert time.monotonic() - asked < 3
    assert said[-1] == records.RunEnd("cancelled")
    steps = [message for message in said if isinstance(message, records.StepEnd)]
    assert len(steps) == 1 and not steps[0].complete
    assert not engine.is_running()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=2)
    assert any(request.ok for request in records.load_requests(given.samples_path))


def test_a_killed_supervisor_takes_its_engine_along(tmp_path: Path, model_path: Path) -> None:
    with Runner(plan(tmp_path, model_path, requests_count=5000)) as runner:
        next(messages(runner))
        engine = engine_of(runner)
        runner.child.kill()
        assert psutil.wait_procs([engine], timeout=45)[1] == []
        assert list(runner.messages())[-1:] != [records.RunEnd("succeeded")]


def test_an_engine_that_dies_ends_the_run_with_that_reason(tmp_path: Path, model_path: Path) -> None:
    with Runner(plan(tmp_path, model_path, concurrencies=(1, 2), requests_count=500)) as runner:
        next(messages(runner))
        engine_of(runner).kill()
        said = list(messages(runner))
    end = said[-1]
    assert isinstance(end, records.RunEnd) and (end.status, end.code) == ("failed", "engine_died")


def test_a_model_that_is_none_fails_at_the_start_with_the_engines_words(tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF is not what follows")
    with Runner(plan(tmp_path, broken)) as runner:
        said = list(messages(runner))
    end = said[-1]
    assert isinstance(end, records.RunEnd) and (end.status, end.code) == ("failed", "engine_start")
    assert end.detail


def test_the_deadline_of_a_run_ends_it(tmp_path: Path, model_path: Path) -> None:
    with Runner(plan(tmp_path, model_path, requests_count=5000, run_deadline_s=1.5)) as runner:
        said = list(messages(runner))
    assert said[-1] == records.RunEnd("failed", "deadline")


def test_leaving_the_block_early_leaves_no_process(tmp_path: Path, model_path: Path) -> None:
    with Runner(plan(tmp_path, model_path, requests_count=5000)) as runner:
        next(messages(runner))
        family = [psutil.Process(runner.child.pid), engine_of(runner)]
    assert [child.pid for child in family if child.is_running() and child.status() != psutil.STATUS_ZOMBIE] == []


def test_a_silent_supervisor_still_lets_the_reader_breathe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.runner.POLL_S", 0.05)
    runner = Runner(plan(tmp_path, tmp_path))
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], stdout=subprocess.PIPE) as silent:
        runner._child = silent
        assert next(runner.messages()) is None
        silent.kill()


def test_what_is_no_message_is_refused() -> None:
    with pytest.raises(ValueError, match="not a message"):
        records.load_message(b'{"type": "surprise"}')


def test_a_plan_is_read_back_as_written(tmp_path: Path) -> None:
    given = plan(tmp_path, tmp_path)
    (tmp_path / "plan.json").write_bytes(records.dump(given))
    assert records.load_plan(tmp_path / "plan.json") == given


def test_a_line_cut_by_a_kill_is_left_out(tmp_path: Path) -> None:
    line = records.dump(records.Request(1, 0, False, 0, 1, 1))
    (tmp_path / "samples.jsonl").write_bytes(line + b"\n" + line[:20])
    assert len(records.load_requests(tmp_path / "samples.jsonl")) == 1
