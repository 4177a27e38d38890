"""Percentiles, rates and repeats that say when they cannot be known: None for unknown, never 0 and never NaN."""

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.regression import SIGNIFICANCE, student_quantile

P99_MIN_COUNT = 100


def percentile(values: Iterable[float], percent: float) -> float | None:
    """Linear interpolation between ranks (type 7, numpy's default) on pooled raw values; None without values.

    [10, 20, 30, 40] → p50 25, p90 37, p99 39.7.
    """
    ordered = sorted(values)
    if not ordered:
        return None
    rank = (len(ordered) - 1) * percent / 100
    low = math.floor(rank)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (rank - low)


def shown_p99(values: Sequence[float]) -> float | None:
    """p99 as a page may show it: None under 100 values, where it is hardly more than the maximum."""
    return percentile(values, 99) if len(values) >= P99_MIN_COUNT else None


def mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def rate_per_s(count: float, duration_s: float | None) -> float | None:
    """`count` ÷ `duration_s`; None when there is no duration."""
    return count / duration_s if duration_s and duration_s > 0 else None


def strict(value: Any, path: str = "", reasons: dict[str, str] | None = None) -> Any:
    """`value` with every NaN and infinity as None; why each was dropped is noted in `reasons` by its path."""
    if isinstance(value, dict):
        return {key: strict(item, f"{path}.{key}" if path else str(key), reasons) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [strict(item, f"{path}[{index}]", reasons) for index, item in enumerate(value)]
    if isinstance(value, float) and not math.isfinite(value):
        if reasons is not None:
            reasons[path] = "not a number" if math.isnan(value) else "infinite"
        return None
    return value


@dataclass(frozen=True, slots=True)
class Spread:
    """The same thing measured several times. The interval is that of the mean at 95 %, from Student's t over the
    repeats; it and the coefficient of variation (sample standard deviation ÷ mean) are None with a single one."""

    count: int
    median: float
    mean: float
    low: float
    high: float
    cv_ratio: float | None
    interval_low: float | None
    interval_high: float | None


def spread(values: Sequence[float]) -> Spread | None:
    """Median, ends, variation and interval of repeats, never of requests; None without values.

    [98, 99, 100, 101, 102] → median 100, CV 1.58 %, interval 100 ± 2.776 · 1.5811 ÷ √5 = 98.04–101.96.
    """
    if not values:
        return None
    middle, average = percentile(values, 50), math.fsum(values) / len(values)
    deviation = statistics.stdev(values) if len(values) > 1 else None
    reach = None
    if deviation is not None:
        reach = student_quantile(1 - SIGNIFICANCE / 2, len(values) - 1) * deviation / math.sqrt(len(values))
    return Spread(
        count=len(values),
        median=average if middle is None else middle,
        mean=average,
        low=min(values),
        high=max(values),
        cv_ratio=None if deviation is None or average == 0 else deviation / abs(average),
        interval_low=None if reach is None else average - reach,
        interval_high=None if reach is None else average + reach,
    )
