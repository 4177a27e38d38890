"""Percentiles and rates that say when they cannot be known: None for unknown, never 0 and never NaN."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

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
