"""What a live page shows of the step under way, counted as it goes."""

import asyncio
import time

from benchmarks.load.records import Request
from benchmarks.statistics import percentile

LAG_SAMPLE_S = 0.02
NS_PER_MS = 1e6


class Live:
    """Counters of the step under way, and of the second under way."""

    def __init__(self) -> None:
        self.done_count = self.error_count = 0
        self.tokens_seen = self.events_seen = self.events_of_ended = 0
        self.ttft_ms: list[float] = []
        self.lag_ms: list[float] = []
        self.all_lag_ms: list[float] = []
        self._since = time.monotonic()

    def on_tokens(self, events: int) -> None:
        self.events_seen += events

    def on_end(self, request: Request) -> None:
        self.done_count += not request.warm_up
        self.error_count += not request.ok and not request.warm_up
        if request.ok:
            self.tokens_seen += request.output_tokens or 0
            self.events_of_ended += len(request.arrivals_ns)
        if request.first_ns is not None and request.sent_ns is not None:
            self.ttft_ms.append((request.first_ns - request.sent_ns) / NS_PER_MS)

    def second(self) -> tuple[float | None, float | None, float]:
        """Tokens a second, median TTFT and worst loop lag since the last call.

        An event under way is worth as many tokens as those of the requests that have ended.
        """
        now = time.monotonic()
        worth = self.tokens_seen / self.events_of_ended if self.events_of_ended else 1.0
        rate = self.events_seen * worth / (now - self._since) if self.events_seen else None
        answer = rate, percentile(self.ttft_ms, 50), max(self.lag_ms, default=0.0)
        self.events_seen, self.ttft_ms, self.lag_ms, self._since = 0, [], [], now
        return answer

    async def watch_lag(self) -> None:
        """How late the event loop wakes up: a late client measures itself."""
        while True:
            before = time.monotonic()
            await asyncio.sleep(LAG_SAMPLE_S)
            late_ms = (time.monotonic() - before - LAG_SAMPLE_S) * 1000
            self.lag_ms.append(late_ms)
            self.all_lag_ms.append(late_ms)
