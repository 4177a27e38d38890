"""A file that describes no model we count gives a coded reason, whatever it holds."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculator import modelconfig
from calculator.modelconfig import ModelConfigError
from calculator.modelconfig.families import ENCODER_DECODER, ENCODER_ONLY, STATE_SPACE
from tests.calculator import configfactory as make

BASE = "Llama-3-8B"
KEYS = tuple(make.config(BASE))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)


def refused(text: str | bytes) -> ModelConfigError:
    with pytest.raises(ModelConfigError) as caught:
        modelconfig.read(text)
    return caught.value


def code_of(changes: dict[str, Any], name: str = BASE) -> str:
    return refused(make.text(name, **changes)).code


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"", "empty"),
        ("  \n", "empty"),
        (b"\xff\xfe{}", "not_utf8"),
        ("\ud800", "not_utf8"),
        ("{", "not_json"),
        ('{"model_type": "\\ud800"}', "half_character"),
        ('{"\\udfff": 1}', "half_character"),
        ('{"a": [{"b": "x\\ud83d"}]}', "half_character"),
        ("{'a': 1}", "not_json"),
        ("[]", "not_object"),
        ("3", "not_object"),
        ("null", "not_object"),
        ('{"a": NaN}', "number_not_finite"),
        ('{"a": -Infinity}', "number_not_finite"),
        ('{"a": 1e999}', "number_not_finite"),
        ('{"a": ' + "9" * 21 + "}", "number_too_long"),
        ('{"a": ' + "9" * 10_000 + "}", "number_too_long"),
        ('{"a": 1, "a": 2}', "duplicate_key"),
        ('{"a": ' + "[" * 40 + "]" * 40 + "}", "too_deep"),
        ("[" * 100_000, "too_deep"),
        ("{}", "architecture_missing"),
        ('{"model_type": 3}', "architecture_missing"),
        ('{"model_type": "llama", "text_config": 3}', "not_object_at"),
        (b" " * 1_000_001, "too_big"),
    ],
)
def test_a_text_that_is_no_configuration_gives_its_reason(text: str | bytes, code: str) -> None:
    assert refused(text).code == code


def test_brackets_inside_texts_are_not_depth() -> None:
    assert modelconfig.read(make.text(BASE, note="[" * 100 + '\\" {')).layers == 32


def test_a_byte_order_mark_is_allowed() -> None:
    assert modelconfig.read(b"\xef\xbb\xbf" + make.text(BASE).encode()).layers == 32


def test_where_the_json_breaks_is_said() -> None:
    error = refused('{\n"a": 1,\n"b" 2}')
    assert (error.values["line"], error.code) == ("3", "not_json")


@pytest.mark.parametrize("kind", sorted(STATE_SPACE))
def test_models_without_a_growing_cache_are_not_modelled(kind: str) -> None:
    assert code_of({"model_type": kind}) == "state_space"


@pytest.mark.parametrize("kind", sorted(ENCODER_DECODER | ENCODER_ONLY))
def test_encoders_are_not_modelled(kind: str) -> None:
    assert code_of({"model_type": kind}) in {"encoder_decoder", "encoder_only"}


def test_an_unknown_architecture_gives_no_answer_and_its_name() -> None:
    error = refused(make.text(BASE, model_type="brand_new"))
    assert (error.code, error.values["name"]) == ("architecture_unknown", "brand_new")


def test_the_multimodal_whole_is_refused_like_its_part() -> None:
    assert refused(json.dumps({"model_type": "whisper", "text_config": make.config(BASE)})).code == "encoder_decoder"
    assert refused(json.dumps({"model_type": "gemma3", "text_config": {"model_type": "mamba"}})).code == "state_space"


def test_a_model_that_does_not_generate_is_refused() -> None:
    assert code_of({"architectures": ["LlamaForSequenceClassification"]}) == "not_generative"
    assert modelconfig.read(make.text(BASE, architectures=["LlamaForCausalLM"])).layers == 32
    assert code_of({"is_encoder_decoder": True}) == "encoder_decoder"


@pytest.mark.parametrize(
    "key", ["hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "vocab_size"]
)
def test_a_missing_dimension_is_named_and_never_guessed(key: str) -> None:
    error = refused(make.text(BASE, **{key: None}))
    assert (error.code, error.field) == ("missing", key)


@pytest.mark.parametrize("value", ["4096", 4096.0, True, [4096], {}])
def test_a_dimension_that_is_no_whole_number_is_refused(value: Any) -> None:
    error = refused(make.text(BASE, hidden_size=value))
    assert (error.code, error.field) == ("not_whole", "hidden_size")


@pytest.mark.parametrize("value", [0, -1, -4096, 10**7, 10**18])
def test_a_dimension_out_of_every_reason_is_refused(value: int) -> None:
    assert code_of({"hidden_size": value}) == "out_of_range"


@pytest.mark.parametrize(
    ("name", "changes", "code"),
    [
        (BASE, {"num_attention_heads": 33, "num_key_value_heads": None}, "heads_do_not_divide"),
        (BASE, {"num_key_value_heads": 5}, "kv_heads_do_not_divide"),
        (BASE, {"num_key_value_heads": 64}, "kv_heads_do_not_divide"),
        (BASE, {"tie_word_embeddings": 1}, "not_true_or_false"),
        (BASE, {"tie_word_embeddings": "false"}, "not_true_or_false"),
        (BASE, {"torch_dtype": 3}, "not_text"),
        (BASE, {"torch_dtype": "int3"}, "dtype_unknown"),
        (BASE, {"quantization_config": "awq"}, "not_object_at"),
        (BASE, {"quantization_config": {"quant_method": "awq", "bits": 3}}, "quantisation_unknown"),
        (BASE, {"quantization_config": {"quant_method": "bitsandbytes"}}, "quantisation_unknown"),
        (BASE, {"quantization_config": {"quant_method": "compressed-tensors"}}, "quantisation_unknown"),
        (
            BASE,
            {"quantization_config": {"quant_method": "compressed-tensors", "config_groups": {"a": {"weights": 1}}}},
            "quantisation_unknown",
        ),
        (
            BASE,
            {"quantization_config": {"quant_method": "compressed-tensors", "config_groups": {"a": {"weights": {}}}}},
            "quantisation_unknown",
        ),
        (BASE, {"quantization_config": {}}, "quantisation_unknown"),
        (BASE, {"quantization_config": {"quant_method": ["fp8"]}}, "quantisation_unknown"),
        ("Mixtral-8x7B", {"num_experts_per_tok": 9}, "more_active_than_experts"),
        ("Mixtral-8x7B", {"num_experts_per_tok": None}, "missing"),
        ("Mixtral-8x7B", {"num_local_experts": None}, "missing"),
        ("DeepSeek-V3", {"kv_lora_rank": None}, "missing"),
        ("DeepSeek-V3", {"first_k_dense_replace": 62}, "dense_layers_beyond"),
        ("DeepSeek-V3", {"attention_bias": True}, "attention_unknown"),
        ("Qwen3-30B-A3B", {"mlp_only_layers": ["0"]}, "not_whole"),
        ("Qwen3-30B-A3B", {"mlp_only_layers": 3}, "not_list"),
        ("gpt-oss-20b", {"layer_types": ["full_attention"]}, "layer_types_length"),
        ("gpt-oss-20b", {"layer_types": ["linear_attention"] * 24}, "attention_unknown"),
        ("gpt-oss-20b", {"layer_types": [["full_attention"]] * 24}, "attention_unknown"),
        ("Phi-2", {"qk_layernorm": True}, "attention_unknown"),
        (BASE, {"intermediate_size": 10**7, "hidden_size": 10**6, "head_dim": 128}, "too_many_parameters"),
    ],
)  # fmt: skip
def test_what_contradicts_itself_or_is_not_known_is_refused(name: str, changes: dict[str, Any], code: str) -> None:
    assert code_of(changes, name) == code


@given(st.sampled_from(KEYS), JSON)
def test_any_value_of_any_key_gives_a_model_or_a_reason(key: str, value: Any) -> None:
    changed = make.config(BASE) | {key: value}
    try:
        modelconfig.read(json.dumps(changed))
    except ModelConfigError as error:
        assert error.code


@given(st.dictionaries(st.sampled_from([*KEYS, "text_config", "layer_types", "quantization_config", "head_dim"]), JSON))
def test_any_object_gives_a_model_or_a_reason(document: dict[str, Any]) -> None:
    try:
        modelconfig.read(json.dumps({"model_type": "gpt_oss"} | document))
    except ModelConfigError as error:
        assert error.code


@given(st.binary(max_size=200))
def test_any_bytes_give_a_reason(raw: bytes) -> None:
    assert refused(raw).code
