"""The twelve months in words."""

from typing import NamedTuple

from calculator import formats
from calculator.language import gettext as _
from sales.domain.outlook_answer import OutlookEstimate
from sales.domain.ramp import Arrival, Month, Ramp
from sales.outlook import words

SHOWN_ARRIVALS = 3


class MonthLine(NamedTuple):
    """One month: what it carries, what both sides cost, what they have cost so far."""

    number: str
    volume: str
    instances: str
    gpu: str
    api: str
    gpu_so_far: str
    api_so_far: str
    css: str


def lines(ramp: Ramp) -> tuple[MonthLine, ...]:
    """The months in order."""
    return tuple(_line(month) for month in ramp.months)


def _line(month: Month) -> MonthLine:
    wins = {True: "win", False: "lose", None: ""}[month.gpu_wins]
    return MonthLine(
        formats.number(month.number),
        formats.tokens(month.volume_tokens, digits=3),
        formats.number(month.instances),
        words.money(month.gpu_eur),
        words.money(month.api_eur),
        words.money(month.gpu_so_far_eur),
        words.money(month.api_so_far_eur),
        wins,
    )


def title(ramp: Ramp) -> str:
    """When the next GPUs come, as a sentence."""
    if not ramp.arrivals:
        return _("Aucune instance de plus en douze mois")
    first, *more = ramp.arrivals
    text = _("Instance %(which)s au mois %(month)s") % _arrival(first)
    if not more:
        return text
    shown = [_("%(which)s au mois %(month)s") % _arrival(one) for one in more[:SHOWN_ARRIVALS]]
    tail = ", ".join(shown) + (" …" if len(more) > SHOWN_ARRIVALS else "")
    return _("%(text)s, puis %(more)s") % {"text": text, "more": tail}


def _arrival(one: Arrival) -> dict[str, str]:
    number = f"n°\u00a0{formats.number(one.first)}" if formats.is_french() else formats.number(one.first)
    if one.last > one.first:
        number = _("%(first)s à %(last)s") % {"first": number, "last": formats.number(one.last)}
    return {"which": number, "month": formats.number(one.month)}


def sentences(found: OutlookEstimate, ramp: Ramp) -> tuple[str, ...]:
    """Growth, crossing, and the year's total on both sides."""
    both, last = found.both, ramp.months[-1]
    names = {"gpu": both.gpu.sku.name, "api": both.api.bill.api.label if both.api else _("l’API")}
    parts = [_("Croissance de %(growth)s par mois.") % {"growth": formats.percent(ramp.growth_ratio, 1)}]
    parts.append(_crossing(ramp, names))
    if last.gpu_so_far_eur is not None and last.api_so_far_eur is not None:
        amounts = {"gpu_eur": words.money(last.gpu_so_far_eur), "api_eur": words.money(last.api_so_far_eur)}
        parts.append(_("Sur l’année\u00a0: %(gpu)s %(gpu_eur)s, %(api)s %(api_eur)s.") % {**names, **amounts})
    if ramp.paid_back is not None and ramp.crossings:
        values = {**names, "month": formats.number(ramp.paid_back)}
        parts.append(_("Au total, %(gpu)s a coûté moins dès le mois %(month)s.") % values)
    return tuple(part for part in parts if part)


def _crossing(ramp: Ramp, names: dict[str, str]) -> str:
    wins = ramp.months[0].gpu_wins
    if wins is None:
        return ""
    if not ramp.crossings:
        text = _("%(gpu)s coûte moins toute l’année.") if wins else _("%(api)s coûte moins toute l’année.")
        return text % names
    listed = ", ".join(formats.number(number) for number in ramp.crossings)
    first = _("%(gpu)s coûte d’abord moins") if wins else _("%(api)s coûte d’abord moins")
    return _("%(first)s\u00a0; le côté le moins cher change (mois\u00a0: %(months)s).") % {
        "first": first % names,
        "months": listed,
    }
