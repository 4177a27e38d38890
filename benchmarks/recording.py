"""What the supervisor says of a run, stored as it comes: the engine, each second, each step with its requests."""

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from django.db import transaction
from django.utils import timezone

from benchmarks import goodput, metrics
from benchmarks.load import records
from benchmarks.models import BenchmarkRun, BenchmarkSample, BenchmarkStep, BenchmarkTick

Phase = BenchmarkRun.Phase


class Steps:
    """The steps of a run by position; a search adds those that it makes on its way."""

    def __init__(self, run: BenchmarkRun) -> None:
        self._run = run
        self._known = {step.position: step for step in run.steps.all()}

    def of(self, message: records.Tick | records.StepEnd) -> BenchmarkStep:
        if message.step not in self._known:
            self._known[message.step] = BenchmarkStep.objects.create(
                run=self._run,
                position=message.step,
                concurrency=message.concurrency,
                rate_per_s=message.rate_per_s,
            )
        return self._known[message.step]


def record_search_end(run: BenchmarkRun, end: records.RunEnd) -> None:
    """How a sweep or a knee search ended; steps that it found no need for are none."""
    if end.search_end:
        BenchmarkRun.objects.filter(pk=run.pk).update(search_end=end.search_end)
        BenchmarkStep.objects.filter(run=run, finished_at__isnull=True).delete()


def record_engine(run_id: int, ready: records.EngineReady) -> None:
    BenchmarkRun.objects.filter(pk=run_id).update(
        engine=ready.engine,
        engine_version=ready.version,
        engine_threads_count=ready.threads_count,
        engine_cores=ready.engine_cores,
        client_cores=ready.client_cores,
        flag_shared_core=ready.shared_core,
        phase=Phase.WARMING_UP,
    )


def record_counters(run_id: int, found: records.ServerCounters) -> None:
    """What server and client counted; a disagreement and a prefix cache that answered raise their flags."""
    run = BenchmarkRun.objects.filter(pk=run_id)
    run.update(
        server_prompt_tokens=found.prompt_tokens,
        server_output_tokens=found.output_tokens,
        server_prefix_queries=found.prefix_queries,
        server_prefix_hits=found.prefix_hits,
        server_preemptions_count=found.preemptions_count,
        client_prompt_tokens=found.client_prompt_tokens,
        client_output_tokens=found.client_output_tokens,
    )
    warm = metrics.cache_answered(found.prefix_hits, found.prefix_queries)
    raise_flags(run_id, {"flag_server_disagrees": found.disagrees, "flag_prefix_cache_warm": warm})


def writing(run: BenchmarkRun, steps: Steps, message: records.Message, samples_path: Path) -> Callable[[], None]:
    """What stores `message`, now or later, with the instant at which it was heard."""
    heard_at = timezone.now()

    def write() -> None:
        match message:
            case records.EngineReady():
                record_engine(run.pk, message)
            case records.Tick():
                record_tick(run.pk, steps.of(message), message, heard_at)
            case records.StepEnd():
                record_step(run.pk, steps.of(message), message, samples_path)
            case records.ServerCounters():
                record_counters(run.pk, message)

    return write


def record_tick(run_id: int, step: BenchmarkStep, tick: records.Tick, at: dt.datetime | None = None) -> None:
    BenchmarkTick.objects.create(
        step=step,
        at=at or timezone.now(),
        warming_up=tick.warming_up,
        done_count=tick.done_count,
        error_count=tick.error_count,
        tok_per_s=tick.tok_per_s,
        ttft_p50_ms=tick.ttft_p50_ms,
        loop_lag_ms=tick.loop_lag_ms,
    )
    phase = Phase.WARMING_UP if tick.warming_up else Phase.MEASURING
    BenchmarkRun.objects.filter(pk=run_id).exclude(phase=phase).update(phase=phase)


@transaction.atomic
def record_step(run_id: int, step: BenchmarkStep, end: records.StepEnd, samples_path: Path) -> None:
    """Aggregate the step's requests from the samples file; a second call replaces nothing and adds nothing."""
    requests = records.load_requests(samples_path, end.step)
    window = None
    if end.window_start_ns is not None and end.window_end_ns is not None:
        window = end.window_start_ns, end.window_end_ns
    found = metrics.step_metrics(requests, window)
    reasons = metrics.client_reasons(found, end)
    saturated = step.rate_per_s is not None and metrics.saturated(found)
    recorded = BenchmarkStep.objects.filter(pk=step.pk, finished_at__isnull=True).update(
        **asdict(found),
        **goodput_values(step.run, requests),
        finished_at=timezone.now(),
        complete=end.complete,
        client_bound=bool(reasons),
        client_reasons=",".join(reasons),
        saturated=saturated,
        loop_lag_p99_ms=end.loop_lag_p99_ms,
        client_cpu_ratio=end.client_cpu_ratio,
    )
    if not recorded:
        return
    BenchmarkSample.objects.bulk_create([sample_of(step, request, end.started_ns) for request in requests])
    raised = raised_flags(found, requests)
    raised["flag_client_bound"] = bool(reasons)
    raised["flag_saturated"] = saturated
    raise_flags(run_id, raised)


def goodput_values(run: BenchmarkRun, requests: Sequence[records.Request]) -> dict[str, object]:
    """Requests a second within the run's targets; nothing where none is asked."""
    from_plan = run.pattern != records.CLOSED
    limits = records.Limits(run.limit_ttft_ms, run.limit_tpot_ms, from_plan=from_plan)
    if not limits.asked:
        return {}
    issued = [request for request in requests if not request.warm_up]
    return asdict(goodput.goodput(requests, limits, metrics.measured_span_s(issued)))


def raise_flags(run_id: int, flags: dict[str, bool]) -> None:
    """Flags only ever go up: one bad step marks the run."""
    if raised := {name: True for name, up in flags.items() if up}:
        BenchmarkRun.objects.filter(pk=run_id).update(**raised)


def raised_flags(found: metrics.StepMetrics, requests: Sequence[records.Request]) -> dict[str, bool]:
    """What a step's own figures say against it."""
    return {
        "flag_censored": metrics.latencies_censored(found),
        "flag_retried": any(request.attempts_count > 1 for request in requests),
        "flag_tokens_estimated": metrics.tokens_estimated(requests),
        "flag_outputs_short": metrics.outputs_short(found),
        "flag_prefix_cache_warm": metrics.prefix_cache_warm(found),
    }


def sample_of(step: BenchmarkStep, request: records.Request, started_ns: int) -> BenchmarkSample:
    sent_ns = request.sent_ns
    return BenchmarkSample(
        step=step,
        number=request.number,
        warm_up=request.warm_up,
        sent_s=None if sent_ns is None else (sent_ns - started_ns) / metrics.NS_PER_S,
        ttft_ms=metrics.ttft_ms(request),
        tpot_ms=metrics.tpot_ms(request),
        e2e_ms=metrics.e2e_ms(request),
        gap_max_ms=max(metrics.gaps_ms(request), default=None),
        dispatch_lag_ms=metrics.dispatch_lag_ms(request),
        prompt_tokens=request.prompt_tokens,
        output_tokens=request.output_tokens,
        events_count=len(request.arrivals_ns),
        token_source=request.token_source,
        finish_reason=request.finish_reason[:20],
        done_seen=request.done_seen,
        http_status=request.http_status,
        error_kind=request.error_kind,
        error_message=request.error_message,
        attempts_count=request.attempts_count,
    )
