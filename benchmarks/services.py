"""The life of a run: created, claimed, alive, finished, cancelled, found dead.

Every change of state is a conditional update, so that a message delivered twice, a second click and a reaper that
comes at the same moment each do nothing instead of harm. recording.py stores what the supervisor says; publishing.py
carries a result over to the calculator.
"""

import datetime as dt
import hashlib
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from celery.exceptions import SoftTimeLimitExceeded
from django.db import IntegrityError, transaction
from django.utils import timezone

from benchmarks import engineplan, fleet, hardware, hardwarerecord, planning, probing, recording, repeats, reservations
from benchmarks.limits import limits_of
from benchmarks.load import records, storage, targets
from benchmarks.load.targets import Target
from benchmarks.models import LIVE, BenchmarkRun, BenchmarkStep
from benchmarks.patience import Patience, guess, insist
from benchmarks.runner import Runner
from benchmarks.telemetry.watch import Watch
from benchmarks.vllmconfig import VllmConfig

STALLED_AFTER = dt.timedelta(seconds=20)
CODE_ATTEMPTS_COUNT = 5
SEED_LIMIT = 2**31
Status = BenchmarkRun.Status
Phase = BenchmarkRun.Phase


class HostBusyError(Exception):
    """Another run has this host or its GPUs; two at once would measure each other."""


@dataclass(frozen=True, slots=True)
class RunConfig:
    """What the visitor asks for. `seed` None draws a fresh one, which is stored.

    The patterns other than closed take a step a rate, with the first concurrency as the most requests under way. A
    knee search starts from the first rate. `prompts_name` is a file of own prompts in var/prompts.
    """

    concurrencies: tuple[int, ...]
    requests_count: int
    prompt_tokens: int
    output_tokens: int
    seed: int | None = None
    pattern: str = records.CLOSED
    rates_per_s: tuple[float, ...] = ()
    ramp_s: float = 0.0
    duration_s: float | None = None
    search: str = ""
    limit_ttft_ms: float | None = None
    limit_tpot_ms: float | None = None
    shared_prefix_tokens: int = 0
    prompts_name: str = ""
    target: Target | None = None
    vllm: VllmConfig | None = None
    region: str = ""
    sku_code: str = ""
    gpus_count: int = 0
    soft_limit_s: int | None = None
    hard_limit_s: int | None = None


def create_run(config: RunConfig, by_id: int | None) -> BenchmarkRun:
    """A queued run with its steps and the next free number of the year."""
    return numbered(lambda: _insert_run(config, by_id))


def numbered[T](make: Callable[[], T]) -> T:
    """`make`, all of it or nothing, again when somebody else has taken its run's number at the same instant."""
    for attempt in range(CODE_ATTEMPTS_COUNT):
        try:
            with transaction.atomic():
                return make()
        except IntegrityError:
            if attempt == CODE_ATTEMPTS_COUNT - 1:
                raise
    raise AssertionError("unreachable")


def _insert_run(config: RunConfig, by_id: int | None) -> BenchmarkRun:
    now = timezone.now()
    run = BenchmarkRun.objects.create(
        code=next_code(timezone.localtime(now).year),
        created_by_id=by_id,
        created_at=now,
        requests_count=config.requests_count,
        prompt_tokens=config.prompt_tokens,
        output_tokens=config.output_tokens,
        seed=secrets.randbelow(SEED_LIMIT) if config.seed is None else config.seed,
        **load_values(config),
        **place_values(config),
        **target_values(config.target, config.region),
        **engineplan.values(config.vllm),
    )
    loads: list[tuple[int, float | None]] = [(concurrency, None) for concurrency in config.concurrencies]
    if config.rates_per_s:
        loads = [(config.concurrencies[0], rate) for rate in config.rates_per_s]
    BenchmarkStep.objects.bulk_create(
        BenchmarkStep(run=run, position=position, concurrency=concurrency, rate_per_s=rate)
        for position, (concurrency, rate) in enumerate(loads, start=1)
    )
    return run


def load_values(config: RunConfig) -> dict[str, object]:
    """The columns that say how a run is loaded."""
    names = ("pattern", "ramp_s", "duration_s", "search", "limit_ttft_ms", "limit_tpot_ms", "shared_prefix_tokens")
    return {name: getattr(config, name) for name in (*names, "prompts_name")}


def place_values(config: RunConfig) -> dict[str, object]:
    """The columns that say where a run is measured and how long it may take."""
    names = ("sku_code", "gpus_count", "soft_limit_s", "hard_limit_s")
    return {
        "queue": fleet.queue_of(config.sku_code, config.gpus_count),
        **{name: getattr(config, name) for name in names},
    }


def target_values(target: Target | None, region: str = "") -> dict[str, object]:
    """The columns of a server over the network; TargetError when it may not be measured. The key is none of them."""
    if target is None:
        return {}
    asked = targets.checked(target)
    return {
        "engine_kind": BenchmarkRun.EngineKind.URL,
        "target_url": asked.base_url,
        "target_route": asked.route,
        "target_model": asked.model,
        "target_ignore_eos": asked.ignore_eos,
        "target_length_field": asked.length_field,
        "key_variable": asked.key_variable,
        "rate_limit_per_s": asked.rate_limit_per_s,
        "flag_random_weights": False,
        "model_name": asked.model[:60],
        "target_region": region,
    }


def next_code(year: int) -> str:
    """2026-0001, 2026-0002… The highest number is compared as a number: 2026-10000 comes after 2026-9999."""
    codes = BenchmarkRun.objects.filter(code__startswith=f"{year}-").values_list("code", flat=True)
    highest = max((int(code.split("-")[1]) for code in codes), default=0)
    return f"{year}-{highest + 1:04d}"


def claim(run_id: int, worker: str) -> bool:
    """Take a queued run with its GPUs for `worker`; False when it is not queued or can never run here.

    HostBusyError while another run has the host or the GPUs.
    """
    now, host = timezone.now(), hardware.this_host()
    try:
        with transaction.atomic():
            taken = BenchmarkRun.objects.filter(pk=run_id, status=Status.QUEUED).update(
                status=Status.RUNNING,
                phase=Phase.PREPARING,
                claimed_by=worker,
                started_at=now,
                heartbeat_at=now,
                host_name=host.name,
                cpu_model=host.cpu_model,
                cpu_count=host.cpu_count,
                memory_bytes=host.memory_bytes,
                kernel=host.kernel,
                python_version=host.python_version,
            )
            if taken:
                reservations.reserve(BenchmarkRun.objects.get(pk=run_id), worker, now)
    except (IntegrityError, reservations.NoFreeGpuError) as error:
        raise HostBusyError(host.name) from error
    except reservations.TooFewGpusError as error:
        finish(run_id, Status.FAILED, "too_few_gpus", f"{error.asked} > {error.present} ({host.name})")
        return False
    return taken == 1


def heartbeat(run_id: int) -> bool:
    """Say that the run is alive; False when it is not running any more (cancelled, or taken for dead)."""
    return BenchmarkRun.objects.filter(pk=run_id, status=Status.RUNNING).update(heartbeat_at=timezone.now()) == 1


def cancel_requested(run_id: int) -> bool:
    return BenchmarkRun.objects.filter(pk=run_id, cancel_requested_at__isnull=False).exists()


def request_cancel(run_id: int) -> bool:
    """Cancel a queued run at once, ask a running one to stop; False when it is over already."""
    now = timezone.now()
    queued = BenchmarkRun.objects.filter(pk=run_id, status=Status.QUEUED)
    if queued.update(status=Status.CANCELLED, cancel_requested_at=now, finished_at=now):
        return True
    running = BenchmarkRun.objects.filter(pk=run_id, status=Status.RUNNING)
    return running.update(cancel_requested_at=now) == 1


def reap_stalled(now: dt.datetime | None = None) -> int:
    """Mark running runs without a sign of life as stalled; how many. Called by each page read and each worker.

    The usual read costs one query: the update is only sent when there is something to mark.
    """
    now = now or timezone.now()
    silent = BenchmarkRun.objects.filter(status=Status.RUNNING, heartbeat_at__lt=now - STALLED_AFTER)
    if not (found := list(silent.values_list("pk", flat=True))):
        return 0
    with transaction.atomic():
        count = silent.filter(pk__in=found).update(
            status=Status.STALLED, finished_at=now, error_code="heartbeat_lost", flag_partial=True
        )
        dead = BenchmarkRun.objects.filter(pk__in=found, status=Status.STALLED)
        reservations.release(dead.values_list("pk", flat=True), now)
    return count


def waiting(queues: Iterable[str]) -> list[BenchmarkRun]:
    """The runs of these queues that no worker has claimed yet, in the order they were asked for."""
    queued = BenchmarkRun.objects.filter(status=Status.QUEUED, queue__in=list(queues))
    return list(queued.order_by("created_at", "pk"))


def measures(worker: str) -> bool:
    """Whether `worker` measures something now."""
    return BenchmarkRun.objects.filter(status=Status.RUNNING, claimed_by=worker).exists()


def finish(run_id: int, status: str, code: str = "", detail: str = "") -> bool:
    """End a live run; False when it had ended already. What it has measured so far stays, marked partial."""
    partial = status != Status.SUCCEEDED or BenchmarkStep.objects.filter(run=run_id, complete=False).exists()
    now = timezone.now()
    values = {"status": status, "finished_at": now, "error_detail": detail, "flag_partial": partial}
    if code or status == Status.SUCCEEDED:
        values["error_code"] = code
    with transaction.atomic():
        ended = BenchmarkRun.objects.filter(pk=run_id, status__in=LIVE).update(**values) == 1
        if ended:
            reservations.release([run_id], now)
            repeats.settle(run_id)
    return ended


def execute(run_id: int, worker: str) -> None:
    """Claim and run one measurement to its end; nothing for a run not queued; HostBusyError when it must wait."""
    reap_stalled()
    if repeats.must_wait(run_id):
        raise HostBusyError("an earlier repeat of the series is not over")
    if not claim(run_id, worker):
        return
    run = insist(lambda: BenchmarkRun.objects.get(pk=run_id))
    try:
        with Watch(planning.run_folder(run), insist(lambda: gpus_of(run))):
            end = probe(run) if run.kind == BenchmarkRun.Kind.PROBE else serve(run)
        insist(lambda: hardwarerecord.record(run))
        insist(lambda: finish(run.pk, end.status, end.code, end.detail))
    except SoftTimeLimitExceeded:
        finish(run.pk, Status.FAILED, "hard_limit", "the task queue's own limit")
    except Exception as error:
        finish(run.pk, Status.FAILED, failure_code(error), f"{type(error).__name__}: {error}")
        raise


def failure_code(error: Exception) -> str:
    """Why a run ended that nobody foresaw the end of."""
    return "disk_full" if isinstance(error, OSError) and storage.is_full(error) else "internal"


def serve(run: BenchmarkRun) -> records.RunEnd:
    """Measure a server, and seal what was recorded."""
    with Runner(planning.plan_of(run), gpus_of(run), limits_of(run).hard_s) as runner:
        end = follow(run, runner)
    insist(lambda: seal_samples(run))
    insist(lambda: recording.record_search_end(run, end))
    return end


def probe(run: BenchmarkRun) -> records.RunEnd:
    """Measure a roof of the GPUs that the run has; it ends early when nobody wants it any more."""
    return probing.measure(run, gpus_of(run), lambda: wanted(run.pk))


def wanted(run_id: int) -> bool:
    """Beat the run's heart; whether it is to go on. While the database is away nobody can have said otherwise."""
    return guess(lambda: heartbeat(run_id) and not cancel_requested(run_id), otherwise=True)


def gpus_of(run: BenchmarkRun) -> tuple[str, ...]:
    """The UUIDs of the GPUs that the run has for itself."""
    return tuple(reservations.used_gpus(run).values_list("uuid", flat=True))


def follow(run: BenchmarkRun, runner: Runner) -> records.RunEnd:
    """Record what the supervisor says until it is done; the heartbeat is at least once a second.

    While the database is away the measurement goes on, and what it says is recorded when the database is back.
    """
    steps, patience = recording.Steps(run), Patience()
    end = records.RunEnd("failed", "supervisor_lost")
    for message in runner.messages():
        if patience.catch_up() and not wanted(run.pk):
            runner.stop()
        if isinstance(message, records.RunEnd):
            end = message
        elif message is not None:
            patience.write(recording.writing(run, steps, message, runner.plan.samples_path))
    patience.finish()
    if runner.overdue:
        return records.RunEnd("failed", "hard_limit")
    if end.code == "supervisor_lost" and insist(lambda: cancel_requested(run.pk)):
        return records.RunEnd("cancelled")
    return end


def seal_samples(run: BenchmarkRun) -> None:
    """Keep the digest of the raw file, so that what was aggregated can be checked later."""
    folder = planning.run_folder(run)
    path = folder / "samples.jsonl"
    BenchmarkRun.objects.filter(pk=run.pk).update(phase=Phase.AGGREGATING, engine_log=engineplan.log_end(folder))
    if path.exists():
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        BenchmarkRun.objects.filter(pk=run.pk).update(samples_sha256=digest)


def stop_runs_of(worker: str) -> int:
    """Ask the runs that `worker` measures to stop, because it is shutting down; how many."""
    return BenchmarkRun.objects.filter(status=Status.RUNNING, claimed_by=worker).update(
        cancel_requested_at=timezone.now(), error_code="worker_stopped"
    )
