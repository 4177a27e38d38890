"""Times of one piece of work: pre-heated, warmed until three agree, then at one shape for as long as asked.

Knows no torch: whoever calls gives a `timer` that runs the work n times, waits once at the end and returns n times in
seconds, with the cache flushed between them outside of what is timed.
"""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from benchmarks.probes import guards
from benchmarks.probes.options import Times

Timer = Callable[[int], list[float]]
BATCH_S = 1.0
BATCH_LIMIT = 500
WARM_LIMIT = 200


@dataclass(frozen=True, slots=True)
class Measured:
    """Every time that counts, in seconds, and each batch's median; `span_s` is the wall time of all of them."""

    seconds: tuple[float, ...]
    span_s: float
    stopped: bool
    cold_s: float | None = None
    warm: guards.Finding = field(default_factory=lambda: guards.steady(()))
    batches: tuple[float, ...] = ()

    @property
    def median_s(self) -> float | None:
        return statistics.median(self.seconds) if self.seconds else None

    @property
    def best_s(self) -> float | None:
        return min(self.seconds, default=None)

    @property
    def spread_ratio(self) -> float | None:
        """Standard deviation ÷ mean of the batches' medians, about one a second; None with fewer than two."""
        if len(self.batches) < 2:
            return None
        return statistics.stdev(self.batches) / statistics.fmean(self.batches)


@dataclass
class Clock:
    """Wall time and whether somebody asked to stop; both replaced in tests."""

    now: Callable[[], float] = time.monotonic
    stop: Callable[[], bool] = lambda: False


def warm_up(timer: Timer, limit_s: float, clock: Clock) -> tuple[list[float], float]:
    """Single runs until three in a row agree, or the limits: their times, and the wall time of the last."""
    times_s: list[float] = []
    wall_s, began = 0.0, clock.now()
    while len(times_s) < WARM_LIMIT and clock.now() - began < limit_s and not clock.stop():
        before = clock.now()
        times_s += timer(1)
        wall_s = clock.now() - before
        if guards.agree(times_s):
            break
    return times_s, wall_s


def batch_size(wall_s: float) -> int:
    """Runs between two waits: about a second of them."""
    return BATCH_LIMIT if wall_s <= 0 else max(1, min(BATCH_LIMIT, int(BATCH_S / wall_s)))


def heat(timer: Timer, seconds: float, clock: Clock) -> None:
    """The work itself for a fixed time, so that an idle GPU has its clocks and its temperature."""
    began, count = clock.now(), 1
    while clock.now() - began < seconds and not clock.stop():
        before = clock.now()
        timer(count)
        count = batch_size((clock.now() - before) / count)


def measure(timer: Timer, times: Times, clock: Clock, rows: Callable[[float, Sequence[float], bool], None]) -> Measured:
    """The work timed as `times` says. `rows` gets every batch: its start in seconds, its times, whether it is dropped.

    At least one batch counts, however short the time asked for.
    """
    cold = None if clock.stop() else timer(1)[0]
    heat(timer, times.preheat_s, clock)
    warm, wall_s = warm_up(timer, times.warm_s, clock)
    count, began = batch_size(wall_s), clock.now()
    kept: list[float] = []
    batches: list[float] = []
    span_s = 0.0
    while not clock.stop() and (not kept or span_s < times.measured_s):
        at_s = clock.now() - began
        found = timer(count)
        dropped = at_s < times.drop_s
        rows(at_s, found, dropped)
        if not dropped:
            kept += found
            batches.append(statistics.median(found))
            span_s += clock.now() - began - at_s
    return Measured(tuple(kept), span_s, clock.stop(), cold, guards.steady(warm), tuple(batches))
