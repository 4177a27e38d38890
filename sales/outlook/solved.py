"""What would have to be true, in words: one line an unknown."""

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from typing import NamedTuple

from calculator import formats, permalinks
from calculator.domain.offers import Basis
from calculator.domain.scenario import Interval, Outcome
from calculator.language import gettext as _
from sales.domain.outlook_answer import OutlookEstimate
from sales.domain.solving import Solution, Unknown
from sales.outlook import words
from sales.outlook.notation import NOTATION

SHOWN_INTERVALS = 3


class SolvedLine(NamedTuple):
    """An input: its value now, the one that makes both sides equal, and what is to be thought of that."""

    name: str
    now: str
    solved: str
    reading: str
    css: str
    hint: str = ""
    query: str = ""


PLACES = Decimal("0.000001")
"""What a link keeps of a solved value."""
ROUNDED = {
    "volume": ROUND_FLOOR,
    "requests": ROUND_FLOOR,
    "util": ROUND_CEILING,
    "rate": ROUND_CEILING,
    "price": ROUND_HALF_EVEN,
    "uplift": ROUND_HALF_EVEN,
    "fx": ROUND_HALF_EVEN,
}
"""Keys that a solution may change. A volume that fills an instance must not need a second one for its last digit."""


def lines(found: OutlookEstimate) -> tuple[SolvedLine, ...]:
    """Every unknown, solved or with the reason why it is not."""
    return tuple(_line(one, found.scenario.basis) for one in found.solutions)


def _line(one: Solution, basis: Basis) -> SolvedLine:
    code = one.unknown.value
    reading, css = _reading(one)
    return SolvedLine(
        str(words.INPUTS[code]),
        words.amount(code, one.now, basis),
        solved(one, basis),
        reading,
        css,
        _hint(one.unknown),
        put_back(one),
    )


def _hint(unknown: Unknown) -> str:
    """What a solved value is of, where it is not of the visitor's own volume."""
    return {
        Unknown.UTILISATION: _("heures où une instance produit, quel que soit le volume"),
        Unknown.RATE: _("d’une instance pleine comme prévu"),
    }.get(unknown, "")


def put_back(one: Solution) -> str:
    """The link that opens the outlook with the solved value; empty where a link cannot hold it."""
    back, changed = one.put_back, {}
    if back is None:
        return ""
    for name, rounding in ROUNDED.items():
        key = NOTATION.by_name[name]
        value, quantity = getattr(back, key.attribute), key.quantity
        if value is None or quantity is None:
            continue
        if not quantity.limits.hold(value):
            return ""
        rounded = Decimal(value).quantize(Decimal(1) if quantity.whole else PLACES, rounding)
        if not quantity.takes(rounded):
            return ""
        changed[key.attribute] = int(rounded) if quantity.whole else rounded
    return permalinks.write(back, **changed)


def solved(one: Solution, basis: Basis) -> str:
    """The solved value; “at no value” and “whatever the value” are answers too."""
    if one.outcome is Outcome.NEVER:
        return _("aucune valeur")
    if one.outcome is Outcome.ALWAYS:
        return _("toute valeur")
    if one.intervals:
        return intervals(one.intervals)
    return words.amount(one.unknown.value, one.solved, basis)


def intervals(found: tuple[Interval, ...]) -> str:
    """Volumes at which the GPU costs less; GPUs come whole, so there may be gaps between them."""
    parts = [_interval(one) for one in found[:SHOWN_INTERVALS]]
    return words.joined(parts) + (" …" if len(found) > SHOWN_INTERVALS else "")


def _interval(one: Interval) -> str:
    start = formats.tokens(one.start_tokens, digits=3)
    if one.end_tokens is None:
        return _("dès %(start)s") % {"start": start}
    return _("de %(start)s à %(end)s") % {"start": start, "end": formats.tokens(one.end_tokens, digits=3)}


def _reading(one: Solution) -> tuple[str, str]:
    """Plausible or not, with the reason; the class only adds a shape."""
    if one.outcome is Outcome.UNKNOWN:
        return _("un prix ou un débit manque"), "tag idle"
    told = words.joined(words.doubt(message) for message in one.doubts)
    if one.outcome is Outcome.NEVER:
        return told, "tag bad"
    if any(message.code not in words.NOTES for message in one.doubts):
        return _("peu plausible\u00a0: %(why)s") % {"why": told}, "tag warn"
    return (_("plausible\u00a0; %(note)s") % {"note": told} if told else _("plausible")), "tag good"
