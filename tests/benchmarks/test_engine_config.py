"""Which vLLM configuration a run takes: the file of the inference page, nothing that loads code or opens files."""

import argparse
import json
from pathlib import Path

import pytest

from benchmarks import vllmconfig
from benchmarks.vllmconfig import ConfigError, VllmConfig
from calculator.deploy.arguments import arguments
from calculator.deploy.plan import plan
from calculator.deploy.point import ServingPoint
from calculator.domain.hardware import Gpu
from calculator.domain.llm import LanguageModel

TINY = 'model: "/models/tiny"\nload-format: dummy\ndtype: bfloat16\nmax-model-len: 1024\nenforce-eager: true\n'


def refusal(text: str) -> tuple[str, str]:
    with pytest.raises(ConfigError) as caught:
        vllmconfig.read(text)
    return caught.value.code, caught.value.detail


def test_a_small_configuration_becomes_the_arguments_of_serve() -> None:
    config = vllmconfig.read(TINY)
    assert config.arguments() == (
        "/models/tiny", "--load-format", "dummy", "--dtype", "bfloat16", "--max-model-len", "1024", "--enforce-eager",
    )  # fmt: skip
    assert (config.model, config.dummy, config.precision, config.gpus_count) == ("/models/tiny", True, "bf16", 1)


def test_the_same_configuration_is_the_same_text() -> None:
    other = "max_model_len: 1024\nmodel: /models/tiny\nload-format: 'dummy'\ndtype: bfloat16\nenforce-eager: yes\n"
    texts = {vllmconfig.read(text).text for text in (TINY, TINY + "port: 8000\nhost: 0.0.0.0\n")}
    assert texts == {TINY}
    assert vllmconfig.read(other).values == vllmconfig.read(TINY).values


def test_what_is_written_reads_back() -> None:
    config = vllmconfig.read(TINY)
    assert vllmconfig.read(config.text) == config


def test_the_file_of_the_inference_page_is_taken_whole() -> None:
    model = LanguageModel(
        name="Mistral 7B", hf_id="mistralai/Mistral-7B-v0.3", params_total=7_248_023_552, params_active=7_248_023_552,
        params_non_embedding=6_979_588_096, layers=32, hidden=4096, heads=32, kv_heads=8, head_dim=128,
        intermediate=14336, vocab=32768, tied_embeddings=False, gated_mlp=True, max_context=32768, attention="GQA",
        native_dtype="bf16",
    )  # fmt: skip
    gpu = Gpu("A100 80 GB", "NVIDIA", "Ampere", 80, 2039, compute_capability="8.0")
    written = plan(ServingPoint(model, gpu, tensor_parallel=2, structured_outputs="xgrammar"))
    config = vllmconfig.read(written.config_yaml)
    assert set(written.settings) - set(config.values) == {"port"}
    assert (config.gpus_count, config.precision, config.dummy) == (2, "fp16", False)
    given = config.arguments()
    at = given.index("--structured-outputs-config")
    assert given[at + 1] == '{"backend": "xgrammar"}'


def test_every_key_taken_is_one_of_vllms() -> None:
    assert set(arguments().flags) >= vllmconfig.TAKEN | vllmconfig.OWN
    assert {arguments().flags[key]["type"] for key in vllmconfig.TAKEN} <= {"int", "float", "bool", "str", "json"}


def test_a_parser_with_vllms_own_types_reads_the_arguments() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    for key in vllmconfig.TAKEN - {"model"}:
        kind = arguments().flags[key]["type"]
        if kind == "bool":
            parser.add_argument(f"--{key}", action=argparse.BooleanOptionalAction)
        else:
            parser.add_argument(f"--{key}", type={"int": int, "float": float, "json": json.loads}.get(kind, str))
    text = TINY + "enable-prefix-caching: false\ngpu-memory-utilization: 0.9\nrevision: main\n"
    given = parser.parse_args(vllmconfig.read(text).arguments())
    assert (given.model, given.enable_prefix_caching, given.gpu_memory_utilization) == ("/models/tiny", False, 0.9)


@pytest.mark.parametrize(
    "key",
    [
        "trust-remote-code", "worker-cls", "worker-extension-cls", "middleware", "logits-processors", "config",
        "tool-parser-plugin", "reasoning-parser-plugin", "io-processor-plugin", "scheduler-cls", "uds", "ssl-keyfile",
        "log-config-file", "download-dir", "hf-token", "api-key", "otlp-traces-endpoint", "allowed-local-media-path",
        "profiler-config", "kv-transfer-config", "speculative-config", "root-path",
    ],
)  # fmt: skip
def test_keys_that_load_code_open_files_or_listen_are_refused(key: str) -> None:
    assert refusal(f"{TINY}{key}: x\n") == ("key_refused", key)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", ("unreadable", "")),
        ("- a\n- b\n", ("unreadable", "")),
        ("model: [unclosed", ("unreadable", "")),
        ("1: 2\n", ("unreadable", "")),
        ("!!python/object/apply:os.system ['true']", ("unreadable", "")),
        ("dtype: bfloat16\n", ("model_missing", "")),
        ("model: ''\n", ("model_name", "")),
        ("model: --help\n", ("model_name", "")),
        ('model: "/a\\nb"\n', ("model_name", "")),
        ("model: my model\n", ("model_name", "")),
        ("model: /a\nswap-space: 4\n", ("key_unknown", "swap-space")),
        ("model: /a\nmax-model-len: many\n", ("value_type", "max-model-len")),
        ("model: /a\nmax-model-len: true\n", ("value_type", "max-model-len")),
        ("model: /a\nmax-num-seqs: -1\n", ("value_range", "max-num-seqs")),
        ("model: /a\ngpu-memory-utilization: .nan\n", ("value_range", "gpu-memory-utilization")),
        ("model: /a\nenforce-eager: 1\n", ("value_type", "enforce-eager")),
        ("model: /a\ndtype: fp7\n", ("value_unknown", "dtype")),
        ("model: /a\nload-format: pt\n", ("value_unknown", "load-format")),
        ("model: /a\nquantization: --config\n", ("value_unknown", "quantization")),
        ("model: /a\nstructured-outputs-config: {backend: x}\n", ("value_unknown", "structured-outputs-config")),
        ("model: /a\nstructured-outputs-config: [1]\n", ("value_unknown", "structured-outputs-config")),
        ("#" * 4001, ("too_long", "4000")),
    ],
)
def test_what_cannot_be_taken_is_named(text: str, found: tuple[str, str]) -> None:
    assert refusal(text) == found


@pytest.mark.parametrize(
    ("values", "precision"),
    [
        ({"quantization": "fp8_per_tensor"}, "fp8"),
        ({"quantization": "awq"}, "awq"),
        ({"dtype": "float16"}, "fp16"),
        ({"dtype": "auto"}, ""),
        ({}, ""),
    ],
)
def test_the_precision_is_what_the_configuration_says(values: dict[str, str], precision: str) -> None:
    assert VllmConfig({"model": "/m", **values}).precision == precision


@pytest.mark.parametrize(
    ("described", "size"),
    [
        ('{"vocab_size": 300}', 300),
        ('{"text_config": {"vocab_size": 262144}}', 262_144),
        ("{}", 0),
        ('{"vocab_size": "many"}', 0),
        ("not json", 0),
        ("[]", 0),
    ],
)
def test_a_folder_tells_the_size_of_its_vocabulary(tmp_path: Path, described: str, size: int) -> None:
    (tmp_path / "config.json").write_text(described)
    assert vllmconfig.vocabulary_of(str(tmp_path)) == size


def test_a_name_on_a_hub_is_no_folder_and_tells_nothing() -> None:
    assert vllmconfig.vocabulary_of("owner/model") == 0
    assert vllmconfig.vocabulary_of("/nowhere/at/all") == 0
