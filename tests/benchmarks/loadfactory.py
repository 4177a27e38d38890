"""Requests and events with times in ms, as the cases write them."""

from collections.abc import Iterable
from typing import Any

import orjson

from benchmarks.load.records import Request, StepEnd
from benchmarks.load.stream import Stream

MS = 1_000_000


def request(**values: Any) -> Request:
    """A measured request sent at 0; times given as `…_ms` become nanoseconds."""
    known: dict[str, Any] = {
        "step": 1,
        "number": 0,
        "warm_up": False,
        "planned_ns": 0,
        "requested_prompt_tokens": 128,
        "requested_output_tokens": 16,
        "sent_ns": 0,
        "end_ns": 0,
    }
    known |= {name: value for name, value in values.items() if not name.endswith("_ms")}
    for name, value in values.items():
        if name.endswith("_ms"):
            times = [int(item * MS) for item in value] if isinstance(value, list | tuple) else int(value * MS)
            known[f"{name.removesuffix('_ms')}_ns"] = times
    return Request(**known)


def spoken(ttft_ms: float, gaps_ms: Iterable[float] = (), **values: Any) -> Request:
    """A successful request with its first token at `ttft_ms` and one token an event."""
    arrivals = [ttft_ms]
    for gap in gaps_ms:
        arrivals.append(arrivals[-1] + gap)
    given = {"output_tokens": len(arrivals), "finish_reason": "length", "end_ms": arrivals[-1], "prompt_tokens": 128}
    return request(arrivals_ms=arrivals, **(given | values))


def event(data: Any) -> bytes:
    return b"data: " + (data if isinstance(data, bytes) else orjson.dumps(data)) + b"\n\n"


def content(text: str = "a", usage: int | None = None) -> bytes:
    body: dict[str, Any] = {"choices": [{"delta": {"content": text}, "finish_reason": None}]}
    if usage is not None:
        body["usage"] = {"completion_tokens": usage}
    return event(body)


def reasoning(text: str = "a") -> bytes:
    return event({"choices": [{"delta": {"reasoning_content": text}}]})


ROLE = event({"choices": [{"delta": {"role": "assistant", "content": ""}}]})
DONE = event(b"[DONE]")


def finish(reason: str = "stop", usage: dict[str, Any] | None = None) -> bytes:
    return event({"choices": [{"delta": {}, "finish_reason": reason}], **({"usage": usage} if usage else {})})


def usage_only(tokens: int, **details: Any) -> bytes:
    return event({"choices": [], "usage": {"completion_tokens": tokens, **details}})


def read(reads: Iterable[tuple[float, bytes]], end_ms: float | None = None) -> Request:
    """The record of a body made of (ms, bytes) reads that ended cleanly at `end_ms`, by default with the last read."""
    stream, last = Stream(request()), 0.0
    for at_ms, chunk in reads:
        stream.feed(int(at_ms * MS), chunk)
        last = at_ms
    stream.finish(int((last if end_ms is None else end_ms) * MS))
    return stream.request


def step_end(**values: Any) -> StepEnd:
    """A step that ran without a hitch, 1 s long."""
    known = {
        "step": 1,
        "concurrency": 1,
        "started_ns": 0,
        "ended_ns": 1000 * MS,
        "window_start_ns": None,
        "window_end_ns": None,
        "loop_lag_p99_ms": 0.5,
        "client_cpu_ratio": 0.1,
        "complete": True,
    }
    return StepEnd(**(known | values))
