"""How requests spread over a week: its busiest hour beside the mean, and what a fixed number of GPUs carries of it."""

import enum
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction

HOURS_A_DAY = 24
DAYS_A_WEEK = 7
WORKING_DAYS = 5


class Shape(enum.StrEnum):
    """The daily shapes that a customer recognises."""

    OFFICE = "office"
    PUBLIC = "public"
    STEADY = "steady"
    NIGHT = "night"


OFFICE_DAY = (0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 4, 4, 2, 2, 4, 4, 4, 3, 2, 1, 0, 0, 0, 0)
PUBLIC_DAY = (1, 1, 1, 1, 1, 1, 1, 2, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 5, 6, 6, 5, 3, 2)
STEADY_DAY = (1,) * HOURS_A_DAY
NIGHT_DAY = (1,) * 6 + (0,) * 16 + (1,) * 2
SILENT_DAY = (0,) * HOURS_A_DAY
WEEKS: Mapping[Shape, tuple[int, ...]] = {
    Shape.OFFICE: OFFICE_DAY * WORKING_DAYS + SILENT_DAY * (DAYS_A_WEEK - WORKING_DAYS),
    Shape.PUBLIC: PUBLIC_DAY * DAYS_A_WEEK,
    Shape.STEADY: STEADY_DAY * DAYS_A_WEEK,
    Shape.NIGHT: NIGHT_DAY * DAYS_A_WEEK,
}
"""Requests of each hour of a week, Monday first, in parts of their own sum. Assumptions of ours, shown as such."""


def mean_load(shape: Shape) -> Fraction:
    """Mean of the week's hours, in the parts of `WEEKS`."""
    return Fraction(sum(WEEKS[shape]), len(WEEKS[shape]))


def peak_factor(shape: Shape) -> Fraction:
    """Busiest hour ÷ mean hour. Steady 1; eight hours of every night 3; office hours 4 ÷ (37 × 5 ÷ 168).

    >>> [round(float(peak_factor(shape)), 2) for shape in Shape]
    [3.63, 1.92, 1.0, 3.0]
    """
    return max(WEEKS[shape]) / mean_load(shape)


def active_days(shape: Shape) -> int:
    """Days of the week on which anything is asked.

    >>> active_days(Shape.OFFICE), active_days(Shape.NIGHT)
    (5, 7)
    """
    week = WEEKS[shape]
    days = (week[start : start + HOURS_A_DAY] for start in range(0, len(week), HOURS_A_DAY))
    return sum(1 for day in days if any(day))


def open_ratio(shape: Shape) -> Fraction:
    """Share of the week's hours in which anything is asked.

    >>> open_ratio(Shape.NIGHT)
    Fraction(1, 3)
    """
    week = WEEKS[shape]
    return Fraction(sum(1 for load in week if load), len(week))


def carried_share(shape: Shape, capacity: Decimal) -> Decimal:
    """Share of the requests that a fixed capacity carries, what exceeds it in an hour going elsewhere.

    `capacity` is in mean hours: 1 = what a steady load would take. Σ min(load, capacity) ÷ Σ load; it never falls when
    the capacity grows. Eight hours a night at three times the mean: a capacity of 1.5 carries half of each.

    >>> carried_share(Shape.NIGHT, Decimal("1.5")), carried_share(Shape.STEADY, Decimal(2))
    (Decimal('0.5'), Decimal('1'))
    """
    limit = Fraction(capacity) * mean_load(shape)
    carried = sum((min(Fraction(load), limit) for load in WEEKS[shape]), Fraction(0))
    share = carried / sum(WEEKS[shape])
    return Decimal(share.numerator) / Decimal(share.denominator)
