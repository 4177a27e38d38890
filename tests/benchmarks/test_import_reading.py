"""Files of other tools: limits, each format with its values, and a code for each way a file can be wrong."""

import json
from typing import Any

import pytest

from benchmarks import foreign
from benchmarks.foreign import ForeignError, ForeignResult, reading

VLLM: dict[str, Any] = {
    "date": "20261120-101500",
    "backend": "vllm",
    "model_id": "mistralai/Mistral-7B-v0.3",
    "num_prompts": 200,
    "request_rate": "inf",
    "max_concurrency": 16,
    "duration": 40.0,
    "completed": 198,
    "failed": 2,
    "total_input_tokens": 25344,
    "total_output_tokens": 12672,
    "request_throughput": 4.95,
    "output_throughput": 316.8,
    "total_token_throughput": 950.4,
    "mean_ttft_ms": 130.0,
    "median_ttft_ms": 120.0,
    "p99_ttft_ms": 310.0,
    "median_tpot_ms": 20.0,
    "p99_tpot_ms": 35.0,
    "median_itl_ms": 19.0,
}


def distribution(mean: float, median: float, p95: float, p99: float) -> dict[str, Any]:
    return {"successful": {"mean": mean, "median": median, "percentiles": {"p95": p95, "p99": p99}}}


def guidellm_benchmark(strategy: dict[str, Any], rate: float) -> dict[str, Any]:
    return {
        "config": {"strategy": strategy, "backend": {"model": "Qwen3-8B"}},
        "duration": 60.0,
        "metrics": {
            "request_totals": {"successful": 95, "errored": 5, "incomplete": 1, "total": 101},
            "output_tokens_per_second": distribution(rate, rate, rate, rate),
            "tokens_per_second": distribution(rate * 2, rate, rate, rate),
            "requests_per_second": distribution(1.6, 1.6, 1.6, 1.6),
            "time_to_first_token_ms": distribution(40, 30, 50, 70),
            "inter_token_latency_ms": distribution(15, 10, 20, 30),
            "time_per_output_token_ms": distribution(99, 99, 99, 99),
            "request_latency": distribution(0.6, 0.5, 0.8, 1.0),
            "prompt_token_count": distribution(256, 256, 256, 256),
            "output_token_count": distribution(128, 128, 128, 128),
        },
    }


GUIDELLM = {
    "metadata": {"version": 1, "guidellm_version": "0.8.1"},
    "benchmarks": [
        guidellm_benchmark({"type_": "synchronous"}, 64.0),
        guidellm_benchmark({"type_": "concurrent", "streams": 8}, 400.0),
        guidellm_benchmark({"kind": "constant", "rate": 2.5, "max_concurrency": 64}, 300.0),
    ],
}
AIPERF: dict[str, Any] = {
    "aiperf_version": "0.13.0",
    "request_throughput": {"unit": "requests/sec", "avg": 13.1},
    "output_token_throughput": {"unit": "tokens/sec", "avg": 1274.6},
    "time_to_first_token": {"unit": "ms", "avg": 1588.8, "p50": 787.5, "p95": 4051.4, "p99": 4100.0},
    "inter_token_latency": {"unit": "ms", "avg": 51.8, "p50": 52.0, "p95": 54.3},
    "request_latency": {"unit": "ms", "avg": 6550.0, "p50": 5800.0, "p95": 8980.0},
    "input_sequence_length": {"unit": "tokens", "avg": 550.0},
    "output_sequence_length": {"unit": "tokens", "avg": 96.85},
    "request_count": {"unit": "requests", "avg": 200.0},
    "error_request_count": None,
    "start_time": "2026-10-17T20:22:08.939332",
    "input_config": {"endpoint": {"model_names": ["openai/gpt-oss-20b"]}, "loadgen": {"concurrency": 100}},
}
LLAMA_BUILD = {"build_commit": "8cf427ff", "build_number": 5163, "gpu_info": "NVIDIA L4", "model_type": "qwen2 7B Q4_K"}
LLAMA: list[dict[str, Any]] = [
    {**LLAMA_BUILD, "n_prompt": 512, "n_gen": 0, "n_depth": 0, "avg_ts": 7100.0, "test_time": "2026-04-24T11:58:50Z"},
    {**LLAMA_BUILD, "n_prompt": 0, "n_gen": 128, "n_depth": 256, "avg_ts": 118.88, "test_time": "2026-04-24T11:58:51Z"},
]


def read(document: Any) -> tuple[ForeignResult, ...]:
    return foreign.read(json.dumps(document).encode())


def refused(raw: bytes) -> tuple[str, str]:
    with pytest.raises(ForeignError) as caught:
        foreign.read(raw)
    return caught.value.code, caught.value.detail


def test_a_result_of_vllm_keeps_the_tools_own_meanings() -> None:
    (found,) = read(VLLM)
    assert (found.tool, found.definition, found.model, found.engine) == (
        "vllm bench serve",
        "vllm-bench-serve",
        "mistralai/Mistral-7B-v0.3",
        "vllm",
    )
    (step,) = found.steps
    assert (step.concurrency, step.rate_per_s, step.ok_count, step.error_count) == (16, None, 198, 2)
    assert (step.output_tok_per_s, step.ttft_p50_ms, step.ttft_p95_ms, step.ttft_p99_ms) == (316.8, 120.0, None, 310.0)
    assert (step.tpot_p50_ms, step.prompt_tokens_mean, step.output_tokens_mean) == (20.0, 128.0, 64.0)
    assert found.measured_at is not None and found.measured_at.isoformat() == "2026-11-20T10:15:00+00:00"


def test_prompts_sent_all_at_once_are_that_many_streams() -> None:
    assert read(VLLM | {"max_concurrency": None})[0].steps[0].concurrency == 200


def test_a_pace_is_read_as_a_pace() -> None:
    step = read(VLLM | {"request_rate": 4.5})[0].steps[0]
    assert (step.rate_per_s, step.concurrency) == (4.5, 16)


def test_every_benchmark_of_guidellm_is_a_load() -> None:
    (found,) = read(GUIDELLM)
    assert (found.tool_version, found.model) == ("0.8.1", "Qwen3-8B")
    loads = [(step.concurrency, step.rate_per_s, step.output_tok_per_s) for step in found.steps]
    assert loads == [(1, None, 64.0), (8, None, 400.0), (64, 2.5, 300.0)]


def test_guidellms_own_tpot_which_holds_the_first_token_is_not_taken_for_ours() -> None:
    step = read(GUIDELLM)[0].steps[0]
    assert (step.tpot_p50_ms, step.tpot_p95_ms) == (10.0, 20.0)


def test_guidellms_latency_in_seconds_becomes_milliseconds() -> None:
    step = read(GUIDELLM)[0].steps[0]
    assert (step.e2e_p50_ms, step.e2e_p95_ms) == (500.0, 800.0)


def test_a_load_given_twice_counts_once_and_is_said() -> None:
    twice = GUIDELLM | {"benchmarks": [*GUIDELLM["benchmarks"], guidellm_benchmark({"type_": "synchronous"}, 70.0)]}
    (found,) = read(twice)
    assert (len(found.steps), found.left_out_count, found.steps[0].output_tok_per_s) == (3, 1, 64.0)


def test_a_result_of_aiperf() -> None:
    (found,) = read(AIPERF)
    assert (found.tool_version, found.model) == ("0.13.0", "openai/gpt-oss-20b")
    (step,) = found.steps
    assert (step.concurrency, step.output_tok_per_s, step.ttft_p50_ms, step.tpot_p50_ms) == (100, 1274.6, 787.5, 52.0)
    assert (step.ok_count, step.error_count, step.output_tokens_mean) == (200, 0, 96.85)


def test_latencies_of_aiperf_in_another_unit_are_refused() -> None:
    document = AIPERF | {"time_to_first_token": {"unit": "sec", "avg": 1.5}}
    assert refused(json.dumps(document).encode()) == ("unit", "time_to_first_token")


@pytest.mark.parametrize("lines", [False, True])
def test_llama_bench_gives_generation_alone_and_counts_what_is_left_out(lines: bool) -> None:
    raw = "\n".join(map(json.dumps, LLAMA)) if lines else json.dumps(LLAMA)
    (found,) = foreign.read(raw.encode())
    assert (found.tool, found.tool_version, found.hardware) == ("llama-bench", "8cf427ff (5163)", "NVIDIA L4")
    (step,) = found.steps
    assert (step.concurrency, step.output_tok_per_s, step.output_tokens_mean) == (1, 118.88, 128.0)
    assert found.left_out_count == 1


def test_llama_bench_without_generation_has_no_rate() -> None:
    assert refused(json.dumps(LLAMA[:1]).encode())[0] == "no_rate"


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"", "empty"),
        (b"  \n", "empty"),
        (b"\xff\xfe", "not_utf8"),
        (b"{", "not_json"),
        (b"hello", "not_json"),
        (b'{"a": 1}\n{', "not_json"),
        (b"{}", "unknown_tool"),
        (b"[]", "unknown_tool"),
        (b"3", "unknown_tool"),
        (b'"text"', "unknown_tool"),
        (b'{"benchmarks": []}', "unknown_tool"),
        (b'{"benchmarks": 3}', "unknown_tool"),
        (b"[" * 50 + b"]" * 50, "too_deep"),
    ],
)
def test_what_is_no_result_is_refused_with_a_code(raw: bytes, code: str) -> None:
    assert refused(raw)[0] == code


def test_a_file_beyond_the_limit_is_not_parsed() -> None:
    assert refused(b" " * (reading.LIMIT_BYTES + 1)) == ("too_big", "8")


def test_brackets_within_texts_are_no_depth() -> None:
    assert refused(json.dumps({"a": "[" * 100}).encode())[0] == "unknown_tool"


def test_a_text_that_never_ends_costs_one_pass() -> None:
    assert refused(b'"' + b'\\"' * 1_000_000)[0] == "not_json"


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"output_throughput": "fast"}, "not_a_number"),
        ({"output_throughput": True}, "not_a_number"),
        ({"output_throughput": -1}, "out_of_range"),
        ({"output_throughput": 1e13}, "out_of_range"),
        ({"output_throughput": None}, "no_rate"),
        ({"output_throughput": 0}, "no_rate"),
        ({"median_ttft_ms": []}, "not_a_number"),
        ({"completed": {}}, "not_a_number"),
    ],
)
def test_values_that_are_no_numbers_are_refused_by_name(changed: dict[str, Any], code: str) -> None:
    assert refused(json.dumps(VLLM | changed).encode())[0] == code


def test_not_a_number_is_unknown_not_zero() -> None:
    raw = json.dumps(VLLM | {"median_ttft_ms": float("nan"), "p99_ttft_ms": float("inf")}).encode()
    step = foreign.read(raw)[0].steps[0]
    assert (step.ttft_p50_ms, step.ttft_p99_ms) == (None, None)


def test_a_load_that_the_file_does_not_say_is_not_guessed() -> None:
    document = AIPERF | {"input_config": {"loadgen": {}}}
    assert refused(json.dumps(document).encode())[0] == "load_unknown"


def test_texts_are_cut_and_freed_of_control_characters() -> None:
    (found,) = read(VLLM | {"model_id": "a\x00b\x1b[31m" + "c" * 500})
    assert found.model.startswith("ab[31mc") and len(found.model) == 200
