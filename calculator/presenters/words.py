"""Small pieces of language shared by the sentences and tables: lists of names, verdicts, descriptions of a GPU."""

from collections.abc import Iterable
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from calculator import formats
from calculator.domain.offers import Basis, Mode, Sku
from calculator.domain.scenario import GpuBill, Rental, Verdict
from calculator.language import gettext as _

TIMES_FROM = Decimal(2)
CSS = {Verdict.GPU: "win", Verdict.API: "lose", Verdict.EQUIVALENT: "tie", Verdict.UNKNOWN: ""}


class Mark(NamedTuple):
    """A verdict as words and CSS class (the class only adds a triangle and a colour)."""

    text: str
    css: str


@lru_cache(maxsize=1024)
def nowrap(text: str) -> SafeString:
    """A name that no line end may cut."""
    return format_html('<span class="nw">{}</span>', text)


def listing(names: Iterable[str]) -> SafeString:
    """“A”, “A et B”, “A, B et C”, each name unbroken."""
    items = [nowrap(name) for name in names]
    if len(items) < 2:
        return items[0] if items else SafeString("")
    head = format_html_join(", ", "{}", ((item,) for item in items[:-1]))
    return format_html(_("{} et {}"), head, items[-1])


def bare(amount: str) -> str:
    """An amount without its euro sign, for a column whose head names the unit."""
    return amount.replace(f"{formats.NBSP}€", "").replace("€", "")


def times(ratio: Decimal) -> str:
    """A factor: one decimal under 100, none above."""
    return formats.number(ratio, 1 if ratio < 100 else 0)


def verdict(kind: Verdict, difference: Decimal | None) -> Mark:
    """How much the GPU costs beside one API, in full words."""
    if kind is Verdict.UNKNOWN or difference is None:
        return Mark(_("inconnu"), "")
    if kind is Verdict.EQUIVALENT:
        return Mark(_("équivalent"), CSS[kind])
    if difference > TIMES_FROM:
        return Mark(_("%(factor)s fois plus cher") % {"factor": times(difference + 1)}, CSS[kind])
    size = formats.percent(abs(difference))
    return Mark((_("%(size)s de plus") if difference > 0 else _("%(size)s de moins")) % {"size": size}, CSS[kind])


def delta(kind: Verdict, difference: Decimal | None) -> Mark:
    """The same for a narrow cell: × 15,5 · +106 % · −38 % · ≈ +3 %."""
    if kind is Verdict.UNKNOWN or difference is None:
        return Mark(_("inconnu"), "")
    if difference > TIMES_FROM:
        return Mark(f"×{formats.NBSP}{times(difference + 1)}", CSS[kind])
    size = formats.percent(difference, signed=True)
    return Mark(f"≈{formats.NBSP}{size}" if kind is Verdict.EQUIVALENT else size, CSS[kind])


def price(sku: Sku, basis: Basis) -> str:
    """The list price with its period, or the words for a price on request."""
    found = sku.prices.get(basis)
    if found is None:
        return _("sur devis")
    return per_period(formats.unit_price(found.value), basis)


def per_period(amount: str, basis: Basis) -> str:
    """“830,64 €/mois” or “1,50 €/h”."""
    return (_("%(amount)s/mois") if basis is Basis.MONTH else _("%(amount)s/h")) % {"amount": amount}


def basis_name(basis: Basis) -> str:
    """How the rental is billed."""
    return _("au mois") if basis is Basis.MONTH else _("à l’heure")


def mode_name(mode: Mode) -> str:
    """The service level of an API price; never left unsaid."""
    return {Mode.STANDARD: _("standard"), Mode.BATCH: "batch", Mode.FLEX: "flex", Mode.PRIORITY: _("prioritaire")}[mode]


def ordinal(count: int) -> str:
    """“2ᵉ”, “2nd”."""
    if formats.babel_locale() == "fr_FR":
        return f"{formats.number(count)}{'ᵉʳ' if count == 1 else 'ᵉ'}"
    suffix = "th" if 10 <= count % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(count % 10, "th")
    return f"{formats.number(count)}{suffix}"


def is_hours_used(bill: GpuBill, rental: Rental) -> bool:
    """Whether the bill counts the hours used; a monthly price is always on, whatever was asked."""
    return rental is Rental.HOURS_USED and bill.basis is Basis.HOUR


def hours(value: Decimal | None) -> str:
    """Paid hours: whole where they are whole, else to the tenth."""
    if value is None:
        return _("inconnu")
    return formats.number(value, 0 if value == value.to_integral_value() else 1)
