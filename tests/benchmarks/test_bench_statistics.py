"""Percentiles by their definition, and numbers that are not known."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import statistics

NUMBERS = st.floats(min_value=-1e9, max_value=1e9, allow_nan=False)


@pytest.mark.parametrize(("percent", "expected"), [(50, 25), (90, 37), (99, 39.7)])
def test_l32_percentiles_interpolate_between_ranks(percent: float, expected: float) -> None:
    assert statistics.percentile([40, 10, 30, 20], percent) == pytest.approx(expected, abs=1e-12)


def test_l33_pooled_values_not_averaged_percentiles() -> None:
    pooled = [10.0] * 100 + [1000.0] * 10
    assert [statistics.percentile(pooled, percent) for percent in (50, 90, 99)] == [10, 10, 1000]


@given(st.lists(NUMBERS, min_size=1, max_size=40), st.floats(0, 100))
def test_percentiles_agree_with_numpy(values: list[float], percent: float) -> None:
    assert statistics.percentile(values, percent) == pytest.approx(np.percentile(values, percent), rel=1e-9, abs=1e-6)


def test_without_values_nothing_is_known() -> None:
    assert statistics.percentile([], 50) is None
    assert statistics.mean([]) is None


def test_l37_p99_needs_a_hundred_values() -> None:
    assert statistics.shown_p99([1.0] * 40) is None
    assert statistics.shown_p99([1.0] * 99) is None
    assert statistics.shown_p99([1.0] * 100) == 1.0
    assert statistics.percentile([1.0] * 40, 50) == 1.0


@pytest.mark.parametrize("duration", [None, 0, -1.0])
def test_a_rate_needs_a_duration(duration: float | None) -> None:
    assert statistics.rate_per_s(10, duration) is None


def test_a_rate_is_a_count_over_seconds() -> None:
    assert statistics.rate_per_s(100, 40) == 2.5


def test_l36_what_is_no_number_becomes_null_with_its_reason() -> None:
    reasons: dict[str, str] = {}
    found = statistics.strict({"a": math.nan, "b": [1.0, math.inf, -math.inf], "c": {"d": 2}}, reasons=reasons)
    assert found == {"a": None, "b": [1.0, None, None], "c": {"d": 2}}
    assert reasons == {"a": "not a number", "b[1]": "infinite", "b[2]": "infinite"}
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_strict_leaves_text_and_none_alone() -> None:
    assert statistics.strict({"a": "NaN", "b": None, "c": True}) == {"a": "NaN", "b": None, "c": True}
