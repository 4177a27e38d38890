"""The four formats that are read, each with the meaning that its tool gives to the names.

vLLM `bench serve --save-result`: one object, latencies in ms, percentiles as p95_ttft_ms where they were asked for.
guidellm: `benchmarks`, each with `metrics.NAME.successful.{mean, median, percentiles}`; request_latency in seconds.
aiperf `profile_export_aiperf.json`: `NAME: {unit, avg, p50, p95, …}`. llama-bench `-o json` or `-o jsonl`: one object a
test, `avg_ts` in tokens a second; tests of prompts alone have no output rate and are left out.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchmarks.foreign import reading
from benchmarks.foreign.reading import ForeignError, at, count, number, text
from benchmarks.foreign.records import ForeignResult, ForeignStep

VLLM, GUIDELLM, AIPERF, LLAMA_BENCH = "vllm bench serve", "guidellm", "aiperf", "llama-bench"
DEFINITIONS = {
    VLLM: "vllm-bench-serve",
    GUIDELLM: "guidellm",
    AIPERF: "aiperf",
    LLAMA_BENCH: "llama-bench",
}
MS_PER_S = 1000.0
STEPS_LIMIT = 64


def read(raw: bytes) -> tuple[ForeignResult, ...]:
    """The results in a file, recognised by their keys. Raises ForeignError."""
    document = reading.parse(raw)
    for recognises, reader in READERS:
        if recognises(document):
            found: tuple[ForeignResult, ...] = reader(document)
            check(found)
            return found
    raise ForeignError("unknown_tool")


def check(found: Sequence[ForeignResult]) -> None:
    if not any(step.output_tok_per_s for result in found for step in result.steps):
        raise ForeignError("no_rate")
    if sum(len(result.steps) for result in found) > STEPS_LIMIT:
        raise ForeignError("too_many_steps", str(STEPS_LIMIT))


# --- vLLM ---


def is_vllm(document: Any) -> bool:
    return isinstance(document, dict) and {"output_throughput", "completed", "num_prompts", "backend"} <= set(document)


def read_vllm(document: Any) -> tuple[ForeignResult, ...]:
    """One load. Sent all at once when no pace and no bound is given: then every prompt is a stream."""
    completed = count(document, "completed")
    asked = count(document, "num_prompts") or completed or 1
    # The pace is the text "inf" when there is none.
    pace = None if isinstance(document.get("request_rate"), str) else number(document, "request_rate")
    step = ForeignStep(
        concurrency=max(1, count(document, "max_concurrency") or asked),
        rate_per_s=pace or None,
        ok_count=completed,
        error_count=None if completed is None else max(0, count(document, "failed") or asked - completed),
        output_tok_per_s=number(document, "output_throughput"),
        total_tok_per_s=number(document, "total_token_throughput"),
        requests_per_s=number(document, "request_throughput"),
        window_s=number(document, "duration"),
        ttft_p50_ms=number(document, "median_ttft_ms"),
        ttft_p95_ms=number(document, "p95_ttft_ms"),
        ttft_p99_ms=number(document, "p99_ttft_ms"),
        tpot_p50_ms=number(document, "median_tpot_ms"),
        tpot_p95_ms=number(document, "p95_tpot_ms"),
        e2e_p50_ms=number(document, "median_e2el_ms"),
        e2e_p95_ms=number(document, "p95_e2el_ms"),
        prompt_tokens_mean=reading.ratio(tokens(document, "total_input"), completed),
        output_tokens_mean=reading.ratio(tokens(document, "total_output"), completed),
    )
    result = ForeignResult(
        tool=VLLM,
        tool_version=text(document, "vllm_version"),
        definition=DEFINITIONS[VLLM],
        model=text(document, "model_id"),
        steps=(step,),
        engine=text(document, "backend"),
        measured_at=reading.instant(text(document, "date"), "%Y%m%d-%H%M%S"),
    )
    return (result,)


def tokens(document: Any, name: str) -> float | None:
    """Total tokens, whose key has lost or gained its ending between versions."""
    found = number(document, f"{name}_tokens")
    return number(document, name) if found is None else found


# --- guidellm ---


def is_guidellm(document: Any) -> bool:
    first = next(iter(at(document, "benchmarks") or ()), None) if isinstance(at(document, "benchmarks"), list) else None
    return isinstance(at(first, "metrics"), dict)


def read_guidellm(document: Any) -> tuple[ForeignResult, ...]:
    """All benchmarks of the report as the loads of one result."""
    listed = [reading.mapping(each) for each in document["benchmarks"]]
    first = listed[0]
    model = (
        text(first, "config", "backend", "model")
        or text(first, "benchmarker", "backend", "model")
        or text(first, "worker", "backend_model")
        or text(document, "args", "model")
    )
    steps = distinct([guidellm_step(each) for each in listed])
    result = ForeignResult(
        tool=GUIDELLM,
        tool_version=text(document, "metadata", "guidellm_version"),
        definition=DEFINITIONS[GUIDELLM],
        model=model,
        steps=steps,
        measured_at=None,
        left_out_count=len(listed) - len(steps),
    )
    return (result,)


def guidellm_step(benchmark: Mapping[str, Any]) -> ForeignStep:
    concurrency, pace = guidellm_load(benchmark)

    def value(name: str, *path: str) -> float | None:
        return number(benchmark, "metrics", name, "successful", *path)

    def percentile(name: str, place: str) -> float | None:
        found = value(name, "percentiles", place)
        return value(name, place) if found is None else found

    e2e = value("request_latency", "median"), percentile("request_latency", "p95")
    return ForeignStep(
        concurrency=concurrency,
        rate_per_s=pace,
        ok_count=count(benchmark, "metrics", "request_totals", "successful"),
        error_count=count(benchmark, "metrics", "request_totals", "errored"),
        output_tok_per_s=value("output_tokens_per_second", "mean"),
        total_tok_per_s=value("tokens_per_second", "mean"),
        requests_per_s=value("requests_per_second", "mean"),
        window_s=number(benchmark, "duration"),
        ttft_p50_ms=value("time_to_first_token_ms", "median"),
        ttft_p95_ms=percentile("time_to_first_token_ms", "p95"),
        ttft_p99_ms=percentile("time_to_first_token_ms", "p99"),
        tpot_p50_ms=value("inter_token_latency_ms", "median"),
        tpot_p95_ms=percentile("inter_token_latency_ms", "p95"),
        e2e_p50_ms=None if e2e[0] is None else e2e[0] * MS_PER_S,
        e2e_p95_ms=None if e2e[1] is None else e2e[1] * MS_PER_S,
        prompt_tokens_mean=value("prompt_token_count", "mean"),
        output_tokens_mean=value("output_token_count", "mean"),
    )


def guidellm_load(benchmark: Mapping[str, Any]) -> tuple[int, float | None]:
    """Streams, or a bound and a pace, from the strategy, whose keys moved between versions."""
    strategy = at(benchmark, "config", "strategy") or at(benchmark, "strategy") or at(benchmark, "args", "strategy")
    kind = text(strategy, "type_") or text(strategy, "kind")
    pace = number(strategy, "rate") if kind in ("constant", "poisson", "async") else None
    named = count(strategy, "streams") or count(strategy, "max_concurrency")
    seen = number(benchmark, "metrics", "request_concurrency", "successful", "mean")
    if kind == "synchronous":
        return 1, None
    bound = named or (round(seen) if seen else None)
    if not bound and pace is None:
        raise ForeignError("load_unknown")
    return max(1, bound or 1), pace


# --- aiperf ---


def is_aiperf(document: Any) -> bool:
    return isinstance(at(document, "output_token_throughput"), dict) and isinstance(at(document, "input_config"), dict)


def read_aiperf(document: Any) -> tuple[ForeignResult, ...]:
    """One load; what the configuration does not say of it cannot be guessed."""
    loadgen = at(document, "input_config", "loadgen")
    pace = number(loadgen, "request_rate")
    streams = count(loadgen, "concurrency")
    if not streams and not pace:
        raise ForeignError("load_unknown")

    def value(name: str, place: str = "avg") -> float | None:
        return number(document, name, place)

    names = at(document, "input_config", "endpoint", "model_names")
    step = ForeignStep(
        concurrency=max(1, streams or 1),
        rate_per_s=pace or None,
        ok_count=count(document, "request_count", "avg"),
        error_count=count(document, "error_request_count", "avg") or 0,
        output_tok_per_s=value("output_token_throughput"),
        total_tok_per_s=value("total_token_throughput"),
        requests_per_s=value("request_throughput"),
        window_s=value("benchmark_duration"),
        ttft_p50_ms=value("time_to_first_token", "p50"),
        ttft_p95_ms=value("time_to_first_token", "p95"),
        ttft_p99_ms=value("time_to_first_token", "p99"),
        tpot_p50_ms=value("inter_token_latency", "p50"),
        tpot_p95_ms=value("inter_token_latency", "p95"),
        e2e_p50_ms=value("request_latency", "p50"),
        e2e_p95_ms=value("request_latency", "p95"),
        prompt_tokens_mean=value("input_sequence_length"),
        output_tokens_mean=value("output_sequence_length"),
    )
    check_milliseconds(document, "time_to_first_token", "inter_token_latency", "request_latency")
    result = ForeignResult(
        tool=AIPERF,
        tool_version=text(document, "aiperf_version"),
        definition=DEFINITIONS[AIPERF],
        model=text({"name": names[0]}, "name") if isinstance(names, list) and names else "",
        steps=(step,),
        measured_at=reading.instant(text(document, "start_time")),
    )
    return (result,)


def check_milliseconds(document: Any, *names: str) -> None:
    for name in names:
        if text(document, name, "unit") not in ("", "ms"):
            raise ForeignError("unit", name)


# --- llama-bench ---


def is_llama_bench(document: Any) -> bool:
    listed = document if isinstance(document, list) else [document]
    return bool(listed) and all(
        isinstance(each, dict) and {"n_gen", "n_prompt", "avg_ts"} <= set(each) for each in listed
    )


def read_llama_bench(document: Any) -> tuple[ForeignResult, ...]:
    """One result for each test of generation; it has one stream and no prompt of its own but its depth."""
    listed = document if isinstance(document, list) else [document]
    generating = [each for each in listed if count(each, "n_gen") and not count(each, "n_prompt")]
    return tuple(
        llama_result(each, len(listed) - len(generating) if each is generating[0] else 0) for each in generating
    )


def llama_result(test: Mapping[str, Any], left_out_count: int) -> ForeignResult:
    build = f"{text(test, 'build_commit')} ({count(test, 'build_number') or 0})"
    step = ForeignStep(
        concurrency=1,
        output_tok_per_s=number(test, "avg_ts"),
        output_tokens_mean=number(test, "n_gen"),
        prompt_tokens_mean=number(test, "n_depth"),
    )
    return ForeignResult(
        tool=LLAMA_BENCH,
        tool_version=build,
        definition=DEFINITIONS[LLAMA_BENCH],
        model=text(test, "model_type") or text(test, "model_filename"),
        steps=(step,),
        engine="llama.cpp",
        engine_version=build,
        hardware=text(test, "gpu_info") or text(test, "cpu_info"),
        measured_at=reading.instant(text(test, "test_time")),
        left_out_count=left_out_count,
    )


def distinct(steps: Sequence[ForeignStep]) -> tuple[ForeignStep, ...]:
    """The first step of each load."""
    found: dict[object, ForeignStep] = {}
    for step in steps:
        found.setdefault((step.concurrency if step.rate_per_s is None else None, step.rate_per_s), step)
    return tuple(found.values())


READERS: tuple[tuple[Callable[[Any], bool], Callable[[Any], tuple[ForeignResult, ...]]], ...] = (
    (is_vllm, read_vllm),
    (is_guidellm, read_guidellm),
    (is_aiperf, read_aiperf),
    (is_llama_bench, read_llama_bench),
)
