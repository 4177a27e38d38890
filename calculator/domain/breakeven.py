"""Where a staircase of whole instances costs less than an API that bills by the token.

The GPU costs n × step + fixed, with n = ⌈V ÷ K⌉; the API costs price × V. On the n-th step the GPU is cheaper from
(n × step + fixed) ÷ price up to n × K, if that is not empty. Everything is in closed form: no search, no grid.
"""

from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, Decimal

from calculator.domain.gpubill import SAME_COUNT_RATIO, rounded_up
from calculator.domain.scenario import BreakEven, Interval, Outcome

LISTED_INTERVALS_COUNT = 12
"""Separate intervals that are listed at most; the last is then the one that has no end."""


@dataclass(frozen=True, slots=True)
class Staircase:
    """A month on whole instances: each carries `capacity_tokens` and costs `step_eur`; `fixed_eur` comes on top."""

    step_eur: Decimal
    capacity_tokens: Decimal
    fixed_eur: Decimal = Decimal(0)

    def cost_eur(self, count: int) -> Decimal:
        """The month with `count` instances."""
        return count * self.step_eur + self.fixed_eur


def first_winning_count(stairs: Staircase, eur_per_token: Decimal) -> int | None:
    """The lowest instance count that, when full, costs less than the API; None when no count does.

    A full step saves n × (price × K − step) − fixed: without fixed costs the first step wins or none does. A saving
    within the last digits of a division is none.

    >>> first_winning_count(Staircase(Decimal(800), Decimal(100), Decimal(450)), Decimal(10))
    3
    """
    saving = eur_per_token * stairs.capacity_tokens - stairs.step_eur
    if saving <= stairs.step_eur * SAME_COUNT_RATIO:
        return None
    return int((stairs.fixed_eur / saving).to_integral_value(ROUND_FLOOR)) + 1


def first_whole_count(stairs: Staircase, eur_per_token: Decimal) -> int:
    """The count from which the GPU is cheaper on whole steps, their nearly empty beginnings included.

    n × step + fixed ≤ price × (n − 1) × K, hence n ≥ (fixed + price × K) ÷ (price × K − step). Needs a saving > 0.

    >>> first_whole_count(Staircase(Decimal(800), Decimal(100)), Decimal(10))
    5
    """
    filled = eur_per_token * stairs.capacity_tokens
    return max(1, int(rounded_up((stairs.fixed_eur + filled) / (filled - stairs.step_eur))))


def staircase_break_even(
    stairs: Staircase, eur_per_token: Decimal, utilisation_ratio: Decimal | None = None
) -> BreakEven:
    """Volumes at which the GPU costs less, as merged intervals in rising order.

    NEVER: even full instances cost more. BEYOND: only from `instances` on, because fixed costs must be spread. ALWAYS:
    from the first token. More than LISTED_INTERVALS_COUNT intervals: the first ones and the endless one are listed,
    `omitted_count` says how many are not.

    GPU-PRO by the month (107.8272 M tokens) against 15 € per million:

    >>> stairs = Staircase(Decimal("830.64"), Decimal(107_827_200))
    >>> [int(part.start_tokens) for part in staircase_break_even(stairs, Decimal("0.000015")).intervals]
    [55376000, 110752000]
    """
    first = first_winning_count(stairs, eur_per_token)
    if first is None:
        return BreakEven(Outcome.NEVER, utilisation_ratio=utilisation_ratio)
    whole = first_whole_count(stairs, eur_per_token)
    tail_count = max(first, whole - 1)
    tail_start = stairs.cost_eur(tail_count) / eur_per_token
    listed = min(tail_count, first + LISTED_INTERVALS_COUNT - 1)
    parts = [
        Interval(stairs.cost_eur(count) / eur_per_token, count * stairs.capacity_tokens)
        for count in range(first, listed)
    ]
    parts.append(Interval(tail_start, None))
    return BreakEven(
        outcome=_outcome(first, tail_start),
        intervals=tuple(parts),
        utilisation_ratio=utilisation_ratio,
        instances=first if first > 1 else None,
        omitted_count=tail_count - listed,
    )


def _outcome(first: int, tail_start: Decimal) -> Outcome:
    if first > 1:
        return Outcome.BEYOND
    return Outcome.ALWAYS if tail_start == 0 else Outcome.REACHED


def hourly_break_even(stairs: Staircase, eur_per_token: Decimal, utilisation_ratio: Decimal | None = None) -> BreakEven:
    """The same for hours used that are billed whole: `stairs` has a step for each hour, and no count of instances.

    A GPU at 10 € an hour that gives 1 M tokens in it, against 15 € per million: the first hour pays from two thirds on.

    >>> stairs = Staircase(Decimal(10), Decimal(1_000_000))
    >>> [int(part.start_tokens) for part in hourly_break_even(stairs, Decimal("0.000015")).intervals]
    [666666, 1333333]
    """
    found = staircase_break_even(stairs, eur_per_token, utilisation_ratio)
    outcome = Outcome.REACHED if found.outcome is Outcome.BEYOND else found.outcome
    return replace(found, outcome=outcome, instances=None)


def linear_break_even(stairs: Staircase, eur_per_token: Decimal, utilisation_ratio: Decimal | None = None) -> BreakEven:
    """The same for hours used that are billed by the second, a straight line: fixed ÷ (API price − step ÷ capacity).
    The rounding, at most one second a month, is left out.

    >>> stairs = Staircase(Decimal(10), Decimal(1_000_000), Decimal(100))
    >>> int(linear_break_even(stairs, Decimal("0.000015")).intervals[0].start_tokens)
    20000000
    """
    saving = eur_per_token - stairs.step_eur / stairs.capacity_tokens
    if saving <= 0:
        return BreakEven(Outcome.NEVER, utilisation_ratio=utilisation_ratio)
    start = stairs.fixed_eur / saving
    outcome = Outcome.REACHED if start else Outcome.ALWAYS
    return BreakEven(outcome, (Interval(start, None),), utilisation_ratio)


def break_even_utilisation(month_eur: Decimal, full_tokens: Decimal, eur_per_token: Decimal) -> Decimal | None:
    """The utilisation at which one full instance costs what the API does: month ÷ (price × output at 100 %).

    Above 1, no load makes the GPU cheaper; None when the API is free. GPU-PRO at 15 $ and 1.1172 $ for 1 €:

    >>> round(break_even_utilisation(Decimal("830.64"), Decimal(165_888_000), Decimal("15e-6") / Decimal("1.1172")), 4)
    Decimal('0.3729')
    """
    return month_eur / (eur_per_token * full_tokens) if eur_per_token > 0 and full_tokens > 0 else None
