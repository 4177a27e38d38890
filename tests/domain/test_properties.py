"""What must hold for any scenario: formulas recomputed from their own terms, and changes that must change nothing."""

from collections.abc import Callable
from dataclasses import replace
from decimal import ROUND_CEILING, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculator.domain import economics
from calculator.domain.offers import ApiModel, Basis, EconomicsFacts, Mode, Rates, Sku
from calculator.domain.provenance import Kind, Sourced, Step
from calculator.domain.scenario import BillingStep, EconomicsScenario, Rental, TrafficBy
from calculator.domain.units import to_decimal

from .factories import APIS, ECB_RATE, NOW, SUPERCOMPUTE, TITAN, claim, facts, prices, rate_of, scenario

MTOK = Decimal(10**6)
Values = dict[str, Decimal]

hundredths = st.integers(0, 100).map(lambda percent: Decimal(percent) / 100)
money = st.integers(1, 10**7).map(lambda cents: Decimal(cents) / 100)
scenarios = st.builds(
    EconomicsScenario,
    catalog_version=st.just(1),
    at=st.just(NOW),
    basis=st.sampled_from(Basis),
    rental=st.sampled_from(Rental),
    billing_step=st.just(BillingStep.HOUR),
    utilisation_ratio=st.integers(1, 100).map(lambda percent: Decimal(percent) / 100),
    hours_per_month_h=st.integers(1, 744).map(Decimal),
    volume_tokens=st.integers(1, 10**11).map(Decimal),
    input_tokens=st.sampled_from([Decimal(0), Decimal(1), Decimal(1500), Decimal(300_000)]),
    output_tokens=st.integers(1, 4000).map(Decimal),
    prefix_hit_ratio=hundredths,
    cache_write_ratio=hundredths,
    response_cache_ratio=st.integers(0, 99).map(lambda percent: Decimal(percent) / 100),
    operations_eur_per_month=st.one_of(st.just(Decimal(0)), money),
)
READS = Sourced(2500.0, "tok/s", Kind.MEASURED, "prefill_rate")
machines = st.sampled_from(
    [
        replace(TITAN, prices=prices("5.40", "3000.00"), throughput=claim(124.0)),
        replace(TITAN, prices=prices("5.40", "3000.00"), throughput=claim(124.0, prefill_tok_per_s=READS)),
        replace(SUPERCOMPUTE, prices=prices("42.00", "25000.00"), throughput=claim(124.0, prefill_tok_per_s=READS)),
    ]
)


def up(ratio: Decimal) -> Decimal:
    return ratio.to_integral_value(ROUND_CEILING)


def month(v: Values) -> Decimal:
    return v["P"] * v.get("h", Decimal(1))


FORMULAS: dict[str, Callable[[Values], Decimal]] = {
    "instance_rate": lambda v: v["d_1"] * v["g"],
    "capacity": lambda v: v["d"] * 3600 * v["h"] * v["u"],
    "capacity_with_prompt": lambda v: 3600 * v["h"] * v["u"] * v["o"] / (v["i"] / v["f"] + v["o"] / v["d"]),
    "instances": lambda v: up(v["V"] / v["K"]),
    "bill": lambda v: v["n"] * month(v),
    "paid_hours": lambda v: up(v["V"] / v["K"] * v["h"]),
    "bill_hours_used": lambda v: v["t"] * v["P"],
    "total": lambda v: v["B"] + v["F"],
    "eur_per_mtok": lambda v: v.get("C", v.get("B")) / v["V"] * MTOK,
    "full_eur_per_mtok": lambda v: (v["n"] * month(v) + v.get("F", 0)) / (v["n"] * v["K"]) * MTOK,
    "implied_utilisation": lambda v: v["t_p"] / v["t"],
    "api_usd": lambda v: v["V"] * v["p"] / MTOK,
    "api_eur": lambda v: v["A"] / v["x"],
    "break_even": lambda v: (v["n"] * month(v) + v.get("F", 0)) / (v["p"] / v["x"]) / (1 - v.get("q", 0)) * MTOK,
}
"""Each formula as the page writes it, on the symbols of its own terms."""


def recomputed(step: Step) -> Decimal:
    return FORMULAS[step.code]({term.symbol: to_decimal(term.source.value) for term in step.terms})


@given(scenarios, machines)
def test_every_step_is_its_formula_on_its_own_terms(asked: EconomicsScenario, sku: Sku) -> None:
    found = economics.estimate(asked, facts(sku=sku, skus=()))
    assert {"bill", "bill_hours_used"} & {step.code for step in found.steps}
    for step in found.steps:
        assert float(recomputed(step)) == pytest.approx(float(step.result), rel=1e-12), step.code


@given(scenarios, machines)
def test_each_step_is_worth_its_weakest_term(asked: EconomicsScenario, sku: Sku) -> None:
    found = economics.estimate(asked, facts(sku=sku, skus=()))
    for step in found.steps:
        if step.code not in ("api_usd", "api_eur", "break_even", "instance_rate"):
            assert step.trust is Kind.ASSUMPTION, step.code


def scaled_rates(rates: Rates, factor: Decimal) -> Rates:
    def times(rate: Sourced[Decimal] | None) -> Sourced[Decimal] | None:
        return None if rate is None else replace(rate, value=rate.value * factor)

    return replace(
        rates,
        input=times(rates.input),
        cache_read=times(rates.cache_read),
        cache_write_5m=times(rates.cache_write_5m),
        cache_write_1h=times(rates.cache_write_1h),
        output=times(rates.output),
    )


def scaled_api(api: ApiModel, factor: Decimal) -> ApiModel:
    modes = {mode: tuple(scaled_rates(tier, factor) for tier in tiers) for mode, tiers in api.modes.items()}
    return replace(api, modes=modes)


def verdicts(asked: EconomicsScenario, known: EconomicsFacts) -> list[str]:
    return [item.verdict.value for item in economics.estimate(asked, known).comparisons]


@given(scenarios, st.sampled_from(["0.5", "2", "10"]))
def test_the_currency_of_a_price_list_does_not_matter(asked: EconomicsScenario, factor: str) -> None:
    """API prices and the exchange rate multiplied alike leave every euro figure as it was."""
    times = Decimal(factor)
    other = facts(
        skus=(),
        apis=tuple(scaled_api(api, times) for api in APIS),
        usd_per_eur=replace(ECB_RATE, value=ECB_RATE.value * times),
    )
    before = economics.estimate(asked, facts(skus=()))
    after = economics.estimate(asked, other)
    for first, second in zip(before.comparisons, after.comparisons, strict=True):
        if first.bill.eur is not None:
            assert float(second.bill.eur or -1) == pytest.approx(float(first.bill.eur), rel=1e-12)


@given(scenarios)
def test_one_api_more_changes_nothing_for_the_others(asked: EconomicsScenario) -> None:
    few = economics.estimate(asked, facts(skus=(), apis=APIS[:3])).comparisons
    many = economics.estimate(asked, facts(skus=(), apis=APIS)).comparisons
    assert few == many[:3]


@given(scenarios)
def test_two_gpus_in_one_machine_at_twice_the_price_cost_the_same_per_million_when_full(
    asked: EconomicsScenario,
) -> None:
    asked = replace(asked, operations_eur_per_month=Decimal(0))
    one = replace(TITAN, prices=prices("5.40", "3000.00"), throughput=claim(124.0, prefill_tok_per_s=READS))
    two = replace(one, gpu_count=2, prices=prices("10.80", "6000.00"))
    costs = [economics.estimate(asked, facts(sku=sku, skus=())).gpu.full_eur_per_mtok for sku in (one, two)]
    assert float(costs[0] or 0) == pytest.approx(float(costs[1] or 1), rel=1e-12)


@given(scenarios)
def test_stating_the_month_by_requests_or_by_tokens_is_the_same(asked: EconomicsScenario) -> None:
    by_tokens = economics.estimate(asked, facts(skus=()))
    requests = replace(asked, traffic=TrafficBy.REQUESTS, requests_count=by_tokens.requests_count)
    by_requests = economics.estimate(requests, facts(skus=()))
    assert float(by_requests.volume_tokens) == pytest.approx(float(by_tokens.volume_tokens))
    for first, second in zip(by_tokens.comparisons, by_requests.comparisons, strict=True):
        assert float(first.bill.usd or 0) == pytest.approx(float(second.bill.usd or 0))


@given(scenarios, st.integers(2, 5))
def test_a_dearer_dollar_never_turns_a_verdict_towards_the_api(asked: EconomicsScenario, times: int) -> None:
    """Fewer dollars for one euro make the API dearer in euros: what the GPU had won stays won."""
    order = ["api", "equivalent", "gpu"]
    cheap = verdicts(asked, facts(skus=(), usd_per_eur=rate_of(str(times))))
    dear = verdicts(asked, facts(skus=(), usd_per_eur=rate_of("1")))
    for before, after in zip(cheap, dear, strict=True):
        if "unknown" not in (before, after):
            assert order.index(after) >= order.index(before)


@given(scenarios)
def test_more_prefix_hits_never_make_the_gpu_slower(asked: EconomicsScenario) -> None:
    sku = replace(TITAN, prices=prices("5.40", "3000.00"), throughput=claim(124.0, prefill_tok_per_s=READS))
    cold = economics.estimate(replace(asked, prefix_hit_ratio=Decimal(0)), facts(sku=sku, skus=())).gpu
    warm = economics.estimate(replace(asked, prefix_hit_ratio=Decimal(1)), facts(sku=sku, skus=())).gpu
    assert (warm.capacity_tokens or 0) >= (cold.capacity_tokens or 0)


@given(scenarios)
def test_batch_never_costs_more_than_standard_where_it_is_sold(asked: EconomicsScenario) -> None:
    plain = replace(asked, prefix_hit_ratio=Decimal(0), cache_write_ratio=Decimal(0))
    standard = economics.estimate(plain, facts(skus=())).comparisons
    batch = economics.estimate(replace(plain, mode=Mode.BATCH), facts(skus=())).comparisons
    for first, second in zip(standard, batch, strict=True):
        assert second.bill.usd is not None
        assert first.bill.usd is not None
        assert second.bill.usd <= first.bill.usd


@given(scenarios, machines)
def test_every_row_of_the_tables_agrees_with_the_answer(asked: EconomicsScenario, sku: Sku) -> None:
    found = economics.estimate(asked, facts(sku=sku, skus=(sku,)))
    own = next(row for row in found.volumes if row.is_current)
    assert own.gpu == found.gpu == found.bases[asked.basis]
    assert [verdict for _code, _eur, verdict in own.cells] == [item.verdict for item in found.comparisons]
    shown = next(row for row in found.overview if row.gpu.basis is asked.basis)
    assert shown.gpu == found.gpu
    reference = next(item for item in found.comparisons if item.bill.api.code == asked.reference)
    cell = next(cell for cell in found.utilisations if cell.is_current)
    assert (cell.verdict, cell.difference_ratio) == (reference.verdict, reference.difference_ratio)


def test_estimating_twice_gives_the_same_answer() -> None:
    assert economics.estimate(scenario(), facts()) == economics.estimate(scenario(), facts())
