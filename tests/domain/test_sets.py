"""Several instances rented as one: bills, capacities and steps count whole sets."""

from dataclasses import replace
from decimal import Decimal

import pytest

from calculator.domain import economics
from calculator.domain.offers import Basis, Scope, Throughput
from calculator.domain.provenance import Kind, Sourced

from . import factories

HOURLY = replace(
    factories.PRO, prices={Basis.HOUR: Sourced(Decimal("5.40"), "EUR/hour", Kind.LIST_PRICE, "price")}, throughput=None
)


def asked(**values: object) -> economics.EconomicsEstimate:
    scenario = factories.scenario(**{"basis": Basis.HOUR, "rate_tok_per_s": Decimal(50), **values})
    return economics.estimate(scenario, factories.facts(sku=HOURLY, skus=(HOURLY,)))


def test_four_instances_as_one_cost_four_times_and_carry_four_times() -> None:
    """4 × 5.40 € × 720 h = 15 552 €; 4 × 50 tok/s × 3 600 × 720 × 0.65 = 336.96 M tokens."""
    found = asked(instances_per_set=4, volume_tokens=Decimal(100_000_000)).gpu
    assert (found.instances, found.bill_eur) == (1, Decimal("15552.00"))
    assert found.capacity_tokens == Decimal(336_960_000)
    assert found.sku.name.split() == ["4", "×", "GPU-PRO"]


def test_a_volume_above_one_set_takes_a_second_whole_set() -> None:
    """400 M over 336.96 M: two sets of 15 552 €, where single instances would be five."""
    found = asked(instances_per_set=4, volume_tokens=Decimal(400_000_000)).gpu
    assert (found.instances, found.bill_eur) == (2, Decimal("31104.00"))
    assert asked(volume_tokens=Decimal(400_000_000)).gpu.instances == 5


def test_a_set_of_one_is_the_instance_itself() -> None:
    assert asked(instances_per_set=1).gpu == asked().gpu


def test_a_typed_price_is_that_of_one_instance() -> None:
    found = asked(instances_per_set=2, price_eur=Decimal(3)).gpu
    assert found.bill_eur == Decimal(2 * 3 * 720)


@pytest.mark.parametrize(("scope", "tokens"), [(Scope.GPU, 3), (Scope.INSTANCE, 3)])
def test_a_catalogue_rate_counts_once_for_each_instance(scope: Scope, tokens: int) -> None:
    """64 tok/s × 3 × 3 600 × 720 × 0.65 = 323.4816 M, whichever the rate is stated for."""
    rate = Throughput(Sourced(64.0, "tok/s", Kind.CLAIM), scope=scope)
    sku = replace(HOURLY, throughput=rate)
    scenario = factories.scenario(basis=Basis.HOUR, instances_per_set=tokens)
    found = economics.estimate(scenario, factories.facts(sku=sku, skus=(sku,))).gpu
    assert found.capacity_tokens == Decimal("323481600")


def test_the_break_even_is_that_of_whole_sets() -> None:
    """Below the first set's break-even the API is cheaper: it is four times that of one instance."""
    one, four = asked(), asked(instances_per_set=4)
    for single, several in zip(one.comparisons, four.comparisons, strict=True):
        if single.break_even.intervals and several.break_even.intervals and not single.incomplete:
            start = single.break_even.intervals[0].start_tokens
            assert several.break_even.intervals[0].start_tokens >= start
        assert single.break_even.utilisation_ratio == pytest.approx(several.break_even.utilisation_ratio)


def test_the_step_of_the_bill_uses_the_price_of_the_set() -> None:
    found = asked(instances_per_set=4, volume_tokens=Decimal(100_000_000))
    bill = next(step for step in found.steps if step.code == "bill")
    product = Decimal(1)
    for term in bill.terms:
        product *= Decimal(str(term.source.value))
    assert product == bill.result == Decimal("15552.00")


def test_a_set_is_said() -> None:
    messages = {message.code: message for message in asked(instances_per_set=4).warnings}
    assert messages["set_of_instances"].values == {"count": 4, "sku": "GPU-PRO"}
    assert "set_of_instances" not in {message.code for message in asked().warnings}
