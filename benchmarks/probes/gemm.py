"""Matrix units: FLOP/s of one large square product, bf16 and fp16, and fp8 where the GPU has units for it.

Run by the GPU's own Python: `python -m benchmarks.probes.gemm`. 2·M·N·K operations a run; operands are normal random,
sums are kept in 32 bits (fp8: with the engine's fast accumulation, as inference uses it).
"""

import sys
from typing import Any

import torch

from benchmarks.probes import machine
from benchmarks.probes.arithmetic import gemm_tflops
from benchmarks.probes.machine import Device, Work
from benchmarks.probes.options import Options, Times
from benchmarks.probes.report import Figure, Report

ABOUT = "FLOP/s of a large matrix product"
KNOWN = ("bf16", "fp16", "fp8")
GPU_SIZE, CPU_SIZE = 8192, 768


def product(device: Device, size: int, dtype: str) -> Work:
    """The product of two random matrices into a third that is there already."""
    if dtype == "fp8":
        return eight_bit_product(device, size)
    kind = machine.DTYPES[dtype]
    left, right = (torch.randn(size, size, dtype=kind, device=device.place) for _ in range(2))
    out = torch.empty(size, size, dtype=kind, device=device.place)
    return lambda: torch.mm(left, right, out=out)


def eight_bit_product(device: Device, size: int) -> Work:
    """e4m3 × e4m3 into bf16 with one scale a matrix; the second operand lies by columns, as the units want it."""
    halves = (torch.randn(size, size, dtype=torch.bfloat16, device=device.place) for _ in range(2))
    left, right = (half.to(torch.float8_e4m3fn) for half in halves)
    one = torch.ones((), dtype=torch.float32, device=device.place)
    columns: Any = right.t()

    def work() -> object:
        return torch._scaled_mm(left, columns, scale_a=one, scale_b=one, out_dtype=torch.bfloat16, use_fast_accum=True)

    return work


def figure(asked: Options, size: int, dtype: str) -> Figure:
    """FLOP/s against the dense peak of that type."""
    return Figure(
        metric=f"gemm_{dtype}",
        unit="FLOP/s",
        shape=f"{size}x{size}x{size}",
        dtype=dtype,
        value_of=lambda seconds: gemm_tflops(size, size, size, seconds) * 1e12,
        sheet=asked.sheet.flop_per_s(dtype),
        formula="2·M·N·K ÷ t",
    )


def body(report: Report, asked: Options, devices: list[Device], times: Times) -> None:
    for device in machine.each(report, devices):
        size = asked.size or (CPU_SIZE if device.is_cpu else GPU_SIZE)
        for dtype in device.dtypes(asked.dtypes, KNOWN):
            machine.probe(report, device, times, [figure(asked, size, dtype)], product(device, size, dtype))


if __name__ == "__main__":
    sys.exit(machine.run("gemm", ABOUT, body))
