"""When requests are sent. Closed loop: so many slots, each sending its next request when its last one has ended."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from benchmarks.load.client import Clock

Send = Callable[[int, bool], Awaitable[None]]


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
) -> None:
    """Send warm-up then measured requests, `concurrency` at a time, until all are sent or `stop` is set.

    `times` is filled as it goes, so that it holds what was seen even when the loop is cancelled.
    """
    numbers = iter(range(warm_up_count + measured_count))

    async def slot() -> None:
        for number in numbers:
            if stop.is_set():
                break
            await send(number, number < warm_up_count)
            if number < warm_up_count:
                times.warm_up_ends_ns.append(clock())
        if times.first_idle_ns is None:
            times.first_idle_ns = clock()

    async with asyncio.TaskGroup() as group:
        for _ in range(concurrency):
            group.create_task(slot())


def prompt_ids(seed: int, step: int, number: int, count: int, vocabulary_size: int) -> list[int]:
    """A fresh random prompt as token ids: its length is exact and no prefix cache can help. Id 0 is the end token."""
    generator = random.Random(f"{seed}/{step}/{number}")  # noqa: S311
    return [generator.randrange(1, vocabulary_size) for _ in range(count)]
