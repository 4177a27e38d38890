"""Runs of kind probe with readings, as tests need them."""

import itertools
from typing import Any

from django.utils import timezone

from benchmarks.models import BenchmarkRun, ProbeJob, ProbeReading

_codes = itertools.count(1)


def probe_run(
    probe: str = "gemm", status: str = "queued", *, settings: dict[str, Any] | None = None, **values: Any
) -> BenchmarkRun:
    """A probe run with its settings; a state that is over has ended now."""
    now = timezone.now()
    over = {} if status in ("queued", "running") else {"finished_at": now, "started_at": now}
    run = BenchmarkRun.objects.create(
        **{
            "code": f"2026-9{next(_codes):03d}",
            "kind": BenchmarkRun.Kind.PROBE,
            "probe": probe,
            "engine_kind": "",
            "status": status,
            "created_at": now,
            "requests_count": 0,
            "prompt_tokens": 0,
            "output_tokens": 0,
            "seed": 1,
            "flag_random_weights": False,
            **over,
            **values,
        }
    )
    ProbeJob.objects.create(run=run, **(settings or {}))
    return run


def reading(run: BenchmarkRun, **values: Any) -> ProbeReading:
    """A reading of an H100's bf16 units as the method's example has it."""
    return ProbeReading.objects.create(
        **{
            "run": run,
            "position": run.readings.count() + 1,
            "metric": "gemm_bf16",
            "value": 758.3e12,
            "best": 780e12,
            "unit": "FLOP/s",
            "sheet_value": 989e12,
            "sheet_ratio": 0.767,
            "gpu_uuid": "GPU-1",
            "gpu_name": "NVIDIA H100 80GB HBM3",
            "shape": "8192x8192x8192",
            "dtype": "bf16",
            "span_s": 31.0,
            "samples_count": 20_000,
            **values,
        }
    )
