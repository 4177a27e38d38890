"""Streaming HTTP by aiohttp. The instant of each read is taken first, before any work on what was read."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import aiohttp

from benchmarks.load.records import Request
from benchmarks.load.stream import Stream

READ_BUFFER_BYTES = 2**18
OPENING_AT_ONCE_COUNT = 4  # fewer than the accept queue of llama.cpp's web server, which holds five
Clock = Callable[[], int]
OnTokens = Callable[[int], None]


@dataclass(slots=True)
class Start:
    """A request on its way to a connection, and the turn to open one that it may hold."""

    request: Request
    turn: asyncio.Semaphore | None

    def release(self) -> None:
        """Let the next request open its connection; a second call does nothing."""
        if self.turn:
            self.turn.release()
            self.turn = None


class Client:
    """One session to one server, with connections not limited in number; the clock is monotonic.

    `keep_connections` False is for a server that closes after each stream without saying so: a kept connection would
    be found dead by the next request. Each request then opens one by a question that costs the server nothing, and is
    sent on it: a short accept queue of the server is not mistaken for a slow first token. Either way a request's time
    starts once it holds a connection.
    """

    def __init__(
        self, base_url: str, *, timeout_s: float, keep_connections: bool = True, clock: Clock = time.monotonic_ns
    ) -> None:
        self.base_url = base_url
        self.clock = clock
        self.keep_connections = keep_connections
        self._timeout = aiohttp.ClientTimeout(total=timeout_s)
        self._session: aiohttp.ClientSession | None = None
        self._opening = asyncio.Semaphore(OPENING_AT_ONCE_COUNT)

    async def __aenter__(self) -> "Client":
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=60),
            timeout=self._timeout,
            read_bufsize=READ_BUFFER_BYTES,
            trace_configs=[self._trace()],
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._session:
            await self._session.close()

    @property
    def session(self) -> aiohttp.ClientSession:
        if self._session is None:
            raise RuntimeError("the client is used outside its async with block")
        return self._session

    def _trace(self) -> aiohttp.TraceConfig:
        """`sent_ns` is taken once a connection is held, just before the first byte is written."""
        trace = aiohttp.TraceConfig()

        async def held(context: SimpleNamespace, reused: bool) -> None:
            if isinstance(start := context.trace_request_ctx, Start):
                start.request.connection_reused = reused
                start.request.sent_ns = self.clock()
                start.release()

        async def on_new(_: aiohttp.ClientSession, context: SimpleNamespace, __: Any) -> None:
            await held(context, reused=False)

        async def on_reused(_: aiohttp.ClientSession, context: SimpleNamespace, __: Any) -> None:
            await held(context, reused=True)

        trace.on_connection_create_end.append(on_new)
        trace.on_connection_reuseconn.append(on_reused)
        return trace

    async def healthy(self) -> bool:
        """Whether the server answers 200 on /health."""
        try:
            async with self.session.get(f"{self.base_url}/health") as response:
                return response.status == 200
        except (aiohttp.ClientError, TimeoutError, OSError):
            return False

    async def open_connections(self, count: int) -> None:
        """Hold `count` connections ready, so that none is opened inside a measurement."""
        if self.keep_connections:
            await asyncio.gather(*(self.healthy() for _ in range(count)))

    async def send(self, request: Request, body: dict[str, Any], on_tokens: OnTokens | None = None) -> None:
        """Send one request to /v1/completions and fill its record; failures are recorded, never raised."""
        stream = Stream(request)
        try:
            await self._exchange(stream, body, on_tokens)
        except asyncio.CancelledError:
            stream.abort(self.clock(), "cancelled", "stopped before the answer was complete")
            raise
        except TimeoutError:
            stream.abort(self.clock(), "timeout", "no complete answer within the time limit")
        except aiohttp.ClientConnectorError as error:
            stream.abort(self.clock(), "connect_failed", str(error))
        except (aiohttp.ClientError, OSError) as error:
            stream.abort(self.clock(), "connection_lost", str(error) or type(error).__name__)

    async def _exchange(self, stream: Stream, body: dict[str, Any], on_tokens: OnTokens | None) -> None:
        start = await self._start(stream.request)
        headers = {} if self.keep_connections else {"Connection": "close"}
        url = f"{self.base_url}/v1/completions"
        try:
            async with self.session.post(url, json=body, headers=headers, trace_request_ctx=start) as response:
                await self._answer(stream, response, on_tokens)
        finally:
            start.release()

    async def _start(self, request: Request) -> Start:
        """Where connections are not kept, wait for our turn and open one; the turn ends when the request holds it."""
        if self.keep_connections:
            return Start(request, None)
        await self._opening.acquire()
        start = Start(request, self._opening)
        try:
            await self.healthy()
        except BaseException:
            start.release()
            raise
        return start

    async def _answer(self, stream: Stream, response: aiohttp.ClientResponse, on_tokens: OnTokens | None) -> None:
        stream.request.http_status = response.status
        if 200 <= response.status < 300:
            await self._read(stream, response.content, on_tokens)
        else:
            text = (await response.content.read(2000)).decode(errors="replace")
            stream.abort(self.clock(), f"http_{response.status}", text)

    async def _read(self, stream: Stream, content: aiohttp.StreamReader, on_tokens: OnTokens | None) -> None:
        while chunk := await content.readany():
            read_ns = self.clock()
            events = stream.feed(read_ns, chunk)
            if events and on_tokens:
                on_tokens(events)
        stream.finish(self.clock())
