"""What a run's page says of its series: repeats, gates, what publishing would change, and the published run before."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from benchmarks import baseline, comparison, effects, flagwords, gates, publishing, repeats
from benchmarks.effects import Change, Effect
from benchmarks.gates import Gate
from benchmarks.models import LIVE, BenchmarkRun
from benchmarks.publishing import Candidate
from benchmarks.queries import RunView
from benchmarks.repeats import Load
from benchmarks.wording import TAGS, load_words, status_word, three, tok_per_s
from calculator import formats
from calculator.domain.offers import Basis

BASES = {Basis.MONTH: gettext_lazy("au mois"), Basis.HOUR: gettext_lazy("à l’heure")}
GATE_NAMES = {
    gates.REPEATS: gettext_lazy("répétitions"),
    gates.SPREAD: gettext_lazy("dispersion"),
    gates.PROMPT: gettext_lazy("longueur des prompts"),
    gates.OUTPUT: gettext_lazy("longueur des réponses"),
    gates.FLAGS: gettext_lazy("réserves"),
}
KEY_DIGITS = 12


def context(view: RunView, *, may_operate: bool, may_approve: bool) -> dict[str, Any]:
    """Everything of the series; empty but for the key where a run is none of ours to publish."""
    run = view.run
    first = repeats.first_of(run)
    found: dict[str, Any] = {"key": comparison.key(comparison.conditions(run, view.steps))[:KEY_DIGITS]}
    single_live = view.live and first.repeats_count == 1
    if single_live or run.origin == BenchmarkRun.Origin.IMPORTED or run.kind != BenchmarkRun.Kind.SERVING:
        return found
    offered = publishing.candidate(first)
    found |= {
        "first_code": first.code if first != run else "",
        "repeat_words": repeat_words(run, first),
        "series_live": len(offered.runs) > 1 and any(each.status in LIVE for each in offered.runs),
        "members": member_rows(offered, run) if len(offered.runs) > 1 else [],
        "spreads": spread_rows(offered) if len(offered.runs) > 1 else [],
        "exception": publishing.exception(first),
        "exception_by": first.gates_passed_by if may_operate else None,
        "median_words": median_words(offered) if run == first and len(offered.runs) > 1 else "",
        "gates_passed": [str(GATE_NAMES[code]) for code in first.gates_failed.split(",") if code],
        "regression": baseline.sentences(offered),
    }
    return found if run.status != "succeeded" else found | publication(offered, run, may_operate, may_approve)


def publication(offered: Candidate, run: BenchmarkRun, may_operate: bool, may_approve: bool) -> dict[str, Any]:
    """The gates of a first run, and to operators what publishing it would change."""
    if run != offered.run or publishing.obstacle(run):
        return {}
    open_question = may_operate and run.published_at is None
    return {
        "gates": [gate_row(gate) for gate in offered.found],
        "gates_closed": bool(offered.closed),
        "test_model": offered.test_model,
        "approvable": bool(offered.closed) and may_approve,
        "effects": [effect_row(each) for each in effects.of(offered)] if open_question else [],
    }


def median_words(offered: Candidate) -> str:
    """What the repeats say together at the load of the highest median: the figure that a publication holds."""
    found = [(load, spread) for load in offered.loads if (spread := load.point.spread) and spread.count > 1]
    if not found:
        return ""
    load, spread = max(found, key=lambda item: item[1].median)
    named = {"count": spread.count, "rate": tok_per_s(spread.median), "load": load_words(load.step)}
    return _("Médiane de %(count)d répétitions : %(rate)s à %(load)s.") % named


def repeat_words(run: BenchmarkRun, first: BenchmarkRun) -> str:
    if first.repeats_count == 1:
        return ""
    return _("répétition %(number)d sur %(count)d") % {"number": run.repeat_number, "count": first.repeats_count}


def member_rows(offered: Candidate, shown: BenchmarkRun) -> list[dict[str, Any]]:
    """Each run of the series with its state, its best rate and its flags."""
    return [
        {
            "number": run.repeat_number,
            "code": run.code,
            "status": status_word(run.status),
            "tag": TAGS[run.status],
            "rate": tok_per_s(max((step.output_tok_per_s or 0 for step in run.steps.all()), default=0) or None),
            "shown": run == shown,
        }
        for run in offered.runs
    ]


def spread_rows(offered: Candidate) -> list[dict[str, Any]]:
    """Each load: how many repeats count, median, ends, variation, interval of the mean."""
    return [spread_row(load) for load in offered.loads]


def spread_row(load: Load) -> dict[str, Any]:
    found = load.point.spread
    if found is None:
        return {"load": load_words(load.step)}
    interval = formats.number(None)
    if found.interval_low is not None:
        interval = f"{three(found.interval_low)} – {three(found.interval_high)}"
    return {
        "load": load_words(load.step),
        "count": formats.number(found.count),
        "median": three(found.median),
        "ends": f"{three(found.low)} – {three(found.high)}",
        "cv": formats.percent(found.cv_ratio, 1),
        "interval": interval,
    }


def gate_row(gate: Gate) -> dict[str, Any]:
    """A gate as a mark and a sentence."""
    return {"tag": "good" if gate.passed else "warn", "name": str(GATE_NAMES[gate.code]), "sentence": sentence(gate)}


def sentence(gate: Gate) -> str:
    """What was seen, and the limit."""
    if gate.code == gates.REPEATS:
        return _("Répétitions retenues : %(seen)d, il en faut %(limit)d.") % {
            "seen": gate.seen or 0,
            "limit": gate.limit,
        }
    if gate.code == gates.FLAGS:
        named = ", ".join(flagwords.name(flag) for flag in gate.names)
        return _("Aucune réserve bloquante.") if gate.passed else _("Réserves : %(names)s.") % {"names": named}
    seen = {"seen": formats.percent(gate.seen, 1), "limit": formats.percent(gate.limit)}
    if gate.code == gates.SPREAD:
        return _("Coefficient de variation %(seen)s, limite %(limit)s.") % seen
    return _("Écart à la longueur demandée %(seen)s, limite %(limit)s.") % seen


def effect_row(effect: Effect) -> dict[str, str]:
    """One price basis: rate and both prices, before → after, with the change."""
    return {
        "sku": effect.sku,
        "basis": str(BASES[effect.basis]),
        "rate": arrow(three(number(effect.rate.before)), three(number(effect.rate.after)), effect.rate),
        "price": price(effect.eur_per_mtok),
        "full": price(effect.full_eur_per_mtok),
    }


def number(value: object) -> float | None:
    return None if value is None else float(value)  # type: ignore[arg-type]


def price(change: Change) -> str:
    return arrow(formats.unit_price(change.before), formats.unit_price(change.after), change)


def arrow(before: str, after: str, change: Change) -> str:
    """“8,31 € → 16,61 € (+100 %)”; one word where nothing is known before or after."""
    if change.before is None and change.after is None:
        return formats.number(None)
    if change.before == change.after:
        return _("%(value)s, inchangé") % {"value": after}
    ratio = "" if change.ratio is None else f" ({formats.percent(change.ratio, 1, signed=True)})"
    return f"{before} → {after}{ratio}"
