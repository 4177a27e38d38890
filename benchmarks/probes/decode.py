"""Decoding: tokens a second of random weights of a given size, and the bytes a second that this reads.

Run by the GPU's own Python: `python -m benchmarks.probes.decode`. On a GPU the step is captured once as a CUDA graph
and replayed, so that no launch is timed. Valid for dense models; routing, acceptance and quality are not probed.
"""

import sys

import torch

from benchmarks.probes import decoder, guards, machine
from benchmarks.probes.machine import Device, Work
from benchmarks.probes.options import Options, Times
from benchmarks.probes.report import Figure, Report
from benchmarks.probes.shapes import DTYPE_BYTES, PRESETS, Config

ABOUT = "tokens a second of a decoder with random weights"
KNOWN = ("bf16", "fp16")
CAPTURE_WARM_UPS = 3
GPU_CONTEXT, CPU_CONTEXT = 1024, 128


def step(device: Device, config: Config, batch: int, context: int, dtype: str) -> Work:
    """One decode step of a batch, as a graph on a GPU."""
    kind = machine.DTYPES[dtype]
    weights = decoder.random_weights(config, kind, device.place)
    cache = decoder.random_cache(config, batch, context, kind, device.place)
    tokens = torch.randint(config.vocab, (batch, 1), device=device.place)
    turn = decoder.rotations(config, context - 1, 1, kind, device.place)

    def work() -> object:
        with torch.no_grad():
            return decoder.decode_step(weights, cache, tokens, turn)

    return work if device.is_cpu else captured(device, work)


def captured(device: Device, work: Work) -> Work:
    """The same kernels as a CUDA graph, after the warm-up on a stream of its own that capturing wants."""
    with torch.cuda.device(device.place):
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(CAPTURE_WARM_UPS):
                work()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            work()

    def replay() -> object:
        # The closure holds what the graph reads: freed tensors would be read all the same.
        return graph.replay(), work

    return replay


def figures(asked: Options, config: Config, batch: int, context: int, dtype: str) -> tuple[Figure, Figure]:
    """Tokens a second, and the memory traffic that it means."""
    moved = config.decode_bytes(batch, context, DTYPE_BYTES[dtype])
    shape = f"{config.name} batch {batch} context {context}"
    rate = Figure(
        metric="decode",
        unit="tok/s",
        shape=shape,
        dtype=dtype,
        value_of=lambda seconds: batch / seconds,
        formula="batch ÷ t",
    )
    traffic = Figure(
        metric="decode_bandwidth",
        unit="B/s",
        shape=shape,
        dtype=dtype,
        value_of=lambda seconds: moved / seconds,
        sheet=asked.sheet.bytes_per_s,
        formula="(weights + batch · context · KV) ÷ t",
        headline=False,
    )
    return rate, traffic


def body(report: Report, asked: Options, devices: list[Device], times: Times) -> None:
    for device in machine.each(report, devices):
        config = asked.config or PRESETS["tiny" if device.is_cpu else "mistral-7b"]
        batch, context = asked.batch or 1, asked.context or (CPU_CONTEXT if device.is_cpu else GPU_CONTEXT)
        for dtype in machine.main_dtypes(device, asked, KNOWN):
            moved = config.decode_bytes(batch, context, DTYPE_BYTES[dtype])
            beyond = guards.beyond_cache(moved, device.cache_bytes)
            told = figures(asked, config, batch, context, dtype)
            machine.probe(report, device, times, told, step(device, config, batch, context, dtype), [beyond])


if __name__ == "__main__":
    sys.exit(machine.run("decode", ABOUT, body))
