"""GPUs as their data sheets state them, and what follows from a sheet alone.

Field names carry the sheet's own units (GB = 10**9 bytes, TFLOPS without sparsity, one direction of a link); the
functions answer in bytes, bytes a second and FLOP a second. None = not stated, or not supported in hardware.
"""

from dataclasses import dataclass

from calculator.domain.provenance import Sourced
from calculator.domain.units import GB, GIB

MIB_A_GIB = 1024
TERA = 10**12


@dataclass(frozen=True, slots=True)
class Roofs:
    """What our own probes measured of one offer's GPU, sustained; None where no figure stands.

    Bytes a second of a copy (read and written), dense FLOP a second of a large product in 16 and in 8 bits, and the bus
    bandwidth of a large all-reduce among `bus_members` GPUs.
    """

    copy_bytes_per_s: Sourced[float] | None = None
    half_flop_per_s: Sourced[float] | None = None
    fp8_flop_per_s: Sourced[float] | None = None
    bus_bytes_per_s: Sourced[float] | None = None
    bus_members: int = 0


@dataclass(frozen=True, slots=True)
class Gpu:
    """One GPU's data sheet. `driver_mib` is the memory that the driver reports, where it is known.

    `roofs` is what was measured of this very offer's GPU; a data sheet alone has none.
    """

    name: str
    vendor: str
    architecture: str
    vram_gb: float
    mem_bw_gb_s: float
    driver_mib: int | None = None
    fp16_tflops_dense_fp32acc: float | None = None
    bf16_tflops_dense: float | None = None
    fp8_tflops_dense: float | None = None
    link_gb_s_per_direction: float | None = None
    pcie_gen: int | None = None
    pcie_gb_s_per_direction: float | None = None
    tdp_w: float | None = None
    compute_capability: str = ""
    bf16_native: bool = False
    fp8_native: bool = False
    measured_mem_bw_gb_s: float | None = None
    mem_type: str = ""
    aliases: str = ""
    source: str = ""
    note: str = ""
    fp16_tflops_dense_fp16acc: float | None = None
    int8_tops_dense: float | None = None
    fp4_tflops_dense: float | None = None
    fp32_tflops: float | None = None
    nvlink_gen: str = ""
    roofs: Roofs | None = None


def memory_bytes(gpu: Gpu) -> int:
    """Memory of the card: what its driver reports; else the label read as decimal gigabytes, the smaller reading.

    An A100 80 GB reports 81 920 MiB, which is 80 GiB:

    >>> memory_bytes(Gpu("A100", "NVIDIA", "Ampere", 80, 2039, driver_mib=81_920)) / GIB
    80.0
    """
    if gpu.driver_mib is not None:
        return gpu.driver_mib * (GIB // MIB_A_GIB)
    return round(gpu.vram_gb * GB)


def usable_bytes(gpu: Gpu, memory_ratio: float) -> int:
    """Memory that an engine may take when its fraction is one of the total, as vLLM's is.

    >>> round(usable_bytes(Gpu("A100", "NVIDIA", "Ampere", 40, 1555, driver_mib=40_960), 0.90) / GIB, 2)
    36.0
    """
    return int(memory_bytes(gpu) * memory_ratio)


def bandwidth_bytes_per_s(gpu: Gpu) -> float:
    """Memory bandwidth of the data sheet, at 100 %."""
    return gpu.mem_bw_gb_s * GB


def peak_flop_per_s(gpu: Gpu, precision: str) -> float | None:
    """Dense peak with 32-bit accumulation for `fp16`, `bf16` or `fp8`; None where the sheet has none or the GPU has
    no such units (a T4 has no bf16, an A100 no fp8). Raises KeyError for another precision.

    >>> peak_flop_per_s(Gpu("A100", "NVIDIA", "Ampere", 80, 2039, bf16_tflops_dense=312, bf16_native=True), "bf16")
    312000000000000.0
    """
    tflops = {
        "fp16": gpu.fp16_tflops_dense_fp32acc,
        "bf16": gpu.bf16_tflops_dense if gpu.bf16_native else None,
        "fp8": gpu.fp8_tflops_dense if gpu.fp8_native else None,
    }[precision]
    return None if tflops is None else float(tflops * TERA)


def ring_allreduce_s(message_bytes: float, gpu_count: int, bytes_per_s: float, hop_latency_s: float) -> float:
    """Ring all-reduce: 2(N−1)/N × bytes ÷ bandwidth + 2(N−1) hops; one-way bandwidth of one GPU, in bytes a second.

    Gradients of 2.7 G parameters in 16 bits on 8 A100 with NVSwitch (300 GB/s each way), hops left out:

    >>> round(ring_allreduce_s(2.7e9 * 2, 8, 300e9, 0.0), 4)
    0.0315
    """
    turns = gpu_count - 1
    return 2 * turns / gpu_count * message_bytes / bytes_per_s + 2 * turns * hop_latency_s
