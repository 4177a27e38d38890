"""Memory: bytes a second of a copy (one array read, one written) and of a triad (two read, one written).

Run by the GPU's own Python: `python -m benchmarks.probes.membw`. Arrays are at least four times the cache and normal
random; the cache is flushed between runs.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from benchmarks.probes import guards, machine
from benchmarks.probes.arithmetic import copy_gb_per_s, triad_gb_per_s
from benchmarks.probes.machine import Device, Work
from benchmarks.probes.options import Options, Times
from benchmarks.probes.report import Figure, Report

ABOUT = "bytes a second of a copy and of a triad"
ELEMENT_BYTES = 4
GPU_BYTES, CPU_BYTES = 2**30, 2**27
SCALE = 3.0


@dataclass(frozen=True, slots=True)
class Kernel:
    """One kernel, how its time becomes GB/s, and the formula of that."""

    name: str
    work: Work
    gb_per_s: Callable[[int, int, float], float]
    formula: str


def kernels(device: Device, elements: int) -> tuple[Kernel, Kernel]:
    """Copy and triad over the same three arrays."""
    first, second, out = (torch.randn(elements, dtype=torch.float32, device=device.place) for _ in range(3))

    def copy() -> Any:
        return out.copy_(first)

    def triad() -> Any:
        return torch.add(first, second, alpha=SCALE, out=out)

    return Kernel("copy", copy, copy_gb_per_s, "2·bytes ÷ t"), Kernel("triad", triad, triad_gb_per_s, "3·bytes ÷ t")


def figure(asked: Options, kernel: Kernel, elements: int) -> Figure:
    """Bytes a second against the data sheet's."""
    return Figure(
        metric=f"membw_{kernel.name}",
        unit="B/s",
        shape=f"{elements * ELEMENT_BYTES} B",
        dtype="fp32",
        value_of=lambda seconds: kernel.gb_per_s(elements, ELEMENT_BYTES, seconds) * 1e9,
        sheet=asked.sheet.bytes_per_s,
        formula=kernel.formula,
    )


def body(report: Report, asked: Options, devices: list[Device], times: Times) -> None:
    for device in machine.each(report, devices):
        size = asked.size or (CPU_BYTES if device.is_cpu else GPU_BYTES)
        elements = max(1, size // ELEMENT_BYTES)
        beyond = guards.beyond_cache(elements * ELEMENT_BYTES, device.cache_bytes)
        for kernel in kernels(device, elements):
            if not report.stopped:
                machine.probe(report, device, times, [figure(asked, kernel, elements)], kernel.work, [beyond])


if __name__ == "__main__":
    sys.exit(machine.run("membw", ABOUT, body))
