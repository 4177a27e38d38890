"""The live result as it is served: server time of one request at a time, requests a second on two cores, bytes."""

import asyncio
import gzip
import statistics
import time
from urllib.parse import urlencode

import aiohttp
import pytest

from bench.conftest import Figure
from bench.forms import FileReader, FormReader
from bench.server import Served

PAGE, OUTLOOK = "/fr/economics/", "/fr/outlook/"
LIVE = {"HX-Request": "true", "Accept-Encoding": "gzip"}
WARM_UP, ONE_BY_ONE, TOGETHER, CONCURRENCY = 60, 400, 1200, 8


async def typed_form(session: aiohttp.ClientSession, page: str = PAGE) -> list[tuple[str, str]]:
    """The form of the page as a visitor finds it."""
    async with session.get(page) as response:
        reader = FormReader()
        reader.feed(await response.text())
    return reader.pairs


def with_volume(pairs: list[tuple[str, str]], millions: int, page: str = PAGE) -> str:
    """The form's query after the visitor changed the volume."""
    kept = [(name, value) for name, value in pairs if name not in {"volume", "form"}]
    return f"{page}?{urlencode([('form', '1'), ('volume', f'{millions} M'), *kept])}"


async def fetch(session: aiohttp.ClientSession, address: str) -> bytes:
    async with session.get(address, headers=LIVE) as response:
        assert response.status == 200, f"{response.status} for {address}"
        return await response.read()


async def many(session: aiohttp.ClientSession, addresses: list[str], at_once: int) -> float:
    """Ask for all addresses, `at_once` at a time; seconds taken."""
    todo = iter(addresses)

    async def client() -> None:
        for address in todo:
            await fetch(session, address)

    started = time.perf_counter()
    await asyncio.gather(*(client() for _ in range(at_once)))
    return time.perf_counter() - started


async def measure(served: Served) -> dict[str, tuple[float, float, float]]:
    """For each kind of request: p50 and p95 of server time in ms one by one, and requests a second together."""
    found = {}
    async with aiohttp.ClientSession(served.url) as session:
        pairs = await typed_form(session)
        kinds = {
            "result": lambda number: with_volume(pairs, 1 + number % 900),
            "ready rows": lambda number: "/bench/ready",
            "health": lambda number: "/healthz",
        }
        body = (await fetch(session, with_volume(pairs, 42))).decode()
        assert "€" in body and "<html" not in body
        for name, address in kinds.items():
            await many(session, [address(number) for number in range(WARM_UP)], 2)
            before = served.lines()
            await many(session, [address(number) for number in range(ONE_BY_ONE)], 1)
            times = sorted(served.server_times_ms(address(0).partition("?")[0], before))
            rate = TOGETHER / await many(session, [address(number) for number in range(TOGETHER)], CONCURRENCY)
            cuts = statistics.quantiles(times, n=20)
            found[name] = (cuts[9], cuts[18], rate)
    return found


@pytest.mark.bench
def test_live_result(served: Served, report: list[Figure]) -> None:
    found = asyncio.run(measure(served))
    p50, p95, rate = found["result"]
    ready, health = found["ready rows"], found["health"]
    times = f"same template from ready rows {ready[1]:.1f} ms (ratio {p95 / ready[1]:.1f}), health {health[1]:.1f} ms"
    report.append(Figure("#result, server time p95", p95, "ms", "≤ 25 ms", p95 <= 25, times))
    report.append(Figure("#result, server time p50", p50, "ms", "≤ 25 ms", p50 <= 25))
    rates = f"ready rows {ready[2]:.0f}/s (ratio {rate / ready[2]:.2f}), health {health[2]:.0f}/s"
    report.append(
        Figure("#result, two cores shared with the client", rate, "requests/s", "≥ 150/s", rate >= 150, rates)
    )


async def outlook_times(served: Served) -> list[float]:
    """Server times in ms of the outlook's live result, one request at a time."""
    async with aiohttp.ClientSession(served.url) as session:
        pairs = await typed_form(session, OUTLOOK)
        addresses = [with_volume(pairs, 1 + number % 900, OUTLOOK) for number in range(WARM_UP + ONE_BY_ONE)]
        await many(session, addresses[:WARM_UP], 2)
        before = served.lines()
        await many(session, addresses[WARM_UP:], 1)
        return served.server_times_ms(OUTLOOK, before)


@pytest.mark.bench
def test_live_outlook(served: Served, report: list[Figure]) -> None:
    """Forty months are priced for one answer: twelve of the ramp, both ends of each lever, the ways to rent."""
    p95 = statistics.quantiles(asyncio.run(outlook_times(served)), n=20)[18]
    report.append(Figure("#result of the outlook, server time p95", p95, "ms", "≤ 50 ms", p95 <= 50))


@pytest.mark.bench
def test_first_view_bytes(served: Served, report: list[Figure]) -> None:
    total, html = asyncio.run(first_view(served))
    report.append(Figure("first view before charts, compressed", total / 1000, "kB", "≤ 60 kB", total <= 60_000))
    report.append(Figure("HTML of the first view, compressed", html / 1000, "kB", "≤ 20 kB", html <= 20_000))


async def first_view(served: Served) -> tuple[int, int]:
    """Bytes on the wire of the page with its style sheets and scripts, and of its HTML alone."""
    browser = {"Accept-Encoding": "gzip, br"}
    async with aiohttp.ClientSession(served.url, auto_decompress=False) as session:
        async with session.get(PAGE, headers=browser) as response:
            assert response.status == 200
            assert response.headers["Content-Encoding"] == "gzip"
            html = await response.read()
        reader, sizes = FileReader(), [len(html)]
        reader.feed(gzip.decompress(html).decode())
        for path in reader.paths:
            async with session.get(path, headers=browser) as response:
                assert response.status == 200
                sizes.append(len(await response.read()))
    return sum(sizes), sizes[0]
