"""Serving speed on plain floats: the time of a decode step and of a prompt, from a deployment's coefficients.

One function set for pages, API, CLI and accuracy check. `rates` folds a deployment into coefficients once; every
other function takes those, so that a sweep of thousands of points costs milliseconds. What a server does with many
requests is in `serving`. All times are seconds; efficiencies come from the calibration, never from here.
"""

from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

from calculator.domain.calibration import ServingConstants
from calculator.domain.hardware import Gpu, bandwidth_bytes_per_s
from calculator.domain.llm import MLA, LanguageModel, kv_bytes_a_layer, local_layers
from calculator.domain.precision import (
    HALF_ELEMENT_BYTES,
    Precision,
    dense_weight_bytes,
    expert_params,
    expert_weight_bytes,
    head_bytes,
    head_params,
    math_flop_per_s,
)
from calculator.domain.units import GB

ALLREDUCES_A_LAYER = 2
FLOP_A_PARAM = 2
REFERENCE_COLUMNS = 2048
"""The width of a GPU's share of a matrix at which the calibrated compute efficiencies hold."""
UNBOUNDED_TOKENS = 10**9


class NotModelledError(ValueError):
    """A deployment that the formulas do not cover; `code` names the reason for a presenter."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code


@dataclass(frozen=True, slots=True)
class Deployment:
    """One replica of a model.

    `tensor_parallel` GPUs share every matrix; `attention_parallel` groups split the requests while all share the
    experts (attention data parallelism); `pipeline_parallel` stages hold the layers one after the other (llama.cpp's
    layer split is one). `kv_element_bytes` is the cache's own precision, apart from the weights'; `kv_integer` says
    that its 8 bits are integers, which every GPU unpacks at speed, where 8-bit floats need units of their own.
    """

    model: LanguageModel
    gpu: Gpu
    precision: Precision
    kv_element_bytes: float
    tensor_parallel: int = 1
    attention_parallel: int = 1
    pipeline_parallel: int = 1
    kv_integer: bool = False

    @property
    def gpu_count(self) -> int:
        """GPUs of one replica."""
        return self.tensor_parallel * self.attention_parallel * self.pipeline_parallel


@dataclass(frozen=True, slots=True)
class Rates:
    """A deployment as coefficients in seconds: a pass, a token, a token of context in one layer."""

    norm: float
    groups: int
    experts: bool
    expert_miss_ratio: float
    dense_read_s: float
    expert_read_s: float
    decode_token_s: float
    decode_expert_token_s: float
    prefill_token_s: float
    work_token_s: float
    global_layers: int
    local_layers: int
    window_tokens: int
    kv_token_s: float
    idle_sequences: float
    attention_token_s: float
    stages: int
    stage_overlap_ratio: float
    chunk_tokens: float
    link_pass_s: float
    link_token_s: float
    link_root_s: float
    pass_s: float
    sequence_s: float
    prompt_s: float


def kv_heads_a_gpu_divisor(model: LanguageModel, tensor_parallel: int) -> int:
    """By how much tensor parallelism divides one token's cache: KV heads replicate beyond their number, and the
    latent of MLA lies whole on every GPU.

    >>> from calculator.domain.llm import MISTRAL_7B
    >>> kv_heads_a_gpu_divisor(MISTRAL_7B, 16)
    8
    """
    return 1 if model.attention == MLA else min(tensor_parallel, model.kv_heads)


def link_bytes_per_s(gpu: Gpu, gpu_count: int) -> tuple[float, bool]:
    """One-way rate between the GPUs of a node, and whether it is NVLink; a bridge joins two cards only.

    Raises NotModelledError where the sheet states no link.

    >>> link_bytes_per_s(Gpu("A", "NVIDIA", "Ada", 24, 1008, pcie_gb_s_per_direction=32), 2)
    (32000000000, False)
    """
    bridged = "bridge" in gpu.nvlink_gen and gpu_count > ALLREDUCES_A_LAYER
    if gpu.link_gb_s_per_direction and not bridged:
        return gpu.link_gb_s_per_direction * GB, True
    if gpu.pcie_gb_s_per_direction is None:
        raise NotModelledError("unknown_link", gpu.name)
    return gpu.pcie_gb_s_per_direction * GB, False


def _peaks(deployment: Deployment) -> tuple[float, float]:
    peak = math_flop_per_s(deployment.gpu, deployment.precision.math)
    half = math_flop_per_s(deployment.gpu, "fp16")
    if peak is None or half is None:
        raise NotModelledError("unknown_peak", deployment.gpu.name)
    return peak, half


def _columns_ratio(columns: float, half_columns: float) -> float:
    """Compute efficiency of narrow matrices relative to the reference width: w/(w + w½)."""
    return columns / (columns + half_columns) * (REFERENCE_COLUMNS + half_columns) / REFERENCE_COLUMNS


def _powered(flop_per_s: float, gpu: Gpu, constants: ServingConstants) -> float:
    """Compute under the card's power limit: 1 ÷ (1/F + 1/(W·FLOP a joule)); a card without a stated power has none."""
    if gpu.tdp_w is None:
        return flop_per_s
    return 1 / (1 / flop_per_s + 1 / (gpu.tdp_w * constants.power_flop_per_j))


def _prompt_attention_token_s(deployment: Deployment, constants: ServingConstants, half_peak: float) -> float:
    """Seconds one prompt token spends on one token of context in one layer: the causal half of the FLOP, and the
    scores that an unfused kernel writes and reads."""
    model, tensor = deployment.model, deployment.tensor_parallel
    multiply_s = FLOP_A_PARAM * model.head_dim / (half_peak * constants.prefill_attention_ratio)
    return model.heads / tensor * (multiply_s + constants.score_bytes / bandwidth_bytes_per_s(deployment.gpu))


def _kv_ratio(deployment: Deployment, constants: ServingConstants) -> float:
    if deployment.kv_element_bytes >= HALF_ELEMENT_BYTES:
        return constants.kv_bandwidth_ratio
    native = deployment.gpu.fp8_native or deployment.kv_integer
    return constants.kv_bandwidth_ratio * (constants.kv_eight_bit_ratio if native else constants.kv_emulated_ratio)


def _context_token_s(deployment: Deployment, constants: ServingConstants, half_peak: float) -> float:
    """Seconds a decode step spends on one token of context in one layer: reading the cache and multiplying with it."""
    model, tensor = deployment.model, deployment.tensor_parallel
    stored = kv_bytes_a_layer(model, deployment.kv_element_bytes) / kv_heads_a_gpu_divisor(model, tensor)
    read_s = stored / (bandwidth_bytes_per_s(deployment.gpu) * _kv_ratio(deployment, constants))
    latent = (model.kv_lora_rank or 0) * 2 + (model.qk_rope_head_dim or 0)
    width = latent if model.attention == MLA else 2 * model.head_dim
    return read_s + FLOP_A_PARAM * model.heads * width / (tensor * half_peak * constants.decode_attention_ratio)


def _link_s(deployment: Deployment, constants: ServingConstants) -> tuple[float, float, float]:
    """All-reduces of one pass: seconds a pass (latency), a token (bandwidth), and a root of the tokens (chunks in
    flight, as `parallelism.allreduce_s` has them); none on one GPU."""
    members = deployment.tensor_parallel * deployment.attention_parallel
    if members == 1:
        return 0.0, 0.0, 0.0
    rate, nvlink = link_bytes_per_s(deployment.gpu, members)
    reductions = ALLREDUCES_A_LAYER * deployment.model.layers
    hop = constants.allreduce_latency_s * (1.0 if nvlink else constants.pcie_latency_factor)
    ratio = constants.link_ratio if nvlink else constants.pcie_ratio
    moved = 2 * (members - 1) / members * deployment.model.hidden * HALF_ELEMENT_BYTES
    token_s = moved / (rate * ratio)
    return reductions * hop, reductions * token_s, reductions * sqrt(token_s * constants.link_pipeline_s)


def _pass_s(model: LanguageModel, constants: ServingConstants) -> float:
    """What one pass costs whatever its batch: the host's step and the launches of every layer."""
    experts = constants.expert_layer_factor if model.n_experts else 0.0
    latent = constants.latent_layer_factor if model.attention == MLA else 0.0
    return constants.step_s + constants.layer_s * model.layers * (1 + experts + latent)


def _sampling_s(model: LanguageModel, gpu: Gpu, constants: ServingConstants) -> float:
    """Choosing the next token of one sequence: passes over the scores of the whole vocabulary, on every GPU."""
    return model.vocab * constants.sampling_bytes / bandwidth_bytes_per_s(gpu)


def rates(deployment: Deployment, constants: ServingConstants) -> Rates:
    """A deployment as coefficients. Raises NotModelledError where the data sheet lacks a peak or a link."""
    model, tensor = deployment.model, deployment.tensor_parallel
    members = tensor * deployment.attention_parallel
    peak, half_peak = _peaks(deployment)
    read_bytes_per_s = bandwidth_bytes_per_s(deployment.gpu) * constants.weight_bandwidth_ratio
    columns = _columns_ratio(model.hidden / tensor, constants.small_matrix_columns)
    decode_flop_per_s = peak * constants.decode_compute_ratio * columns
    prefill_flop_per_s = _powered(peak * constants.prefill_compute_ratio * columns, deployment.gpu, constants)
    routed = expert_params(model)
    active_share = (model.experts_top_k or 0) / (model.n_experts or 1)
    dense_flop = FLOP_A_PARAM * (
        model.params_active - (model.params_total - model.params_non_embedding) - routed * active_share
    )
    expert_flop = FLOP_A_PARAM * routed * active_share / constants.expert_compute_ratio
    link_pass_s, link_token_s, link_root_s = _link_s(deployment, constants)
    local = local_layers(model)
    return Rates(
        norm=constants.norm,
        groups=deployment.attention_parallel * deployment.pipeline_parallel,
        experts=routed > 0,
        expert_miss_ratio=1 - active_share,
        dense_read_s=(dense_weight_bytes(model, deployment.precision) + head_bytes(model, deployment.precision))
        / (tensor * read_bytes_per_s),
        expert_read_s=expert_weight_bytes(model, deployment.precision)
        / (members * read_bytes_per_s * constants.expert_bandwidth_ratio),
        decode_token_s=(dense_flop + FLOP_A_PARAM * head_params(model)) / (tensor * decode_flop_per_s),
        decode_expert_token_s=expert_flop / (members * decode_flop_per_s),
        prefill_token_s=(dense_flop / tensor + expert_flop / members) / prefill_flop_per_s,
        work_token_s=(dense_flop + expert_flop) / (deployment.gpu_count * prefill_flop_per_s),
        global_layers=model.layers - local,
        local_layers=local,
        window_tokens=model.sliding_window or UNBOUNDED_TOKENS,
        kv_token_s=_context_token_s(deployment, constants, half_peak),
        idle_sequences=constants.kv_half_streams * kv_heads_a_gpu_divisor(model, tensor) / model.kv_heads,
        attention_token_s=_prompt_attention_token_s(deployment, constants, half_peak),
        stages=deployment.pipeline_parallel,
        stage_overlap_ratio=constants.stage_overlap_ratio,
        chunk_tokens=constants.chunk_tokens,
        link_pass_s=link_pass_s,
        link_token_s=link_token_s,
        link_root_s=link_root_s,
        pass_s=_pass_s(model, constants) + constants.stage_s * (deployment.pipeline_parallel - 1),
        sequence_s=constants.sequence_s + _sampling_s(model, deployment.gpu, constants),
        prompt_s=constants.prompt_s,
    )


def touched_ratio(rates: Rates, tokens: float) -> float:
    """Share of the routed experts that `tokens` tokens of one pass read: 1 − (1 − k/E)^tokens; 1 for a dense model."""
    return 1 - rates.expert_miss_ratio**tokens if rates.experts else 1.0


def _joined(read_s: float, multiply_s: float, norm: float) -> float:
    """Reading and multiplying overlap in part: (a^n + b^n)^(1/n)."""
    joined: float = (read_s**norm + multiply_s**norm) ** (1 / norm)
    return joined


def reach_layers(rates: Rates, context_tokens: float) -> float:
    """Σ over layers of the tokens in reach: the context in global ones, at most the window in local ones."""
    return rates.global_layers * context_tokens + rates.local_layers * min(context_tokens, rates.window_tokens)


class StepTerms(NamedTuple):
    """What one decode step is made of, in seconds; reading and multiplying overlap, the others add up."""

    read_s: float
    multiply_s: float
    cache_s: float
    links_s: float
    host_s: float


def step_terms(rates: Rates, batch: float, context_tokens: float) -> StepTerms:
    """The terms of `decode_step_s`."""
    local_batch = max(1.0, batch / rates.groups)
    return StepTerms(
        rates.dense_read_s + rates.expert_read_s * touched_ratio(rates, batch),
        local_batch * rates.decode_token_s + batch * rates.decode_expert_token_s,
        (local_batch + rates.idle_sequences) * reach_layers(rates, context_tokens) * rates.kv_token_s,
        rates.link_pass_s + batch * rates.link_token_s + sqrt(batch) * rates.link_root_s,
        rates.pass_s + rates.sequence_s * local_batch,
    )


def decode_step_s(rates: Rates, batch: float, context_tokens: float) -> float:
    """One token for each of `batch` sequences whose mean live context is `context_tokens`.

    Weights read and matrices multiplied (overlapping in part) + cache read + all-reduces + the host's share:
    step = ((W(B)/BW)^n + (2PB/F)^n)^(1/n) + (B + B½)·C·kv + AR(B) + c_step + c_layer·L + c_seq·B. B½ is what few
    sequences leave idle: a lone stream's cache is read by few of the GPU's units.
    """
    read_s, multiply_s, cache_s, links_s, host_s = step_terms(rates, batch, context_tokens)
    return _joined(read_s, multiply_s, rates.norm) + cache_s + links_s + host_s


def prompt_work_s(rates: Rates, prompt_tokens: float, computed_tokens: float) -> float:
    """What one prompt takes from a busy server: its FLOP, its share of the links and its admission.

    `computed_tokens` is what the prefix cache leaves of the prompt; each still attends to all of it. The causal half
    of the attention matrix is counted: 2·L·T²·d.
    """
    attention_s = computed_tokens * reach_layers(rates, prompt_tokens) * rates.attention_token_s / rates.groups
    return computed_tokens * (rates.work_token_s + rates.link_token_s) + attention_s + rates.prompt_s


def prompt_alone_s(rates: Rates, prompt_tokens: float, computed_tokens: float) -> float:
    """One prompt on an idle server: a pass over the weights and the launches of every layer for each chunk.

    Chunks follow one another through the pipeline's stages: (stages + chunks − 1) ÷ (stages × chunks) of the time for
    the share that overlaps.
    """
    chunks = max(1.0, computed_tokens / rates.chunk_tokens)
    read_s = chunks * (rates.dense_read_s + rates.expert_read_s * touched_ratio(rates, computed_tokens))
    multiply_s = computed_tokens * rates.prefill_token_s
    attention_s = computed_tokens * reach_layers(rates, prompt_tokens) * rates.attention_token_s
    links_s = chunks * rates.link_pass_s + computed_tokens * rates.link_token_s
    alone_s = _joined(read_s, multiply_s, rates.norm) + attention_s + links_s + chunks * rates.pass_s
    overlapped = (rates.stages + chunks - 1) / (rates.stages * chunks)
    return alone_s * (1 - rates.stage_overlap_ratio * (1 - overlapped))
