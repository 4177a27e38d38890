"""Planned instants and the open loop that keeps to them, on a clock that only moves when it is told."""

import asyncio
import statistics as numbers
from itertools import pairwise

import pytest

from benchmarks import metrics, statistics
from benchmarks.load import arrivals
from benchmarks.load.records import Request
from benchmarks.load.schedule import LoopTimes, Turn, closed_loop, open_loop, until
from tests.benchmarks import loadfactory as make
from tests.benchmarks import virtualtime

MS = make.MS


def gaps_ms(instants: list[int]) -> list[float]:
    return [(after - before) / MS for before, after in pairwise(instants)]


class Service:
    """A server with a fixed time a request, on virtual time; each request's turn in the client costs `turn_s`."""

    def __init__(self, loop: virtualtime.Loop, service_s: float, turn_s: float = 0.0) -> None:
        self.loop = loop
        self.service_s = service_s
        self.turn_s = turn_s
        self.requests: list[Request] = []
        self.in_flight = self.most_in_flight = 0

    async def send(self, turn: Turn) -> None:
        self.loop.spend(self.turn_s)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        sent_ns = self.loop.clock()
        await asyncio.sleep(self.service_s)
        self.in_flight -= 1
        ended_ns = self.loop.clock()
        self.requests.append(
            make.request(
                number=turn.number,
                warm_up=turn.warm_up,
                planned_ns=turn.planned_ns,
                ready_ns=turn.ready_ns,
                sent_ns=sent_ns,
                end_ns=ended_ns,
                arrivals_ns=[ended_ns],
                output_tokens=1,
                finish_reason="length",
            )
        )


def open_run(
    offsets: list[int], *, service_s: float, limit: int, turn_s: float = 0.0, warm_up: int = 0
) -> tuple[Service, LoopTimes]:
    """Run a plan against a service from instant 0."""
    seen: list[Service] = []
    times = LoopTimes()

    async def act(loop: virtualtime.Loop) -> None:
        seen.append(Service(loop, service_s, turn_s))
        await open_loop(
            seen[0].send,
            times,
            offsets_ns=offsets,
            warm_up_count=warm_up,
            in_flight_limit=limit,
            stop=asyncio.Event(),
            clock=loop.clock,
        )

    virtualtime.run(act)
    return seen[0], times


def test_l20_waiting_for_a_slot_counts_from_plan() -> None:
    """One slot, 500 ms a request, one planned each 100 ms: the eighth waits 2.8 s for its turn."""
    service, _ = open_run(arrivals.constant(10, 8), service_s=0.5, limit=1)
    assert [metrics.e2e_ms(request) for request in service.requests] == pytest.approx([500] * 8)
    from_plan = [metrics.e2e_planned_ms(request) or 0 for request in service.requests]
    assert from_plan == pytest.approx([500, 900, 1300, 1700, 2100, 2500, 2900, 3300])
    assert statistics.mean(from_plan) == pytest.approx(1900)
    assert statistics.percentile(from_plan, 99) == pytest.approx(3272)
    found = metrics.step_metrics(service.requests, None)
    assert (found.e2e_p50_ms, found.e2e_planned_p50_ms) == pytest.approx((500, 1900))
    assert found.ttft_planned_p95_ms == pytest.approx(3160)
    assert found.client_lag_p99_ms == pytest.approx(0)
    assert found.dispatch_lag_p99_ms == pytest.approx(2772)


def test_l21_a_schedule_from_the_start_does_not_drift() -> None:
    """200 a second while each turn costs 0.5 ms: sleeping 5 ms after each would reach 1 ÷ 5.5 ms = 182 a second."""
    service, _ = open_run(arrivals.constant(200, 1000), service_s=0.01, limit=1000, turn_s=0.0005)
    sent = [request.sent_ns or 0 for request in service.requests]
    assert (metrics.pace_per_s(sent) or 0) >= 199


def test_l21_a_schedule_of_sleeps_drifts_and_would_be_seen() -> None:
    sent: list[int] = []

    async def act(loop: virtualtime.Loop) -> None:
        for _ in range(1000):
            loop.spend(0.0005)
            sent.append(loop.clock())
            await asyncio.sleep(0.005)

    virtualtime.run(act)
    assert metrics.pace_per_s(sent) == pytest.approx(181.8, abs=0.1)


def test_l22_the_asked_rate_is_not_the_throughput() -> None:
    """100 a second asked; six slots of 100 ms allow 60."""
    service, _ = open_run(arrivals.constant(100, 1000), service_s=0.1, limit=6)
    found = metrics.step_metrics(service.requests, None)
    assert found.offered_per_s == pytest.approx(100)
    assert found.achieved_per_s == pytest.approx(60, abs=0.2)
    assert metrics.saturated(found)
    assert found.requests_per_s == pytest.approx(60, abs=0.5)


def test_l22_a_server_that_keeps_up_is_not_saturated() -> None:
    service, _ = open_run(arrivals.constant(50, 500), service_s=0.1, limit=6)
    found = metrics.step_metrics(service.requests, None)
    assert (found.offered_per_s, found.achieved_per_s) == pytest.approx((50, 50))
    assert not metrics.saturated(found)


def test_l22_without_an_answer_nothing_is_called_saturated() -> None:
    failed = [make.request(number=n, planned_ms=n * 10, error_kind="connect_failed") for n in range(5)]
    assert not metrics.saturated(metrics.step_metrics(failed, None))


def test_l23_poisson_gaps_have_the_asked_mean_and_spread() -> None:
    instants = arrivals.poisson(50, 10_000, "7")
    gaps = [instants[0] / MS, *gaps_ms(instants)]
    assert len(gaps) == 10_000
    assert numbers.fmean(gaps) == pytest.approx(20, rel=0.03)
    assert numbers.pstdev(gaps) / numbers.fmean(gaps) == pytest.approx(1, abs=0.05)


def test_l23_the_same_seed_gives_the_same_plan_and_another_seed_another() -> None:
    assert arrivals.poisson(50, 100, "7") == arrivals.poisson(50, 100, "7")
    assert arrivals.poisson(50, 100, "7") != arrivals.poisson(50, 100, "8")


def test_l23_a_plan_is_not_stretched_to_a_round_end() -> None:
    """Stretched plans would all end at 2 s; the ends of real ones differ by 0.2 s and more (standard error 10 %)."""
    ends = [arrivals.poisson(50, 100, str(seed))[-1] / 1e9 for seed in range(20)]
    assert numbers.pstdev(ends) > 0.05
    assert all(end != pytest.approx(2.0, abs=1e-6) for end in ends)


def test_constant_arrivals_are_worked_out_from_the_start() -> None:
    instants = arrivals.constant(3, 3001)
    assert instants[:3] == [0, 333_333_333, 666_666_667]
    assert instants[3000] == 1000 * 10**9


def test_a_ramp_rises_evenly_then_holds_its_rate() -> None:
    """Up to 10 a second over 4 s: 20 requests by then, the fifth at 2 s (10 × 2² ÷ 8), then one each 100 ms."""
    instants = arrivals.ramp(10, 40, 4)
    assert instants[0] == 0
    assert instants[5] == 2 * 10**9
    assert instants[20] == 4 * 10**9
    assert gaps_ms(instants)[20:] == pytest.approx([100] * 19)
    assert gaps_ms(instants)[:20] == sorted(gaps_ms(instants)[:20], reverse=True)


def test_a_ramp_of_no_length_is_a_constant_rate() -> None:
    assert arrivals.ramp(10, 5, 0) == arrivals.constant(10, 5)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("constant", arrivals.constant(5, 9)),
        ("poisson", arrivals.poisson(5, 9, "1/2")),
        ("ramp", arrivals.ramp(5, 9, 3)),
    ],
)
def test_a_pattern_is_found_by_its_name(pattern: str, expected: list[int]) -> None:
    assert pattern in arrivals.PATTERNS
    assert arrivals.planned(pattern, 5, 9, seed="1/2", ramp_s=3) == expected


def test_unknown_patterns_and_empty_rates_are_refused() -> None:
    with pytest.raises(ValueError, match="no such pattern"):
        arrivals.planned("burst", 5, 9, seed="1", ramp_s=0)
    with pytest.raises(ValueError, match="above 0"):
        arrivals.planned("constant", 0, 9, seed="1", ramp_s=0)


def test_an_open_loop_never_holds_more_than_its_limit() -> None:
    service, _ = open_run(arrivals.constant(100, 50), service_s=0.1, limit=4)
    assert service.most_in_flight == 4
    assert sorted(request.number for request in service.requests) == list(range(50))


def test_the_window_of_an_open_loop_ends_with_its_plan() -> None:
    service, times = open_run(arrivals.constant(10, 21), service_s=0.25, limit=9, warm_up=3)
    assert times.window_ns == (450 * MS, 2000 * MS)
    assert [request.warm_up for request in service.requests] == [True] * 3 + [False] * 18


def test_without_warm_up_the_window_opens_at_once() -> None:
    _, times = open_run(arrivals.constant(10, 11), service_s=0.25, limit=9)
    assert times.window_ns == (0, 1000 * MS)


def test_a_stopped_open_loop_sends_nothing_more() -> None:
    sent: list[int] = []

    async def act(loop: virtualtime.Loop) -> None:
        stop = asyncio.Event()

        async def send(turn: Turn) -> None:
            sent.append(turn.number)
            if turn.number == 4:
                stop.set()

        offsets = arrivals.constant(1, 1000)
        await open_loop(
            send, LoopTimes(), offsets_ns=offsets, warm_up_count=0, in_flight_limit=1, stop=stop, clock=loop.clock
        )
        assert loop.clock() == pytest.approx(4e9, abs=1e6)

    virtualtime.run(act)
    assert sent == [0, 1, 2, 3, 4]


def test_a_request_that_still_waits_for_a_slot_is_not_sent_after_the_stop() -> None:
    sent: list[int] = []

    async def act(loop: virtualtime.Loop) -> None:
        stop = asyncio.Event()

        async def send(turn: Turn) -> None:
            sent.append(turn.number)
            await asyncio.sleep(10)

        asyncio.get_running_loop().call_later(5, stop.set)
        offsets = arrivals.constant(1, 1000)
        await open_loop(
            send, LoopTimes(), offsets_ns=offsets, warm_up_count=0, in_flight_limit=1, stop=stop, clock=loop.clock
        )

    virtualtime.run(act)
    assert sent == [0]


def test_slots_of_a_ramped_closed_loop_begin_one_after_the_other() -> None:
    """Four slots over two seconds: at 0, 0.5, 1 and 1.5 s, each busy for 10 s."""
    begun: list[int] = []

    async def act(loop: virtualtime.Loop) -> None:
        async def send(turn: Turn) -> None:
            begun.append(turn.planned_ns)
            await asyncio.sleep(10)

        await closed_loop(
            send,
            LoopTimes(),
            concurrency=4,
            warm_up_count=0,
            measured_count=4,
            stop=asyncio.Event(),
            clock=loop.clock,
            ramp_s=2,
        )

    virtualtime.run(act)
    assert begun == pytest.approx([0, 500 * MS, 1000 * MS, 1500 * MS], abs=1000)


def test_an_instant_that_has_passed_is_not_waited_for() -> None:
    async def act(loop: virtualtime.Loop) -> None:
        loop.spend(5)
        await until(3 * 10**9, asyncio.Event(), loop.clock)
        assert loop.clock() == 5 * 10**9

    virtualtime.run(act)
