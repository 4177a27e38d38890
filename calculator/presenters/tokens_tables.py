"""The tables of the tokens page: embedding models, APIs and machines that read the corpus once."""

from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from typing import NamedTuple

from django.urls import reverse

from calculator import calibrated, formats, permalinks
from calculator.domain.tokens_scenario import GpuReading, PaidReading, TokensEstimate
from calculator.language import gettext as _
from calculator.presenters import quantities, tokens_notices, tokens_words
from calculator.presenters.badges import Badge, badge, of_kind

WHOLE_EUROS_FROM = 100
"""From here the ends of a band are shown without cents: they are no more certain than that."""


class PaidLine(NamedTuple):
    """One model paid by the token. `limit` is the longest text it takes at once."""

    name: str
    href: str
    history: str
    rate: str
    total: str
    limit: str
    counted: str
    note: str
    badge: Badge | None
    is_current: bool
    is_best: bool


class GpuLine(NamedTuple):
    """One machine that reads the corpus with an open model."""

    code: str
    detail: str
    href: str
    rate: str
    rate_band: str
    time: str
    time_band: str
    total: str
    total_band: str
    note: str
    badge: Badge | None
    is_current: bool
    is_best: bool
    is_unknown: bool


def _cheapest(readings: Iterable[PaidReading | GpuReading]) -> Decimal | None:
    known = [item.eur for item in readings if item.eur is not None]
    return min(known) if len(known) > 1 else None


def embeddings(estimate: TokensEstimate) -> tuple[PaidLine, ...]:
    """Each embedding model on the same chunks."""
    best = _cheapest(estimate.embeddings)
    return tuple(
        _paid(estimate, item, best, embedding=True)._replace(
            is_current=item.model.code == estimate.scenario.embedding,
            href=permalinks.write(replace(estimate.scenario, embedding=item.model.code, calibration=calibrated.mark())),
        )
        for item in estimate.embeddings
    )


def apis(estimate: TokensEstimate) -> tuple[PaidLine, ...]:
    """Each API reading every document once, without an answer."""
    best = _cheapest((*estimate.apis, *estimate.gpus))
    return tuple(_paid(estimate, item, best, embedding=False) for item in estimate.apis)


def _paid(estimate: TokensEstimate, item: PaidReading, best: Decimal | None, *, embedding: bool) -> PaidLine:
    limit = item.model.context_window_tokens
    price = formats.unit_price(item.rate.value, "USD") if item.rate else _("sans prix")
    too_long = embedding and limit is not None and estimate.scenario.chunk_tokens > limit
    return PaidLine(
        name=item.model.label,
        href="",
        history=reverse("price-history", args=["embedding" if embedding else "api", item.model.code]),
        rate=price,
        total=tokens_words.price(item) if item.usd is not None else _("inconnu"),
        limit=formats.number(limit) if limit is not None else _("inconnue"),
        counted=counted_alike(item.counts_alike),
        note=_note(item, too_long),
        badge=badge(item.rate),
        is_current=False,
        is_best=best is not None and item.eur == best,
    )


def _note(item: PaidReading, too_long: bool) -> str:
    if too_long:
        return _("morceau trop long")
    return str(tokens_notices.sentence_of(item.reasons[0])) if item.reasons else ""


def counted_alike(known: bool | None) -> str:
    """Whether a model counts with the same tokenizer."""
    if known is None:
        return _("non publié")
    return _("le même") if known else _("un autre")


def gpus(estimate: TokensEstimate) -> tuple[GpuLine, ...]:
    """Each machine reading every document once with the open model."""
    best = _cheapest((*estimate.apis, *estimate.gpus))
    return tuple(_gpu(estimate, item, best) for item in estimate.gpus)


def indexing(estimate: TokensEstimate) -> tuple[GpuLine, ...]:
    """Each machine embedding every chunk with an open model of the chosen one's size."""
    best = _cheapest((*estimate.embeddings, *estimate.indexing))
    return tuple(_gpu(estimate, item, best) for item in estimate.indexing)


def _gpu(estimate: TokensEstimate, item: GpuReading, best: Decimal | None) -> GpuLine:
    sku = item.offer.sku
    return GpuLine(
        code=sku.code,
        detail=f"{formats.number(sku.gpu_count * item.instances)}{formats.NBSP}× {sku.gpu}",
        href=permalinks.write(replace(estimate.scenario, sku=sku.code, price_eur=None, calibration=calibrated.mark())),
        rate=_rate(item.rate.value) if item.rate else _("inconnu"),
        rate_band=_rate_band(item),
        time=tokens_words.duration(item),
        time_band=tokens_words.duration_band(item),
        total=_total(item),
        total_band=total_band(item),
        note=str(tokens_notices.sentence_of(item.reasons[0])) if item.reasons else "",
        badge=of_kind(item.rate.kind) if item.rate else None,
        is_current=sku.code == estimate.scenario.sku,
        is_best=best is not None and item.eur == best,
        is_unknown=item.rate is None,
    )


def _rate(value: float) -> str:
    return f"{quantities.digits(value)}{formats.NBSP}tok/s"


def _rate_band(item: GpuReading) -> str:
    rate = item.rate
    if rate is None or rate.low is None or rate.high is None:
        return ""
    return _("de %(low)s à %(high)s") % {"low": quantities.digits(rate.low), "high": _rate(rate.high)}


def _total(item: GpuReading) -> str:
    """The price; on request where the machine has none; unknown where its speed is."""
    if item.eur is not None:
        return formats.money(item.eur)
    return _("sur devis") if item.rate is not None else _("inconnu")


def total_band(item: GpuReading) -> str:
    """The ends of the price, from the band of the speed."""
    if item.eur_low is None or item.eur_high is None:
        return ""
    decimals = 0 if item.eur_high >= WHOLE_EUROS_FROM else 2
    low, high = (formats.money(end, decimals=decimals) for end in (item.eur_low, item.eur_high))
    return _("de %(low)s à %(high)s") % {"low": low, "high": high}
