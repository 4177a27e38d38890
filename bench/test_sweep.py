"""The sizing kernel over a whole sweep: 3 000 points of SKUs, layouts and concurrencies, against bare arithmetic."""

import statistics
import timeit
from collections.abc import Callable
from typing import Any

import pytest

from bench.conftest import Figure
from calculator.domain.inference import rates
from calculator.domain.serving import Load, point
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
