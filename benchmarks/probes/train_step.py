"""Training: tokens a second of whole optimizer steps, all weights or adapters on a frozen base, with MFU and HFU.

Run by the GPU's own Python: `python -m benchmarks.probes.train_step`. A step is forward, cross-entropy, backward, the
gradients clipped to 1, AdamW. The convention of the utilisations stands in each reading's formula: N leaves the input
embedding out, attention counts whole (12·L·H·Q·T), the peak is the dense one; HFU adds what is recomputed.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from benchmarks.probes import decoder, machine
from benchmarks.probes.decoder import Layer, Weights
from benchmarks.probes.machine import Device, Work
from benchmarks.probes.options import Options, Times
from benchmarks.probes.report import Figure, Report
from benchmarks.probes.shapes import PRESETS, Config

ABOUT = "tokens a second, MFU and HFU of training steps"
FULL, LORA = "full", "lora"
GPU_TOKENS, CPU_TOKENS = 2048, 64
LARGE_BYTES = 39 * 10**9
LEARNING_RATE, CLIP = 1e-4, 1.0
WEIGHTS = {FULL: "6·N", LORA: "4·N + 6·Nₐ"}


@dataclass
class Adapter:
    """Two narrow matrices beside a frozen one; the second starts at zero, as adapters do."""

    down: Any
    up: Any

    def added(self, states: Any) -> Any:
        return functional.linear(functional.linear(states, self.down), self.up)


@dataclass
class Job:
    """What one optimizer step trains."""

    weights: Weights
    trained: list[Any]
    adapters: list[dict[str, Adapter]]
    recompute: bool


def adapters(layer: Layer, rank: int) -> dict[str, Adapter]:
    """Adapters on the joined projections of one layer, of `rank` for each projection that is joined in them."""
    joined = {"queries_keys_values": 3, "out": 1, "gate_up": 2, "down": 1}
    found = {}
    for name, parts in joined.items():
        rows, columns = getattr(layer, name).shape
        kind = {"dtype": layer.out.dtype, "device": layer.out.device}
        down = torch.randn(rank * parts, columns, **kind).mul_(decoder.SPREAD).requires_grad_()
        found[name] = Adapter(down, torch.zeros(rows, rank * parts, **kind).requires_grad_())
    return found


def job(config: Config, method: str, rank: int, recompute: bool, dtype: Any, place: Any) -> Job:
    """A model to train whole, or frozen with adapters."""
    weights = decoder.random_weights(config, dtype, place)
    if method == FULL:
        return Job(weights, [tensor.requires_grad_() for tensor in weights.tensors()], [], recompute)
    own = [adapters(layer, rank) for layer in weights.layers]
    return Job(weights, [part for one in own for each in one.values() for part in (each.down, each.up)], own, recompute)


def projected(states: Any, layer: Layer, name: str, own: dict[str, Adapter]) -> Any:
    """A linear layer with its adapter, if it has one."""
    found = functional.linear(states, getattr(layer, name))
    return found + own[name].added(states) if name in own else found


def trained_layer(config: Config, states: Any, layer: Layer, own: dict[str, Adapter], turn: tuple[Any, Any]) -> Any:
    """One layer of the forward pass."""
    normed = decoder.normed(states, layer.attention_norm)
    queries, keys, values = decoder.split_heads(config, projected(normed, layer, "queries_keys_values", own))
    found = decoder.attended(decoder.rotated(queries, turn), decoder.rotated(keys, turn), values, causal=True)
    states = states + projected(found, layer, "out", own)
    gate, up = projected(decoder.normed(states, layer.mlp_norm), layer, "gate_up", own).chunk(2, dim=-1)
    return states + projected(functional.silu(gate) * up, layer, "down", own)


def loss(asked: Job, tokens: Any) -> Any:
    """Mean cross-entropy of each token after the last."""
    weights = asked.weights
    states = functional.embedding(tokens[:, :-1], weights.embedding)
    if asked.adapters:
        states.requires_grad_()
    turn = decoder.rotations(weights.config, 0, states.shape[1], states.dtype, states.device)
    for place, layer in enumerate(weights.layers):
        parts = (weights.config, states, layer, asked.adapters[place] if asked.adapters else {}, turn)
        states = checkpoint(trained_layer, *parts, use_reentrant=False) if asked.recompute else trained_layer(*parts)
    scores = functional.linear(decoder.normed(states, weights.norm), weights.head)
    return functional.cross_entropy(scores.flatten(0, 1).float(), tokens[:, 1:].flatten())


@dataclass(frozen=True, slots=True)
class Setting:
    """One method on one device: sizes, type, sequences a step and tokens of each."""

    config: Config
    method: str
    dtype: str
    batch: int
    tokens: int


def setting(asked: Options, device: Device, method: str) -> Setting:
    """What is trained when nothing else is asked: a small model on a processor, in 32 bits; on a GPU one that trains
    whole in 24 GB, and Mistral 7B under adapters where its activations fit. Without bf16 units, fp16."""
    large = method == LORA and (device.memory_bytes or 0) >= LARGE_BYTES
    default = "tiny" if device.is_cpu else "mistral-7b" if large else "probe-1b"
    half = "bf16" if device.is_native("bf16") else "fp16"
    return Setting(
        config=asked.config or PRESETS[default],
        method=method,
        dtype="fp32" if device.is_cpu else half,
        batch=asked.batch or 1,
        tokens=asked.context or (CPU_TOKENS if device.is_cpu else GPU_TOKENS),
    )


def step(device: Device, asked: Options, one: Setting) -> Work:
    """One whole optimizer step on a batch of random tokens."""
    training = job(one.config, one.method, asked.rank, asked.recompute, machine.DTYPES[one.dtype], device.place)
    optimizer = torch.optim.AdamW(training.trained, lr=LEARNING_RATE, fused=not device.is_cpu)
    tokens = torch.randint(one.config.vocab, (one.batch, one.tokens + 1), device=device.place)

    def work() -> object:
        found = loss(training, tokens)
        found.backward()
        torch.nn.utils.clip_grad_norm_(training.trained, CLIP)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return found

    return work


def figures(asked: Options, one: Setting) -> list[Figure]:
    """Tokens a second first; MFU and HFU where the sheet states a peak."""
    config, method, dtype, batch, tokens = one.config, one.method, one.dtype, one.batch, one.tokens
    added = config.adapter_params(asked.rank) if method == LORA else 0
    flop = config.shape(tokens).training_flop(
        frozen_base=method == LORA, recomputed=asked.recompute, adapter_parameters=added
    )
    shape = f"{config.name} {method} batch {batch} x {tokens}{' recomputed' if asked.recompute else ''}"
    peak = asked.sheet.flop_per_s(dtype)
    count = batch * tokens

    def told(metric: str, unit: str, value_of: Callable[[float], float], formula: str, sheet: float | None) -> Figure:
        return Figure(metric, unit, shape, dtype, value_of, sheet, formula, headline=unit == "tok/s")

    rate = told(f"train_{method}", "tok/s", lambda seconds: count / seconds, "batch · T ÷ t", None)
    if peak is None:
        return [rate]
    convention = f"tok/s · ({WEIGHTS[method]} + 12·L·H·Q·T{{}}) ÷ dense peak, N without the input embedding"
    again = " + recomputed forward" if asked.recompute else ""
    mfu = told(
        f"train_{method}_mfu",
        "ratio",
        lambda seconds: flop.model * count / seconds / peak,
        "MFU = " + convention.format(""),
        1.0,
    )
    hfu = told(
        f"train_{method}_hfu",
        "ratio",
        lambda seconds: flop.hardware * count / seconds / peak,
        "HFU = " + convention.format(again),
        1.0,
    )
    return [rate, mfu, hfu]


def body(report: Report, asked: Options, devices: list[Device], times: Times) -> None:
    if unknown := set(asked.methods) - {FULL, LORA}:
        raise ValueError(f"no such method: {', '.join(sorted(unknown))}")
    for device in machine.each(report, devices):
        for method in asked.methods or (FULL, LORA):
            if not report.stopped:
                one = setting(asked, device, method)
                machine.probe(report, device, times, figures(asked, one), step(device, asked, one))
                device.close()


if __name__ == "__main__":
    sys.exit(machine.run("train_step", ABOUT, body))
