"""What must hold before a probe's number is believed, each as a small function of facts. Standard library only.

A guard passes, fails, or cannot tell. A failed one refuses the reading where `REFUSING` says so, and stands beside it
as a flag elsewhere; one that cannot tell is said as such, never taken as passed.
"""

import enum
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.probes.arithmetic import PLAUSIBLE_RATIO

MIB = 2**20
FLUSH_BYTES = 256 * MIB
BEYOND_CACHE_RATIO = 4
AGREE_COUNT = 3
AGREE_RATIO = 0.02
SUSTAINED_S = 30.0
THROTTLED_RATIO = 0.05
SAMPLES_PER_S = 5.0
# Bits of NVIDIA's clocks event reasons that hold a clock below what the card could do.
THROTTLE_BITS = 4 | 8 | 32 | 64 | 128 | 512 | 1024


class Verdict(str, enum.Enum):  # noqa: UP042 - a GPU host's Python may be 3.10
    """What a guard says."""

    PASSED = "passed"
    FAILED = "failed"
    UNKNOWN = "unknown"


class Name(str, enum.Enum):  # noqa: UP042 - a GPU host's Python may be 3.10
    """Every guard, in the order in which they are told."""

    PLAUSIBLE = "plausible"
    COMPLETE = "complete"
    NO_FOREIGN_PROCESS = "no_foreign_process"
    WHOLE_GPU = "whole_gpu"
    RESULT_CORRECT = "result_correct"
    STEADY_WARM_UP = "steady_warm_up"
    SUSTAINED = "sustained"
    BEYOND_CACHE = "beyond_cache"
    NO_NEW_MEMORY = "no_new_memory"
    NOT_THROTTLED = "not_throttled"
    SAMPLED_OFTEN = "sampled_often"
    LINK_TRAINED = "link_trained"
    NO_ECC_ERRORS = "no_ecc_errors"


REFUSING = frozenset({Name.PLAUSIBLE, Name.COMPLETE, Name.NO_FOREIGN_PROCESS, Name.RESULT_CORRECT})
"""Guards without which a reading says nothing about the hardware; the others leave it standing with a flag."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One guard's verdict with the numbers that it rests on."""

    name: Name
    verdict: Verdict
    facts: Mapping[str, float | int | str | None]

    @property
    def refuses(self) -> bool:
        return self.verdict is Verdict.FAILED and self.name in REFUSING


def told(passed: bool | None) -> Verdict:
    """None = cannot tell."""
    if passed is None:
        return Verdict.UNKNOWN
    return Verdict.PASSED if passed else Verdict.FAILED


def agree(times_s: Sequence[float]) -> bool:
    """Whether the last three times lie within 2 % of the shortest of them.

    >>> agree([9.0, 1.0, 1.01, 1.02]), agree([1.0, 1.01, 1.03]), agree([1.0, 1.0])
    (True, False, False)
    """
    last = times_s[-AGREE_COUNT:]
    return len(last) == AGREE_COUNT and max(last) <= min(last) * (1 + AGREE_RATIO)


def flush_bytes(cache_bytes: int | None) -> int:
    """What is written between two timed runs so that nothing is left in the cache: at least 256 MiB."""
    return max(FLUSH_BYTES, cache_bytes or 0)


def plausible(value: float, sheet: float | None) -> Finding:
    """At most 105 % of the data sheet; cannot tell without one."""
    ratio = None if not sheet else value / sheet
    facts = {"ratio": ratio, "limit": PLAUSIBLE_RATIO, "value": value, "sheet": sheet}
    return Finding(Name.PLAUSIBLE, told(None if ratio is None else ratio <= PLAUSIBLE_RATIO), facts)


def complete(stopped: bool, samples_count: int) -> Finding:
    """Neither interrupted nor empty."""
    return Finding(Name.COMPLETE, told(not stopped and samples_count > 0), {"samples": samples_count})


def steady(times_s: Sequence[float]) -> Finding:
    """The warm-up ended because three runs agreed, not because its time was up."""
    return Finding(Name.STEADY_WARM_UP, told(agree(times_s)), {"runs": len(times_s), "within_ratio": AGREE_RATIO})


def sustained(span_s: float) -> Finding:
    """At least 30 s at one shape."""
    return Finding(Name.SUSTAINED, told(span_s >= SUSTAINED_S), {"span_s": span_s, "wanted_s": SUSTAINED_S})


def beyond_cache(array_bytes: int, cache_bytes: int | None) -> Finding:
    """Arrays of at least four times the cache; cannot tell where its size is not known."""
    known = None if not cache_bytes else array_bytes >= BEYOND_CACHE_RATIO * cache_bytes
    return Finding(Name.BEYOND_CACHE, told(known), {"array_bytes": array_bytes, "cache_bytes": cache_bytes})


def no_new_memory(before_bytes: int | None, after_bytes: int | None) -> Finding:
    """The reserved memory did not grow while times were taken."""
    known = None if before_bytes is None or after_bytes is None else after_bytes <= before_bytes
    return Finding(Name.NO_NEW_MEMORY, told(known), {"before_bytes": before_bytes, "after_bytes": after_bytes})


def throttle_ratio(reasons: Sequence[int | None]) -> float | None:
    """Share of the samples in which something held the clock down; None without a sample that says.

    >>> throttle_ratio([0, 4, 1, None]), throttle_ratio([None])
    (0.3333333333333333, None)
    """
    known = [bits for bits in reasons if bits is not None]
    return statistics.fmean(bool(bits & THROTTLE_BITS) for bits in known) if known else None


def not_throttled(reasons: Sequence[int | None]) -> Finding:
    """Clocks held down in at most 5 % of the samples."""
    ratio = throttle_ratio(reasons)
    facts = {"ratio": ratio, "limit": THROTTLED_RATIO, "samples": len(reasons)}
    return Finding(Name.NOT_THROTTLED, told(None if ratio is None else ratio <= THROTTLED_RATIO), facts)


def sampled_often(samples_count: int, span_s: float) -> Finding:
    """Clocks looked at five times a second or more; cannot tell where the driver answers nothing."""
    rate = samples_count / span_s if span_s > 0 else 0.0
    known = None if not samples_count else rate >= SAMPLES_PER_S * 0.9
    return Finding(Name.SAMPLED_OFTEN, told(known), {"per_s": rate, "wanted_per_s": SAMPLES_PER_S})


def no_foreign_process(own: Sequence[int], seen: Sequence[int] | None) -> Finding:
    """Nobody else's process on the GPU; `seen` None where the driver does not list them.

    In a container the driver counts processes by the host's numbers: where none of ours is listed, one stranger is us.

    >>> no_foreign_process([7], [7, 9]).verdict.value, no_foreign_process([7], None).verdict.value
    ('failed', 'unknown')
    >>> no_foreign_process([7], [1207]).verdict.value, no_foreign_process([7], [1207, 1300]).verdict.value
    ('passed', 'failed')
    """
    if seen is None:
        return Finding(Name.NO_FOREIGN_PROCESS, Verdict.UNKNOWN, {"foreign": None})
    strangers = len(set(seen) - set(own))
    foreign = strangers if set(seen) & set(own) else max(0, strangers - 1)
    return Finding(Name.NO_FOREIGN_PROCESS, told(not foreign), {"foreign": foreign})


def whole_gpu(name: str) -> Finding:
    """Not a MIG slice: a slice is compared with no data sheet and sets no roof.

    >>> whole_gpu("NVIDIA A100 80GB PCIe MIG 1g.10gb").verdict.value
    'failed'
    """
    return Finding(Name.WHOLE_GPU, told("MIG" not in name.split()), {"name": name})


def result_correct(correct: bool | None) -> Finding:
    """What was computed is what it should be."""
    return Finding(Name.RESULT_CORRECT, told(correct), {})


def link_trained(gen: int | None, gen_max: int | None, width: int | None, width_max: int | None) -> Finding:
    """The PCIe link under load runs at its most; cannot tell where the driver is silent."""
    values = (gen, gen_max, width, width_max)
    known = None if None in values else (gen, width) == (gen_max, width_max)
    facts = dict(zip(("gen", "gen_max", "width", "width_max"), values, strict=True))
    return Finding(Name.LINK_TRAINED, told(known), facts)


def no_ecc_errors(before: int | None, after: int | None) -> Finding:
    """No uncorrected memory error came while measuring."""
    known = None if before is None or after is None else after <= before
    return Finding(Name.NO_ECC_ERRORS, told(known), {"before": before, "after": after})
