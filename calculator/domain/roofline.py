"""The roofline of one replica: its roofs, the ridge, where prefill and decode lie, and which limit binds."""

import enum
from dataclasses import dataclass

from calculator.domain.inference import Deployment, Rates, prompt_alone_s, reach_layers, step_terms, touched_ratio
from calculator.domain.llm import kv_bytes_a_layer
from calculator.domain.precision import (
    dense_weight_bytes,
    expert_weight_bytes,
    head_bytes,
    head_params,
)
from calculator.domain.roofs import compute_roof, memory_roof
from calculator.domain.serving import Load

FLOP_A_PARAM = 2


class Limit(enum.StrEnum):
    """What a step spends its time on."""

    WEIGHTS = "weights"
    CACHE = "cache"
    COMPUTE = "compute"
    LINKS = "links"
    HOST = "host"


@dataclass(frozen=True, slots=True)
class Mark:
    """One kind of pass on the roofline: FLOP for each byte moved, and FLOP a second reached by the whole replica."""

    flop_per_byte: float
    flop_per_s: float


@dataclass(frozen=True, slots=True)
class Roofline:
    """Roofs of the replica, measured or at 100 % of the data sheet, its ridge, both passes, a decode step by limit."""

    memory_bytes_per_s: float
    compute_flop_per_s: float
    decode: Mark
    prefill: Mark
    decode_s: tuple[tuple[Limit, float], ...]

    @property
    def ridge_flop_per_byte(self) -> float:
        """FLOP a byte from which computing, not reading, is the limit."""
        return self.compute_flop_per_s / self.memory_bytes_per_s

    @property
    def binding(self) -> Limit:
        """What a decode step spends most of its time on."""
        return max(self.decode_s, key=lambda part: part[1])[0]


def active_params(deployment: Deployment) -> float:
    """Parameters that multiply for one token: active ones without the input embedding, the head once."""
    model = deployment.model
    return model.params_active - (model.params_total - model.params_non_embedding) + head_params(model)


def limits_s(rates: Rates, batch: float, context_tokens: float) -> tuple[tuple[Limit, float], ...]:
    """A decode step's seconds by limit; they add up to the step.

    Reading and multiplying overlap: what both take together is shared as their n-th powers, as they are joined.
    """
    terms = step_terms(rates, batch, context_tokens)
    read, multiplied = terms.read_s**rates.norm, terms.multiply_s**rates.norm
    both_s = (read + multiplied) ** (1 / rates.norm)
    share = read / (read + multiplied)
    return (
        (Limit.WEIGHTS, both_s * share),
        (Limit.CACHE, terms.cache_s),
        (Limit.COMPUTE, both_s * (1 - share)),
        (Limit.LINKS, terms.links_s),
        (Limit.HOST, terms.host_s),
    )


def weights_read_bytes(deployment: Deployment, rates: Rates, tokens: float) -> float:
    """Weights that one pass of `tokens` tokens reads over the whole replica: the experts touched, not all of them."""
    precision = deployment.precision
    dense = dense_weight_bytes(deployment.model, precision) + head_bytes(deployment.model, precision)
    return dense + expert_weight_bytes(deployment.model, precision) * touched_ratio(rates, tokens)


def decode_mark(deployment: Deployment, rates: Rates, batch: float, context_tokens: float) -> Mark:
    """FLOP and bytes of one decode step: matrices and attention over weights and cache."""
    reach = reach_layers(rates, context_tokens)
    width = 2 * deployment.model.heads * deployment.model.head_dim
    flop = batch * FLOP_A_PARAM * (active_params(deployment) + reach * width)
    cache = batch * reach * kv_bytes_a_layer(deployment.model, deployment.kv_element_bytes)
    moved = weights_read_bytes(deployment, rates, batch) + cache
    seconds = sum(part for _, part in limits_s(rates, batch, context_tokens))
    return Mark(flop / moved, flop / seconds)


def prefill_mark(deployment: Deployment, rates: Rates, prompt_tokens: float, computed_tokens: float) -> Mark:
    """FLOP and bytes of one prompt alone; the causal half of attention is counted."""
    reach = reach_layers(rates, prompt_tokens)
    model = deployment.model
    dense = active_params(deployment) - head_params(model)
    flop = FLOP_A_PARAM * computed_tokens * (dense + reach * model.heads * model.head_dim)
    chunks = max(1.0, computed_tokens / rates.chunk_tokens)
    written = computed_tokens * model.layers * kv_bytes_a_layer(model, deployment.kv_element_bytes)
    moved = chunks * weights_read_bytes(deployment, rates, computed_tokens) + written
    return Mark(flop / moved, flop / prompt_alone_s(rates, prompt_tokens, computed_tokens))


def roofline(deployment: Deployment, rates: Rates, load: Load, running: float) -> Roofline:
    """The roofline of one replica at a batch. Raises ValueError where the data sheet states no peak."""
    peak = compute_roof(deployment.gpu, deployment.precision.math)
    if peak is None:
        raise ValueError(f"{deployment.gpu.name}: no peak")
    context = load.prompt_tokens + load.output_tokens / 2
    computed = max(1.0, load.prompt_tokens * (1 - load.prefix_hit_ratio))
    return Roofline(
        memory_bytes_per_s=memory_roof(deployment.gpu).value * deployment.gpu_count,
        compute_flop_per_s=peak.value * deployment.gpu_count,
        decode=decode_mark(deployment, rates, running, context),
        prefill=prefill_mark(deployment, rates, load.prompt_tokens, computed),
        decode_s=limits_s(rates, running, context),
    )
