"""The configuration that we write is one that vLLM of the named version accepts."""

import shlex
import string
import subprocess
from dataclasses import replace

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from calculator.deploy.arguments import arguments
from calculator.deploy.number_formats import HALF_REFUSED_NAMES
from calculator.deploy.plan import plan
from calculator.deploy.point import DeployError, ServingPoint, is_loadable
from calculator.domain.precision import PRECISIONS
from tests.calculator import deployfactory as make

GPUS = (make.T4, make.A100, make.A10G, make.H100, make.MI300X)
HOSTILE = (
    "a; rm -rf b", "$(reboot)", "`id`", "x' --trust-remote-code '", 'x" y', "a: b", "- a", "# no comment", "{a: 1}",
    "!!python/x", "*alias", "&anchor", "%TAG", "1e3", "0x10", "null", "on", "~", "é/模型", "a\\b", "\\", "a \\ b",
    "${HOME}", "$$", "'", '"',
)  # fmt: skip
NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=60)


def notes(point: ServingPoint) -> set[str]:
    return {note.code for note in plan(point).notes}


def joined(command: str) -> list[str]:
    """The words of a command whose lines end in a backslash."""
    return shlex.split(command.replace(" \\\n", " "))


def test_the_version_is_named_and_is_the_one_the_arguments_come_from() -> None:
    assert plan(make.point()).vllm_version == arguments().version == "0.32.0"


def test_every_key_is_an_argument_of_that_vllm_and_every_value_is_accepted() -> None:
    for gpu in GPUS:
        for kv in ("fp16", "fp8"):
            made = plan(make.point(gpu, kv_precision=kv, structured_outputs="auto", cpu_cache_gib=4))
            assert made.settings.keys() <= arguments().flags.keys()
            make.parsed(made.config_yaml)


def test_the_published_example_starts_with_what_it_asks_for() -> None:
    started = make.parsed(plan(make.published()).config_yaml)
    assert started.model == "mistralai/Mistral-7B-Instruct-v0.3"
    assert started.dtype == "float16"
    assert (started.tensor_parallel_size, started.max_num_seqs, started.max_num_batched_tokens) == (1, 16, 8192)
    assert started.gpu_memory_utilization == 0.90
    assert started.enable_chunked_prefill is True
    assert started.structured_outputs_config == {"backend": "outlines"}


def test_the_keys_of_the_published_example_that_are_gone_are_gone_and_said_so() -> None:
    assert not {"swap-space", "guided-decoding-backend"} & arguments().flags.keys()
    assert {"swap_space_gone", "guided_decoding_gone", "stats_by_default"} <= notes(make.published())
    assert {"kv-offloading-size", "structured-outputs-config"} <= arguments().flags.keys()
    assert not {"swap_space_gone", "guided_decoding_gone"} & notes(make.point())


def test_an_fp8_cache_is_written_only_where_the_gpu_has_fp8_units() -> None:
    assert plan(make.point(make.H100, kv_precision="fp8")).settings["kv-cache-dtype"] == "fp8_e4m3"
    assert "kv_fp8_check_quality" in notes(make.point(make.H100, kv_precision="fp8"))
    assert "kv-cache-dtype" not in plan(make.published()).settings
    assert "kv-cache-dtype" not in plan(make.point(make.H100, kv_precision="fp16")).settings


@pytest.mark.parametrize(
    ("point", "code"),
    [
        (make.point(make.A100, kv_precision="fp8"), "kv_fp8_emulated"),
        (make.point(make.T4, kv_precision="fp8"), "kv_fp8_refused"),
        (make.point(make.A100, make.DEEPSEEK, precision="fp8", kv_precision="fp8"), "kv_fp8_refused"),
    ],
)
def test_why_the_fp8_cache_is_not_written_depends_on_gpu_and_attention(point: ServingPoint, code: str) -> None:
    assert code in notes(point)


def test_bf16_on_a_t4_becomes_float16() -> None:
    made = plan(make.point(make.T4, precision="bf16"))
    assert made.settings["dtype"] == "float16"
    assert "bf16_not_native" in notes(make.point(make.T4, precision="bf16"))
    assert plan(make.point(make.A100, precision="bf16")).settings["dtype"] == "bfloat16"


def test_a_model_that_vllm_refuses_in_float16_runs_in_bfloat16_or_not_at_all() -> None:
    assert plan(make.point(make.A100, make.GEMMA_2)).settings["dtype"] == "bfloat16"
    assert "float16_refused" in notes(make.point(make.A100, make.GEMMA_2))
    with pytest.raises(DeployError) as caught:
        plan(make.point(make.T4, make.GEMMA_2))
    assert caught.value.code == "no_sixteen_bit_type"


def test_the_families_that_refuse_float16_are_those_of_that_vllm() -> None:
    assert HALF_REFUSED_NAMES.keys() == arguments().float16_refused


def test_fp8_weights_without_fp8_units_are_weight_only() -> None:
    made = plan(make.point(make.A10G, precision="fp8", tensor_parallel=2, memory_ratio=0.95))
    assert made.settings["quantization"] == "fp8_per_tensor"
    assert {"fp8_weight_only", "converted_while_loading"} <= {note.code for note in made.notes}
    assert "fp8_weight_only" not in notes(make.point(make.H100, precision="fp8"))


def test_a_checkpoint_stored_in_fp8_is_left_to_vllm() -> None:
    made = plan(make.point(make.H100, make.DEEPSEEK, precision="fp8"))
    assert "quantization" not in made.settings
    assert not {"converted_while_loading", "checkpoint_format"} & {note.code for note in made.notes}


def test_a_quantisation_that_vllm_cannot_make_needs_such_a_checkpoint() -> None:
    made = plan(make.point(make.A100, precision="awq-int4"))
    assert "quantization" not in made.settings
    assert "checkpoint_format" in {note.code for note in made.notes}


def test_a_value_of_quantization_is_a_method_of_that_vllm() -> None:
    assert plan(make.point(precision="fp8")).settings["quantization"] in arguments().quantization


@pytest.mark.parametrize("precision", [code for code in PRECISIONS if code.startswith(("gguf", "nf4", "bnb"))])
def test_formats_that_left_vllm_give_no_configuration(precision: str) -> None:
    with pytest.raises(DeployError) as caught:
        plan(make.point(precision=precision))
    assert caught.value.code == "precision_not_served"


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("gpu", GPUS, ids=lambda gpu: gpu.name)
def test_every_precision_on_every_gpu_gives_an_accepted_configuration_or_a_reason(precision: str, gpu) -> None:
    try:
        made = plan(make.point(gpu, precision=precision))
    except DeployError as refused:
        assert refused.code in {"precision_not_served", "capability_too_low"}
    else:
        make.parsed(made.config_yaml)


def test_a_gpu_older_than_the_method_needs_is_refused() -> None:
    with pytest.raises(DeployError) as caught:
        plan(make.point(make.V100, precision="fp8"))
    assert caught.value.code == "capability_too_low"
    assert caught.value.values["needed"] == "7.5"


def test_the_batch_holds_a_token_a_sequence_and_a_whole_prompt_without_chunks() -> None:
    assert plan(make.point(max_sequences=512, batched_tokens=256)).settings["max-num-batched-tokens"] == 512
    whole = make.point(batched_tokens=2048, context_tokens=8192, chunked_prefill=False)
    assert plan(whole).settings["max-num-batched-tokens"] == 8192
    assert "batched_tokens_raised" in notes(whole)
    assert plan(replace(whole, chunked_prefill=True)).settings["max-num-batched-tokens"] == 2048


def test_the_context_is_at_most_the_model_s() -> None:
    long = make.point(context_tokens=100_000)
    assert plan(long).settings["max-model-len"] == 32_768
    assert "context_capped" in notes(long)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"tensor_parallel": 3}, "parallel_heads"),
        ({"pipeline_parallel": 64}, "parallel_layers"),
        ({"tensor_parallel": 8, "pipeline_parallel": 2}, "several_hosts"),
        ({"tensor_parallel": 0}, "count_below_one"),
        ({"memory_ratio": 1.2}, "memory_ratio"),
        ({"memory_ratio": 0.0}, "memory_ratio"),
        ({"structured_outputs": "lark"}, "structured_outputs"),
        ({"model_path": "--trust-remote-code"}, "name_dash"),
        ({"model_path": "a\nport: 1"}, "name_control"),
        ({"model_path": "a\u202eb"}, "name_control"),
        ({"model_path": "x" * 201}, "name_too_long"),
    ],
)
def test_what_vllm_would_refuse_or_misread_gives_a_code(changes, code: str) -> None:
    with pytest.raises(DeployError) as caught:
        plan(make.point(**changes))
    assert caught.value.code == code


def test_a_model_without_any_name_is_asked_for_one() -> None:
    with pytest.raises(DeployError) as caught:
        plan(make.point(model=replace(make.MISTRAL, hf_id="", name="")))
    assert caught.value.code == "name_missing"


def check_name(name: str) -> None:
    """The name arrives as it is: in the file, for the parser, and as one word of the command."""
    made = plan(make.point(model_path=name))
    assert yaml.safe_load(made.config_yaml)["model"] == name.strip()
    assert make.parsed(made.config_yaml).model == name.strip()
    assert joined(made.command_line)[:3] == ["vllm", "serve", name.strip()]
    assert joined(made.command_line)[3] == "--dtype"


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_stays_one_value(name: str) -> None:
    if name.startswith("-"):
        with pytest.raises(DeployError):
            plan(make.point(model_path=name))
    else:
        check_name(name)


@given(NAMES)
def test_any_name_stays_one_value_or_is_refused(name: str) -> None:
    try:
        plan(make.point(model_path=name))
    except DeployError as refused:
        assert refused.code.startswith("name_")
    else:
        check_name(name)


@pytest.mark.parametrize("name", [name for name in HOSTILE if not name.startswith("-")])
def test_a_shell_reads_the_name_as_one_word(name: str) -> None:
    command = plan(make.point(model_path=name)).command_line
    shown = subprocess.run(
        ["sh", "-c", f"vllm() {{ printf '%s\\n' \"$2\"; }}\n{command}"], capture_output=True, text=True, check=True
    )
    assert shown.stdout == f"{name}\n"
    assert shown.stderr == ""


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("org/model", True),
        ("/models/a b", True),
        ("./m", True),
        ("model", False),
        ("a/b/c", False),
        ("notre modèle", False),
    ],
)
def test_a_name_says_where_weights_are_or_only_what_they_are_called(name: str, expected: bool) -> None:
    assert is_loadable(name) is expected


def test_file_and_command_line_say_the_same() -> None:
    made = plan(make.published())
    from_file = make.parsed(made.config_yaml)
    from_command = make.parser().parse_args(joined(made.command_line)[2:])
    from_command.model, from_command.model_tag = from_command.model_tag, None
    assert vars(from_file) == vars(from_command)


def test_only_printable_letters_need_no_quotes_in_a_command() -> None:
    plain = string.ascii_letters + string.digits
    assert joined(plan(make.point(model_path=plain)).command_line)[2] == plain


def test_replicas_and_folders_are_explained() -> None:
    assert "replicas" in notes(make.point(replicas=2))
    assert "local_folder" in notes(make.point(model_path="/models/mistral"))
    assert not {"replicas", "local_folder"} & notes(make.point())


def test_another_vendor_s_gpu_gets_no_container_of_the_public_image() -> None:
    made = plan(make.point(make.MI300X))
    assert (made.docker_run, made.compose_yaml, made.kubernetes_yaml, made.kserve_yaml) == (None, None, None, None)
    assert "image_other_vendor" in {note.code for note in made.notes}
    assert "model:" in made.config_yaml
