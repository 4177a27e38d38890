"""A server that streams tokens in step, as continuous batching does, and knows the truth of what it sent.

A process of its own (`python -m tests.benchmarks.pacedserver TTFT_S STEP_S TOKENS`): it prints its address, then
answers /v1/completions and /v1/chat/completions without looking at the question. GET /seen tells how many streams are
open, how many were at most, and how late the first tokens and the last ones really left. Written on a bare protocol,
so that it costs little of the machine that it shares with the client.
"""

import asyncio
import json
import sys
import time

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
ROLE = b'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}\n\n'
TOKEN = (
    b'data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m",'
    b'"choices":[{"index":0,"delta":{"content":" word"},"finish_reason":null}]}\n\n'
)
FINISH = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}\n\n'


def chunk(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


def closing(tokens: int) -> bytes:
    usage = {"choices": [], "usage": {"prompt_tokens": 8, "completion_tokens": tokens, "total_tokens": 8 + tokens}}
    return chunk(FINISH + b"data: " + json.dumps(usage).encode() + b"\n\ndata: [DONE]\n\n") + b"0\r\n\r\n"


def content_length(head: bytes) -> int:
    lines = (line.lower().partition(b":") for line in head.split(b"\r\n"))
    return next((int(value) for name, _, value in lines if name == b"content-length"), 0)


class Pace:
    """All open streams, and the instants at which they are served."""

    def __init__(self, ttft_s: float, step_s: float, tokens: int) -> None:
        self.ttft_s = ttft_s
        self.step_s = step_s
        self.tokens = tokens
        self.open: set[Connection] = set()
        self.most_open = 0
        self.events_count = 0
        self.ttft_ms: list[float] = []
        self.tpot_ms: list[float] = []
        self.token = chunk(TOKEN)
        self.end = closing(tokens)

    async def run(self) -> None:
        """Serve every stream whose first token is due, once a step."""
        due = time.monotonic()
        while True:
            due = max(due + self.step_s, time.monotonic())
            await asyncio.sleep(due - time.monotonic())
            now = time.monotonic()
            for stream in [stream for stream in self.open if now >= stream.began + self.ttft_s]:
                stream.token(now)

    def seen(self) -> bytes:
        told = {
            "open": len(self.open),
            "most_open": self.most_open,
            "events_count": self.events_count,
            "ttft_mean_ms": sum(self.ttft_ms) / len(self.ttft_ms) if self.ttft_ms else None,
            "tpot_mean_ms": sum(self.tpot_ms) / len(self.tpot_ms) if self.tpot_ms else None,
            "streams_count": len(self.ttft_ms),
        }
        self.ttft_ms, self.tpot_ms, self.events_count, self.most_open = [], [], 0, len(self.open)
        return json.dumps(told).encode()


class Connection(asyncio.Protocol):
    """One connection: requests one after the other, a stream for each."""

    def __init__(self, pace: Pace) -> None:
        self.pace = pace
        self.buffer = b""
        self.sent = 0
        self.began = self.first = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def connection_lost(self, _: Exception | None) -> None:
        self.pace.open.discard(self)

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        head, found, body = self.buffer.partition(b"\r\n\r\n")
        if not found:
            return
        length = next(
            (int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0
        )
        if len(body) < length:
            return
        self.buffer = body[length:]
        if head.startswith(b"POST"):
            self.begin()
        else:
            self.tell(self.pace.seen() if b" /seen " in head[:40] else b"{}")

    def tell(self, body: bytes) -> None:
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        self.transport.write(head.encode() + body)

    def begin(self) -> None:
        self.began, self.sent = time.monotonic(), 0
        self.transport.write(HEAD + chunk(ROLE))
        if self.pace.step_s <= 0:
            self.at_once()
            return
        self.pace.open.add(self)
        self.pace.most_open = max(self.pace.most_open, len(self.pace.open))

    def at_once(self) -> None:
        self.transport.write(self.pace.token * self.pace.tokens + self.pace.end)
        self.pace.events_count += self.pace.tokens

    def token(self, now: float) -> None:
        self.sent += 1
        self.pace.events_count += 1
        if self.sent == 1:
            self.first = time.monotonic()
            self.pace.ttft_ms.append(1000 * (self.first - self.began))
        if self.sent < self.pace.tokens:
            self.transport.write(self.pace.token)
            return
        self.transport.write(self.pace.token + self.pace.end)
        if self.pace.tokens > 1:
            self.pace.tpot_ms.append(1000 * (time.monotonic() - self.first) / (self.pace.tokens - 1))
        self.pace.open.discard(self)


async def serve(ttft_s: float, step_s: float, tokens: int) -> None:
    pace = Pace(ttft_s, step_s, tokens)
    server = await asyncio.get_running_loop().create_server(lambda: Connection(pace), "127.0.0.1", 0, backlog=2048)
    host, port = server.sockets[0].getsockname()[:2]
    print(f"http://{host}:{port}", flush=True)
    if step_s > 0:
        await pace.run()
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])))
