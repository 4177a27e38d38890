"""What every foresight page shows: limits, a sentence about tomorrow, figures beside today's, and ways out."""

from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from django.http import QueryDict
from django.utils.translation import gettext as _

from calculator import formats, pagestate, permalinks
from calculator.presenters.words import Mark


class Limit(NamedTuple):
    """One thing that can give way: what, where, how far that is from today, and whether it has given way already."""

    what: str
    where: str
    distance: str
    mark: Mark


class Change(NamedTuple):
    """One figure today and tomorrow."""

    what: str
    today: str
    tomorrow: str


class WayOut(NamedTuple):
    """One way out, what it brings, what it costs, and the address that applies it; empty where nothing can be set."""

    title: str
    effect: str
    price: str
    mark: Mark
    href: str = ""


@dataclass(frozen=True, slots=True)
class Foresight:
    """A page: its first sentence, the limits, tomorrow's sentence and figures, and the ways out of what fails then.

    `tomorrow_href` is empty where the calculator takes no value as large as tomorrow's.
    """

    sentence: str
    limits: tuple[Limit, ...]
    tomorrow: str
    tomorrow_href: str
    changes: tuple[Change, ...] = ()
    ways: tuple[WayOut, ...] = ()
    notes: tuple[str, ...] = ()


def opened(name: str, query: str, base: object) -> str:
    """A calculator's address at a query; empty where it takes no value as large. `base` is any of its scenarios."""
    return "" if permalinks.read(QueryDict(query), base).problems else pagestate.address(name, query)


HOLDS, GIVES_WAY, GAVE_WAY = "win", "", "lose"


def held(factor: float | Decimal | None) -> Mark:
    """How a limit stands: already passed, or the room that is left."""
    if factor is None or factor < 1:
        return Mark(_("déjà dépassé"), GAVE_WAY)
    return Mark(_("tient aujourd’hui"), HOLDS)


def distance(factor: float | Decimal | None) -> str:
    """How many times today's load a limit is away."""
    if factor is None:
        return _("même seul")
    return f"×{formats.NBSP}{formats.number(formats.significant(factor, 2))}"
