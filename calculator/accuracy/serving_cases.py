"""Cases of the three inference files: total output rate, latency at a concurrency, single stream."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from calculator.accuracy.cases import Case, Outcome, Refusal, RefusedError, Row
from calculator.accuracy.naming import cache_bytes, count, dated, engine_class, engine_era, number, precision_of
from calculator.accuracy.sheets import Sheets
from calculator.domain.calibration import Engine, ServingConstants, chip_class, serving_classes
from calculator.domain.hardware import Gpu
from calculator.domain.inference import Deployment, NotModelledError, Rates, prompt_alone_s, rates
from calculator.domain.memory import kv_budget_bytes, room_sequences
from calculator.domain.serving import Load, Point, point, single_stream_tok_per_s
from calculator.domain.serving_layout import engine_precision

SERVERS = (Engine.VLLM, Engine.SGLANG, Engine.TENSORRT_LLM)
UNBOUNDED = 1e9
"""Clients of an offline run: as many as the server takes."""
SHORTER_REQUESTS = "80-100 %"
SHORTER_RATIO = 0.9
MS = 1000.0
MINIMUM_ROOM = 1.0

LAUNCHED_BY_SCRIPT = "InferenceX"
SCRIPTED_CACHE = "fp8"
"""InferenceX publishes how it starts its servers; the cells of its rows leave the cache's precision out."""

Value = Callable[[ServingConstants], float]


@dataclass(frozen=True, slots=True)
class Server:
    """A deployment with its engine, as a row describes it."""

    deployment: Deployment
    engine: Engine
    classes: tuple[str, ...]

    def point(self, load: Load, constants: ServingConstants) -> Point:
        """The server under a load; refused where not one sequence fits."""
        room = room_sequences(self.deployment, constants, self.engine, load.prompt_tokens, load.output_tokens)
        if room < MINIMUM_ROOM:
            raise RefusedError("does not fit")
        return point(rates(self.deployment, constants), constants, load, room)

    def alone(self, constants: ServingConstants) -> Rates:
        """The server for one stream; refused where the weights leave no room."""
        if kv_budget_bytes(self.deployment, constants, self.engine) <= 0:
            raise RefusedError("does not fit")
        return rates(self.deployment, constants)


def server_of(row: Row, sheets: Sheets, precision_key: str, engines: tuple[Engine, ...]) -> Server:
    """The server that a row describes; refused with the first thing that is not known."""
    engine = engine_class(row.get("engine", ""))
    if engine is None or engine not in engines:
        raise RefusedError("engine not modelled")
    gpu, model = sheets.gpu(row.get("gpu", "")), sheets.model(row.get("model", ""))
    if gpu is None:
        raise RefusedError("unknown GPU")
    if gpu.vendor != "NVIDIA":
        raise RefusedError("vendor not calibrated")
    if model is None:
        raise RefusedError("unknown model")
    precision = precision_of(row.get(precision_key, ""))
    if precision is None:
        raise RefusedError("precision not modelled")
    precision = engine_precision(engine, precision)
    cache = row.get("kv_dtype") or (SCRIPTED_CACHE if is_scripted(row, engine, gpu) else "")
    gpus = count(row.get("n_gpus"), 1)
    tensor = 1 if engine is Engine.LLAMA_CPP else count(row.get("tp"), gpus)
    rest = max(1, gpus // tensor)
    deployment = Deployment(
        model=model,
        gpu=gpu,
        precision=precision,
        kv_element_bytes=cache_bytes(cache, engine, precision, gpu),
        tensor_parallel=tensor,
        attention_parallel=rest if model.n_experts and engine is not Engine.LLAMA_CPP else 1,
        pipeline_parallel=1 if model.n_experts and engine is not Engine.LLAMA_CPP else rest,
        kv_integer=row.get("kv_dtype", "").casefold().startswith("int"),
    )
    era = engine_era(
        row.get("engine", ""), engine, gpu, model, precision.code, dated(row.get("note", ""), row.get("source", ""))
    )
    server = Server(deployment, engine, serving_classes(engine, era, precision.family, gpu))
    _check_sheet(server)
    return server


def is_scripted(row: Row, engine: Engine, gpu: Gpu) -> bool:
    """Whether the row is of a server that InferenceX started with SGLang on Blackwell, by its published script
    (benchmarks/dsr1_fp8_b200.sh and dsr1_fp4_b200.sh: `--kv-cache-dtype fp8_e4m3`)."""
    named = LAUNCHED_BY_SCRIPT in row.get("note", "")
    return named and engine is Engine.SGLANG and gpu.architecture.startswith("Blackwell")


def _check_sheet(server: Server) -> None:
    gpu = server.deployment.gpu
    if not (gpu.fp16_tflops_dense_fp32acc or gpu.bf16_tflops_dense):
        raise RefusedError("no peak on the data sheet")


def load_of(row: Row) -> Load:
    """Lengths and clients; refused where one is not stated, or where requests arrive at a rate."""
    prompt, output = number(row.get("isl")), number(row.get("osl"))
    if not prompt or not output:
        raise RefusedError("lengths not stated")
    ratio = SHORTER_RATIO if SHORTER_REQUESTS in row.get("note", "") else 1.0
    return Load(prompt * ratio, output * ratio, _clients(row.get("concurrency", "")))


def _clients(text: str) -> float:
    clients = UNBOUNDED if text == "max" else number(text)
    if text.startswith("qps"):
        raise RefusedError("open loop at a rate")
    if not clients:
        raise RefusedError("concurrency not stated")
    return clients


ALL_AT_ONCE, OPEN_LOOP, AMD, SLOW_T4 = "all requests at once", "open loop at a rate", "AMD", "T4"


def apart_of(row: Row, gpu: Gpu | None) -> str:
    """Why a row sets no goal; empty when it does. A T4 runs single streams on slow stand-ins of the kernels."""
    if "at once" in row.get("note", ""):
        return ALL_AT_ONCE
    if row.get("concurrency", "").startswith("qps"):
        return OPEN_LOOP
    if gpu is not None and gpu.vendor == "AMD":
        return AMD
    return SLOW_T4 if gpu is not None and gpu.name == "T4" and "metric" in row else ""


def _outcome(
    place: tuple[str, int],
    row: Row,
    sheets: Sheets,
    metric: str,
    measured: float,
    precision_key: str,
    build: Callable[[], tuple[Server, Value]],
) -> Outcome:
    engine = engine_class(row.get("engine", ""))
    name = engine.value if engine else row.get("engine", "")
    precision = precision_of(row.get(precision_key, ""))
    family = precision.family if precision else row.get(precision_key, "")
    apart = apart_of(row, sheets.gpu(row.get("gpu", "")))
    try:
        server, value = build()
    except (RefusedError, NotModelledError) as reason:
        return Refusal(*place, metric, name, family, measured, str(reason), apart)
    pair = f"{server.deployment.gpu.name}|{server.deployment.model.name}"
    source, chip = row.get("source", ""), chip_class(server.deployment.gpu)
    return Case(
        *place, metric, name, family, measured, source, pair, "serving", server.classes, value, apart=apart, chip=chip
    )


def batched(file: str, line: int, row: Row, sheets: Sheets) -> Iterator[Outcome]:
    """Total output tokens a second of a static batch, a client limit or an offline run."""
    measured = number(row.get("total_output_tok_s"))

    def build() -> tuple[Server, Value]:
        server, load = server_of(row, sheets, "weight_precision", SERVERS), load_of(row)
        return server, lambda constants: server.point(load, constants).output_tok_per_s

    if measured:
        yield _outcome((file, line), row, sheets, "total_output_tok_s", measured, "weight_precision", build)


LATENCIES: dict[str, Callable[[Point], float]] = {
    "tpot_ms": lambda found: found.token_s * MS,
    "ttft_ms": lambda found: found.first_token_s * MS,
}


def latency(file: str, line: int, row: Row, sheets: Sheets) -> Iterator[Outcome]:
    """Time to the first token and time a token at a concurrency."""
    for metric, read in LATENCIES.items():
        measured = number(row.get(metric))

        def build(read: Callable[[Point], float] = read) -> tuple[Server, Value]:
            server, load = server_of(row, sheets, "weight_precision", SERVERS), load_of(row)
            if load.concurrency == UNBOUNDED:
                raise RefusedError("concurrency not stated")
            return server, lambda constants: read(server.point(load, constants))

        if measured:
            yield _outcome((file, line), row, sheets, metric, measured, "weight_precision", build)


def single_stream(file: str, line: int, row: Row, sheets: Sheets) -> Iterator[Outcome]:
    """Decode rate, prompt rate or first token of one stream, or of a small static batch."""
    measured = number(row.get("value"))

    def build() -> tuple[Server, Value]:
        server = server_of(row, sheets, "precision", (*SERVERS, Engine.LLAMA_CPP))
        return server, _single_value(row, server)

    if measured:
        yield _outcome((file, line), row, sheets, row.get("metric", ""), measured, "precision", build)


def _single_value(row: Row, server: Server) -> Value:
    prompt, output = number(row.get("prompt_tokens")), number(row.get("output_tokens"))
    batch = number(row.get("batch")) or 1.0
    if row.get("metric") == "decode_tok_s":
        return _decode_value(server, (prompt or 0.0) + (output or 0.0) / 2, batch)
    if not prompt:
        raise RefusedError("lengths not stated")
    if row.get("metric") == "prefill_tok_s":
        return lambda constants: batch * prompt / _prompts_s(server, constants, prompt, batch)
    if row.get("metric") == "ttft_ms":
        return lambda constants: (constants.request_s + _prompts_s(server, constants, prompt, batch)) * MS
    raise RefusedError("metric not modelled")


def _decode_value(server: Server, context: float, batch: float) -> Value:
    if batch != 1:
        raise RefusedError("batch not modelled")
    return lambda constants: single_stream_tok_per_s(server.alone(constants), context)


def _prompts_s(server: Server, constants: ServingConstants, prompt: float, batch: float) -> float:
    return prompt_alone_s(server.alone(constants), prompt, prompt * batch)
