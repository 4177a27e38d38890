"""The break-even chart in words: its title is the finding, its caption the APIs that it never meets."""

from django.utils.html import format_html
from django.utils.safestring import SafeString

from calculator import formats
from calculator.domain.offers import Sku
from calculator.domain.scenario import BillingStep, Comparison, EconomicsEstimate, Outcome
from calculator.language import gettext as _
from calculator.language import ngettext
from calculator.presenters import counted, words


def finding(row: Comparison, gpu: str) -> SafeString:
    """The chart's title: what it shows, as a sentence."""
    names = {"gpu": words.nowrap(gpu), "api": words.nowrap(row.bill.api.label)}
    outcome = row.break_even.outcome
    if outcome is Outcome.NEVER:
        return format_html(_("À aucun volume {gpu} ne coûte moins que {api}"), **names)
    if outcome is Outcome.ALWAYS:
        return format_html(_("{gpu} coûte moins que {api} à tout volume"), **names)
    if outcome is Outcome.UNKNOWN or not row.break_even.intervals:
        return format_html(_("Le seuil entre {gpu} et {api} est inconnu"), **names)
    return _from_a_volume(row, names)


def _from_a_volume(row: Comparison, names: dict[str, SafeString]) -> SafeString:
    first, *rest = row.break_even.intervals
    start = words.nowrap(formats.tokens(first.start_tokens, digits=3))
    names = {**names, "start": words.nowrap(formats.tokens_before(first.start_tokens, digits=3))}
    if first.end_tokens is None:
        return format_html(_("{gpu} passe devant {api} à partir de {start} tokens"), **names)
    if not rest:
        names |= {"start": start, "gap": words.nowrap(formats.tokens_before(first.end_tokens, digits=3))}
        return format_html(_("{gpu} passe devant {api} de {start} à {gap} tokens seulement"), **names)
    names["gap"] = words.nowrap(formats.tokens(first.end_tokens, digits=3))
    names["end"] = words.nowrap(formats.tokens(rest[0].start_tokens, digits=3))
    if rest[0].end_tokens is None:
        return format_html(_("{gpu} passe devant {api} à partir de {start} tokens, sauf de {gap} à {end}"), **names)
    return format_html(_("{gpu} passe devant {api} à partir de {start} tokens, avec un recul à chaque marche"), **names)


def subtitle(sku: Sku, unit: BillingStep | None) -> str:
    """The quantity, the unit, and how to read the drawing; `unit` = the hours used are paid by that step."""
    if unit is None:
        return counted.reading_of_stairs(sku)
    if unit is BillingStep.HOUR:
        return _("Coût mensuel en € HT. Toute heure entamée est due\u00a0: une marche par heure utilisée.")
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
