"""What a server does with many requests: how many it runs at once, tokens a second, and the waiting before the first.

Built on `inference`'s kernel. A closed loop of N clients is assumed: each sends its next request when the last ends.
"""

from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class Point:
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
    return Point(
        running=running,
        first_token_s=first_token_s,
        queue_s=queue_s,
        prefill_s=prefill_s,
        first_step_s=first_step_s,
        token_s=token_s,
        output_tok_per_s=running * load.output_tokens / cycle_s,
        request_s=cycle_s,
    )


def single_stream_tok_per_s(rates: Rates, context_tokens: float) -> float:
    """Output tokens a second of one stream at a mean live context."""
    return 1 / decode_step_s(rates, 1, context_tokens)


def prompt_tok_per_s(rates: Rates, prompt_tokens: float) -> float:
    """Prompt tokens a second of one prompt on an idle server."""
    return prompt_tokens / prompt_alone_s(rates, prompt_tokens, prompt_tokens)
