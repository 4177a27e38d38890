"""Requests a second that hold the targets, from what is known of an estimate's spread.

A latency is given as a value with the p10 and p90 of measured ÷ predicted in its class. Requests are taken to spread
about the value as published measurements do: log-normally, through that p10 and p90. Two targets are held together by
a share of requests that no assumption on their dependence is needed to bound (Fréchet): at least the sum of both
shares less one, at most the lesser. Published measurements are means of whole runs, so that single requests may spread
wider: the figure is an indication, and says so.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import erf, log, sqrt

from calculator.domain.serving_scenario import Ranged

P90_SIGMAS = 1.2815515655446004
"""Standard deviations between the median and the 90th percentile of a normal distribution."""


@dataclass(frozen=True, slots=True)
class Goodput:
    """Share of the requests that hold every target, and requests a second, each between two bounds."""

    low_ratio: float
    high_ratio: float
    requests_per_s: float

    @property
    def low_per_s(self) -> float:
        """Requests a second that hold the targets, at least."""
        return self.requests_per_s * self.low_ratio

    @property
    def high_per_s(self) -> float:
        """Requests a second that hold the targets, at most."""
        return self.requests_per_s * self.high_ratio


def normal_share(sigmas: float) -> float:
    """Share of a normal distribution below `sigmas` standard deviations.

    >>> round(normal_share(P90_SIGMAS), 6), normal_share(0.0)
    (0.9, 0.5)
    """
    return (1 + erf(sigmas / sqrt(2))) / 2


def share_within(latency: Ranged, limit: float) -> float:
    """Share of requests at or under `limit`: all or none where no spread is known.

    >>> round(share_within(Ranged(1.0, 0.8, 1.25), 1.25), 6)
    0.9
    >>> share_within(Ranged(1.0), 1.1)
    1.0
    """
    if not latency.low or not latency.high or latency.low >= latency.high:
        return 1.0 if latency.value <= limit else 0.0
    low, high = log(latency.low), log(latency.high)
    sigma = (high - low) / (2 * P90_SIGMAS)
    return normal_share((log(limit) - (low + high) / 2) / sigma)


def goodput(requests_per_s: float, limited: Iterable[tuple[Ranged, float | None]]) -> Goodput:
    """Bounds of the share that holds every limit (None = no limit), and of the requests a second that do.

    >>> found = goodput(10.0, [(Ranged(1.0, 0.8, 1.25), 1.25), (Ranged(1.0, 0.8, 1.25), 1.25)])
    >>> round(found.low_per_s, 6), round(found.high_per_s, 6)
    (8.0, 9.0)
    """
    shares = [share_within(latency, limit) for latency, limit in limited if limit is not None]
    if not shares:
        return Goodput(1.0, 1.0, requests_per_s)
    least, most = max(0.0, 1 - sum(1 - share for share in shares)), min(shares)
    return Goodput(min(least, most), most, requests_per_s)
