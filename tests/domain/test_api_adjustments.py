"""What a visitor adds to an API's list price: more tokens for the same text, and an uplift. Worked by hand."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculator.domain.economics import estimate
from calculator.domain.provenance import Kind
from calculator.domain.scenario import ApiBill, EconomicsEstimate
from tests.domain import factories as offer


def answer(**fields: object) -> EconomicsEstimate:
    return estimate(offer.scenario(**fields), offer.facts())


def bill(result: EconomicsEstimate, code: str = "gpt-5.4") -> ApiBill:
    return next(row.bill for row in result.comparisons if row.bill.api.code == code)


def first_interval(result: EconomicsEstimate) -> Decimal:
    row = next(row for row in result.comparisons if row.bill.api.code == "gpt-5.4")
    return row.break_even.intervals[0].start_tokens


def test_pitfall_57_a_residency_uplift_of_ten_percent_makes_15_dollars_16_50() -> None:
    raised = bill(answer(api_uplift_ratio=Decimal("0.10")))
    assert bill(answer()).usd_per_mtok == Decimal(15)
    assert raised.usd_per_mtok == Decimal("16.50")


def test_pitfall_74_an_api_that_counts_more_tokens_for_the_same_text_costs_as_much_more() -> None:
    """The same French paragraph: 65 tokens in one vocabulary, 49 in the other."""
    ratio = Decimal(65) / Decimal(50)
    assert bill(answer(api_token_ratio=ratio)).usd == bill(answer()).usd * Decimal("1.3")


def test_both_lower_the_volume_from_which_the_gpu_is_cheaper() -> None:
    """Break-even = month ÷ price a token: 1 ÷ (1.25 × 1.10) of what it was."""
    adjusted = answer(api_token_ratio=Decimal("1.25"), api_uplift_ratio=Decimal("0.10"))
    before, after = (
        next(row.break_even for row in one.comparisons if row.bill.api.code == "gpt-5.4")
        for one in (answer(), adjusted)
    )
    ratio = before.intervals[0].start_tokens / after.intervals[0].start_tokens
    assert abs(ratio - Decimal("1.375")) < Decimal("1e-12")


def test_the_context_tier_is_chosen_by_the_api_s_own_count() -> None:
    """250 000 tokens here are 300 000 there: above the threshold of 272 000."""
    asked = {"input_tokens": Decimal(250_000), "output_tokens": Decimal(1000)}
    assert bill(answer(**asked)).tier_over_tokens == 0
    assert bill(answer(**asked, api_token_ratio=Decimal("1.2"))).tier_over_tokens == 272_000


@pytest.mark.parametrize("field", ["api_uplift_ratio", "api_token_ratio"])
def test_an_adjusted_price_is_worth_an_assumption_and_says_so(field: str) -> None:
    plain, adjusted = answer(), answer(**{field: Decimal("0.5")})
    assert bill(plain).trust is Kind.LIST_PRICE
    assert bill(adjusted).trust is Kind.ASSUMPTION
    code = field.removesuffix("_ratio") if field == "api_uplift_ratio" else field
    assert code in {message.code for message in adjusted.warnings}
    assert code not in {message.code for message in plain.warnings}


def test_the_gpu_s_side_is_left_as_it_is() -> None:
    assert answer(api_uplift_ratio=Decimal("0.10"), api_token_ratio=Decimal(2)).gpu.total_eur == answer().gpu.total_eur


@given(st.decimals(min_value="0", max_value="1", places=3))
def test_an_uplift_never_makes_an_api_cheaper(uplift: Decimal) -> None:
    for row, plain in zip(answer(api_uplift_ratio=uplift).comparisons, answer().comparisons, strict=True):
        assert row.bill.usd is not None and plain.bill.usd is not None and row.bill.usd >= plain.bill.usd
