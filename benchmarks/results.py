"""What a run found, as rows and words: the table of steps, the four figures, environment, flags, errors."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from benchmarks import comparison
from benchmarks.models import BenchmarkRun, BenchmarkStep
from benchmarks.queries import RunView
from benchmarks.statistics import P99_MIN_COUNT
from benchmarks.wording import load_words, milliseconds, per_s, streams, three, tok_per_s
from calculator import formats
from calculator.formats import NBSP


def best_step(view: RunView) -> BenchmarkStep | None:
    """The step with the highest rate; None when none has one."""
    rated = [step for step in view.steps if step.output_tok_per_s is not None]
    return max(rated, key=lambda step: step.output_tok_per_s or 0, default=None)


def step_rows(view: RunView) -> list[dict[str, Any]]:
    """The table of steps; p99 only where it means something."""
    best = best_step(view)
    return [
        {
            "load": formats.number(step.concurrency) if step.rate_per_s is None else per_s(step.rate_per_s),
            "rate": three(step.output_tok_per_s),
            "per_stream": three(per_stream(step)),
            "ttft_p50": milliseconds(step.ttft_p50_ms),
            "ttft_p95": milliseconds(step.ttft_p95_ms),
            "ttft_p99": p99(step),
            "tpot_p50": milliseconds(step.tpot_p50_ms),
            "tpot_p95": milliseconds(step.tpot_p95_ms),
            "requests": formats.number(step.measured_count),
            "errors": formats.number(step.error_count),
            "single_stream": step.concurrency == 1 and step.rate_per_s is None,
            "best": step is best,
        }
        for step in view.steps
    ]


def pace_rows(view: RunView) -> list[dict[str, str]]:
    """The steps of an open loop: what was asked and reached, and what a user would have waited, from plan first."""
    return [
        {
            "asked": per_s(step.rate_per_s),
            "reached": per_s(step.achieved_per_s),
            "planned_p50": milliseconds(step.ttft_planned_p50_ms),
            "planned_p95": milliseconds(step.ttft_planned_p95_ms),
            "whole_p50": milliseconds(step.e2e_planned_p50_ms),
            "whole_p95": milliseconds(step.e2e_planned_p95_ms),
            "goodput": per_s(step.goodput_per_s),
            "attained": formats.percent(step.attainment_ratio),
        }
        for step in view.steps
        if step.rate_per_s is not None and step.finished_at
    ]


def goodput_words(view: RunView) -> list[str]:
    """For closed loops with targets: how many requests a second met them, a sentence a step."""
    return [
        _("À %(streams)s, %(goodput)s dans les objectifs, soit %(share)s des requêtes.")
        % {
            "streams": streams(step.concurrency),
            "goodput": per_s(step.goodput_per_s),
            "share": formats.percent(step.attainment_ratio),
        }
        for step in view.steps
        if step.rate_per_s is None and step.goodput_per_s is not None
    ]


def search_words(run: BenchmarkRun) -> str:
    """How a sweep or a knee search came to its end; empty without one."""
    known = {
        "all": _("Tous les paliers ont été menés : aucune règle d’arrêt n’a joué."),
        "errors": _("Arrêt au palier où plus de 5 % des requêtes ont échoué."),
        "targets": _("Arrêt au palier où moins de 95 % des requêtes ont tenu les objectifs."),
        "no_gain": _("Arrêt au palier où le débit ne monte plus et où le premier token attend."),
        "found": _("Le plus haut rythme tenu est connu à 10 % près."),
        "open": _("Tous les rythmes essayés ont été tenus : le plus haut est au-delà."),
        "none": _("Aucun des rythmes essayés n’a été tenu."),
        "wide": _("Le plus haut rythme tenu n’est encadré qu’à plus de 10 % près."),
    }
    return known.get(run.search_end, "")


def target_facts(run: BenchmarkRun, *, may_operate: bool) -> list[tuple[str, str]]:
    """The measured server; its address and the name of the key's variable are for operators."""
    if not run.target_url:
        return []
    facts = [(_("Route"), run.target_route), (_("Modèle demandé"), run.target_model)]
    if may_operate:
        facts += [(_("Serveur"), run.target_url), (_("Variable de la clé"), run.key_variable or _("aucune"))]
    return facts


def per_stream(step: BenchmarkStep) -> float | None:
    """None in an open loop too, where the number of streams is only a bound."""
    if step.output_tok_per_s is None or step.rate_per_s is not None:
        return None
    return step.output_tok_per_s / step.concurrency


def p99(step: BenchmarkStep) -> str:
    if step.ttft_p99_ms is not None:
        return milliseconds(step.ttft_p99_ms)
    few = step.ok_count is not None and 0 < step.ok_count < P99_MIN_COUNT
    return _("n < %(count)d") % {"count": P99_MIN_COUNT} if few else formats.number(None)


def headline(view: RunView) -> tuple[str, str, str] | None:
    """At which load, how many tokens a second in all, and for each stream (empty in an open loop); None without."""
    best = best_step(view)
    if best is None:
        return None
    each = "" if best.rate_per_s is not None else tok_per_s(per_stream(best))
    return load_words(best), tok_per_s(best.output_tok_per_s), each


def stats(view: RunView) -> list[tuple[str, str, str]]:
    """Four figures: value, what it is, what stands under it. The first three are the best step's."""
    best = best_step(view)
    if best is None:
        return []
    ok, failed = (
        sum(counts) for counts in zip(*((s.ok_count or 0, s.error_count or 0) for s in view.steps), strict=True)
    )
    return [
        (milliseconds(best.ttft_p50_ms), _("TTFT p50, premier token"), p95(best.ttft_p95_ms)),
        (milliseconds(best.tpot_p50_ms), _("TPOT p50, par token"), p95(best.tpot_p95_ms)),
        (milliseconds(best.gap_max_ms), _("plus longue attente entre deux envois"), p95(best.gap_p95_ms)),
        (formats.number(ok), _("réponses complètes"), _("%(count)s en échec") % {"count": formats.number(failed)}),
    ]


def p95(value: float | None) -> str:
    return _("p95 : %(value)s") % {"value": milliseconds(value)}


def environment(run: BenchmarkRun) -> list[tuple[str, str]]:
    """What a reader needs to judge or repeat the run; unknown as a word."""
    unknown = formats.number(None)
    memory = unknown if run.memory_bytes is None else f"{three(run.memory_bytes / 10**9)}{NBSP}{_('Go')}"
    cores = _("n°\u00a0%(engine)s pour le moteur, n°\u00a0%(client)s pour le client") % {
        "engine": run.engine_cores or unknown,
        "client": run.client_cores or unknown,
    }
    return [
        (_("Processeur"), run.cpu_model or unknown),
        (_("Cœurs"), formats.number(run.cpu_count)),
        (_("Cœurs réservés"), cores),
        (_("Mémoire"), memory),
        *gpu_facts(run),
        (_("Noyau"), run.kernel or unknown),
        (_("Python"), run.python_version or unknown),
        (_("Moteur"), f"{run.engine} {run.engine_version}".strip() or unknown),
        (_("Modèle"), run.model_name or unknown),
        (_("Poids"), run.precision or unknown),
        (_("Empreinte du modèle"), run.model_sha256[:16] or unknown),
        (_("Graine"), str(run.seed)),
        (_("Empreinte des mesures"), run.samples_sha256[:16] or unknown),
    ]


def gpu_facts(run: BenchmarkRun) -> list[tuple[str, str]]:
    """The GPUs that the run had for itself, and their driver; nothing for a run of the host alone."""
    if not run.gpus_count:
        return []
    found, unknown = comparison.hardware(run), formats.number(None)
    return [
        (_("GPU"), f"{run.gpus_count}{NBSP}×{NBSP}{found['gpu_name'] or unknown}"),
        (_("Pilote"), found["driver_version"] or unknown),
    ]


def error_rows(errors: Mapping[str, int]) -> list[tuple[str, str]]:
    return [(error_kind(kind), formats.number(count)) for kind, count in errors.items()]


def error_kind(kind: str) -> str:
    known = {
        "stream_error": _("erreur annoncée par le moteur"),
        "truncated": _("réponse coupée"),
        "connection_lost": _("connexion perdue"),
        "connect_failed": _("connexion refusée"),
        "timeout": _("délai dépassé"),
        "cancelled": _("interrompue"),
        "bad_event": _("réponse illisible"),
    }
    return known.get(kind, kind.replace("http_", "HTTP "))
