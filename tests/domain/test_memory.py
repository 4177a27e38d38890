"""Memory line by line against published figures: blocks, fractions of engines, parallel division, training."""

from dataclasses import replace

import pytest

from calculator.domain import memory
from calculator.domain.calibration import Engine
from calculator.domain.llm import lora_params
from calculator.domain.memory import Line, Sharding, TrainingMemory
from calculator.domain.precision import PRECISIONS, model_weight_bytes
from calculator.domain.units import GIB

from .serving_factories import (
    A100_40,
    A100_80,
    DEEPSEEK,
    H100,
    IDEAL,
    LLAMA_70B,
    MISTRAL,
    MIXTRAL,
    PROCESS,
    T4,
    deployment,
)

OVERHEAD = 4.95 * GIB
LOADED = replace(IDEAL, runtime_bytes=OVERHEAD)


def test_pitfall_1_the_cache_counts_kv_heads() -> None:
    assert memory.kv_bytes_a_gpu(deployment(), 8192) == 131_072 * 8192
    assert memory.kv_bytes_a_gpu(deployment(model=LLAMA_70B), 16) == 327_680 * 16


def test_pitfall_3_the_latent_cache_of_deepseek_is_70_272_bytes_a_token_on_every_gpu() -> None:
    for size in (1, 8):
        assert memory.kv_bytes_a_gpu(deployment(model=DEEPSEEK, tensor_parallel=size), 1600) == 70_272 * 1600


def test_pitfall_4_5_windows_bind_only_layers_of_a_known_pattern() -> None:
    half = replace(MISTRAL, sliding_window=1024, sliding_pattern="every other layer local")
    unknown = replace(MISTRAL, sliding_window=1024, sliding_pattern="")
    whole = memory.kv_bytes_a_gpu(deployment(), 4096)
    assert memory.kv_bytes_a_gpu(deployment(model=half), 4096) == whole * (16 * 4096 + 16 * 1024) / (32 * 4096)
    assert memory.kv_bytes_a_gpu(deployment(model=unknown), 4096) == whole


@pytest.mark.parametrize(("kv", "tokens"), [(2.0, 143_766), (1.0, 287_532)])
def test_pitfall_6_the_cache_has_its_own_precision(kv: float, tokens: int) -> None:
    budget = memory.kv_budget_bytes(deployment(gpu=A100_40, kv=kv), LOADED, Engine.VLLM)
    assert budget / (131_072 / 2 * kv) == pytest.approx(tokens, rel=2e-5)


def test_pitfall_7_tensor_parallelism_divides_layers_and_stops_at_the_kv_heads() -> None:
    one, four = deployment(model=LLAMA_70B), deployment(model=LLAMA_70B, tensor_parallel=4)
    assert memory.weight_bytes_a_gpu(four) == memory.weight_bytes_a_gpu(one) / 4
    assert memory.kv_bytes_a_gpu(deployment(tensor_parallel=16), 16) == 131_072 * 16 / 8


def test_pitfall_7_experts_divide_over_attention_groups_and_dense_layers_do_not() -> None:
    tensor = memory.weight_bytes_a_gpu(deployment(model=MIXTRAL, tensor_parallel=4))
    attention = memory.weight_bytes_a_gpu(deployment(model=MIXTRAL, attention_parallel=4))
    assert tensor == pytest.approx(46_702_792_704 * 2 / 4)
    dense = 46_702_792_704 - (46_702_792_704 - 12_879_925_248) * 8 / 6
    assert attention == pytest.approx(2 * (dense + (46_702_792_704 - dense) / 4))


@pytest.mark.parametrize(
    ("tensor", "pipeline", "faults"),
    [
        (1, 1, ()),
        (8, 1, ()),
        (16, 1, ()),
        (3, 1, ("heads", "kv_heads", "vocabulary")),
        (12, 1, ("heads", "kv_heads", "vocabulary")),
        (2, 33, ("layers",)),
    ],
)
def test_pitfall_7_a_division_must_fit_heads_kv_heads_vocabulary_and_layers(
    tensor: int, pipeline: int, faults: tuple[str, ...]
) -> None:
    assert memory.parallel_faults(MISTRAL, tensor, pipeline) == faults


def test_pitfall_8_all_experts_are_held() -> None:
    assert memory.weight_bytes_a_gpu(deployment(model=MIXTRAL)) / GIB == pytest.approx(87.0, abs=0.05)


def test_pitfall_10_tied_embeddings_are_held_once() -> None:
    tied = replace(MISTRAL, tied_embeddings=True, params_total=MISTRAL.params_total - 32_768 * 4096)
    difference = model_weight_bytes(MISTRAL, PRECISIONS["fp16"]) - model_weight_bytes(tied, PRECISIONS["fp16"])
    assert difference == 32_768 * 4096 * 2


def test_pitfall_11_four_bits_count_scales_and_keep_embeddings_at_sixteen() -> None:
    held = model_weight_bytes(MISTRAL, PRECISIONS["awq-int4"])
    assert held == 6_979_588_096 * 4.5 / 8 + 2 * 32_768 * 4096 * 2


def test_pitfall_14_the_fraction_is_of_the_total_for_vllm_and_of_the_free_for_tensorrt_llm() -> None:
    total, weights = 81_920 * 2**20, 7_248_023_552 * 2
    vllm = memory.kv_budget_bytes(deployment(), IDEAL, Engine.VLLM)
    tensorrt = memory.kv_budget_bytes(deployment(), IDEAL, Engine.TENSORRT_LLM)
    assert vllm == pytest.approx(total * 0.9 - weights)
    assert tensorrt == pytest.approx((total - weights) * 0.9)


@pytest.mark.parametrize(("prompt", "output", "requests"), [(8192, 0, 17.55), (1152, 0, 124.8), (1024, 256, 124.8)])
def test_pitfall_15_capacity_follows_the_mean_live_context(prompt: int, output: int, requests: float) -> None:
    room = memory.room_sequences(deployment(gpu=A100_40), LOADED, Engine.VLLM, prompt, output)
    assert room == pytest.approx(requests, abs=0.05)


def test_tensorrt_llm_reserves_the_whole_output() -> None:
    reserving = replace(LOADED, live_output_ratio=1.0)
    assert memory.live_tokens(1000, 500, reserving) == 1500
    assert memory.live_tokens(1000, 500, LOADED) == 1250


def test_pitfall_16_a_cache_without_room_means_that_the_model_does_not_fit() -> None:
    t4 = deployment(gpu=T4)
    assert memory.kv_budget_bytes(t4, IDEAL, Engine.VLLM) < 0
    assert memory.room_sequences(t4, IDEAL, Engine.VLLM, 512, 128) == 0
    estimate = memory.serving_memory(t4, IDEAL, Engine.VLLM, 512, 1)
    assert (estimate.fits, estimate.failing) == (False, Line.WEIGHTS)


def test_pitfall_12_16_the_failing_line_is_the_first_that_no_longer_fits() -> None:
    heavy = replace(IDEAL, runtime_bytes=60 * GIB)
    assert memory.serving_memory(deployment(), heavy, Engine.VLLM, 512, 1).failing is Line.RUNTIME
    assert memory.serving_memory(deployment(), LOADED, Engine.VLLM, 8192, 70).failing is Line.KV_CACHE
    fitting = memory.serving_memory(deployment(), LOADED, Engine.VLLM, 8192, 10)
    assert fitting.failing is None
    assert fitting.needed_bytes == pytest.approx(7_248_023_552 * 2 + OVERHEAD + 10 * GIB)


def test_weights_beyond_the_card_leave_tensorrt_llm_nothing() -> None:
    assert memory.room_sequences(deployment(model=LLAMA_70B), IDEAL, Engine.TENSORRT_LLM, 512, 128) == 0


def test_pitfall_17_a_sequence_takes_whole_blocks() -> None:
    assert memory.paged_tokens(15_049, 128) / 128 == 118
    assert memory.kv_bytes_a_gpu(deployment(), 17) == 131_072 * 32


def test_attention_groups_add_up_their_rooms() -> None:
    one = memory.room_sequences(deployment(model=MIXTRAL, gpu=H100, tensor_parallel=8), IDEAL, Engine.VLLM, 1024, 0)
    groups = memory.room_sequences(
        deployment(model=DEEPSEEK, gpu=H100, precision="nvfp4", attention_parallel=8), IDEAL, Engine.VLLM, 1024, 0
    )
    assert one > 0
    assert groups % 1 >= 0


@pytest.mark.parametrize("sizes", [(1, 2, 4, 8)])
def test_more_gpus_never_leave_less_room(sizes: tuple[int, ...]) -> None:
    rooms = [
        memory.room_sequences(deployment(model=LLAMA_70B, tensor_parallel=n), LOADED, Engine.VLLM, 2048, 256)
        for n in sizes
    ]
    assert rooms == sorted(rooms)


def job(**more: object) -> TrainingMemory:
    plain = TrainingMemory(MISTRAL, model_weight_bytes(MISTRAL, PRECISIONS["bf16"]), MISTRAL.params_total, 0, 0, False)
    return replace(plain, **more)  # type: ignore[arg-type]


def sizes(of: TrainingMemory) -> dict[Line, float]:
    return dict(memory.training_memory(of, 80 * GIB, PROCESS).lines)


def test_pitfall_41_full_training_takes_sixteen_bytes_a_parameter() -> None:
    estimate = memory.training_memory(job(), 80 * GIB, PROCESS)
    assert estimate.needed_bytes == pytest.approx(16 * MISTRAL.params_total)
    assert estimate.failing is Line.OPTIMIZER


def test_pitfall_39_41_adapters_take_0_67_gb_of_states_not_116() -> None:
    adapters = lora_params(MISTRAL, 16, ["q", "k", "v", "o", "gate", "up", "down"])
    base = model_weight_bytes(MISTRAL, PRECISIONS["nf4"])
    lines = sizes(job(base_bytes=base, trained_params=adapters, adapter_params=adapters))
    states = lines[Line.ADAPTERS] + lines[Line.GRADIENTS] + lines[Line.OPTIMIZER]
    assert states / 1e9 == pytest.approx(0.67, abs=0.005)
    assert lines[Line.WEIGHTS] == base


@pytest.mark.parametrize(
    ("stage", "divided"),
    [
        (Sharding.NONE, set()),
        (Sharding.OPTIMIZER, {Line.OPTIMIZER}),
        (Sharding.GRADIENTS, {Line.OPTIMIZER, Line.GRADIENTS}),
        (Sharding.WEIGHTS, {Line.OPTIMIZER, Line.GRADIENTS, Line.WEIGHTS}),
    ],
)
def test_each_zero_stage_divides_one_thing_more(stage: Sharding, divided: set[Line]) -> None:
    whole, shared = sizes(job()), sizes(job(sharding=stage, shards=8))
    assert {line for line in whole if whole[line] and shared[line] == whole[line] / 8} == divided


def test_recomputation_keeps_one_layer_and_every_input() -> None:
    tokens = 8 * 512
    layer = tokens * 4096 * 2
    kept = memory.activation_bytes(MISTRAL, tokens, True, PROCESS)
    assert memory.activation_bytes(MISTRAL, tokens, False, PROCESS) == 32 * layer * 34
    assert kept == 32 * layer + 34 * layer


def test_logits_grow_with_the_vocabulary() -> None:
    assert sizes(job(tokens=4096))[Line.LOGITS] == 4096 * 32_768 * 8


def test_a_70b_on_an_80_gb_card_fails_by_its_weights_when_trained_whole() -> None:
    large = replace(
        job(), model=LLAMA_70B, base_bytes=LLAMA_70B.params_total * 2, trained_params=LLAMA_70B.params_total
    )
    assert memory.training_memory(large, 80 * GIB, PROCESS).failing is Line.WEIGHTS


def test_generation_holds_weights_cache_and_the_prompts_activations() -> None:
    estimate = memory.generation_memory(MISTRAL, 10e9, 2e9, 100, 24e9, PROCESS)
    assert estimate.needed_bytes == 12e9 + 100 * 4096 * 2 * 8
    assert estimate.fits


def test_usable_memory_is_the_drivers_mebibytes_times_the_fraction() -> None:
    assert memory.usable_serving_bytes(deployment(gpu=A100_80), IDEAL, Engine.VLLM) / GIB == pytest.approx(72.0)
