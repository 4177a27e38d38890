"""The closed loop: how many at a time, what is warm-up, when it stops, and the window with every slot busy."""

import asyncio
import itertools

import pytest

from benchmarks.load.schedule import LoopTimes, Turn, closed_loop


class Loop:
    """Runs a closed loop on a counted clock; each request yields `turns` times."""

    def __init__(self, *, concurrency: int, warm_up: int, measured: int, stop_after: int | None = None) -> None:
        self.sent: list[tuple[int, bool]] = []
        self.in_flight = self.most_in_flight = 0
        self.times = LoopTimes()
        self.stop_after = stop_after
        self.ticks = itertools.count(1)
        asyncio.run(self.go(concurrency, warm_up, measured))

    async def go(self, concurrency: int, warm_up: int, measured: int) -> None:
        self.stop = asyncio.Event()
        await closed_loop(
            self.send,
            self.times,
            concurrency=concurrency,
            warm_up_count=warm_up,
            measured_count=measured,
            stop=self.stop,
            clock=lambda: next(self.ticks),
        )

    async def send(self, turn: Turn) -> None:
        self.sent.append((turn.number, turn.warm_up))
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        if self.stop_after is not None and len(self.sent) >= self.stop_after:
            self.stop.set()
        for _ in range(3):
            await asyncio.sleep(0)
        self.in_flight -= 1


def test_every_request_is_sent_once_and_in_order() -> None:
    assert [number for number, _ in Loop(concurrency=3, warm_up=2, measured=8).sent] == list(range(10))


def test_never_more_and_at_times_exactly_the_asked_number_in_flight() -> None:
    assert Loop(concurrency=3, warm_up=3, measured=9).most_in_flight == 3


def test_l24_the_first_requests_are_marked_as_warm_up() -> None:
    marks = [warm_up for _, warm_up in Loop(concurrency=4, warm_up=10, measured=90).sent]
    assert marks == [True] * 10 + [False] * 90


def test_stop_sends_nothing_more_but_lets_what_is_under_way_end() -> None:
    loop = Loop(concurrency=2, warm_up=0, measured=100, stop_after=5)
    assert len(loop.sent) == 5
    assert loop.in_flight == 0


def test_the_window_opens_after_the_last_warm_up_and_closes_at_the_first_idle_slot() -> None:
    times = LoopTimes(warm_up_ends_ns=[5, 9], first_idle_ns=20)
    assert times.window_ns == (9, 20)


@pytest.mark.parametrize(
    "times",
    [
        LoopTimes(),
        LoopTimes(warm_up_ends_ns=[5]),
        LoopTimes(warm_up_ends_ns=[5], first_idle_ns=5),
        LoopTimes(first_idle_ns=9),
    ],
    ids=["nothing", "never idle", "idle at once", "no warm-up"],
)
def test_without_a_full_load_there_is_no_window(times: LoopTimes) -> None:
    assert times.window_ns is None


def test_a_finished_loop_has_a_window() -> None:
    window = Loop(concurrency=2, warm_up=2, measured=10).times.window_ns
    assert window is not None and window[0] < window[1]
