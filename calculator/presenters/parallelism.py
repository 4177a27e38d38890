"""The whole multi-GPU page of one estimate, in words."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from urllib.parse import urlencode

from django.utils.safestring import SafeString

from calculator import formats, permalinks
from calculator.charts import parallelism as charts
from calculator.domain import parallel_trust
from calculator.domain.offers import Basis, Sku
from calculator.domain.parallel_scenario import ParallelismEstimate, ParallelismFacts, Point
from calculator.domain.provenance import Kind, asked_kind
from calculator.language import gettext as _
from calculator.presenters import (
    parallelism_causes,
    parallelism_headline,
    parallelism_notices,
    parallelism_steps,
    parallelism_tables,
    parallelism_units,
)
from calculator.presenters.badges import Badge, badge, of_kind
from calculator.presenters.formulaview import FormulaView
from calculator.presenters.notices import Notice
from calculator.presenters.page import QUOTE_VALID_DAYS
from calculator.presenters.parallelism_headline import sentence, short
from calculator.presenters.stats import Stat

__all__ = ["parallelism", "price_carried_over", "query", "sentence", "short"]


@dataclass(frozen=True, slots=True)
class ParallelismPage:
    """Everything that parallelism.html prints of an estimate, already in words."""

    lead: SafeString
    eyebrow: str
    status: str
    machine: str
    short: str
    stats: tuple[Stat, ...]
    notices: tuple[Notice, ...]
    counts: tuple[parallelism_tables.CountLine, ...]
    stop: str
    speed_up: charts.Plot | None
    cost: charts.Plot | None
    cause_title: str
    cause_subtitle: str
    causes: tuple[parallelism_causes.CauseLine, ...]
    parts: tuple[parallelism_tables.PartLine, ...]
    links: tuple[parallelism_tables.LinkLine, ...]
    reductions: tuple[parallelism_tables.ReductionLine, ...]
    overlaps: tuple[parallelism_tables.OverlapLine, ...]
    ways: tuple[parallelism_tables.WayLine, ...]
    allreduce_band: str
    total: str
    formulas: tuple[FormulaView, ...]
    trust: Badge | None
    assumptions: tuple[str, ...]
    quote_date: str
    quote_until: str
    price_missing: bool
    badges: Mapping[str, Badge | None]
    placeholders: Mapping[str, str]
    mfu_text: str


@formats.one_language()
def parallelism(estimate: ParallelismEstimate) -> ParallelismPage:
    """The page of an estimate in the active language."""
    found, at = estimate.explanation, estimate.scenario.at
    return ParallelismPage(
        lead=parallelism_headline.lead(estimate),
        eyebrow=parallelism_headline.eyebrow(estimate),
        status=sentence(estimate),
        machine=parallelism_headline.machine(estimate),
        short=short(estimate),
        stats=stats(estimate),
        notices=parallelism_notices.notices(estimate),
        counts=parallelism_tables.counts(estimate),
        stop=parallelism_tables.stop_sentence(estimate),
        speed_up=charts.speed_up(estimate),
        cost=charts.cost(estimate),
        cause_title=parallelism_causes.title(found) if found else "",
        cause_subtitle=parallelism_causes.subtitle(estimate, found) if found else "",
        causes=parallelism_causes.lines(found) if found else (),
        parts=parallelism_tables.parts(estimate),
        links=parallelism_tables.links(estimate),
        reductions=parallelism_tables.reductions(estimate),
        overlaps=parallelism_tables.overlaps(estimate),
        ways=parallelism_tables.ways(estimate),
        allreduce_band=allreduce_band(estimate),
        total=total(estimate),
        formulas=parallelism_steps.formulas(estimate),
        trust=of_kind(estimate.trust),
        assumptions=assumptions(estimate),
        quote_date=formats.date(at),
        quote_until=formats.date(at + dt.timedelta(days=QUOTE_VALID_DAYS)),
        price_missing=estimate.price is None,
        badges=field_badges(estimate),
        placeholders=placeholders(estimate),
        mfu_text=mfu_text(estimate),
    )


def stats(estimate: ParallelismEstimate) -> tuple[Stat, ...]:
    """Days, speed-up, exchange of gradients, bill."""
    chosen = estimate.chosen
    if chosen is None or estimate.one_gpu_days is None:
        return ()
    return (
        _duration(estimate, chosen, estimate.one_gpu_days),
        Stat(
            parallelism_units.factor(chosen.speed_up),
            _("accélération"),
            parallelism_headline.share_note(chosen),
        ),
        _exchange(estimate),
        _bill(estimate),
    )


def _duration(estimate: ParallelismEstimate, chosen: Point, one_gpu_days: float) -> Stat:
    """The days; or that the model does not fit, with what it would take if it did."""
    label = _("sur %(gpus)s") % {"gpus": parallelism_headline.machine(estimate)}
    days = parallelism_units.days(chosen.days)
    if chosen.fits is False:
        return Stat(_("ne tient pas"), label, _("%(days)s si cela tenait") % {"days": days})
    one = _("%(days)s sur un seul GPU") % {"days": parallelism_units.days(one_gpu_days)}
    return Stat(days, label, parallelism_headline.days_note(estimate) or one)


def _exchange(estimate: ParallelismEstimate) -> Stat:
    current = next((row for row in estimate.reductions if row.is_current), None)
    if current is None:
        return Stat(_("aucun"), _("échange de gradients"), _("une seule copie du modèle"))
    floor = parallelism_units.seconds(current.textbook_s)
    return Stat(
        parallelism_units.seconds(current.measured_s),
        _("échange de gradients par pas"),
        _("%(floor)s au débit de la fiche") % {"floor": floor},
    )


def _bill(estimate: ParallelismEstimate) -> Stat:
    chosen = estimate.chosen
    if chosen is None or chosen.eur is None or estimate.price is None:
        hours = _("%(count)s heures de GPU") % {"count": formats.number(chosen.gpu_hours_h, 0) if chosen else ""}
        return Stat(_("sur devis"), _("coût de l’entraînement"), hours)
    note = _("%(count)s × %(price)s par heure") % {
        "count": formats.number(chosen.instances),
        "price": formats.unit_price(estimate.price.value),
    }
    return Stat(formats.money(chosen.eur, decimals=0), _("HT pour tout l’entraînement"), note)


def total(estimate: ParallelismEstimate) -> str:
    """Net and gross bill; empty without a price."""
    if estimate.chosen is None or estimate.chosen.eur is None:
        return ""
    return _("%(net)s HT, %(gross)s TTC (TVA %(rate)s)") % {
        "net": formats.money(estimate.chosen.eur),
        "gross": formats.money(estimate.eur_ttc),
        "rate": formats.percent(estimate.scenario.vat_ratio),
    }


def allreduce_band(estimate: ParallelismEstimate) -> str:
    """How far measured exchanges lie from the computed one; never below what the link carries at best."""
    current = next((row for row in estimate.reductions if row.is_current), None)
    band = estimate.allreduce_band
    if current is None or band is None:
        return ""
    low = current.measured_s / band.high_ratio
    told = _("8 mesures publiées sur 10 donneraient de %(low)s à %(high)s (%(rows)s mesures).") % {
        "low": parallelism_units.seconds(max(low, current.textbook_s)),
        "high": parallelism_units.seconds(current.measured_s / band.low_ratio),
        "rows": formats.number(band.rows),
    }
    if band.is_borrowed:
        told = " ".join((told, _("Peu de mesures sur ce GPU\u00a0: fourchette d’autres GPU, élargie.")))
    if low >= current.textbook_s:
        return told
    return " ".join((told, _("Le bas est borné au débit de la fiche\u00a0: rien ne va plus vite que le lien.")))


def field_badges(estimate: ParallelismEstimate) -> dict[str, Badge | None]:
    """Where the value behind each field comes from, by the field's name."""
    return {
        "params": of_kind(asked_kind(estimate.scenario, "params_count")) if estimate.model is None else None,
        "mfu": badge(estimate.mfu),
        "price": badge(estimate.price),
        "overlap": of_kind(asked_kind(estimate.scenario, "overlap_ratio")),
        "machine": of_kind(parallel_trust.machines(estimate)),
        "cards": of_kind(Kind.ASSUMPTION if estimate.scenario.cards_count is None else Kind.INPUT),
    }


def placeholders(estimate: ParallelismEstimate) -> dict[str, str]:
    """The value that an empty field stands for, by the field's name."""
    price = formats.number(estimate.price.value, 2) if estimate.price else _("sur devis")
    mfu = formats.number(estimate.mfu.value * 100, 1) if estimate.mfu else ""
    return {
        "mfu": mfu,
        "price": price,
        "machine": formats.number(estimate.machine_gpus),
        "cards": formats.number(estimate.cards_count),
    }


def mfu_text(estimate: ParallelismEstimate) -> str:
    """The speed of one GPU in use, and what it means in tokens a second."""
    if estimate.mfu is None or estimate.peak is None:
        return ""
    return _("%(mfu)s de %(peak)s") % {
        "mfu": formats.percent(estimate.mfu.value, 1),
        "peak": parallelism_units.flop_per_s(estimate.peak.value),
    }


def assumptions(estimate: ParallelismEstimate) -> tuple[str, ...]:
    """The numbered notes of the printed estimate."""
    scenario = estimate.scenario
    return (
        _("Prix HT de la liste n°\u00a0%(number)s\u00a0; instances entières, facturées à la seconde.")
        % {"number": scenario.catalog_version},
        _("Vitesse d’un GPU\u00a0: %(speed)s.") % {"speed": mfu_text(estimate) or _("inconnue")},
        _("%(tokens)s tokens par pas, recouvrement de %(overlap)s (hypothèse).")
        % {
            "tokens": formats.number(scenario.step_tokens),
            "overlap": formats.percent(scenario.overlap_ratio),
        },
        _("Rendement des liens et pertes entre machines ajustés sur des mesures publiées."),
        _("Non comptés\u00a0: attente des données, sauvegardes, pannes, et GPU en retard dans une même machine."),
    )


def price_carried_over(estimate: ParallelismEstimate, facts: ParallelismFacts) -> tuple[Sku, Decimal] | None:
    """Another offer of the same GPU and what as many GPUs as an instance holds would cost at its rate."""
    for sku in facts.same_gpu:
        price = sku.prices.get(Basis.HOUR)
        if price is not None:
            return sku, price.value * estimate.instance_gpus / sku.gpu_count
    return None


def query(carried: Mapping[str, str]) -> str:
    """A link's query for another calculator."""
    return urlencode((("v", permalinks.VERSION), *carried.items()))
