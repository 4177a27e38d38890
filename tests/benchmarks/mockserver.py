"""A local server that answers both routes from a script: pieces of body with pauses between them."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web

from tests.benchmarks import loadfactory as make

Piece = tuple[float, bytes]
FOUR_TOKENS: tuple[Piece, ...] = (
    (0.02, make.content()),
    (0.02, make.content()),
    (0.02, make.content()),
    (0.02, make.content() + make.finish("length", {"completion_tokens": 4, "prompt_tokens": 3}) + make.DONE),
)


@dataclass
class MockServer:
    """What the next requests get: one script for all, or `statuses` one by one. Counts what it saw."""

    script: Sequence[Piece] = FOUR_TOKENS
    statuses: list[int] = field(default_factory=list)
    retry_after: str = ""
    refusal: str = "refused"
    models_status: int = 200
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    cut: bool = False
    drops: bool = False
    health_s: float = 0.0
    in_flight: int = 0
    most_in_flight: int = 0
    seen: int = 0
    bodies: list[dict[str, object]] = field(default_factory=list)
    gate: asyncio.Event | None = None
    address: str = ""

    async def health(self, _: web.Request) -> web.Response:
        await asyncio.sleep(self.health_s)
        return web.json_response({"status": "ok"})

    async def models(self, request: web.Request) -> web.Response:
        self.headers.append(dict(request.headers))
        return web.json_response({"data": [{"id": "m", "owned_by": "mock"}]}, status=self.models_status)

    async def complete(self, request: web.Request) -> web.StreamResponse:
        self.bodies.append(await request.json())
        self.headers.append(dict(request.headers))
        self.paths.append(request.path)
        self.seen += 1
        status = self.statuses.pop(0) if self.statuses else 200
        if status != 200:
            headers = {"Retry-After": self.retry_after} if self.retry_after else {}
            if 300 <= status < 400:
                headers["Location"] = "/v1/completions"
            return web.Response(status=status, text=self.refusal, headers=headers)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            return await self.stream(request)
        finally:
            self.in_flight -= 1

    async def stream(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        if self.gate:
            await self.gate.wait()
        for pause_s, piece in self.script:
            await asyncio.sleep(pause_s)
            await response.write(piece)
        if self.cut and request.transport:
            request.transport.abort()
        if self.drops and request.transport:
            await response.write_eof()
            request.transport.close()
        return response


@asynccontextmanager
async def running(server: MockServer) -> AsyncIterator[MockServer]:
    """The server on a free port of the loopback for the length of the block."""
    app = web.Application()
    app.router.add_get("/health", server.health)
    app.router.add_get("/v1/models", server.models)
    app.router.add_post("/v1/completions", server.complete)
    app.router.add_post("/v1/chat/completions", server.complete)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    server.address = f"http://{host}:{port}"
    try:
        yield server
    finally:
        await runner.cleanup()
