"""The roofline: roofs and ridge from the sheet, bytes and FLOP counted by hand, and the binding limit."""

import pytest

from calculator.domain.inference import decode_step_s, rates
from calculator.domain.roofline import Limit, active_params, decode_mark, limits_s, prefill_mark, roofline
from calculator.domain.serving import Load

from .serving_factories import A100_80, IDEAL, LLAMA_70B, MIXTRAL, REAL, deployment

LAYERS_AND_HEAD = 6_979_588_096 + 32_768 * 4096


def test_pitfall_20_the_ridge_is_the_dense_peak_over_the_bandwidth() -> None:
    server = deployment(gpu=A100_80)
    found = roofline(server, rates(server, IDEAL), Load(1024, 256, 1), 1)
    assert found.ridge_flop_per_byte == pytest.approx(312e12 / 2039e9)
    assert found.memory_bytes_per_s == 2039e9


def test_the_roofs_of_a_replica_are_those_of_all_its_gpus() -> None:
    server = deployment(model=LLAMA_70B, tensor_parallel=4)
    found = roofline(server, rates(server, REAL), Load(1024, 256, 1), 1)
    assert found.compute_flop_per_s == 4 * 312e12
    assert found.ridge_flop_per_byte == pytest.approx(312e12 / 2039e9)


def test_one_stream_at_an_empty_context_does_one_flop_a_byte_in_16_bits() -> None:
    server = deployment()
    found = decode_mark(server, rates(server, IDEAL), 1, 0)
    assert active_params(server) == LAYERS_AND_HEAD
    assert found.flop_per_byte == pytest.approx(1.0)


def test_a_batch_multiplies_more_for_each_byte() -> None:
    server = deployment()
    found = decode_mark(server, rates(server, IDEAL), 16, 1152)
    cache = 16 * 1152 * 131_072
    flop = 16 * 2 * (LAYERS_AND_HEAD + 32 * 1152 * 2 * 4096)
    assert found.flop_per_byte == pytest.approx(flop / (LAYERS_AND_HEAD * 2 + cache))


def test_a_prompt_lies_beyond_the_ridge_and_a_stream_before_it() -> None:
    server = deployment()
    found = roofline(server, rates(server, REAL), Load(2048, 256, 16), 16)
    assert found.decode.flop_per_byte < found.ridge_flop_per_byte < found.prefill.flop_per_byte


def test_pitfall_23_a_prompt_counts_the_causal_half_of_attention() -> None:
    server = deployment()
    found = prefill_mark(server, rates(server, IDEAL), 2048, 2048)
    flop = 2 * 2048 * (6_979_588_096 + 32 * 2048 * 4096)
    moved = LAYERS_AND_HEAD * 2 + 2048 * 131_072
    assert found.flop_per_byte == pytest.approx(flop / moved)


def test_pitfall_8_a_mixture_reads_the_experts_that_its_batch_touches() -> None:
    server = deployment(model=MIXTRAL, tensor_parallel=2)
    one, many = (decode_mark(server, rates(server, IDEAL), batch, 0).flop_per_byte for batch in (1, 8))
    touched_one, touched_eight = 0.25, 1 - 0.75**8
    assert many / one < 8 * touched_one / touched_eight * 1.4
    assert many > one


def test_no_mark_lies_above_its_roof() -> None:
    server = deployment()
    found = roofline(server, rates(server, IDEAL), Load(1024, 256, 64), 64)
    for mark in (found.decode, found.prefill):
        roof = min(found.compute_flop_per_s, found.memory_bytes_per_s * mark.flop_per_byte)
        assert mark.flop_per_s <= roof * 1.0001


@pytest.mark.parametrize(("batch", "context"), [(1, 0), (16, 1152), (256, 8192)])
@pytest.mark.parametrize("size", [1, 4])
def test_the_limits_of_a_step_add_up_to_the_step(batch: int, context: int, size: int) -> None:
    server = rates(deployment(tensor_parallel=size), REAL)
    assert sum(part for _, part in limits_s(server, batch, context)) == pytest.approx(
        decode_step_s(server, batch, context)
    )


@pytest.mark.parametrize(
    ("batch", "context", "binding"), [(1, 0, Limit.WEIGHTS), (64, 16_384, Limit.CACHE), (4096, 0, Limit.COMPUTE)]
)
def test_what_binds_moves_from_weights_to_cache_or_computing(batch: int, context: int, binding: Limit) -> None:
    parts = limits_s(rates(deployment(), IDEAL), batch, context)
    assert max(parts, key=lambda part: part[1])[0] is binding
