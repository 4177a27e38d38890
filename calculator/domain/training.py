"""Training speed: tokens, FLOP with their convention, tokens a second and GPU, time, and the utilisation this means.

FLOP a token: 2P forward, 2P for the gradient of the inputs, 2P for that of the trained weights, 2P more where
activations are recomputed. Attention adds to each pass; its causal half is counted.
"""

import enum
from dataclasses import dataclass, replace

from calculator.domain.calibration import TrainingConstants
from calculator.domain.hardware import Gpu, bandwidth_bytes_per_s
from calculator.domain.inference import FLOP_A_PARAM, REFERENCE_COLUMNS, NotModelledError, link_bytes_per_s
from calculator.domain.llm import LanguageModel
from calculator.domain.precision import HALF_ELEMENT_BYTES, expert_params, head_params, math_flop_per_s
from calculator.domain.units import HOUR_S

MACHINE_GPUS = 8
OPTIMIZER_MOVED_BYTES = 28
"""Bytes an AdamW step reads and writes a trained parameter: weight, gradient, master copy, two moments."""
SHARD_PASSES = 3
"""Passes of sharded weights over the links in one step: gathered forward, gathered backward, gradients scattered."""


class Method(enum.StrEnum):
    """What is trained: all weights from scratch or from a checkpoint, or adapters on a frozen base."""

    PRETRAIN = "pretrain"
    FULL = "full"
    LORA = "lora"
    QLORA = "qlora"

    @property
    def frozen_base(self) -> bool:
        """Whether the base gets no weight gradient."""
        return self in (Method.LORA, Method.QLORA)


@dataclass(frozen=True, slots=True)
class TrainingJob:
    """One job: `micro_batch` sequences of `sequence_tokens` a GPU and pass, `accumulation` passes a step, on
    `gpu_count` GPUs. `math` is the precision of the matrix units (fp16 stands for both 16-bit formats)."""

    model: LanguageModel
    gpu: Gpu
    method: Method
    math: str
    micro_batch: float
    sequence_tokens: float
    gpu_count: int
    accumulation: float
    recomputed: bool
    trained_params: float
    sharded: bool


def training_tokens(micro_batch: int, sequence: int, accumulation: int, data_parallel: int, steps: int) -> int:
    """Tokens of a run: micro-batch × sequence × accumulation × data-parallel GPUs × steps; padding included.

    The published run, read with a global batch of 8 and of 32:

    >>> training_tokens(2, 512, 4, 1, 750), training_tokens(8, 512, 4, 1, 750)
    (3072000, 12288000)
    """
    return micro_batch * sequence * accumulation * data_parallel * steps


def flop_factor(method: Method, recomputed: bool) -> int:
    """FLOP a parameter and token: 6, or 4 on a frozen base; 2 more with recomputed activations.

    >>> flop_factor(Method.PRETRAIN, False), flop_factor(Method.QLORA, False), flop_factor(Method.QLORA, True)
    (6, 4, 6)
    """
    passes = 2 if method.frozen_base else 3
    return FLOP_A_PARAM * (passes + recomputed)


def training_flop(params: float, tokens: float, method: Method, recomputed: bool) -> float:
    """FLOP of a run without attention: factor × parameters × tokens; active parameters for a mixture of experts.

    >>> f"{training_flop(2.7e9, 40e9, Method.PRETRAIN, False):.3g}"
    '6.48e+20'
    """
    return flop_factor(method, recomputed) * params * tokens


def attention_flop_a_token(model: LanguageModel, sequence_tokens: float, recomputed: bool) -> float:
    """Attention FLOP of one trained token: 2·L·S·d forward (causal half), twice that backward, once more recomputed.

    >>> from calculator.domain.llm import MISTRAL_7B
    >>> f"{attention_flop_a_token(MISTRAL_7B, 8192, False):.3g}"
    '6.44e+09'
    """
    forward = FLOP_A_PARAM * model.layers * sequence_tokens * model.heads * model.head_dim
    return forward * (3 + recomputed)


def training_s(flop: float, peak_flop_per_s: float, mfu: float) -> float:
    """Time of a run: FLOP ÷ (peak × utilisation).

    6.48e20 FLOP on an A100 at the published 26.1 %, in days:

    >>> round(training_s(6.48e20, 312e12, 0.2613) / 86_400, 1)
    92.0
    """
    return flop / (peak_flop_per_s * mfu)


def run_s(tokens: float, tok_per_s: float) -> float:
    """Time of a run at a known speed.

    >>> round(run_s(3_072_000, 1350) / 60, 3)
    37.926
    """
    return tokens / tok_per_s


def run_h(tokens: float, tok_per_s: float) -> float:
    """The same in hours, the unit that is paid: times the price of an hour it is the cost, by the second."""
    return run_s(tokens, tok_per_s) / HOUR_S


def model_flop_utilisation(tok_per_s: float, params: float, method: Method, peak_flop_per_s: float) -> float:
    """MFU: FLOP that the model needs, recomputation left out, ÷ peak. HFU counts it: see `flop_factor`.

    1 350 tok/s of QLoRA on an RTX 4090 by 4P and, as published, by 6P:

    >>> round(model_flop_utilisation(1350, 7.2417e9, Method.QLORA, 165.2e12) * 100, 1)
    23.7
    >>> round(model_flop_utilisation(1350, 7.2417e9, Method.FULL, 165.2e12) * 100, 1)
    35.5
    """
    return tok_per_s * flop_factor(method, False) * params / peak_flop_per_s


def _columns_ratio(columns: float, half: float) -> float:
    return columns / (columns + half) * (REFERENCE_COLUMNS + half) / REFERENCE_COLUMNS


def _multiplied_params(model: LanguageModel, constants: TrainingConstants) -> float:
    """Parameters that multiply a token: active ones without the input embedding, experts at their own efficiency."""
    dense_and_experts = model.params_active - (model.params_total - model.params_non_embedding) + head_params(model)
    if not model.n_experts:
        return dense_and_experts
    experts = expert_params(model) * (model.experts_top_k or 0) / model.n_experts
    return dense_and_experts - experts + experts / constants.expert_compute_ratio


def _compute_token_s(job: TrainingJob, constants: TrainingConstants) -> float:
    peak, half = math_flop_per_s(job.gpu, job.math), math_flop_per_s(job.gpu, "fp16")
    if peak is None or half is None:
        raise NotModelledError("unknown_peak", job.gpu.name)
    tokens = job.micro_batch * job.sequence_tokens
    filled = tokens / (tokens + constants.small_pass_tokens)
    ratio = constants.compute_ratio * filled * _columns_ratio(job.model.hidden, constants.small_matrix_columns)
    linear = flop_factor(job.method, job.recomputed) * _multiplied_params(job.model, constants) / (peak * ratio)
    attention = attention_flop_a_token(job.model, job.sequence_tokens, job.recomputed)
    return linear + attention / (half * constants.attention_ratio)


def launches_s(job: TrainingJob, constants: TrainingConstants) -> float:
    """Launches of one pass over every layer, whatever its size. Each GPU launches all layers that it holds: tensor
    parallelism leaves them as many, a pipeline divides them."""
    found = constants.layer_s * job.model.layers * (2 + job.recomputed)
    return found * constants.adapter_layer_factor if job.method.frozen_base else found


def _unpacking_s(job: TrainingJob, constants: TrainingConstants) -> float:
    """A 4-bit base unpacked for each pass."""
    if job.method is not Method.QLORA:
        return 0.0
    moved = job.model.params_non_embedding * constants.dequantised_bytes * (2 + job.recomputed)
    return moved / bandwidth_bytes_per_s(job.gpu)


def _pass_s(job: TrainingJob, constants: TrainingConstants) -> float:
    """What one micro-batch costs whatever its size: launches, and a 4-bit base unpacked for each pass."""
    return launches_s(job, constants) + _unpacking_s(job, constants)


def _sharding_s(job: TrainingJob, constants: TrainingConstants) -> float:
    """Traffic of sharded weights in one micro-batch that computing does not hide."""
    if job.gpu_count == 1 or not job.sharded:
        return 0.0
    rate, _ = link_bytes_per_s(job.gpu, min(job.gpu_count, MACHINE_GPUS))
    moved = SHARD_PASSES * job.model.params_total * HALF_ELEMENT_BYTES * (job.gpu_count - 1) / job.gpu_count
    return constants.exposed_ratio * moved / rate


def _states_s(job: TrainingJob) -> float:
    """The states of the trained parameters read and written in one optimizer step."""
    shards = job.gpu_count if job.sharded else 1
    return OPTIMIZER_MOVED_BYTES * job.trained_params / shards / bandwidth_bytes_per_s(job.gpu)


def _step_s(job: TrainingJob, constants: TrainingConstants) -> float:
    """What one optimizer step costs: the host, and the states."""
    return constants.step_s + _states_s(job)


def lost_factor(gpu_count: int, constants: TrainingConstants) -> float:
    """By how much jobs on many machines take longer."""
    return float(max(1.0, gpu_count / MACHINE_GPUS) ** constants.cluster_exponent)


def divided_pass_s(job: TrainingJob, constants: TrainingConstants, tensor: int, pipeline: int) -> float:
    """Seconds that each GPU works on one micro-batch of a copy that lies on `tensor` × `pipeline` GPUs, without the
    exchanges of tensor parallelism and the waits of the pipeline; `job.gpu_count` counts all GPUs.

    Computing, unpacking, shards and states ÷ (TP × PP); launches ÷ PP: under tensor parallelism every GPU launches
    every layer, on matrices as small as those of a TP-th of the tokens.
    """
    parts = tensor * pipeline
    copies = replace(job, gpu_count=max(1, job.gpu_count // parts))
    tokens = job.micro_batch * job.sequence_tokens
    computing = tokens * _compute_token_s(replace(job, micro_batch=job.micro_batch / tensor), constants)
    shared = computing + _unpacking_s(job, constants) + _sharding_s(copies, constants)
    each = launches_s(job, constants) / pipeline + constants.step_s / job.accumulation
    found = (shared + _states_s(copies) / job.accumulation) / parts + each
    return found * lost_factor(job.gpu_count, constants)


def tok_per_s_per_gpu(job: TrainingJob, constants: TrainingConstants) -> float:
    """Trained tokens a second on each GPU.

    1 ÷ (FLOP/token ÷ (peak·e) + (launches + unpacking + exposed traffic) ÷ tokens a pass + step ÷ tokens a step), less
    the loss of many machines. Raises NotModelledError where the sheet has no peak or no link.
    """
    tokens = job.micro_batch * job.sequence_tokens
    pass_s = _pass_s(job, constants) + _sharding_s(job, constants)
    token_s = _compute_token_s(job, constants) + pass_s / tokens + _step_s(job, constants) / (tokens * job.accumulation)
    machines = max(1.0, job.gpu_count / MACHINE_GPUS)
    return float(machines**-constants.cluster_exponent / token_s)
