"""A run's life: numbered, claimed once, alive or found dead, cancelled, recorded once, finished once."""

import datetime as dt
from pathlib import Path

import pytest
from django.db import IntegrityError, connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from benchmarks import planning, recording, services
from benchmarks.load import records
from benchmarks.models import BenchmarkRun, BenchmarkSample, BenchmarkTick
from tests.benchmarks import loadfactory as make
from tests.benchmarks import runfactory as runs

pytestmark = pytest.mark.django_db
YEAR = timezone.localtime(timezone.now()).year


def test_runs_are_numbered_within_their_year() -> None:
    assert [runs.queued().code for _ in range(2)] == [f"{YEAR}-0001", f"{YEAR}-0002"]


def test_numbers_go_on_after_9999_and_start_again_each_year() -> None:
    runs.queued(code="2031-10000")
    assert services.next_code(2031) == "2031-10001"
    assert services.next_code(2032) == "2032-0001"


def test_a_number_taken_meanwhile_is_not_given_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = runs.queued().code
    codes = iter([taken, taken, "2026-0777"])
    monkeypatch.setattr(services, "next_code", lambda year: next(codes))
    assert services.create_run(runs.CONFIG, None).code == "2026-0777"


def test_a_new_run_waits_with_its_steps_in_order() -> None:
    run = runs.queued()
    assert (run.status, run.phase, run.seed) == ("queued", "waiting", 5)
    assert list(run.steps.values_list("position", "concurrency")) == [(1, 1), (2, 4)]


def test_without_a_seed_a_fresh_one_is_drawn_and_kept() -> None:
    config = services.RunConfig((1,), 8, 16, 16)
    assert services.create_run(config, None).seed != services.create_run(config, None).seed


def test_a_run_is_claimed_once_however_often_it_is_delivered() -> None:
    run = runs.queued()
    assert services.claim(run.pk, "first")
    assert not services.claim(run.pk, "second")
    run.refresh_from_db()
    assert (run.status, run.claimed_by, run.phase) == ("running", "first", "preparing")
    assert run.host_name and run.kernel and run.python_version


def test_a_second_delivery_does_nothing_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    run = runs.running()
    monkeypatch.setattr(services, "Runner", lambda plan: pytest.fail("it was started again"))
    services.execute(run.pk, "again")
    run.refresh_from_db()
    assert run.claimed_by == "celery@here"


def test_two_runs_never_measure_one_host_at_a_time() -> None:
    runs.running()
    waiting = runs.queued()
    with pytest.raises(services.HostBusyError):
        services.claim(waiting.pk, "other")
    waiting.refresh_from_db()
    assert waiting.status == "queued"


def test_a_heartbeat_counts_only_while_the_run_runs() -> None:
    run = runs.running(heartbeat_at=runs.ago(9))
    assert services.heartbeat(run.pk)
    run.refresh_from_db()
    assert run.heartbeat_at is not None and run.heartbeat_at > runs.ago(5)
    services.finish(run.pk, "succeeded")
    assert not services.heartbeat(run.pk)


def test_a_silent_run_is_stalled_and_a_living_one_is_not() -> None:
    run = runs.running(heartbeat_at=runs.ago(19))
    assert services.reap_stalled() == 0
    runs.change(run, heartbeat_at=runs.ago(21))
    assert services.reap_stalled() == 1
    run.refresh_from_db()
    assert (run.status, run.error_code, run.flag_partial) == ("stalled", "heartbeat_lost", True)
    assert run.finished_at is not None


def test_looking_for_dead_runs_costs_one_query() -> None:
    runs.running()
    with CaptureQueriesContext(
        connection,
    ) as queries:
        services.reap_stalled()
    assert len(queries) == 1


def test_a_stalled_run_stays_stalled_when_its_worker_comes_back() -> None:
    run = runs.running(heartbeat_at=runs.ago(60))
    services.reap_stalled()
    assert not services.heartbeat(run.pk)
    assert not services.finish(run.pk, "succeeded")
    run.refresh_from_db()
    assert run.status == "stalled"


def test_a_stalled_run_frees_its_host() -> None:
    runs.running(heartbeat_at=runs.ago(60))
    services.reap_stalled()
    assert services.claim(runs.queued().pk, "next")


def test_a_waiting_run_is_cancelled_at_once() -> None:
    run = runs.queued()
    assert services.request_cancel(run.pk)
    run.refresh_from_db()
    assert (run.status, run.started_at) == ("cancelled", None)
    assert not services.claim(run.pk, "late")


def test_a_running_run_is_asked_to_stop() -> None:
    run = runs.running()
    assert not services.cancel_requested(run.pk)
    assert services.request_cancel(run.pk)
    assert services.cancel_requested(run.pk)
    run.refresh_from_db()
    assert run.status == "running"


@pytest.mark.parametrize("status", ["succeeded", "failed", "cancelled"])
def test_what_is_over_cannot_be_cancelled(status: str) -> None:
    assert not services.request_cancel(runs.ended(status).pk)


def test_a_worker_that_shuts_down_stops_its_own_runs_only() -> None:
    run = runs.running()
    assert services.stop_runs_of("celery@elsewhere") == 0
    assert services.stop_runs_of("celery@here") == 1
    services.finish(run.pk, "cancelled")
    run.refresh_from_db()
    assert run.error_code == "worker_stopped"


def test_a_run_that_succeeds_all_the_same_carries_no_reason() -> None:
    run = runs.running()
    services.stop_runs_of("celery@here")
    services.finish(run.pk, "succeeded")
    run.refresh_from_db()
    assert (run.status, run.error_code) == ("succeeded", "")


def test_a_run_ends_once() -> None:
    run = runs.running()
    assert services.finish(run.pk, "failed", "engine_start", "no such file")
    assert not services.finish(run.pk, "succeeded")
    run.refresh_from_db()
    assert (run.status, run.error_code, run.error_detail) == ("failed", "engine_start", "no such file")


def test_only_a_run_with_all_its_steps_is_whole() -> None:
    assert not runs.succeeded().flag_partial
    run = runs.running()
    runs.with_step(run, 1, 1000.0)
    services.finish(run.pk, "succeeded")
    run.refresh_from_db()
    assert run.flag_partial


def test_a_step_is_recorded_from_the_raw_file(tmp_path: Path) -> None:
    run = runs.running()
    path = runs.samples_file(tmp_path, *runs.answers(1, 1, 8), *runs.answers(2, 4, 8))
    step = run.steps.get(position=2)
    end = make.step_end(step=2, concurrency=4, window_start_ns=0, window_end_ns=40 * make.MS)
    recording.record_step(run.pk, step, end, path)
    step.refresh_from_db()
    assert (step.warm_up_count, step.measured_count, step.ok_count, step.error_count) == (4, 8, 8, 0)
    assert (step.ttft_p50_ms, step.tpot_p50_ms, step.ttft_p99_ms) == (10, 10, None)
    assert step.output_tok_per_s == 12 * 4 / 0.040
    assert BenchmarkSample.objects.filter(step=step).count() == 12
    assert BenchmarkSample.objects.filter(step__run=run).count() == 12


def test_a_step_is_recorded_once(tmp_path: Path) -> None:
    run = runs.running()
    path = runs.samples_file(tmp_path, *runs.answers(1, 1, 8))
    step = run.steps.get(position=1)
    for lag_ms in (0.5, 99.0):
        recording.record_step(run.pk, step, make.step_end(loop_lag_p99_ms=lag_ms), path)
    step.refresh_from_db()
    assert step.loop_lag_p99_ms == 0.5
    assert step.samples.count() == 9


def test_flags_go_up_with_one_bad_step_and_stay(tmp_path: Path) -> None:
    run = runs.running()
    path = runs.samples_file(tmp_path, *runs.answers(1, 1, 8), *runs.answers(2, 4, 8))
    recording.record_step(run.pk, run.steps.get(position=1), make.step_end(loop_lag_p99_ms=30.0), path)
    recording.record_step(run.pk, run.steps.get(position=2), make.step_end(step=2), path)
    run.refresh_from_db()
    assert run.flag_client_bound
    assert not run.flag_outputs_short and not run.flag_tokens_estimated
    assert [step.client_bound for step in run.steps.all()] == [True, False]


def test_l31_a_step_without_an_answer_has_counts_and_no_figures(tmp_path: Path) -> None:
    run = runs.running()
    failed = [make.request(number=number, error_kind="connect_failed", sent_ns=None) for number in range(20)]
    step = run.steps.get(position=1)
    recording.record_step(run.pk, step, make.step_end(), runs.samples_file(tmp_path, *failed))
    step.refresh_from_db()
    assert (step.ok_count, step.error_count) == (0, 20)
    assert (step.output_tok_per_s, step.ttft_p50_ms) == (None, None)
    assert set(step.samples.values_list("error_kind", flat=True)) == {"connect_failed"}


def test_each_second_leaves_a_line_and_moves_the_phase() -> None:
    run = runs.running()
    step = run.steps.get(position=1)
    for warming_up in (True, False):
        recording.record_tick(run.pk, step, records.Tick(1, 1, warming_up, 0, 8, 0, None, None, 0.1))
        run.refresh_from_db()
        assert run.phase == ("warming_up" if warming_up else "measuring")
    assert BenchmarkTick.objects.filter(step=step).count() == 2


def test_the_engine_says_what_it_is() -> None:
    run = runs.running()
    ready = records.EngineReady("llama.cpp", "xllamacpp 1", 1, "0", "1", shared_core=True)
    recording.record_engine(run.pk, ready)
    run.refresh_from_db()
    assert (run.engine, run.engine_version, run.engine_cores, run.client_cores) == (
        "llama.cpp",
        "xllamacpp 1",
        "0",
        "1",
    )
    assert run.flag_shared_core


class FakeRunner:
    """Says what it is told to say; remembers whether it was asked to stop."""

    def __init__(self, *messages: records.Message | None) -> None:
        self.said = messages
        self.stops = 0
        self.overdue = False
        self.plan = records.Plan("", "", (1,), 1, 1, 1, 1, 1)

    def messages(self) -> "tuple[records.Message | None, ...]":
        return self.said

    def stop(self) -> None:
        self.stops += 1


def follow(run: BenchmarkRun, runner: FakeRunner) -> records.RunEnd:
    return services.follow(run, runner)  # type: ignore[arg-type]


def test_silence_still_beats_the_heart() -> None:
    run = runs.running(heartbeat_at=runs.ago(15))
    follow(run, FakeRunner(None, records.RunEnd("succeeded")))
    run.refresh_from_db()
    assert run.heartbeat_at is not None and run.heartbeat_at > runs.ago(5)


def test_a_request_to_cancel_reaches_the_supervisor() -> None:
    run = runs.running()
    services.request_cancel(run.pk)
    runner = FakeRunner(None, records.RunEnd("cancelled"))
    assert follow(run, runner).status == "cancelled"
    assert runner.stops >= 1


def test_a_run_taken_for_dead_stops_measuring() -> None:
    run = runs.running(heartbeat_at=runs.ago(60))
    services.reap_stalled()
    runner = FakeRunner(None)
    follow(run, runner)
    assert runner.stops == 1


def test_a_supervisor_that_leaves_without_a_word_is_a_failure() -> None:
    assert follow(runs.running(), FakeRunner(None)) == records.RunEnd("failed", "supervisor_lost")


def test_a_supervisor_killed_after_a_cancel_was_cancelled() -> None:
    run = runs.running()
    services.request_cancel(run.pk)
    assert follow(run, FakeRunner(None)).status == "cancelled"


def test_an_unforeseen_error_ends_the_run_and_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    run = runs.queued()

    def broken(_: BenchmarkRun) -> records.Plan:
        raise OSError("disk full")

    monkeypatch.setattr(planning, "plan_of", broken)
    with pytest.raises(OSError, match="disk full"):
        services.execute(run.pk, "worker")
    run.refresh_from_db()
    assert (run.status, run.error_code, run.error_detail) == ("failed", "internal", "OSError: disk full")


def test_the_plan_carries_what_was_asked_and_the_model_is_recorded() -> None:
    run = runs.running()
    plan = planning.plan_of(run)
    run.refresh_from_db()
    assert (plan.concurrencies, plan.requests_count, plan.seed) == ((1, 4), 8, 5)
    assert Path(plan.folder).name == run.code
    assert len(run.model_sha256) == 64 and run.precision == "fp16"


def test_the_raw_file_is_sealed_by_its_digest() -> None:
    run = runs.running()
    folder = planning.run_folder(run)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "samples.jsonl").write_bytes(b"abc")
    services.seal_samples(run)
    run.refresh_from_db()
    assert run.samples_sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_the_time_without_a_sign_of_life_is_longer_than_several_heartbeats() -> None:
    assert dt.timedelta(seconds=10) <= services.STALLED_AFTER


def test_l27_a_run_without_a_seed_draws_a_fresh_one_and_stores_it() -> None:
    config = services.RunConfig(concurrencies=(1,), requests_count=8, prompt_tokens=128, output_tokens=16)
    seeds = {services.create_run(config, None).seed for _ in range(5)}
    assert len(seeds) == 5
    assert set(BenchmarkRun.objects.values_list("seed", flat=True)) == seeds


def test_a_step_stores_the_self_checks_of_its_client(tmp_path: Path) -> None:
    run = runs.running()
    path = runs.samples_file(tmp_path, *runs.answers(1, 1, 8))
    step = run.steps.get(position=1)
    recording.record_step(run.pk, step, make.step_end(loop_lag_p99_ms=30.0, client_cpu_ratio=0.9), path)
    step.refresh_from_db()
    assert (step.client_bound, step.client_reasons) == (True, "loop_lag,cpu")
    assert (step.loop_lag_p99_ms, step.client_cpu_ratio) == (30.0, 0.9)
    assert (step.client_lag_p99_ms, step.near_zero_gap_ratio) == (0.0, 0.0)


def test_a_rate_that_was_not_reached_flags_an_open_loop_and_no_closed_one(tmp_path: Path) -> None:
    """Five planned 10 ms apart, ended 20 ms apart: 100 a second offered, 50 achieved."""
    slow = [
        make.spoken(10, step=1, number=number, planned_ms=10 * number, sent_ms=20 * number, end_ms=20 * number + 10)
        for number in range(5)
    ]
    path = runs.samples_file(tmp_path, *slow)
    for rate, saturated in ((100.0, True), (None, False)):
        run = runs.running()
        step = run.steps.get(position=1)
        step.rate_per_s = rate
        step.save()
        recording.record_step(run.pk, step, make.step_end(), path)
        run.refresh_from_db()
        step.refresh_from_db()
        assert (run.flag_saturated, step.saturated) == (saturated, saturated)
        assert (step.offered_per_s, step.achieved_per_s) == (pytest.approx(100), pytest.approx(50))
        services.finish(run.pk, "failed")


def test_a_number_taken_at_the_same_instant_is_drawn_again_and_no_other_fault_is() -> None:
    seen: list[int] = []

    def taken_twice() -> str:
        seen.append(len(seen))
        if len(seen) < 3:
            raise IntegrityError("code")
        return "done"

    def always_taken() -> str:
        seen.append(0)
        raise IntegrityError("code")

    assert services.numbered(taken_twice) == "done" and len(seen) == 3
    seen.clear()
    with pytest.raises(IntegrityError):
        services.numbered(always_taken)
    assert len(seen) == services.CODE_ATTEMPTS_COUNT
