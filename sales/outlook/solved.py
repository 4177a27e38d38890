"""What would have to be true, in words: one line an unknown."""

from typing import NamedTuple

from calculator import formats
from calculator.domain.offers import Basis
from calculator.domain.scenario import Interval, Outcome
from calculator.language import gettext as _
from sales.domain.outlook_answer import OutlookEstimate
from sales.domain.solving import Solution, Unknown
from sales.outlook import words

SHOWN_INTERVALS = 3


class SolvedLine(NamedTuple):
    """An input: its value now, the one that makes both sides equal, and what is to be thought of that."""

    name: str
    now: str
    solved: str
    reading: str
    css: str
    hint: str = ""


HINTS = {
    Unknown.UTILISATION: "one_full",
    Unknown.RATE: "one_full",
}


def lines(found: OutlookEstimate) -> tuple[SolvedLine, ...]:
    """Every unknown, solved or with the reason why it is not."""
    return tuple(_line(one, found.scenario.basis) for one in found.solutions)


def _line(one: Solution, basis: Basis) -> SolvedLine:
    code = one.unknown.value
    reading, css = _reading(one)
    hint = _("d’une instance pleine comme prévu") if one.unknown in HINTS else ""
    return SolvedLine(
        str(words.INPUTS[code]),
        words.amount(code, one.now, basis),
        solved(one, basis),
        reading,
        css,
        hint,
    )


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
    return "\u00a0; ".join(parts) + (" …" if len(found) > SHOWN_INTERVALS else "")


def _interval(one: Interval) -> str:
    start = formats.tokens(one.start_tokens, digits=3)
    if one.end_tokens is None:
        return _("dès %(start)s") % {"start": start}
    return _("de %(start)s à %(end)s") % {"start": start, "end": formats.tokens(one.end_tokens, digits=3)}


def _reading(one: Solution) -> tuple[str, str]:
    """Plausible or not, with the reason; the class only adds a shape."""
    if one.outcome is Outcome.UNKNOWN:
        return _("un prix ou un débit manque"), "tag idle"
    told = "\u00a0; ".join(words.doubt(message) for message in one.doubts)
    if one.outcome is Outcome.NEVER:
        return told, "tag bad"
    if any(message.code not in words.NOTES for message in one.doubts):
        return _("peu plausible\u00a0: %(why)s") % {"why": told}, "tag warn"
    return (_("plausible\u00a0; %(note)s") % {"note": told} if told else _("plausible")), "tag good"
