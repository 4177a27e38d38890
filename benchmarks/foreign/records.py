"""What a foreign result says, with the names of our columns where the meaning is near. Unknown is None."""

import datetime as dt
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ForeignStep:
    """One load. In an open loop `rate_per_s` is the asked pace and `concurrency` the bound, if the file says one."""

    concurrency: int
    rate_per_s: float | None = None
    ok_count: int | None = None
    error_count: int | None = None
    output_tok_per_s: float | None = None
    total_tok_per_s: float | None = None
    requests_per_s: float | None = None
    window_s: float | None = None
    ttft_p50_ms: float | None = None
    ttft_p95_ms: float | None = None
    ttft_p99_ms: float | None = None
    tpot_p50_ms: float | None = None
    tpot_p95_ms: float | None = None
    e2e_p50_ms: float | None = None
    e2e_p95_ms: float | None = None
    prompt_tokens_mean: float | None = None
    output_tokens_mean: float | None = None


@dataclass(frozen=True, slots=True)
class ForeignResult:
    """A file's result for one set of conditions. `definition` names the tool's own meaning of each metric."""

    tool: str
    tool_version: str
    definition: str
    model: str
    steps: tuple[ForeignStep, ...]
    engine: str = ""
    engine_version: str = ""
    hardware: str = ""
    measured_at: dt.datetime | None = None
    left_out_count: int = 0
