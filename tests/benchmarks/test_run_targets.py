"""Runs of a server over the network and of open loops, as rows: what is stored, planned, recorded and never stored."""

import asyncio
import hashlib
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from benchmarks import metrics, planning, recording, services
from benchmarks.load import records
from benchmarks.load.targets import Target, TargetError
from benchmarks.models import BenchmarkRun, BenchmarkStep
from tests.benchmarks import loadfactory as make
from tests.benchmarks import runfactory as runs
from tests.benchmarks.mockserver import MockServer, running

pytestmark = pytest.mark.django_db
TARGET = Target(
    "https://api.example.com/v1/chat/completions",
    "chat",
    "large-model",
    key_variable="BENCHMARK_KEY_EXAMPLE",
    ignore_eos=False,
    length_field="max_completion_tokens",
    rate_limit_per_s=2.0,
)


def created(**values: object) -> BenchmarkRun:
    known: dict[str, object] = {
        "concurrencies": (4,),
        "requests_count": 8,
        "prompt_tokens": 128,
        "output_tokens": 16,
        "seed": 5,
    }
    run = services.create_run(services.RunConfig(**(known | values)), None)  # type: ignore[arg-type]
    run.refresh_from_db()
    return run


def test_a_target_is_stored_in_one_form_and_planned_again(settings: Any) -> None:
    settings.BENCHMARK_TARGETS = ["10.0.0.0/8"]
    run = created(target=TARGET)
    assert (run.target_url, run.target_route, run.model_name) == ("https://api.example.com/v1", "chat", "large-model")
    assert not run.flag_random_weights
    plan = planning.plan_of(run)
    assert plan.target == Target(
        "https://api.example.com/v1",
        "chat",
        "large-model",
        key_variable="BENCHMARK_KEY_EXAMPLE",
        ignore_eos=False,
        length_field="max_completion_tokens",
        rate_limit_per_s=2.0,
        allowed=("10.0.0.0/8",),
    )
    assert plan.model_path == ""


def test_a_target_that_may_not_be_measured_makes_no_run() -> None:
    with pytest.raises(TargetError, match="address_private"):
        created(target=Target("http://10.0.0.1/v1", "chat", "m"))
    assert BenchmarkRun.objects.count() == 0


def test_no_column_of_a_run_holds_the_key(monkeypatch: pytest.MonkeyPatch, client: Client) -> None:
    monkeypatch.setenv("BENCHMARK_KEY_EXAMPLE", "sk-deep-secret")
    run = created(target=TARGET)
    row = BenchmarkRun.objects.filter(pk=run.pk).values().get()
    assert "sk-deep-secret" not in repr(row) + records.dump(planning.plan_of(run)).decode()
    client.force_login(runs.operator())
    assert "sk-deep-secret" not in client.get(f"/fr/runs/{run.code}").content.decode()


def public(run: BenchmarkRun) -> BenchmarkRun:
    """As visitors may read it: ended and published, whatever it measured."""
    return runs.change(run, status="succeeded", finished_at=runs.ago(2), published_at=runs.ago(1))


def test_the_address_of_a_target_is_in_no_public_file(client: Client) -> None:
    run = public(created(target=TARGET))
    for suffix in ("", ".json", ".csv"):
        text = client.get(f"/fr/runs/{run.code}{suffix}").content.decode()
        assert "api.example.com" not in text and "BENCHMARK_KEY" not in text


def test_what_a_server_said_is_in_no_public_file(client: Client) -> None:
    """Messages may name an account or an address; those of this machine's engine stay."""
    for target, shown in ((TARGET, False), (None, True)):
        run = public(created(target=target))
        runs.sample(run.steps.get(position=1), error_kind="http_429", error_message="limit of org-4711 at 10.1.2.3")
        for suffix in (".json", ".csv"):
            text = client.get(f"/fr/runs/{run.code}{suffix}").content.decode()
            assert "http_429" in text and ("org-4711" in text) is shown


def test_an_open_loop_has_a_step_a_rate(settings: Any) -> None:
    run = created(pattern="poisson", rates_per_s=(5.0, 10.0), limit_ttft_ms=200.0, duration_s=30.0)
    assert list(run.steps.values_list("position", "concurrency", "rate_per_s")) == [(1, 4, 5.0), (2, 4, 10.0)]
    plan = planning.plan_of(run)
    assert (plan.pattern, plan.rates_per_s, plan.concurrencies) == ("poisson", (5.0, 10.0), (4,))
    assert (plan.limits.ttft_ms, plan.limits.from_plan, plan.duration_s) == (200.0, True, 30.0)
    assert plan.target is None and plan.model_path


def test_a_closed_loop_is_planned_as_ever() -> None:
    plan = planning.plan_of(created(concurrencies=(1, 4)))
    assert (plan.concurrencies, plan.rates_per_s, plan.pattern) == ((1, 4), (), "closed")
    assert not plan.limits.from_plan and not plan.limits.asked


def test_own_prompts_are_a_file_of_one_folder_and_sealed(settings: Any, tmp_path: Path) -> None:
    settings.VAR_DIR = tmp_path
    planning.prompts_folder().mkdir()
    (planning.prompts_folder() / "own.jsonl").write_bytes(b'{"prompt": "one"}\n')
    run = created(prompts_name="../../prompts/own.jsonl", target=TARGET)
    assert planning.plan_of(run).prompts_path == str(tmp_path / "prompts" / "own.jsonl")
    run.refresh_from_db()
    assert run.prompts_sha256 == hashlib.sha256(b'{"prompt": "one"}\n').hexdigest()


def test_own_prompts_that_are_not_there_are_left_to_the_supervisor_to_refuse(settings: Any) -> None:
    run = created(prompts_name="away.jsonl", target=TARGET)
    assert planning.plan_of(run).prompts_path.endswith("/prompts/away.jsonl")
    assert run.prompts_sha256 == ""


def test_steps_that_a_search_makes_are_added_as_they_come() -> None:
    run = created(pattern="constant", rates_per_s=(8.0,), search="knee")
    steps = recording.Steps(run)
    first = steps.of(make.step_end(step=1, concurrency=4, rate_per_s=8.0))
    second = steps.of(make.step_end(step=2, concurrency=4, rate_per_s=16.0))
    assert first == run.steps.get(position=1)
    assert (second.rate_per_s, second.concurrency) == (16.0, 4)
    assert steps.of(records.Tick(2, 4, False, 0, 8, 0, None, None, 0.1, rate_per_s=16.0)) == second
    assert run.steps.count() == 2


def test_steps_that_a_sweep_did_not_need_are_no_gaps() -> None:
    run = created(concurrencies=(1, 2, 4), search="sweep")
    assert services.claim(run.pk, "here")
    runs.with_step(run, 1, 100.0)
    recording.record_search_end(run, records.RunEnd("succeeded", search_end="errors"))
    services.finish(run.pk, "succeeded")
    run.refresh_from_db()
    assert (run.search_end, run.flag_partial, run.steps.count()) == ("errors", False, 1)


def test_without_a_search_missing_steps_stay_visible() -> None:
    run = created(concurrencies=(1, 2))
    recording.record_search_end(run, records.RunEnd("failed", "engine_died"))
    assert run.steps.count() == 2


def test_l34_goodput_is_recorded_against_the_targets_of_the_run(tmp_path: Path) -> None:
    """Ten in five seconds: six within 200 ms and 50 ms a token, three without, one failed."""
    run = created(limit_ttft_ms=200.0, limit_tpot_ms=50.0)
    met = [make.spoken(150, [40] * 4, number=n) for n in range(6)]
    missed = [make.spoken(150, [60] * 4, number=n) for n in (6, 7)] + [make.spoken(250, [40] * 4, number=8)]
    failed = make.request(number=9, error_kind="timeout", end_ms=5000)
    path = runs.samples_file(tmp_path, *met, *missed, failed)
    step = run.steps.get(position=1)
    recording.record_step(run.pk, step, make.step_end(), path)
    step.refresh_from_db()
    assert (step.met_count, step.without_tpot_count) == (6, 0)
    assert step.goodput_per_s == pytest.approx(1.2)
    assert step.attainment_ratio == pytest.approx(0.6)


def test_without_targets_there_is_no_goodput(tmp_path: Path) -> None:
    run = created()
    step = run.steps.get(position=1)
    recording.record_step(run.pk, step, make.step_end(), runs.samples_file(tmp_path, *runs.answers(1, 1, 8)))
    step.refresh_from_db()
    assert (step.goodput_per_s, step.met_count) == (None, None)


def test_requests_that_were_sent_again_flag_the_run(tmp_path: Path) -> None:
    run = created()
    step = run.steps.get(position=1)
    again = make.spoken(10, [1], attempts_count=3)
    recording.record_step(run.pk, step, make.step_end(), runs.samples_file(tmp_path, again))
    run.refresh_from_db()
    assert run.flag_retried
    assert step.samples.get().attempts_count == 3


def test_l20_both_latencies_of_an_open_loop_are_stored(tmp_path: Path) -> None:
    """One slot, 500 ms a request, one planned each 100 ms: p50 500 from sending, 1,900 from plan."""
    run = created(pattern="constant", rates_per_s=(10.0,))
    requests = [make.spoken(500 * n + 500, number=n, sent_ms=500 * n, planned_ms=100 * n) for n in range(8)]
    step = run.steps.get(position=1)
    recording.record_step(run.pk, step, make.step_end(), runs.samples_file(tmp_path, *requests))
    step.refresh_from_db()
    assert (step.e2e_p50_ms, step.e2e_planned_p50_ms) == (500, 1900)
    assert (step.ttft_p50_ms, step.ttft_planned_p50_ms) == (500, 1900)


@pytest.fixture
def served() -> Iterator[MockServer]:
    """The mock on a thread of its own: the supervisor is another process."""
    server, ready, over = MockServer(), threading.Event(), threading.Event()

    async def serve() -> None:
        async with running(server):
            ready.set()
            await asyncio.to_thread(over.wait)

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    assert ready.wait(10)
    yield server
    over.set()
    thread.join()


@pytest.mark.worker
@pytest.mark.django_db(transaction=True)
def test_a_run_of_a_server_goes_from_queue_to_figures(
    served: MockServer, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.VAR_DIR = tmp_path
    settings.BENCHMARK_TARGETS = ["127.0.0.1"]
    monkeypatch.setenv("BENCHMARK_KEY_MOCK", "sk-of-the-mock")
    target = Target(served.address, "chat", "m", key_variable="BENCHMARK_KEY_MOCK", allowed=("127.0.0.1",))
    run = created(target=target, concurrencies=(2,), output_tokens=4, limit_ttft_ms=10_000.0)
    services.execute(run.pk, "here")
    run.refresh_from_db()
    assert (run.status, run.error_code, run.engine) == ("succeeded", "", "mock")
    step = BenchmarkStep.objects.get(run=run)
    assert (step.ok_count, step.error_count, step.output_tokens_mean, step.attainment_ratio) == (8, 0, 4, 1.0)
    assert {headers["Authorization"] for headers in served.headers} == {"Bearer sk-of-the-mock"}
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert written and all(b"sk-of-the-mock" not in path.read_bytes() for path in written)
    assert metrics.error_kinds(records.load_requests(planning.run_folder(run) / "samples.jsonl")) == {}
