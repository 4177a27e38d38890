"""What a point costs: whole instances, utilisation that sets capacity only, the bill shared as the GPU's time is."""

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculator.domain import economics
from calculator.domain.offers import Basis, Scope, Throughput
from calculator.domain.provenance import Kind, Sourced
from calculator.domain.serving import Load
from calculator.domain.serving_cost import carried, cost, eur_per_h, price_of, prompt_time_ratio
from calculator.domain.serving_layout import layout
from calculator.domain.serving_load import by_clients, server
from calculator.domain.serving_scenario import Ranged

from . import factories
from .inference_factories import ENTERPRISE, PRO, SUPERCOMPUTE, facts, scenario

RATE = Ranged(64.0, 51.2, 80.0)


def test_at_full_planned_use_the_published_speed_costs_the_published_price() -> None:
    """GPU-PRO, 1.50 €/h and 64 tok/s: 1 080 € for 107.8272 M tokens, 10.02 €/1M."""
    found = cost(scenario(sku="GPU-PRO"), PRO.sku, RATE, 0.0)
    assert found is not None
    assert found.bill_eur == Decimal("1080.00")
    assert found.capacity_tokens == Decimal("107827200")
    assert round(found.output.value, 2) == Decimal("10.02")
    assert found.output == found.planned


def test_the_month_has_its_own_price() -> None:
    found = cost(scenario(sku="GPU-PRO", basis=Basis.MONTH), PRO.sku, RATE, 0.0)
    assert found is not None
    assert (found.bill_eur, round(found.output.value, 2)) == (Decimal("830.64"), Decimal("7.70"))


def test_a_volume_is_carried_by_whole_sets_of_instances() -> None:
    found = cost(scenario(sku="GPU-PRO", volume_tokens=Decimal(300_000_000)), PRO.sku, RATE, 0.0)
    assert found is not None
    assert (found.sets, found.bill_eur) == (3, Decimal("3240.00"))
    assert found.output.value == Decimal("10.80")


def test_utilisation_sets_the_capacity_and_never_the_bill() -> None:
    low, high = (cost(scenario(utilisation_ratio=Decimal(u)), PRO.sku, RATE, 0.0) for u in ("0.25", "1"))
    assert low is not None and high is not None
    assert low.bill_eur == high.bill_eur
    assert low.output.value == 4 * high.output.value


def test_a_faster_server_is_the_low_end_of_the_cost() -> None:
    found = cost(scenario(), PRO.sku, RATE, 0.0)
    assert found is not None and found.output.low is not None and found.output.high is not None
    assert found.output.low == pytest.approx(found.output.value * Decimal("0.8"))
    assert found.output.high == pytest.approx(found.output.value * Decimal("1.25"))


def test_the_bill_is_shared_between_prompts_and_output_without_a_rest() -> None:
    found = cost(scenario(prompt_tokens=1000, output_tokens=250), PRO.sku, RATE, 0.4)
    assert found is not None and found.input_share is not None
    paid = found.output_share.value * 250 + found.input_share.value * 1000
    assert paid == pytest.approx(found.output.value * 250)
    assert found.output_share.value == pytest.approx(found.output.value * Decimal("0.6"))
    assert found.total.value == pytest.approx(found.output.value / 5)


def test_a_price_on_request_is_no_price() -> None:
    assert price_of(scenario(), SUPERCOMPUTE.sku) is None
    assert cost(scenario(), SUPERCOMPUTE.sku, RATE, 0.0) is None
    assert eur_per_h(scenario(), SUPERCOMPUTE.sku, 1) is None


def test_a_typed_price_replaces_the_lists_and_ranks_as_an_assumption() -> None:
    found = price_of(scenario(price_eur=Decimal("40")), SUPERCOMPUTE.sku)
    assert found is not None
    assert (found[0].value, found[0].rank_kind) == (Decimal(40), Kind.ASSUMPTION)
    assert eur_per_h(scenario(price_eur=Decimal("40")), SUPERCOMPUTE.sku, 2) == Decimal(80)


def test_a_basis_without_a_price_falls_back_to_the_hour_and_says_so() -> None:
    found = price_of(scenario(basis=Basis.MONTH), ENTERPRISE.sku)
    assert found is not None and found[1] is Basis.HOUR


@pytest.mark.parametrize("change", [{"hours_per_month_h": Decimal(0)}, {"utilisation_ratio": Decimal(0)}])
def test_nothing_produced_has_no_cost(change: dict[str, Decimal]) -> None:
    assert cost(scenario(**change), PRO.sku, RATE, 0.0) is None


@given(hits=st.sampled_from(["0", "0.5", "0.9"]), clients=st.integers(1, 64), prompt=st.integers(16, 4096))
def test_economics_finds_the_same_capacity_from_the_rates_carried_over(hits: str, clients: int, prompt: int) -> None:
    """Steps and prompts are handed over apart: 1 000 requests take economics as long as the server."""
    load = Load(prompt, 256, clients, float(hits))
    one = server(layout(scenario(), facts()), prompt, 256)
    assert one is not None
    served = by_clients(one, load)
    rates = carried(one, load, served, 1)
    given_over = Throughput(
        Sourced(rates.decode_tok_per_s, "tok/s", Kind.ESTIMATE),
        scope=Scope.INSTANCE,
        prefill_tok_per_s=Sourced(rates.prefill_tok_per_s or 0.0, "tok/s", Kind.ESTIMATE),
    )
    sku = replace(factories.PRO, throughput=given_over)
    asked = factories.scenario(
        utilisation_ratio=Decimal(1),
        input_tokens=Decimal(prompt),
        output_tokens=Decimal(256),
        prefix_hit_ratio=Decimal(hits),
    )
    found = economics.estimate(asked, factories.facts(sku=sku, skus=(sku,)))
    assert found.gpu.capacity_tokens is not None
    planned = served.output_tok_per_s * 3600 * 720
    assert float(found.gpu.capacity_tokens) == pytest.approx(planned, rel=1e-6)


def test_the_prompts_share_of_the_time_grows_with_the_prompt() -> None:
    one = server(layout(scenario(), facts()), 1024, 256)
    assert one is not None
    shares = [prompt_time_ratio(one, Load(prompt, 256, 16), 16) for prompt in (1, 512, 4096)]
    assert shares == sorted(shares)
    assert 0 < shares[0] < shares[-1] < 1
