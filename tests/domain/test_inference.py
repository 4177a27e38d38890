"""The kernel: times worked out by hand on a server that reaches its data sheet, and what must hold on any server."""

from dataclasses import replace

import pytest

from calculator.domain import inference
from calculator.domain.calibration import ServingConstants
from calculator.domain.hardware import Gpu
from calculator.domain.inference import NotModelledError, Rates, rates

from .serving_factories import (
    A100_80,
    DEEPSEEK,
    H100,
    IDEAL,
    LLAMA_70B,
    MISTRAL,
    MIXTRAL,
    REAL,
    RTX_4090,
    T4,
    deployment,
)

LAYERS_AND_HEAD = 6_979_588_096 + 32_768 * 4096
"""Parameters that a step reads: all layers and the output head, not the input embedding."""


def ideal(gpu: Gpu = A100_80, precision: str = "fp16", **constants: float) -> Rates:
    return rates(deployment(gpu=gpu, precision=precision), replace(IDEAL, **constants))


def test_one_stream_reads_the_layers_and_the_head_once_a_token() -> None:
    read, multiplied = LAYERS_AND_HEAD * 2 / 1008e9, LAYERS_AND_HEAD * 2 / 165.2e12
    assert inference.decode_step_s(ideal(RTX_4090), 1, 0) == pytest.approx(read + multiplied)


def test_the_longer_of_reading_and_multiplying_decides_when_they_overlap() -> None:
    overlapping = inference.decode_step_s(ideal(RTX_4090, norm=50.0), 1, 0)
    assert overlapping == pytest.approx(LAYERS_AND_HEAD * 2 / 1008e9, rel=1e-6)


def test_the_cache_is_read_for_every_sequence_of_the_batch() -> None:
    step = ideal(norm=50.0)
    cache_bytes = 32 * 8192 * 2 * 8 * 128 * 2
    attention_flop = 32 * 8192 * 2 * 32 * 2 * 128
    added = inference.decode_step_s(step, 4, 8192) - inference.decode_step_s(step, 4, 0)
    assert added == pytest.approx(4 * (cache_bytes / 2039e9 + attention_flop / 312e12))


def test_a_lone_stream_reads_its_cache_slower_than_its_share_of_a_batch() -> None:
    plain, idle = ideal(norm=50.0), ideal(norm=50.0, kv_half_streams=16.0)
    context = inference.decode_step_s(plain, 1, 4096) - inference.decode_step_s(plain, 1, 0)
    slower = inference.decode_step_s(idle, 1, 4096) - inference.decode_step_s(idle, 1, 0)
    assert slower == pytest.approx(context * (1 + 16 / 8))


def test_pitfall_1_24_attention_counts_kv_heads_for_bytes_and_heads_times_head_dim_for_flop() -> None:
    wide = replace(MISTRAL, head_dim=256)
    narrow_rates, wide_rates = ideal(), rates(deployment(model=wide), IDEAL)
    assert wide_rates.attention_token_s == pytest.approx(2 * narrow_rates.attention_token_s)


def test_pitfall_3_the_latent_cache_is_read_once_and_whole_on_every_gpu() -> None:
    one = rates(deployment(model=DEEPSEEK, gpu=H100, tensor_parallel=1), replace(IDEAL, decode_attention_ratio=1e30))
    eight = rates(deployment(model=DEEPSEEK, gpu=H100, tensor_parallel=8), replace(IDEAL, decode_attention_ratio=1e30))
    assert one.kv_token_s == pytest.approx((512 + 64) * 2 / 3350e9)
    assert eight.kv_token_s == pytest.approx(one.kv_token_s)


def test_pitfall_4_local_layers_read_at_most_their_window() -> None:
    local = replace(MISTRAL, sliding_window=4096, sliding_pattern="every other layer local")
    assert inference.reach_layers(rates(deployment(model=local), IDEAL), 10_000) == 16 * 10_000 + 16 * 4096


def test_pitfall_6_an_eight_bit_cache_halves_what_is_read() -> None:
    constants = replace(IDEAL, decode_attention_ratio=1e30)
    half = rates(deployment(gpu=H100, kv=1.0), constants).kv_token_s
    assert half == pytest.approx(rates(deployment(gpu=H100), constants).kv_token_s / 2)


def test_pitfall_21_an_eight_bit_cache_is_slow_where_the_gpu_has_no_such_units() -> None:
    constants = replace(IDEAL, decode_attention_ratio=1e30)
    emulated = rates(deployment(gpu=A100_80, kv=1.0), constants).kv_token_s
    assert emulated == pytest.approx(2 * 8 * 128 / (2039e9 * 0.05))


def test_pitfall_7_kv_heads_replicate_beyond_their_number() -> None:
    assert inference.kv_heads_a_gpu_divisor(MISTRAL, 4) == 4
    assert inference.kv_heads_a_gpu_divisor(MISTRAL, 16) == 8
    assert inference.kv_heads_a_gpu_divisor(DEEPSEEK, 8) == 1


def test_pitfall_8_a_batch_touches_more_experts_up_to_all() -> None:
    moe = rates(deployment(model=MIXTRAL, gpu=H100), IDEAL)
    assert inference.touched_ratio(moe, 1) == pytest.approx(2 / 8)
    assert inference.touched_ratio(moe, 4) == pytest.approx(1 - 0.75**4)
    assert inference.touched_ratio(moe, 200) == pytest.approx(1.0)
    assert inference.touched_ratio(ideal(), 1) == 1.0


def test_pitfall_8_one_stream_of_a_mixture_reads_its_active_parameters() -> None:
    moe = rates(deployment(model=MIXTRAL, gpu=H100), replace(IDEAL, norm=50.0))
    active = MIXTRAL.params_active - 32_000 * 4096
    assert inference.decode_step_s(moe, 1, 0) == pytest.approx(active * 2 / 3350e9, rel=1e-6)


def test_pitfall_18_a_batch_shares_the_reading_of_the_weights() -> None:
    step = rates(deployment(), REAL)
    assert 64 / inference.decode_step_s(step, 64, 512) > 10 / inference.decode_step_s(step, 1, 512)


def test_pitfall_19_the_bandwidth_reached_divides_the_time() -> None:
    full = inference.decode_step_s(ideal(norm=50.0), 1, 0)
    assert inference.decode_step_s(ideal(norm=50.0, weight_bandwidth_ratio=0.66), 1, 0) == pytest.approx(full / 0.66)


def test_pitfall_21_fp8_weights_on_ampere_are_read_faster_and_multiplied_no_faster() -> None:
    half, eight = ideal(), ideal(precision="fp8")
    assert eight.dense_read_s < half.dense_read_s
    assert eight.prefill_token_s == half.prefill_token_s


def test_pitfall_23_24_a_prompt_counts_the_causal_half_of_attention() -> None:
    linear = 2 * 6_979_588_096 * 2048 / 312e12
    attention = 2 * 32 * 2048**2 * 32 * 128 / 312e12
    assert inference.prompt_work_s(ideal(), 2048, 2048) == pytest.approx(linear + attention)


def test_a_prompt_alone_reads_the_weights_at_least_once() -> None:
    alone = inference.prompt_alone_s(ideal(), 16, 16)
    assert alone > LAYERS_AND_HEAD * 2 / 2039e9


def test_pitfall_29_the_prefix_cache_cuts_what_is_computed_and_not_what_is_attended_to() -> None:
    whole, quarter = inference.prompt_work_s(ideal(), 4096, 4096), inference.prompt_work_s(ideal(), 4096, 1024)
    assert quarter == pytest.approx(whole / 4)
    assert quarter > inference.prompt_work_s(ideal(), 1024, 1024)


def test_chunks_of_a_prompt_overlap_in_a_pipeline() -> None:
    constants = replace(IDEAL, chunk_tokens=512.0)
    one = inference.prompt_alone_s(rates(deployment(), constants), 1024, 1024)
    four = inference.prompt_alone_s(rates(deployment(pipeline_parallel=4), constants), 1024, 1024)
    assert four == pytest.approx(one * (4 + 2 - 1) / (4 * 2))
    half = rates(deployment(pipeline_parallel=4), replace(constants, stage_overlap_ratio=0.5))
    assert inference.prompt_alone_s(half, 1024, 1024) == pytest.approx((one + four) / 2)


def test_one_stream_gains_nothing_from_a_pipeline() -> None:
    one = inference.decode_step_s(rates(deployment(), IDEAL), 1, 100)
    assert inference.decode_step_s(rates(deployment(pipeline_parallel=4), IDEAL), 1, 100) == pytest.approx(one)


def test_pitfall_43_all_reduces_move_two_n_minus_one_over_n_at_the_one_way_rate() -> None:
    two = rates(deployment(tensor_parallel=2), IDEAL)
    assert two.link_token_s == pytest.approx(2 * 32 * (2 * 1 / 2) * 4096 * 2 / 300e9)


def test_all_reduces_of_a_batch_pay_a_root_for_their_chunks_in_flight() -> None:
    plain = rates(deployment(tensor_parallel=2), IDEAL)
    waiting = rates(deployment(tensor_parallel=2), replace(IDEAL, link_pipeline_s=1e-5))
    added = inference.decode_step_s(waiting, 64, 100) - inference.decode_step_s(plain, 64, 100)
    assert added == pytest.approx(2 * 32 * (64 * 4096 * 2 / 300e9 * 1e-5) ** 0.5)


def test_pitfall_47_consumer_cards_talk_over_pcie() -> None:
    assert inference.link_bytes_per_s(RTX_4090, 2) == (32e9, False)
    assert inference.link_bytes_per_s(A100_80, 8) == (300e9, True)


def test_a_bridge_joins_two_cards_only() -> None:
    bridged = replace(A100_80, nvlink_gen="NVLink3 bridge (pair)")
    assert inference.link_bytes_per_s(bridged, 2) == (300e9, True)
    assert inference.link_bytes_per_s(bridged, 4) == (32e9, False)


def test_a_gpu_without_a_peak_or_a_link_is_refused_by_name() -> None:
    bare = Gpu("RTX 4070 Ti", "NVIDIA", "Ada", 12, 504)
    with pytest.raises(NotModelledError, match=r"unknown_peak.*4070"):
        rates(deployment(gpu=bare), IDEAL)
    with pytest.raises(NotModelledError) as caught:
        rates(deployment(gpu=replace(T4, pcie_gb_s_per_direction=None), tensor_parallel=2), IDEAL)
    assert caught.value.code == "unknown_link"


def test_the_power_limit_caps_what_a_card_computes() -> None:
    capped = ideal(RTX_4090, power_flop_per_j=5e11)
    limit = 1 / (1 / 165.2e12 + 1 / (450 * 5e11))
    assert capped.prefill_token_s == pytest.approx(2 * 6_979_588_096 / limit)


@pytest.mark.parametrize("constants", [IDEAL, REAL], ids=["ideal", "real"])
@pytest.mark.parametrize("model", [MISTRAL, LLAMA_70B, MIXTRAL, DEEPSEEK], ids=lambda model: model.name)
def test_a_step_grows_with_batch_and_context(model: object, constants: ServingConstants) -> None:
    step = rates(deployment(model=model, gpu=H100, tensor_parallel=8), constants)  # type: ignore[arg-type]
    by_batch = [inference.decode_step_s(step, batch, 1000) for batch in (1, 2, 7, 64, 300)]
    by_context = [inference.decode_step_s(step, 8, context) for context in (0, 100, 5000, 50_000)]
    assert by_batch == sorted(by_batch)
    assert by_context == sorted(by_context)


@pytest.mark.parametrize("constants", [IDEAL, REAL], ids=["ideal", "real"])
def test_more_bandwidth_is_never_slower(constants: ServingConstants) -> None:
    steps = [
        inference.decode_step_s(rates(deployment(gpu=replace(A100_80, mem_bw_gb_s=speed)), constants), 8, 1000)
        for speed in (500, 1000, 2039, 8000)
    ]
    assert steps == sorted(steps, reverse=True)


def test_tensor_parallelism_speeds_up_a_large_model_and_never_ideally() -> None:
    steps = [
        inference.decode_step_s(rates(deployment(model=LLAMA_70B, tensor_parallel=size), REAL), 8, 1000)
        for size in (1, 2, 4, 8)
    ]
    assert steps == sorted(steps, reverse=True)
    assert steps[0] / steps[-1] < 8
