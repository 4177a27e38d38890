"""What a measurement's row says: engine and age, precision, cache, lengths; and why a row is refused, never dropped."""

import csv
from pathlib import Path

import pytest

from calculator.accuracy import naming
from calculator.accuracy.cases import Case, Outcome, Refusal, RefusedError, rows_of
from calculator.accuracy.collect import COLUMNS, READERS, outcomes
from calculator.accuracy.link_cases import topology_of
from calculator.accuracy.memory_cases import precision_in
from calculator.accuracy.serving_cases import batched, latency, load_of, server_of, single_stream
from calculator.accuracy.sheets import Sheets, load_sheets
from calculator.accuracy.training_cases import framework_of, recomputed, training
from calculator.domain.calibration import Engine, Era, Framework
from calculator.domain.precision import PRECISIONS
from calculator.domain.training import Method

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
SHEETS = load_sheets(FIXTURES)
ROW = {
    "gpu": "H100-SXM-80GB",
    "n_gpus": "2",
    "tp": "2",
    "model": "Llama-3.1-70B",
    "weight_precision": "fp8",
    "kv_dtype": "",
    "engine": "vLLM 0.12.0",
    "isl": "1024",
    "osl": "128",
    "concurrency": "16",
    "total_output_tok_s": "900",
    "ttft_ms": "200",
    "tpot_ms": "20",
    "source": "https://example.org/bench",
    "note": "client concurrency",
}


def row(**changes: str) -> dict[str, str]:
    return ROW | changes


def only(outcome: list[Outcome]) -> Outcome:
    assert len(outcome) == 1
    return outcome[0]


def read(**changes: str) -> Outcome:
    return only(list(batched("inference_batched.csv", 2, row(**changes), SHEETS)))


@pytest.fixture(scope="module")
def sheets() -> Sheets:
    return SHEETS


@pytest.mark.parametrize(
    ("text", "engine"),
    [
        ("vLLM (nm-vllm 0.2, 2024)", Engine.VLLM),
        ("SGLang 0.5.9", Engine.SGLANG),
        ("TensorRT-LLM/Triton (2023)", Engine.TENSORRT_LLM),
        ("llama.cpp", Engine.LLAMA_CPP),
        ("DeepSpeed-MII", None),
        ("transformers 4.46", None),
        ("", None),
    ],
)
def test_engines_are_recognised_by_how_their_name_begins(text: str, engine: Engine | None) -> None:
    assert naming.engine_class(text) == engine


@pytest.mark.parametrize(
    ("text", "engine", "precision", "note", "era"),
    [
        ("vLLM (2024-11)", Engine.VLLM, "fp8", "", Era.OLD),
        ("vLLM 0.6.3", Engine.VLLM, "bf16", "", Era.OLD),
        ("vLLM 0.12.0", Engine.VLLM, "bf16", "", Era.NEW),
        ("TensorRT-LLM 0.14", Engine.TENSORRT_LLM, "fp8", "", Era.OLD),
        ("TensorRT-LLM 1.1+", Engine.TENSORRT_LLM, "fp8", "", Era.NEW),
        ("vLLM", Engine.VLLM, "fp16", "", Era.OLD),
        ("vLLM", Engine.VLLM, "fp16", "measured 2025-10-29", Era.NEW),
        ("vLLM", Engine.VLLM, "nvfp4", "", Era.NEW),
    ],
)
def test_the_age_is_the_stated_one_else_that_of_the_youngest_thing_served(
    text: str, engine: Engine, precision: str, note: str, era: Era
) -> None:
    gpu, model = SHEETS.gpus["H100-SXM-80GB"], SHEETS.models["Llama-3.1-70B"]
    assert naming.engine_era(text, engine, gpu, model, precision, note) is era


def test_blackwell_and_the_models_of_2025_imply_a_new_engine() -> None:
    old_gpu, old_model = SHEETS.gpus["H100-SXM-80GB"], SHEETS.models["Llama-3.1-70B"]
    assert naming.engine_era("vLLM", Engine.VLLM, SHEETS.gpus["B200-SXM"], old_model, "fp8", "") is Era.NEW
    assert naming.engine_era("vLLM", Engine.VLLM, old_gpu, SHEETS.models["Qwen3-32B"], "fp8", "") is Era.NEW


@pytest.mark.parametrize(
    ("stated", "engine", "precision", "size"),
    [
        ("fp8", Engine.SGLANG, "fp16", 1.0),
        ("fp16", Engine.TENSORRT_LLM, "fp8", 2.0),
        ("auto", Engine.VLLM, "fp8", 2.0),
        ("auto", Engine.TENSORRT_LLM, "fp8", 1.0),
        ("", Engine.SGLANG, "fp8", 2.0),
        ("", Engine.VLLM, "fp16", 2.0),
    ],
)
def test_pitfall_6_the_cache_has_its_own_precision(stated: str, engine: Engine, precision: str, size: float) -> None:
    gpu = SHEETS.gpus["H100-SXM-80GB"]
    assert naming.cache_bytes(stated, engine, PRECISIONS[precision], gpu) == size


def test_pitfall_21_an_eight_bit_cache_is_not_assumed_where_the_gpu_has_no_such_units() -> None:
    gpu = SHEETS.gpus["A100-80GB"]
    assert naming.cache_bytes("", Engine.TENSORRT_LLM, PRECISIONS["fp8"], gpu) == 2.0


def test_aliases_and_twins_lead_to_one_sheet() -> None:
    assert SHEETS.gpu("A100-80GB") is SHEETS.gpu("A100-SXM-80GB")
    assert SHEETS.model("DeepSeek-R1-Distill-Llama-8B") is SHEETS.model("Llama-3.1-8B")
    assert SHEETS.gpu("not stated (2 GPUs)") is None


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"engine": "DeepSpeed-MII"}, "engine not modelled"),
        ({"engine": "llama.cpp"}, "engine not modelled"),
        ({"gpu": "H9000"}, "unknown GPU"),
        ({"gpu": "MI300X"}, "vendor not calibrated"),
        ({"model": "Llama-9"}, "unknown model"),
        ({"weight_precision": "int3"}, "precision not modelled"),
        ({"isl": "short chat"}, "lengths not stated"),
        ({"concurrency": ""}, "concurrency not stated"),
        ({"concurrency": "qps=16"}, "open loop at a rate"),
        ({"gpu": "RTX 4070 Ti", "tp": "1", "n_gpus": "1"}, "no peak on the data sheet"),
    ],
)
def test_a_row_that_is_not_covered_is_refused_with_its_reason(changes: dict[str, str], reason: str) -> None:
    found = read(**changes)
    assert isinstance(found, Refusal)
    assert found.reason == reason


def test_a_row_without_the_measurement_is_no_case() -> None:
    assert list(batched("inference_batched.csv", 2, row(total_output_tok_s=""), SHEETS)) == []


def test_unknown_columns_are_ignored() -> None:
    assert isinstance(read(weather="sunny"), Case)


def test_one_latency_row_gives_both_metrics() -> None:
    found = list(latency("inference_serving_latency.csv", 7, row(), SHEETS))
    assert [(outcome.metric, outcome.line) for outcome in found] == [("tpot_ms", 7), ("ttft_ms", 7)]


def test_an_offline_run_has_no_latency_at_a_concurrency() -> None:
    found = list(latency("inference_serving_latency.csv", 7, row(concurrency="max"), SHEETS))
    assert {outcome.reason for outcome in found if isinstance(outcome, Refusal)} == {"concurrency not stated"}


@pytest.mark.parametrize(
    ("changes", "apart"),
    [
        ({"note": "50 requests at once, ramp-down included"}, "all requests at once"),
        ({"concurrency": "qps=16"}, "open loop at a rate"),
        ({"gpu": "MI300X"}, "AMD"),
        ({}, ""),
    ],
)
def test_rows_that_set_no_goal_are_marked(changes: dict[str, str], apart: str) -> None:
    assert read(**changes).apart == apart


def test_shortened_requests_are_read_as_nine_tenths() -> None:
    load = load_of(row(note="request lengths drawn in 80-100 % of nominal"))
    assert (load.prompt_tokens, load.output_tokens) == pytest.approx((921.6, 115.2))


def test_spare_gpus_share_experts_or_hold_layers() -> None:
    sparse = server_of(row(model="DeepSeek-R1", n_gpus="8", tp="1"), SHEETS, "weight_precision", (Engine.VLLM,))
    dense = server_of(row(n_gpus="4", tp="2"), SHEETS, "weight_precision", (Engine.VLLM,))
    assert (sparse.deployment.attention_parallel, sparse.deployment.pipeline_parallel) == (8, 1)
    assert (dense.deployment.attention_parallel, dense.deployment.pipeline_parallel) == (1, 2)


def test_llama_cpp_splits_layers_and_adds_in_16_bits() -> None:
    text = row(engine="llama.cpp", precision="gguf-q4_k_m", n_gpus="4", tp="")
    server = server_of(text, SHEETS, "precision", (Engine.LLAMA_CPP,))
    assert (server.deployment.pipeline_parallel, server.deployment.precision.math) == (4, "fp16acc")


def test_single_stream_refuses_decode_rates_of_batches() -> None:
    text = row(precision="fp16", batch="16", metric="decode_tok_s", value="100", prompt_tokens="64", output_tokens="64")
    found = only(list(single_stream("inference_single_stream.csv", 2, text, SHEETS)))
    assert isinstance(found, Refusal)
    assert found.reason == "batch not modelled"


TRAINING = {
    "gpu": "A100-80GB",
    "n_gpus": "1",
    "model": "Mistral-7B",
    "seq_len": "4096",
    "micro_batch": "4",
    "global_batch": "16",
    "precision": "bf16",
    "method": "lora",
    "tok_s_per_gpu": "3000",
    "note": "",
    "source": "",
}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"gpu": "H9000"}, "unknown GPU"),
        ({"gpu": "MI300X"}, "vendor not calibrated"),
        ({"model": "Llama-9"}, "unknown model"),
        ({"method": "dpo"}, "method not modelled"),
        ({"micro_batch": ""}, "micro-batch not stated"),
        ({"note": "OrcaMath, variable short sequences"}, "padded sequences of unknown length"),
    ],
)
def test_training_rows_are_refused_with_their_reason(changes: dict[str, str], reason: str) -> None:
    found = only(list(training("training.csv", 2, TRAINING | changes, SHEETS)))
    assert isinstance(found, Refusal)
    assert found.reason == reason


def test_adapters_on_experts_are_refused_not_guessed() -> None:
    found = only(list(training("training.csv", 2, TRAINING | {"model": "Mixtral-8x7B"}, SHEETS)))
    assert isinstance(found, Refusal)
    assert "not modelled" in found.reason


@pytest.mark.parametrize(
    ("note", "method", "framework"),
    [
        ("26.04 NeMo Container", Method.PRETRAIN, Framework.MEGATRON),
        ("MPT 7b (llm-foundry, FSDP FULL_SHARD)", Method.PRETRAIN, Framework.FSDP),
        ("llmq (C++/CUDA)", Method.FULL, Framework.NATIVE),
        ("", Method.QLORA, Framework.TRANSFORMERS),
        ("", Method.PRETRAIN, Framework.FSDP),
    ],
)
def test_the_training_software_is_the_named_one_else_the_usual(note: str, method: Method, framework: Framework) -> None:
    assert framework_of({"note": note}, method) is framework


def test_pitfall_40_hfu_above_mfu_means_recomputation() -> None:
    assert recomputed({"mfu": "0.41", "hfu": "0.55"})
    assert not recomputed({"mfu": "0.53", "hfu": "0.53", "activation_checkpointing": "full"})
    assert recomputed({"activation_checkpointing": "yes (repo scripts default)"})


@pytest.mark.parametrize(
    ("text", "count", "machines", "network"),
    [
        ("NVLink3 NVSwitch, 1 node", 8, 1, 0.0),
        ("2 nodes, NVLink3 + EFA 4x100 Gb/s per node", 16, 2, 50e9),
        ("4 nodes, NVLink5 + EFAv4 8x50 GB/s per node", 32, 4, 400e9),
    ],
)
def test_pitfall_48_49_interconnects_are_read_in_bytes_a_machine(
    text: str, count: int, machines: int, network: float
) -> None:
    found = topology_of({"interconnect": text, "n_gpus": str(count)}, SHEETS.gpus["A100-80GB"])
    assert (found.gpu_count, found.machines, found.machine_bytes_per_s) == (count, machines, network)


def test_a_ring_with_the_switch_off_is_a_ring() -> None:
    text = {"interconnect": "NVLink4 NVSwitch, 1 node (ring, NVLS off)", "n_gpus": "8"}
    gpu = SHEETS.gpus["H200-SXM"]
    assert not topology_of(text, gpu).reducing_switch
    assert topology_of(text | {"interconnect": "NVLink4 NVSwitch, 1 node"}, gpu).reducing_switch


def test_a_network_that_is_not_stated_is_refused() -> None:
    with pytest.raises(RefusedError, match="network not stated"):
        topology_of({"interconnect": "2 nodes, NVLink3", "n_gpus": "16"}, SHEETS.gpus["A100-80GB"])


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("nf4 base, bfloat16", "nf4"),
        ("awq-int4 weights, fp16 kv", "awq-int4"),
        ("int4 base", "gptq-int4"),
        ("bf16", "bf16"),
    ],
)
def test_precisions_of_memory_rows_are_read_from_free_text(text: str, code: str) -> None:
    assert precision_in(text).code == code


def test_lines_count_from_two_and_missing_files_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "inference_batched.csv"
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(ROW))
        writer.writeheader()
        writer.writerows([row(), row(engine="MLC")])
    assert [line for line, _ in rows_of(path)] == [2, 3]
    found = outcomes(tmp_path, SHEETS)
    assert [(outcome.line, type(outcome)) for outcome in found] == [(2, Case), (3, Refusal)]


def test_every_row_of_the_fixtures_is_answered_or_refused() -> None:
    folder = FIXTURES / "measurements"
    found = {(outcome.file, outcome.line) for outcome in outcomes(folder, SHEETS)}
    assert found == {(name, line) for name in READERS for line, _ in rows_of(folder / name)}


def test_every_figure_of_the_fixtures_is_answered_or_refused() -> None:
    folder = FIXTURES / "measurements"
    found = [(outcome.file, outcome.line) for outcome in outcomes(folder, SHEETS) if outcome.measured]
    for name, columns in COLUMNS.items():
        cells = [(name, line) for line, row in rows_of(folder / name) for column in columns if row[column]]
        assert [place for place in found if place[0] == name] == cells
