"""The instants at which an open loop plans its requests, as nanoseconds after its start. Pure: no clock, no loop.

A plan is made whole before the first request, from a rate, a count and (Poisson) a stored seed; it is never stretched
to end at a round time, which would take the variance out of random arrivals.
"""

import math
import random
from collections.abc import Callable, Mapping

NS_PER_S = 1e9
PATTERNS = ("constant", "poisson", "ramp")


def constant(rate_per_s: float, count: int) -> list[int]:
    """One request each 1 ÷ rate, the first at once; each instant is worked out from the start, so none drifts."""
    return [round(number * NS_PER_S / rate_per_s) for number in range(count)]


def poisson(rate_per_s: float, count: int, seed: str) -> list[int]:
    """Independent exponential gaps of mean 1 ÷ rate; the same seed gives the same plan."""
    generator = random.Random(seed)  # noqa: S311 - reproducible on purpose
    instants, at_s = [], 0.0
    for _ in range(count):
        at_s += generator.expovariate(rate_per_s)
        instants.append(round(at_s * NS_PER_S))
    return instants


def ramp(rate_per_s: float, count: int, ramp_s: float) -> list[int]:
    """A rate that rises evenly from 0 to `rate_per_s` over `ramp_s` seconds and stays there.

    By the time t of the rise, rate × t² ÷ (2 × ramp) requests are due; request n is due when that reaches n.
    """
    risen = rate_per_s * ramp_s / 2
    return [round(NS_PER_S * rise_instant_s(number, rate_per_s, ramp_s, risen)) for number in range(count)]


def rise_instant_s(number: int, rate_per_s: float, ramp_s: float, risen: float) -> float:
    """When request `number` of a ramp is due, seconds; `risen` = how many are due while the rate rises."""
    if number <= risen:
        return math.sqrt(2 * ramp_s * number / rate_per_s)
    return ramp_s + (number - risen) / rate_per_s


def planned(pattern: str, rate_per_s: float, count: int, *, seed: str, ramp_s: float) -> list[int]:
    """The instants of one open loop; ValueError for a pattern or a rate that is none."""
    if not rate_per_s > 0:
        raise ValueError(f"a rate must be above 0, not {rate_per_s}")
    makers: Mapping[str, Callable[[], list[int]]] = {
        "constant": lambda: constant(rate_per_s, count),
        "poisson": lambda: poisson(rate_per_s, count, seed),
        "ramp": lambda: ramp(rate_per_s, count, ramp_s),
    }
    if pattern not in makers:
        raise ValueError(f"no such pattern: {pattern!r}")
    return makers[pattern]()
