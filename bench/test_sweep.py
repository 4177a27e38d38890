"""The sizing kernel over a whole sweep: 3 000 points of SKUs, layouts and concurrencies, against bare arithmetic."""

import statistics
import timeit
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from bench.conftest import Figure
from calculator.domain.inference import rates
from calculator.domain.ranking import setups
from calculator.domain.serving import Load, point
from calculator.domain.serving_layout import layout
from calculator.domain.serving_load import at, server
from tests.domain.inference_factories import OFFERS, facts, scenario
from tests.domain.serving_factories import H100, LLAMA_70B, REAL, deployment

POINTS = 3_000
ROOM = 1000.0


def sweep() -> Callable[[], float]:
    """Tokens a second summed over four layouts × 25 concurrencies, thirty times: 3 000 calls of the kernel."""
    servers = [rates(deployment(model=LLAMA_70B, gpu=H100, tensor_parallel=size), REAL) for size in (1, 2, 4, 8)]
    loads = [Load(1024, 256, clients) for clients in range(1, 26)]
    return lambda: sum(
        point(server, REAL, load, ROOM).output_tok_per_s for _ in range(30) for server in servers for load in loads
    )


def textbook() -> float:
    """The bandwidth formula alone, as often: what no kernel can be cheaper than."""
    return sum(1 / ((140e9 + (index % 25) * 1e6 * 1152) / 3.35e12) for index in range(POINTS))


@pytest.mark.bench
@pytest.mark.benchmark(group="sweep")
def test_kernel_sweep(benchmark: Any, report: list[Figure]) -> None:
    benchmark(sweep())
    bare_s = statistics.median(timeit.repeat(textbook, number=10, repeat=10)) / 10
    median_ms = benchmark.stats.stats.median * 1000
    told = f"textbook formula {bare_s * 1000:.2f} ms, ratio {median_ms / 1000 / bare_s:.0f}"
    report.append(Figure(f"sizing sweep, {POINTS} points, median", median_ms, "ms", "≤ 100 ms", median_ms <= 100, told))


PRECISIONS = ("fp16", "fp8", "awq-int4", "int8")
CONCURRENCIES = 20


def offers_sweep() -> Callable[[], int]:
    """Five offers × 1, 2, 4, 8 of them × valid divisions × four precisions × 20 loads, as the ranking tries them."""
    asked, known = scenario(), facts()
    tried = [(one, replace(known, offer=offer)) for offer, one in setups(asked, known, PRECISIONS)]
    loads = [Load(1024, 256, 4 * clients) for clients in range(1, CONCURRENCIES + 1)]

    def swept() -> int:
        points = 0
        for one, there in tried:
            found = server(layout(one, there), 1024, 256)
            points += len([at(found, load) for load in loads]) if found else 0
        return points

    assert len(OFFERS) * len(PRECISIONS) * CONCURRENCIES * 4 < swept()
    return swept


@pytest.mark.bench
@pytest.mark.benchmark(group="sweep")
def test_sweep_of_the_offers(benchmark: Any, report: list[Figure]) -> None:
    swept = offers_sweep()
    points = benchmark(swept)
    median_ms = benchmark.stats.stats.median * 1000
    told = f"{points} points from data sheets on"
    report.append(Figure("sizing sweep of every offer, median", median_ms, "ms", "≤ 100 ms", median_ms <= 100, told))
