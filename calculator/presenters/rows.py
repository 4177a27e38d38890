"""One estimate as flat rows: what the CSV, the workbook and the printed quote hold, unrounded, each with its source."""

from collections.abc import Iterator
from decimal import Decimal

from django.utils.translation import gettext as _

from calculator import formats
from calculator.domain.scenario import ApiBill, Comparison, EconomicsEstimate, GpuBill, Outcome
from calculator.presenters import counted, labels, quantities, tables, words
from calculator.presenters.badges import word
from calculator.presenters.headline import sentence
from calculator.presenters.row import Row, Value, sourced_row


def export_rows(estimate: EconomicsEstimate) -> tuple[Row, ...]:
    """Every figure of the page in its order: answer, inputs, GPU, APIs, break-even, volumes, year."""
    parts = (_answer, _inputs, _gpu, _apis, _break_evens, _overview, _volumes, _years)
    return tuple(row for part in parts for row in part(estimate))


def _answer(estimate: EconomicsEstimate) -> Iterator[Row]:
    section = _("Réponse")
    yield Row(section, _("Phrase"), sentence(estimate))
    trust = word(estimate.trust) if estimate.trust else ""
    yield Row(section, _("Origine la plus faible"), trust or _("inconnue"))


def _inputs(estimate: EconomicsEstimate) -> Iterator[Row]:
    section = _("Saisies")
    for attribute, label, value, unit in labels.inputs(estimate):
        yield Row(section, label, value, unit, word(labels.asked(estimate, attribute)))
    yield sourced_row(section, _("Utilisation prévue"), estimate.utilisation, _("part de 1"))
    yield sourced_row(section, _("Heures du mois"), estimate.hours_per_month_h, "h")
    yield sourced_row(section, _("Cours"), estimate.usd_per_eur, _("$ pour 1 €"))


def _gpu(estimate: EconomicsEstimate) -> Iterator[Row]:
    for basis in estimate.bases:
        yield from _gpu_bill(estimate.bases[basis], estimate)


def _gpu_bill(bill: GpuBill, estimate: EconomicsEstimate) -> Iterator[Row]:
    section = f"{bill.sku.name}, {words.basis_name(bill.basis)}"
    rate = bill.throughput
    yield sourced_row(section, _("Prix"), bill.price)
    yield sourced_row(section, _("Débit de sortie"), rate.output_tok_per_s if rate else None, "tok/s")
    yield Row(section, _("Conditions du débit"), labels.throughput_conditions(rate))
    kind = word(bill.trust) if bill.trust else ""
    for label, value, unit in _gpu_figures(bill):
        yield Row(section, label, value, unit, kind)


def _gpu_figures(bill: GpuBill) -> tuple[tuple[str, Decimal | None, str], ...]:
    count = None if bill.instances is None else Decimal(bill.instances)
    per_mtok = _("€ HT / 1M tokens de sortie")
    return (
        (counted.capacity(bill.sku), bill.capacity_tokens, _("tokens / mois")),
        (_("Instances"), count, counted.unit(bill.sku)),
        (_("Heures payées"), bill.paid_h, "h"),
        (_("Heures productives"), bill.productive_h, "h"),
        (_("Utilisation réelle"), bill.implied_utilisation_ratio, _("part de 1")),
        (_("Location"), bill.bill_eur, _("€ HT / mois")),
        (_("Total HT"), bill.total_eur, _("€ HT / mois")),
        (_("Total TTC"), bill.total_ttc_eur, _("€ TTC / mois")),
        (_("Coût par million"), bill.eur_per_mtok, per_mtok),
        (_("Coût par million à pleine capacité prévue"), bill.full_eur_per_mtok, per_mtok),
    )


def _apis(estimate: EconomicsEstimate) -> Iterator[Row]:
    for row in estimate.comparisons:
        yield from _api_bill(row.bill, row)


def _api_bill(bill: ApiBill, row: Comparison) -> Iterator[Row]:
    section = f"{bill.api.label}, {words.mode_name(bill.mode)}"
    kind = word(bill.trust) if bill.trust else ""
    yield Row(section, _("Total en dollars"), bill.usd, _("$ HT / mois"), kind)
    yield Row(section, _("Total HT"), bill.eur, _("€ HT / mois"), kind)
    yield Row(section, _("Total TTC"), bill.eur_ttc, _("€ TTC / mois"), kind)
    yield Row(section, _("Coût par million"), bill.eur_per_mtok, _("€ HT / 1M tokens de sortie"), kind)
    yield Row(section, _("Le GPU coûte"), words.verdict(row.verdict, row.difference_ratio).text)
    yield Row(section, _("Écart GPU ÷ API − 1"), row.difference_ratio, _("part de 1"))
    if row.incomplete:
        yield Row(section, _("Réserve"), _("comparaison incomplète\u00a0: un coût n’est pas compté"))
    for rates in bill.api.modes.get(bill.mode, ()):
        over = rates.context_over_tokens
        suffix = _(" (entrée > %(count)s tokens)") % {"count": formats.number(over)} if over else ""
        for name, item in labels.components(rates):
            yield sourced_row(section, f"{name}{suffix}", item, _("$ / 1M tokens"))


def _break_evens(estimate: EconomicsEstimate) -> Iterator[Row]:
    section = _("Équivalence")
    for row in estimate.comparisons:
        name, point = row.bill.api.label, row.break_even
        yield Row(section, name, labels.outcome(point.outcome))
        if point.outcome is Outcome.REACHED or point.intervals:
            for interval in point.intervals:
                yield Row(
                    section,
                    _("%(name)s\u00a0: GPU moins cher dès") % {"name": name},
                    interval.start_tokens,
                    _("tokens / mois"),
                )
                if interval.end_tokens is not None:
                    yield Row(
                        section, _("%(name)s\u00a0: jusqu’à") % {"name": name}, interval.end_tokens, _("tokens / mois")
                    )
        yield Row(
            section,
            _("%(name)s\u00a0: utilisation d’équivalence") % {"name": name},
            point.utilisation_ratio,
            _("part de 1"),
        )


def _overview(estimate: EconomicsEstimate) -> Iterator[Row]:
    section = _("Chaque GPU")
    for row in estimate.overview:
        name = f"{row.gpu.sku.name}, {words.basis_name(row.gpu.basis)}"
        kind = word(row.gpu.trust) if row.gpu.trust else ""
        total: Value = row.gpu.total_eur if row.gpu.price else _("sur devis")
        yield Row(section, name, total, _("€ HT / mois"), kind)
    yield from _reserve(section, tables.overview_reserve(estimate))


def _reserve(section: str, text: str) -> Iterator[Row]:
    """What the figures of a section leave out, in the words of the page."""
    if text:
        yield Row(section, _("Réserve"), text)


def _volumes(estimate: EconomicsEstimate) -> Iterator[Row]:
    section = _("Selon le volume")
    names = {row.bill.api.code: row.bill.api.label for row in estimate.comparisons}
    for line in estimate.volumes:
        at = quantities.token_count(line.volume_tokens)
        yield Row(section, f"{at}, {line.gpu.sku.name}", line.gpu.total_eur, _("€ HT / mois"))
        for code, amount, _verdict in line.cells:
            yield Row(section, f"{at}, {names.get(code, code)}", amount, _("€ HT / mois"))
    yield from _reserve(section, tables.chosen_reserve(estimate))


def _years(estimate: EconomicsEstimate) -> Iterator[Row]:
    section = _("Sur un an")
    for line in estimate.years:
        name = labels.alternative(line.code, estimate)
        yield Row(section, name, line.year_eur, _("€ HT / an"))
        yield Row(
            section,
            _("%(name)s\u00a0: économie face à la référence") % {"name": name},
            line.saving_year_eur,
            _("€ HT / an"),
        )
