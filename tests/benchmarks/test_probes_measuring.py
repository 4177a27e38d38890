"""When times count: after the heat, after the warm-up, at one shape, for as long as asked. No torch, no real clock."""

from collections.abc import Sequence

import pytest

from benchmarks.probes import measuring
from benchmarks.probes.measuring import Clock, batch_size, measure
from benchmarks.probes.options import Times


class Machine:
    """A GPU of paper: each run takes the next of `costs` (the last for ever), and the clock moves with it."""

    def __init__(self, *costs: float) -> None:
        self.costs, self.at, self.runs, self.batches = list(costs), 0.0, 0, list[int]()

    def timer(self, count: int) -> list[float]:
        self.batches.append(count)
        found = []
        for _ in range(count):
            cost = self.costs[min(self.runs, len(self.costs) - 1)]
            self.runs, self.at = self.runs + 1, self.at + cost
            found.append(cost)
        return found

    def clock(self, stop_at: float = float("inf")) -> Clock:
        return Clock(now=lambda: self.at, stop=lambda: self.at >= stop_at)


class Rows:
    def __init__(self) -> None:
        self.kept: list[tuple[float, list[float], bool]] = []

    def __call__(self, at_s: float, seconds: Sequence[float], dropped: bool) -> None:
        self.kept.append((at_s, list(seconds), dropped))


def test_the_first_runs_do_not_count() -> None:
    """A cold run of 9 s, then 0.1 s each: the median is 0.1."""
    machine, rows = Machine(9.0, 0.1), Rows()
    found = measure(machine.timer, Times(0, 0, 2.0), machine.clock(), rows)
    assert found.cold_s == 9.0
    assert found.median_s == pytest.approx(0.1) and max(found.seconds) == pytest.approx(0.1)


def test_it_warms_until_three_runs_agree() -> None:
    """5, 2, 1, 1, 1: the fifth run of the warm-up is the first that ends three alike."""
    machine = Machine(5.0, 2.0, 1.0, 1.0, 1.0)
    times, _ = measuring.warm_up(machine.timer, 60.0, machine.clock())
    assert times == [5.0, 2.0, 1.0, 1.0, 1.0]


def test_a_machine_that_never_settles_is_measured_and_flagged() -> None:
    machine = Machine(*[1.0, 2.0] * 200)
    found = measure(machine.timer, Times(0, 0, 3.0, warm_s=20.0), machine.clock(), Rows())
    assert found.seconds and found.warm.verdict.value == "failed"


def test_it_measures_for_at_least_the_time_asked() -> None:
    machine, rows = Machine(0.25), Rows()
    found = measure(machine.timer, Times(0, 0, 30.0), machine.clock(), rows)
    assert found.span_s >= 30.0
    assert found.span_s == pytest.approx(sum(found.seconds))


def test_what_is_dropped_is_written_and_not_counted() -> None:
    """One run a second: those that begin in the first 5 s are dropped."""
    machine, rows = Machine(1.0), Rows()
    found = measure(machine.timer, Times(0, 5.0, 10.0), machine.clock(), rows)
    assert [dropped for _, _, dropped in rows.kept] == [True] * 5 + [False] * 10
    assert len(found.seconds) == 10 and found.span_s == pytest.approx(10.0)


def test_the_heat_comes_before_everything_that_counts() -> None:
    machine = Machine(1.0)
    measure(machine.timer, Times(10.0, 0, 1.0), machine.clock(), Rows())
    assert machine.batches == [1] * (1 + 10 + 3 + 1), "cold, heat, three that agree, one measured"


def test_even_the_shortest_run_has_a_batch() -> None:
    machine, rows = Machine(2.0), Rows()
    assert len(measure(machine.timer, Times(0, 0, 0.0), machine.clock(), rows).seconds) == 1


def test_a_stop_ends_the_run_and_says_so() -> None:
    machine, rows = Machine(1.0), Rows()
    found = measure(machine.timer, Times(0, 0, 30.0), machine.clock(stop_at=10.0), rows)
    assert found.stopped and 0 < len(found.seconds) < 10


def test_a_stop_before_the_start_measures_nothing() -> None:
    machine, rows = Machine(1.0), Rows()
    found = measure(machine.timer, Times(0, 0, 30.0), machine.clock(stop_at=0.0), rows)
    assert (found.seconds, found.median_s, found.best_s, found.spread_ratio, found.cold_s) == (
        (),
        None,
        None,
        None,
        None,
    )
    assert machine.runs == 0 and rows.kept == []


@pytest.mark.parametrize(("wall_s", "count"), [(1e-6, 500), (0.01, 100), (0.3, 3), (2.0, 1), (0.0, 500)])
def test_a_batch_is_about_a_second_between_two_waits(wall_s: float, count: int) -> None:
    assert batch_size(wall_s) == count


def test_the_headline_is_the_median_and_the_best_stands_beside_it() -> None:
    found = measuring.Measured((3.0, 1.0, 2.0), 6.0, stopped=False)
    assert (found.median_s, found.best_s) == (2.0, 1.0)


def test_the_spread_is_that_of_the_batches_and_not_of_single_runs() -> None:
    """Batches of about a second with medians 1, 2 and 3: mean 2, standard deviation 1."""
    assert measuring.Measured((9.0,), 1.0, stopped=False).spread_ratio is None
    assert measuring.Measured((9.0,), 1.0, stopped=False, batches=(3.0, 1.0, 2.0)).spread_ratio == pytest.approx(0.5)
