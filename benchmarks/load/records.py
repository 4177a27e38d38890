"""What passes between the supervisor and whoever started it: a plan in, lines out. Times are monotonic nanoseconds."""

import dataclasses
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from benchmarks.load.targets import Target

CLOSED = "closed"
INCOMPLETE = "incomplete"
"""Kind of a request that was still being answered when the time of its step was over: no failure of the server."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Upper limits in ms of a request's own times; None = not asked. `from_plan`: TTFT from the planned instant."""

    ttft_ms: float | None = None
    tpot_ms: float | None = None
    e2e_ms: float | None = None
    from_plan: bool = False

    @property
    def asked(self) -> bool:
        return any(limit is not None for limit in (self.ttft_ms, self.tpot_ms, self.e2e_ms))


@dataclass(frozen=True, slots=True)
class VllmPlan:
    """A vLLM server to start: the program of this host (empty where it has none) and the arguments of `serve`."""

    program: str
    model: str
    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run: one step a concurrency (closed loop) or a rate (the other patterns), each after a warm-up.

    A step ends after `requests_count` measured requests, or after `duration_s` if that comes first. In an open loop
    the first concurrency is the most requests under way. `search` is empty (every step), sweep (until a stop rule) or
    knee (from the first rate to the highest that is carried). Without a `target` and a `vllm` llama.cpp serves the
    model of `model_path`. `vocabulary_size` bounds the ids of made prompts; 0 = unknown.
    """

    model_path: str
    folder: str
    concurrencies: tuple[int, ...]
    requests_count: int
    prompt_tokens: int
    output_tokens: int
    seed: int
    vocabulary_size: int
    start_deadline_s: float = 30.0
    request_timeout_s: float = 60.0
    run_deadline_s: float = 900.0
    stop_grace_s: float = 1.0
    pattern: str = "closed"
    rates_per_s: tuple[float, ...] = ()
    ramp_s: float = 0.0
    duration_s: float | None = None
    search: str = ""
    limit_ttft_ms: float | None = None
    limit_tpot_ms: float | None = None
    shared_prefix_tokens: int = 0
    prompts_path: str = ""
    target: Target | None = None
    vllm: VllmPlan | None = None

    @property
    def limits(self) -> Limits:
        """The targets of goodput; in an open loop the first token counts from plan."""
        return Limits(self.limit_ttft_ms, self.limit_tpot_ms, from_plan=self.pattern != "closed")

    @property
    def samples_path(self) -> Path:
        return Path(self.folder) / "samples.jsonl"

    @property
    def engine_log_path(self) -> Path:
        return Path(self.folder) / "engine.log"


@dataclass(frozen=True, slots=True)
class StepLoad:
    """The load of one step; `rate_per_s` None = closed loop."""

    step: int
    concurrency: int
    rate_per_s: float | None = None


@dataclass(slots=True)
class Request:
    """One request as it was seen. A time that never came is None; so is a count that nobody told.

    `arrivals_ns` are the socket reads of the token-bearing events, `arrival_tokens` the tokens each carried (None
    when the server does not count them). `output_tokens` includes reasoning. `ready_ns` is from when on only the client
    kept the request from being sent: a slot was free, the last pause after a refusal was over; None = `planned_ns`.
    """

    step: int
    number: int
    warm_up: bool
    planned_ns: int
    requested_prompt_tokens: int
    requested_output_tokens: int
    sent_ns: int | None = None
    connection_reused: bool | None = None
    answer_ns: int | None = None
    end_ns: int | None = None
    arrivals_ns: list[int] = field(default_factory=list)
    arrival_tokens: list[int] | None = None
    output_tokens: int | None = None
    token_source: str = ""
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    finish_reason: str = ""
    done_seen: bool = False
    http_status: int | None = None
    error_kind: str = ""
    error_message: str = ""
    ready_ns: int | None = None
    attempts_count: int = 1

    @property
    def ok(self) -> bool:
        return not self.error_kind

    @property
    def incomplete(self) -> bool:
        return self.error_kind == INCOMPLETE

    @property
    def first_ns(self) -> int | None:
        return self.arrivals_ns[0] if self.arrivals_ns else None

    @property
    def last_ns(self) -> int | None:
        return self.arrivals_ns[-1] if self.arrivals_ns else None

    @property
    def first_tokens(self) -> int:
        """Tokens in the first token-bearing event: told by the server, else one."""
        return self.arrival_tokens[0] if self.arrival_tokens else 1


@dataclass(frozen=True, slots=True)
class EngineReady:
    """The engine answers. `shared_core`: no core could be kept for the client alone."""

    engine: str
    version: str
    threads_count: int | None
    engine_cores: str
    client_cores: str
    shared_core: bool
    type: str = "engine_ready"


@dataclass(frozen=True, slots=True)
class Tick:
    """Once a second: how far the step is. `tok_per_s` and `ttft_p50_ms` cover the last second; None = nothing seen."""

    step: int
    concurrency: int
    warming_up: bool
    done_count: int
    total_count: int
    error_count: int
    tok_per_s: float | None
    ttft_p50_ms: float | None
    loop_lag_ms: float
    rate_per_s: float | None = None
    type: str = "tick"


@dataclass(frozen=True, slots=True)
class StepEnd:
    """A step is over; its requests stand in the samples file. The window is the time with every slot at work."""

    step: int
    concurrency: int
    started_ns: int
    ended_ns: int
    window_start_ns: int | None
    window_end_ns: int | None
    loop_lag_p99_ms: float
    client_cpu_ratio: float
    complete: bool
    rate_per_s: float | None = None
    type: str = "step_end"


@dataclass(frozen=True, slots=True)
class ServerCounters:
    """What server and client counted of the same requests, warm-up included; None where the server does not count.

    `disagrees`: more than 1 % apart, or the server's counts went backwards.
    """

    client_prompt_tokens: int
    client_output_tokens: int
    disagrees: bool
    prompt_tokens: int | None = None
    output_tokens: int | None = None
    prefix_queries: int | None = None
    prefix_hits: int | None = None
    preemptions_count: int | None = None
    type: str = "server_counters"


@dataclass(frozen=True, slots=True)
class RunEnd:
    """The last line. `status` is succeeded, failed or cancelled; `code` names the reason of a failure.

    `search_end` says how a sweep or a knee search came to its end.
    """

    status: str
    code: str = ""
    detail: str = ""
    search_end: str = ""
    type: str = "run_end"


Message = EngineReady | Tick | StepEnd | ServerCounters | RunEnd
MESSAGES: dict[str, type[Message]] = {
    "engine_ready": EngineReady,
    "tick": Tick,
    "step_end": StepEnd,
    "server_counters": ServerCounters,
    "run_end": RunEnd,
}


def dump(item: Any) -> bytes:
    """One line of strict JSON, without its line end."""
    return orjson.dumps(item)


def load_message(line: bytes) -> Message:
    """The message of one line; ValueError when the line is none."""
    fields = orjson.loads(line)
    if not isinstance(fields, dict) or fields.get("type") not in MESSAGES:
        raise ValueError(f"not a message: {line[:80]!r}")
    return MESSAGES[fields["type"]](**fields)


def load_plan(path: Path) -> Plan:
    fields = orjson.loads(path.read_bytes())
    target = fields["target"]
    fields["target"] = target and Target(**{**target, "allowed": tuple(target["allowed"])})
    if vllm := fields["vllm"]:
        fields["vllm"] = VllmPlan(**{**vllm, "arguments": tuple(vllm["arguments"])})
    return Plan(**{**fields, **{name: tuple(fields[name]) for name in ("concurrencies", "rates_per_s")}})


def load_requests(path: Path, step: int | None = None) -> list[Request]:
    """The requests of a samples file, of one step or of all. A last line cut by a kill is left out."""
    names = {item.name for item in dataclasses.fields(Request)}
    requests = []
    for line in path.read_bytes().split(b"\n")[:-1]:
        fields = orjson.loads(line)
        if step is None or fields["step"] == step:
            requests.append(Request(**{name: value for name, value in fields.items() if name in names}))
    return requests
