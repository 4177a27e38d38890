"""The one-sentence answer: what the GPU costs, and which APIs cost more, less or the same for the same traffic.

The sentence is built from the comparisons of the estimate, so it can never say more than the table under it.
"""

import html
from collections.abc import Sequence
from decimal import Decimal

from django.utils.html import format_html, strip_tags
from django.utils.safestring import SafeString

from calculator import formats
from calculator.domain.scenario import Comparison, EconomicsEstimate, GpuBill, Rental, Verdict
from calculator.domain.units import half_up
from calculator.language import gettext as _
from calculator.language import ngettext
from calculator.presenters import words

NAMED_AT_MOST = 3


def lead(estimate: EconomicsEstimate) -> SafeString:
    """The sentence as markup, the answer in bold."""
    if estimate.gpu.total_eur is None:
        return _unknown_gpu(estimate)
    dearer = _dearer(estimate)
    clauses = [clause for clause in (_cheaper(estimate), _same(estimate), dearer) if clause]
    cost = _reserved(_cost(estimate), estimate.gpu)
    if not clauses:
        return format_html("{}.", cost)
    return format_html(_("{}\u00a0: {}."), cost, _joined(clauses, _("{}, mais {}") if dearer else _("{}, et {}")))


def sentence(estimate: EconomicsEstimate) -> str:
    """The same sentence as plain text, for the status region, the command line and the exports."""
    return plain(lead(estimate))


def plain(markup: str) -> str:
    """Markup without its tags and entities."""
    return html.unescape(strip_tags(markup))


def eyebrow(estimate: EconomicsEstimate) -> str:
    """The volume that the sentence is about."""
    count = formats.tokens_before(estimate.volume_tokens)
    return _("À %(count)s tokens de sortie par mois") % {"count": count}


def _joined(clauses: Sequence[SafeString], last: str) -> SafeString:
    """Clauses with commas, the last one joined by `last`."""
    text = clauses[0]
    for clause in clauses[1:]:
        text = format_html(last if clause is clauses[-1] else "{}, {}", text, clause)
    return text


def _reserved(cost: SafeString, bill: GpuBill) -> SafeString:
    """A cost that leaves out the time of the prompts says so wherever the sentence goes."""
    uncounted = any(reason.code == "prompt_time_not_counted" for reason in bill.reasons)
    return format_html(_("{}, temps du prompt non compté"), cost) if uncounted else cost


def _cost(estimate: EconomicsEstimate) -> SafeString:
    amount = format_html(
        '<b class="gpu">{}</b>', _("%(amount)s HT par mois") % {"amount": formats.money(estimate.gpu.total_eur)}
    )
    return format_html(_subject(estimate.gpu, estimate.scenario.rental), words.nowrap(estimate.gpu.sku.name), amount)


def _subject(bill: GpuBill, rental: Rental) -> str:
    """The sentence's first words, with places for the SKU's name and the amount."""
    if words.is_hours_used(bill, rental):
        return _("%(hours)s heures de {} coûtent {}") % {"hours": words.hours(bill.paid_h)}
    count = bill.instances or 1
    if bill.sku.set_of > 1:
        text = ngettext("Un lot de {} coûte {}", "%(count)s lots de {} coûtent {}", count)
        return text % {"count": formats.number(count)}
    return ngettext("Un {} dédié coûte {}", "%(count)s {} dédiés coûtent {}", count) % {"count": formats.number(count)}


def _of(estimate: EconomicsEstimate, verdict: Verdict) -> list[Comparison]:
    return [row for row in estimate.comparisons if row.verdict is verdict]


def _cheaper(estimate: EconomicsEstimate) -> SafeString:
    rows = _of(estimate, Verdict.GPU)
    if not rows:
        return SafeString("")
    return format_html(_("{} de moins que {}"), _spread(rows), _who(rows, len(estimate.comparisons)))


def _dearer(estimate: EconomicsEstimate) -> SafeString:
    rows = _of(estimate, Verdict.API)
    if not rows:
        return SafeString("")
    if len(rows) == len(estimate.comparisons) and len(rows) > 1:
        return _dearer_than_all(rows)
    return format_html(_("plus que {}"), _who(rows, len(estimate.comparisons)))


def _dearer_than_all(rows: list[Comparison]) -> SafeString:
    least = min(rows, key=lambda row: row.bill.eur or Decimal(0))
    return format_html(
        _("plus que chacune des {} API, dont la moins chère, {}, revient à {}"),
        formats.number(len(rows)),
        words.nowrap(least.bill.api.label),
        words.nowrap(formats.money(least.bill.eur)),
    )


def _same(estimate: EconomicsEstimate) -> SafeString:
    rows = _of(estimate, Verdict.EQUIVALENT)
    if not rows:
        return SafeString("")
    margin = formats.percent(estimate.scenario.tie_ratio)
    return format_html(_("autant, à {} près, que {}"), margin, _who(rows, len(estimate.comparisons)))


def _who(rows: list[Comparison], total: int) -> SafeString:
    """The APIs by name while they are few, by number beyond."""
    if len(rows) <= NAMED_AT_MOST:
        return words.listing(row.bill.api.label for row in rows)
    text = _("les %(count)s API comparées") if len(rows) == total else _("%(count)s des %(total)s API comparées")
    return format_html("{}", text % {"count": formats.number(len(rows)), "total": formats.number(total)})


def _spread(rows: list[Comparison]) -> str:
    """“38 %”, or “de 20 à 38 %” where the APIs differ."""
    shown = sorted({half_up(abs(row.difference_ratio or Decimal(0)) * 100, 0) for row in rows})
    low, high = formats.number(shown[0], 0), formats.percent(shown[-1] / 100)
    return high if len(shown) == 1 else _("de %(low)s à %(high)s") % {"low": low, "high": high}


def _unknown_gpu(estimate: EconomicsEstimate) -> SafeString:
    """What is missing before the GPU can be priced; the APIs are still priced below."""
    bill = estimate.gpu
    name = words.nowrap(bill.sku.name)
    if bill.price is None and bill.sku.prices:
        return format_html(
            _("{} n’a pas de prix {}\u00a0: choisissez l’autre facturation ou saisissez un prix."),
            name,
            words.basis_name(bill.basis),
        )
    if bill.price is None and bill.sku.is_test_host:
        return format_html(_("{} n’a pas de prix\u00a0: saisissez-en un pour connaître son coût par token."), name)
    if bill.price is None:
        return format_html(_("{} est sur devis\u00a0: saisissez un prix pour le comparer aux API."), name)
    if bill.throughput is None:
        return format_html(_("Le débit de {} est inconnu\u00a0: saisissez-le pour connaître le coût par token."), name)
    return format_html(_("Le coût de {} ne peut pas être calculé avec ces saisies."), name)
