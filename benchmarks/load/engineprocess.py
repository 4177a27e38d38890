"""The engine as the supervisor sees it: a child that says where it listens, and that must not outlive anybody."""

import asyncio
import os
import sys
import time
from pathlib import Path

import orjson

from benchmarks.load import endpoint, process, prompts
from benchmarks.load.client import Client
from benchmarks.load.records import Plan, Request

PROJECT_DIR = Path(__file__).resolve().parents[2]
CONTEXT_MARGIN_TOKENS = 16
HEALTH_PAUSE_S = 0.05
END_GRACE_S = 2.0
LOG_TAIL_CHARS = 400


class EngineError(Exception):
    """The engine did not start, did not become healthy, or left. `code` is what the page has a sentence for."""

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(code)
        self.code = code
        self.detail = detail


class EngineProcess:
    """llama.cpp on this host: start, wait, check, end; `end` may be called at any time and more than once."""

    here = True
    log_tail_chars = LOG_TAIL_CHARS

    def __init__(self, plan: Plan, cores: process.Cores) -> None:
        self.plan = plan
        self.cores = cores
        self.address = self.name = self.version = ""
        self.threads_count: int | None = None
        self.healthy = False
        self.keeps_connections = True
        self._child: asyncio.subprocess.Process | None = None

    def _command(self) -> list[str]:
        context = self.plan.prompt_tokens + self.plan.output_tokens + CONTEXT_MARGIN_TOKENS
        options = {
            "parent": os.getpid(),
            "model": self.plan.model_path,
            "slots": max(self.plan.concurrencies),
            "context": context,
            "cores": process.core_list(self.cores.engine),
        }
        arguments = [f"--{name}={value}" for name, value in options.items()]
        return [sys.executable, "-m", "benchmarks.load.engine", *arguments]

    async def start(self, stop: asyncio.Event) -> None:
        """Start the child and read its first line; EngineError after the deadline, or when `stop` comes first."""
        with self.plan.engine_log_path.open("wb") as log:
            self._child = await asyncio.create_subprocess_exec(
                *self._command(), cwd=PROJECT_DIR, stdout=asyncio.subprocess.PIPE, stderr=log
            )
        line = await self._first_line(self._child, stop)
        said = orjson.loads(line)
        self.address, self.name, self.version = said["address"], said["engine"], said["version"]
        self.threads_count = said["threads_count"]
        self.keeps_connections = said["keeps_connections"]

    @property
    def endpoint(self) -> endpoint.Endpoint:
        return endpoint.local(self.address, keep_connections=self.keeps_connections)

    async def _first_line(self, child: asyncio.subprocess.Process, stop: asyncio.Event) -> bytes:
        if child.stdout is None:
            raise EngineError("engine_start")
        reading = asyncio.ensure_future(child.stdout.readline())
        stopping = asyncio.ensure_future(stop.wait())
        done, pending = await asyncio.wait(
            {reading, stopping}, timeout=self.plan.start_deadline_s, return_when=asyncio.FIRST_COMPLETED
        )
        for waiting in pending:
            waiting.cancel()
        if reading not in done:
            raise EngineError("stopped" if stop.is_set() else "engine_deadline", self.log_tail())
        if not (line := reading.result()):
            raise EngineError("engine_start", self.log_tail())
        return line

    async def wait_healthy(self, client: Client, stop: asyncio.Event) -> None:
        """Return once /health answers; EngineError after the deadline."""
        until = time.monotonic() + self.plan.start_deadline_s
        while not await client.healthy():
            self.check()
            if stop.is_set() or time.monotonic() > until:
                raise EngineError("engine_deadline", self.log_tail())
            await asyncio.sleep(HEALTH_PAUSE_S)
        self.healthy = True

    def body(self, request: Request) -> dict[str, object]:
        return prompts.engine_body(self.plan, request)

    def check(self) -> None:
        """EngineError when the child has left."""
        if self._child and self._child.returncode is not None:
            raise EngineError("engine_died", self.log_tail())

    async def end(self) -> None:
        """Kill the child and wait for it. It holds nothing worth a polite end."""
        if self._child is None or self._child.returncode is not None:
            return
        self._child.kill()
        async with asyncio.timeout(END_GRACE_S):
            await self._child.wait()

    def log_tail(self) -> str:
        """The last characters the engine wrote to its log."""
        path = self.plan.engine_log_path
        return path.read_text(errors="replace")[-self.log_tail_chars :].strip() if path.exists() else ""
