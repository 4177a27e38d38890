"""Number formats of weights and caches: bits held in memory, and the units of the GPU that multiply in them.

Bits count the scales and zeros that go with the numbers (4.5 for a group of 128 at 4 bits, 4.85 for Q4_K_M).
"""

from dataclasses import dataclass

from calculator.domain.hardware import TERA, Gpu
from calculator.domain.llm import BITS_A_BYTE, LanguageModel

FP8_ELEMENT_BYTES = 1.0
HALF_ELEMENT_BYTES = 2.0


@dataclass(frozen=True, slots=True)
class Precision:
    """How the weights of one checkpoint are stored.

    `math` names the units that multiply (`fp16`, `fp8`, `fp4`, `int8`, and `fp16acc`, which also adds in 16 bits, twice
    as fast on GeForce); a GPU without them multiplies in 16 bits.
    `family` is the class whose efficiency constants apply. `experts_only` marks checkpoints whose experts alone are
    quantised, as gpt-oss's are.
    """

    code: str
    weight_bits: float
    embedding_bits: float
    math: str
    family: str
    experts_only: bool = False


HALF = Precision("fp16", 16, 16, "fp16", "fp16")

PRECISIONS: dict[str, Precision] = {
    item.code: item
    for item in (
        HALF,
        Precision("bf16", 16, 16, "fp16", "fp16"),
        Precision("fp32", 32, 32, "fp32", "fp32"),
        Precision("fp8", 8, 16, "fp8", "fp8"),
        Precision("int8", 8, 16, "int8", "int8"),
        Precision("gptq-int8", 8.25, 16, "fp16", "int8-weights"),
        Precision("bnb-int8", 8, 16, "fp16", "int8-weights"),
        Precision("nvfp4", 4.5, 16, "fp4", "fp4"),
        Precision("mxfp4", 4.25, 16, "fp4", "fp4", experts_only=True),
        Precision("awq-int4", 4.5, 16, "fp16", "int4"),
        Precision("awq-marlin-int4", 4.5, 16, "fp16", "int4"),
        Precision("gptq-int4", 4.5, 16, "fp16", "int4"),
        Precision("nf4", 4.5, 16, "fp16", "int4"),
        Precision("nf4-dq", 4.13, 16, "fp16", "int4"),
        Precision("gguf-q4_k_m", 4.85, 4.85, "fp16", "gguf-q4"),
        Precision("gguf-q4_0", 4.5, 4.5, "fp16", "gguf-q4"),
        Precision("gguf-q5_0", 5.5, 5.5, "fp16", "gguf-q4"),
        Precision("gguf-q8_0", 8.5, 8.5, "fp16", "gguf-q8"),
    )
}


def precision_named(code: str) -> Precision:
    """The precision of that code; raises ValueError for one that is not modelled.

    >>> precision_named("gguf-q4_k_m").weight_bits
    4.85
    """
    if code not in PRECISIONS:
        raise ValueError(f"unknown precision: {code!r}")
    return PRECISIONS[code]


def math_flop_per_s(gpu: Gpu, math: str) -> float | None:
    """Dense peak of the units that `math` asks for, falling back to the next wider ones that the GPU has.

    fp4 falls back to fp8 and fp8 to 16 bits: a weights-only kernel saves memory and no FLOP. None: no peak is known.

    >>> ampere = Gpu("A100", "NVIDIA", "Ampere", 80, 2039, fp16_tflops_dense_fp32acc=312)
    >>> math_flop_per_s(ampere, "fp8")
    312000000000000.0
    """
    half = gpu.fp16_tflops_dense_fp32acc or gpu.bf16_tflops_dense
    eight = gpu.fp8_tflops_dense if gpu.fp8_native else None
    ladder = {
        "fp4": (gpu.fp4_tflops_dense, eight, half),
        "fp8": (eight, half),
        "int8": (gpu.int8_tops_dense, half),
        "fp16": (half,),
        "fp16acc": (gpu.fp16_tflops_dense_fp16acc, half),
        "fp32": (gpu.fp32_tflops,),
    }[math]
    tflops = next((peak for peak in ladder if peak), None)
    return None if tflops is None else float(tflops * TERA)


def expert_params(model: LanguageModel) -> float:
    """Parameters of all routed experts: what total and active counts differ by, scaled to every expert.

    >>> from calculator.domain.llm import MISTRAL_7B
    >>> expert_params(MISTRAL_7B)
    0.0
    """
    if not model.n_experts or not model.experts_top_k or model.n_experts <= model.experts_top_k:
        return 0.0
    return (model.params_total - model.params_active) * model.n_experts / (model.n_experts - model.experts_top_k)


def head_params(model: LanguageModel) -> float:
    """Parameters of the output head: the tied embedding, or half of the untied pair."""
    embeddings = model.params_total - model.params_non_embedding
    return embeddings if model.tied_embeddings else embeddings / 2


def dense_weight_bytes(model: LanguageModel, precision: Precision) -> float:
    """Bytes of the layers without routed experts; 16 bits where only experts are quantised.

    >>> from calculator.domain.llm import MISTRAL_7B
    >>> dense_weight_bytes(MISTRAL_7B, HALF)
    13959176192.0
    """
    bits = HALF.weight_bits if precision.experts_only else precision.weight_bits
    return (model.params_non_embedding - expert_params(model)) * bits / BITS_A_BYTE


def expert_weight_bytes(model: LanguageModel, precision: Precision) -> float:
    """Bytes of all routed experts; 0 for a dense model.

    >>> from calculator.domain.llm import MISTRAL_7B
    >>> expert_weight_bytes(MISTRAL_7B, HALF)
    0.0
    """
    return expert_params(model) * precision.weight_bits / BITS_A_BYTE


def head_bytes(model: LanguageModel, precision: Precision) -> float:
    """Bytes of the output head, read at every step."""
    return head_params(model) * precision.embedding_bits / BITS_A_BYTE


def embedding_bytes(model: LanguageModel, precision: Precision) -> float:
    """Bytes of the input embedding and of the output head together, as held in memory."""
    return (model.params_total - model.params_non_embedding) * precision.embedding_bits / BITS_A_BYTE


def model_weight_bytes(model: LanguageModel, precision: Precision) -> float:
    """Bytes of all weights in memory, quantised and 16-bit parts together.

    >>> from calculator.domain.llm import MISTRAL_7B
    >>> round(model_weight_bytes(MISTRAL_7B, PRECISIONS["awq-int4"]) / 1e9, 2)
    4.45
    """
    layers = dense_weight_bytes(model, precision) + expert_weight_bytes(model, precision)
    return layers + embedding_bytes(model, precision)
