"""Language models as their dimensions state them: weights, KV cache, adapters, and the textbook bounds.

The bounds take the data sheet at 100 %: they are ceilings that no server reaches, and never a forecast.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

BITS_A_BYTE = 8
MLA = "MLA"


@dataclass(frozen=True, slots=True)
class LanguageModel:
    """Dimensions of one model; parameter counts include embeddings except `params_non_embedding`.

    `attention` is MHA, MQA, GQA or MLA. `sliding_pattern` says which layers `sliding_window` binds.
    """

    name: str
    params_total: int
    params_active: int
    params_non_embedding: int
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    intermediate: int
    vocab: int
    tied_embeddings: bool = False
    gated_mlp: bool = True
    max_context: int = 0
    attention: str = "GQA"
    sliding_window: int | None = None
    sliding_pattern: str = ""
    kv_lora_rank: int | None = None
    qk_rope_head_dim: int | None = None
    n_experts: int | None = None
    experts_top_k: int | None = None
    native_dtype: str = ""
    hf_id: str = ""
    is_test: bool = False
    source: str = ""
    note: str = ""


MISTRAL_7B = LanguageModel(
    name="Mistral-7B-v0.3 shape",
    params_total=7_241_732_096,
    params_active=7_241_732_096,
    params_non_embedding=6_979_588_096,
    layers=32,
    hidden=4096,
    heads=32,
    kv_heads=8,
    head_dim=128,
    intermediate=14_336,
    vocab=32_000,
)
"""The shape that the worked numbers below use."""

LOCAL_LAYERS: dict[str, Callable[[int], int]] = {
    "all layers": lambda layers: layers,
    "every other layer local": lambda layers: layers // 2,
    "5 local : 1 global": lambda layers: layers - layers // 6,
    "chunked attention on 3 of 4 layers": lambda layers: layers - layers // 4,
}
"""Layers that keep a window only, by pattern. A window without a known pattern is not applied: a cache sized too
small runs out of memory, one sized too large does not."""


def local_layers(model: LanguageModel) -> int:
    """Number of layers bound by the sliding window; 0 when there is none or its pattern is unknown."""
    count = LOCAL_LAYERS.get(model.sliding_pattern)
    return count(model.layers) if model.sliding_window and count else 0


def kv_bytes_a_layer(model: LanguageModel, element_bytes: float) -> float:
    """KV cache of one token in one layer: key and value of every KV head, or MLA's shared latent, held once.

    Raises ValueError for an MLA model without its latent sizes.
    """
    if model.attention != MLA:
        return 2 * model.kv_heads * model.head_dim * element_bytes
    if model.kv_lora_rank is None or model.qk_rope_head_dim is None:
        raise ValueError(f"{model.name}: MLA needs kv_lora_rank and qk_rope_head_dim")
    return (model.kv_lora_rank + model.qk_rope_head_dim) * element_bytes


def kv_bytes_per_token(model: LanguageModel, element_bytes: float) -> float:
    """KV cache a token while it lies in every layer's reach: layers × 2 × kv_heads × head_dim × bytes.

    `element_bytes` is the cache's own precision (2 for 16 bits, 1 for fp8), independent of the weights'.

    >>> kv_bytes_per_token(MISTRAL_7B, 2)
    131072
    """
    return model.layers * kv_bytes_a_layer(model, element_bytes)


def kv_bytes(model: LanguageModel, context_tokens: int, element_bytes: float) -> float:
    """KV cache of one sequence: whole context in global layers, at most the window in local ones.

    >>> kv_bytes(MISTRAL_7B, 8192, 2) / 2**30
    1.0
    """
    local = local_layers(model)
    window = min(context_tokens, model.sliding_window or context_tokens)
    tokens = (model.layers - local) * context_tokens + local * window
    return tokens * kv_bytes_a_layer(model, element_bytes)


def weight_bytes(model: LanguageModel, weight_bits: float, embedding_bits: float) -> float:
    """Bytes of all weights held in memory. `weight_bits` counts scales and zeros (4.5 for a group of 128 at 4 bits);
    embeddings and head often stay at 16.

    >>> round(weight_bytes(MISTRAL_7B, 16, 16) / 2**30, 2)
    13.49
    """
    embeddings = model.params_total - model.params_non_embedding
    return (model.params_non_embedding * weight_bits + embeddings * embedding_bits) / BITS_A_BYTE


def read_bytes_per_token(model: LanguageModel, weight_bits: float) -> float:
    """Weights that one stream reads for one token: the active parameters; a larger batch touches more experts.

    >>> read_bytes_per_token(MISTRAL_7B, 16)
    14483464192.0
    """
    return model.params_active * weight_bits / BITS_A_BYTE


def _matrix_sides(model: LanguageModel) -> dict[str, int]:
    query, key = model.heads * model.head_dim, model.kv_heads * model.head_dim
    mlp = model.hidden + model.intermediate
    sides = {
        "q": model.hidden + query,
        "k": model.hidden + key,
        "v": model.hidden + key,
        "o": query + model.hidden,
        "up": mlp,
        "down": mlp,
    }
    return sides | {"gate": mlp} if model.gated_mlp else sides


def lora_params(model: LanguageModel, rank: int, targets: Iterable[str]) -> int:
    """Trainable parameters of LoRA: Σ rank × (inputs + outputs) over the targeted matrices of every layer.

    Targets are q, k, v, o, gate, up, down. Raises ValueError for another one, and for models with latent attention or
    experts, whose matrices have other shapes.

    >>> lora_params(MISTRAL_7B, 16, ["q", "k", "v", "o", "gate", "up", "down"])
    41943040
    """
    if model.attention == MLA or model.n_experts:
        raise ValueError(f"{model.name}: adapters on latent attention or experts are not modelled")
    sides = _matrix_sides(model)
    wanted = list(targets)
    unknown = [target for target in wanted if target not in sides]
    if unknown:
        raise ValueError(f"{model.name} has no matrix {', '.join(unknown)}")
    return rank * model.layers * sum(sides[target] for target in wanted)


def decode_bound_tok_per_s(weight_read_bytes: float, kv_read_bytes: float, bytes_per_s: float) -> float:
    """Upper bound of one stream: bandwidth ÷ (weights + KV cache read a token).

    Mistral-7B in 16 bits on an RTX 4090 (1 008 GB/s), empty context:

    >>> round(decode_bound_tok_per_s(7.2416e9 * 2, 0, 1008e9), 2)
    69.6
    """
    return bytes_per_s / (weight_read_bytes + kv_read_bytes)


def prefill_flop(params: float, layers: int, attention_width: int, prompt_tokens: int) -> float:
    """FLOP to read a prompt: 2·P·T + 4·L·T²·d, with d = heads × head_dim.

    The second term is the whole attention matrix; causal kernels do about half of it.

    >>> f"{prefill_flop(7.2416e9, 32, 4096, 2048):.4g}"
    '3.186e+13'
    """
    return 2 * params * prompt_tokens + 4 * layers * prompt_tokens**2 * attention_width


def prefill_bound_s(params: float, layers: int, attention_width: int, prompt_tokens: int, flop_per_s: float) -> float:
    """Lower bound of the time to read a prompt: its FLOP ÷ peak.

    Mistral-7B, 2 048 tokens on an A100 (312 TFLOP/s), in milliseconds:

    >>> round(prefill_bound_s(7.2416e9, 32, 4096, 2048, 312e12) * 1000, 2)
    102.12
    """
    return prefill_flop(params, layers, attention_width, prompt_tokens) / flop_per_s


def pretraining_flop(params: float, tokens: float) -> float:
    """Training FLOP of all parameters, attention and recomputation left out: 6·N·D.

    >>> f"{pretraining_flop(2.7e9, 40e9):.3g}"
    '6.48e+20'
    """
    return 6 * params * tokens
