"""A probe's figures become measured roofs of the SKU, or stop being them.

Only the headline of a GPU's own roof becomes one: matrix units by number format, memory copy, all-reduce on the bus. Of
several GPUs the slowest counts, because work that is shared waits for it. A figure of a processor never does.
"""

import datetime as dt
from collections.abc import Iterable, Mapping

from django.db import transaction
from django.utils import timezone

from benchmarks import probing, publishing
from benchmarks.models import BenchmarkRun, ProbeJob, ProbeReading
from benchmarks.probes.guards import Name
from benchmarks.publishing import NotPublishableError
from calculator import sheets
from calculator.models import CatalogItem, Figure

METRICS: Mapping[str, str] = {
    "gemm_bf16": Figure.Metric.GEMM_BF16,
    "gemm_fp16": Figure.Metric.GEMM_FP16,
    "gemm_fp8": Figure.Metric.GEMM_FP8,
    "membw_copy": Figure.Metric.COPY,
    "allreduce_bus": Figure.Metric.BUS,
}
UNPROVEN = frozenset(
    {
        Name.STEADY_WARM_UP.value,
        Name.SUSTAINED.value,
        Name.BEYOND_CACHE.value,
        Name.WHOLE_GPU.value,
        Name.NO_ECC_ERRORS.value,
        Name.NO_NEW_MEMORY.value,
    }
)
"""Guards that must not have failed for a figure to become a roof. Clocks that the power limit holds down are no fault:
they are what is sustained, and are said with the figure."""
BUS = "allreduce_bus"
NOISY_RATIO = 0.03
SMALLEST_BUS_BYTES = 2**30
REFUSED, UNCHECKED, SHORT, NOISY = "probe_refused", "probe_unchecked", "probe_unproven", "probe_noisy"


def against(reading: ProbeReading) -> str:
    """Why a figure sets no roof: refused, unchecked, a failed guard, too scattered; empty where it does."""
    flags = reading.flags.split(",")
    if reading.refusal or reading.value is None:
        return REFUSED
    if UNPROVEN & set(flags):
        return SHORT
    if reading.metric == BUS and message_bytes(reading.shape) < SMALLEST_BUS_BYTES:
        return SHORT
    if reading.sheet_ratio is None and not reading.metric.startswith("allreduce"):
        return UNCHECKED
    return NOISY if reading.spread_ratio is None or reading.spread_ratio > NOISY_RATIO else ""


def message_bytes(shape: str) -> int:
    """The size of an all-reduce from its shape; 0 where it names none.

    >>> message_bytes("1073741824 B x 8 ranks")
    1073741824
    """
    size = shape.split(" ")[0]
    return int(size) if size.isdecimal() else 0


def roofs(readings: Iterable[ProbeReading]) -> dict[str, list[ProbeReading]]:
    """The headlines that may be roofs, by metric of the calculator; every GPU's own."""
    found: dict[str, list[ProbeReading]] = {}
    for reading in readings:
        if reading.headline and reading.metric in METRICS:
            found.setdefault(METRICS[reading.metric], []).append(reading)
    return found


def obstacle(run: BenchmarkRun) -> str:
    """Why a probe's figures are no roofs; empty when they may be."""
    if run.status != BenchmarkRun.Status.SUCCEEDED:
        return "not_succeeded"
    if ProbeJob.objects.filter(run=run, on_cpu=True).exists() or not run.gpus_count:
        return "probe_cpu"
    sku = publishing.sku_of(run) if run.sku_code else None
    if sku is None or sku.is_test_host:
        return "probe_no_sku"
    found = roofs(readings_of(run))
    if not found:
        return "probe_no_roof"
    if run.flag_foreign_process or run.flag_ecc_errors:
        return REFUSED
    if not same_gpu(run, sku):
        return "probe_other_gpu"
    return next((code for readings in found.values() for reading in readings if (code := against(reading))), "")


def same_gpu(run: BenchmarkRun, sku: CatalogItem) -> bool:
    """Whether every GPU that was probed is the one that the SKU sells, by its driver's name."""
    sold = sheets.gpu(sku.gpu.name) if sku.gpu is not None else None
    names = {reading.gpu_name for reading in readings_of(run)}
    return sold is not None and all(probing.named(name) == sold for name in names)


def readings_of(run: BenchmarkRun) -> list[ProbeReading]:
    """Every figure of a probe, in the order in which it came."""
    return list(ProbeReading.objects.filter(run=run).order_by("position"))


@transaction.atomic
def publish(run_id: int) -> list[Figure]:
    """One measured roof for each metric. A second call returns the same figures and adds none."""
    run = BenchmarkRun.objects.select_for_update(of=("self",)).get(pk=run_id)
    if run.withdrawn_at:
        raise NotPublishableError("withdrawn")
    if run.published_at:
        return list(Figure.objects.filter(run=run.code).order_by("metric"))
    if code := obstacle(run):
        raise NotPublishableError(code)
    sku = publishing.sku_of(run)
    if sku is None:
        raise NotPublishableError("probe_no_sku")
    run.published_at = timezone.now()
    run.save(update_fields=["published_at"])
    found = roofs(readings_of(run))
    return [Figure.objects.create(**values_of(run, sku, metric, found[metric])) for metric in sorted(found)]


def values_of(run: BenchmarkRun, sku: CatalogItem, metric: str, readings: list[ProbeReading]) -> dict[str, object]:
    """The columns of one roof: the slowest GPU's figure and how it was measured."""
    slowest = min(readings, key=lambda reading: reading.value or 0.0)
    return {
        "sku": sku,
        "metric": metric,
        "value": slowest.value,
        "unit": slowest.unit,
        "scope": Figure.Scope.GPU,
        "kind": "measured",
        "label": "benchmark_run",
        "reference": run.code,
        "conditions": conditions(slowest, len(readings)),
        "precision": slowest.dtype,
        "concurrency": run.gpus_count if metric == Figure.Metric.BUS else None,
        "engine": f"torch {ProbeJob.objects.get(run=run).torch_version}"[:60],
        "as_of": day(run),
        "run": run.code,
        "published_at": run.published_at,
    }


def day(run: BenchmarkRun) -> dt.date:
    return timezone.localtime(run.finished_at).date()


def conditions(reading: ProbeReading, gpus_count: int) -> str:
    """How a roof was measured, in the words of the catalogue."""
    parts = [f"median over {reading.span_s:.0f} s at {reading.shape}, {reading.dtype}"]
    if gpus_count > 1:
        parts.append(f"the slowest of {gpus_count} GPUs")
    if Name.NOT_THROTTLED.value in reading.flags.split(","):
        parts.append("clocks held down by the power limit")
    return ", ".join(parts)
