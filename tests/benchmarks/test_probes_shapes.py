"""A decoder's sizes and what they mean for memory and arithmetic, against published numbers and sums by hand."""

import json
from pathlib import Path

import pytest

from benchmarks.probes import shapes
from benchmarks.probes.arithmetic import Shape
from benchmarks.probes.shapes import PRESETS, Config, ConfigError

MISTRAL = PRESETS["mistral-7b"]
SMALL = Config("small", layers=2, hidden=8, heads=2, kv_heads=1, head_dim=4, intermediate=16, vocab=10)
MISTRAL_CONFIG = {
    "hidden_size": 4096,
    "intermediate_size": 14_336,
    "num_attention_heads": 32,
    "num_hidden_layers": 32,
    "num_key_value_heads": 8,
    "vocab_size": 32_768,
}


def test_the_parameters_of_a_small_model_add_up_by_hand() -> None:
    """A layer: 8 × (8 + 4 + 4) for q, k, v, 8 × 8 for the output, 3 × 8 × 16 for the MLP; the head 8 × 10."""
    assert SMALL.layer_params == 8 * 16 + 64 + 384
    assert SMALL.multiplied_params == 2 * 576 + 80
    assert SMALL.total_params == 1232 + 80 + 5 * 8


def test_mistral_7b_has_its_published_parameters() -> None:
    """7.248 G with the embedding of v0.3's 32,768 words."""
    assert MISTRAL.total_params == 7_248_023_552


def test_mistral_7b_keeps_131_072_bytes_a_token() -> None:
    assert MISTRAL.kv_bytes_a_token(2) == 131_072


def test_rank_16_trains_the_published_number_of_parameters() -> None:
    assert MISTRAL.adapter_params(16) == 41_943_040


def test_a_decode_step_reads_weights_once_and_every_cache() -> None:
    """2 bytes × 1,232 weights + 3 sequences × 5 tokens × 2 × 2 layers × 4 × 2 bytes."""
    assert SMALL.decode_bytes(3, 5, 2) == 2464 + 3 * 5 * 32


def test_a_prompt_takes_two_operations_a_weight_and_the_causal_half_of_attention() -> None:
    """2 × 2 × 576 × 10 + 2 × 2 × 100 × 8 + 2 × 80, for each of two prompts."""
    assert SMALL.prefill_flop(2, 10) == 2 * (23_040 + 3_200 + 160)


def test_a_config_json_gives_the_same_sizes_as_the_preset(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(MISTRAL_CONFIG))
    found = shapes.read(str(path))
    assert (found.total_params, found.head_dim) == (MISTRAL.total_params, 128)
    assert shapes.read(json.dumps(MISTRAL_CONFIG)) == found


def test_without_grouped_heads_every_head_has_its_own_keys() -> None:
    lacking = {key: value for key, value in MISTRAL_CONFIG.items() if key != "num_key_value_heads"}
    assert shapes.from_mapping(lacking).kv_heads == 32


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"hidden_size": None}, "hidden_size"),
        ({"hidden_size": 0}, "hidden_size"),
        ({"hidden_size": True}, "hidden_size"),
        ({"vocab_size": "many"}, "vocab_size"),
        ({"num_key_value_heads": 5}, "multiple"),
        ({"head_dim": 7}, "even"),
        ({"num_local_experts": 8}, "mixture of experts"),
        ({"n_routed_experts": 64}, "mixture of experts"),
    ],
)
def test_a_config_that_cannot_be_probed_says_why(change: dict[str, object], word: str) -> None:
    with pytest.raises(ConfigError, match=word):
        shapes.from_mapping({**MISTRAL_CONFIG, **change})


@pytest.mark.parametrize("text", ["no-such-preset", "{", "[]", '{"a": '])
def test_text_that_is_no_config_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        shapes.read(text)


SHAPE = Shape(parameters=1000, layers=2, heads=2, head_width=4, sequence_tokens=5)


def test_full_training_takes_six_operations_a_weight_and_attention_whole() -> None:
    """6 × 1,000 + 12 × 2 × 2 × 4 × 5 = 6,960."""
    found = SHAPE.training_flop(frozen_base=False, recomputed=False)
    assert (found.weights, found.model, found.hardware) == (6000, 6960, 6960)


def test_recomputation_counts_for_the_hardware_alone() -> None:
    """One more forward pass: 2 × 1,000 + 960 ÷ 3; four thirds of 6,960 in all."""
    found = SHAPE.training_flop(frozen_base=False, recomputed=True)
    assert found.model == 6960
    assert found.hardware == pytest.approx(6960 + 2320)
    assert found.hardware == pytest.approx(6960 * 4 / 3)


def test_a_frozen_base_takes_four_and_its_adapters_six() -> None:
    """4 × 1,000 + 6 × 10, not 6 × 1,000."""
    found = SHAPE.training_flop(frozen_base=True, recomputed=False, adapter_parameters=10)
    assert (found.weights, found.model) == (4060, 5020)
