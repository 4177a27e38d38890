"""Streaming HTTP by aiohttp. The instant of each read is taken first, before any work on what was read."""

import asyncio
import datetime as dt
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import aiohttp
import orjson

from benchmarks.load.endpoint import Endpoint
from benchmarks.load.pacing import RETRIED_STATUSES, pause_s, retry_after_s
from benchmarks.load.records import Request
from benchmarks.load.stream import Stream
from benchmarks.load.targets import masked

READ_BUFFER_BYTES = 2**18
PROBE_BYTES = 65_536
TEXT_BYTES = 4_194_304
TEXT_DEADLINE_S = 5.0
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

    Where connections are not kept, each request opens one by a question that costs the server nothing, and is sent on
    it: a short accept queue of the server is not mistaken for a slow first token. Either way a request's time starts
    once it holds a connection. Redirects are not followed: they would lead past the check of the address.
    """

    def __init__(self, endpoint: Endpoint, *, timeout_s: float, clock: Clock = time.monotonic_ns) -> None:
        self.endpoint = endpoint
        self.clock = clock
        self._timeout = aiohttp.ClientTimeout(total=timeout_s)
        self._session: aiohttp.ClientSession | None = None
        self._opening = asyncio.Semaphore(OPENING_AT_ONCE_COUNT)

    async def __aenter__(self) -> "Client":
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=60, socket_factory=self.endpoint.connect()),
            timeout=self._timeout,
            read_bufsize=READ_BUFFER_BYTES,
            trace_configs=[self._trace()],
            headers=self.endpoint.session_headers,
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

    async def probe(self) -> tuple[int | None, bytes]:
        """Status and the first bytes of the answer to a question that costs the server nothing; None without any."""
        try:
            async with self.session.get(self.endpoint.probe_url, allow_redirects=False) as response:
                return response.status, await response.content.read(PROBE_BYTES)
        except (aiohttp.ClientError, TimeoutError, OSError):
            return None, b""

    async def text(self, url: str) -> str:
        """The start of a page of the server, up to TEXT_BYTES; empty without an answer of 200 in good time."""
        try:
            async with asyncio.timeout(TEXT_DEADLINE_S), self.session.get(url, allow_redirects=False) as response:
                if response.status != 200:
                    return ""
                read, chunks = 0, []
                while read < TEXT_BYTES and (chunk := await response.content.readany()):
                    chunks.append(chunk)
                    read += len(chunk)
                return b"".join(chunks)[:TEXT_BYTES].decode(errors="replace")
        except (aiohttp.ClientError, TimeoutError, OSError):
            return ""

    async def healthy(self) -> bool:
        """Whether the server answers the question with 200."""
        return (await self.probe())[0] == 200

    async def open_connections(self, count: int) -> None:
        """Hold `count` connections ready, so that none is opened inside a measurement."""
        if self.endpoint.keep_connections:
            await asyncio.gather(*(self.probe() for _ in range(count)))

    async def send(self, request: Request, body: dict[str, Any], on_tokens: OnTokens | None = None) -> None:
        """Send one request and fill its record; failures are recorded, never raised.

        What the server refuses for the moment is sent again after a pause, as often as the endpoint allows; `ready_ns`
        is then the end of the last pause.
        """
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
        finally:
            request.error_message = masked(request.error_message, self.endpoint.secret)

    async def _exchange(self, stream: Stream, body: dict[str, Any], on_tokens: OnTokens | None) -> None:
        content = orjson.dumps(body)
        while (wait_s := await self._attempt(stream, content, on_tokens)) is not None:
            await asyncio.sleep(wait_s)
            stream.request.ready_ns = self.clock()
            stream.request.attempts_count += 1

    async def _attempt(self, stream: Stream, content: bytes, on_tokens: OnTokens | None) -> float | None:
        """Send once; how long to wait before the next attempt, None when this was the last."""
        start = await self._start(stream.request)
        try:
            headers = self.endpoint.request_headers
            async with self.session.post(
                self.endpoint.url, data=content, headers=headers, trace_request_ctx=start, allow_redirects=False
            ) as response:
                return await self._answer(stream, response, on_tokens)
        finally:
            start.release()

    async def _start(self, request: Request) -> Start:
        """Where connections are not kept, wait for our turn and open one; the turn ends when the request holds it."""
        if self.endpoint.keep_connections:
            return Start(request, None)
        await self._opening.acquire()
        start = Start(request, self._opening)
        try:
            await self.healthy()
        except BaseException:
            start.release()
            raise
        request.ready_ns = self.clock()
        return start

    async def _answer(
        self, stream: Stream, response: aiohttp.ClientResponse, on_tokens: OnTokens | None
    ) -> float | None:
        stream.request.http_status = response.status
        if 200 <= response.status < 300:
            await self._read(stream, response.content, on_tokens)
            return None
        if (wait_s := self._pause_s(stream.request, response)) is not None:
            return wait_s
        text = (await response.content.read(2000)).decode(errors="replace")
        # A server that refuses a key may repeat parts of it.
        told = "" if self.endpoint.secret and response.status in (401, 403) else text
        stream.abort(self.clock(), f"http_{response.status}", told)
        return None

    def _pause_s(self, request: Request, response: aiohttp.ClientResponse) -> float | None:
        """The wait before another attempt; None when there is none to come."""
        if response.status not in RETRIED_STATUSES or request.attempts_count >= self.endpoint.attempts_max:
            return None
        asked_s = retry_after_s(response.headers.get("Retry-After"), dt.datetime.now(dt.UTC))
        return pause_s(request.attempts_count, asked_s, random.random)

    async def _read(self, stream: Stream, content: aiohttp.StreamReader, on_tokens: OnTokens | None) -> None:
        while chunk := await content.readany():
            read_ns = self.clock()
            events = stream.feed(read_ns, chunk)
            if events and on_tokens:
                on_tokens(events)
        stream.finish(self.clock())
