"""Prefill: prompt tokens a second of random weights of a given size, and the FLOP/s that this means.

Run by the GPU's own Python: `python -m benchmarks.probes.prefill`. Counted: 2·P·T in the layers, the head once, and
the causal half of attention, 2·L·T²·d; a kernel that computes the whole matrix does more and gains nothing by it.
"""

import sys

import torch

from benchmarks.probes import decoder, machine
from benchmarks.probes.machine import Device, Work
from benchmarks.probes.options import Options, Times
from benchmarks.probes.report import Figure, Report
from benchmarks.probes.shapes import PRESETS, Config

ABOUT = "prompt tokens a second of a decoder with random weights"
KNOWN = ("bf16", "fp16")
GPU_PROMPT, CPU_PROMPT = 2048, 128
FORMULA = "(2·P·T + 2·L·T²·d + 2·head) ÷ t"


def prompts(device: Device, config: Config, batch: int, tokens: int, dtype: str) -> Work:
    """A batch of random prompts through the whole model, to the token after each."""
    weights = decoder.random_weights(config, machine.DTYPES[dtype], device.place)
    asked = torch.randint(config.vocab, (batch, tokens), device=device.place)

    def work() -> object:
        with torch.no_grad():
            return decoder.first_token(weights, asked)

    return work


def figures(asked: Options, config: Config, batch: int, tokens: int, dtype: str) -> tuple[Figure, Figure]:
    """Prompt tokens a second, and the FLOP/s against the dense peak."""
    flop = config.prefill_flop(batch, tokens)
    shape = f"{config.name} batch {batch} prompt {tokens}"
    rate = Figure(
        metric="prefill",
        unit="tok/s",
        shape=shape,
        dtype=dtype,
        value_of=lambda seconds: batch * tokens / seconds,
        formula="batch · T ÷ t",
    )
    compute = Figure(
        metric="prefill_flop",
        unit="FLOP/s",
        shape=shape,
        dtype=dtype,
        value_of=lambda seconds: flop / seconds,
        sheet=asked.sheet.flop_per_s(dtype),
        formula=FORMULA,
        headline=False,
    )
    return rate, compute


def body(report: Report, asked: Options, devices: list[Device], times: Times) -> None:
    for device in machine.each(report, devices):
        config = asked.config or PRESETS["tiny" if device.is_cpu else "mistral-7b"]
        batch, tokens = asked.batch or 1, asked.context or (CPU_PROMPT if device.is_cpu else GPU_PROMPT)
        for dtype in machine.main_dtypes(device, asked, KNOWN):
            told = figures(asked, config, batch, tokens, dtype)
            machine.probe(report, device, times, told, prompts(device, config, batch, tokens, dtype))


if __name__ == "__main__":
    sys.exit(machine.run("prefill", ABOUT, body))
