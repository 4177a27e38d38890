"""Goodput: requests a second that meet every target. Pure.

A failed request meets none and stays in the share; an answer of one token has no time per token, meets that target and
is counted apart, for it tells nothing about it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks import metrics, statistics
from benchmarks.load.records import Limits, Request


@dataclass(frozen=True, slots=True)
class Goodput:
    """`goodput_per_s` and `attainment_ratio` are None without measured requests; counts are of measured requests."""

    met_count: int
    without_tpot_count: int
    goodput_per_s: float | None
    attainment_ratio: float | None


def meets(request: Request, limits: Limits) -> bool:
    """Whether a request succeeded within every target that is asked; exactly at a limit is within."""
    if not request.ok:
        return False
    ttft, e2e = metrics.ttft_ms, metrics.e2e_ms
    if limits.from_plan:
        ttft, e2e = metrics.ttft_planned_ms, metrics.e2e_planned_ms
    return (
        within(ttft(request), limits.ttft_ms, unknown_meets=False)
        and within(metrics.tpot_ms(request), limits.tpot_ms, unknown_meets=True)
        and within(e2e(request), limits.e2e_ms, unknown_meets=False)
    )


def within(value: float | None, limit: float | None, *, unknown_meets: bool) -> bool:
    if limit is None:
        return True
    return unknown_meets if value is None else value <= limit


def goodput(requests: Sequence[Request], limits: Limits, duration_s: float | None) -> Goodput:
    """10 requests in 5 s, of which 6 meet all targets: 1.2 a second, 60 %."""
    measured = [request for request in requests if not request.warm_up and not request.incomplete]
    met = [request for request in measured if meets(request, limits)]
    return Goodput(
        met_count=len(met),
        without_tpot_count=sum(request.ok and metrics.tpot_ms(request) is None for request in measured),
        goodput_per_s=statistics.rate_per_s(len(met), duration_s) if measured else None,
        attainment_ratio=len(met) / len(measured) if measured else None,
    )
