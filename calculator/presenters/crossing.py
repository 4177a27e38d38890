"""The break-even chart in words: its title is the finding, its caption the APIs that it never meets."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from calculator import formats
from calculator.domain.scenario import Comparison, EconomicsEstimate, Outcome
from calculator.presenters import words


def finding(row: Comparison, gpu: str) -> str:
    """The chart's title: what it shows, as a sentence."""
    names = {"gpu": gpu, "api": row.bill.api.label}
    outcome = row.break_even.outcome
    if outcome is Outcome.NEVER:
        return _("À aucun volume %(gpu)s ne coûte moins que %(api)s") % names
    if outcome is Outcome.ALWAYS:
        return _("%(gpu)s coûte moins que %(api)s à tout volume") % names
    if outcome is Outcome.UNKNOWN or not row.break_even.intervals:
        return _("Le seuil entre %(gpu)s et %(api)s est inconnu") % names
    return _from_a_volume(row, names)


def _from_a_volume(row: Comparison, names: dict[str, str]) -> str:
    first, *rest = row.break_even.intervals
    names = {**names, "start": formats.tokens(first.start_tokens, digits=3)}
    if first.end_tokens is None:
        return _("%(gpu)s passe devant %(api)s à partir de %(start)s tokens") % names
    names["gap"] = formats.tokens(first.end_tokens, digits=3)
    if not rest:
        return _("%(gpu)s passe devant %(api)s de %(start)s à %(gap)s tokens seulement") % names
    names["end"] = formats.tokens(rest[0].start_tokens, digits=3)
    if rest[0].end_tokens is None:
        return _("%(gpu)s passe devant %(api)s à partir de %(start)s tokens, sauf de %(gap)s à %(end)s") % names
    return _("%(gpu)s passe devant %(api)s à partir de %(start)s tokens, avec un recul à chaque GPU de plus") % names


def subtitle(*, is_stairs: bool) -> str:
    """The quantity, the unit, and how to read the drawing."""
    if is_stairs:
        return _("Coût mensuel en € HT. Chaque marche est un GPU de plus\u00a0; en bleu pâle, le GPU est moins cher.")
    return _("Coût mensuel en € HT. Les heures utilisées font une droite\u00a0: pas de marche.")


def caption(estimate: EconomicsEstimate) -> str:
    """What the lines that never meet the staircase do; empty when all of them do."""
    never = [row.bill.api.label for row in estimate.comparisons if row.break_even.outcome is Outcome.NEVER]
    if not never:
        return ""
    head, last = ", ".join(never[:-1]), never[-1]
    names = _("%(head)s et %(last)s") % {"head": head, "last": last} if head else last
    text = ngettext(
        "%(names)s reste moins chère que le GPU à tout volume.",
        "%(names)s restent moins chères que le GPU à tout volume.",
        len(never),
    )
    return text % {"names": names}


def step_name(rank: int) -> str:
    """A riser of the staircase."""
    return _("au-delà\u00a0: %(rank)s GPU") % {"rank": words.ordinal(rank)}
