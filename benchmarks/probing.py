"""A run of kind probe, carried out: its child process followed, its lines stored as they come, its figures judged.

The data sheet comes from the catalogue: the one of the GPU that the run has, by the driver's name for it, else of the
SKU that it measures. A figure above 105 % of that sheet is refused here again, whatever the probe said of it.
"""

import dataclasses
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings

from benchmarks import planning
from benchmarks.limits import limits_of
from benchmarks.load import records
from benchmarks.models import BenchmarkRun, ProbeJob, ProbeReading, RunGpu
from benchmarks.patience import Patience, insist
from benchmarks.probeprocess import LINES_NAME, NoPythonError, Order, ProbeProcess, flags
from benchmarks.probes import guards, lines
from benchmarks.probes.guards import Name, Verdict
from benchmarks.probes.lines import Reading
from benchmarks.probes.options import Sheet
from calculator import sheets
from calculator.accuracy.names import GpuNames
from calculator.domain.hardware import TERA, Gpu, bandwidth_bytes_per_s, peak_flop_per_s
from calculator.domain.inference import NotModelledError, link_bytes_per_s
from calculator.domain.interconnects import reduces
from calculator.models import CatalogItem

PROBES = ("gemm", "membw", "decode", "prefill", "train_step", "allreduce")
WITH_WEIGHTS = ("decode", "prefill", "train_step")
Alive = Callable[[], bool]
RUN_FLAGS = {
    Name.NOT_THROTTLED.value: "flag_throttled",
    Name.NO_FOREIGN_PROCESS.value: "flag_foreign_process",
    Name.NO_ECC_ERRORS.value: "flag_ecc_errors",
    Name.LINK_TRAINED.value: "flag_link_down_trained",
}


def measure(run: BenchmarkRun, gpus: tuple[str, ...], alive: Alive) -> records.RunEnd:
    """Carry the probe out; `alive` says, about twice a second, whether it is still wanted."""
    sheet = insist(lambda: sheet_of(run))
    order = insist(lambda: order_of(run, gpus, sheet))
    try:
        with ProbeProcess(order) as probe:
            end = follow(run, probe, alive, sheet)
    except NoPythonError as error:
        return records.RunEnd("failed", "no_gpu_python", str(error))
    except lines.LineError as error:
        return records.RunEnd("failed", "probe_unreadable", str(error))
    finally:
        seal(run, order)
    return end


def order_of(run: BenchmarkRun, gpus: tuple[str, ...], sheet: Sheet) -> Order:
    """The command line of a run's probe."""
    job = ProbeJob.objects.get(run=run)
    told = flags(
        [
            ("device", "cuda" if gpus else "cpu"),
            ("seconds", job.seconds),
            ("dtypes", job.dtypes),
            ("size", job.size),
            ("config", job.config),
            ("batch", job.batch),
            ("context", job.context_tokens),
            ("recompute", job.recompute),
            ("seed", run.seed or 1),
            ("sheet", json.dumps(dataclasses.asdict(sheet)) if sheet.name else None),
        ]
    )
    limits = limits_of(run)
    return Order(
        settings.GPU_PYTHON,
        run.probe,
        told,
        planning.run_folder(run),
        gpus,
        limit_s=limits.soft_s,
        hard_s=limits.hard_s,
    )


def gpu_of(run: BenchmarkRun) -> Gpu | None:
    """The data sheet of the GPU that a run has, else of its SKU's; None where the catalogue has none."""
    held = RunGpu.objects.filter(run=run, used=True).values_list("name", flat=True).first()
    found = named(held) if held else None
    if found is not None or not run.sku_code:
        return found
    sku = CatalogItem.objects.filter(kind=CatalogItem.Kind.GPU_SKU, code__iexact=run.sku_code).first()
    return sheets.gpu(sku.gpu.name) if sku is not None and sku.gpu is not None else None


def named(name: str) -> Gpu | None:
    """The data sheet that a driver's name for a GPU means."""
    return GpuNames({gpu.name: gpu for gpu in sheets.gpus()}).find(name)


def sheet_of(run: BenchmarkRun) -> Sheet:
    """The catalogue's data sheet in the probe's words; without one, an empty sheet that compares nothing."""
    gpu = gpu_of(run)
    return Sheet() if gpu is None else sheet_from(gpu, run.gpus_count)


def sheet_from(gpu: Gpu, gpus_count: int) -> Sheet:
    """A data sheet of the catalogue as probes know it, with the link between `gpus_count` of these GPUs."""
    try:
        link = link_bytes_per_s(gpu, max(2, gpus_count))[0]
    except NotModelledError:
        link = None
    return Sheet(
        name=gpu.name,
        bf16_flop_per_s=peak_flop_per_s(gpu, "bf16"),
        fp16_flop_per_s=peak_flop_per_s(gpu, "fp16"),
        fp8_flop_per_s=peak_flop_per_s(gpu, "fp8"),
        fp32_flop_per_s=None if gpu.fp32_tflops is None else gpu.fp32_tflops * TERA,
        bytes_per_s=bandwidth_bytes_per_s(gpu),
        link_bytes_per_s=link,
        reducing_switch=reduces(gpu.nvlink_gen),
    )


@dataclass
class Followed:
    """How far a probe's lines have been stored; while the database is away they wait in order."""

    run: BenchmarkRun
    sheet: Sheet
    end: records.RunEnd | None = None
    count: int = 0
    patience: Patience = field(default_factory=Patience)

    def take(self, record: Mapping[str, Any]) -> None:
        """Store one record."""
        match record["kind"]:
            case "start":
                self.patience.write(lambda: record_start(self.run, record, self.sheet))
            case "guard":
                self.patience.write(lambda: raise_flag(self.run, record))
            case "reading":
                self.count += 1
                position, reading = self.count, judged(lines.reading_of(record), self.sheet)
                self.patience.write(lambda: record_reading(self.run, position, reading))
            case "end":
                status = str(record.get("status"))
                code = "probe_failed" if status == "failed" else ""
                self.end = records.RunEnd(status, code, str(record.get("error") or ""))


def follow(run: BenchmarkRun, probe: ProbeProcess, alive: Alive, sheet: Sheet) -> records.RunEnd:
    """Store what the probe writes until it has ended, and how that was."""
    followed = Followed(run, sheet)
    wanted = True
    for record in probe.records():
        if record is not None:
            followed.take(record)
        else:
            followed.patience.catch_up()
            if wanted and not (wanted := alive()):
                probe.stop()
    followed.patience.finish()
    return ended(followed, probe, wanted)


def ended(followed: Followed, probe: ProbeProcess, wanted: bool) -> records.RunEnd:
    """Cancelled where nobody wanted it any more, too long where its time was up; else what the probe said itself."""
    if not wanted:
        return records.RunEnd("cancelled")
    if probe.killed:
        return records.RunEnd("failed", "hard_limit", f"{probe.order.hard_s:g} s")
    if probe.overdue:
        return records.RunEnd("failed", "too_long", f"{probe.order.limit_s:g} s")
    if followed.end is None:
        return records.RunEnd("failed", "probe_lost", probe.log_end())
    if followed.end.status == "failed":
        return dataclasses.replace(followed.end, detail=f"{followed.end.detail}\n{probe.log_end()}".strip())
    if not followed.count:
        return records.RunEnd("failed", "no_reading", probe.log_end())
    return followed.end


def record_start(run: BenchmarkRun, start: Mapping[str, Any], sheet: Sheet) -> None:
    """What software ran on what, from the first line."""
    about = start.get("environment") or {}
    ProbeJob.objects.filter(run=run).update(
        method_version=start.get("method"),
        torch_version=str(about.get("torch") or "")[:60],
        cuda_version=str(about.get("cuda") or "")[:20],
        environment=about,
        on_cpu="cpu" in (start.get("labels") or ()),
        sheet_name=sheet.name,
    )
    BenchmarkRun.objects.filter(pk=run.pk).update(phase=BenchmarkRun.Phase.MEASURING)


def raise_flag(run: BenchmarkRun, guard: Mapping[str, Any]) -> None:
    """A guard that failed marks the whole run where the run has a flag for it."""
    name = RUN_FLAGS.get(str(guard.get("name")))
    if name and guard.get("verdict") == Verdict.FAILED.value:
        BenchmarkRun.objects.filter(pk=run.pk).update(**{name: True})


def peak_of(sheet: Sheet, reading: Reading) -> float | None:
    """What the data sheet states for a figure; a utilisation is a share of one already."""
    if reading.unit == "ratio":
        return 1.0
    if reading.unit == "FLOP/s":
        return sheet.flop_per_s(reading.dtype)
    if reading.unit == "B/s" and not reading.metric.startswith("allreduce"):
        return sheet.bytes_per_s
    held = "allreduce_alg" if sheet.reducing_switch else "allreduce_bus"
    return sheet.link_bytes_per_s if reading.metric == held else None


def judged(reading: Reading, sheet: Sheet) -> Reading:
    """The figure held against the catalogue's own sheet once more."""
    peak = peak_of(sheet, reading)
    if peak is None or reading.value is None:
        return reading
    finding = guards.plausible(reading.value, peak)
    refusal = reading.refusal or (finding.name.value if finding.refuses else "")
    return dataclasses.replace(reading, sheet=peak, sheet_ratio=reading.value / peak, refusal=refusal)


def record_reading(run: BenchmarkRun, position: int, reading: Reading) -> None:
    """One row, the same when written twice; a value that is none or zero cannot be an accepted one."""
    value = reading.value if reading.value and reading.value > 0 else None
    columns = {
        "metric": reading.metric[:40],
        "value": value,
        "best": reading.best,
        "unit": reading.unit,
        "sheet_value": reading.sheet,
        "sheet_ratio": reading.sheet_ratio,
        "gpu_uuid": reading.gpu[:96],
        "gpu_name": reading.gpu_name[:120],
        "shape": reading.shape[:120],
        "dtype": reading.dtype[:10],
        "span_s": reading.span_s,
        "samples_count": reading.samples_count,
        "spread_ratio": reading.spread_ratio,
        "formula": reading.formula[:200],
        "headline": reading.headline,
        "refusal": (reading.refusal or ("" if value is not None else Name.COMPLETE.value))[:40],
        "flags": ",".join(reading.flags)[:300],
    }
    ProbeReading.objects.update_or_create(run=run, position=position, defaults=columns)


def lines_text(run: BenchmarkRun) -> str | None:
    """The lines of a run as its probe wrote them; None where this host has none."""
    path = planning.run_folder(run) / LINES_NAME
    return path.read_text(encoding="utf-8") if path.exists() else None


def seal(run: BenchmarkRun, order: Order) -> None:
    """Keep the digest of the lines, so that what was stored can be checked later."""
    path = ProbeProcess(order).lines_path
    if path.exists():
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        insist(lambda: ProbeJob.objects.filter(run=run).update(lines_sha256=digest))
