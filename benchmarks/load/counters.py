"""What the server counted of a run, beside what we counted of the same requests, warm-up included on both sides.

A server that offers Prometheus metrics is asked for them before the first request and after the last one. The
difference must agree with the tokens that its answers told us: else something else was served too, or tokens were lost.
"""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, fields

from prometheus_client.parser import text_string_to_metric_families

from benchmarks.load.client import Client
from benchmarks.load.records import Request, ServerCounters

TOLERANCE_RATIO = 0.01
SETTLE_ATTEMPTS_COUNT = 10
SETTLE_PAUSE_S = 0.2
# The samples whose sum is each count, by engine. llama.cpp counts the prompt tokens that it did not read apart.
VLLM = {
    "prompt_tokens": ("vllm:prompt_tokens_total",),
    "output_tokens": ("vllm:generation_tokens_total",),
    "prefix_queries": ("vllm:prefix_cache_queries_total",),
    "prefix_hits": ("vllm:prefix_cache_hits_total",),
    "preemptions_count": ("vllm:num_preemptions_total",),
}
LLAMA_CPP = {
    "prompt_tokens": ("llamacpp:prompt_tokens_total", "llamacpp:prompt_tokens_cached_total"),
    "output_tokens": ("llamacpp:tokens_predicted_total",),
    "prefix_queries": ("llamacpp:prompt_tokens_total", "llamacpp:prompt_tokens_cached_total"),
    "prefix_hits": ("llamacpp:prompt_tokens_cached_total",),
}


@dataclass(frozen=True, slots=True)
class Counted:
    """A server's totals since it started, or their difference; None where it does not count that.

    Prefix-cache queries and hits are in tokens. A preemption is a request put back in the queue for want of memory.
    """

    prompt_tokens: float | None = None
    output_tokens: float | None = None
    prefix_queries: float | None = None
    prefix_hits: float | None = None
    preemptions_count: float | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """What the answers told: tokens written, and how many more the server may have written without our hearing of it.

    `open_tokens` are those asked for by requests that failed or were cut off, less what arrived of them.
    """

    prompt_tokens: int = 0
    output_tokens: int = 0
    open_tokens: int = 0

    def __add__(self, other: "Told") -> "Told":
        return Told(
            self.prompt_tokens + other.prompt_tokens,
            self.output_tokens + other.output_tokens,
            self.open_tokens + other.open_tokens,
        )


def told(requests: Iterable[Request]) -> Told:
    """The sum over all requests, warm-up and failures included."""
    prompt = output = still_open = 0
    for request in requests:
        seen = request.output_tokens or 0
        prompt += request.prompt_tokens or 0
        output += seen
        if not request.ok:
            still_open += max(0, request.requested_output_tokens - seen)
    return Told(prompt, output, still_open)


def read(text: str) -> Counted | None:
    """The totals in a page of metrics; None when it is none, or of a server whose names are not known."""
    sums: dict[str, float] = {}
    try:
        for family in text_string_to_metric_families(text):
            for sample in family.samples:
                sums[sample.name] = sums.get(sample.name, 0.0) + sample.value
    except (ValueError, KeyError, IndexError):
        return None
    for names in (VLLM, LLAMA_CPP):
        if all(name in sums for name in names["output_tokens"]):
            return Counted(**{field: total(sums, wanted) for field, wanted in names.items()})
    return None


def total(sums: dict[str, float], names: tuple[str, ...]) -> float | None:
    return sum(sums[name] for name in names) if all(name in sums for name in names) else None


def difference(before: Counted, after: Counted) -> Counted | None:
    """What was counted in between; None when a total went down: the server has started anew."""
    values: dict[str, float | None] = {}
    for field in fields(Counted):
        first, last = getattr(before, field.name), getattr(after, field.name)
        values[field.name] = None if first is None or last is None else last - first
    if any(value is not None and value < 0 for value in values.values()):
        return None
    return Counted(**values)


def disagrees(server: Counted, client: Told) -> bool:
    """Whether the server's output tokens are more than 1 % off what its answers can account for.

    1 000 tokens told: 990 to 1 010 agree; with 50 tokens unheard of, 990 to 1 060 do.
    """
    if server.output_tokens is None:
        return False
    slack = TOLERANCE_RATIO * client.output_tokens
    low, high = client.output_tokens - slack, client.output_tokens + client.open_tokens + slack
    return not low <= server.output_tokens <= high


async def scraped(client: Client) -> Counted | None:
    """The server's totals now; None when it has no metrics that we can read."""
    return read(await client.text(client.endpoint.metrics_url)) if client.endpoint.metrics_url else None


async def counted(client: Client, before: Counted, seen: Told) -> ServerCounters:
    """What both sides counted since `before`. A server that brings its totals up to date late is given a moment."""
    server: Counted | None = None
    for _ in range(SETTLE_ATTEMPTS_COUNT):
        after = await scraped(client)
        server = after and difference(before, after)
        if server is not None and not disagrees(server, seen):
            break
        await asyncio.sleep(SETTLE_PAUSE_S)
    return message(server, seen)


def message(server: Counted | None, seen: Told) -> ServerCounters:
    """A server whose totals vanished or went down while we measured did not run through: that is a disagreement."""
    found = server or Counted()
    return ServerCounters(
        prompt_tokens=whole(found.prompt_tokens),
        output_tokens=whole(found.output_tokens),
        prefix_queries=whole(found.prefix_queries),
        prefix_hits=whole(found.prefix_hits),
        preemptions_count=whole(found.preemptions_count),
        client_prompt_tokens=seen.prompt_tokens,
        client_output_tokens=seen.output_tokens,
        disagrees=server is None or disagrees(server, seen),
    )


def whole(value: float | None) -> int | None:
    return None if value is None else round(value)
