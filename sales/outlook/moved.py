"""The sensitivity in words: one line a lever, and the cost of a million tokens as a band."""

from decimal import Decimal
from typing import NamedTuple

from calculator import formats
from calculator.domain.offers import Basis
from calculator.language import gettext as _
from calculator.presenters.badges import Badge, badge
from sales.domain.outlook_answer import OutlookEstimate
from sales.domain.sensitivity import Bar, End
from sales.outlook import words


class MovedLine(NamedTuple):
    """A lever: its range, where the range comes from, and the gap at both ends."""

    name: str
    low: str
    now: str
    high: str
    badge: Badge | None
    low_gap: str
    high_gap: str
    flips: str


class BandLine(NamedTuple):
    """One side's cost of a million tokens: now, and between its ends."""

    name: str
    now: str
    low: str
    high: str


def lines(found: OutlookEstimate) -> tuple[MovedLine, ...]:
    """The levers, the widest first."""
    return tuple(_line(one, found.scenario.basis) for one in found.sensitivity.bars)


def _line(one: Bar, basis: Basis) -> MovedLine:
    code, span = one.lever.value, one.span
    return MovedLine(
        name=str(words.INPUTS[code]),
        low=words.amount(code, span.low.value if span else None, basis),
        now=words.amount(code, one.now, basis),
        high=words.amount(code, span.high.value if span else None, basis),
        badge=badge(span.low) if span else None,
        low_gap=_gap(one.low),
        high_gap=_gap(one.high),
        flips=_("change de côté") if one.flips else "",
    )


def _gap(end: End | None) -> str:
    return words.signed_money(end.gap_eur if end else None)


def title(found: OutlookEstimate) -> str:
    """What the figure shows, as a sentence."""
    bars = [one for one in found.sensitivity.bars if one.width_eur]
    if not bars:
        return _("Aucune de ces plages ne déplace l’écart")
    names = {"lever": str(words.INPUTS[bars[0].lever.value]).lower()}
    flipping = sum(one.flips for one in bars)
    if not flipping:
        return _("Aucune plage ne change le côté le moins cher\u00a0; ce qui pèse le plus\u00a0: %(lever)s") % names
    return _("Ce qui pèse le plus\u00a0: %(lever)s") % names


def bands(found: OutlookEstimate) -> tuple[BandLine, ...]:
    """Both sides' € per million output tokens."""
    bands, both = found.sensitivity.bands, found.both
    api = both.api.bill if both.api else None
    known = [(both.gpu.sku.name, both.gpu.eur_per_mtok, bands.gpu_low, bands.gpu_high)]
    if api is not None:
        known.append((api.api.label, api.eur_per_mtok, bands.api_low, bands.api_high))
    return tuple(BandLine(name, *(_price(value) for value in values)) for name, *values in known)


def _price(value: Decimal | None) -> str:
    return formats.unit_price(value)
