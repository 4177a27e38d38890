"""The four figures under the sentence."""

from decimal import Decimal
from typing import NamedTuple

from django.utils.html import format_html

from calculator import formats
from calculator.domain.offers import Sku
from calculator.domain.scenario import Comparison, EconomicsEstimate, GpuBill, Outcome
from calculator.language import gettext as _
from calculator.presenters import counted, words

FACTOR_FROM = 3


class Stat(NamedTuple):
    """A figure, what it is, and one line that puts it in proportion."""

    value: str
    label: str
    note: str = ""


def stats(estimate: EconomicsEstimate) -> tuple[Stat, ...]:
    """Cost per million, load, break-even with the reference, and the next step of the staircase."""
    return (_cost(estimate), _load(estimate), _break_even(estimate), _next_step(estimate))


def reference(estimate: EconomicsEstimate) -> Comparison | None:
    """The comparison that the break-even figures, chart and heat table are about: the reference that the answer used,
    which is another API than the one asked for where that one is not compared."""
    used = estimate.headline.values["reference"]
    return next((row for row in estimate.comparisons if row.bill.api.code == used), None)


def _cost(estimate: EconomicsEstimate) -> Stat:
    gpu = estimate.gpu
    full = formats.unit_price(gpu.full_eur_per_mtok)
    note = _("%(amount)s à pleine capacité prévue") % {"amount": full} if gpu.full_eur_per_mtok is not None else ""
    return Stat(formats.unit_price(gpu.eur_per_mtok), _("HT par million de tokens de sortie"), note)


def _load(estimate: EconomicsEstimate) -> Stat:
    gpu = estimate.gpu
    ceiling = formats.percent(estimate.utilisation.value)
    used = formats.percent(gpu.implied_utilisation_ratio)
    note = _("plafond prévu\u00a0: %(ceiling)s") % {"ceiling": ceiling}
    if gpu.capacity_tokens is not None:
        note = counted.ceiling(ceiling, gpu.capacity_tokens, gpu.sku)
    return Stat(used, _("des heures payées produisent"), note)


def _break_even(estimate: EconomicsEstimate) -> Stat:
    row = reference(estimate)
    if row is None:
        return Stat(_("aucune"), _("API de référence"), _("cochez une API pour comparer"))
    name = row.bill.api.label
    if _is_test(estimate.gpu):
        label = format_html(_("équivalence avec {}"), words.nowrap(name))
        return Stat(_("aucune"), label, _("un essai n’entre dans aucune comparaison"))
    if row.break_even.outcome is Outcome.REACHED and row.break_even.intervals:
        return _reached(row, name, estimate.gpu.sku)
    return _without_volume(row, name, estimate.gpu.sku)


def _is_test(gpu: GpuBill) -> bool:
    return gpu.sku.is_test_host or (gpu.throughput is not None and gpu.throughput.test_model)


def _reached(row: Comparison, name: str, sku: Sku) -> Stat:
    start = row.break_even.intervals[0].start_tokens
    use = row.break_even.utilisation_ratio
    note = counted.use_of_one(formats.percent(use), sku) if use is not None else ""
    return Stat(formats.tokens(start, digits=3), format_html(_("équivalence avec {}"), words.nowrap(name)), note)


def _without_volume(row: Comparison, name: str, sku: Sku) -> Stat:
    label = format_html(_("équivalence avec {}"), words.nowrap(name))
    if row.break_even.outcome is Outcome.NEVER:
        return Stat(_("jamais"), label, _("aucun volume ne rend ce GPU moins cher"))
    if row.break_even.outcome is Outcome.ALWAYS:
        return Stat(_("toujours"), label, _("le GPU coûte moins à tout volume"))
    if row.break_even.outcome is Outcome.BEYOND:
        return Stat(_("au-delà"), label, counted.only_from(row.break_even.instances, sku))
    return Stat(_("inconnue"), label, _("il manque un prix, un débit ou un cours"))


def _next_step(estimate: EconomicsEstimate) -> Stat:
    gpu = estimate.gpu
    if words.is_hours_used(gpu, estimate.scenario.rental):
        return Stat(words.hours(gpu.paid_h), _("heures payées"), _("arrondies une fois, sur le total"))
    if gpu.instances is None or gpu.step_tokens is None:
        return Stat(_("inconnu"), counted.threshold(None, gpu.sku))
    limit = gpu.step_tokens * gpu.instances
    return Stat(
        formats.tokens(limit), counted.threshold(gpu.instances + 1, gpu.sku), _room(limit, estimate.volume_tokens)
    )


def _room(limit: Decimal, volume: Decimal) -> str:
    if not volume:
        return ""
    if limit > volume * FACTOR_FROM:
        return _("%(factor)s fois votre volume") % {"factor": words.times(limit / volume)}
    return _("%(room)s au-dessus de votre volume") % {"room": formats.percent(limit / volume - 1, 1)}
