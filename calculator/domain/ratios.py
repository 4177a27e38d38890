"""Ratios by which configurations are compared: what an hour costs for each GB of memory and each TFLOP/s."""

from decimal import Decimal

from calculator.domain.hardware import TERA, Gpu, peak_flop_per_s
from calculator.domain.units import to_decimal


def eur_per_gb_h(eur_per_h: Decimal, vram_gb: float) -> Decimal | None:
    """€ an hour ÷ GB of memory of the whole instance; None without memory.

    >>> eur_per_gb_h(Decimal("1.50"), 24.0)
    Decimal('0.0625')
    """
    return eur_per_h / to_decimal(vram_gb) if vram_gb > 0 else None


def dense_tflops(gpu: Gpu, gpu_count: int) -> Decimal | None:
    """Dense 16-bit peak with 32-bit accumulation of the whole instance: bf16 where the GPU has it, else fp16.

    A T4 has no bf16 units:

    >>> dense_tflops(Gpu("T4", "NVIDIA", "Turing", 16, 320, fp16_tflops_dense_fp32acc=65), 1)
    Decimal('65.0')
    """
    peak = peak_flop_per_s(gpu, "bf16") or peak_flop_per_s(gpu, "fp16")
    return None if peak is None else to_decimal(peak / TERA) * gpu_count


def eur_per_tflops_h(eur_per_h: Decimal, tflops: Decimal | None) -> Decimal | None:
    """€ an hour ÷ dense TFLOP/s of the whole instance; None where the data sheet states no peak.

    >>> round(eur_per_tflops_h(Decimal("1.50"), Decimal("165.2")), 5)
    Decimal('0.00908')
    """
    return eur_per_h / tflops if tflops else None
