"""Twelve months of a growing volume: when the next GPU is needed, when the cheaper side changes, what both cost."""

from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

from calculator.domain.units import MONTHS_A_YEAR
from sales.domain.outlook import OutlookFacts, OutlookScenario, Sides, at_volume, sides

FIRST_MONTH = 1


@dataclass(frozen=True, slots=True)
class Month:
    """One month of the ramp; costs are of that month, `*_so_far_eur` add up from the first. None = not known."""

    number: int
    volume_tokens: Decimal
    instances: int | None
    gpu_eur: Decimal | None
    api_eur: Decimal | None
    gpu_so_far_eur: Decimal | None
    api_so_far_eur: Decimal | None

    @property
    def gpu_wins(self) -> bool | None:
        """Whether the GPU costs less this month."""
        return None if self.gpu_eur is None or self.api_eur is None else self.gpu_eur < self.api_eur


class Arrival(NamedTuple):
    """Instances `first` to `last` are needed from `month` on."""

    first: int
    last: int
    month: int


@dataclass(frozen=True, slots=True)
class Ramp:
    """The months, those in which further instances come, those in which the cheaper side changes, and the month from
    which the GPU has cost less altogether."""

    growth_ratio: Decimal
    months: tuple[Month, ...]
    arrivals: tuple[Arrival, ...]
    crossings: tuple[int, ...]
    paid_back: int | None


def growth_to(start_tokens: Decimal, target_tokens: Decimal) -> Decimal:
    """The monthly growth that leads from the first month to the twelfth: (target ÷ start)^(1 ÷ 11) − 1.

    >>> growth_to(Decimal(100), Decimal(100))
    Decimal('0')
    >>> round(growth_to(Decimal(100_000_000), Decimal(285_311_671)), 4)
    Decimal('0.1000')
    """
    steps = MONTHS_A_YEAR - FIRST_MONTH
    return (target_tokens / start_tokens) ** (Decimal(1) / steps) - 1 if target_tokens != start_tokens else Decimal(0)


def volume_in(start_tokens: Decimal, growth_ratio: Decimal, month: int) -> Decimal:
    """The volume of a month: start × (1 + growth)^(month − 1).

    >>> volume_in(Decimal(100_000_000), Decimal("0.10"), 3)
    Decimal('121000000.0000')
    """
    return start_tokens * (1 + growth_ratio) ** (month - FIRST_MONTH)


def growth_of(scenario: OutlookScenario, start_tokens: Decimal) -> Decimal:
    """The stated growth, or the one that reaches the stated target."""
    if scenario.target_tokens is None or not start_tokens:
        return scenario.growth_ratio
    return growth_to(start_tokens, scenario.target_tokens)


def ramp(both: Sides, facts: OutlookFacts) -> Ramp | None:
    """Twelve months from this one; None where nothing is output, as there is no volume to grow."""
    start = both.inputs.terms.month.volume_tokens
    if not start:
        return None
    growth = growth_of(both.scenario, start)
    months: list[Month] = []
    for number in range(FIRST_MONTH, MONTHS_A_YEAR + 1):
        months.append(_month(number, volume_in(start, growth, number), both, facts, months[-1] if months else None))
    return Ramp(growth, tuple(months), arrivals(months), crossings(months), _paid_back(months))


def _month(number: int, volume: Decimal, both: Sides, facts: OutlookFacts, before: Month | None) -> Month:
    found = both if number == FIRST_MONTH else sides(at_volume(both.scenario, volume), facts.prices)
    gpu, api = found.gpu_eur, found.api_eur
    return Month(
        number=number,
        volume_tokens=volume,
        instances=found.gpu.instances,
        gpu_eur=gpu,
        api_eur=api,
        gpu_so_far_eur=_added(before.gpu_so_far_eur if before else Decimal(0), gpu),
        api_so_far_eur=_added(before.api_so_far_eur if before else Decimal(0), api),
    )


def _added(so_far: Decimal | None, month: Decimal | None) -> Decimal | None:
    return None if so_far is None or month is None else so_far + month


def arrivals(months: list[Month]) -> tuple[Arrival, ...]:
    """The months that need more instances than the month before, and which ones come."""
    return tuple(
        Arrival(before.instances + 1, month.instances, month.number)
        for before, month in pairwise(months)
        if before.instances is not None and month.instances is not None and month.instances > before.instances
    )


def crossings(months: list[Month]) -> tuple[int, ...]:
    """The months in which another side is cheaper than in the month before."""
    return tuple(
        month.number
        for before, month in pairwise(months)
        if None not in (before.gpu_wins, month.gpu_wins) and before.gpu_wins is not month.gpu_wins
    )


def _paid_back(months: list[Month]) -> int | None:
    """The first month from which on the GPU has cost less altogether, to the end of the year."""
    found = None
    for month in reversed(months):
        if month.gpu_so_far_eur is None or month.api_so_far_eur is None or month.gpu_so_far_eur >= month.api_so_far_eur:
            return found
        found = month.number
    return found
