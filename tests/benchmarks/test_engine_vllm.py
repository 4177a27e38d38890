"""vLLM as an engine, with a stand-in that behaves and misbehaves like it: measured, explained, never left."""

import json
import signal
import time
from pathlib import Path

import psutil
import pytest

from benchmarks.load import process, records
from benchmarks.load.engines import engine_of
from benchmarks.load.vllmprocess import VllmProcess, told_version
from benchmarks.runner import Runner
from tests.benchmarks import vllmsite

pytestmark = pytest.mark.worker


def said(folder: Path, monkeypatch: pytest.MonkeyPatch, how: str = "", **values: object) -> list[records.Message]:
    monkeypatch.setenv("FAKE_VLLM", how)
    with Runner(vllmsite.plan(folder, **values)) as runner:
        return list(vllmsite.messages(runner))


def ended(messages: list[records.Message]) -> records.RunEnd:
    assert isinstance(messages[-1], records.RunEnd)
    return messages[-1]


def counters(messages: list[records.Message]) -> records.ServerCounters:
    return next(message for message in messages if isinstance(message, records.ServerCounters))


def test_a_server_is_started_measured_and_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://somebody:secret@db/x")
    monkeypatch.setenv("BENCHMARK_KEY_X", "sk-secret")
    heard = said(tmp_path, monkeypatch)
    assert ended(heard) == records.RunEnd("succeeded")
    ready = heard[0]
    assert isinstance(ready, records.EngineReady)
    assert (ready.engine, ready.version, ready.threads_count) == ("vLLM", "0.32.0", None)
    saw = json.loads((tmp_path / "saw.json").read_text())
    assert saw["argv"][:6] == ["serve", *vllmsite.ARGUMENTS]
    assert saw["argv"][6:10] == ["--served-model-name", "measured", "--host", "127.0.0.1"]
    assert not {"DATABASE_URL", "BENCHMARK_KEY_X"} & set(saw["environment"])
    assert vllmsite.gone(tmp_path)
    assert "vLLM API server version 0.32.0" in (tmp_path / "engine.log").read_text()


def test_warm_up_counts_on_both_sides_and_a_healthy_server_agrees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = counters(said(tmp_path, monkeypatch))
    # 2 warm-up and 6 measured requests of 20 tokens in and 8 out.
    assert (found.client_prompt_tokens, found.client_output_tokens) == (160, 64)
    assert (found.prompt_tokens, found.output_tokens, found.prefix_queries, found.prefix_hits) == (160, 64, 160, 0)
    assert not found.disagrees


def test_a_server_that_counts_otherwise_disagrees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = counters(said(tmp_path, monkeypatch, "miscount"))
    assert found.disagrees
    assert (found.client_output_tokens, found.output_tokens) == (64, 128)


def test_tokens_that_come_without_text_are_seen_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said(tmp_path, monkeypatch)
    for request in records.load_requests(tmp_path / "samples.jsonl"):
        assert request.arrival_tokens == [1] * 8
        assert (request.output_tokens, request.token_source) == (8, "usage")


def test_a_program_that_fails_at_the_start_is_explained_by_its_last_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    end = ended(said(tmp_path, monkeypatch, "crash"))
    assert (end.status, end.code) == ("failed", "engine_start")
    assert "Engine core initialization failed" in end.detail


def test_a_taken_port_has_a_reason_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ended(said(tmp_path, monkeypatch, "port")).code == "engine_port"


def test_a_server_that_is_never_healthy_meets_the_deadline_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    end = ended(said(tmp_path, monkeypatch, "silent", start_deadline_s=3.0))
    assert end.code == "engine_deadline"
    assert "vLLM API server version" in end.detail
    assert vllmsite.gone(tmp_path)


def test_a_server_that_leaves_while_it_is_measured_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    end = ended(said(tmp_path, monkeypatch, "dies", concurrencies=(1, 2)))
    assert (end.status, end.code) == ("failed", "engine_died")
    assert vllmsite.gone(tmp_path)


def test_a_server_deaf_to_sigterm_is_killed_with_its_children(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ended(said(tmp_path, monkeypatch, "deaf")).status == "succeeded"
    assert vllmsite.gone(tmp_path)


def test_without_a_program_or_a_vocabulary_the_run_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    none = records.VllmPlan("", "/models/tiny", ())
    assert ended(said(tmp_path, monkeypatch, vllm=none)).code == "engine_missing"
    end = ended(said(tmp_path, monkeypatch, vocabulary_size=0))
    assert (end.code, end.detail) == ("engine_vocabulary", "/models/tiny")
    nowhere = records.VllmPlan(str(tmp_path / "nowhere"), "/models/tiny", ())
    end = ended(said(tmp_path, monkeypatch, vllm=nowhere))
    assert end.code == "engine_start"
    assert "nowhere" in end.detail


def running(runner: Runner) -> None:
    """Until the first answers of the run are in."""
    for message in vllmsite.messages(runner):
        if isinstance(message, records.Tick) and message.done_count:
            return
    raise AssertionError("it never measured")


@pytest.mark.parametrize("victim", ["supervisor", "its group", "keeper", "program"])
def test_whoever_is_killed_nobody_of_the_family_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, victim: str
) -> None:
    monkeypatch.setenv("FAKE_VLLM", "deaf")
    with Runner(vllmsite.plan(tmp_path, requests_count=100_000)) as runner:
        running(runner)
        before = vllmsite.family(tmp_path)
        assert len(before) == 2
        supervisor = psutil.Process(runner.child.pid)
        keeper = before[0].parent()
        assert keeper is not None and keeper.ppid() == supervisor.pid
        if victim == "its group":
            process.signal_group(supervisor.pid, signal.SIGKILL)
        else:
            {"supervisor": supervisor, "keeper": keeper, "program": before[0]}[victim].kill()
    assert vllmsite.gone(tmp_path)


def test_a_cancelled_run_ends_in_seconds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_VLLM", "deaf")
    with Runner(vllmsite.plan(tmp_path, requests_count=100_000)) as runner:
        running(runner)
        asked = time.monotonic()
        runner.stop()
        heard = list(vllmsite.messages(runner))
        assert time.monotonic() - asked < 10
    assert ended(heard) == records.RunEnd("cancelled")
    assert vllmsite.gone(tmp_path)


def test_the_plan_says_which_engine_serves(tmp_path: Path) -> None:
    cores = process.Cores((0,), (1,), shared=False)
    engine = engine_of(vllmsite.plan(tmp_path), cores)
    assert isinstance(engine, VllmProcess)
    assert engine.here
    assert type(engine_of(vllmsite.plan(tmp_path, vllm=None), cores)).__name__ == "EngineProcess"
    with pytest.raises(ValueError, match="no vLLM"):
        VllmProcess(vllmsite.plan(tmp_path, vllm=None), cores)


def test_a_plan_with_vllm_is_read_back_as_written(tmp_path: Path) -> None:
    given = vllmsite.plan(tmp_path)
    (tmp_path / "plan.json").write_bytes(records.dump(given))
    assert records.load_plan(tmp_path / "plan.json") == given


@pytest.mark.parametrize(("answer", "version"), [('{"version":"0.32.0"}', "0.32.0"), ("", ""), ("[]", ""), ("{}", "")])
def test_the_version_is_what_the_server_says(answer: str, version: str) -> None:
    assert told_version(answer) == version
