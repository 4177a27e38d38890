"""Repeats: median, ends, variation and Student's interval, worked out by hand."""

import math

import pytest

from benchmarks.statistics import spread


def test_five_repeats_around_a_hundred() -> None:
    """Mean 100; squares 4+1+0+1+4 = 10, ÷ 4 = 2.5, root 1.5811; t(4) = 2.776; 2.776 · 1.5811 ÷ √5 = 1.963."""
    found = spread([98.0, 99.0, 100.0, 101.0, 102.0])
    assert found is not None
    assert (found.count, found.median, found.mean, found.low, found.high) == (5, 100.0, 100.0, 98.0, 102.0)
    assert found.cv_ratio == pytest.approx(0.015811, abs=1e-6)
    assert found.interval_low == pytest.approx(98.037, abs=1e-3)
    assert found.interval_high == pytest.approx(101.963, abs=1e-3)


def test_the_median_is_not_moved_by_one_bad_repeat() -> None:
    found = spread([100.0, 100.0, 40.0])
    assert found is not None
    assert (found.median, found.mean) == (100.0, 80.0)


def test_two_repeats_have_an_interval_of_one_degree_of_freedom() -> None:
    """Deviation √2, ÷ √2 = 1, times t(1) = 12.706."""
    found = spread([9.0, 11.0])
    assert found is not None
    assert found.cv_ratio == pytest.approx(math.sqrt(2) / 10)
    assert found.interval_high == pytest.approx(10 + 12.706, abs=1e-3)


def test_a_single_run_has_no_spread() -> None:
    found = spread([42.0])
    assert found is not None
    assert (found.median, found.low, found.high) == (42.0, 42.0, 42.0)
    assert (found.cv_ratio, found.interval_low, found.interval_high) == (None, None, None)


def test_repeats_that_agree_exactly_vary_by_nothing() -> None:
    found = spread([7.0] * 5)
    assert found is not None and found.cv_ratio == 0.0
    assert (found.interval_low, found.interval_high) == (7.0, 7.0)


def test_nothing_has_no_statistics() -> None:
    assert spread([]) is None


def test_rates_of_zero_have_no_relative_variation() -> None:
    found = spread([0.0, 0.0])
    assert found is not None and found.cv_ratio is None
