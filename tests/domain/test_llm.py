"""Model arithmetic: KV heads not heads, latent once, windows where the pattern is known, weights by their bits."""

from dataclasses import replace

import pytest

from calculator.domain import llm
from calculator.domain.llm import MISTRAL_7B
from calculator.domain.units import GIB

QWEN3_32B = replace(
    MISTRAL_7B, name="Qwen3-32B", layers=64, hidden=5120, heads=64, kv_heads=8, head_dim=128, intermediate=25_600
)
DEEPSEEK_V3 = replace(
    MISTRAL_7B,
    name="DeepSeek-V3",
    layers=61,
    heads=128,
    kv_heads=128,
    head_dim=192,
    attention="MLA",
    kv_lora_rank=512,
    qk_rope_head_dim=64,
)
GEMMA_3_27B = replace(
    MISTRAL_7B,
    name="Gemma-3-27B",
    layers=62,
    heads=32,
    kv_heads=16,
    head_dim=128,
    sliding_window=1024,
    sliding_pattern="5 local : 1 global",
)
GPT_OSS_120B = replace(
    MISTRAL_7B,
    name="gpt-oss-120b",
    layers=36,
    heads=64,
    kv_heads=8,
    head_dim=64,
    sliding_window=128,
    sliding_pattern="every other layer local",
    n_experts=128,
)


def test_pitfall_1_the_cache_counts_kv_heads() -> None:
    """131 072 bytes a token in 16 bits; with the 32 attention heads it would be four times that."""
    assert llm.kv_bytes_per_token(MISTRAL_7B, 2) == 131_072


def test_pitfall_2_the_head_dimension_is_read_not_divided() -> None:
    """Qwen3-32B: 262 144; 5120 ÷ 64 heads would give 163 840."""
    assert llm.kv_bytes_per_token(QWEN3_32B, 2) == 262_144


def test_pitfall_3_latent_attention_is_held_once() -> None:
    """DeepSeek-V3: (512 + 64) × 2 × 61 = 70 272 bytes."""
    assert llm.kv_bytes_per_token(DEEPSEEK_V3, 2) == 70_272


def test_latent_attention_without_its_sizes_is_refused() -> None:
    with pytest.raises(ValueError, match="kv_lora_rank"):
        llm.kv_bytes_per_token(replace(DEEPSEEK_V3, kv_lora_rank=None), 2)


def test_pitfall_4_local_layers_keep_their_window_only() -> None:
    """Gemma-3-27B at 32 k: 10 global layers and 52 of 1 024 tokens make 2.91 GiB, not 15.5."""
    assert llm.kv_bytes(GEMMA_3_27B, 32_768, 2) / GIB == pytest.approx(2.91, abs=0.005)
    assert llm.kv_bytes_per_token(GEMMA_3_27B, 2) * 32_768 / GIB == pytest.approx(15.5, abs=0.01)


def test_pitfall_4_every_other_layer_local_halves_a_long_cache() -> None:
    """gpt-oss-120b in fp8 at 65 536 tokens: 18 × (65 536 + 128) × 1 024 bytes."""
    assert llm.kv_bytes(GPT_OSS_120B, 65_536, 1) == 18 * (65_536 + 128) * 1_024


def test_a_context_shorter_than_the_window_is_whole_everywhere() -> None:
    assert llm.kv_bytes(GEMMA_3_27B, 512, 2) == 512 * llm.kv_bytes_per_token(GEMMA_3_27B, 2)


def test_pitfall_5_a_window_of_unknown_pattern_is_not_applied() -> None:
    unknown = replace(GEMMA_3_27B, sliding_pattern="")
    assert llm.local_layers(unknown) == 0
    assert llm.kv_bytes(unknown, 32_768, 2) == 32_768 * llm.kv_bytes_per_token(unknown, 2)


@pytest.mark.parametrize(
    ("pattern", "layers", "local"),
    [
        ("all layers", 32, 32),
        ("every other layer local", 26, 13),
        ("5 local : 1 global", 62, 52),
        ("5 local : 1 global", 26, 22),
        ("chunked attention on 3 of 4 layers", 48, 36),
    ],
)
def test_patterns_of_published_models(pattern: str, layers: int, local: int) -> None:
    model = replace(MISTRAL_7B, layers=layers, sliding_window=4096, sliding_pattern=pattern)
    assert llm.local_layers(model) == local


def test_a_pattern_without_a_window_binds_nothing() -> None:
    assert llm.local_layers(replace(MISTRAL_7B, sliding_pattern="all layers")) == 0


def test_pitfall_6_the_cache_has_its_own_precision() -> None:
    assert llm.kv_bytes_per_token(MISTRAL_7B, 2) == 2 * llm.kv_bytes_per_token(MISTRAL_7B, 1)


def test_pitfall_8_experts_are_held_in_full_and_read_in_part() -> None:
    """Mixtral 8×7B: 46.7 G parameters held (87 GiB in 16 bits), 12.9 G read."""
    mixtral = replace(
        MISTRAL_7B, params_total=46_702_792_704, params_active=12_879_925_248, params_non_embedding=46_440_648_704
    )
    assert llm.weight_bytes(mixtral, 16, 16) / GIB == pytest.approx(87.0, abs=0.05)
    assert llm.weight_bytes(mixtral, 16, 16) / llm.read_bytes_per_token(mixtral, 16) == pytest.approx(3.6, abs=0.03)


def test_pitfall_11_four_bits_are_four_and_a_half_and_embeddings_stay_at_sixteen() -> None:
    """6.98 G × 4.5 bits + 0.262 G × 16 bits = 3.926 + 0.524 GB."""
    assert llm.weight_bytes(MISTRAL_7B, 4.5, 16) / 1e9 == pytest.approx(4.450, abs=0.001)


@pytest.mark.parametrize(
    ("targets", "count"),
    [(["q", "v"], 32 * 16 * (8192 + 5120)), (["o"], 32 * 16 * 8192), (["down"], 32 * 16 * 18_432), ([], 0)],
)
def test_adapters_count_the_sides_of_their_matrices(targets: list[str], count: int) -> None:
    assert llm.lora_params(MISTRAL_7B, 16, targets) == count


def test_adapters_on_a_matrix_that_is_not_there_are_refused() -> None:
    with pytest.raises(ValueError, match="gate"):
        llm.lora_params(replace(MISTRAL_7B, gated_mlp=False), 16, ["q", "gate"])


@pytest.mark.parametrize("model", [DEEPSEEK_V3, GPT_OSS_120B])
def test_adapters_on_other_shapes_are_refused(model: llm.LanguageModel) -> None:
    with pytest.raises(ValueError, match="not modelled"):
        llm.lora_params(model, 16, ["q"])


def test_pitfall_23_attention_is_nearly_a_quarter_of_a_long_prompt() -> None:
    """Mistral, 8 192 tokens, whole matrix: 4·L·T²·d is 23 % of the total."""
    total = llm.prefill_flop(7.2416e9, 32, 4096, 8192)
    assert 1 - 2 * 7.2416e9 * 8192 / total == pytest.approx(0.23, abs=0.005)


def test_a_filled_context_slows_the_bound() -> None:
    empty = llm.decode_bound_tok_per_s(14.4832e9, 0, 1008e9)
    filled = llm.decode_bound_tok_per_s(14.4832e9, 8192 * 131_072, 1008e9)
    assert filled == pytest.approx(empty / (1 + 8192 * 131_072 / 14.4832e9))
