"""The counters of the second under way: what a live page shows while nothing is final."""

import asyncio
import time

import pytest

from benchmarks.load.live import Live
from tests.benchmarks import loadfactory as make


class Clock:
    """A monotonic clock that only moves when told."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr("benchmarks.load.live.time", found)
    return found


def test_a_second_without_tokens_has_no_rate(clock: Clock) -> None:
    live = Live()
    clock.now += 1
    assert live.second() == (None, None, 0.0)


def test_events_are_tokens_until_a_request_tells_what_they_are_worth(clock: Clock) -> None:
    live = Live()
    live.on_tokens(50)
    clock.now += 0.5
    assert live.second()[0] == 100
    live.on_end(make.spoken(10, [1, 1], output_tokens=6))
    live.on_tokens(50)
    clock.now += 1.0
    assert live.second()[0] == 50 * 6 / 3


def test_each_second_starts_from_nothing(clock: Clock) -> None:
    live = Live()
    live.on_tokens(10)
    live.on_end(make.spoken(10))
    clock.now += 1
    assert live.second()[:2] == (10, 10)
    clock.now += 1
    assert live.second()[:2] == (None, None)


def test_warm_up_requests_are_not_counted_as_done(clock: Clock) -> None:
    live = Live()
    live.on_end(make.spoken(10, warm_up=True))
    live.on_end(make.request(warm_up=True, error_kind="timeout"))
    assert (live.done_count, live.error_count) == (0, 0)
    live.on_end(make.request(error_kind="timeout"))
    live.on_end(make.spoken(10))
    assert (live.done_count, live.error_count) == (2, 1)


def test_failed_requests_say_nothing_about_the_worth_of_events(clock: Clock) -> None:
    live = Live()
    live.on_end(make.spoken(10, [1], output_tokens=100, error_kind="truncated"))
    live.on_tokens(7)
    clock.now += 1
    assert live.second()[0] == 7


def test_the_median_of_the_second_is_shown(clock: Clock) -> None:
    live = Live()
    for ttft_ms in (10, 30, 20):
        live.on_end(make.spoken(ttft_ms))
    clock.now += 1
    assert live.second()[1] == 20


def test_a_blocked_loop_is_seen_as_lag() -> None:
    async def go() -> Live:
        live = Live()
        watching = asyncio.create_task(live.watch_lag())
        await asyncio.sleep(0.01)
        time.sleep(0.15)
        await asyncio.sleep(0.05)
        watching.cancel()
        return live

    live = asyncio.run(go())
    assert max(live.all_lag_ms) >= 100
    assert live.second()[2] >= 100
    assert live.second()[2] == 0.0
