"""What the page of a probe's run shows: its figures with their share of the data sheet and verdicts, its software."""

from collections.abc import Sequence
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from benchmarks import probeeffects, probepublishing, probewords, publicationwords, wording
from benchmarks.models import BenchmarkRun, ProbeJob, ProbeReading
from benchmarks.queries import RunView
from calculator import formats
from calculator.domain.units import GIB
from calculator.formats import NBSP

POLL_S = 2
MAKER = "NVIDIA "
VERSION_KEYS = (
    ("torch", "torch"),
    ("CUDA", "cuda"),
    ("cuDNN", "cudnn"),
    ("NCCL", "nccl"),
    ("Python", "python"),
    ("matmul", "matmul_precision"),
)


def context(view: RunView, *, may_operate: bool) -> dict[str, Any]:
    """Everything the page of one probe shows, live or over."""
    run = view.run
    job = ProbeJob.objects.get(run=run)
    readings = probepublishing.readings_of(run)
    obstacle = "" if view.live else probepublishing.obstacle(run)
    published = run.published_at is not None and run.withdrawn_at is None
    return {
        "run": run,
        "live": view.live,
        "poll_s": POLL_S,
        "title": _("Sonde %(code)s : %(name)s") % {"code": run.code, "name": probewords.probe_name(run.probe)},
        "name": probewords.probe_name(run.probe),
        "about": probewords.probe_about(run.probe),
        "tag": wording.TAGS[run.status],
        "status": wording.status_word(run.status),
        "trouble": wording.trouble(view),
        "on_cpu": job.on_cpu,
        "lines_there": bool(job.lines_sha256),
        "rows": rows(readings),
        "remarks": remarks(readings),
        "environment": environment(run, job),
        "changes": changes(run) if run.status == "succeeded" and not obstacle and not published else [],
        "may_operate": may_operate,
        "cancelling": run.cancel_requested_at is not None,
        "published": published,
        "publishable": not view.live and not obstacle and run.published_at is None,
        "ineligible": publicationwords.refusal(obstacle) if run.status == "succeeded" and obstacle else "",
        "calculator_href": f"{reverse('inference')}?sku={run.sku_code}" if run.sku_code else "",
    }


def sentences(run: BenchmarkRun) -> list[str]:
    """Each figure in a line, for a shell: its value, its share of the data sheet, its verdict; none for another run."""
    found = [(reading, row(reading)) for reading in probepublishing.readings_of(run)]
    return [
        f"{told['name']}{NBSP}: {told['value']} ({told['share']}), {reading.shape}, {told['verdict']}"
        for reading, told in found
    ]


def changes(run: BenchmarkRun) -> list[tuple[str, str, str]]:
    """What publishing would change: the roof, the rate that estimates take now, the one then."""
    return [
        (
            probewords.roof_name(one.metric),
            probewords.value_words(one.now, one.unit),
            _("inchangé") if one.now == one.then else probewords.value_words(one.then, one.unit),
        )
        for one in probeeffects.changes(run)
    ]


def rows(readings: Sequence[ProbeReading]) -> list[dict[str, Any]]:
    """One line a figure."""
    return [row(reading) for reading in readings]


def row(reading: ProbeReading) -> dict[str, Any]:
    tag, word, _sentences = probewords.verdict(reading)
    return {
        "name": probewords.metric_name(reading.metric),
        "formula": reading.formula,
        "value": probewords.value_words(reading.value, reading.unit),
        "best": probewords.value_words(reading.best, reading.unit),
        "sheet": sheet_words(reading),
        "share": formats.percent(reading.sheet_ratio, 1) if shares(reading) else formats.number(None),
        "shape": shape_words(reading.shape),
        "dtype": reading.dtype,
        "span": f"{wording.three(reading.span_s)}{NBSP}s",
        "samples": formats.number(reading.samples_count),
        "spread": formats.percent(reading.spread_ratio, 1),
        "gpu": gpu_words(reading),
        "tag": tag,
        "verdict": word,
    }


def shares(reading: ProbeReading) -> bool:
    """Whether a share of the data sheet says something: a utilisation is one already."""
    return reading.unit != "ratio" and reading.sheet_ratio is not None


def sheet_words(reading: ProbeReading) -> str:
    if not shares(reading):
        return formats.number(None)
    return probewords.value_words(reading.sheet_value, reading.unit)


def gpu_words(reading: ProbeReading) -> str:
    """The GPU's name and the head of its UUID, which tells two of them apart."""
    if reading.gpu_uuid == "cpu":
        return reading.gpu_name
    return f"{reading.gpu_name.removeprefix(MAKER)} {reading.gpu_uuid.removeprefix('GPU-')[:8]}"


def shape_words(shape: str) -> str:
    """A shape with its bytes in the largest unit that divides them: 1073741824 B is 1 GiB."""
    head, found, rest = shape.partition(" B")
    if not found or not head.isdecimal():
        return shape
    size, names = int(head), byte_units()
    step = max(step for step in range(len(names)) if size % 1024**step == 0) if size else 0
    return f"{formats.number(size // 1024**step)}{NBSP}{names[step]}{rest}"


def byte_units() -> tuple[str, ...]:
    return _("o"), _("Kio"), _("Mio"), _("Gio")


def remarks(readings: Sequence[ProbeReading]) -> list[tuple[str, str]]:
    """Each sentence on a figure once, with the figures that it is about."""
    found: dict[str, list[str]] = {}
    for reading in readings:
        for sentence in probewords.verdict(reading)[2]:
            names = found.setdefault(sentence, [])
            name = probewords.metric_name(reading.metric)
            if name not in names:
                names.append(name)
    return [(sentence, ", ".join(names)) for sentence, names in found.items()]


def environment(run: BenchmarkRun, job: ProbeJob) -> list[tuple[str, str]]:
    """Machine and software; what is not known is left out."""
    known = [(name, str(job.environment.get(key) or "")) for name, key in VERSION_KEYS]
    known.append((_("Méthode"), "" if job.method_version is None else str(job.method_version)))
    known.append((_("Fiche technique"), job.sheet_name))
    known.append((_("Empreinte des lignes"), job.lines_sha256[:12]))
    return [*machine_facts(run), *((name, value) for name, value in known if value)]


def machine_facts(run: BenchmarkRun) -> list[tuple[str, str]]:
    """The host, as far as the worker that claimed the run said what it is."""
    memory = "" if run.memory_bytes is None else f"{formats.number(run.memory_bytes / GIB, 1)}{NBSP}{_('Gio')}"
    known = [
        (_("Processeur"), run.cpu_model),
        (_("Cœurs"), "" if run.cpu_count is None else formats.number(run.cpu_count)),
        (_("Mémoire"), memory),
        (_("Noyau"), run.kernel),
    ]
    return [(name, value) for name, value in known if value]
