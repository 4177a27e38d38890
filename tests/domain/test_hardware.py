"""Data sheets: driver-reported memory before the label, no units that the card lacks, one-way bandwidth in the ring."""

from dataclasses import replace

import pytest

from calculator.domain import hardware
from calculator.domain.hardware import Gpu
from calculator.domain.units import GB, GIB

A100_80 = Gpu(
    name="A100-SXM-80GB",
    vendor="NVIDIA",
    architecture="Ampere",
    vram_gb=80,
    mem_bw_gb_s=2039,
    driver_mib=81_920,
    fp16_tflops_dense_fp32acc=312,
    bf16_tflops_dense=312,
    bf16_native=True,
)
T4 = Gpu("T4", "NVIDIA", "Turing", 16, 320, driver_mib=15_360, fp16_tflops_dense_fp32acc=65)


@pytest.mark.parametrize(("mib", "gib"), [(81_920, 80.0), (81_559, 79.6), (40_960, 40.0), (15_360, 15.0)])
def test_pitfall_13_memory_is_what_the_driver_reports(mib: int, gib: float) -> None:
    assert hardware.memory_bytes(replace(A100_80, driver_mib=mib)) / GIB == pytest.approx(gib, abs=0.05)


def test_pitfall_13_eighty_gib_are_nearly_86_gb() -> None:
    assert hardware.memory_bytes(A100_80) / GB == pytest.approx(85.9, abs=0.01)


def test_without_a_driver_figure_the_label_is_read_as_decimal() -> None:
    assert hardware.memory_bytes(replace(A100_80, driver_mib=None)) == 80 * GB


def test_pitfall_14_the_engines_fraction_is_of_the_total() -> None:
    assert hardware.usable_bytes(T4, 0.90) / GIB == pytest.approx(13.5)


def test_pitfall_21_an_a100_has_no_fp8_units() -> None:
    assert hardware.peak_flop_per_s(replace(A100_80, fp8_tflops_dense=624), "fp8") is None
    assert hardware.peak_flop_per_s(A100_80, "bf16") == 312e12


def test_pitfall_22_a_t4_has_no_bf16() -> None:
    assert hardware.peak_flop_per_s(T4, "bf16") is None
    assert hardware.peak_flop_per_s(T4, "fp16") == 65e12


def test_a_precision_that_no_sheet_has_is_an_error() -> None:
    with pytest.raises(KeyError):
        hardware.peak_flop_per_s(T4, "fp3")


def test_bandwidth_is_in_bytes_a_second() -> None:
    assert hardware.bandwidth_bytes_per_s(T4) == 320e9


@pytest.mark.parametrize(
    ("bytes_per_s", "ms"),
    [(300e9, 31.5), (32e9, 295), (25e9, 378), (12.5e9, 756)],
    ids=["NVLink", "PCIe", "IB", "half"],
)
def test_pitfall_44_gradients_on_eight_gpus(bytes_per_s: float, ms: float) -> None:
    """2.7 G parameters in 16 bits: 7/4 × 5.4 GB over the one-way bandwidth of a GPU."""
    assert hardware.ring_allreduce_s(5.4e9, 8, bytes_per_s, 0.0) * 1000 == pytest.approx(ms, rel=0.002)


def test_pitfall_44_hops_add_their_latency() -> None:
    """14 hops of 5 µs."""
    without = hardware.ring_allreduce_s(5.4e9, 8, 300e9, 0.0)
    assert hardware.ring_allreduce_s(5.4e9, 8, 300e9, 5e-6) - without == pytest.approx(70e-6)


def test_one_gpu_exchanges_nothing() -> None:
    assert hardware.ring_allreduce_s(5.4e9, 1, 300e9, 5e-6) == 0
