"""vLLM as the supervisor sees it: `vllm serve` under a keeper, waited for until it is healthy, gone at the end."""

import asyncio
import contextlib
import os
import signal
import socket
import sys
import time
from pathlib import Path

import orjson

from benchmarks.load import endpoint, process, prompts, sessions
from benchmarks.load.client import Client
from benchmarks.load.engineprocess import PROJECT_DIR, EngineError, EngineProcess
from benchmarks.load.records import Plan, Request, VllmPlan

SERVED_NAME = "measured"
HOST = "127.0.0.1"
HEALTH_PAUSE_S = 0.25
LOG_TAIL_CHARS = 8000
END_DEADLINE_S = 15.0
PORT_TAKEN = "address already in use"
PRIVATE_PREFIXES = ("BENCHMARK_KEY_", "DJANGO_", "VMCLOUD_")
QUIET = {"VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1"}
PRIVATE_NAMES = frozenset({"DATABASE_URL", "CELERY_BROKER_URL", "SECRET_KEY"})


class VllmProcess(EngineProcess):
    """A vLLM server of this host. Its port is drawn when it starts; its version is what it says itself."""

    log_tail_chars = LOG_TAIL_CHARS

    def __init__(self, plan: Plan, cores: process.Cores) -> None:
        super().__init__(plan, cores)
        if plan.vllm is None:
            raise ValueError("the plan has no vLLM")
        self.asked: VllmPlan = plan.vllm
        self.name = "vLLM"

    def serve_command(self, port: int) -> list[str]:
        """What is run: the configuration's arguments, then those that are the run's own."""
        own = ["--served-model-name", SERVED_NAME, "--host", HOST, "--port", str(port)]
        return [self.asked.program, "serve", *self.asked.arguments, *own, "--disable-uvicorn-access-log"]

    def _command(self) -> list[str]:
        port = free_port()
        self.address = f"http://{HOST}:{port}"
        keeper = [sys.executable, "-m", "benchmarks.load.keeper", f"--parent={os.getpid()}"]
        return [*keeper, f"--folder={self.plan.folder}", "--", *self.serve_command(port)]

    async def start(self, stop: asyncio.Event) -> None:
        """Start the program under its keeper; EngineError where there is none, or no way to write a prompt for it."""
        if not self.asked.program:
            raise EngineError("engine_missing")
        if not self.plan.vocabulary_size:
            raise EngineError("engine_vocabulary", self.asked.model)
        self.plan.engine_log_path.write_bytes(b"")
        sessions.forget(Path(self.plan.folder))
        self._child = await asyncio.create_subprocess_exec(
            *self._command(), cwd=PROJECT_DIR, env=environment(), stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip

    @property
    def endpoint(self) -> endpoint.Endpoint:
        return endpoint.local(self.address)

    async def wait_healthy(self, client: Client, stop: asyncio.Event) -> None:
        """Return once /health answers and the version is known; EngineError when it leaves or after the deadline."""
        until = time.monotonic() + self.plan.start_deadline_s
        while not await client.healthy():
            self.check()
            if stop.is_set() or time.monotonic() > until:
                raise EngineError("engine_deadline", self.log_tail())
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(HEALTH_PAUSE_S):
                    await stop.wait()
        self.healthy = True
        self.version = told_version(await client.text(f"{self.address}/version"))

    def check(self) -> None:
        """EngineError when the program has left: while it started, for a taken port, or later."""
        if not self._left():
            return
        said = self.log_tail()
        if self.healthy:
            raise EngineError("engine_died", said)
        raise EngineError("engine_port" if PORT_TAKEN in said.lower() else "engine_start", said)

    def _left(self) -> bool:
        """The keeper outlives its program by the time it takes to end the rest of the family."""
        session = sessions.remembered(Path(self.plan.folder))
        left = session is not None and not sessions.leads(session)
        return left or (self._child is not None and self._child.returncode is not None)

    async def end(self) -> None:
        """End the keeper, which ends the program and all that it started."""
        child = self._child
        if child is None or child.returncode is not None:
            return
        child.send_signal(signal.SIGTERM)
        try:
            async with asyncio.timeout(END_DEADLINE_S):
                await child.wait()
        except TimeoutError:
            child.kill()
            await child.wait()

    def body(self, request: Request) -> dict[str, object]:
        return prompts.vllm_body(self.plan, request, SERVED_NAME)


def environment() -> dict[str, str]:
    """What the program may know of ours: nothing that opens a database, a queue or somebody's API. It calls no home."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in PRIVATE_NAMES and not name.startswith(PRIVATE_PREFIXES)
    }
    return kept | QUIET


def free_port() -> int:
    """A port of the loopback that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def told_version(said: str) -> str:
    """The version in the answer of /version; empty when it does not say."""
    try:
        return str(orjson.loads(said)["version"])[:60]
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return ""
