"""What the page of the workers gets: a line each, ready to print, and the runs that wait for a worker."""

from collections import Counter
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from benchmarks import fleet, wording
from benchmarks.fleet import WorkerView
from benchmarks.models import BenchmarkRun, WorkerGpu
from calculator.formats import NBSP
from calculator.presenters import quantities


def context() -> dict[str, Any]:
    return {"rows": [row(view) for view in fleet.roster()], "waiting": [waiting(run) for run in fleet.unserved()]}


def row(view: WorkerView) -> dict[str, Any]:
    worker = view.worker
    return {
        "name": worker.name,
        "state": state_word(view),
        "tag": "good" if view.alive else "idle",
        "queues": ", ".join(worker.queues),
        "sku": worker.sku_code or _("cette machine"),
        "gpus": gpu_words(view.gpus),
        "gpu_note": gpu_note(view),
        "engines": engine_words(worker.engines),
        "versions": version_words(view),
        "seen": _("il y a %(duration)s") % {"duration": wording.duration(seconds_silent(view))},
        "run": view.run_code,
    }


def state_word(view: WorkerView) -> str:
    if view.alive:
        return _("actif")
    return _("arrêté") if view.worker.stopped_at else _("disparu")


def seconds_silent(view: WorkerView) -> float:
    return max(0.0, (timezone.now() - view.worker.heartbeat_at).total_seconds())


def gpu_words(gpus: tuple[WorkerGpu, ...]) -> list[str]:
    """Like cards once, with how many there are and the memory of one."""
    counted = Counter((gpu.name or _("GPU sans nom"), gpu.memory_bytes) for gpu in gpus)
    return [f"{count}{NBSP}×{NBSP}{name}, {memory_words(size)}" for (name, size), count in counted.items()]


def memory_words(size: int | None) -> str:
    return _("mémoire inconnue") if size is None else quantities.gibibytes(size)


def gpu_note(view: WorkerView) -> str:
    """What speaks against the host's GPUs before anything is measured: a narrow link, or none there."""
    narrow = [gpu.index for gpu in view.gpus if below(gpu.link_width, gpu.link_width_max)]
    if narrow:
        numbers = ", ".join(str(index) for index in narrow)
        return _("lien PCIe réduit, GPU %(numbers)s") % {"numbers": numbers}
    return "" if view.gpus else _("aucun GPU")


def below(now: int | None, highest: int | None) -> bool:
    """Whether a link is narrower than it could be; an unknown width is no reproach."""
    return now is not None and highest is not None and now < highest


def engine_words(engines: dict[str, str]) -> list[str]:
    return [" ".join(part for part in (name, version) if part) for name, version in sorted(engines.items())]


def version_words(view: WorkerView) -> str:
    worker = view.worker
    known = (("Python", worker.python_version), (_("pilote"), worker.driver_version), ("CUDA", worker.cuda_version))
    return ", ".join(f"{name} {version}" for name, version in known if version)


def waiting(run: BenchmarkRun) -> dict[str, str]:
    return {
        "code": run.code,
        "sentence": wording.unserved_sentence(run.queue),
        "advice": wording.how_to_serve(run.queue),
    }
