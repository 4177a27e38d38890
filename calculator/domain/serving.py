"""What a server does with many requests: how many it runs at once, tokens a second, and the waiting before the first.

Built on `inference`'s kernel. A closed loop of N clients is assumed: each sends its next request when the last ends.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

from calculator.domain.calibration import ServingConstants
from calculator.domain.inference import Rates, decode_step_s, prompt_alone_s, prompt_work_s

FULL = 0.98
"""Utilisation by prompts beyond which the waiting formula would diverge."""


@dataclass(frozen=True, slots=True)
class Load:
    """Mean prompt and output lengths, clients at once, and the share of prompts that the prefix cache holds."""

    prompt_tokens: float
    output_tokens: float
    concurrency: float
    prefix_hit_ratio: float = 0.0


class Point(NamedTuple):
    """A server under one load. `queue_s`, `prefill_s` and `first_step_s` add up to `first_token_s`."""

    running: float
    first_token_s: float
    queue_s: float
    prefill_s: float
    first_step_s: float
    token_s: float
    output_tok_per_s: float
    request_s: float

    @property
    def requests_per_s(self) -> float:
        """Requests finished a second."""
        return self.running / self.request_s if self.request_s else 0.0


def running_sequences(load: Load, room: float, constants: ServingConstants, groups: int) -> float:
    """Sequences in the batch: clients, the engine's limit of sequences, the room of the cache; the least of them."""
    return min(load.concurrency, constants.max_sequences * groups, room)


def wait_s(prompt_s: float, running: float, cycle_s: float, constants: ServingConstants) -> float:
    """Prompts ahead of one's own: a share of the first burst, and of arrivals that find the GPU with a prompt.

    w = p·(b·(R−1) + a·ρ/(2(1−ρ))), ρ = R·p ÷ cycle for the R−1 others.
    """
    others = running - 1
    if others <= 0:
        return 0.0
    busy = min(FULL, others * prompt_s / cycle_s)
    return prompt_s * (constants.burst_ratio * others + constants.arrival_ratio * busy / (2 * (1 - busy)))


def point(rates: Rates, constants: ServingConstants, load: Load, room: float) -> Point:
    """The server under `load` when its cache has room for `room` sequences (≥ 1; the memory gate comes before).

    Throughput = R·O ÷ (O·step(R) + R·prompt): prompts and steps share the GPU. Time a token = step + the others'
    prompts during one output, weighed by how far the engine runs them beside the decode. Requests beyond R queue for
    (N/R − 1) whole cycles.
    """
    running = running_sequences(load, room, constants, rates.groups)
    computed = load.prompt_tokens * (1 - load.prefix_hit_ratio)
    step = decode_step_s(rates, running, load.prompt_tokens + load.output_tokens / 2)
    prompt_s = prompt_work_s(rates, load.prompt_tokens, computed)
    cycle_s = running * prompt_s + load.output_tokens * step
    token_s = step + constants.overlap_ratio * max(0.0, running - 1) * prompt_s / load.output_tokens
    prefill_s = prompt_alone_s(rates, load.prompt_tokens, computed)
    beyond_s = max(0.0, load.concurrency / running - 1) * cycle_s
    admission_s = constants.request_s + constants.prompt_token_s * load.prompt_tokens
    queue_s = admission_s + beyond_s + wait_s(prompt_s, running, cycle_s, constants)
    first_step_s = constants.inflight_steps * step
    first_token_s = queue_s + prefill_s + first_step_s
    output_tok_per_s = running * load.output_tokens / cycle_s
    return Point(running, first_token_s, queue_s, prefill_s, first_step_s, token_s, output_tok_per_s, cycle_s)


@dataclass(frozen=True, slots=True)
class Targets:
    """What a visitor accepts, in seconds; None sets no limit."""

    first_token_s: float | None = None
    token_s: float | None = None
    end_to_end_s: float | None = None

    def held_by(self, found: Point, output_tokens: float) -> bool:
        """Whether a point holds all of them."""
        values = (found.first_token_s, found.token_s, end_to_end_s(found, output_tokens))
        limits = (self.first_token_s, self.token_s, self.end_to_end_s)
        return all(limit is None or value <= limit for value, limit in zip(values, limits, strict=True))


def end_to_end_s(found: Point, output_tokens: float) -> float:
    """From sending a request to its last token: first token + (O − 1) × time a token."""
    return found.first_token_s + (output_tokens - 1) * found.token_s


def saturated(rates: Rates, constants: ServingConstants, load: Load, room: float) -> Point:
    """The server with as many clients as it runs at once: its highest throughput, and no queue beyond."""
    most = running_sequences(replace(load, concurrency=room), room, constants, rates.groups)
    return point(rates, constants, replace(load, concurrency=most), room)


def best_point(
    rates: Rates, constants: ServingConstants, load: Load, room: float, targets: Targets
) -> tuple[int, Point] | None:
    """The most clients under the targets, and the point there; None where even one client misses them.

    Latency grows with the clients, so halving finds it.
    """
    held: tuple[int, Point] | None = None
    low, high = 1, max(1, int(running_sequences(replace(load, concurrency=room), room, constants, rates.groups)))
    while low <= high:
        clients = (low + high) // 2
        found = point(rates, constants, replace(load, concurrency=clients), room)
        if targets.held_by(found, load.output_tokens):
            held, low = (clients, found), clients + 1
        else:
            high = clients - 1
    return held


def single_stream_tok_per_s(rates: Rates, context_tokens: float) -> float:
    """Output tokens a second of one stream at a mean live context."""
    return 1 / decode_step_s(rates, 1, context_tokens)


def prompt_tok_per_s(rates: Rates, prompt_tokens: float) -> float:
    """Prompt tokens a second of one prompt on an idle server."""
    return prompt_tokens / prompt_alone_s(rates, prompt_tokens, prompt_tokens)
