"""Which drafts wait for the agreement of a second person: weighed as they stand, for nothing of it is kept."""

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from calculator import catalog, state
from sales.models import Quote
from sales.quoting import offers, queries

MOST_WEIGHED = 100
"""A draft is estimated to be weighed, which takes some milliseconds: the newest of them are."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """The drafts that wait, by number of their rows; `is_cut` = there were more drafts than are weighed."""

    keys: frozenset[int]
    is_cut: bool


def waiting(today: dt.date) -> Waiting:
    """The drafts whose price needs an agreement that nobody has given yet, or given to other terms."""
    costs = queries.newest_costs()
    found = queries.may_wait(today, tuple(costs), MOST_WEIGHED + 1)
    with state.read_once():
        keys = frozenset(quote.pk for quote in found[:MOST_WEIGHED] if waits(quote, costs.get))
    return Waiting(keys, len(found) > MOST_WEIGHED)


def waits(quote: Quote, cost_of: Callable[[str], Decimal | None]) -> bool:
    """Whether a draft may not go out without an agreement. What cannot be estimated any more goes nowhere anyway."""
    try:
        offer = offers.offer(quote)
    except catalog.NotFound:
        return False
    kept = offers.margin(quote, offer, cost_of)
    return kept is not None and kept.needs_approval and not offers.is_approved(quote, offer)
