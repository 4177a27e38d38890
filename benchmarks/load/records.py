"""What passes between the supervisor and whoever started it: a plan in, lines out. Times are monotonic nanoseconds."""

import dataclasses
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

INCOMPLETE = "incomplete"
"""Kind of a request that was still being answered when the time of its step was over: no failure of the server."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run: one closed-loop step a concurrency, `requests_count` measured requests each after a warm-up."""

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

    @property
    def samples_path(self) -> Path:
        return Path(self.folder) / "samples.jsonl"

    @property
    def engine_log_path(self) -> Path:
        return Path(self.folder) / "engine.log"


@dataclass(slots=True)
class Request:
    """One request as it was seen. A time that never came is None; so is a count that nobody told.

    `arrivals_ns` are the socket reads of the token-bearing events, `arrival_tokens` the tokens each carried (None
    when the server does not count them). `output_tokens` includes reasoning.
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
    threads_count: int
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
    type: str = "step_end"


@dataclass(frozen=True, slots=True)
class RunEnd:
    """The last line. `status` is succeeded, failed or cancelled; `code` names the reason of a failure."""

    status: str
    code: str = ""
    detail: str = ""
    type: str = "run_end"


Message = EngineReady | Tick | StepEnd | RunEnd
MESSAGES: dict[str, type[Message]] = {
    "engine_ready": EngineReady,
    "tick": Tick,
    "step_end": StepEnd,
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
    return Plan(**{**fields, "concurrencies": tuple(fields["concurrencies"])})


def load_requests(path: Path, step: int | None = None) -> list[Request]:
    """The requests of a samples file, of one step or of all. A last line cut by a kill is left out."""
    names = {item.name for item in dataclasses.fields(Request)}
    requests = []
    for line in path.read_bytes().split(b"\n")[:-1]:
        fields = orjson.loads(line)
        if step is None or fields["step"] == step:
            requests.append(Request(**{name: fields[name] for name in names}))
    return requests
