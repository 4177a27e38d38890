"""Parameter totals counted from a config.json are the published ones, for every model of the catalogue."""

import datetime as dt
import json
from dataclasses import replace

import pytest

from calculator import modelconfig
from calculator.domain.llm import kv_bytes_per_token, local_layers
from calculator.domain.serving_scenario import InferenceScenario, own_model
from calculator.modelconfig.families import FAMILIES
from tests.calculator import configfactory as make

NAMES = tuple(make.CATALOGUE)
COUNTS = ("params_total", "params_active", "params_non_embedding")
SHAPE = (
    "layers",
    "hidden",
    "heads",
    "kv_heads",
    "head_dim",
    "intermediate",
    "vocab",
    "attention",
    "n_experts",
    "experts_top_k",
    "kv_lora_rank",
    "qk_rope_head_dim",
    "max_context",
    "tied_embeddings",
    "gated_mlp",
)
SCENARIO = InferenceScenario(1, dt.datetime(2026, 11, 30, tzinfo=dt.UTC))
CARRIED = (
    *COUNTS,
    *(field for field in SHAPE if field not in {"attention", "gated_mlp"}),
    "name",
    "sliding_window",
    "sliding_pattern",
)
"""What the estimates read; a gate in the MLP only matters to adapters."""
EXACT = {
    "Llama-2-7B": 6_738_415_616,
    "Llama-2-70B": 68_976_648_192,
    "Llama-3-8B": 8_030_261_248,
    "Llama-3.1-405B": 405_853_388_800,
    "Llama-3.2-1B": 1_235_814_400,
    "Mistral-7B": 7_241_732_096,
    "Mixtral-8x7B": 46_702_792_704,
    "Mixtral-8x22B": 140_630_071_296,
    "Mistral-Nemo-12B": 12_247_782_400,
    "Qwen2.5-0.5B": 494_032_768,
    "Qwen2.5-7B": 7_615_616_512,
    "Qwen2.5-72B": 72_706_203_648,
    "Qwen3-0.6B": 596_049_920,
    "Qwen3-8B": 8_190_735_360,
    "Qwen3-30B-A3B": 30_532_122_624,
    "Gemma-2B": 2_506_172_416,
    "Gemma-7B": 8_537_680_896,
    "Gemma-2-2B": 2_614_341_888,
    "Gemma-2-9B": 9_241_705_984,
    "Gemma-2-27B": 27_227_128_320,
    "Gemma-3-1B": 999_885_952,
    "Phi-2": 2_779_683_840,
    "Phi-3-mini": 3_821_079_552,
    "Phi-4": 14_659_507_200,
    "Falcon-7B": 6_921_720_704,
    "Falcon-40B": 41_303_293_952,
    "TinyLlama-1.1B": 1_100_048_384,
    "gpt-oss-20b": 20_914_757_184,
    "gpt-oss-120b": 116_829_156_672,
    "DeepSeek-V2-Lite": 15_706_484_224,
    "DeepSeek-V2": 235_741_434_880,
    "DeepSeek-V3": 671_026_419_200,
}
"""Sums over the tensors of the published weights, extra prediction heads left out."""


@pytest.mark.parametrize("name", NAMES)
def test_counts_are_within_half_a_percent_of_the_catalogue(name: str) -> None:
    model, row = modelconfig.read(make.text(name)), make.CATALOGUE[name]
    for field in COUNTS:
        assert getattr(model, field) == pytest.approx(row[field], rel=0.005), field


@pytest.mark.parametrize("name", NAMES)
def test_dimensions_are_taken_as_stated(name: str) -> None:
    model, row = modelconfig.read(make.text(name)), make.CATALOGUE[name]
    assert {field: getattr(model, field) or None for field in SHAPE} == {field: row[field] or None for field in SHAPE}


@pytest.mark.parametrize("name", NAMES)
def test_the_cache_has_the_catalogue_s_size_and_the_same_local_layers(name: str) -> None:
    model, row = modelconfig.read(make.text(name)), make.CATALOGUE[name]
    assert kv_bytes_per_token(model, 2) == row["kv_bytes_per_token_16bit"]
    assert model.sliding_pattern == row["sliding_pattern"]
    assert bool(local_layers(model)) == bool(row["sliding_pattern"])


@pytest.mark.parametrize("name", NAMES)
def test_typed_into_a_scenario_it_is_the_same_model(name: str) -> None:
    model = modelconfig.read(make.text(name), "Ours")
    again = own_model(replace(SCENARIO, **modelconfig.typed(model)))
    assert {field: getattr(again, field) for field in CARRIED} == {field: getattr(model, field) for field in CARRIED}
    assert (again.attention == "MLA", local_layers(again)) == (model.attention == "MLA", local_layers(model))


def test_nothing_remains_of_a_model_typed_before() -> None:
    before = modelconfig.typed(modelconfig.read(make.text("DeepSeek-V3")))
    after = replace(replace(SCENARIO, **before), **modelconfig.typed(modelconfig.read(make.text("Llama-3-8B"))))
    assert (after.experts, after.latent_rank, after.active_params, after.window) == (None, None, None, None)


@pytest.mark.parametrize("name", EXACT)
def test_the_total_is_exactly_the_published_one(name: str) -> None:
    assert modelconfig.read(make.text(name)).params_total == EXACT[name]


def test_every_family_is_covered_by_a_model_or_named_here() -> None:
    assert {make.family(name) for name in NAMES} | {"qwen2_moe"} == FAMILIES.keys()


def test_qwen1_5_moe_has_a_shared_expert_with_a_gate() -> None:
    text = json.dumps(
        {
            "model_type": "qwen2_moe",
            "hidden_size": 2048,
            "num_hidden_layers": 24,
            "num_attention_heads": 16,
            "num_key_value_heads": 16,
            "intermediate_size": 5632,
            "moe_intermediate_size": 1408,
            "shared_expert_intermediate_size": 5632,
            "num_experts": 60,
            "num_experts_per_tok": 4,
            "vocab_size": 151_936,
            "max_position_embeddings": 8192,
            "use_sliding_window": False,
            "tie_word_embeddings": False,
        }
    )
    assert modelconfig.read(text).params_total == 14_315_784_192


def test_layers_named_as_dense_have_no_experts() -> None:
    every = modelconfig.read(make.text("Qwen3-30B-A3B"))
    some = modelconfig.read(make.text("Qwen3-30B-A3B", mlp_only_layers=[0, 1]))
    experts, dense, router = 128 * 3 * 2048 * 768, 3 * 2048 * 6144, 2048 * 128
    assert every.params_total - some.params_total == 2 * (experts + router - dense)
    half = modelconfig.read(make.text("Qwen3-30B-A3B", decoder_sparse_step=2))
    assert every.params_total - half.params_total == 24 * (experts + router - dense)


def test_a_deepseek_without_routed_experts_is_dense() -> None:
    model = modelconfig.read(make.text("DeepSeek-V2-Lite", n_routed_experts=None, n_shared_experts=None))
    assert model.n_experts is None
    assert model.params_active == model.params_total


def test_extra_prediction_layers_are_not_counted() -> None:
    assert modelconfig.read(make.text("DeepSeek-V3", num_nextn_predict_layers=1)).params_total == EXACT["DeepSeek-V3"]


def test_a_bias_that_the_configuration_states_is_counted() -> None:
    plain, biased = (modelconfig.read(make.text("Llama-3-8B", attention_bias=flag)) for flag in (False, True))
    assert biased.params_total - plain.params_total == 32 * (4096 + 2 * 1024 + 4096)
    inner = modelconfig.read(make.text("Llama-3-8B", mlp_bias=True))
    assert inner.params_total - plain.params_total == 32 * (2 * 14_336 + 4096)


def test_kv_heads_that_are_not_stated_are_all_heads() -> None:
    assert modelconfig.read(make.text("Llama-2-7B", num_key_value_heads=None)).attention == "MHA"


def test_falcon_layers_that_are_not_parallel_have_two_norms() -> None:
    parallel, serial = (modelconfig.read(make.text("Falcon-7B", parallel_attn=flag)) for flag in (True, False))
    assert serial.params_total - parallel.params_total == 32 * 2 * 4544
    assert modelconfig.read(make.text("Falcon-7B", multi_query=False)).attention == "MHA"


def test_the_language_part_of_a_multimodal_model_is_read() -> None:
    part = make.config("Gemma-3-4B") | {"vocab_size": 262_208}
    text = json.dumps({"model_type": "gemma3", "text_config": part, "vision_config": {"hidden_size": 1152}})
    assert modelconfig.read(text).params_total == 3_880_263_168


def test_gemma_3_leaves_its_usual_dimensions_out() -> None:
    part = {
        "model_type": "gemma3_text",
        "hidden_size": 2560,
        "intermediate_size": 10_240,
        "num_hidden_layers": 34,
        "sliding_window": 1024,
    }
    model = modelconfig.read(json.dumps({"model_type": "gemma3", "text_config": part}))
    assert (model.heads, model.kv_heads, model.head_dim, model.vocab) == (8, 4, 256, 262_208)
    assert (model.sliding_window, model.sliding_pattern) == (1024, "5 local : 1 global")


@pytest.mark.parametrize(
    ("name", "changes", "expected"),
    [
        ("Mistral-7B", {}, (4096, "all layers")),
        ("Mistral-7B", {"sliding_window": None}, (None, "")),
        ("Mistral-7B", {"sliding_window": 32_768}, (None, "")),
        ("Qwen2.5-7B", {"sliding_window": 4096, "use_sliding_window": False}, (None, "")),
        (
            "Qwen2.5-7B",
            {"sliding_window": 4096, "use_sliding_window": True, "max_window_layers": 0},
            (4096, "all layers"),
        ),
        ("Qwen2.5-7B", {"sliding_window": 4096, "use_sliding_window": True, "max_window_layers": 28}, (None, "")),
        ("Qwen2.5-7B", {"sliding_window": 4096, "use_sliding_window": True, "max_window_layers": 20}, (4096, "")),
        ("Gemma-3-1B", {"sliding_window_pattern": 6}, (512, "5 local : 1 global")),
        ("Gemma-3-1B", {"sliding_window_pattern": 4}, (512, "")),
        ("Gemma-2-9B", {"layer_types": ["full_attention"] * 42}, (None, "")),
        ("Gemma-2-9B", {"layer_types": ["sliding_attention"] * 42}, (4096, "all layers")),
        ("Gemma-2-9B", {"layer_types": ["sliding_attention"] * 5 + ["full_attention"] * 37}, (4096, "")),
        ("gpt-oss-20b", {}, (128, "every other layer local")),
        ("Llama-4-Scout", {}, (8192, "chunked attention on 3 of 4 layers")),
    ],
)
def test_windows_are_applied_only_where_their_layers_are_known(name: str, changes, expected) -> None:
    model = modelconfig.read(make.text(name, **changes))
    assert (model.sliding_window, model.sliding_pattern) == expected


@pytest.mark.parametrize(
    ("stored", "code"),
    [
        ({"quant_method": "fp8", "activation_scheme": "dynamic"}, "fp8"),
        ({"quant_method": "awq", "bits": 4, "group_size": 128}, "awq-int4"),
        ({"quant_method": "gptq", "bits": 8}, "gptq-int8"),
        ({"quant_method": "gptq", "bits": 4}, "gptq-int4"),
        ({"quant_method": "mxfp4"}, "mxfp4"),
        ({"quant_method": "modelopt", "quant_algo": "NVFP4"}, "nvfp4"),
        ({"quant_method": "bitsandbytes", "load_in_8bit": True}, "bnb-int8"),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True}, "nf4"),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_use_double_quant": True}, "nf4-dq"),
        ({"quant_method": "compressed-tensors", "format": "nvfp4-pack-quantized", "config_groups": {}}, "nvfp4"),
        (
            {
                "quant_method": "compressed-tensors",
                "config_groups": {"group_0": {"weights": {"num_bits": 8, "type": "float"}, "input_activations": {}}},
            },
            "fp8",
        ),
        (
            {
                "quant_method": "compressed-tensors",
                "config_groups": {"group_0": {"weights": {"num_bits": 4, "type": "int"}, "input_activations": None}},
            },
            "gptq-int4",
        ),
    ],
)
def test_the_stored_format_is_one_of_our_precisions(stored, code: str) -> None:
    model = modelconfig.read(make.text("Llama-3-8B", quantization_config=stored))
    assert modelconfig.precision_code(model) == code


@pytest.mark.parametrize(
    ("keys", "code"),
    [
        ({"torch_dtype": "bfloat16"}, "bf16"),
        ({"torch_dtype": None, "dtype": "float16"}, "fp16"),
        ({"torch_dtype": "torch.float32"}, "fp32"),
        ({"torch_dtype": None}, None),
    ],
)
def test_without_quantisation_the_type_of_the_weights_is_the_precision(keys, code: str | None) -> None:
    assert modelconfig.precision_code(modelconfig.read(make.text("Llama-3-8B", **keys))) == code


def test_the_catalogue_s_words_for_a_stored_format_are_understood() -> None:
    stored = modelconfig.read(make.text("gpt-oss-20b", quantization_config={"quant_method": "mxfp4"}))
    assert modelconfig.precision_code(stored) == "mxfp4"


def test_the_visitor_s_name_goes_before_the_file_s() -> None:
    text = make.text("Llama-3-8B", _name_or_path="org/model")
    assert modelconfig.read(text, " Our  model ").name == "Our model"
    assert (modelconfig.read(text).name, modelconfig.read(text).hf_id) == ("org/model", "org/model")
    assert modelconfig.read(make.text("Llama-3-8B")).name == "llama"
    assert modelconfig.read(make.text("Llama-3-8B", _name_or_path="/data/x")).hf_id == ""
