"""One line of an export, and how a sourced number becomes one."""

import datetime as dt
from decimal import Decimal
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from calculator.domain.provenance import Kind
from calculator.domain.units import to_decimal
from calculator.presenters import quantities
from calculator.presenters.badges import AnySourced, word

Value = Decimal | str | None

UNIT_WORDS = {
    "EUR/hour": gettext_lazy("€ HT / h"),
    "EUR/month": gettext_lazy("€ HT / mois"),
    "USD/EUR": gettext_lazy("$ pour 1 €"),
}
"""How the units of the catalogue's prices and rates are written; other units are written as they are."""


class Row(NamedTuple):
    """One line of an export. `value` None is written as the word for unknown, never as 0."""

    section: str
    label: str
    value: Value
    unit: str = ""
    kind: str = ""
    source: str = ""
    date: dt.date | None = None


def sourced_row(section: str, label: str, item: AnySourced | None, unit: str = "") -> Row:
    """A row whose kind, source and date are those of a sourced number."""
    if item is None:
        return Row(section, label, None, unit)
    value = to_decimal(item.value)
    return Row(section, label, value, unit or unit_word(item.unit), word(item.shown_kind), source(item), item.date)


def unit_word(unit: str) -> str:
    """The unit of a sourced number for a reader, in the language of the page; bytes are "o" in French."""
    return str(UNIT_WORDS.get(unit) or quantities.local_unit(unit))


def source(item: AnySourced) -> str:
    """Where a number comes from: an address, a run, a name; the seller's own offer has no address.

    The reason of whoever published it by exception stands behind it. The notes of the catalogue are English and go into
    the JSON only.
    """
    own_offer = item.kind in (Kind.LIST_PRICE, Kind.CLAIM) and not item.reference
    exception = _("publié par exception\u00a0: %(reason)s") % {"reason": item.exception} if item.exception else ""
    return " · ".join(part for part in (_("offre publiée") if own_offer else item.reference, exception) if part)
