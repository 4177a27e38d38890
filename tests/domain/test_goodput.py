"""Goodput: shares through the band's p10 and p90, Fréchet's bounds for several targets, nothing invented."""

from math import exp, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculator.domain.goodput import goodput, normal_share, share_within
from calculator.domain.serving_scenario import Ranged

BANDED = Ranged(1.0, 0.8, 1.25)


@pytest.mark.parametrize(("limit", "share"), [(0.8, 0.1), (1.0, 0.5), (1.25, 0.9)])
def test_the_band_is_p10_to_p90_of_the_requests(limit: float, share: float) -> None:
    assert share_within(BANDED, limit) == pytest.approx(share)


def test_a_skewed_band_has_its_median_between_its_ends_in_logarithms() -> None:
    assert share_within(Ranged(1.0, 0.5, 4.0), exp((log(0.5) + log(4.0)) / 2)) == pytest.approx(0.5)


def test_one_standard_deviation_holds_84_percent() -> None:
    assert normal_share(1.0) == pytest.approx(0.841345, abs=1e-6)


def test_without_a_spread_all_requests_hold_a_target_or_none() -> None:
    assert share_within(Ranged(1.0), 1.0) == 1.0
    assert share_within(Ranged(1.0), 0.99) == 0.0


def test_without_targets_every_request_counts() -> None:
    found = goodput(3.0, [(BANDED, None)])
    assert (found.low_per_s, found.high_per_s) == (3.0, 3.0)


def test_one_target_leaves_no_doubt_and_two_leave_two_bounds() -> None:
    single = goodput(10.0, [(BANDED, 1.25)])
    assert single.low_per_s == single.high_per_s == pytest.approx(9.0)
    both = goodput(10.0, [(BANDED, 1.25), (BANDED, 1.0)])
    assert (both.low_per_s, both.high_per_s) == (pytest.approx(4.0), pytest.approx(5.0))


def test_shares_that_need_not_overlap_may_hold_nothing_together() -> None:
    assert goodput(10.0, [(BANDED, 0.9), (BANDED, 0.9)]).low_ratio == 0.0


@given(first=st.floats(0.1, 10), second=st.floats(0.1, 10), looser=st.floats(1.0, 3.0))
def test_a_looser_target_never_lowers_the_goodput(first: float, second: float, looser: float) -> None:
    tight = goodput(1.0, [(BANDED, first), (BANDED, second)])
    loose = goodput(1.0, [(BANDED, first * looser), (BANDED, second)])
    assert loose.low_per_s >= tight.low_per_s
    assert loose.high_per_s >= tight.high_per_s
    assert 0 <= tight.low_ratio <= tight.high_ratio <= 1
