"""The process that owns a measurement: starts the engine, runs the steps, writes what it saw, ends the engine.

Run as `python -m benchmarks.load.supervisor PLAN.json --parent PID`. Requests go to the plan's samples file, one line
each, as they end; messages go to standard output, one line each. SIGTERM, SIGINT and a dead parent all mean: send
nothing more, give the answers under way a moment, write what there is, leave.
"""

import argparse
import asyncio
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from benchmarks.load import process
from benchmarks.load.client import Client
from benchmarks.load.engineprocess import EngineError, EngineProcess
from benchmarks.load.records import EngineReady, Message, Plan, Request, RunEnd, StepEnd, Tick, dump, load_plan
from benchmarks.load.schedule import LoopTimes, closed_loop, prompt_ids
from benchmarks.statistics import percentile

LAG_SAMPLE_S = 0.02
TICK_S = 1.0
NS_PER_MS = 1e6
Emit = Callable[[Message], None]


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


class Supervisor:
    """Runs one plan. `stop` may be set at any time."""

    def __init__(self, plan: Plan, emit: Emit, samples: BinaryIO) -> None:
        self.plan = plan
        self.emit = emit
        self.samples = samples
        self.stop = asyncio.Event()
        self.expired = False

    async def run(self) -> RunEnd:
        """Everything from engine start to engine end; the engine is gone when this returns, whatever happened."""
        asyncio.get_running_loop().call_later(self.plan.run_deadline_s, self._expire)
        cores = process.split_cores(process.available_cores())
        process.pin(cores.client)
        engine = EngineProcess(self.plan, cores)
        try:
            await engine.start(self.stop)
            self.emit(engine_ready(engine, cores))
            return await self._steps(engine)
        except EngineError as failure:
            return RunEnd("failed", failure.code, failure.detail) if not self.stop.is_set() else self._stopped()
        finally:
            await engine.end()

    def _expire(self) -> None:
        self.expired = True
        self.stop.set()

    def _stopped(self) -> RunEnd:
        return RunEnd("failed", "deadline") if self.expired else RunEnd("cancelled")

    async def _steps(self, engine: EngineProcess) -> RunEnd:
        async with Client(
            engine.address, timeout_s=self.plan.request_timeout_s, keep_connections=engine.keeps_connections
        ) as client:
            await engine.wait_healthy(client, self.stop)
            succeeded = 0
            for step, concurrency in enumerate(self.plan.concurrencies, start=1):
                succeeded += await self._step(client, step, concurrency)
                if self.stop.is_set():
                    return self._stopped()
                engine.check()
        return RunEnd("succeeded") if succeeded else RunEnd("failed", "all_requests_failed")

    async def _step(self, client: Client, step: int, concurrency: int) -> int:
        """One step; how many measured requests succeeded."""
        live, times = Live(), LoopTimes()
        await client.open_connections(concurrency)
        helpers = [asyncio.create_task(live.watch_lag()), asyncio.create_task(self._ticks(live, step, concurrency))]
        started_ns, cpu_before = client.clock(), time.process_time()
        try:
            await self._loop(client, live, times, step, concurrency)
        finally:
            for helper in helpers:
                helper.cancel()
        ended_ns = client.clock()
        self._tick(live, step, concurrency)
        window = times.window_ns
        self.emit(
            StepEnd(
                step=step,
                concurrency=concurrency,
                started_ns=started_ns,
                ended_ns=ended_ns,
                window_start_ns=window[0] if window else None,
                window_end_ns=window[1] if window else None,
                loop_lag_p99_ms=percentile(live.all_lag_ms, 99) or 0.0,
                client_cpu_ratio=(time.process_time() - cpu_before) * 1e9 / max(1, ended_ns - started_ns),
                complete=live.done_count == self.plan.requests_count and not self.stop.is_set(),
            )
        )
        return live.done_count - live.error_count

    async def _loop(self, client: Client, live: Live, times: LoopTimes, step: int, concurrency: int) -> None:
        async def send(number: int, warm_up: bool, planned_ns: int) -> None:
            request = self._request(step, number, warm_up, planned_ns)
            try:
                await client.send(request, self._body(request), live.on_tokens)
            finally:
                live.on_end(request)
                self.samples.write(dump(request) + b"\n")
                self.samples.flush()

        loop = asyncio.create_task(
            closed_loop(
                send,
                times,
                concurrency=concurrency,
                warm_up_count=concurrency,
                measured_count=self.plan.requests_count,
                stop=self.stop,
                clock=client.clock,
            )
        )
        stopping = asyncio.create_task(self.stop.wait())
        await asyncio.wait({loop, stopping}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if not loop.done():
            await asyncio.wait({loop}, timeout=self.plan.stop_grace_s)
            loop.cancel()
        await asyncio.gather(loop, return_exceptions=self.stop.is_set())

    def _request(self, step: int, number: int, warm_up: bool, planned_ns: int) -> Request:
        return Request(
            step=step,
            number=number,
            warm_up=warm_up,
            planned_ns=planned_ns,
            requested_prompt_tokens=self.plan.prompt_tokens,
            requested_output_tokens=self.plan.output_tokens,
        )

    def _body(self, request: Request) -> dict[str, object]:
        plan = self.plan
        return {
            "prompt": prompt_ids(plan.seed, request.step, request.number, plan.prompt_tokens, plan.vocabulary_size),
            "max_tokens": plan.output_tokens,
            "ignore_eos": True,
            "temperature": 0,
            "cache_prompt": False,
            "stream": True,
            "stream_options": {"include_usage": True},
        }

    async def _ticks(self, live: Live, step: int, concurrency: int) -> None:
        while True:
            self._tick(live, step, concurrency)
            await asyncio.sleep(TICK_S)

    def _tick(self, live: Live, step: int, concurrency: int) -> None:
        rate, ttft_ms, lag_ms = live.second()
        self.emit(
            Tick(
                step=step,
                concurrency=concurrency,
                warming_up=live.done_count == 0,
                done_count=live.done_count,
                total_count=self.plan.requests_count,
                error_count=live.error_count,
                tok_per_s=rate,
                ttft_p50_ms=ttft_ms,
                loop_lag_ms=lag_ms,
            )
        )


def engine_ready(engine: EngineProcess, cores: process.Cores) -> EngineReady:
    return EngineReady(
        engine=engine.name,
        version=engine.version,
        threads_count=engine.threads_count,
        engine_cores=process.core_list(cores.engine),
        client_cores=process.core_list(cores.client),
        shared_core=cores.shared,
    )


async def supervise(plan: Plan) -> RunEnd:
    """Run `plan` with messages on standard output; a reader that has left is a reason to stop."""
    with plan.samples_path.open("wb") as samples:

        def emit(message: Message) -> None:
            try:
                sys.stdout.buffer.write(dump(message) + b"\n")
                sys.stdout.buffer.flush()
            except BrokenPipeError:
                supervisor.stop.set()

        supervisor = Supervisor(plan, emit, samples)
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, supervisor.stop.set)
        end = await supervisor.run()
        emit(end)
        return end


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("plan", type=Path)
    parser.add_argument("--parent", type=int, required=True)
    given = parser.parse_args()
    process.end_with_parent(given.parent, signal.SIGTERM)
    asyncio.run(supervise(load_plan(given.plan)))


if __name__ == "__main__":
    main()
