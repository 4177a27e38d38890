"""A real vLLM, on the CPU where there is no GPU, started by our own supervisor. Run by `make test-vllm` alone."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from benchmarks import metrics, vllmconfig
from benchmarks.load import records, sessions
from benchmarks.runner import Runner
from tests.vllm import tinymodel

CONFIG = "load-format: dummy\ndtype: bfloat16\nmax-model-len: 1024\nmax-num-seqs: 32\nenforce-eager: true\n"
SHM = Path("/dev/shm")


@pytest.fixture(autouse=True)
def small_and_offline(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"VLLM_CPU_KVCACHE_SPACE": "1", "HF_HUB_OFFLINE": "1"}.items():
        monkeypatch.setenv(name, value)


def plan(folder: Path, **values: object) -> records.Plan:
    model = tinymodel.write(folder / "tiny")
    config = vllmconfig.read(f"model: {model}\n{CONFIG}")
    program = shutil.which(os.environ.get("VLLM") or "vllm") or ""
    known: dict[str, object] = {
        "model_path": "",
        "folder": str(folder),
        "concurrencies": (1, 8),
        "requests_count": 16,
        "prompt_tokens": 200,
        "output_tokens": 32,
        "seed": 7,
        "vocabulary_size": vllmconfig.vocabulary_of(str(model)),
        "start_deadline_s": 300.0,
        "run_deadline_s": 900.0,
        "vllm": records.VllmPlan(program, str(model), config.arguments()),
    }
    return records.Plan(**(known | values))  # type: ignore[arg-type]


def said(runner: Runner) -> Iterator[records.Message]:
    return (message for message in runner.messages() if message is not None)


def counters(messages: list[records.Message]) -> records.ServerCounters:
    return next(message for message in messages if isinstance(message, records.ServerCounters))


def shared_memory() -> set[str]:
    return {path.name for path in SHM.glob("psm_*")}


def test_it_is_measured_agrees_with_its_own_counts_and_leaves_nothing(tmp_path: Path) -> None:
    before = shared_memory()
    with Runner(plan(tmp_path)) as runner:
        heard = list(said(runner))
        session = sessions.remembered(tmp_path)
    assert heard[-1] == records.RunEnd("succeeded"), (tmp_path / "engine.log").read_text()[-4000:]
    ready = heard[0]
    assert isinstance(ready, records.EngineReady) and ready.engine == "vLLM" and ready.version
    found = counters(heard)
    # 1 + 16 and 8 + 16 answers of 32 tokens to prompts of 200.
    assert (found.client_prompt_tokens, found.client_output_tokens) == (41 * 200, 41 * 32)
    assert (found.prompt_tokens, found.output_tokens) == (41 * 200, 41 * 32)
    assert found.prefix_hits == 0 and not found.disagrees
    for request in records.load_requests(tmp_path / "samples.jsonl"):
        assert (request.finish_reason, request.token_source, request.error_kind) == ("length", "usage", "")
        assert request.arrival_tokens is not None and sum(request.arrival_tokens) == 32
        assert metrics.ttft_ms(request) is not None
    assert session is not None and sessions.members(session) == []
    assert shared_memory() <= before


def test_a_shared_beginning_is_seen_in_the_prefix_cache(tmp_path: Path) -> None:
    with Runner(plan(tmp_path, concurrencies=(1,), prompt_tokens=400, shared_prefix_tokens=384)) as runner:
        found = counters(list(said(runner)))
    # Blocks are 16 to 128 tokens long: of 384 shared tokens at least 256 are found for each prompt after the first.
    assert found.prompt_tokens == found.prefix_queries == 17 * 400
    assert 16 * 256 <= (found.prefix_hits or 0) <= 16 * 384


def test_a_model_that_is_none_is_explained(tmp_path: Path) -> None:
    given = plan(tmp_path)
    assert given.vllm is not None
    none = records.VllmPlan(given.vllm.program, "/no/such/model", ("/no/such/model",))
    with Runner(plan(tmp_path, vllm=none)) as runner:
        end = list(said(runner))[-1]
    assert isinstance(end, records.RunEnd) and end.code == "engine_start"
    assert "/no/such/model" in end.detail


def test_its_workers_and_their_memory_do_not_outlive_a_killed_server(tmp_path: Path) -> None:
    before = shared_memory()
    with Runner(plan(tmp_path, requests_count=100_000)) as runner:
        heard: list[records.Message] = []
        for message in said(runner):
            heard.append(message)
            session = sessions.remembered(tmp_path)
            if isinstance(message, records.Tick) and message.done_count and session and sessions.leads(session):
                psutil.Process(session.leader).kill()
    end = heard[-1]
    assert isinstance(end, records.RunEnd) and end.code in {"engine_died", "all_requests_failed"}
    assert session is not None and sessions.members(session) == []
    assert not any("VLLM::" in name for name in names_of_children())
    assert shared_memory() <= before


def names_of_children() -> list[str]:
    return [child.name() for child in psutil.Process().children(recursive=True)]
