"""Which step comes next, and when to stop: a sweep over given loads, or a search for the highest rate within targets.

Pure: it sees the outcome of each step and nothing else.
"""

from collections.abc import Sequence
from dataclasses import dataclass

ERROR_LIMIT_RATIO = 0.05
GAIN_MIN_RATIO = 0.05
SLOPE_LIMIT = 2.0
ATTAINMENT_MIN_RATIO = 0.95
KNEE_TOLERANCE_RATIO = 0.10
KNEE_STEPS_MAX_COUNT = 10
KNEE_FACTOR = 2.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """One step as the rules see it. `attainment_ratio` is None where no target is asked."""

    load: float
    output_tok_per_s: float | None
    ttft_p50_ms: float | None
    error_ratio: float | None
    attainment_ratio: float | None = None
    saturated: bool = False

    @property
    def failing(self) -> bool:
        """Whether more requests failed than may; a step that measured nothing fails."""
        return self.error_ratio is None or self.error_ratio > ERROR_LIMIT_RATIO

    @property
    def within_targets(self) -> bool:
        """Whether 95 of 100 requests met every target (each target then holds at the 95th percentile)."""
        return self.attainment_ratio is None or self.attainment_ratio >= ATTAINMENT_MIN_RATIO

    @property
    def met(self) -> bool:
        """Whether a rate was carried: answered at the asked pace, within the targets, with few failures."""
        return not self.failing and not self.saturated and self.within_targets


def reason_to_stop(before: Outcome | None, now: Outcome) -> str:
    """Why a sweep over rising loads ends after `now`: errors, targets, no_gain; empty to go on.

    no_gain: the rate rose by less than 5 % while the first token took more than twice as long.
    """
    if now.failing:
        return "errors"
    if not now.within_targets:
        return "targets"
    return "no_gain" if before and levelled_off(before, now) else ""


def levelled_off(before: Outcome, now: Outcome) -> bool:
    if not (before.output_tok_per_s and now.output_tok_per_s and before.ttft_p50_ms and now.ttft_p50_ms):
        return False
    gain_ratio = now.output_tok_per_s / before.output_tok_per_s - 1
    return gain_ratio < GAIN_MIN_RATIO and now.ttft_p50_ms > SLOPE_LIMIT * before.ttft_p50_ms


@dataclass(frozen=True, slots=True)
class Bracket:
    """The highest rate that was carried below the lowest that was not; None where there is none yet."""

    carried_per_s: float | None
    missed_per_s: float | None

    @property
    def narrow(self) -> bool:
        """Whether both are known and no more than 10 % apart."""
        if self.carried_per_s is None or self.missed_per_s is None:
            return False
        return self.missed_per_s <= self.carried_per_s * (1 + KNEE_TOLERANCE_RATIO)


def bracket(tried: Sequence[Outcome]) -> Bracket:
    """A carried rate above a missed one is taken for luck: the lower answer stands."""
    missed = min((outcome.load for outcome in tried if not outcome.met), default=None)
    carried = max(
        (outcome.load for outcome in tried if outcome.met and (missed is None or outcome.load < missed)), default=None
    )
    return Bracket(carried, missed)


def next_rate(tried: Sequence[Outcome], first_per_s: float) -> float | None:
    """The next rate of a knee search, or None when it is over.

    The rate doubles while it is carried, halves while none is, and then the bracket is halved (geometric mean) until
    its ends are within 10 % or ten steps are spent.
    """
    if not tried:
        return first_per_s
    found = bracket(tried)
    if found.narrow or len(tried) >= KNEE_STEPS_MAX_COUNT:
        return None
    if found.missed_per_s is None:
        return (found.carried_per_s or first_per_s) * KNEE_FACTOR
    if found.carried_per_s is None:
        return found.missed_per_s / KNEE_FACTOR
    return float((found.carried_per_s * found.missed_per_s) ** 0.5)


def knee_end(tried: Sequence[Outcome]) -> str:
    """How a knee search ended: found, open (no rate was missed), none (none was carried), wide (steps ran out)."""
    found = bracket(tried)
    if found.carried_per_s is None:
        return "none"
    if found.missed_per_s is None:
        return "open"
    return "found" if found.narrow else "wide"
