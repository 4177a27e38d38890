"""A decoder's sizes as its config.json names them, and what one pass reads and multiplies. Standard library only."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.probes.arithmetic import FLOP_A_PRODUCT, Shape

DTYPE_BYTES = {"bf16": 2, "fp16": 2, "fp32": 4, "fp8": 1}


class ConfigError(ValueError):
    """A configuration that lacks a size or contradicts itself."""


@dataclass(frozen=True, slots=True)
class Config:
    """A dense decoder with grouped KV heads and a gated MLP; embeddings are untied."""

    name: str
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    intermediate: int
    vocab: int

    @property
    def attention_width(self) -> int:
        """Elements of the queries of one token."""
        return self.heads * self.head_dim

    @property
    def kv_width(self) -> int:
        """Elements of the keys of one token; the values have as many."""
        return self.kv_heads * self.head_dim

    @property
    def layer_params(self) -> int:
        """Weights that multiply in one layer: queries, keys, values, output, gate, up and down."""
        attention = self.hidden * (2 * self.attention_width + 2 * self.kv_width)
        return attention + 3 * self.hidden * self.intermediate

    @property
    def head_params(self) -> int:
        """Weights that turn the last hidden state into scores of the vocabulary."""
        return self.hidden * self.vocab

    @property
    def multiplied_params(self) -> int:
        """Weights that multiply for one token: every layer and the head, without the input embedding.

        >>> round(PRESETS["mistral-7b"].multiplied_params / 1e9, 3)
        7.114
        """
        return self.layers * self.layer_params + self.head_params

    @property
    def total_params(self) -> int:
        """All weights, the input embedding and the norms too.

        >>> PRESETS["mistral-7b"].total_params
        7248023552
        """
        return self.multiplied_params + self.head_params + (2 * self.layers + 1) * self.hidden

    def kv_bytes_a_token(self, element_bytes: int) -> int:
        """Keys and values of one token in every layer.

        >>> PRESETS["mistral-7b"].kv_bytes_a_token(2)
        131072
        """
        return 2 * self.layers * self.kv_width * element_bytes

    def decode_bytes(self, batch: int, context_tokens: int, element_bytes: int) -> int:
        """What one decode step reads: each weight that multiplies once, and the cache of every sequence."""
        cache = batch * context_tokens * self.kv_bytes_a_token(element_bytes)
        return self.multiplied_params * element_bytes + cache

    def prefill_flop(self, batch: int, prompt_tokens: int) -> float:
        """Operations of a prompt: 2·P·T in the layers, the head once, and the causal half of attention, 2·L·T²·d."""
        layers = FLOP_A_PRODUCT * self.layers * self.layer_params * prompt_tokens
        attention = FLOP_A_PRODUCT * self.layers * prompt_tokens**2 * self.attention_width
        return float(batch * (layers + attention + FLOP_A_PRODUCT * self.head_params))

    def adapter_params(self, rank: int) -> int:
        """Weights of adapters of that rank on queries, keys, values, output, gate, up and down of every layer.

        >>> PRESETS["mistral-7b"].adapter_params(16)
        41943040
        """
        hidden, attention, kv, mlp = self.hidden, self.attention_width, self.kv_width, self.intermediate
        widths = 2 * (hidden + attention) + 2 * (hidden + kv) + 3 * (hidden + mlp)
        return self.layers * rank * widths

    def shape(self, sequence_tokens: int) -> Shape:
        """What a training step's work depends on; N leaves the input embedding out."""
        return Shape(self.multiplied_params, self.layers, self.heads, self.head_dim, sequence_tokens)


PRESETS = {
    "tiny": Config("tiny", 4, 256, 4, 2, 64, 768, 2048),
    "probe-1b": Config("probe-1b", 16, 2048, 32, 8, 64, 8192, 32_768),
    "mistral-7b": Config("mistral-7b", 32, 4096, 32, 8, 128, 14_336, 32_768),
}
"""Random weights of these sizes: one that a processor can carry, one that trains whole on a card of 24 GB, and
Mistral 7B v0.3's from its published config.json."""

KEYS = {
    "layers": "num_hidden_layers",
    "hidden": "hidden_size",
    "heads": "num_attention_heads",
    "intermediate": "intermediate_size",
    "vocab": "vocab_size",
}


def _whole(values: Mapping[str, Any], key: str) -> int:
    value = values.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ConfigError(f"{key} must be a whole number above zero, not {value!r}")
    return value


def from_mapping(values: Mapping[str, Any], name: str = "own") -> Config:
    """A config.json's sizes. ConfigError names the key that lacks, or a mixture of experts, which is not modelled."""
    if values.get("num_local_experts") or values.get("n_routed_experts"):
        raise ConfigError("random weights route no tokens as trained ones do: a mixture of experts is not probed")
    sizes = {field: _whole(values, key) for field, key in KEYS.items()}
    heads = sizes["heads"]
    kv_heads = _whole(values, "num_key_value_heads") if values.get("num_key_value_heads") else heads
    head_dim = _whole(values, "head_dim") if values.get("head_dim") else sizes["hidden"] // heads
    if not head_dim or head_dim % 2:
        raise ConfigError("head_dim must be an even number above zero")
    if heads % kv_heads:
        raise ConfigError("num_attention_heads must be a multiple of num_key_value_heads")
    return Config(name=name, kv_heads=kv_heads, head_dim=head_dim, **sizes)


def read(text: str) -> Config:
    """A preset's name, the path of a config.json, or its text. ConfigError for anything else."""
    if text in PRESETS:
        return PRESETS[text]
    try:
        body = text if text.lstrip().startswith("{") else Path(text).read_text(encoding="utf-8")
        values = json.loads(body)
    except (OSError, ValueError) as error:
        raise ConfigError(f"not a preset ({', '.join(PRESETS)}) nor a readable config.json: {error}") from error
    if not isinstance(values, dict):
        raise ConfigError("a config.json holds an object")
    return from_mapping(values)
