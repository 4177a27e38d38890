"""Whether new repeats of a measurement are slower than its baseline: Welch's test and a practical threshold. Pure.

Both must speak: a difference may be certain and too small to matter, or large and within the spread. A regression is
confirmed by measuring again before anybody is alarmed.
"""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

SIGNIFICANCE = 0.05
THRESHOLD_RATIO = 0.03
TERMS_COUNT = 200  # Of the continued fraction; it settles in fewer than thirty for the values met here.
PRECISION = 1e-12


@dataclass(frozen=True, slots=True)
class Comparison:
    """Change of the mean and the ends of its 95 % interval, as shares of the baseline's mean; p is two-sided."""

    change_ratio: float
    low_ratio: float
    high_ratio: float
    p_value: float

    @property
    def regressed(self) -> bool:
        """Certain and large enough: at least 3 % down (rounded to a tenth of a percent) with p below 0.05."""
        return self.p_value < SIGNIFICANCE and round(self.change_ratio, 3) <= -THRESHOLD_RATIO


def compare(baseline: Sequence[float], new: Sequence[float]) -> Comparison | None:
    """Welch's comparison of two sets of repeats; None with fewer than two each, or when neither set varies."""
    if min(len(baseline), len(new)) < 2:
        return None
    base, parts = statistics.fmean(baseline), [statistics.variance(item) / len(item) for item in (baseline, new)]
    error = math.sqrt(sum(parts))
    if error == 0 or base == 0:
        return None
    freedom = sum(parts) ** 2 / sum(
        part**2 / (len(item) - 1) for part, item in zip(parts, (baseline, new), strict=True)
    )
    change = statistics.fmean(new) - base
    reach = error * student_quantile(1 - SIGNIFICANCE / 2, freedom)
    return Comparison(
        change_ratio=change / base,
        low_ratio=(change - reach) / base,
        high_ratio=(change + reach) / base,
        p_value=two_sided(change / error, freedom),
    )


def two_sided(t: float, freedom: float) -> float:
    """Probability of a |t| at least this large under Student's distribution."""
    return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t))


def student_quantile(probability: float, freedom: float) -> float:
    """The t below which the share `probability` (above 0.5) of Student's distribution lies, by halving."""
    low, high = 0.0, 1.0
    tail = 2 * (1 - probability)
    while two_sided(high, freedom) > tail:
        high *= 2
    while high - low > PRECISION * high:
        middle = (low + high) / 2
        low, high = (middle, high) if two_sided(middle, freedom) > tail else (low, middle)
    return high


def incomplete_beta(a: float, b: float, x: float) -> float:
    """Regularised incomplete beta function (NIST DLMF 8.17.22, continued fraction), 0 ≤ x ≤ 1."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    if x > (a + 1) / (a + b + 2):
        return 1 - front * fraction(b, a, 1 - x) / b
    return front * fraction(a, b, x) / a


def fraction(a: float, b: float, x: float) -> float:
    """The continued fraction 1 ÷ (1 + d₁ ÷ (1 + d₂ ÷ …)) of the incomplete beta function, from its far end."""
    value = 1.0
    for step in range(TERMS_COUNT, 0, -1):
        value = 1 + coefficient(a, b, x, step) / value
    return 1 / value


def coefficient(a: float, b: float, x: float, step: int) -> float:
    """dₙ for n = `step` from 1."""
    half, odd = divmod(step, 2)
    if odd:
        return -(a + half) * (a + b + half) * x / ((a + 2 * half) * (a + 2 * half + 1))
    return half * (b - half) * x / ((a + 2 * half - 1) * (a + 2 * half))
