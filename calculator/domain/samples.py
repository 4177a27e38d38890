"""What a sample of documents says of a corpus: mean, quantiles, and how far the mean may be off.

The interval is Student's, with the correction for a finite corpus: it is of the mean, needs two documents, and holds
well from about thirty on, since token counts are skewed. Counts are tokens of a document.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import atan, cos, pi, sin, sqrt
from statistics import NormalDist, fmean, stdev

MEDIAN, TAIL = 0.50, 0.95
EXACT_FREEDOM = 1000
"""Degrees of freedom up to which Student's distribution is summed; beyond, a series around the normal one."""
WIDEST_T = 1e5
HALVINGS = 80


@dataclass(frozen=True, slots=True)
class SampleStatistics:
    """Tokens of the documents counted. `sd_tokens` None = one document, which says nothing of the others."""

    count: int
    total_tokens: int
    mean_tokens: float
    sd_tokens: float | None
    p50_tokens: float
    p95_tokens: float


def quantile(rising: Sequence[int], share: float) -> float:
    """The value below which `share` of the documents lie, between two neighbours in proportion (Hyndman and Fan, 7).

    >>> quantile([10, 20, 30, 40], 0.5)
    25.0
    """
    place = share * (len(rising) - 1)
    below = int(place)
    above = min(below + 1, len(rising) - 1)
    return rising[below] + (rising[above] - rising[below]) * (place - below)


def statistics(tokens: Sequence[int]) -> SampleStatistics:
    """Mean, standard deviation (n − 1) and quantiles of documents. Raises ValueError without any.

    >>> statistics([2, 4, 4, 4, 5, 5, 7, 9]).mean_tokens
    5.0
    """
    if not tokens:
        raise ValueError("no document")
    rising = sorted(tokens)
    return SampleStatistics(
        count=len(rising),
        total_tokens=sum(rising),
        mean_tokens=fmean(rising),
        sd_tokens=stdev(rising) if len(rising) > 1 else None,
        p50_tokens=quantile(rising, MEDIAN),
        p95_tokens=quantile(rising, TAIL),
    )


def _inside(t: float, freedom: int) -> float:
    """P(|T| ≤ t) of Student's distribution, summed in closed form (Abramowitz and Stegun 26.7.3 and 26.7.4)."""
    angle = atan(t / sqrt(freedom))
    step = cos(angle) ** 2
    is_odd = freedom % 2
    term = cos(angle) if is_odd else 1.0
    total = 0.0 if freedom == 1 else term
    for k in range(3 if is_odd else 2, freedom - 1, 2):
        term *= step * (k - 1) / k
        total += term
    return 2 / pi * (angle + sin(angle) * total) if is_odd else sin(angle) * total


def student_quantile(confidence_ratio: float, freedom: int) -> float:
    """t such that |T| ≤ t with this probability. Raises ValueError without a degree of freedom.

    >>> round(student_quantile(0.95, 9), 3)
    2.262
    """
    if freedom < 1:
        raise ValueError("no degree of freedom")
    if freedom > EXACT_FREEDOM:
        z = NormalDist().inv_cdf((1 + confidence_ratio) / 2)
        return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
    low, high = 0.0, WIDEST_T
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _inside(middle, freedom) < confidence_ratio else (low, middle)
    return high


def margin_tokens(sd_tokens: float, count: int, documents_count: int, confidence_ratio: float) -> float | None:
    """Half the interval of the mean: t × s ÷ √n × √(1 − n/N). None for fewer than two documents.

    A sample that is the whole corpus leaves no doubt.

    >>> round(margin_tokens(100.0, 10, 1_000_000, 0.95), 1)
    71.5
    """
    if count < 2:
        return None
    left = max(0.0, 1 - count / documents_count)
    return student_quantile(confidence_ratio, count - 1) * sd_tokens / sqrt(count) * sqrt(left)
