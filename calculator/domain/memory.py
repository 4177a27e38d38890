"""Memory of one GPU in bytes, line by line: what a model needs to serve or to train, what fits, which line fails.

Weights divide by tensor and pipeline parallelism, experts also by attention parallelism; KV heads replicate beyond
their number, the latent of MLA on every GPU. A KV budget of zero means that the model does not fit.
"""

import enum
from dataclasses import dataclass
from math import ceil

from calculator.domain.calibration import Engine, MemoryConstants, ServingConstants
from calculator.domain.hardware import memory_bytes
from calculator.domain.inference import Deployment, kv_heads_a_gpu_divisor
from calculator.domain.llm import LanguageModel, kv_bytes_a_layer, local_layers
from calculator.domain.precision import dense_weight_bytes, embedding_bytes, expert_weight_bytes

BLOCK_TOKENS = 16
"""Tokens a block of a paged cache (vLLM's default)."""


class Line(enum.StrEnum):
    """The lines of a memory estimate."""

    WEIGHTS = "weights"
    KV_CACHE = "kv_cache"
    ACTIVATIONS = "activations"
    RUNTIME = "runtime"
    GRADIENTS = "gradients"
    OPTIMIZER = "optimizer"
    ADAPTERS = "adapters"
    LOGITS = "logits"


@dataclass(frozen=True, slots=True)
class MemoryEstimate:
    """Lines in the order in which they fill the GPU, and what the GPU has for them. All bytes, per GPU."""

    lines: tuple[tuple[Line, float], ...]
    usable_bytes: float

    @property
    def needed_bytes(self) -> float:
        """Sum of the lines."""
        return sum(size for _, size in self.lines)

    @property
    def fits(self) -> bool:
        """Whether everything lies within the usable memory."""
        return self.failing is None

    @property
    def failing(self) -> Line | None:
        """The first line that no longer fits, or None."""
        filled = 0.0
        for line, size in self.lines:
            filled += size
            if filled > self.usable_bytes:
                return line
        return None


def parallel_faults(model: LanguageModel, tensor_parallel: int, pipeline_parallel: int) -> tuple[str, ...]:
    """Why a division is not valid, as codes: heads, kv_heads, vocabulary, layers; empty when it is.

    Tensor parallelism divides the heads and the vocabulary; KV heads divide it or are divided by it.

    >>> from calculator.domain.llm import MISTRAL_7B
    >>> parallel_faults(MISTRAL_7B, 3, 1)
    ('heads', 'kv_heads', 'vocabulary')
    """
    small, large = sorted((tensor_parallel, model.kv_heads))
    checks = {
        "heads": model.heads % tensor_parallel == 0,
        "kv_heads": large % small == 0,
        "vocabulary": padded_vocabulary(model.vocab) % tensor_parallel == 0,
        "layers": pipeline_parallel <= model.layers,
    }
    return tuple(code for code, valid in checks.items() if not valid)


def padded_vocabulary(vocabulary: int) -> int:
    """Rows of the embedding as engines hold them: padded to a multiple of 64.

    >>> padded_vocabulary(32_001)
    32064
    """
    return ceil(vocabulary / 64) * 64


def weight_bytes_a_gpu(deployment: Deployment) -> float:
    """Weights on one GPU: layers ÷ (TP × PP), experts also ÷ attention groups, embeddings ÷ TP."""
    model, precision = deployment.model, deployment.precision
    stages = deployment.tensor_parallel * deployment.pipeline_parallel
    experts = expert_weight_bytes(model, precision) / (stages * deployment.attention_parallel)
    embeddings = embedding_bytes(model, precision) / stages
    return dense_weight_bytes(model, precision) / stages + experts + embeddings


def paged_tokens(tokens: float, block_tokens: int) -> float:
    """Tokens rounded up to whole blocks.

    >>> paged_tokens(15_049, 128) / 128
    118.0
    """
    return float(ceil(tokens / block_tokens) * block_tokens)


def kv_bytes_a_gpu(deployment: Deployment, context_tokens: float) -> float:
    """Cache of one sequence on one GPU, in whole blocks: context in global layers, at most the window in local ones."""
    model = deployment.model
    local = local_layers(model)
    tokens = paged_tokens(context_tokens, BLOCK_TOKENS)
    reach = (model.layers - local) * tokens + local * min(tokens, model.sliding_window or tokens)
    divisor = kv_heads_a_gpu_divisor(model, deployment.tensor_parallel) * deployment.pipeline_parallel
    return reach * kv_bytes_a_layer(model, deployment.kv_element_bytes) / divisor


def usable_serving_bytes(deployment: Deployment, constants: ServingConstants, engine: Engine) -> float:
    """What an engine gives itself on one GPU. vLLM's and SGLang's fraction is of the total; TensorRT-LLM's is of what
    is free after loading, so that weights and runtime lie outside of it.
    """
    total = memory_bytes(deployment.gpu)
    if engine is not Engine.TENSORRT_LLM:
        return total * constants.memory_ratio
    fixed = weight_bytes_a_gpu(deployment) + constants.runtime_bytes
    return fixed + max(0.0, total - fixed) * constants.memory_ratio


def kv_budget_bytes(deployment: Deployment, constants: ServingConstants, engine: Engine) -> float:
    """What is left for the cache on one GPU; zero or less means that the model does not fit."""
    fixed = weight_bytes_a_gpu(deployment) + constants.runtime_bytes
    if fixed > memory_bytes(deployment.gpu):
        return memory_bytes(deployment.gpu) - fixed
    return usable_serving_bytes(deployment, constants, engine) - fixed


def live_tokens(prompt_tokens: float, output_tokens: float, constants: ServingConstants) -> float:
    """Tokens that a running sequence holds in the mean; TensorRT-LLM reserves the whole output from the start."""
    return prompt_tokens + constants.live_output_ratio * output_tokens


def room_sequences(
    deployment: Deployment, constants: ServingConstants, engine: Engine, prompt_tokens: float, output_tokens: float
) -> float:
    """Sequences whose cache fits beside the weights, over all attention groups; below 1 the model does not fit."""
    one = kv_bytes_a_gpu(deployment, live_tokens(prompt_tokens, output_tokens, constants))
    return max(0.0, kv_budget_bytes(deployment, constants, engine)) / one * deployment.attention_parallel


def serving_memory(
    deployment: Deployment, constants: ServingConstants, engine: Engine, context_tokens: float, sequences: float
) -> MemoryEstimate:
    """Lines of one GPU while it serves `sequences` sequences of `context_tokens` live tokens each."""
    share = sequences / deployment.attention_parallel
    lines = (
        (Line.WEIGHTS, weight_bytes_a_gpu(deployment)),
        (Line.RUNTIME, constants.runtime_bytes),
        (Line.KV_CACHE, share * kv_bytes_a_gpu(deployment, context_tokens)),
    )
    return MemoryEstimate(lines, usable_serving_bytes(deployment, constants, engine))


class Sharding(enum.IntEnum):
    """ZeRO stage: what data-parallel GPUs share. 3 is also fully sharded data parallel."""

    NONE = 0
    OPTIMIZER = 1
    GRADIENTS = 2
    WEIGHTS = 3


HALF_BYTES = 2


@dataclass(frozen=True, slots=True)
class TrainingMemory:
    """What a training process holds on one GPU before it is divided.

    `base_bytes` are the weights as stored (4 bits for QLoRA), `trained_params` those that get a gradient;
    `adapter_params` lie beside the base. `element_bytes` is that of gradients, adapters and activations: 2, or 4.
    """

    model: LanguageModel
    base_bytes: float
    trained_params: float
    adapter_params: float
    tokens: float
    recomputed: bool
    sharding: Sharding = Sharding.NONE
    shards: int = 1
    element_bytes: float = HALF_BYTES


def shared(size: float, job: TrainingMemory, stage: Sharding) -> float:
    """A size divided by the GPUs that share it from `stage` on."""
    return size / job.shards if job.sharding >= stage else size


def activation_bytes(
    model: LanguageModel,
    tokens: float,
    recomputed: bool,
    constants: MemoryConstants,
    element_bytes: float = HALF_BYTES,
) -> float:
    """Activations kept for the backward pass: elements of the hidden width a token and layer; with recomputation the
    input of every layer, and the whole of one."""
    layer = tokens * model.hidden * element_bytes
    if not recomputed:
        return model.layers * layer * constants.layer_elements
    return model.layers * layer * constants.kept_elements + layer * constants.layer_elements


def training_memory(job: TrainingMemory, usable_bytes: float, constants: MemoryConstants) -> MemoryEstimate:
    """Lines of one GPU in training: weights, adapters, gradients, optimizer states, activations, logits, runtime.

    AdamW in mixed precision takes 16 B a trained parameter with weight and gradient; QLoRA's 41.9 M make 0.67 GB.
    """
    reserved = constants.allocator_ratio
    kept = activation_bytes(job.model, job.tokens, job.recomputed, constants, job.element_bytes)
    lines = (
        (Line.WEIGHTS, shared(job.base_bytes, job, Sharding.WEIGHTS)),
        (Line.ADAPTERS, shared(job.adapter_params * job.element_bytes, job, Sharding.WEIGHTS)),
        (Line.GRADIENTS, shared(job.trained_params * job.element_bytes, job, Sharding.GRADIENTS)),
        (Line.OPTIMIZER, shared(job.trained_params * constants.optimizer_bytes, job, Sharding.OPTIMIZER)),
        (Line.ACTIVATIONS, kept * reserved),
        (Line.LOGITS, job.tokens * job.model.vocab * constants.logit_bytes * reserved),
        (Line.RUNTIME, constants.context_bytes),
    )
    return MemoryEstimate(lines, usable_bytes)


def generation_memory(
    model: LanguageModel,
    weights_bytes: float,
    cache_bytes: float,
    prompt_tokens: float,
    usable_bytes: float,
    constants: MemoryConstants,
) -> MemoryEstimate:
    """Lines of a plain generation process (no paged server): weights, cache, the prompt's activations, runtime."""
    working = prompt_tokens * model.hidden * HALF_BYTES * constants.prompt_elements
    lines = (
        (Line.WEIGHTS, weights_bytes),
        (Line.KV_CACHE, cache_bytes),
        (Line.ACTIVATIONS, working * constants.allocator_ratio),
        (Line.RUNTIME, constants.context_bytes),
    )
    return MemoryEstimate(lines, usable_bytes)
