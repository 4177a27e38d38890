"""Live figures of the explanation of when an API costs less: the offer's own case of 100 M tokens a month."""

from collections.abc import Mapping
from decimal import Decimal

from django.utils.translation import gettext as _

from calculator import formats
from calculator.domain.provenance import Kind
from calculator.domain.scenario import Comparison, EconomicsEstimate, Outcome, Verdict
from sales.learning.figures import Live, answered, marked, page_of


def figures() -> Mapping[str, Live]:
    """The bill of the card and of the cheapest API, how busy the card is, and where the reference's break-even lies."""
    found = answered("economics")
    estimate: EconomicsEstimate = found.estimate
    href, trust, listed = page_of("economics", found), marked(estimate.trust), marked(Kind.LIST_PRICE)
    cheapest = cheapest_api(estimate)
    reference = next(row for row in estimate.comparisons if row.bill.api.code == found.scenario.reference)
    name = cheapest.bill.api.label if cheapest else _("API la moins chère")
    shown = {
        "gpu": (formats.money(estimate.gpu.total_eur), a_month(estimate.gpu.sku.code), listed),
        "api": (formats.money(cheapest.bill.eur if cheapest else None), a_month(name), listed),
        "busy": (formats.percent(estimate.gpu.implied_utilisation_ratio), _("des heures payées produisent"), trust),
        "break_even": (
            break_even(reference),
            _("équivalence avec %(api)s") % {"api": reference.bill.api.label},
            trust,
        ),
    }
    return {name: Live(value, label, href, badge) for name, (value, label, badge) in shown.items()}


def a_month(name: str) -> str:
    """What a monthly bill is of."""
    return _("HT par mois, %(name)s") % {"name": name}


def cheapest_api(estimate: EconomicsEstimate) -> Comparison | None:
    """The API that costs least for this traffic, where its price and the exchange rate are known."""
    known = [row for row in estimate.comparisons if row.bill.eur is not None and row.verdict is not Verdict.UNKNOWN]
    return min(known, key=lambda row: row.bill.eur or Decimal(0), default=None)


def break_even(row: Comparison) -> str:
    """The lowest monthly volume at which the card costs less, or the word for never or unknown."""
    found = row.break_even
    if found.outcome is Outcome.REACHED and found.intervals:
        return _("%(volume)s tokens par mois") % {"volume": formats.tokens(found.intervals[0].start_tokens, digits=3)}
    words = {
        Outcome.NEVER: _("jamais"),
        Outcome.ALWAYS: _("toujours"),
        Outcome.BEYOND: _("au-delà"),
    }
    return words.get(found.outcome, _("inconnue"))
