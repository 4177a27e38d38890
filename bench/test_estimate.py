"""The calculation alone: one SKU against every API of the catalogue."""

import math
import statistics
import timeit
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.core.management import call_command

from bench.conftest import Figure
from calculator import catalog
from calculator.domain.economics import estimate
from calculator.domain.offers import EconomicsFacts
from calculator.domain.scenario import EconomicsScenario

Case = tuple[EconomicsScenario, EconomicsFacts]


@pytest.fixture
def case(db: None) -> Case:
    """The default scenario with every API that is for sale."""
    call_command("seed", verbosity=0)
    scenario = catalog.default_scenario()
    every = tuple(api.code for api in catalog.api_choices(scenario.catalog_version, scenario.at))
    scenario = replace(scenario, apis=every)
    return scenario, catalog.for_economics(scenario)


def plain_floats(case: Case) -> Callable[[], list[float]]:
    """The same answers from bare numbers: bills, €/1M and break-even volume, without sources, decimals or tables."""
    scenario, facts = case
    throughput = facts.sku.throughput
    assert throughput is not None and facts.usd_per_eur is not None
    rate, hours = float(throughput.output_tok_per_s.value), float(scenario.hours_per_month_h)
    share, volume = float(scenario.utilisation_ratio), float(scenario.volume_tokens)
    prices, dollars = [float(price.value) for price in facts.sku.prices.values()], float(facts.usd_per_eur.value)
    outputs = [float(tiers[0].output.value) for api in facts.apis for tiers in api.modes.values() if tiers[0].output]

    def answer() -> list[float]:
        capacity = rate * 3600 * hours * share
        count = max(1, math.ceil(volume / capacity))
        bills = [count * price for price in prices]
        found = [bill / volume * 1e6 for bill in bills]
        for output in outputs:
            euros = volume / 1e6 * output / dollars
            found += [euros, *(bill / euros - 1 for bill in bills), *(bill / (output / dollars) for bill in bills)]
        return found

    return answer


@pytest.mark.bench
@pytest.mark.benchmark(group="estimate")
def test_plain_floats(benchmark: Any, case: Case) -> None:
    benchmark(plain_floats(case))


@pytest.mark.bench
@pytest.mark.benchmark(group="estimate")
def test_estimate(benchmark: Any, case: Case, report: list[Figure]) -> None:
    scenario, facts = case
    benchmark(estimate, scenario, facts)
    baseline = plain_floats(case)
    bare_s = seconds_of(baseline)
    median_ms = benchmark.stats.stats.median * 1000
    told = f"plain floats {bare_s * 1e6:.1f} µs, ratio {median_ms / 1000 / bare_s:.0f}"
    report.append(Figure(f"estimate, {len(facts.apis)} APIs, median", median_ms, "ms", "≤ 1 ms", median_ms <= 1, told))


def seconds_of(call: Callable[[], object], rounds: int = 2000) -> float:
    """The median time of one call."""
    return statistics.median(timeit.repeat(call, number=rounds // 20, repeat=20)) / (rounds // 20)
