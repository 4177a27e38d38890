"""The process that owns a measurement: starts or asks the server, runs the steps, writes what it saw, leaves nothing.

Run as `python -m benchmarks.load.supervisor PLAN.json --parent PID`. Requests go to the plan's samples file, one line
each, as they end; messages go to standard output, one line each. SIGTERM, SIGINT and a dead parent all mean: send
nothing more, give the answers under way a moment, write what there is, leave.
"""

import argparse
import asyncio
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from benchmarks.load import counters, engines, process, search, storage
from benchmarks.load.client import Client
from benchmarks.load.engineprocess import EngineError
from benchmarks.load.engines import Engine
from benchmarks.load.measuring import Emit, Step
from benchmarks.load.pacing import RateLimit
from benchmarks.load.records import Message, Plan, RunEnd, StepLoad, dump, load_plan

WATCH_S = 0.2


class Supervisor:
    """Runs one plan. `stop` may be set at any time."""

    def __init__(self, plan: Plan, emit: Emit, samples: BinaryIO) -> None:
        self.plan = plan
        self.emit = emit
        self.samples = samples
        self.stop = asyncio.Event()
        self.expired = False
        self.died: EngineError | None = None
        self.search_end = ""
        self.told = counters.Told()

    async def run(self) -> RunEnd:
        """Everything from engine start to engine end; the engine is gone when this returns, whatever happened."""
        expiry = asyncio.get_running_loop().call_later(self.plan.run_deadline_s, self._expire)
        cores = process.split_cores(process.available_cores())
        process.pin(cores.client)
        server = engines.engine_of(self.plan, cores)
        try:
            await server.start(self.stop)
            return await self._measure(server, cores)
        except EngineError as failure:
            unasked = failure is self.died or not self.stop.is_set()
            return RunEnd("failed", failure.code, failure.detail) if unasked else self._stopped()
        finally:
            expiry.cancel()
            await server.end()

    def _expire(self) -> None:
        self.expired = True
        self.stop.set()

    def _stopped(self) -> RunEnd:
        return RunEnd("failed", "deadline") if self.expired else RunEnd("cancelled")

    async def _measure(self, server: Engine, cores: process.Cores) -> RunEnd:
        async with Client(server.endpoint, timeout_s=self.plan.request_timeout_s) as client:
            await server.wait_healthy(client, self.stop)
            self.emit(engines.ready(server, cores))
            before = await counters.scraped(client)
            watching = asyncio.create_task(self._watch(server))
            try:
                end = await self._steps(server, client)
            finally:
                watching.cancel()
            if before and end.status == "succeeded":
                self.emit(await counters.counted(client, before, self.told))
            return end

    async def _watch(self, server: Engine) -> None:
        """Notice at once that the engine has left: a step could go on for hours with requests that all fail."""
        while True:
            try:
                server.check()
            except EngineError as failure:
                self.died = failure
                self.stop.set()
                return
            await asyncio.sleep(WATCH_S)

    async def _steps(self, server: Engine, client: Client) -> RunEnd:
        succeeded, tried = 0, list[search.Outcome]()
        per_s = self.plan.target.rate_limit_per_s if self.plan.target else None
        limit = RateLimit(per_s, asyncio.get_running_loop().time)
        for load in self._loads(tried):
            step = Step(self.plan, load, client, server.body, limit, self.emit, self.samples, self.stop)
            self.emit(await step.run())
            self.told += counters.told(step.requests)
            succeeded += step.ok_count
            if self.died:
                raise self.died
            if step.unwritten:
                return unwritten(step.unwritten)
            if self.stop.is_set():
                return self._stopped()
            server.check()
            if self.plan.search:
                tried.append(step.outcome())
        end = RunEnd("succeeded") if succeeded else RunEnd("failed", "all_requests_failed")
        return RunEnd(end.status, end.code, search_end=self.search_end)

    def _loads(self, tried: list[search.Outcome]) -> Iterator[StepLoad]:
        """The steps to come, in view of those that were; says in `search_end` how a search came to its end."""
        return self._knee(tried) if self.plan.search == "knee" else self._sweep(tried)

    def _knee(self, tried: list[search.Outcome]) -> Iterator[StepLoad]:
        while (rate := search.next_rate(tried, self.plan.rates_per_s[0])) is not None:
            yield StepLoad(len(tried) + 1, self.plan.concurrencies[0], rate)
        self.search_end = search.knee_end(tried)

    def _sweep(self, tried: list[search.Outcome]) -> Iterator[StepLoad]:
        for load in given_loads(self.plan):
            yield load
            if reason := search.reason_to_stop(tried[-2] if len(tried) > 1 else None, tried[-1]) if tried else "":
                self.search_end = reason
                return
        self.search_end = "all" if self.plan.search else ""


def given_loads(plan: Plan) -> list[StepLoad]:
    """One step a rate, else one a concurrency."""
    if plan.rates_per_s:
        return [StepLoad(step, plan.concurrencies[0], rate) for step, rate in enumerate(plan.rates_per_s, start=1)]
    return [StepLoad(step, concurrency) for step, concurrency in enumerate(plan.concurrencies, start=1)]


def unwritten(error: OSError) -> RunEnd:
    """The end of a run whose raw rows the disk does not take."""
    return RunEnd("failed", "disk_full" if storage.is_full(error) else "disk_failed", str(error))


async def supervise(plan: Plan) -> RunEnd:
    """Run `plan` with messages on standard output; a reader that has left is a reason to stop."""
    with plan.samples_path.open("wb", buffering=0) as samples:

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
