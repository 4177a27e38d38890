"""One tokens estimate as flat rows: what CSV, workbook, print and saved estimates hold, unrounded."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from calculator.domain.provenance import Kind
from calculator.domain.tokens_scenario import GpuReading, PaidReading, Spread, TokensEstimate
from calculator.domain.tokens_steps import mean_kind
from calculator.domain.units import to_decimal
from calculator.forms.tokens import TokensForm
from calculator.permalinks import tokens as notation
from calculator.presenters import tokens_notices
from calculator.presenters.badges import word
from calculator.presenters.input_rows import input_rows
from calculator.presenters.row import Row, Value, sourced_row
from calculator.presenters.tokens_words import sentence


def export_rows(estimate: TokensEstimate) -> tuple[Row, ...]:
    """Every figure of the page in its order."""
    parts = (_answer, _inputs, _embeddings, _apis, _gpus, _notices)
    return tuple(row for part in parts for row in part(estimate))


def _value(number: float | None) -> Value:
    return None if number is None else to_decimal(number)


def _answer(estimate: TokensEstimate) -> Iterator[Row]:
    section, kind = _("Réponse"), word(mean_kind(estimate.scenario))
    trust = word(estimate.trust) if estimate.trust else _("inconnue")
    yield Row(section, _("Phrase"), sentence(estimate))
    yield Row(section, _("Origine la plus faible"), trust)
    yield from _spread(section, _("Tokens du corpus"), estimate.total, kind)
    yield Row(section, _("Demi-intervalle"), _value(estimate.margin_ratio), _("part de 1"), kind)
    yield Row(section, _("Morceaux par document"), _value(estimate.chunks_a_document), "", kind)
    yield Row(section, _("Morceaux à indexer"), _value(estimate.chunks_count), "", kind)
    yield from _spread(section, _("Tokens lus pour indexer"), estimate.embedded, kind)
    if estimate.typed_time_s is not None:
        yield Row(section, _("Durée au débit saisi"), to_decimal(estimate.typed_time_s), "s", word(Kind.ASSUMPTION))


def _spread(section: str, label: str, spread: Spread, kind: str) -> Iterator[Row]:
    yield Row(section, label, to_decimal(spread.value), _("tokens"), kind)
    if spread.low is not None and spread.high is not None:
        yield Row(section, _("%(label)s, au moins") % {"label": label}, to_decimal(spread.low), _("tokens"), kind)
        yield Row(section, _("%(label)s, au plus") % {"label": label}, to_decimal(spread.high), _("tokens"), kind)


def _inputs(estimate: TokensEstimate) -> Iterator[Row]:
    kinds = {"mean": mean_kind(estimate.scenario)}
    yield from input_rows(TokensForm, notation.KEYS[2:], estimate.scenario, kinds)
    yield sourced_row(_("Saisies"), _("Dollars pour 1 €"), estimate.usd_per_eur)


def _paid(section: str, item: PaidReading) -> Iterator[Row]:
    label = item.model.label
    yield sourced_row(section, _("%(name)s, prix d’entrée") % {"name": label}, item.rate, _("$ / 1M tokens"))
    kind = word(item.rate.kind) if item.rate else ""
    yield Row(section, _("%(name)s, coût") % {"name": label}, item.usd, "$", kind)
    yield Row(section, _("%(name)s, coût") % {"name": label}, item.eur, _("€ HT"), kind)


def _embeddings(estimate: TokensEstimate) -> Iterator[Row]:
    for item in estimate.embeddings:
        yield from _paid(_("Indexer"), item)


def _apis(estimate: TokensEstimate) -> Iterator[Row]:
    for item in estimate.apis:
        yield from _paid(_("Lire une fois, API"), item)


def _gpus(estimate: TokensEstimate) -> Iterator[Row]:
    for item in estimate.gpus:
        yield from _gpu(_("Lire une fois, GPU"), item)
    for item in estimate.indexing:
        yield from _gpu(_("Indexer, GPU"), item)


def _gpu(section: str, item: GpuReading) -> Iterator[Row]:
    name = {"name": item.offer.sku.code}
    rate, time = item.rate, item.time_s
    kind = word(rate.kind) if rate else ""
    for label, value, unit in (
        (_("%(name)s, débit de lecture"), rate.value if rate else None, "tok/s"),
        (_("%(name)s, débit de lecture, au moins"), rate.low if rate else None, "tok/s"),
        (_("%(name)s, débit de lecture, au plus"), rate.high if rate else None, "tok/s"),
        (_("%(name)s, durée"), time.value if time else None, "s"),
    ):
        yield Row(section, label % name, _value(value), unit, kind)
    yield Row(section, _("%(name)s, coût") % name, item.eur, _("€ HT"), kind)


def _notices(estimate: TokensEstimate) -> Iterator[Row]:
    for notice in tokens_notices.notices(estimate):
        yield Row(_("Remarques"), notice.lead, str(notice.text))
