"""The architectures whose parameters and cache we count exactly, by the `model_type` of their configuration.

A family says what its configuration does not: biases, norms, and the values its own code takes for absent keys. Another
architecture gives a reason and no model.
"""

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from calculator.modelconfig.errors import ModelConfigError

TEXT_PART = "text_config"
"""Key of the language model inside a configuration that also holds a vision tower."""


class Bias(enum.Enum):
    """Which attention projections carry a bias; KEY asks `attention_bias` for all four."""

    NONE = "none"
    QKV = "qkv"
    ALL = "all"
    KEY = "key"


class Routing(enum.Enum):
    """Whose names the keys of the experts have."""

    MIXTRAL = "mixtral"
    QWEN2 = "qwen2"
    QWEN3 = "qwen3"
    DEEPSEEK = "deepseek"
    GPT_OSS = "gpt_oss"
    LLAMA4 = "llama4"


class Window(enum.Enum):
    """How a family limits attention: not at all, by the window wherever it is set, only if asked, or by a rhythm."""

    NONE = "none"
    SET = "set"
    ASKED = "asked"
    EVERY_OTHER = "every other"
    RHYTHM = "rhythm"
    CHUNKED = "chunked"


@dataclass(frozen=True, slots=True)
class Family:
    """What sets one architecture apart. `routing` is how experts are described, if it has any."""

    bias: Bias = Bias.NONE
    norms: int = 2
    norm_bias: bool = False
    head_norm: bool = False
    sinks: bool = False
    gated: bool = True
    mlp_bias: bool = False
    head_bias: bool = False
    latent: bool = False
    router_bias: bool = False
    routing: Routing | None = None
    window: Window = Window.NONE
    defaults: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


GEMMA = {"tie_word_embeddings": True, "head_dim": 256}
GEMMA_2 = GEMMA | {"sliding_window": 4096}
GEMMA_3 = GEMMA | {
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "vocab_size": 262_208,
    "max_position_embeddings": 131_072,
    "sliding_window": 4096,
    "sliding_window_pattern": 6,
}
GPT_OSS = {"attention_bias": True, "sliding_window": 128}
FALCON = {"tie_word_embeddings": True, "multi_query": True, "parallel_attn": True}
LLAMA_4 = {"attention_chunk_size": 8192, "interleave_moe_layer_step": 1}
DEEPSEEK = Family(bias=Bias.KEY, latent=True, routing=Routing.DEEPSEEK)
DEEPSEEK_3 = Family(bias=Bias.KEY, latent=True, routing=Routing.DEEPSEEK, router_bias=True)

FAMILIES: dict[str, Family] = {
    "llama": Family(bias=Bias.KEY),
    "mistral": Family(window=Window.SET),
    "mixtral": Family(routing=Routing.MIXTRAL, window=Window.SET),
    "qwen2": Family(bias=Bias.QKV, window=Window.ASKED),
    "qwen2_moe": Family(bias=Bias.QKV, routing=Routing.QWEN2, window=Window.ASKED),
    "qwen3": Family(bias=Bias.KEY, head_norm=True, window=Window.ASKED, defaults={"head_dim": 128}),
    "qwen3_moe": Family(bias=Bias.KEY, head_norm=True, routing=Routing.QWEN3, window=Window.ASKED),
    "gemma": Family(bias=Bias.KEY, defaults=GEMMA),
    "gemma2": Family(bias=Bias.KEY, norms=4, window=Window.EVERY_OTHER, defaults=GEMMA_2),
    "gemma3_text": Family(bias=Bias.KEY, norms=4, head_norm=True, window=Window.RHYTHM, defaults=GEMMA_3),
    "phi": Family(bias=Bias.ALL, norms=1, norm_bias=True, gated=False, mlp_bias=True, head_bias=True),
    "phi3": Family(window=Window.SET),
    "falcon": Family(norm_bias=True, gated=False, defaults=FALCON),
    "deepseek_v2": DEEPSEEK,
    "deepseek_v3": DEEPSEEK_3,
    "kimi_k2": DEEPSEEK_3,
    "gpt_oss": Family(
        bias=Bias.KEY,
        sinks=True,
        router_bias=True,
        routing=Routing.GPT_OSS,
        window=Window.EVERY_OTHER,
        defaults=GPT_OSS,
    ),
    "llama4_text": Family(bias=Bias.KEY, routing=Routing.LLAMA4, window=Window.CHUNKED, defaults=LLAMA_4),
}
SAME_TEXT_PART = {"gemma3": "gemma3_text", "llama4": "llama4_text", "mistral3": "mistral"}
"""Types of a whole multimodal model, and of its language part."""

STATE_SPACE = frozenset((
    "mamba", "mamba2", "falcon_mamba", "rwkv", "rwkv5", "rwkv6", "rwkv7", "jamba", "bamba", "zamba", "zamba2",
    "recurrent_gemma", "nemotron_h", "granitemoehybrid", "qwen3_next", "falcon_h1", "lfm2", "kimi_linear",
    "minimax",
))  # fmt: skip
ENCODER_DECODER = frozenset((
    "t5", "mt5", "umt5", "longt5", "switch_transformers", "bart", "mbart", "blenderbot", "pegasus", "marian",
    "m2m_100", "whisper", "t5gemma", "led",
))  # fmt: skip
ENCODER_ONLY = frozenset((
    "bert", "roberta", "xlm-roberta", "camembert", "distilbert", "electra", "deberta", "deberta-v2",
    "modernbert", "nomic_bert", "mpnet",
))  # fmt: skip
REFUSED = ((STATE_SPACE, "state_space"), (ENCODER_DECODER, "encoder_decoder"), (ENCODER_ONLY, "encoder_only"))
GENERATIVE = ("ForCausalLM", "ForConditionalGeneration", "LMHeadModel", "Model")
"""Endings of the class names that generate text, or are the bare decoder of one."""


def language_part(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """The language model's own configuration: the whole, or the part beside a vision tower."""
    _refuse(str(config.get("model_type") or ""), config)
    part = config.get(TEXT_PART)
    if part is None:
        return config
    if not isinstance(part, dict):
        raise ModelConfigError("not_object_at", TEXT_PART)
    inherited = {key: value for key, value in config.items() if key in INHERITED}
    return inherited | part


INHERITED = frozenset({"tie_word_embeddings", "torch_dtype", "dtype", "quantization_config", "_name_or_path"})
"""Keys that a multimodal configuration may state outside of its language part."""


def family_name(part: Mapping[str, Any]) -> str:
    """The model type of the language part. Raises ModelConfigError with the reason where we do not count it."""
    kind = part.get("model_type")
    if not isinstance(kind, str) or not kind:
        raise ModelConfigError("architecture_missing", "model_type")
    _refuse(kind, part)
    kind = SAME_TEXT_PART.get(kind, kind)
    if kind not in FAMILIES:
        raise ModelConfigError("architecture_unknown", "model_type", name=kind[:60])
    return kind


def _refuse(kind: str, config: Mapping[str, Any]) -> None:
    for kinds, code in REFUSED:
        if kind in kinds:
            raise ModelConfigError(code, "model_type", name=kind)
    if config.get("is_encoder_decoder") is True:
        raise ModelConfigError("encoder_decoder", "is_encoder_decoder", name=kind[:60])
    classes = config.get("architectures")
    if isinstance(classes, list) and classes and not any(str(name).endswith(GENERATIVE) for name in classes):
        raise ModelConfigError("not_generative", "architectures", name=str(classes[0])[:60])
