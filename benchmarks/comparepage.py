"""Up to six runs compared where they are alike; where they are not, a refusal that lists what differs.

Whoever still wants the figures of unlike runs asks for them apart: they then stand side by side, said to be not
comparable, with no difference, no order and no common chart.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from benchmarks import charts, comparison, repeats, runlist
from benchmarks.foreignwords import definition_name
from benchmarks.models import BenchmarkRun
from benchmarks.repeats import Load
from benchmarks.wording import load_words, milliseconds, three
from calculator import formats
from calculator.formats import NBSP

MOST_COUNT = 6
APART = "apart"
NAMES = {
    "kind": gettext_lazy("genre"),
    "pattern": gettext_lazy("départ des requêtes"),
    "requests_count": gettext_lazy("requêtes par palier"),
    "prompt_tokens": gettext_lazy("longueur du prompt"),
    "output_tokens": gettext_lazy("longueur de la réponse"),
    "duration_s": gettext_lazy("durée d’un palier"),
    "ramp_s": gettext_lazy("durée de la montée"),
    "shared_prefix_tokens": gettext_lazy("début commun"),
    "prompts_sha256": gettext_lazy("empreinte des prompts"),
    "search": gettext_lazy("recherche"),
    "limit_ttft_ms": gettext_lazy("objectif de TTFT"),
    "limit_tpot_ms": gettext_lazy("objectif de TPOT"),
    "target_url": gettext_lazy("serveur"),
    "target_route": gettext_lazy("route"),
    "target_model": gettext_lazy("modèle demandé"),
    "target_ignore_eos": gettext_lazy("longueur imposée"),
    "target_region": gettext_lazy("région du serveur"),
    "model_name": gettext_lazy("modèle"),
    "model_sha256": gettext_lazy("empreinte du modèle"),
    "precision": gettext_lazy("poids"),
    "engine": gettext_lazy("moteur"),
    "engine_version": gettext_lazy("version du moteur"),
    "engine_arguments": gettext_lazy("arguments du moteur"),
    "sku_code": gettext_lazy("offre"),
    "gpu_name": gettext_lazy("GPU"),
    "gpus_count": gettext_lazy("nombre de GPU"),
    "driver_version": gettext_lazy("pilote"),
    "cpu_model": gettext_lazy("processeur"),
    "cpu_count": gettext_lazy("cœurs"),
    "memory_bytes": gettext_lazy("mémoire"),
    "kernel": gettext_lazy("noyau"),
    "engine_threads_count": gettext_lazy("threads du moteur"),
    "flag_dummy_weights": gettext_lazy("poids factices"),
    "definition": gettext_lazy("définition des mesures"),
    "loads": gettext_lazy("paliers"),
}


@dataclass(frozen=True, slots=True)
class Compared:
    """One run with its conditions and its loads, those of its series where it is a first run of ours."""

    run: BenchmarkRun
    conditions: dict[str, str]
    loads: tuple[Load, ...]


def read(codes: Sequence[str], may_operate: bool) -> tuple[list[Compared], list[str]]:
    """The runs of these codes in their order, at most six, and the codes that nobody may see or that do not exist."""
    wanted = list(dict.fromkeys(codes))[:MOST_COUNT]
    runs = {run.code: run for run in runlist.visible(may_operate).filter(code__in=wanted).prefetch_related("steps")}
    return [compared(runs[code]) for code in wanted if code in runs], [code for code in wanted if code not in runs]


def compared(run: BenchmarkRun) -> Compared:
    members = repeats.members(run) if run.repeats_count > 1 else [run]
    return Compared(run, comparison.conditions(run, list(run.steps.all())), tuple(repeats.loads(members)))


def context(codes: Sequence[str], may_operate: bool, *, apart: bool = False) -> dict[str, Any]:
    """The whole page; with fewer than two runs only what is missing is said. `apart` shows unlike ones too."""
    found, missing = read(codes, may_operate)
    said = problems(found, missing, len(dict.fromkeys(codes)))
    if len(found) < 2 or any(each.run.kind != BenchmarkRun.Kind.SERVING for each in found):
        return {"problems": said, "codes": [each.run.code for each in found]}
    differing = comparison.differing([each.conditions for each in found])
    return {
        "problems": said,
        "codes": [each.run.code for each in found],
        "heads": [head(each) for each in found],
        "alike": not differing,
        "differences": [difference(name, found, may_operate) for name in differing],
        **(unlike(found, apart=apart) if differing else like(found)),
    }


def like(found: Sequence[Compared]) -> dict[str, Any]:
    """The comparison of like runs: what it finds, each load with its difference to the first run, the curves."""
    return {
        "key": comparison.key(found[0].conditions)[:12],
        "title": finding(found),
        "rows": rows(found, alike=True),
        "figure": charts.rates_and_latencies([(each.run.code, each.loads) for each in found]),
    }


def unlike(found: Sequence[Compared], *, apart: bool) -> dict[str, Any]:
    """No comparison; the figures only where they are asked for apart, else the query that asks for them."""
    if not apart:
        return {"apart_query": urlencode([*(("run", each.run.code) for each in found), (APART, "1")])}
    return {
        "title": _("Non comparables\u00a0: les chiffres de chaque mesure, sans écart ni classement"),
        "rows": rows(found, alike=False),
    }


def problems(found: Sequence[Compared], missing: Sequence[str], asked_count: int) -> list[str]:
    """What stands against the comparison that was asked for, a sentence each."""
    said = []
    if missing:
        said.append(_("Introuvable ou non publiée : %(codes)s.") % {"codes": ", ".join(missing)})
    if asked_count > MOST_COUNT:
        said.append(_("Six mesures au plus : les premières sont montrées."))
    if len(found) < 2:
        said.append(_("Choisissez au moins deux mesures dans la liste."))
    elif probes := [each.run.code for each in found if each.run.kind != BenchmarkRun.Kind.SERVING]:
        said.append(_("Une sonde ne se compare pas à un serveur : %(codes)s.") % {"codes": ", ".join(probes)})
    return said


def finding(found: Sequence[Compared]) -> str:
    """Which of like runs has the highest rate."""
    best = max(found, key=lambda each: best_rate(each) or 0.0)
    if best_rate(best) is None:
        return _("Aucun débit à comparer")
    return _("%(code)s a le débit le plus haut : %(rate)s tok/s") % {
        "code": best.run.code,
        "rate": three(best_rate(best)),
    }


def best_rate(each: Compared) -> float | None:
    return max((rate for load in each.loads if (rate := rate_of(load)) is not None), default=None)


def rate_of(load: Load) -> float | None:
    spread = load.point.spread
    return spread.median if spread else None


def head(each: Compared) -> dict[str, str]:
    """What a column or a line is called: number, model and machine."""
    run = each.run
    where = run.sku_code or run.import_hardware or run.cpu_model
    parts = (run.model_name, run.engine, where)
    return {"code": run.code, "words": " · ".join(part for part in parts if part) or formats.number(None)}


def difference(name: str, found: Sequence[Compared], may_operate: bool) -> dict[str, Any]:
    """One condition that is not the same everywhere, with its value in each run."""
    hidden = name in comparison.PRIVATE and not may_operate
    values = [_("masqué") if hidden else shown(name, each.conditions[name]) for each in found]
    return {"name": str(NAMES.get(name, name)), "values": values}


def shown(name: str, value: str) -> str:
    """A condition's value for a reader; empty is a word."""
    if name == "definition":
        return definition_name(value)
    if not value:
        return _("non précisé")
    if name == "memory_bytes":
        return f"{three(int(value) / 10**9)}{NBSP}{_('Go')}"
    if name == "pattern":
        return _("boucle fermée") if value == BenchmarkRun.Pattern.CLOSED else _("à un rythme")
    if value in ("True", "False"):
        return _("oui") if value == "True" else _("non")
    return value[:12] if name.endswith("sha256") else value


def rows(found: Sequence[Compared], *, alike: bool) -> list[dict[str, Any]]:
    """Each load of each run; the difference is to the first run at the same load, and only among like runs."""
    base = {load_words(load.step): rate_of(load) for load in found[0].loads}
    return [row(each, load, base if alike and each is not found[0] else {}) for each in found for load in each.loads]


def row(each: Compared, load: Load, base: dict[str, float | None]) -> dict[str, Any]:
    step, rate = load.step, rate_of(load)
    before = base.get(load_words(step))
    change = formats.percent(rate / before - 1, 1, signed=True) if rate and before else "–"
    return {
        "code": each.run.code,
        "load": load_words(step),
        "repeats": formats.number(len(load.steps)),
        "rate": three(rate),
        "change": change,
        "ttft_p50": milliseconds(step.ttft_p50_ms),
        "ttft_p95": milliseconds(step.ttft_p95_ms),
        "tpot_p50": milliseconds(step.tpot_p50_ms),
        "tpot_p95": milliseconds(step.tpot_p95_ms),
    }
