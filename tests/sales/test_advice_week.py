"""The week of a need: its busiest hour, and what a fixed capacity carries of it."""

import doctest
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sales.domain import week
from sales.domain.week import WEEKS, Shape, active_days, carried_share, open_ratio, peak_factor

SHAPES = st.sampled_from(Shape)
CAPACITIES = st.decimals(min_value=Decimal("0.01"), max_value=10, places=3)


def test_the_worked_numbers_of_the_docstrings_hold() -> None:
    assert doctest.testmod(week).failed == 0


@pytest.mark.parametrize("shape", Shape)
def test_a_week_has_168_hours(shape: Shape) -> None:
    assert len(WEEKS[shape]) == 168


def test_office_hours_ask_on_five_days_and_thirteen_hours() -> None:
    """37 parts a day, 185 a week over 168 hours; the busiest hour has 4."""
    assert active_days(Shape.OFFICE) == 5
    assert open_ratio(Shape.OFFICE) == Fraction(5 * 13, 168)
    assert peak_factor(Shape.OFFICE) == Fraction(4 * 168, 185)


def test_a_steady_load_has_no_peak() -> None:
    assert peak_factor(Shape.STEADY) == 1
    assert carried_share(Shape.STEADY, Decimal("0.4")) == Decimal("0.4")


def test_a_night_at_three_times_the_mean_is_carried_by_a_capacity_of_three() -> None:
    assert carried_share(Shape.NIGHT, Decimal(3)) == 1
    assert carried_share(Shape.NIGHT, Decimal(1)) == pytest.approx(Decimal(1) / 3)


def test_office_hours_on_one_mean_hour_of_capacity() -> None:
    """185 ÷ 168 = 1.101 parts an hour. A day: two hours of 1 whole, eleven hours cut to 1.101: (2 + 12.113) ÷ 37."""
    assert float(carried_share(Shape.OFFICE, Decimal(1))) == pytest.approx((2 + 11 * 185 / 168) / 37)


@given(SHAPES, CAPACITIES, CAPACITIES)
def test_more_capacity_never_carries_less(shape: Shape, one: Decimal, other: Decimal) -> None:
    low, high = sorted((one, other))
    assert 0 < carried_share(shape, low) <= carried_share(shape, high) <= 1


@given(SHAPES, CAPACITIES)
def test_no_capacity_carries_more_than_it_has(shape: Shape, capacity: Decimal) -> None:
    assert carried_share(shape, capacity) <= capacity
    assert (carried_share(shape, capacity) == 1) == (Fraction(capacity) >= peak_factor(shape))
