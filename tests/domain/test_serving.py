"""What a server does under load: throughput as total tokens over total time, waiting, queueing."""

from dataclasses import replace

import pytest

from calculator.domain import inference, serving
from calculator.domain.inference import rates
from calculator.domain.serving import Load, Targets, point

from .serving_factories import IDEAL, REAL, deployment

ROOM = 1000.0
LOAD = Load(prompt_tokens=1024, output_tokens=256, concurrency=16)


def test_pitfall_30_throughput_is_total_tokens_over_total_time() -> None:
    server = rates(deployment(), IDEAL)
    step = inference.decode_step_s(server, 16, 1024 + 128)
    prompt = inference.prompt_work_s(server, 1024, 1024)
    assert point(server, IDEAL, LOAD, ROOM).output_tok_per_s == pytest.approx(16 * 256 / (256 * step + 16 * prompt))


def test_pitfall_27_time_a_token_excludes_the_first_token() -> None:
    server = rates(deployment(), IDEAL)
    alone = point(server, IDEAL, Load(8192, 256, 1), ROOM)
    assert alone.token_s == pytest.approx(inference.decode_step_s(server, 1, 8192 + 128))
    assert alone.first_token_s > alone.token_s


def test_pitfall_26_the_first_token_splits_into_queue_prefill_and_first_step() -> None:
    found = point(rates(deployment(), REAL), REAL, LOAD, ROOM)
    assert found.queue_s + found.prefill_s + found.first_step_s == pytest.approx(found.first_token_s)
    assert found.queue_s > REAL.request_s


def test_requests_beyond_the_room_queue_for_whole_cycles() -> None:
    server = rates(deployment(), IDEAL)
    short, full = point(server, IDEAL, LOAD, 8.0), point(server, IDEAL, replace(LOAD, concurrency=8), 8.0)
    assert short.running == 8
    assert short.queue_s - full.queue_s == pytest.approx((16 / 8 - 1) * full.request_s)
    assert short.output_tok_per_s == full.output_tok_per_s


def test_the_engine_limits_how_many_sequences_it_runs() -> None:
    limited = replace(IDEAL, max_sequences=4.0)
    assert point(rates(deployment(), limited), limited, LOAD, ROOM).running == 4
    assert serving.running_sequences(LOAD, ROOM, limited, 2) == 8


def test_a_lone_request_waits_for_nobody() -> None:
    assert serving.wait_s(0.1, 1, 10.0, REAL) == 0


def test_waiting_grows_with_the_others_and_stays_finite_when_prompts_fill_the_gpu() -> None:
    waits = [serving.wait_s(0.1, running, running * 0.1 + 1.0, REAL) for running in (2, 8, 64)]
    assert waits == sorted(waits)
    assert serving.wait_s(0.1, 100, 1.0, REAL) < 100


def test_pitfall_29_a_prefix_cache_helps_less_than_its_hit_rate() -> None:
    server = rates(deployment(), REAL)
    plain = point(server, REAL, Load(2048, 256, 64), ROOM).output_tok_per_s
    cached = point(server, REAL, Load(2048, 256, 64, prefix_hit_ratio=0.95), ROOM).output_tok_per_s
    assert 1 < cached / plain < 1 / (1 - 0.95)


def test_throughput_grows_with_concurrency_and_latency_with_it() -> None:
    server = rates(deployment(), REAL)
    points = [point(server, REAL, replace(LOAD, concurrency=clients), ROOM) for clients in (1, 2, 8, 32, 128)]
    assert [p.output_tok_per_s for p in points] == sorted(p.output_tok_per_s for p in points)
    assert [p.token_s for p in points] == sorted(p.token_s for p in points)
    assert [p.first_token_s for p in points] == sorted(p.first_token_s for p in points)


def test_requests_a_second_follow_from_the_tokens() -> None:
    found = point(rates(deployment(), IDEAL), IDEAL, LOAD, ROOM)
    assert found.requests_per_s * 256 == pytest.approx(found.output_tok_per_s)


def test_single_stream_and_prompt_rates_are_inverse_times() -> None:
    server = rates(deployment(), REAL)
    assert serving.single_stream_tok_per_s(server, 512) == pytest.approx(1 / inference.decode_step_s(server, 1, 512))
    alone = inference.prompt_alone_s(server, 2048, 2048)
    assert serving.prompt_tok_per_s(server, 2048) == pytest.approx(2048 / alone)


def test_end_to_end_adds_the_other_tokens_to_the_first() -> None:
    found = point(rates(deployment(), IDEAL), IDEAL, LOAD, ROOM)
    assert serving.end_to_end_s(found, 256) == pytest.approx(found.first_token_s + 255 * found.token_s)


def test_a_saturated_server_runs_what_fits_and_queues_nobody() -> None:
    server = rates(deployment(), REAL)
    full = serving.saturated(server, REAL, LOAD, 40.0)
    assert full.running == 40
    assert full.output_tok_per_s > point(server, REAL, LOAD, 40.0).output_tok_per_s


def test_the_best_point_is_the_last_that_holds_every_target() -> None:
    server = rates(deployment(), REAL)
    targets = Targets(first_token_s=1.0, token_s=0.03, end_to_end_s=20.0)
    best = serving.best_point(server, REAL, LOAD, ROOM, targets)
    assert best is not None
    clients, found = best
    beyond = point(server, REAL, replace(LOAD, concurrency=clients + 1), ROOM)
    assert targets.held_by(found, 256)
    assert not targets.held_by(beyond, 256)


def test_without_targets_the_room_decides() -> None:
    best = serving.best_point(rates(deployment(), REAL), REAL, LOAD, 40.0, Targets())
    assert best is not None
    assert best[0] == 40


def test_targets_that_one_client_misses_have_no_best_point() -> None:
    assert serving.best_point(rates(deployment(), REAL), REAL, LOAD, ROOM, Targets(token_s=1e-6)) is None
