"""The client against a local server: what it records, how it fails, what it does not limit."""

import asyncio
import itertools
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from benchmarks import metrics
from benchmarks.load.client import READ_BUFFER_BYTES, Client
from benchmarks.load.endpoint import local
from benchmarks.load.records import Request
from tests.benchmarks import loadfactory as make
from tests.benchmarks.mockserver import FOUR_TOKENS, MockServer, running

BODY: dict[str, object] = {"prompt": [1, 2, 3], "max_tokens": 4, "stream": True}


def unsent(client: Client, number: int = 0) -> Request:
    return make.request(number=number, planned_ns=client.clock(), sent_ns=None, end_ns=None)


def with_server(
    server: MockServer, act: Callable[[Client], Awaitable[None]], *, keep: bool = True, **options: object
) -> None:
    async def go() -> None:
        async with (
            running(server),
            Client(local(server.address, keep_connections=keep), timeout_s=5, **options) as client,
        ):  # type: ignore[arg-type]
            await act(client)

    asyncio.run(go())


def one(server: MockServer, **options: Any) -> Request:
    """The record of one request."""
    sent: list[Request] = []

    async def act(client: Client) -> None:
        sent.append(unsent(client))
        await client.send(sent[0], BODY)

    with_server(server, act, **options)
    return sent[0]


def test_a_stream_is_recorded_in_the_order_of_its_times() -> None:
    answer = one(MockServer())
    assert answer.ok and answer.http_status == 200
    assert (answer.output_tokens, answer.token_source, answer.prompt_tokens) == (4, "usage", 3)
    times = [answer.planned_ns, answer.sent_ns, *answer.arrivals_ns, answer.end_ns]
    assert times == sorted(times, key=lambda at: at or 0)
    assert len(answer.arrivals_ns) == 4


def test_times_are_those_of_the_server_and_never_shorter() -> None:
    answer = one(MockServer())
    assert (metrics.ttft_ms(answer) or 0) >= 20
    assert sum(metrics.gaps_ms(answer)) >= 59


def test_sending_starts_once_a_connection_is_held() -> None:
    requests: list[Request] = []

    async def act(client: Client) -> None:
        for number in range(2):
            requests.append(unsent(client, number))
            await client.send(requests[-1], BODY)

    with_server(MockServer(), act)
    assert [request.connection_reused for request in requests] == [False, True]
    assert all((metrics.dispatch_lag_ms(request) or -1) >= 0 for request in requests)


def test_connections_are_open_before_the_first_request() -> None:
    requests: list[Request] = []

    async def act(client: Client) -> None:
        await client.open_connections(4)
        requests.extend(unsent(client, number) for number in range(4))
        await asyncio.gather(*(client.send(request, BODY) for request in requests))

    with_server(MockServer(), act)
    assert [request.connection_reused for request in requests] == [True] * 4


def test_a_server_that_drops_connections_gets_each_request_on_one_that_it_has_accepted() -> None:
    """The mock closes after each stream without a header, as llama.cpp does; no request finds a dead connection."""
    server, requests = MockServer(drops=True), []

    async def act(client: Client) -> None:
        for wave in range(3):
            sent = [unsent(client, 8 * wave + number) for number in range(8)]
            requests.extend(sent)
            await asyncio.gather(*(client.send(request, BODY) for request in sent))

    with_server(server, act, keep=False)
    assert [(request.ok, request.connection_reused) for request in requests] == [(True, True)] * 24


def test_opening_a_connection_counts_as_waiting_to_send_not_as_waiting_for_the_token() -> None:
    server = MockServer(health_s=0.2)
    answer = one(server, keep=False)
    assert (metrics.dispatch_lag_ms(answer) or 0) >= 200
    assert 0 <= (metrics.client_lag_ms(answer) or 0) < 200
    assert 20 <= (metrics.ttft_ms(answer) or 0) < 200


def test_a_failed_start_lets_the_next_request_have_its_turn() -> None:
    requests = [make.request(number=number, sent_ns=None, end_ns=None) for number in range(3)]

    async def go() -> None:
        async with (
            Client(local("http://127.0.0.1:9", keep_connections=False), timeout_s=5) as client,
            asyncio.timeout(10),
        ):
            await asyncio.gather(*(client.send(request, BODY) for request in requests))

    asyncio.run(go())
    assert metrics.error_kinds(requests) == {"connect_failed": 3}


def test_l12_a_reset_after_eight_tokens_keeps_them_apart() -> None:
    server = MockServer(script=[(0.0, make.content()) for _ in range(8)], cut=True)
    answer = one(server)
    assert (answer.ok, answer.error_kind) == (False, "connection_lost")
    assert answer.output_tokens == 8
    assert metrics.step_metrics([answer], None).tokens_from_failed == 8


def test_l17_a_refusal_is_recorded_with_status_and_text() -> None:
    answer = one(MockServer(statuses=[429]))
    assert (answer.error_kind, answer.http_status, answer.error_message) == ("http_429", 429, "refused")
    assert answer.output_tokens is None


def test_l19_a_wall_clock_that_steps_back_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look at it is 200 ms before the last one: an interval taken from it would be negative."""
    looks = itertools.count(1)
    began_s = time.time()
    monkeypatch.setattr(time, "time", lambda: began_s - 0.2 * next(looks))
    monkeypatch.setattr(time, "time_ns", lambda: round(1e9 * (began_s - 0.2 * next(looks))))
    assert (metrics.ttft_ms(one(MockServer())) or -1) >= 20


def test_l19_times_come_from_the_clock_that_was_given() -> None:
    """Every look at the clock is 100 ms after the one before: sent, then four reads, then the end."""
    instants = iter(range(0, 100_000 * make.MS, 100 * make.MS))
    answer = one(MockServer(), clock=lambda: next(instants))
    assert answer.planned_ns == 0
    assert answer.sent_ns == 100 * make.MS
    assert metrics.ttft_ms(answer) == 100
    assert metrics.gaps_ms(answer) == [100, 100, 100]
    assert answer.end_ns == 600 * make.MS


def test_l29_no_pool_limits_what_is_in_flight() -> None:
    """256 streams on a server with 100 ms TTFT, which holds all back until it has seen as many as a pool lets through:
    a default one of 100 would never open this gate."""
    server = MockServer(script=[(0.1, make.content()), (0.0, make.finish() + make.DONE)])
    requests: list[Request] = []

    async def act(client: Client) -> None:
        server.gate = asyncio.Event()
        requests.extend(unsent(client, n) for n in range(256))
        sending = [asyncio.create_task(client.send(request, BODY)) for request in requests]
        async with asyncio.timeout(20):
            while server.in_flight < 256:
                await asyncio.sleep(0.01)
        server.gate.set()
        await asyncio.gather(*sending)

    async def go() -> None:
        async with running(server), Client(local(server.address), timeout_s=30) as client:
            await act(client)

    asyncio.run(go())
    assert server.most_in_flight == 256
    assert all(request.ok and (metrics.ttft_ms(request) or 0) >= 100 for request in requests)


def test_l31_a_server_that_is_not_there_is_a_named_failure() -> None:
    requests = [make.request(number=number, sent_ns=None, end_ns=None) for number in range(20)]

    async def go() -> None:
        async with Client(local("http://127.0.0.1:9"), timeout_s=5) as client:
            assert not await client.healthy()
            await asyncio.gather(*(client.send(request, BODY) for request in requests))

    asyncio.run(go())
    assert metrics.error_kinds(requests) == {"connect_failed": 20}
    assert [request.sent_ns for request in requests] == [None] * 20


def test_an_answer_that_takes_too_long_is_a_timeout() -> None:
    async def go() -> Request:
        server = MockServer(script=[(0.0, make.content()), (3.0, make.finish())])
        async with running(server), Client(local(server.address), timeout_s=0.3) as client:
            request = unsent(client)
            await client.send(request, BODY)
            return request

    answer = asyncio.run(go())
    assert (answer.error_kind, answer.output_tokens) == ("timeout", 1)


def test_a_cancelled_request_is_recorded_before_the_cancellation_goes_on() -> None:
    server = MockServer(script=[(0.0, make.content()), (30.0, make.finish())])

    async def act(client: Client) -> None:
        request, seen = unsent(client), asyncio.Event()
        task = asyncio.create_task(client.send(request, BODY, lambda _: seen.set()))
        await seen.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert request.error_kind == "cancelled"
        assert request.end_ns is not None

    with_server(server, act)


def test_tokens_are_reported_as_they_arrive() -> None:
    counted: list[int] = []

    async def act(client: Client) -> None:
        await client.send(unsent(client), BODY, counted.append)

    with_server(MockServer(), act)
    assert sum(counted) == len(FOUR_TOKENS)


def test_the_read_buffer_holds_a_long_burst() -> None:
    assert READ_BUFFER_BYTES >= 256 * 1024


def test_a_client_outside_its_block_says_so() -> None:
    with pytest.raises(RuntimeError, match="async with"):
        _ = Client(local("http://127.0.0.1:9"), timeout_s=1).session
