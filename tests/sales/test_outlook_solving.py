"""What would have to be true: values worked out by hand, and each solution put back into the economics estimate."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given

from calculator.domain.economics import estimate
from calculator.domain.offers import Basis
from calculator.domain.scenario import BillingStep, Outcome, Rental
from sales.domain.outlook import OutlookFacts, OutlookScenario, sides
from sales.domain.solving import Solution, Unknown, solutions
from tests.domain import factories as offer
from tests.sales import outlookfactory as case
from tests.sales.outlookfactory import machines, scenarios

MONTH_EUR = Decimal("830.64")
GPT_EUR = Decimal(1500) / Decimal("1.1172")
"""100 M output tokens on gpt-5.4 at 15 $, in euros: 1 342.64."""


def solved(facts: OutlookFacts | None = None, **fields: object) -> dict[Unknown, Solution]:
    asked, known = case.scenario(**fields), facts or case.facts()
    return {one.unknown: one for one in solutions(sides(asked, known.prices), known)}


def codes(one: Solution) -> set[str]:
    return {message.code for message in one.doubts}


def near(value: Decimal | None, expected: str) -> bool:
    return value is not None and abs(value - Decimal(expected)) <= abs(Decimal(expected)) * Decimal("1e-6")


class TestByHand:
    """GPU-PRO at 830.64 € a month, 64 tok/s, 65 % of 720 h, beside gpt-5.4 standard at 15 $ and 1.1172 $ for 1 €."""

    def test_the_volume_is_two_intervals_because_gpus_come_whole(self) -> None:
        """830.64 × 1.1172 ÷ 15 = 61.866 M; one card ends at 107.8272 M; two cost as much at 123.732 M."""
        one = solved()[Unknown.VOLUME]
        assert one.outcome is Outcome.REACHED
        assert one.solved == Decimal("61866067.2")
        first, second = one.intervals
        assert (first.start_tokens, first.end_tokens) == (Decimal("61866067.2"), Decimal(107_827_200))
        assert (second.start_tokens, second.end_tokens) == (Decimal("123732134.4"), None)

    def test_the_utilisation_is_that_of_one_full_card(self) -> None:
        """61 866 067.2 of the 165 888 000 tokens that a card writes in 720 h without a pause; today it works 60.3 %."""
        one = solved()[Unknown.UTILISATION]
        assert near(one.solved, "0.37293877")
        assert near(one.now, "0.60281636")
        assert one.doubts == ()

    def test_the_price_may_rise_to_what_the_api_costs(self) -> None:
        one = solved()[Unknown.PRICE]
        assert one.solved == GPT_EUR
        assert one.now == MONTH_EUR

    def test_a_negative_discount_is_what_could_be_added(self) -> None:
        one = solved()[Unknown.DISCOUNT]
        assert one.solved == 1 - GPT_EUR / MONTH_EUR
        assert one.now == 0
        assert one.doubts == ()

    def test_the_hourly_price_is_solved_over_the_paid_hours(self) -> None:
        """1 342.64 € ÷ 720 h = 1.8648 €/h; the list asks 1.50."""
        one = solved(basis=Basis.HOUR)[Unknown.PRICE]
        assert near(one.solved, "1.86478100")

    def test_the_api_would_have_to_cost_as_much_as_the_card(self) -> None:
        """830.64 € × 1.1172 ÷ 100 M = 9.2799 $ per million, 38 % below the list: outside ± 10 %."""
        one = solved()[Unknown.API_PRICE]
        assert near(one.solved, "9.27991008")
        assert codes(one) == {"beyond_span"}
        assert solved(api_span_ratio=Decimal("0.5"))[Unknown.API_PRICE].doubts == ()

    def test_the_rate_is_that_of_a_card_full_as_planned(self) -> None:
        """61 866 067.2 tokens ÷ (720 h × 3 600 × 65 %) = 36.72 tok/s."""
        one = solved()[Unknown.RATE]
        assert near(one.solved, "36.7201254")
        assert one.now == 64

    def test_the_exchange_rate_is_outside_ten_years_of_rates(self) -> None:
        one = solved()[Unknown.FX]
        assert near(one.solved, "1.80583646")
        assert codes(one) == {"outside_history"}

    def test_an_exchange_rate_within_ten_years_is_plausible(self) -> None:
        """At 61.3 M the API costs 919.50 $ and the card 830.64 €: 1.107 $ for 1 €."""
        one = solved(volume_tokens=Decimal(61_300_000))[Unknown.FX]
        assert near(one.solved, "1.10697775")
        assert one.doubts == ()


class TestAgainstACheapApi:
    """gpt-5.4-mini at 4.50 $: a full card makes 107.8 M tokens, worth 434 € there."""

    @pytest.fixture
    def found(self) -> dict[Unknown, Solution]:
        return solved(reference="gpt-5.4-mini")

    def test_no_volume_makes_them_equal(self, found: dict[Unknown, Solution]) -> None:
        assert found[Unknown.VOLUME].outcome is Outcome.NEVER
        assert codes(found[Unknown.VOLUME]) == {"full_gpu_dearer"}

    def test_more_than_all_hours_would_have_to_be_busy(self, found: dict[Unknown, Solution]) -> None:
        """830.64 ÷ (4.5 ÷ 1.1172 × 165.888) = 124.3 %."""
        assert near(found[Unknown.UTILISATION].solved, "1.2431292")
        assert codes(found[Unknown.UTILISATION]) == {"over_full"}

    def test_two_requests_at_once_would_do(self, found: dict[Unknown, Solution]) -> None:
        """122.4 tok/s in all, by a card that writes 64 in one stream."""
        assert near(found[Unknown.RATE].solved, "122.400418")
        assert codes(found[Unknown.RATE]) == {"streams_needed"}
        assert found[Unknown.RATE].doubts[0].values == {"count": 2}

    def test_a_discount_beyond_the_stated_range_is_said_to_be_so(self, found: dict[Unknown, Solution]) -> None:
        """450 $ are 402.79 €, 51.5 % off."""
        assert near(found[Unknown.DISCOUNT].solved, "0.51508151")
        assert codes(found[Unknown.DISCOUNT]) == {"beyond_span"}

    def test_a_price_below_the_floor_is_said_to_be_so(self) -> None:
        found = solved(reference="gpt-5.4-mini", floor_eur=Decimal(600))
        assert codes(found[Unknown.PRICE]) == {"below_floor"}
        assert codes(found[Unknown.DISCOUNT]) == {"below_floor"}


class TestLimits:
    def test_a_utilisation_beyond_the_visitors_range(self) -> None:
        found = solved(utilisation_high_ratio=Decimal("0.30"))
        assert codes(found[Unknown.UTILISATION]) == {"over_range"}

    def test_a_rate_beyond_the_ceiling_of_the_card(self) -> None:
        """At 0.01 $ a card would need 55 080 tok/s; 165.2 TFLOP/s ÷ 2 ÷ 7.24 G weights is 11 406."""
        cheap = offer.facts(apis=(offer.flat_api("0.01"),))
        one = solved(case.facts(cheap))[Unknown.RATE]
        assert near(one.solved, "55080.188")
        assert "over_ceiling" in codes(one)

    def test_a_ceiling_is_unknown_without_a_named_model(self) -> None:
        assert "ceiling_unknown" in codes(solved(case.facts(model=None))[Unknown.RATE])

    def test_prompts_alone_may_take_too_long(self) -> None:
        """Each request reads 10 000 tokens at 10 tok/s: 1 000 s, far more than its price on the API buys."""
        found = solved(input_tokens=Decimal(10_000), prefill_tok_per_s=Decimal(10), reference="mistral-small-2603")
        one = found[Unknown.RATE]
        assert one.outcome is Outcome.NEVER
        assert codes(one) == {"prompt_alone"}

    def test_other_costs_above_the_bill_leave_no_price(self) -> None:
        found = solved(operations_eur_per_month=Decimal(2000))
        assert found[Unknown.PRICE].outcome is Outcome.NEVER
        assert codes(found[Unknown.PRICE]) == {"extras_dearer"}

    def test_without_traffic_no_other_cost_is_blamed_for_the_missing_price(self) -> None:
        """0 tokens cost 0 € on the API, and nothing was added to the GPU: no price of it is as low."""
        found = solved(volume_tokens=Decimal(0))
        for unknown in (Unknown.PRICE, Unknown.DISCOUNT, Unknown.FX):
            assert found[unknown].outcome is Outcome.NEVER
            assert codes(found[unknown]) == {"api_free"}

    def test_a_free_api_is_never_met(self) -> None:
        free = case.facts(offer.facts(apis=(offer.flat_api("0"),)))
        found = solved(free)
        assert found[Unknown.API_PRICE].outcome is Outcome.NEVER
        assert found[Unknown.FX].outcome is Outcome.NEVER
        assert found[Unknown.VOLUME].outcome is Outcome.NEVER

    def test_nothing_is_solved_without_a_price(self) -> None:
        found = solved(case.facts(offer.facts(sku=offer.SUPERCOMPUTE)))
        assert {one.outcome for one in found.values()} == {Outcome.UNKNOWN}

    def test_nothing_is_solved_without_an_exchange_rate(self) -> None:
        """But the rate itself: 1 500 $ and 830.64 € are equal at 1.8058 $, whatever it is today."""
        found = solved(case.facts(offer.facts(usd_per_eur=None)))
        fx = found.pop(Unknown.FX)
        assert {one.outcome for one in found.values()} == {Outcome.UNKNOWN}
        assert (fx.now, fx.outcome) == (None, Outcome.REACHED)
        assert near(fx.solved, "1.80583646")

    def test_a_price_on_request_is_solved_for_all_the_same(self) -> None:
        """One GPU-TITAN by the month has no list price; it may cost what the API does."""
        found = solved(case.facts(offer.facts(sku=offer.TITAN)))
        assert found[Unknown.PRICE].now is None
        assert found[Unknown.PRICE].solved == GPT_EUR

    def test_without_an_api_there_is_nothing_to_equal(self) -> None:
        found = solved(case.facts(offer.facts(apis=())), apis=())
        assert {one.outcome for one in found.values()} == {Outcome.UNKNOWN}


def assert_equal_when_put_back(asked: OutlookScenario, sku: Any, tolerance_eur: Decimal = Decimal(0)) -> None:
    known = case.facts(offer.facts(sku=sku))
    for one in solutions(sides(asked, known.prices), known):
        if one.put_back is None:
            assert one.outcome is not Outcome.REACHED
            continue
        again = estimate(one.put_back, known.prices)
        row = next(row for row in again.comparisons if row.bill.api.code == asked.reference)
        assert again.gpu.total_eur is not None and row.bill.eur is not None
        allowed = row.bill.eur * Decimal("1e-9") + tolerance_eur
        assert abs(again.gpu.total_eur - row.bill.eur) <= allowed, one.unknown


@given(asked=scenarios, sku=machines)
def test_a_solved_value_put_back_makes_both_sides_equal(asked: OutlookScenario, sku: Any) -> None:
    assert_equal_when_put_back(asked, sku)


@given(asked=scenarios, sku=machines)
def test_so_it_does_where_hours_used_are_billed_but_for_the_last_second(asked: OutlookScenario, sku: Any) -> None:
    used = replace(asked, basis=Basis.HOUR, rental=Rental.HOURS_USED, billing_step=BillingStep.SECOND)
    second = max(sku.prices[Basis.HOUR].value, used.price_eur or Decimal(0)) * 3 / 3600
    assert_equal_when_put_back(used, sku, second)


@given(asked=scenarios, sku=machines)
def test_so_it_does_where_whole_hours_are_billed_but_for_one_hour_of_a_rate(asked: OutlookScenario, sku: Any) -> None:
    """A rate is a float: what it fills may lie a last digit above a whole hour. The volume itself meets exactly."""
    used = replace(asked, basis=Basis.HOUR, rental=Rental.HOURS_USED, billing_step=BillingStep.HOUR)
    known = case.facts(offer.facts(sku=sku))
    hour = max(sku.prices[Basis.HOUR].value, used.price_eur or Decimal(0)) * 3
    assert_equal_when_put_back(used, sku, hour)
    volume = solutions(sides(used, known.prices), known)[0]
    if volume.put_back is not None:
        back = sides(volume.put_back, known.prices)
        assert back.gap_eur is not None and back.api_eur is not None
        assert abs(back.gap_eur) <= Decimal("1e-9") * (1 + back.api_eur)


@given(asked=scenarios, sku=machines)
def test_both_sides_are_those_of_the_economics_estimate(asked: OutlookScenario, sku: Any) -> None:
    known = offer.facts(sku=sku)
    both, whole = sides(asked, known), estimate(asked, known)
    row = next(row for row in whole.comparisons if row.bill.api.code == asked.reference)
    assert both.gpu == whole.gpu
    assert both.api == row
