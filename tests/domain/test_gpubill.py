"""GPU bills: whole instances, utilisation sizes and never discounts, hours rounded once, one GPU or the machine."""

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculator.domain import economics, gpubill
from calculator.domain.offers import Basis, Scope, Sku
from calculator.domain.provenance import Kind, Sourced
from calculator.domain.scenario import BillingStep, GpuBill, Rental

from .factories import ENTERPRISE, PRO, STARTER, SUPERCOMPUTE, TITAN, claim, facts, prices, scenario

MILLION = Decimal(10**6)
volumes = st.integers(0, 10**12).map(Decimal)
utilisations = st.integers(1, 100).map(lambda percent: Decimal(percent) / 100)


def bill(sku: Sku = PRO, **fields: object) -> GpuBill:
    return economics.estimate(scenario(**fields), facts(sku=sku, skus=(sku,), apis=())).gpu


def m_tokens(count: str | int) -> Decimal:
    return Decimal(count) * MILLION


# Hours of a month


@pytest.mark.parametrize(
    ("hours", "hourly_eur", "capacity_m", "month_per_mtok"),
    [(720, "1080.00", "107.8272", "7.70"), (730, "1095.00", "109.3248", "7.60"), (744, "1116.00", "111.42144", "7.45")],
)
def test_p32_one_month_sets_both_cost_and_capacity(
    hours: int, hourly_eur: str, capacity_m: str, month_per_mtok: str
) -> None:
    found = economics.estimate(scenario(hours_per_month_h=Decimal(hours)), facts()).bases
    assert found[Basis.HOUR].bill_eur == Decimal(hourly_eur)
    assert found[Basis.HOUR].capacity_tokens == m_tokens(capacity_m)
    assert round(found[Basis.HOUR].full_eur_per_mtok or 0, 2) == Decimal("10.02")
    assert round(found[Basis.MONTH].full_eur_per_mtok or 0, 2) == Decimal(month_per_mtok)


# One GPU or the whole machine

EIGHT = replace(SUPERCOMPUTE, prices=prices("42.00"), throughput=claim(124.0))


def test_p33_a_price_for_the_machine_and_a_rate_for_one_gpu() -> None:
    """42.00 ÷ 8 = 5.25 € per GPU-hour; 5.25 ÷ (124 × 3 600 × 0.65) = 18.09 € per million, not 144.75 nor 2.26."""
    found = bill(EIGHT, basis=Basis.HOUR)
    assert found.price is not None
    assert found.price.value / EIGHT.gpu_count == Decimal("5.25")
    assert round(found.full_eur_per_mtok or 0, 2) == Decimal("18.09")


def test_p33_a_rate_for_the_machine_is_taken_as_it_is() -> None:
    whole = replace(EIGHT, throughput=claim(992.0, scope=Scope.INSTANCE))
    assert bill(whole, basis=Basis.HOUR).capacity_tokens == bill(EIGHT, basis=Basis.HOUR).capacity_tokens


def test_p33_a_typed_rate_is_that_of_one_gpu() -> None:
    typed = bill(EIGHT, basis=Basis.HOUR, rate_tok_per_s=Decimal(124))
    assert typed.capacity_tokens == bill(EIGHT, basis=Basis.HOUR).capacity_tokens


# Whole instances


@pytest.mark.parametrize(
    ("volume", "count"),
    [(0, 1), (1, 1), (107_827_200, 1), (107_827_201, 2), (215_654_400, 2), (215_654_401, 3), (300_000_000, 3)],
)
def test_instances_come_whole_and_a_full_one_is_not_two(volume: int, count: int) -> None:
    found = bill(volume_tokens=Decimal(volume))
    assert found.instances == count
    assert found.bill_eur == count * Decimal("830.64")


@given(st.integers(1, 10**6), st.integers(1, 744), utilisations)
def test_a_volume_of_exactly_n_capacities_takes_n_instances(count: int, hours: int, ratio: Decimal) -> None:
    """Rates and hours whose quotients do not end must not cost one more instance."""
    sku = replace(PRO, throughput=claim(1 / 3))
    capacity = bill(sku, hours_per_month_h=Decimal(hours), utilisation_ratio=ratio).capacity_tokens
    assert capacity is not None
    full = bill(sku, hours_per_month_h=Decimal(hours), utilisation_ratio=ratio, volume_tokens=count * capacity)
    assert full.instances == count


@given(volumes, volumes)
def test_the_bill_never_falls_as_the_volume_rises(first: Decimal, second: Decimal) -> None:
    low, high = sorted((first, second))
    assert (bill(volume_tokens=low).bill_eur or 0) <= (bill(volume_tokens=high).bill_eur or 0)


@given(volumes, st.integers(1, 10**5).map(Decimal))
def test_doubling_the_rate_never_raises_the_cost(volume: Decimal, rate: Decimal) -> None:
    slow = bill(volume_tokens=volume, rate_tok_per_s=rate).bill_eur
    fast = bill(volume_tokens=volume, rate_tok_per_s=2 * rate).bill_eur
    assert slow is not None
    assert fast is not None
    assert fast <= slow


# Utilisation


@given(utilisations, st.integers(1, 10**6))
def test_utilisation_never_changes_the_bill_below_capacity(ratio: Decimal, volume: int) -> None:
    """One million tokens fit into 1 % of one GPU-PRO's month (1.65 M), so one is rented at any utilisation."""
    assert bill(utilisation_ratio=ratio, volume_tokens=Decimal(volume)).bill_eur == Decimal("830.64")


@pytest.mark.parametrize(("ratio", "per_mtok"), [("1", "6.51"), ("0.65", "10.02"), ("0.30", "21.70")])
def test_pitfall_61_utilisation_divides_tokens_not_money(ratio: str, per_mtok: str) -> None:
    found = bill(basis=Basis.HOUR, utilisation_ratio=Decimal(ratio), volume_tokens=Decimal(1))
    assert round(found.full_eur_per_mtok or 0, 2) == Decimal(per_mtok)
    assert found.bill_eur == Decimal("1080.00")


def test_the_implied_utilisation_is_productive_over_paid_hours() -> None:
    """100 M ÷ (64 × 3 600) = 434.03 h of 720."""
    found = bill()
    assert round(found.productive_h or 0, 2) == Decimal("434.03")
    assert found.paid_h == 720
    assert round(found.implied_utilisation_ratio or 0, 5) == Decimal("0.60282")


# Hours used


def used(sku: Sku, **fields: object) -> GpuBill:
    return bill(sku, basis=Basis.HOUR, rental=Rental.HOURS_USED, **fields)


@pytest.mark.parametrize(("sku", "hours", "eur"), [(TITAN, 345, "1863.00"), (STARTER, 1943, "1651.55")])
def test_hours_used_are_rounded_up_once_on_the_total(sku: Sku, hours: int, eur: str) -> None:
    found = used(sku)
    assert (found.paid_h, found.bill_eur) == (hours, Decimal(eur))


def test_the_second_as_billing_step() -> None:
    """100 M ÷ (124 × 0.65) = 1 240 694.79 s, billed 1 240 695 s at 5.40 an hour."""
    found = used(TITAN, billing_step=BillingStep.SECOND)
    assert found.paid_h == Decimal(1_240_695) / 3600
    assert round(found.bill_eur or 0, 4) == Decimal("1861.0425")


def test_hours_used_of_exactly_whole_hours_are_not_rounded_further() -> None:
    """One hour of GPU-TITAN at 65 % is 290 160 tokens."""
    assert used(TITAN, volume_tokens=Decimal(10 * 290_160)).paid_h == 10
    assert used(TITAN, volume_tokens=Decimal(10 * 290_160 + 1)).paid_h == 11


def test_no_volume_is_no_hour_used() -> None:
    assert used(TITAN, volume_tokens=Decimal(0)).bill_eur == 0


def test_a_monthly_price_is_always_on() -> None:
    assert bill(basis=Basis.MONTH, rental=Rental.HOURS_USED).bill_eur == Decimal("830.64")


def test_an_always_on_month_is_billed_at_its_stated_hours() -> None:
    """An average month of 730.5 h is a mean of months: nothing to round up."""
    assert bill(basis=Basis.HOUR, hours_per_month_h=Decimal("730.5")).bill_eur == Decimal("1095.75")


# Prompt time

READS = replace(PRO, throughput=claim(50.0, prefill_tok_per_s=Sourced(1000.0, "tok/s", Kind.MEASURED)))


def test_the_prompt_takes_gpu_time() -> None:
    """2 000 ÷ 1 000 + 500 ÷ 50 = 12 s for 500 tokens: 720 h × 0.65 hold 140 400 requests, 70.2 M tokens."""
    found = bill(READS, input_tokens=Decimal(2000))
    assert found.capacity_tokens == m_tokens("70.2")
    assert found.reasons == ()


def test_prefix_cache_hits_take_none() -> None:
    """Half of the prompt read from cache: 1 + 10 = 11 s; 720 × 3 600 × 0.65 ÷ 11 × 500 tokens."""
    found = bill(READS, input_tokens=Decimal(2000), prefix_hit_ratio=Decimal("0.5"))
    assert round(found.capacity_tokens or 0) == 76_581_818


def test_an_unknown_prefill_rate_is_said_and_leaves_the_prompt_out() -> None:
    found = bill(PRO, input_tokens=Decimal(2000))
    assert [reason.code for reason in found.reasons] == ["prompt_time_not_counted"]
    assert found.capacity_tokens == m_tokens("107.8272")


def test_nothing_is_missing_when_the_whole_prompt_comes_from_cache() -> None:
    assert bill(PRO, input_tokens=Decimal(2000), prefix_hit_ratio=Decimal(1)).reasons == ()


def test_a_typed_prefill_rate_ranks_as_an_assumption() -> None:
    found = bill(PRO, input_tokens=Decimal(2000), prefill_tok_per_s=Decimal(1000))
    assert found.throughput is not None
    assert found.throughput.prefill_tok_per_s is not None
    assert found.throughput.prefill_tok_per_s.rank_kind is Kind.ASSUMPTION


def test_a_machines_prefill_rate_is_shared_out_beside_a_typed_rate() -> None:
    """8 000 tok/s for the machine are 1 000 for one GPU, beside 50 typed for one: 12 s a request on each of 8."""
    machine = replace(
        EIGHT,
        throughput=claim(1.0, scope=Scope.INSTANCE, prefill_tok_per_s=Sourced(8000.0, "tok/s", Kind.MEASURED)),
    )
    found = bill(machine, basis=Basis.HOUR, input_tokens=Decimal(2000), rate_tok_per_s=Decimal(50))
    assert found.capacity_tokens == 8 * m_tokens("70.2")


# Extra costs, tax, unknown


def test_extra_costs_come_on_top_of_the_rental() -> None:
    found = bill(
        operations_eur_per_month=Decimal(100), storage_eur_per_month=Decimal(20), network_eur_per_month=Decimal(5)
    )
    assert (found.bill_eur, found.total_eur) == (Decimal("830.64"), Decimal("955.64"))
    assert found.eur_per_mtok == Decimal("9.5564")
    assert round(found.full_eur_per_mtok or 0, 4) == Decimal("8.8627")


def test_p49_the_tax_is_computed_once_on_the_total() -> None:
    assert bill(volume_tokens=m_tokens(300)).total_ttc_eur == Decimal("2990.30")


def test_a_sku_without_a_price_is_sized_and_not_billed() -> None:
    found = bill(replace(SUPERCOMPUTE, throughput=claim(124.0)), volume_tokens=m_tokens(2000))
    assert [reason.code for reason in found.reasons] == ["price_on_request"]
    assert found.instances == 2
    assert (found.bill_eur, found.total_eur, found.total_ttc_eur, found.eur_per_mtok) == (None, None, None, None)


def test_a_typed_price_stands_in_and_ranks_as_an_assumption() -> None:
    sku = replace(SUPERCOMPUTE, throughput=claim(124.0))
    found = bill(sku, basis=Basis.HOUR, price_eur=Decimal("42.00"))
    assert found.bill_eur == Decimal(42 * 720)
    assert found.price is not None
    assert found.price.rank_kind is Kind.ASSUMPTION


def test_without_a_throughput_nothing_can_be_sized() -> None:
    found = bill(replace(PRO, throughput=None))
    assert [reason.code for reason in found.reasons] == ["no_throughput"]
    assert (found.instances, found.capacity_tokens, found.bill_eur) == (None, None, None)


def test_a_basis_that_is_not_sold_is_on_request() -> None:
    assert [reason.code for reason in bill(ENTERPRISE, basis=Basis.MONTH).reasons] == ["price_on_request"]


def test_a_bill_is_worth_its_weakest_input() -> None:
    """Utilisation and hours are assumptions, so every bill is at best one."""
    assert bill().trust is Kind.ASSUMPTION


def test_a_response_cache_leaves_fewer_tokens_to_produce() -> None:
    """40 % answered from cache: 100 M stated are 60 M produced; one card then carries 179.7 M stated."""
    found = bill(response_cache_ratio=Decimal("0.4"))
    assert found.eur_per_mtok == Decimal("13.844")
    assert found.capacity_tokens == m_tokens("107.8272")
    assert found.step_tokens == m_tokens("179.712")


def test_rounding_up_forgives_the_last_digit_of_a_division() -> None:
    assert [gpubill.rounded_up(Decimal(text)) for text in ("0", "1", "1.000001", "2.999")] == [0, 1, 2, 3]
    assert gpubill.rounded_up(Decimal("3.000000000000000000000000001")) == 3
    assert gpubill.rounded_up(Decimal("2.999999999999999999999999999")) == 3


@given(
    volumes,
    utilisations,
    st.sampled_from([PRO, STARTER, SUPERCOMPUTE, replace(PRO, throughput=None)]),
    st.sampled_from(list(Basis)),
    st.sampled_from(list(Rental)),
)
def test_a_row_of_totals_is_the_totals_one_by_one(
    units: Decimal, ratio: Decimal, sku: Sku, basis: Basis, rental: Rental
) -> None:
    asked = scenario(basis=basis, rental=rental, operations_eur_per_month=Decimal("12.5"))
    planned = economics.settled(asked, facts(sku=sku, skus=(sku,), apis=())).chosen
    one = None if planned.full is None else planned.rented(planned.full, units, ratio).total_eur
    assert planned.totals_at(ratio)(units) == one
