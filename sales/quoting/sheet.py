"""A quote as its reader sees it: every number of its document in words, in the quote's own language.

A draft is written from its offer as it stands now, a numbered quote from what was frozen; both give the same sheet.
"""

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import override

from calculator import formats, saved
from calculator.domain.provenance import Kind
from calculator.presenters.badges import Badge, of_kind
from sales.domain.quoting import Line, Totals
from sales.models import Quote, QuoteCustomer
from sales.quoting import offers, words
from sales.quoting.offers import Offer

TEMPLATE = "sales/quote_document.html"
PRICE_DECIMALS = 4


@dataclass(frozen=True, slots=True)
class Held:
    """What a sheet is written from: lines, totals, the whole answer in the quote's language, the seller's block."""

    lines: tuple[Line, ...]
    totals: Totals | None
    answer: Mapping[str, Any]
    seller: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ShownLine:
    """One line in words. `before` is the list price where another was agreed."""

    label: str
    detail: str
    quantity: str
    unit: str
    price: str
    before: str
    amount: str
    badge: Badge | None


@dataclass(frozen=True, slots=True)
class Sheet:
    """The document. `is_final` = it has its number; `erased` = who it was for is no longer known."""

    number: str
    is_final: bool
    is_withdrawn: bool
    has_expired: bool
    seller: Mapping[str, str]
    customer: QuoteCustomer
    dated: str
    until: str
    catalogue: str
    prices_of: str
    rate: str
    lines: tuple[ShownLine, ...]
    discount: str
    period: str
    total: str
    vat_label: str
    vat: str
    total_ttc: str
    sentence: str
    weakest: str
    notices: tuple[str, ...]
    notes: tuple[str, ...]
    sections: tuple[tuple[str, tuple[saved.Line, ...]], ...]
    terms: str


def of_draft(quote: Quote, found: Offer) -> Held:
    """What would be frozen if the draft were sent now."""
    seller = {
        "name": settings.SELLER_NAME,
        "address": settings.SELLER_ADDRESS,
        "legal": settings.SELLER_LEGAL,
        "contact": settings.SELLER_CONTACT,
        "terms": settings.SELLER_TERMS,
    }
    return Held(found.lines, found.totals, offers.in_language(found, quote.language), seller)


def of_final(quote: Quote) -> Held:
    """What was frozen with the number."""
    kept = tuple(
        Line(
            kind=line.kind,
            sku=line.sku,
            unit=line.unit,
            count=line.count,
            quantity=line.quantity,
            list_eur=line.list_eur,
            unit_eur=line.unit_eur,
            amount_eur=line.amount_eur,
            trust=line.trust,
        )
        for line in quote.lines.all()
    )
    assert quote.total_eur is not None and quote.vat_eur is not None and quote.total_ttc_eur is not None
    seller = {
        "name": quote.seller_name,
        "address": quote.seller_address,
        "legal": quote.seller_legal,
        "contact": quote.seller_contact,
        "terms": quote.terms,
    }
    totals = Totals(quote.total_eur, quote.vat_eur, quote.total_ttc_eur)
    return Held(kept, totals, quote.results[quote.language], seller)


def held(quote: Quote, found: Offer | None = None) -> Held:
    """The one or the other."""
    return of_final(quote) if quote.sequence is not None else of_draft(quote, found or offers.offer(quote))


def html(quote: Quote, kept: Held, today: dt.date) -> SafeString:
    """The document's markup in the quote's language, whatever the page's is."""
    with override(quote.language):
        return render_to_string(TEMPLATE, {"sheet": sheet(quote, kept, today), "language": quote.language})


def sheet(quote: Quote, kept: Held, today: dt.date) -> Sheet:
    """The document in the active language, which is the quote's."""
    answer, totals = kept.answer, kept.totals
    rows = tuple(saved.line_of(row) for row in saved.rows_of(answer))
    return Sheet(
        number=str(quote) if quote.sequence is not None else _("brouillon, sans numéro"),
        is_final=quote.sequence is not None,
        is_withdrawn=bool(getattr(quote, "is_withdrawn", False)),
        has_expired=quote.valid_until < today,
        seller=kept.seller,
        customer=quote.customer,
        dated=formats.date(quote.sent_at or today),
        until=formats.date(quote.valid_until),
        catalogue=str(answer["catalog"]["version"]),
        prices_of=formats.date(dt.datetime.fromisoformat(answer["at"])),
        rate=_rate(quote),
        lines=tuple(_shown(line) for line in kept.lines),
        discount=formats.percent(quote.discount_ratio, 2) if quote.discount_ratio else "",
        period=words.period(answer["period"]),
        total=formats.money(totals.total_eur if totals else None),
        vat_label=formats.percent(quote.vat_ratio, _decimals(quote.vat_ratio * 100)),
        vat=formats.money(totals.vat_eur if totals else None),
        total_ttc=formats.money(totals.total_ttc_eur if totals else None),
        sentence=str(answer["answer"]["sentence"]),
        weakest=_weakest(rows),
        notices=tuple(notice["text"] for notice in answer["notices"] if notice["code"] != "outdated"),
        notes=(*answer["assumptions"], *_own_notes(quote)),
        sections=saved.by_section(rows[1:]),
        terms=kept.seller["terms"],
    )


def _weakest(rows: Iterable[saved.Line]) -> str:
    """The second row of every answer: how far it can be trusted."""
    return next((row.value for row in rows), "")


def _decimals(value: Decimal) -> int:
    return 0 if value == value.to_integral_value() else 2


def _rate(quote: Quote) -> str:
    if quote.usd_per_eur is None:
        return ""
    return f"1\u00a0€ = {formats.money(quote.usd_per_eur, 'USD', PRICE_DECIMALS)}, {formats.date(quote.rate_date)}"


def _own_notes(quote: Quote) -> tuple[str, ...]:
    """What the seller's own terms add to the numbered notes."""
    notes = [_("La TVA est calculée sur le total HT et arrondie une fois\u00a0; montants en euros.")]
    if quote.is_negotiated:
        notes.append(_("Le prix de l’instance est celui qui a été négocié pour ce client."))
    elif quote.agreed_eur is not None:
        notes.append(_("Le prix de l’instance est convenu pour ce devis, à la place du tarif public."))
    if quote.discount_ratio:
        notes.append(_("La remise porte sur le prix de l’instance\u00a0; le prix remisé est arrondi puis compté."))
    return tuple(notes)


def _shown(line: Line) -> ShownLine:
    decimals = 2 if line.unit_eur == line.unit_eur.quantize(Decimal("0.01")) else PRICE_DECIMALS
    is_rental = line.kind == "rental"
    return ShownLine(
        label=line.sku if is_rental else str(words.LINES[line.kind]),
        detail=_("%(count)s × %(sku)s") % {"count": formats.number(line.count), "sku": line.sku} if is_rental else "",
        quantity=formats.number(line.quantity, _decimals(line.quantity)),
        unit=words.unit_name(line.unit) if is_rental else _("mois"),
        price=formats.money(line.unit_eur, decimals=decimals),
        before=formats.money(line.list_eur) if line.list_eur is not None and line.list_eur != line.unit_eur else "",
        amount=formats.money(line.amount_eur),
        badge=of_kind(Kind(line.trust)) if line.trust else None,
    )
