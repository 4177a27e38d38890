"""What publishing a probe's roofs would change in the calculators: the rate that they take now, and the one then."""

from dataclasses import dataclass, replace

from benchmarks import probepublishing, publishing
from benchmarks.models import BenchmarkRun, ProbeReading
from calculator import calibrated, sheets
from calculator.domain import roofs
from calculator.domain.calibration import Engine, Era
from calculator.domain.hardware import Gpu, Roofs
from calculator.domain.precision import PRECISIONS, math_flop_per_s
from calculator.domain.provenance import Kind, Sourced
from calculator.domain.serving_layout import constants_of
from calculator.models import Figure

MATHS = {
    Figure.Metric.GEMM_BF16: "fp16",
    Figure.Metric.GEMM_FP16: "fp16",
    Figure.Metric.GEMM_FP8: "fp8",
}


@dataclass(frozen=True, slots=True)
class Change:
    """One rate of the estimates, in its unit: without the roof, and with it; the same value where nothing changes."""

    metric: str
    now: float
    then: float
    unit: str


def changes(run: BenchmarkRun) -> list[Change]:
    """Of each roof that the run could publish; nothing where it could not, or where the offer has no data sheet."""
    sku = publishing.sku_of(run) if run.sku_code else None
    gpu = sheets.gpu(sku.gpu.name) if sku is not None and sku.gpu is not None else None
    if gpu is None:
        return []
    found = probepublishing.roofs(probepublishing.readings_of(run))
    told = (change(gpu, metric, readings, run.gpus_count) for metric, readings in sorted(found.items()))
    return [one for one in told if one is not None]


def change(gpu: Gpu, metric: str, readings: list[ProbeReading], members: int) -> Change | None:
    """What one roof does to a server of vLLM; None where the data sheet lacks what it is compared with."""
    slowest = min(readings, key=lambda reading: reading.value or 0.0)
    measured = Sourced(slowest.value or 0.0, slowest.unit, Kind.MEASURED)
    calibration = calibrated.calibration()
    if metric == Figure.Metric.COPY:
        after = replace(gpu, roofs=Roofs(copy_bytes_per_s=measured))
        factor = roofs.memory_factor(calibration, after)
        return Change(metric, measured.value / factor, measured.value, slowest.unit) if factor else None
    if metric == Figure.Metric.BUS:
        after = replace(gpu, roofs=Roofs(bus_bytes_per_s=measured, bus_members=members))
        factor = roofs.link_factor(calibration, after)
        return Change(metric, measured.value / factor, measured.value, slowest.unit) if factor else None
    return computed(gpu, metric, measured)


def computed(gpu: Gpu, metric: str, measured: Sourced[float]) -> Change | None:
    """FLOP a second that a prompt is read at, without and with the ceiling."""
    math = MATHS[Figure.Metric(metric)]
    peak = math_flop_per_s(gpu, math)
    if not peak:
        return None
    after = replace(gpu, roofs=Roofs(half_flop_per_s=measured) if math == "fp16" else Roofs(fp8_flop_per_s=measured))
    ratios = [
        constants_of(calibrated.calibration(), Engine.VLLM, Era.NEW, PRECISIONS[math], one).prefill_compute_ratio
        for one in (gpu, after)
    ]
    return Change(metric, peak * ratios[0], peak * ratios[1], "FLOP/s")
