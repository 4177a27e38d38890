"""What the sampler saw of a run, stored: a row a second, each GPU's states, and the flags that its rules raise."""

import hashlib
from typing import Any

from django.db import transaction

from benchmarks import planning, recording
from benchmarks.models import BenchmarkRun, RunGpu, TelemetrySecond
from benchmarks.telemetry import rules
from benchmarks.telemetry import trace as traces
from benchmarks.telemetry.trace import Trace
from benchmarks.telemetry.watch import FILE_NAME


def record(run: BenchmarkRun) -> bool:
    """Store the run's trace; False when there is none or it is stored already. A run without one stays unjudged."""
    path = planning.run_folder(run) / FILE_NAME
    trace = traces.load(path)
    if trace is None or TelemetrySecond.objects.filter(run=run).exists():
        return False
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    with transaction.atomic():
        BenchmarkRun.objects.filter(pk=run.pk).update(telemetry_sha256=digest)
        TelemetrySecond.objects.bulk_create(rows(run, trace))
        for place in range(len(trace.before)):
            record_gpu(run, trace, place)
        recording.raise_flags(run.pk, rules.flags(trace))
    return True


def rows(run: BenchmarkRun, trace: Trace) -> list[TelemetrySecond]:
    return [
        TelemetrySecond(run=run, device=trace.uuid(place), **second)
        for place, samples in sorted(trace.samples.items())
        for second in traces.seconds(samples)
    ]


def record_gpu(run: BenchmarkRun, trace: Trace, place: int) -> None:
    """The states of one GPU and its driver beside its reservation, with its energy and how long it was held down."""
    values: dict[str, Any] = {
        "state_at_start": trace.before[place] | (trace.driver or {}),
        "state_at_end": trace.after[place] if place < len(trace.after) else None,
        "energy_j": rules.energy_j(trace, place),
        "throttled_ratio": traces.throttled_ratio(trace.samples[place]),
    }
    RunGpu.objects.filter(run=run, uuid=trace.uuid(place)).update(**values)
