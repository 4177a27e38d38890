"""The load client against a paced server on another core: events and requests a second, and how true its times are.

The server knows when it really sent; the difference is the client's error. A bare asyncio reader of the same streams
in the same run tells how much of the cost is the client's own.
"""

import asyncio
import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bench.conftest import Figure
from benchmarks import metrics, statistics
from benchmarks.load import process
from benchmarks.load.client import Client
from benchmarks.load.endpoint import local
from benchmarks.load.live import Live
from benchmarks.load.records import Request
from benchmarks.load.schedule import LoopTimes, Turn, closed_loop

ROOT = Path(__file__).resolve().parent.parent
BODY: dict[str, object] = {"prompt": "hello", "max_tokens": 128, "stream": True}
TTFT_S, STEP_S, TOKENS = 0.1, 0.02, 128


@pytest.fixture
def own_core() -> Iterator[None]:
    """The client on the last core; the others are the server's."""
    before = process.available_cores()
    process.pin(process.split_cores(before).client)
    yield
    process.pin(before)


@contextmanager
def paced(ttft_s: float, step_s: float, tokens: int) -> Iterator[str]:
    """The server, on the cores that are not the client's."""
    command = [sys.executable, "-m", "tests.benchmarks.pacedserver", str(ttft_s), str(step_s), str(tokens)]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    cores = process.split_cores(tuple(range(os.cpu_count() or 1))).engine
    os.sched_setaffinity(server.pid, cores)
    try:
        yield server.stdout.readline().strip()
    finally:
        server.kill()
        server.wait()


def truth(address: str) -> dict[str, float]:
    """What the server saw since it was asked last."""
    with urllib.request.urlopen(f"{address}/seen", timeout=10) as answer:
        told: dict[str, float] = json.loads(answer.read())
    return told


def measured(address: str, *, streams: int, requests_count: int, ramp_s: float) -> tuple[list[Request], float, float]:
    """Requests, seconds and CPU seconds of a closed loop with connections opened before."""

    async def go() -> tuple[list[Request], float, float]:
        requests, live = list[Request](), Live()

        async def send(turn: Turn) -> None:
            request = Request(1, turn.number, turn.warm_up, turn.planned_ns, 8, TOKENS)
            await client.send(request, BODY, live.on_tokens)
            requests.append(request)

        async with Client(local(address), timeout_s=120) as client:
            await client.open_connections(streams)
            before_s, cpu_s = time.monotonic(), time.process_time()
            await closed_loop(
                send,
                LoopTimes(),
                concurrency=streams,
                warm_up_count=0,
                measured_count=requests_count,
                stop=asyncio.Event(),
                clock=client.clock,
                ramp_s=ramp_s,
            )
            return requests, time.monotonic() - before_s, time.process_time() - cpu_s

    return asyncio.run(go())


def bare_reader(address: str, streams: int, requests_count: int) -> tuple[int, float]:
    """The same streams read by asyncio alone, its bytes counted and thrown away: bytes and CPU seconds."""
    host, port = address.removeprefix("http://").split(":")
    question = b"POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"
    left = iter(range(requests_count))

    async def one() -> int:
        seen = 0
        reader, writer = await asyncio.open_connection(host, int(port), limit=2**18)
        for _ in left:
            writer.write(question)
            tail = b""
            while not tail.endswith(b"0\r\n\r\n"):
                chunk = await reader.read(2**16)
                seen += len(chunk)
                tail = (tail + chunk)[-8:]
        writer.close()
        return seen

    async def go() -> tuple[int, float]:
        before_s = time.process_time()
        seen = await asyncio.gather(*(one() for _ in range(streams)))
        return sum(seen), time.process_time() - before_s

    return asyncio.run(go())


@pytest.mark.bench
def test_events_a_core(own_core: None, report: list[Figure]) -> None:
    """Streams in step with bursts of reads: events ÷ CPU second of the client."""
    with paced(TTFT_S, STEP_S, TOKENS) as address:
        requests, _, cpu_s = measured(address, streams=256, requests_count=512, ramp_s=1.0)
        _, bare_s = bare_reader(address, 256, 512)
    events = sum(len(request.arrivals_ns) for request in requests)
    assert all(request.ok for request in requests) and events == 512 * TOKENS
    rate = events / cpu_s
    told = f"bare asyncio reader {events / bare_s:.0f}/s, ratio {cpu_s / bare_s:.2f}"
    report.append(Figure("load client, events a core", rate, "events/s", "≥ 35 000", rate >= 35_000, told))


@pytest.mark.bench
def test_short_requests(own_core: None, report: list[Figure]) -> None:
    """Answers of four tokens, 64 users, no pause in the server."""
    with paced(0, 0, 4) as address:
        requests, wall_s, cpu_s = measured(address, streams=64, requests_count=12_000, ramp_s=0)
        _, bare_s = bare_reader(address, 64, 12_000)
    assert all(request.ok for request in requests)
    rate = len(requests) / wall_s
    told = f"{len(requests) / cpu_s:.0f} a CPU second; bare asyncio reader {12_000 / bare_s:.0f}"
    told += f", ratio {cpu_s / bare_s:.2f}"
    report.append(Figure("load client, short requests", rate, "req/s", "≥ 3 000", rate >= 3_000, told))


@pytest.mark.bench
def test_times_are_true(own_core: None, report: list[Figure]) -> None:
    """256 streams over a ramp: means of TTFT and TPOT against what the server did."""
    with paced(TTFT_S, STEP_S, TOKENS) as address:
        truth(address)
        requests, _, _ = measured(address, streams=256, requests_count=512, ramp_s=2.0)
        told = truth(address)
    ttft = statistics.mean(metrics.known(map(metrics.ttft_ms, requests))) or 0.0
    tpot = statistics.mean(metrics.known(map(metrics.tpot_ms, requests))) or 0.0
    ttft_error, tpot_error = ttft - told["ttft_mean_ms"], abs(tpot / told["tpot_mean_ms"] - 1)
    assert told["most_open"] == 256
    seen = f"client {ttft:.2f} ms, server {told['ttft_mean_ms']:.2f} ms"
    report.append(Figure("load client, TTFT error, mean", ttft_error, "ms", "≤ 5 ms", abs(ttft_error) <= 5, seen))
    seen = f"client {tpot:.3f} ms, server {told['tpot_mean_ms']:.3f} ms"
    report.append(Figure("load client, TPOT error", 100 * tpot_error, "%", "≤ 1 %", tpot_error <= 0.01, seen))
