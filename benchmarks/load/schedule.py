"""When requests are sent.

Closed loop: so many slots, each sending its next request when its last one has ended. Open loop: at planned instants
whatever the server does; a request that must wait for a slot keeps its planned instant, so that the wait is seen.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from benchmarks.load.client import Clock

NS_PER_S = 1e9


@dataclass(frozen=True, slots=True)
class Turn:
    """One request's turn. Instants are monotonic nanoseconds; `ready_ns` is set where it had to wait for a slot."""

    number: int
    warm_up: bool
    planned_ns: int
    ready_ns: int | None = None


Send = Callable[[Turn], Awaitable[None]]


@dataclass(slots=True)
class LoopTimes:
    """Monotonic instants of one closed loop; None when it did not come to that."""

    warm_up_ends_ns: list[int] = field(default_factory=list)
    first_idle_ns: int | None = None

    @property
    def window_ns(self) -> tuple[int, int] | None:
        """From the end of the last warm-up request to the first slot without work: every slot is busy in between."""
        start = max(self.warm_up_ends_ns, default=None)
        if start is None or self.first_idle_ns is None or self.first_idle_ns <= start:
            return None
        return start, self.first_idle_ns


async def closed_loop(
    send: Send,
    times: LoopTimes,
    *,
    concurrency: int,
    warm_up_count: int,
    measured_count: int,
    stop: asyncio.Event,
    clock: Clock,
    ramp_s: float = 0.0,
) -> None:
    """Send warm-up then measured requests, `concurrency` at a time, until all are sent or `stop` is set.

    With a ramp the slots begin one after the other, evenly over it. `times` is filled as it goes, so that it holds
    what was seen even when the loop is cancelled.
    """
    numbers = iter(range(warm_up_count + measured_count))
    start_ns = clock()

    async def slot(position: int) -> None:
        if ramp_s:
            await until(start_ns + round(position * ramp_s * NS_PER_S / concurrency), stop, clock)
        for number in numbers:
            if stop.is_set():
                break
            await send(Turn(number, number < warm_up_count, clock()))
            if number < warm_up_count:
                times.warm_up_ends_ns.append(clock())
        if times.first_idle_ns is None:
            times.first_idle_ns = clock()

    async with asyncio.TaskGroup() as group:
        for position in range(concurrency):
            group.create_task(slot(position))


async def until(instant_ns: int, stop: asyncio.Event, clock: Clock) -> None:
    """Sleep to an instant of the clock; at once when it has passed, sooner when `stop` is set."""
    left_s = (instant_ns - clock()) / NS_PER_S
    if left_s <= 0:
        return
    try:
        async with asyncio.timeout(left_s):
            await stop.wait()
    except TimeoutError:
        return


async def open_loop(
    send: Send,
    times: LoopTimes,
    *,
    offsets_ns: Sequence[int],
    warm_up_count: int,
    in_flight_limit: int,
    stop: asyncio.Event,
    clock: Clock,
) -> None:
    """Send each request at its instant after now, at most `in_flight_limit` at a time, until all are sent or `stop`.

    Instants are absolute: a late turn of the loop delays one request, never the whole plan. The window lasts from the
    end of the last warm-up request to the last planned instant.
    """
    slots = asyncio.Semaphore(in_flight_limit)
    start_ns = clock()
    if not warm_up_count:
        times.warm_up_ends_ns.append(start_ns)

    async def one(number: int, planned_ns: int) -> None:
        warm_up = number < warm_up_count
        waits = slots.locked()
        async with slots:
            if not stop.is_set():
                await send(Turn(number, warm_up, planned_ns, clock() if waits else None))
        if warm_up:
            times.warm_up_ends_ns.append(clock())

    async with asyncio.TaskGroup() as group:
        for number, offset_ns in enumerate(offsets_ns):
            await until(start_ns + offset_ns, stop, clock)
            if stop.is_set():
                break
            group.create_task(one(number, start_ns + offset_ns))
        times.first_idle_ns = clock()
