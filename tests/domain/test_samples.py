"""Statistics of a sample: quantiles, Student's interval, the finite corpus."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculator.domain.samples import margin_tokens, quantile, statistics, student_quantile

# Two-sided values of the usual printed tables.
TABLE = [
    (0.95, 1, 12.706), (0.95, 2, 4.303), (0.95, 3, 3.182), (0.95, 4, 2.776), (0.95, 5, 2.571), (0.95, 9, 2.262),
    (0.95, 29, 2.045), (0.95, 30, 2.042), (0.95, 120, 1.980), (0.95, 199, 1.972), (0.90, 1, 6.314), (0.90, 10, 1.812),
    (0.99, 1, 63.657), (0.99, 2, 9.925), (0.99, 60, 2.660), (0.95, 1001, 1.962), (0.95, 10**7, 1.960),
]  # fmt: skip


@pytest.mark.parametrize(("confidence", "freedom", "expected"), TABLE)
def test_students_quantile_is_that_of_the_printed_tables(confidence: float, freedom: int, expected: float) -> None:
    assert student_quantile(confidence, freedom) == pytest.approx(expected, abs=0.0006)


def test_the_sum_and_the_series_agree_where_one_takes_over_from_the_other() -> None:
    assert student_quantile(0.95, 1000) == pytest.approx(student_quantile(0.95, 1001), rel=1e-5)


def test_no_degree_of_freedom_has_no_quantile() -> None:
    with pytest.raises(ValueError, match="freedom"):
        student_quantile(0.95, 0)


def test_statistics_of_a_known_sample() -> None:
    found = statistics([9, 2, 4, 4, 4, 5, 5, 7])
    # Sum 40 over 8; squared deviations add up to 32, over n − 1 = 7.
    assert (found.count, found.total_tokens, found.mean_tokens) == (8, 40, 5.0)
    assert found.sd_tokens == pytest.approx((32 / 7) ** 0.5)
    assert found.p50_tokens == 4.5
    # 0.95 × 7 = 6.65: between the 7th (7) and the 8th (9) value.
    assert found.p95_tokens == pytest.approx(7 + 0.65 * 2)


def test_one_document_has_no_spread_and_none_no_statistics() -> None:
    found = statistics([12])
    assert (found.mean_tokens, found.sd_tokens, found.p50_tokens, found.p95_tokens) == (12.0, None, 12.0, 12.0)
    with pytest.raises(ValueError, match="no document"):
        statistics([])


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=50), st.floats(0, 1))
def test_a_quantile_lies_within_the_sample(tokens: list[int], share: float) -> None:
    assert min(tokens) <= quantile(sorted(tokens), share) <= max(tokens)


def test_the_margin_is_t_s_over_root_n() -> None:
    # t(9) = 2.262157; 2.262157 × 100 ÷ √10 = 71.536, × √(1 − 10/10⁶).
    assert margin_tokens(100.0, 10, 10**6, 0.95) == pytest.approx(71.536, rel=1e-4)


def test_half_the_corpus_counted_narrows_the_margin_by_root_two() -> None:
    whole, half = margin_tokens(100.0, 50, 10**9, 0.95), margin_tokens(100.0, 50, 100, 0.95)
    assert whole is not None and half is not None
    assert whole / half == pytest.approx(2**0.5, rel=1e-6)


def test_the_whole_corpus_counted_leaves_no_margin_and_one_document_no_interval() -> None:
    assert margin_tokens(100.0, 40, 40, 0.95) == 0
    assert margin_tokens(100.0, 50, 40, 0.95) == 0
    assert margin_tokens(100.0, 1, 40, 0.95) is None
