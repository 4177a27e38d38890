"""What a row shows beyond its main cells: marks in its note, shares of the memory; a cache only a script states."""

from pathlib import Path

import pytest

from calculator.accuracy.causes import parsed
from calculator.accuracy.serving_cases import SERVERS, server_of
from calculator.accuracy.sheets import load_sheets
from calculator.accuracy.traits import traits

SHEETS = load_sheets(Path(__file__).resolve().parents[2] / "fixtures")
LATENCY = "inference_serving_latency.csv"
ROW = {
    "gpu": "H100-SXM-80GB",
    "n_gpus": "1",
    "tp": "1",
    "model": "Qwen3-32B",
    "weight_precision": "bf16",
    "engine": "SGLang 0.5.8",
    "isl": "2048",
    "osl": "512",
    "concurrency": "16",
    "note": "client concurrency",
}


def told(file: str = LATENCY, **changes: str) -> dict[str, str]:
    return parsed(traits(file, ROW | changes, SHEETS))


def test_the_share_of_the_memory_counts_weights_and_the_cache_of_every_client() -> None:
    """65.5 GB of weights of 85.5 GB (81 559 MiB) are 77 %; 16 × 2 560 tokens × 262 144 B add 10.7 GB."""
    found = told()
    assert float(found["weights_ratio"]) == pytest.approx(65.5e9 / (81_559 * 2**20), abs=0.006)
    assert float(found["filled_ratio"]) == pytest.approx((65.5e9 + 16 * 2560 * 262_144) / (81_559 * 2**20), abs=0.006)


def test_without_a_number_of_clients_only_the_weights_are_known() -> None:
    assert "filled_ratio" not in told(concurrency="max")
    assert "weights_ratio" in told(concurrency="max")


def test_a_row_of_an_unknown_model_or_engine_has_marks_alone() -> None:
    assert told(model="Nobody-7B", note="multinode LoRA") == {"multinode": "1"}
    assert "weights_ratio" not in told(engine="MLC")


def test_experts_and_query_groups_come_from_the_data_sheet() -> None:
    assert told(model="Falcon-180B")["query_group"] == "29"
    assert "mixture" in told(model="Mixtral-8x7B")
    assert "mixture" not in told()


@pytest.mark.parametrize(
    ("note", "mark"),
    [
        ("concurrency = batch_size column", "batch_column"),
        ("InferenceX/InferenceMAX, measured 2026-03-25", "inferencex"),
        ("26.02 NeMo Container; TP1", "container"),
        ("Alpaca-2k (sequences shorter than max)", "shorter"),
        ("LoRA + Deepspeed Zero3; appears to be the sum over GPUs", "summed"),
    ],
)
def test_marks_are_words_of_the_note(note: str, mark: str) -> None:
    assert mark in told("memory.csv", note=note)
    assert mark not in told("memory.csv", note="nothing of the kind")


@pytest.mark.parametrize(
    ("changes", "element_bytes"),
    [
        ({}, 1.0),
        ({"note": "client concurrency"}, 2.0),
        ({"gpu": "H200-SXM"}, 2.0),
        ({"engine": "vLLM 0.12.0", "weight_precision": "bf16", "model": "Llama-3.1-70B"}, 2.0),
        ({"kv_dtype": "bf16"}, 2.0),
    ],
)
def test_the_cache_of_a_published_launch_script_is_in_eight_bits(changes: dict[str, str], element_bytes: float) -> None:
    """InferenceX's scripts for SGLang on B200 say `--kv-cache-dtype fp8_e4m3`; a stated cache comes first."""
    scripted = ROW | {
        "gpu": "B200-SXM", "n_gpus": "8", "tp": "8", "model": "DeepSeek-R1", "weight_precision": "fp8",
        "engine": "SGLang 0.5.9", "note": "InferenceX/InferenceMAX, measured 2026-03-25",
    }  # fmt: skip
    server = server_of(scripted | changes, SHEETS, "weight_precision", SERVERS)
    assert server.deployment.kv_element_bytes == element_bytes
