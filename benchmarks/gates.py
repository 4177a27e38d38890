"""The gates between repeats of a measurement and a figure of the calculator. Pure: numbers in, gates out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.statistics import Spread, spread

REPEATS_MIN_COUNT = 5
CV_LIMIT_RATIO = 0.03
LENGTH_LIMIT_RATIO = 0.02
REPEATS, SPREAD, FLAGS, PROMPT, OUTPUT = "repeats", "spread", "flags", "prompt_length", "output_length"


@dataclass(frozen=True, slots=True)
class Point:
    """One load of a series: its rate in each repeat that counts, and the mean lengths reached in each."""

    rates_tok_per_s: tuple[float, ...]
    prompt_means_tokens: tuple[float, ...] = ()
    output_means_tokens: tuple[float, ...] = ()

    @property
    def spread(self) -> Spread | None:
        return spread(self.rates_tok_per_s)


@dataclass(frozen=True, slots=True)
class Gate:
    """One condition: what was seen (the worst of all loads; None = not known) against its limit."""

    code: str
    passed: bool
    seen: float | None
    limit: float
    names: tuple[str, ...] = ()


def gates(points: Sequence[Point], prompt_tokens: int, output_tokens: int, flags: Sequence[str]) -> tuple[Gate, ...]:
    """Every gate, passed or not. Five repeats of each load; CV at most 3 %; lengths within 2 %; no blocking flag."""
    return (
        repeats_gate(points),
        limit_gate(SPREAD, worst_cv(points), CV_LIMIT_RATIO),
        limit_gate(PROMPT, worst_length((p.prompt_means_tokens for p in points), prompt_tokens), LENGTH_LIMIT_RATIO),
        limit_gate(OUTPUT, worst_length((p.output_means_tokens for p in points), output_tokens), LENGTH_LIMIT_RATIO),
        Gate(FLAGS, not flags, float(len(flags)), 0.0, tuple(flags)),
    )


def failed(found: Iterable[Gate]) -> tuple[str, ...]:
    """The codes of the gates that hold a series back."""
    return tuple(gate.code for gate in found if not gate.passed)


def repeats_gate(points: Sequence[Point]) -> Gate:
    fewest = min((len(point.rates_tok_per_s) for point in points), default=0)
    return Gate(REPEATS, fewest >= REPEATS_MIN_COUNT, float(fewest), float(REPEATS_MIN_COUNT))


def limit_gate(code: str, seen: float | None, limit: float) -> Gate:
    """Exactly at the limit is within; what is not known does not pass."""
    return Gate(code, seen is not None and round(seen, 6) <= limit, seen, limit)


def worst_cv(points: Sequence[Point]) -> float | None:
    """The largest coefficient of variation of any load; None when one of them is not known."""
    found = [point.spread.cv_ratio if point.spread else None for point in points]
    known = [value for value in found if value is not None]
    return max(known) if known and len(known) == len(found) else None


def worst_length(means: Iterable[Sequence[float]], asked_tokens: int) -> float | None:
    """How far a mean length of any repeat is from what was asked, as a share of it; None when none is known."""
    return max((abs(mean / asked_tokens - 1) for each in means for mean in each), default=None)
