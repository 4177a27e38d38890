"""A limit that is kept, and pauses after a refusal."""

import asyncio
import datetime as dt

import pytest

from benchmarks.load.pacing import PAUSE_MAX_S, RETRIED_STATUSES, RateLimit, pause_s, retry_after_s
from tests.benchmarks import virtualtime

NOW = dt.datetime(2026, 11, 30, 12, 0, 0, tzinfo=dt.UTC)


def starts(per_s: float | None, count: int) -> list[float]:
    """When `count` requests that all want to go at once may go."""
    at: list[float] = []

    async def act(loop: virtualtime.Loop) -> None:
        limit = RateLimit(per_s, loop.time)

        async def one() -> None:
            await limit.wait()
            at.append(loop.time())

        await asyncio.gather(*(one() for _ in range(count)))

    virtualtime.run(act)
    return at


def test_starts_are_evenly_apart() -> None:
    assert starts(4, 5) == pytest.approx([0, 0.25, 0.5, 0.75, 1.0])


def test_without_a_limit_nobody_waits() -> None:
    assert starts(None, 3) == [0, 0, 0]


def test_time_without_requests_is_not_saved_up() -> None:
    at: list[float] = []

    async def act(loop: virtualtime.Loop) -> None:
        limit = RateLimit(2, loop.time)
        await limit.wait()
        loop.spend(10)
        for _ in range(3):
            await limit.wait()
            at.append(loop.time())

    virtualtime.run(act)
    assert at == pytest.approx([10, 10.5, 11])


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        (" 0.5 ", 0.5),
        ("Mon, 30 Nov 2026 12:00:20 GMT", 20.0),
        ("Mon, 30 Nov 2026 11:00:00 GMT", 0.0),
        ("soon", None),
        ("-3", None),
        ("", None),
        (None, None),
    ],
)
def test_retry_after_is_a_number_or_a_date(header: str | None, seconds: float | None) -> None:
    assert retry_after_s(header, NOW) == seconds


def test_pauses_double_up_to_a_minute() -> None:
    assert [pause_s(attempt, None, lambda: 0.0) for attempt in range(1, 10)] == [
        0.5,
        1,
        2,
        4,
        8,
        16,
        32,
        PAUSE_MAX_S,
        PAUSE_MAX_S,
    ]


def test_the_servers_wish_comes_first_and_too_long_a_wish_ends_the_attempts() -> None:
    assert pause_s(1, 7.0, lambda: 0.0) == 7.0
    assert pause_s(9, 0.0, lambda: 0.0) == 0.0
    assert pause_s(1, 60.1, lambda: 0.0) is None


def test_up_to_a_quarter_more_at_random() -> None:
    assert pause_s(3, None, lambda: 1.0) == 2.5


def test_only_what_may_pass_is_retried() -> None:
    assert {429, 503} <= RETRIED_STATUSES
    assert not {400, 401, 403, 404, 422} & RETRIED_STATUSES
