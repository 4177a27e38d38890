"""The whole economics page of one estimate, and the numbered assumptions of its quote."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.safestring import SafeString

from calculator import charts, formats
from calculator.domain.scenario import EconomicsEstimate
from calculator.language import gettext as _
from calculator.presenters import headline, labels, notices, stats, steps, tables, words
from calculator.presenters.badges import Badge, badge, of_kind
from calculator.presenters.formulaview import FormulaView

QUOTE_VALID_DAYS = 30


@dataclass(frozen=True, slots=True)
class EconomicsPage:
    """Everything that economics.html prints of an estimate, already in words."""

    lead: SafeString
    eyebrow: str
    status: str
    gpu_name: str
    month: str
    short: str
    stats: tuple[stats.Stat, ...]
    offers: tables.OfferTable
    notices: tuple[notices.Notice, ...]
    chart: charts.Chart | None
    columns: tuple[tables.Column, ...]
    overview: tuple[tables.SkuRow, ...]
    overview_reserve: str
    volumes: tuple[tables.VolumeLine, ...]
    reserve: str
    heat: tables.HeatTable
    years: tuple[tables.YearLine, ...]
    total: tables.Total | None
    formulas: tuple[FormulaView, ...]
    trust: Badge | None
    throughput: Badge | None
    single_stream: bool
    mode: str
    mode_is_batch: bool
    utilisation: str
    reference: str
    wins: words.Mark
    assumptions: tuple[str, ...]
    quote_date: str
    quote_until: str
    price_missing: bool
    badges: Mapping[str, Badge | None]
    throughput_text: str
    placeholders: Mapping[str, str]


@formats.one_language()
def economics(estimate: EconomicsEstimate) -> EconomicsPage:
    """The page of an estimate in the active language."""
    row = stats.reference(estimate)
    at = estimate.scenario.at
    return EconomicsPage(
        lead=headline.lead(estimate),
        eyebrow=headline.eyebrow(estimate),
        status=status(estimate),
        gpu_name=estimate.gpu.sku.name,
        month=formats.money(estimate.gpu.total_eur, unknown=_("sur devis") if estimate.gpu.price is None else ""),
        short=formats.money(estimate.gpu.total_eur, decimals=0, unknown=_("sur devis")),
        stats=stats.stats(estimate),
        offers=tables.offers(estimate, notices.api_reasons(estimate)),
        notices=notices.notices(estimate),
        chart=charts.break_even(estimate),
        columns=tables.columns(estimate),
        overview=tables.overview(estimate),
        overview_reserve=tables.overview_reserve(estimate),
        volumes=tables.volumes(estimate),
        reserve=tables.chosen_reserve(estimate),
        heat=tables.heat(estimate),
        years=tables.years(estimate),
        total=tables.total(estimate),
        formulas=steps.formulas(estimate),
        trust=of_kind(estimate.trust),
        throughput=tables.weakest_throughput(estimate),
        single_stream=tables.has_single_stream(estimate),
        mode=words.mode_name(estimate.scenario.mode),
        mode_is_batch=bool(estimate.scenario.batch_share_ratio),
        utilisation=formats.percent(estimate.utilisation.value),
        reference=row.bill.api.label if row else "",
        wins=tables.reading(tuple(item.verdict for item in estimate.comparisons)),
        assumptions=assumptions(estimate),
        quote_date=formats.date(at),
        quote_until=formats.date(at + dt.timedelta(days=QUOTE_VALID_DAYS)),
        price_missing=estimate.gpu.price is None,
        badges=field_badges(estimate),
        throughput_text=throughput_text(estimate),
        placeholders=placeholders(estimate),
    )


def field_badges(estimate: EconomicsEstimate) -> dict[str, Badge | None]:
    """Where the value behind each field comes from, by the field's name."""
    gpu = estimate.gpu
    return {
        "volume": of_kind(labels.asked(estimate, "volume")),
        "sku": badge(gpu.price),
        "rate": badge(gpu.throughput.output_tok_per_s) if gpu.throughput else None,
        "util": badge(estimate.utilisation),
        "hours": badge(estimate.hours_per_month_h),
        "fx": badge(estimate.usd_per_eur) if estimate.usd_per_eur else None,
    }


def placeholders(estimate: EconomicsEstimate) -> dict[str, str]:
    """The catalogue's value that an empty field stands for, by the field's name."""
    gpu, rate = estimate.gpu, estimate.gpu.throughput
    prefill = rate.prefill_tok_per_s if rate else None
    return {
        "rate": formats.number(formats.significant(rate.output_tok_per_s.value, 4).normalize()) if rate else "",
        "price": formats.number(gpu.price.value / gpu.sku.set_of, 2) if gpu.price else _("sur devis"),
        "prefill": formats.number(formats.significant(prefill.value, 4).normalize()) if prefill else _("inconnu"),
    }


def throughput_text(estimate: EconomicsEstimate) -> str:
    """The throughput in use, with its conditions."""
    rate = estimate.gpu.throughput
    if rate is None:
        return ""
    value = formats.number(formats.significant(rate.output_tok_per_s.value, 4).normalize())
    return _("%(rate)s tok/s, %(conditions)s") % {"rate": value, "conditions": labels.throughput_conditions(rate)}


def status(estimate: EconomicsEstimate) -> str:
    """One short sentence for the status region: what changed, without reading the tables."""
    if estimate.gpu.total_eur is None:
        return headline.sentence(estimate)
    return _("%(gpu)s\u00a0: %(month)s HT par mois, %(per_mtok)s par million de tokens.") % {
        "gpu": estimate.gpu.sku.name,
        "month": formats.money(estimate.gpu.total_eur),
        "per_mtok": formats.unit_price(estimate.gpu.eur_per_mtok),
    }


def assumptions(estimate: EconomicsEstimate) -> tuple[str, ...]:
    """The numbered notes of the printed quote."""
    scenario = estimate.scenario
    notes = [
        _("Prix HT de la liste n°\u00a0%(number)s\u00a0; API au tarif %(mode)s, prix vérifiés aux dates indiquées.")
        % {"number": scenario.catalog_version, "mode": words.mode_name(scenario.mode)},
        _rate_note(estimate),
        _("Débit\u00a0: %(conditions)s. Utilisation %(ratio)s et mois de %(hours)s h (hypothèses).")
        % {
            "conditions": labels.throughput_conditions(estimate.gpu.throughput),
            "ratio": formats.percent(estimate.utilisation.value),
            "hours": formats.number(estimate.hours_per_month_h.value),
        },
        _(
            "Chaque requête\u00a0: %(input)s tokens d’entrée, %(output)s de sortie. "
            "Équivalent\u00a0: écart d’au plus %(tie)s."
        )
        % {
            "input": formats.number(scenario.input_tokens),
            "output": formats.number(scenario.output_tokens),
            "tie": formats.percent(scenario.tie_ratio),
        },
    ]
    return tuple(notes)


def _rate_note(estimate: EconomicsEstimate) -> str:
    rate = estimate.usd_per_eur
    if rate is None:
        return _("Aucun taux de change\u00a0: les prix d’API restent en dollars.")
    source = labels.rate_source(rate)
    dated = f"{source}, {formats.date(rate.date)}" if rate.date else source
    return _("1\u00a0€ = %(rate)s (%(source)s).") % {"rate": formats.money(rate.value, "USD", 4), "source": dated}
