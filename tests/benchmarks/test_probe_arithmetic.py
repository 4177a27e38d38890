"""What probes make of their sizes and times, and which results nobody should believe; worked out by hand."""

import pytest

from benchmarks.probes import arithmetic
from benchmarks.probes.arithmetic import Shape, collective, copy_gb_per_s, gemm_tflops, plausible, triad_gb_per_s

H100_DENSE_BF16_TFLOPS = 989.0
H100_GB_PER_S = 3350.0


def test_l38_a_gemm_is_two_operations_a_product_against_the_dense_peak() -> None:
    """2 × 8192³ = 1.0995 × 10¹² in 1.45 ms."""
    rate = gemm_tflops(8192, 8192, 8192, 1.45e-3)
    assert rate == pytest.approx(758.3, abs=0.05)
    assert rate / H100_DENSE_BF16_TFLOPS == pytest.approx(0.767, abs=5e-4)
    assert rate / (2 * H100_DENSE_BF16_TFLOPS) == pytest.approx(0.383, abs=5e-4)


def test_l39_a_triad_moves_three_arrays() -> None:
    """3 × 2²⁸ × 4 bytes = 3.221 × 10⁹ in 1.10 ms."""
    rate = triad_gb_per_s(2**28, 4, 1.10e-3)
    assert rate == pytest.approx(2928, abs=0.5)
    assert rate / H100_GB_PER_S == pytest.approx(0.874, abs=5e-4)


def test_a_copy_moves_two_arrays() -> None:
    assert copy_gb_per_s(10**9, 2, 2.0) == pytest.approx(2.0)


def test_l40_an_all_reduce_has_two_bandwidths() -> None:
    """2³⁰ bytes in 5.0 ms = 214.7 × 10⁹ a second; × 2 × 7 ÷ 8 on the bus."""
    found = collective("all_reduce", 2**30, 8, 5.0e-3)
    assert found.alg_gb_per_s == pytest.approx(214.7, abs=0.05)
    assert found.bus_gb_per_s == pytest.approx(375.8, abs=0.05)


@pytest.mark.parametrize(
    ("kind", "factor"), [("all_gather", 0.75), ("reduce_scatter", 0.75), ("broadcast", 1.0), ("all_reduce", 1.5)]
)
def test_each_collective_has_its_own_bus_factor(kind: str, factor: float) -> None:
    assert collective(kind, 10**9, 4, 1.0).bus_gb_per_s == pytest.approx(factor)


def test_a_single_rank_has_no_bus() -> None:
    assert collective("all_reduce", 10**9, 1, 1.0).bus_gb_per_s is None
    with pytest.raises(KeyError):
        collective("gossip", 1, 2, 1.0)


MISTRAL_7B = Shape(parameters=7.24e9, layers=32, heads=32, head_width=128, sequence_tokens=4096)


def test_l41_mfu_counts_attention_and_says_its_formula() -> None:
    """6 × 7.24 × 10⁹ + 12 × 32 × 32 × 128 × 4096 = 49.88 × 10⁹ a token, × 3,000 ÷ 312 × 10¹²."""
    found = arithmetic.utilisation(MISTRAL_7B, 3000, 312)
    assert found.mfu_ratio == pytest.approx(0.480, abs=5e-4)
    assert found.parameters_only_ratio == pytest.approx(0.418, abs=5e-4)
    assert found.hfu_ratio == pytest.approx(0.640, abs=6e-4)
    assert "6·N" in found.formula and "12·L·H·Q·T" in found.formula


def test_tokens_of_all_gpus_go_with_the_peak_of_all_gpus() -> None:
    one, eight = arithmetic.utilisation(MISTRAL_7B, 3000, 312), arithmetic.utilisation(MISTRAL_7B, 24_000, 312, 8)
    assert eight.mfu_ratio == pytest.approx(one.mfu_ratio)


@pytest.mark.parametrize(
    ("name", "value", "peak"), [("gemm bf16", 1200.0, H100_DENSE_BF16_TFLOPS), ("copy", 3600.0, H100_GB_PER_S)]
)
def test_l42_more_than_the_hardware_can_is_rejected_with_a_hint(name: str, value: float, peak: float) -> None:
    with pytest.raises(arithmetic.ImplausibleError, match="not synchronised or in cache"):
        plausible(name, value, peak)


def test_up_to_five_percent_above_the_data_sheet_is_believed() -> None:
    assert plausible("copy", 1050.0, 1000.0) == 1050.0
    with pytest.raises(arithmetic.ImplausibleError):
        plausible("copy", 1050.1, 1000.0)
