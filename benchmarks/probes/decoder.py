"""A decoder with random weights as plain functions on tensors: one step, one prompt, one training loss. Needs torch.

Weights are normal random with a small spread, so that no activation overflows and every matrix has the shape, the type
and the place in memory of a real one. What the text says has no meaning; how long it takes does.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch.nn import functional

from benchmarks.probes.shapes import Config

SPREAD = 0.02
EPSILON = 1e-5
ROTATION_BASE = 1_000_000.0


@dataclass
class Layer:
    """The matrices of one layer, inputs last, as linear layers hold them."""

    queries_keys_values: Any
    out: Any
    gate_up: Any
    down: Any
    attention_norm: Any
    mlp_norm: Any


@dataclass
class Weights:
    """A whole model."""

    config: Config
    embedding: Any
    layers: list[Layer]
    norm: Any
    head: Any

    def tensors(self) -> list[Any]:
        """Every weight."""
        layers = [getattr(layer, name) for layer in self.layers for name in Layer.__dataclass_fields__]
        return [self.embedding, *layers, self.norm, self.head]


def random_weights(config: Config, dtype: Any, place: Any) -> Weights:
    """A model of those sizes."""

    def matrix(rows: int, columns: int) -> Any:
        return torch.randn(rows, columns, dtype=dtype, device=place).mul_(SPREAD)

    def ones() -> Any:
        return torch.ones(config.hidden, dtype=dtype, device=place)

    layers = [
        Layer(
            matrix(config.attention_width + 2 * config.kv_width, config.hidden),
            matrix(config.hidden, config.attention_width),
            matrix(2 * config.intermediate, config.hidden),
            matrix(config.hidden, config.intermediate),
            ones(),
            ones(),
        )
        for _ in range(config.layers)
    ]
    embedding, head = matrix(config.vocab, config.hidden), matrix(config.vocab, config.hidden)
    return Weights(config, embedding, layers, ones(), head)


def rotations(config: Config, start: int, count: int, dtype: Any, place: Any) -> tuple[Any, Any]:
    """Cosines and sines of `count` positions from `start`, one row each."""
    half = torch.arange(0, config.head_dim, 2, dtype=torch.float32, device=place) / config.head_dim
    angles = torch.outer(torch.arange(start, start + count, dtype=torch.float32, device=place), ROTATION_BASE**-half)
    both = torch.cat((angles, angles), dim=-1)
    return both.cos().to(dtype), both.sin().to(dtype)


def rotated(states: Any, turn: tuple[Any, Any]) -> Any:
    """Queries or keys turned by their positions; `states` is batch × heads × tokens × width."""
    first, second = states.chunk(2, dim=-1)
    return states * turn[0] + torch.cat((-second, first), dim=-1) * turn[1]


def normed(states: Any, weight: Any) -> Any:
    return functional.rms_norm(states, (weight.numel(),), weight, EPSILON)


def split_heads(config: Config, joined: Any) -> tuple[Any, Any, Any]:
    """Queries, keys and values of a joined projection, each batch × heads × tokens × width."""
    batch, tokens, _ = joined.shape
    widths = [config.attention_width, config.kv_width, config.kv_width]
    parts = joined.split(widths, dim=-1)
    found = [part.view(batch, tokens, -1, config.head_dim).transpose(1, 2) for part in parts]
    return found[0], found[1], found[2]


def attended(queries: Any, keys: Any, values: Any, causal: bool) -> Any:
    """Attention with grouped KV heads, back as batch × tokens × width."""
    found = functional.scaled_dot_product_attention(queries, keys, values, is_causal=causal, enable_gqa=True)
    batch, _, tokens, _ = found.shape
    return found.transpose(1, 2).reshape(batch, tokens, -1)


def mlp(states: Any, layer: Layer) -> Any:
    gate, up = functional.linear(states, layer.gate_up).chunk(2, dim=-1)
    return functional.linear(functional.silu(gate) * up, layer.down)


def prompt_layer(config: Config, states: Any, layer: Layer, turn: tuple[Any, Any]) -> Any:
    """One layer over a whole prompt."""
    joined = functional.linear(normed(states, layer.attention_norm), layer.queries_keys_values)
    queries, keys, values = split_heads(config, joined)
    found = attended(rotated(queries, turn), rotated(keys, turn), values, causal=True)
    states = states + functional.linear(found, layer.out)
    return states + mlp(normed(states, layer.mlp_norm), layer)


def prompt_states(weights: Weights, tokens: Any) -> Any:
    """The last hidden states of every token of a batch of prompts."""
    states = functional.embedding(tokens, weights.embedding)
    turn = rotations(weights.config, 0, tokens.shape[1], states.dtype, states.device)
    for layer in weights.layers:
        states = prompt_layer(weights.config, states, layer, turn)
    return normed(states, weights.norm)


def first_token(weights: Weights, tokens: Any) -> Any:
    """The token after each prompt: the head looks at the last state only."""
    return functional.linear(prompt_states(weights, tokens)[:, -1], weights.head).argmax(dim=-1)


@dataclass
class Cache:
    """Keys and values of a batch at a fixed length; a step writes the last place of it."""

    keys: list[Any]
    values: list[Any]
    length: int


def random_cache(config: Config, batch: int, length: int, dtype: Any, place: Any) -> Cache:
    """A cache as full as it will be read, of random numbers."""
    size = (batch, config.kv_heads, length, config.head_dim)
    keys, values = ([torch.randn(size, dtype=dtype, device=place) for _ in range(config.layers)] for _ in range(2))
    return Cache(keys, values, length)


def decode_step(weights: Weights, cache: Cache, tokens: Any, turn: tuple[Any, Any]) -> Any:
    """The next token of each sequence, from its last one; `tokens` is overwritten, so that steps follow one another."""
    config, last = weights.config, cache.length - 1
    states = functional.embedding(tokens, weights.embedding)
    for place, layer in enumerate(weights.layers):
        joined = functional.linear(normed(states, layer.attention_norm), layer.queries_keys_values)
        queries, keys, values = split_heads(config, joined)
        cache.keys[place][:, :, last:] = rotated(keys, turn)
        cache.values[place][:, :, last:] = values
        found = attended(rotated(queries, turn), cache.keys[place], cache.values[place], causal=False)
        states = states + functional.linear(found, layer.out)
        states = states + mlp(normed(states, layer.mlp_norm), layer)
    scores = functional.linear(normed(states, weights.norm), weights.head)
    tokens.copy_(scores.argmax(dim=-1))
    return tokens
