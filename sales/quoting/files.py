"""A quote as CSV or JSON: its own lines and totals, then the rows of its estimate, in the quote's language."""

from typing import Any

from django.http import HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from django.utils.translation import override

from calculator import exports, fields, formats, savedfiles
from calculator.presenters.row import Row
from sales.models import Quote
from sales.quoting import words
from sales.quoting.sheet import Held

SCHEMA = 1


def rows(quote: Quote, kept: Held) -> list[Row]:
    """The quote's lines and totals, then every row of the estimate."""
    section, found = _("Ce devis"), []
    for line in kept.lines:
        name = line.sku or str(words.LINES[line.kind])
        found.append(
            Row(section, _("%(name)s\u00a0: quantité") % {"name": name}, line.quantity, words.unit_name(line.unit))
        )
        found.append(Row(section, _("%(name)s\u00a0: prix unitaire") % {"name": name}, line.unit_eur, _("€ HT")))
        found.append(Row(section, _("%(name)s\u00a0: montant") % {"name": name}, line.amount_eur, _("€ HT")))
    if kept.totals is not None:
        found.append(Row(section, _("Total HT"), kept.totals.total_eur, _("€ HT")))
        found.append(Row(section, _("TVA"), kept.totals.vat_eur, "€"))
        found.append(Row(section, _("Total TTC"), kept.totals.total_ttc_eur, _("€ TTC")))
    return [*found, *(savedfiles.row_of(row) for row in kept.answer["rows"])]


def head(quote: Quote, kept: Held) -> list[tuple[str, str]]:
    """What the file says of itself."""
    customer = quote.customer
    return [
        (_("Ce devis"), str(quote) if quote.sequence is not None else _("brouillon, sans numéro")),
        (_("Vendeur"), kept.seller["name"]),
        (_("Client"), customer.name),
        (_("Référence du client"), customer.reference),
        (_("Établi le"), formats.instant(quote.sent_at) if quote.sent_at else ""),
        (_("Valable jusqu’au"), formats.date(quote.valid_until)),
        (_("Liste de prix"), str(kept.answer["catalog"]["version"])),
        (_("Prix"), _("hors taxes (HT) sauf mention TTC")),
    ]


def document(quote: Quote, kept: Held) -> dict[str, Any]:
    """The quote as data: decimals as strings, the frozen estimate beside its lines. No cost, no margin."""
    customer, totals = quote.customer, kept.totals
    return {
        "schema": SCHEMA,
        "number": str(quote) if quote.sequence is not None else None,
        "language": quote.language,
        "sent_at": quote.sent_at.isoformat() if quote.sent_at else None,
        "valid_until": quote.valid_until.isoformat(),
        "seller": dict(kept.seller),
        "customer": {"name": customer.name, "contact": customer.contact, "reference": customer.reference},
        "lines": [
            {
                "kind": line.kind,
                "sku": line.sku or None,
                "unit": line.unit,
                "quantity": fields.plain(line.quantity),
                "list_eur": None if line.list_eur is None else fields.plain(line.list_eur),
                "unit_eur": fields.plain(line.unit_eur),
                "amount_eur": str(line.amount_eur),
            }
            for line in kept.lines
        ],
        "discount_ratio": fields.plain(quote.discount_ratio),
        "vat_ratio": fields.plain(quote.vat_ratio),
        "total_eur": None if totals is None else str(totals.total_eur),
        "vat_eur": None if totals is None else str(totals.vat_eur),
        "total_ttc_eur": None if totals is None else str(totals.total_ttc_eur),
        "estimate": {name: value for name, value in kept.answer.items() if name != "period"},
    }


def response(quote: Quote, kept: Held, suffix: str) -> HttpResponse:
    """The file with that suffix."""
    with override(quote.language):
        if suffix == "json":
            return JsonResponse(document(quote, kept), json_dumps_params={"ensure_ascii": False})
        text = exports.csv_of(head(quote, kept), rows(quote, kept))
    found = HttpResponse(text.encode(), content_type=exports.CSV_TYPE)
    name = str(quote) if quote.sequence is not None else "draft"
    found.headers["Content-Disposition"] = f'attachment; filename="quote-{name}.csv"'
    return found
