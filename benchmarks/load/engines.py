"""The engines that a plan may name, behind one interface: a server of somebody, llama.cpp or vLLM started here."""

import asyncio
from typing import Protocol

from benchmarks.load import process
from benchmarks.load.client import Client
from benchmarks.load.endpoint import Endpoint
from benchmarks.load.engineprocess import EngineProcess
from benchmarks.load.records import EngineReady, Plan, Request
from benchmarks.load.targetserver import TargetServer
from benchmarks.load.vllmprocess import VllmProcess


class Engine(Protocol):
    """Something that answers requests. Each method but `end` may raise EngineError, whose code says why."""

    name: str
    version: str
    threads_count: int | None
    here: bool
    """Whether it runs on this host, and so may share cores with the client."""

    @property
    def endpoint(self) -> Endpoint: ...

    async def start(self, stop: asyncio.Event) -> None:
        """Start the server, or check that it may be asked."""

    async def wait_healthy(self, client: Client, stop: asyncio.Event) -> None:
        """Return once it answers."""

    def body(self, request: Request) -> dict[str, object]:
        """What is sent for a request."""

    def check(self) -> None:
        """EngineError when it has left."""

    async def end(self) -> None:
        """Leave nothing of it behind; may be called at any time and more than once."""


def engine_of(plan: Plan, cores: process.Cores) -> Engine:
    """The engine that the plan asks for."""
    if plan.target:
        return TargetServer(plan)
    return VllmProcess(plan, cores) if plan.vllm else EngineProcess(plan, cores)


def ready(engine: Engine, cores: process.Cores) -> EngineReady:
    """What is said of an engine that answers. One on another machine shares no core of this one."""
    return EngineReady(
        engine=engine.name,
        version=engine.version,
        threads_count=engine.threads_count,
        engine_cores=process.core_list(cores.engine) if engine.here else "",
        client_cores=process.core_list(cores.client),
        shared_core=cores.shared and engine.here,
    )
