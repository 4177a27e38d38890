"""One item's prices over time, and the price on a given day."""

import datetime as dt
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from django import forms
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from calculator import formats
from calculator.catalog import NotFound, PricePoint
from calculator.domain.offers import Mode
from calculator.fields import decimals, printable
from calculator.listing.prices import Checked, source_of
from calculator.listing.tables import Cell, unknown
from calculator.presenters.labels import COMPONENTS, component_name
from calculator.snapshots import PARIS

MODE_NAMES = {
    "standard": gettext_lazy("standard"),
    "priority": gettext_lazy("prioritaire"),
    "on_demand": gettext_lazy("à la demande"),
    "reserved": gettext_lazy("réservé"),
}
MODES = (*(mode.value for mode in Mode), "on_demand", "reserved", "spot")
FIRST_DAY, LAST_DAY = dt.date(2000, 1, 1), dt.date(2099, 12, 31)


class DayForm(forms.Form):
    """The day to look a price up for."""

    on = forms.DateField(
        label=gettext_lazy("Prix un jour donné"),
        widget=forms.DateInput(attrs={"type": "date", "min": FIRST_DAY.isoformat(), "max": LAST_DAY.isoformat()}),
        input_formats=["%Y-%m-%d", "%d/%m/%Y"],
        error_messages={
            "required": gettext_lazy("Indiquez un jour, par exemple 2026-10-03."),
            "invalid": gettext_lazy("Ce n’est pas une date : écrivez par exemple 2026-10-03."),
        },
    )

    def clean_on(self) -> dt.date:
        """A day within the calendar's reach."""
        day: dt.date = self.cleaned_data["on"]
        if not FIRST_DAY <= day <= LAST_DAY:
            raise forms.ValidationError(_("Choisissez un jour entre 2000 et 2099."), code="range")
        return day


class HistoryRow(NamedTuple):
    """What began at one instant in one mode and context tier: a cell for each component of the item."""

    mode: str
    tier: str
    cells: tuple[Cell, ...]
    start: str
    end: str
    in_force: bool
    version: str
    checked: Checked


class History(NamedTuple):
    """The heads of the components that the item has prices for, and the rows."""

    components: tuple[str, ...]
    rows: tuple[HistoryRow, ...]


class DayAnswer(NamedTuple):
    """What was in force on a day; no rows means that there was no price."""

    day: str
    history: History


class Item(NamedTuple):
    """What the history is about."""

    kind: str
    code: str
    is_sku: bool


def item(kind: str, code: str) -> Item:
    """The item under its code as the offer writes it."""
    return Item(kind, code, kind == "sku")


def missing(kind: str, error: NotFound) -> dict[str, str]:
    """What the 404 page says: the code asked for, and the nearest that exists."""
    asked = printable(error.code)
    nearest = reverse("price-history", args=[kind, error.nearest]) if error.nearest else ""
    return {"code": asked, "nearest": error.nearest, "nearest_href": nearest}


def history(points: Iterable[PricePoint], today: dt.date) -> History:
    """The newest start first; prices that begin and end together share a row."""
    listed = tuple(points)
    codes = [code for code in COMPONENTS if any(point.component == code for point in listed)]
    groups: dict[tuple[object, ...], dict[str, PricePoint]] = {}
    for point in sorted(listed, key=_place):
        groups.setdefault(_group(point), {})[point.component] = point
    found = tuple(_row(group, codes, today) for group in groups.values())
    return History(tuple(component_name(code) for code in codes), found)


def on_day(points: Iterable[PricePoint], day: dt.date, today: dt.date) -> DayAnswer:
    """The prices in force when `day` begins in Paris; withdrawn ones are no price."""
    moment = dt.datetime.combine(day, dt.time(), tzinfo=PARIS)
    found = (point for point in points if _holds(point, moment) and point.is_sold)
    return DayAnswer(formats.date(day), history(found, today))


def _holds(point: PricePoint, moment: dt.datetime) -> bool:
    return point.valid_from <= moment and (point.valid_until is None or moment < point.valid_until)


def _place(point: PricePoint) -> tuple[float, int, int]:
    """Newest first; within an instant the service levels in their usual order, then the context tiers."""
    mode = MODES.index(point.mode) if point.mode in MODES else len(MODES)
    return -point.valid_from.timestamp(), mode, point.context_over_tokens


def _group(point: PricePoint) -> tuple[object, ...]:
    return (point.valid_from, point.valid_until, point.mode, point.context_over_tokens, point.currency, point.version)


def _row(group: Mapping[str, PricePoint], codes: Iterable[str], today: dt.date) -> HistoryRow:
    first = next(iter(group.values()))
    over = first.context_over_tokens
    return HistoryRow(
        mode=str(MODE_NAMES.get(first.mode, first.mode)),
        tier=_("entrée > %(count)s tokens") % {"count": formats.number(over)} if over else "",
        cells=tuple(Cell(amount(group[code])) if code in group else unknown("") for code in codes),
        start=formats.instant(first.valid_from),
        end=formats.instant(first.valid_until) if first.valid_until else "",
        in_force=first.in_force,
        version=formats.number(first.version),
        checked=source_of(first.source_url, first.checked_on, first.note, today),
    )


def amount(point: PricePoint) -> str:
    """A price with its currency; free, variable and withdrawn are words."""
    if point.is_free:
        return _("gratuit")
    if point.is_variable:
        return _("prix variable")
    if point.amount is None:
        return _("retiré de la vente")
    return formats.money(point.amount, point.currency, max(2, decimals(point.amount)))
