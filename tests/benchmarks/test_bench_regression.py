"""Slower or within the spread: Welch's test on repeats and a practical threshold, against tables and hand work."""

from decimal import Decimal

import pytest

from benchmarks import publishing, regression
from benchmarks.regression import compare, incomplete_beta, student_quantile, two_sided
from calculator.domain.gpubill import eur_per_mtok
from calculator.domain.serving_cost import capacity_tokens
from calculator.domain.units import half_up
from tests import factories
from tests.benchmarks import runfactory as runs

BASELINE = [1000.0, 1010.0, 990.0, 1005.0, 995.0]
NEW = [965.0, 975.0, 970.0, 968.0, 972.0]


def test_l44_three_percent_less_with_certainty_is_a_regression() -> None:
    """Variances 62.5 and 14.5, standard error √15.4 = 3.924, t = −7.645 at 5.76 degrees: ± 9.70 on −30."""
    found = compare(BASELINE, NEW)
    assert found is not None
    assert found.change_ratio == pytest.approx(-0.030)
    assert (round(100 * found.low_ratio, 1), round(100 * found.high_ratio, 1)) == (-4.0, -2.0)
    assert found.p_value == pytest.approx(0.0003, abs=5e-5)
    assert found.regressed


def test_l44_a_smaller_loss_is_none_however_certain() -> None:
    found = compare(BASELINE, [value + 10 for value in NEW])
    assert found is not None and found.p_value < 0.05
    assert not found.regressed


def test_l44_a_large_loss_within_the_spread_is_none() -> None:
    found = compare([1000.0, 1200.0, 800.0], [950.0, 1150.0, 750.0])
    assert found is not None and found.change_ratio == pytest.approx(-0.05)
    assert not found.regressed


def test_faster_is_no_regression() -> None:
    found = compare(NEW, BASELINE)
    assert found is not None and found.change_ratio > 0.03
    assert not found.regressed


@pytest.mark.parametrize(("first", "second"), [([1.0], NEW), (NEW, []), ([5.0, 5.0], [4.0, 4.0])])
def test_without_repeats_that_vary_nothing_is_said(first: list[float], second: list[float]) -> None:
    assert compare(first, second) is None


@pytest.mark.parametrize(
    ("freedom", "quantile"), [(1, 12.706), (2, 4.303), (4, 2.776), (5, 2.571), (10, 2.228), (30, 2.042), (1000, 1.962)]
)
def test_the_quantiles_are_those_of_the_printed_tables(freedom: int, quantile: float) -> None:
    assert student_quantile(0.975, freedom) == pytest.approx(quantile, abs=6e-4)
    assert two_sided(quantile, freedom) == pytest.approx(0.05, abs=5e-5)


def test_two_sided_probabilities_with_a_closed_form() -> None:
    """One degree of freedom is Cauchy's distribution: |t| ≥ 1 half of the time; none is beyond 0 always."""
    assert two_sided(1.0, 1) == pytest.approx(0.5)
    assert two_sided(0.0, 7) == pytest.approx(1.0)
    assert two_sided(-1.0, 1) == two_sided(1.0, 1)


def test_the_incomplete_beta_function_at_its_ends_and_where_it_is_a_polynomial() -> None:
    """I(x; 2, 2) = 3x² − 2x³."""
    assert incomplete_beta(2, 2, 0.0) == 0.0
    assert incomplete_beta(2, 2, 1.0) == 1.0
    for x in (0.1, 0.3, 0.5, 0.9):
        assert incomplete_beta(2, 2, x) == pytest.approx(3 * x**2 - 2 * x**3)


def test_the_threshold_is_three_percent() -> None:
    assert regression.THRESHOLD_RATIO == 0.03


@pytest.mark.parametrize(
    ("eur_per_h", "tok_per_s", "expected"),
    [("1.50", 64.0, "10.02"), ("0.85", 22.0, "16.51"), ("4.20", 96.0, "18.70"), ("5.40", 124.0, "18.61")],
)
def test_l43_a_measured_rate_has_the_price_that_the_calculator_gives_it(
    eur_per_h: str, tok_per_s: float, expected: str
) -> None:
    tokens = capacity_tokens(tok_per_s, Decimal(1), Decimal("0.65"))
    found = eur_per_mtok(Decimal(eur_per_h), tokens)
    assert found is not None and half_up(found) == Decimal(expected)


@pytest.mark.django_db
def test_l43_a_rate_of_one_stream_is_labelled_so_when_it_is_published() -> None:
    factories.make_sku("CPU-LOCAL", is_test_host=True)
    single, four = publishing.publish(runs.succeeded((64.0, 200.0)).pk)
    assert (single.concurrency, single.single_stream) == (1, True)
    assert (four.concurrency, four.single_stream) == (4, False)
