"""Verdicts: the same traffic on both sides, a margin for equivalence, unknown where a price is missing."""

import math
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculator.domain import economics
from calculator.domain.comparison import difference_ratio, verdict
from calculator.domain.offers import Basis, Mode
from calculator.domain.scenario import BillingStep, Comparison, EconomicsEstimate, Outcome, Rental, Verdict

from .factories import GPT_54, GPT_54_MINI, PRO, SUPERCOMPUTE, api, claim, facts, flat_api, rates, scenario

TIE = Decimal("0.05")
amounts = st.integers(0, 10**9).map(lambda cents: Decimal(cents) / 100)
OPPOSITE = {Verdict.GPU: Verdict.API, Verdict.API: Verdict.GPU, Verdict.EQUIVALENT: Verdict.EQUIVALENT}


def against(code: str, found: EconomicsEstimate) -> Comparison:
    return next(item for item in found.comparisons if item.bill.api.code == code)


# The rule


@pytest.mark.parametrize(
    ("gpu", "api_eur", "expected"),
    [
        ("100", "105", Verdict.EQUIVALENT),
        ("100", "105.01", Verdict.GPU),
        ("105", "100", Verdict.EQUIVALENT),
        ("105.01", "100", Verdict.API),
        ("0", "0", Verdict.EQUIVALENT),
        ("1", "0", Verdict.API),
    ],
)
def test_equivalent_is_within_the_margin_of_the_smaller(gpu: str, api_eur: str, expected: Verdict) -> None:
    assert verdict(Decimal(gpu), Decimal(api_eur), TIE) is expected


@given(amounts, amounts)
def test_the_verdict_does_not_depend_on_which_side_is_named_first(first: Decimal, second: Decimal) -> None:
    assert verdict(first, second, TIE) is OPPOSITE[verdict(second, first, TIE)]


@pytest.mark.parametrize(("gpu", "api_eur"), [(None, Decimal(1)), (Decimal(1), None), (None, None)])
def test_an_unknown_amount_has_no_verdict(gpu: Decimal | None, api_eur: Decimal | None) -> None:
    assert verdict(gpu, api_eur, TIE) is Verdict.UNKNOWN
    assert difference_ratio(gpu, api_eur) is None


def test_verdicts_use_unrounded_money() -> None:
    """5 % of 10.004 is 0.5002: 10.5042 is equivalent, 10.5043 is not, though both print as 10.50."""
    assert verdict(Decimal("10.5042"), Decimal("10.004"), TIE) is Verdict.EQUIVALENT
    assert verdict(Decimal("10.5043"), Decimal("10.004"), TIE) is Verdict.API


# The offer


def test_gpu_pro_at_100_million_against_five_apis() -> None:
    """830.64 € against 53.71, 402.79, 447.55, 1 342.64 and 1 342.64 € at the standard prices."""
    found = economics.estimate(scenario(), facts())
    assert [(item.bill.api.code, round(item.bill.eur or 0, 2), item.verdict) for item in found.comparisons] == [
        ("mistral-small-2603", Decimal("53.71"), Verdict.API),
        ("gpt-5.4-mini", Decimal("402.79"), Verdict.API),
        ("claude-haiku-4-5", Decimal("447.55"), Verdict.API),
        ("gpt-5.4", Decimal("1342.64"), Verdict.GPU),
        ("claude-sonnet-4-6", Decimal("1342.64"), Verdict.GPU),
    ]
    assert round(against("gpt-5.4", found).difference_ratio or 0, 2) == Decimal("-0.38")
    assert round(against("gpt-5.4-mini", found).difference_ratio or 0, 2) == Decimal("1.06")


def test_at_300_million_three_cards_win_at_the_standard_price_and_lose_at_the_batch_price() -> None:
    """2 491.92 € against 4 028 € (4 500 $) and 2 014 € (2 250 $)."""
    volume = Decimal(300_000_000)
    standard = economics.estimate(scenario(volume_tokens=volume), facts())
    batch = economics.estimate(scenario(volume_tokens=volume, mode=Mode.BATCH), facts())
    assert against("gpt-5.4", standard).verdict is Verdict.GPU
    assert against("gpt-5.4", batch).verdict is Verdict.API
    assert round(against("gpt-5.4", batch).bill.eur or 0) == 2014


def test_the_prompt_is_priced_on_both_sides() -> None:
    """4 input tokens an output token: gpt-5.4 costs 25 $ per million output tokens, 22.38 €."""
    found = economics.estimate(scenario(input_tokens=Decimal(2000)), facts())
    assert round(against("gpt-5.4", found).bill.eur_per_mtok or 0, 2) == Decimal("22.38")


def test_prompt_time_not_counted_marks_the_verdict_incomplete() -> None:
    assert against("gpt-5.4", economics.estimate(scenario(input_tokens=Decimal(2000)), facts())).incomplete
    assert not against("gpt-5.4", economics.estimate(scenario(), facts())).incomplete


def test_an_api_with_a_missing_price_is_incomplete_and_has_no_verdict() -> None:
    partial = api("partial", rates(None, None, "15.00"))
    found = economics.estimate(scenario(input_tokens=Decimal(10)), facts(apis=(partial,))).comparisons[0]
    assert (found.verdict, found.incomplete, found.break_even.outcome) == (Verdict.UNKNOWN, True, Outcome.UNKNOWN)


def test_a_context_tier_is_chosen_by_the_request_not_by_the_month() -> None:
    """1 000 requests of 100 000 in and 10 000 out: 400 $, the month's 100 M input tokens notwithstanding."""
    found = economics.estimate(
        scenario(volume_tokens=Decimal(10_000_000), input_tokens=Decimal(100_000), output_tokens=Decimal(10_000)),
        facts(),
    )
    bill = against("gpt-5.4", found).bill
    assert (bill.usd, bill.tier_over_tokens) == (400, 0)


def test_p44_without_a_rate_there_is_no_verdict() -> None:
    found = economics.estimate(scenario(), facts(usd_per_eur=None))
    item = against("gpt-5.4", found)
    assert item.bill.usd == 1500
    assert (item.bill.eur, item.verdict, item.difference_ratio) == (None, Verdict.UNKNOWN, None)
    assert item.break_even.outcome is Outcome.UNKNOWN


def test_a_sku_on_request_has_no_verdict() -> None:
    sku = replace(SUPERCOMPUTE, throughput=claim(124.0))
    found = economics.estimate(scenario(sku=sku.code), facts(sku=sku))
    assert {item.verdict for item in found.comparisons} == {Verdict.UNKNOWN}


# Test figures


@pytest.mark.parametrize(
    "sku",
    [replace(PRO, throughput=claim(64.0, test_model=True)), replace(PRO, is_test_host=True)],
    ids=["test model", "test host"],
)
def test_figures_of_tests_are_shown_and_never_compared(sku: object) -> None:
    found = economics.estimate(scenario(), facts(sku=sku))
    assert found.gpu.eur_per_mtok == Decimal("8.3064")
    assert {item.verdict for item in found.comparisons} == {Verdict.UNKNOWN}
    assert {item.break_even.outcome for item in found.comparisons} == {Outcome.UNKNOWN}
    assert {cell.verdict for cell in found.utilisations} == {Verdict.UNKNOWN}
    assert "gpu" not in {row.cheapest for row in found.volumes}
    assert found.years[0].saving_year_eur is None
    assert found.years[0].year_eur == Decimal("9967.68")
    assert found.headline.code == "test_model"


# Break-even on the axis that the visitor states


def test_a_response_cache_stretches_the_break_even() -> None:
    """Half answered from cache: the bill of one card takes twice the stated volume to be earned back."""
    found = economics.estimate(scenario(response_cache_ratio=Decimal("0.5")), facts())
    intervals = against("gpt-5.4", found).break_even.intervals
    assert round(intervals[0].start_tokens / 10**6, 3) == Decimal("123.732")
    assert round((intervals[0].end_tokens or 0) / 10**6, 3) == Decimal("215.654")


def test_a_cache_that_answers_everything_leaves_the_api_free() -> None:
    found = economics.estimate(scenario(response_cache_ratio=Decimal(1)), facts())
    item = against("gpt-5.4", found)
    assert (item.bill.eur, item.verdict, item.break_even.outcome) == (0, Verdict.API, Outcome.NEVER)


def test_break_even_utilisation_against_gpt_54() -> None:
    """830.64 ÷ (13.4264 × 165.888) = 37.3 % of a card."""
    found = against("gpt-5.4", economics.estimate(scenario(), facts())).break_even
    assert round(found.utilisation_ratio or 0, 3) == Decimal("0.373")


def test_break_even_utilisation_counts_the_extra_costs() -> None:
    """(830.64 + 1 000) ÷ (13.4264 × 165.888) = 82.2 %."""
    found = economics.estimate(scenario(operations_eur_per_month=Decimal(1000)), facts())
    assert round(against("gpt-5.4", found).break_even.utilisation_ratio or 0, 3) == Decimal("0.822")


def test_hours_used_by_the_second_are_a_straight_line() -> None:
    """GPU-TITAN's 18.61 € never beat 13.43 €; GPU-PRO's 10.02 € always do."""
    used = scenario(basis=Basis.HOUR, rental=Rental.HOURS_USED, billing_step=BillingStep.SECOND)
    pro = against("gpt-5.4", economics.estimate(used, facts())).break_even
    titan = against("gpt-5.4", economics.estimate(used, facts(sku=facts().skus[3]))).break_even
    assert (pro.outcome, titan.outcome) == (Outcome.ALWAYS, Outcome.NEVER)


def test_whole_hours_used_are_a_staircase_of_hours() -> None:
    """GPU-PRO gives 64 × 3 600 × 0.65 = 149 760 tokens an hour for 1.50 €, which 1.50 × 1.1172 ÷ 15 = 111 720 tokens on
    the API cost too; the third hour is filled before the fourth would be dearer (4 × 111 720 < 3 × 149 760)."""
    used = scenario(basis=Basis.HOUR, rental=Rental.HOURS_USED)
    pro = against("gpt-5.4", economics.estimate(used, facts())).break_even
    titan = against("gpt-5.4", economics.estimate(used, facts(sku=facts().skus[3]))).break_even
    assert (pro.outcome, pro.instances, titan.outcome) == (Outcome.REACHED, None, Outcome.NEVER)
    assert [(round(part.start_tokens), part.end_tokens and round(part.end_tokens)) for part in pro.intervals] == [
        (111_720, 149_760), (223_440, 299_520), (335_160, None),
    ]  # fmt: skip


@pytest.mark.parametrize("fixed", ["0", "40"])
def test_hours_used_cost_less_just_where_counting_hour_by_hour_says_so(fixed: str) -> None:
    """Volumes from 20 k to 200 M in steps of one hundredth, with every bill counted here."""
    used = scenario(
        basis=Basis.HOUR, rental=Rental.HOURS_USED, tie_ratio=Decimal(0), operations_eur_per_month=Decimal(fixed)
    )
    listed = against("gpt-5.4", economics.estimate(used, facts())).break_even
    volume = Decimal(20_000)
    while volume < 200_000_000:
        hours = math.ceil(volume / 149_760)
        cheaper = hours * Decimal("1.50") + Decimal(fixed) < volume * 15 / 10**6 / Decimal("1.1172")
        inside = any(
            part.start_tokens < volume and (part.end_tokens is None or volume <= part.end_tokens)
            for part in listed.intervals
        )
        assert inside == cheaper, volume
        volume = (volume * Decimal("1.01")).to_integral_value()


@given(st.integers(1, 10**9), st.sampled_from(["0.60", "2.25", "4.50", "7.50", "15.00", "30.00"]))
def test_verdict_and_break_even_agree(volume: int, price: str) -> None:
    """With no margin, the GPU wins exactly inside the intervals."""
    found = economics.estimate(
        scenario(volume_tokens=Decimal(volume), tie_ratio=Decimal(0)), facts(skus=(), apis=(flat_api(price),))
    ).comparisons[0]
    inside = any(
        part.start_tokens < volume and (part.end_tokens is None or volume <= part.end_tokens)
        for part in found.break_even.intervals
    )
    assert (found.verdict is Verdict.GPU) == inside


def test_modes_are_not_mixed_unless_a_share_is_asked_for() -> None:
    """Half in batch: (15.00 + 7.50) ÷ 2 = 11.25 $ per million."""
    found = economics.estimate(scenario(batch_share_ratio=Decimal("0.5")), facts(apis=(GPT_54, GPT_54_MINI)))
    assert against("gpt-5.4", found).bill.usd_per_mtok == Decimal("11.25")
