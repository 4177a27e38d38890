"""One step of a run: its load, its requests, what it says each second, and what it found of itself."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import BinaryIO

from benchmarks import goodput, metrics
from benchmarks.load import arrivals, storage
from benchmarks.load.client import Client
from benchmarks.load.live import Live
from benchmarks.load.pacing import RateLimit
from benchmarks.load.records import CLOSED, INCOMPLETE, Message, Plan, Request, StepEnd, StepLoad, Tick, dump
from benchmarks.load.schedule import LoopTimes, Turn, closed_loop, open_loop
from benchmarks.load.search import Outcome
from benchmarks.statistics import percentile

TICK_S = 1.0
Emit = Callable[[Message], None]
Body = Callable[[Request], dict[str, object]]


@dataclass(slots=True)
class Step:
    """One step under way; `stop` may be set at any time. `requests` is what has ended so far.

    `unwritten` is why a request could not be written to the samples file; the step ends then.
    """

    plan: Plan
    load: StepLoad
    client: Client
    body: Body
    limit: RateLimit
    emit: Emit
    samples: BinaryIO
    stop: asyncio.Event
    live: Live = field(default_factory=Live)
    times: LoopTimes = field(default_factory=LoopTimes)
    requests: list[Request] = field(default_factory=list)
    time_is_up: bool = False
    unwritten: OSError | None = None

    async def run(self) -> StepEnd:
        """Measure; the requests stand in the samples file when this returns."""
        await self.client.open_connections(self.load.concurrency)
        helpers = [asyncio.create_task(self.live.watch_lag()), asyncio.create_task(self._ticks())]
        started_ns, cpu_before = self.client.clock(), time.process_time()
        try:
            await self._until_over(asyncio.create_task(self._loop()))
        finally:
            for helper in helpers:
                helper.cancel()
        ended_ns = self.client.clock()
        self._tick()
        cpu_s = time.process_time() - cpu_before
        return self._end(started_ns, ended_ns, cpu_s * metrics.NS_PER_S / max(1, ended_ns - started_ns))

    def _end(self, started_ns: int, ended_ns: int, cpu_ratio: float) -> StepEnd:
        window = self.times.window_ns
        whole = self.time_is_up or self.live.done_count == self.plan.requests_count
        return StepEnd(
            step=self.load.step,
            concurrency=self.load.concurrency,
            started_ns=started_ns,
            ended_ns=ended_ns,
            window_start_ns=window[0] if window else None,
            window_end_ns=window[1] if window else None,
            loop_lag_p99_ms=percentile(self.live.all_lag_ms, 99) or 0.0,
            client_cpu_ratio=cpu_ratio,
            complete=whole and not self.stop.is_set(),
            rate_per_s=self.load.rate_per_s,
        )

    def _loop(self) -> Coroutine[None, None, None]:
        """The closed or the open loop of this step, each with as many warm-up requests as may be under way."""
        plan, load = self.plan, self.load
        warm_up_count = load.concurrency
        if load.rate_per_s is None:
            return closed_loop(
                self._send,
                self.times,
                concurrency=load.concurrency,
                warm_up_count=warm_up_count,
                measured_count=plan.requests_count,
                stop=self.stop,
                clock=self.client.clock,
                ramp_s=plan.ramp_s,
            )
        seed = f"{plan.seed}/{load.step}"
        count = warm_up_count + plan.requests_count
        return open_loop(
            self._send,
            self.times,
            offsets_ns=arrivals.planned(plan.pattern, load.rate_per_s, count, seed=seed, ramp_s=plan.ramp_s),
            warm_up_count=warm_up_count,
            in_flight_limit=load.concurrency,
            stop=self.stop,
            clock=self.client.clock,
        )

    async def _until_over(self, loop: "asyncio.Task[None]") -> None:
        """Wait for the loop, the end of its time, or a stop; answers under way at a stop get a moment."""
        stopping = asyncio.create_task(self.stop.wait())
        done, _ = await asyncio.wait(
            {loop, stopping}, timeout=self.plan.duration_s, return_when=asyncio.FIRST_COMPLETED
        )
        stopping.cancel()
        if not done:
            self.time_is_up = True
            self.times.first_idle_ns = self.times.first_idle_ns or self.client.clock()
        elif not loop.done():
            await asyncio.wait({loop}, timeout=self.plan.stop_grace_s)
        cut_off = not loop.done()
        loop.cancel()
        await asyncio.gather(loop, return_exceptions=cut_off)

    async def _send(self, turn: Turn) -> None:
        request = self._request(turn)
        if self.plan.pattern == CLOSED:
            await self.limit.wait()
            request.planned_ns = self.client.clock()
        try:
            await self.client.send(request, self.body(request), self.live.on_tokens)
        finally:
            if self.time_is_up and request.error_kind == "cancelled":
                request.error_kind = INCOMPLETE
            self._keep(request)

    def _keep(self, request: Request) -> None:
        self.live.on_end(request)
        self.requests.append(request)
        if self.unwritten is None:
            try:
                storage.append(self.samples, dump(request) + b"\n")
            except OSError as error:
                # Without its raw rows a measurement is none: it ends, with what was written before.
                self.unwritten = error
                self.stop.set()

    def _request(self, turn: Turn) -> Request:
        return Request(
            step=self.load.step,
            number=turn.number,
            warm_up=turn.warm_up,
            planned_ns=turn.planned_ns,
            ready_ns=turn.ready_ns,
            requested_prompt_tokens=self.plan.prompt_tokens,
            requested_output_tokens=self.plan.output_tokens,
        )

    async def _ticks(self) -> None:
        while True:
            self._tick()
            await asyncio.sleep(TICK_S)

    def _tick(self) -> None:
        rate, ttft_ms, lag_ms = self.live.second()
        self.emit(
            Tick(
                step=self.load.step,
                concurrency=self.load.concurrency,
                warming_up=self.live.done_count == 0,
                done_count=self.live.done_count,
                total_count=self.plan.requests_count,
                error_count=self.live.error_count,
                tok_per_s=rate,
                ttft_p50_ms=ttft_ms,
                loop_lag_ms=lag_ms,
                rate_per_s=self.load.rate_per_s,
            )
        )

    def outcome(self) -> Outcome:
        """What the rules of a sweep or a search need to know of this step."""
        found = metrics.step_metrics(self.requests, self.times.window_ns)
        limits = self.plan.limits
        share = goodput.goodput(self.requests, limits, None).attainment_ratio if limits.asked else None
        return Outcome(
            load=float(self.load.rate_per_s or self.load.concurrency),
            output_tok_per_s=found.output_tok_per_s or found.whole_output_tok_per_s,
            ttft_p50_ms=found.ttft_p50_ms,
            error_ratio=found.error_count / found.measured_count if found.measured_count else None,
            attainment_ratio=share,
            saturated=self.load.rate_per_s is not None and metrics.saturated(found),
        )

    @property
    def ok_count(self) -> int:
        return self.live.done_count - self.live.error_count
