"""Replicas under clients or arrivals: shares, Little's law, capacity, the best point, the curve."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculator.domain.serving import Load, Targets, end_to_end_s, point
from calculator.domain.serving_layout import layout
from calculator.domain.serving_load import Server, at, best, by_clients, by_rate, capacity_per_s, curve, server

from .inference_factories import STARTER, SUPERCOMPUTE, TITAN, facts, scenario

LOAD = Load(1024, 256, 16)


def one(chosen: object = TITAN, **values: object) -> Server:
    found = server(layout(scenario(**values), facts(chosen)), 1024, 256)  # type: ignore[arg-type]
    assert found is not None
    return found


def test_clients_are_shared_by_the_replicas_and_their_tokens_added() -> None:
    single, eight = one(), one(SUPERCOMPUTE)
    few, many = by_clients(single, LOAD), by_clients(eight, Load(1024, 256, 128))
    assert many.point == few.point
    assert many.output_tok_per_s == pytest.approx(8 * few.output_tok_per_s)


def test_fewer_clients_than_replicas_find_one_of_their_own() -> None:
    assert at(one(SUPERCOMPUTE), Load(1024, 256, 3)).running == 1


def test_pitfall_37_no_speed_where_the_model_does_not_fit() -> None:
    assert server(layout(scenario(), facts(STARTER)), 1024, 256) is None


def test_a_rate_is_the_closed_loop_that_finishes_as_many_requests() -> None:
    single = one()
    wanted = by_clients(single, Load(1024, 256, 10)).requests_per_s
    found = by_rate(single, LOAD, wanted)
    assert found.concurrency == pytest.approx(10, rel=1e-6)
    assert found.requests_per_s == wanted
    assert found.concurrency == pytest.approx(wanted * found.point.request_s)


def test_at_a_low_rate_the_server_is_idle_at_times_and_little_gives_the_clients() -> None:
    single = one()
    alone = point(single.rates, single.constants, Load(1024, 256, 1), single.room)
    found = by_rate(single, LOAD, 0.01)
    assert found.point == alone
    assert found.concurrency == pytest.approx(0.01 * end_to_end_s(alone, 256))
    assert found.output_tok_per_s == pytest.approx(2.56)


def test_beyond_capacity_is_said_and_the_capacity_is_what_is_carried() -> None:
    single = one()
    capacity = capacity_per_s(single, LOAD)
    found = by_rate(single, LOAD, 2 * capacity)
    assert found.is_beyond_capacity
    assert found.requests_per_s == capacity
    assert not by_rate(single, LOAD, 0.99 * capacity).is_beyond_capacity


def test_the_best_point_holds_the_targets_over_all_replicas() -> None:
    targets = Targets(first_token_s=0.5, token_s=0.03)
    single, eight = best(one(), LOAD, targets), best(one(SUPERCOMPUTE), LOAD, targets)
    assert single is not None and eight is not None
    assert eight.concurrency == 8 * single.concurrency
    assert best(one(), LOAD, Targets(token_s=1e-6)) is None


def test_the_curve_runs_from_one_client_to_as_many_as_run_at_once_with_the_marks() -> None:
    points = curve(one(), LOAD, (16.0, 23.0))
    clients = [found.concurrency for found in points]
    assert clients == sorted(clients)
    assert clients[0] == 1
    assert {16.0, 23.0} <= set(clients)
    assert clients[-1] == 256


@given(rate=st.floats(0.001, 50.0), more=st.floats(1.01, 3.0))
def test_more_arrivals_never_need_fewer_clients_nor_wait_less(rate: float, more: float) -> None:
    single = one()
    less, many = by_rate(single, LOAD, rate), by_rate(single, LOAD, rate * more)
    assert many.concurrency >= less.concurrency * (1 - 1e-6)
    assert many.point.first_token_s >= less.point.first_token_s * (1 - 1e-6)
