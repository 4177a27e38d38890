"""Measured roofs in the sizing formulas; each number is worked out from the rule, by hand."""

import datetime as dt
from dataclasses import replace

import pytest

from calculator.calibrated import calibration
from calculator.domain import roofs
from calculator.domain.calibration import (
    Engine,
    Era,
    Framework,
    link_constants,
    serving_classes,
    serving_constants,
    training_classes,
    training_constants,
)
from calculator.domain.hardware import Gpu, Roofs
from calculator.domain.inference import Deployment, rates
from calculator.domain.llm import MISTRAL_7B
from calculator.domain.parallelism import Topology, allreduce_s, bus_bytes_per_s
from calculator.domain.precision import HALF, PRECISIONS
from calculator.domain.provenance import Kind, Sourced
from calculator.domain.serving_layout import constants_of

A100 = Gpu(
    "A100-SXM-80GB",
    "NVIDIA",
    "Ampere",
    80,
    2039,
    fp16_tflops_dense_fp32acc=312,
    bf16_tflops_dense=312,
    bf16_native=True,
    link_gb_s_per_direction=300,
    nvlink_gen="NVLink3 + NVSwitch",
    mem_type="HBM2e",
)
FITTED = calibration()
DAY = dt.date(2026, 11, 30)


def measured(value: float, unit: str) -> Sourced[float]:
    return Sourced(value, unit, Kind.MEASURED, "benchmark_run", "2026-0007", DAY)


def probed(gpu: Gpu = A100, **found: Sourced[float] | int) -> Gpu:
    return replace(gpu, roofs=Roofs(**found))  # type: ignore[arg-type]


def copied(share: float, gpu: Gpu = A100) -> Gpu:
    """A GPU whose copy ran at `share` of the data sheet."""
    return probed(gpu, copy_bytes_per_s=measured(gpu.mem_bw_gb_s * 1e9 * share, "B/s"))


def constants(gpu: Gpu, engine: Engine = Engine.VLLM, code: str = "fp16"):  # type: ignore[no-untyped-def]
    return constants_of(FITTED, engine, Era.NEW, PRECISIONS[code], gpu)


def chip_share(gpu: Gpu) -> float:
    """Share of the sheet at which the calibration reads weights on this chip: the base × the chip's own factors."""
    group = FITTED.serving
    factors = group.factors.get("weight_bandwidth_ratio", {})
    memory = "HBM" if gpu.mem_type.startswith("HBM") else "GDDR"
    return group.base["weight_bandwidth_ratio"] * factors.get(gpu.architecture, 1.0) * factors.get(memory, 1.0)


def test_without_a_measured_roof_nothing_changes() -> None:
    fitted = serving_constants(FITTED, serving_classes(Engine.VLLM, Era.NEW, "fp16", A100))
    assert constants(A100) == fitted
    assert constants(probed()) == fitted, "roofs of which none stands change nothing either"
    assert roofs.memory_roof(A100).kind is Kind.DATA_SHEET


def test_the_measured_copy_takes_the_place_of_sheet_times_share() -> None:
    """Weights of the reference class are read at the measured rate itself."""
    gpu = copied(0.79)
    found = constants(gpu)
    plain = constants(A100)
    reached = 2039e9 * found.weight_bandwidth_ratio
    assert reached == pytest.approx(0.79 * 2039e9 * plain.weight_bandwidth_ratio / chip_share(A100))
    assert roofs.memory_factor(FITTED, gpu) == pytest.approx(0.79 / chip_share(A100))


def test_the_cache_is_read_faster_or_slower_by_the_same_factor() -> None:
    factor = 0.6 / chip_share(A100)
    assert constants(copied(0.6)).kv_bandwidth_ratio == pytest.approx(constants(A100).kv_bandwidth_ratio * factor)


@pytest.mark.parametrize("engine", [Engine.VLLM, Engine.TENSORRT_LLM, Engine.SGLANG])
def test_engines_keep_what_they_lose_beside_the_chip(engine: Engine) -> None:
    slow, fast = (constants(copied(share), engine).weight_bandwidth_ratio for share in (0.4, 0.8))
    assert fast == pytest.approx(2 * slow)
    assert fast / constants(A100, engine).weight_bandwidth_ratio == pytest.approx(0.8 / chip_share(A100))


def test_a_measured_roof_caps_compute_and_never_raises_it() -> None:
    plain = constants(A100)
    low = constants(probed(half_flop_per_s=measured(0.5 * 312e12, "FLOP/s")))
    high = constants(probed(half_flop_per_s=measured(0.9 * 312e12, "FLOP/s")))
    assert plain.prefill_compute_ratio > 0.5
    assert (low.prefill_compute_ratio, low.decode_compute_ratio) == (0.5, 0.5)
    assert high.prefill_compute_ratio == plain.prefill_compute_ratio


def test_eight_bits_on_a_gpu_without_such_units_are_capped_by_the_sixteen_bit_roof() -> None:
    gpu = probed(half_flop_per_s=measured(0.5 * 312e12, "FLOP/s"), fp8_flop_per_s=measured(9e15, "FLOP/s"))
    assert roofs.flop_cap_ratio(gpu, "fp8") == pytest.approx(0.5)


def test_each_format_has_its_own_roof() -> None:
    h100 = replace(A100, fp8_tflops_dense=1979.0, fp8_native=True)
    gpu = probed(h100, half_flop_per_s=measured(156e12, "FLOP/s"), fp8_flop_per_s=measured(1484.25e12, "FLOP/s"))
    assert roofs.flop_cap_ratio(gpu, "fp16") == pytest.approx(0.5)
    assert roofs.flop_cap_ratio(gpu, "fp8") == pytest.approx(0.75)
    assert roofs.flop_cap_ratio(gpu, "int8") is None


def bus(value: float) -> Gpu:
    return probed(bus_bytes_per_s=measured(value, "B/s"), bus_members=8)


def predicted_bus() -> float:
    """2 × 7 ÷ 8 × 1 GiB ÷ the calibrated time of it, over eight A100 joined by switches of 300 GB/s one way."""
    fitted = link_constants(FITTED, ("switch", "Ampere", "one machine"))
    seconds = allreduce_s(Topology(8, 300e9), 2.0**30, fitted)
    return bus_bytes_per_s(Topology(8, 300e9), 2.0**30, seconds)


def test_a_link_is_re_anchored_by_measured_over_predicted() -> None:
    half = bus(predicted_bus() / 2)
    assert roofs.link_factor(FITTED, half) == pytest.approx(0.5)
    assert constants(half).link_ratio == pytest.approx(constants(A100).link_ratio / 2)
    fitted = link_constants(FITTED, ("switch", "Ampere", "one machine"))
    assert roofs.linked(fitted, FITTED, half).bandwidth_ratio == pytest.approx(fitted.bandwidth_ratio / 2)


def test_a_bus_as_predicted_changes_nothing() -> None:
    fitted = link_constants(FITTED, ("switch", "Ampere", "one machine"))
    assert roofs.linked(fitted, FITTED, A100) == fitted
    assert roofs.link_factor(FITTED, bus(predicted_bus())) == pytest.approx(1.0)


def test_training_computes_no_faster_than_the_roof() -> None:
    classes = training_classes(Framework.FSDP, "full", "fp16", A100)
    fitted = training_constants(FITTED, classes)
    low = roofs.trained(fitted, FITTED, probed(half_flop_per_s=measured(31.2e12, "FLOP/s")), "fp16")
    assert low.compute_ratio == pytest.approx(0.1)
    assert roofs.trained(fitted, FITTED, A100, "fp16") == fitted


def test_a_base_in_four_bits_is_unpacked_at_the_measured_rate() -> None:
    """Half of the calibrated memory rate: twice the time."""
    fitted = training_constants(FITTED, training_classes(Framework.FSDP, "qlora", "int4", A100))
    gpu = copied(chip_share(A100) / 2)
    assert roofs.trained(fitted, FITTED, gpu, "fp16").dequantised_bytes == pytest.approx(2 * fitted.dequantised_bytes)


def test_a_decode_step_reads_its_weights_at_the_measured_rate() -> None:
    """16-bit layers and head of Mistral 7B v0.3: 14.2 GB at half of the calibrated rate take twice as long."""
    plain = rates(Deployment(MISTRAL_7B, A100, HALF, 2.0), constants(A100))
    gpu = copied(chip_share(A100) / 2)
    slow = rates(Deployment(MISTRAL_7B, gpu, HALF, 2.0), constants(gpu))
    assert slow.dense_read_s == pytest.approx(2 * plain.dense_read_s)
    assert slow.prefill_token_s == plain.prefill_token_s


def test_ceilings_stand_at_the_measured_roofs() -> None:
    gpu = probed(copy_bytes_per_s=measured(1.61e12, "B/s"), half_flop_per_s=measured(2.5e14, "FLOP/s"))
    compute = roofs.compute_roof(gpu, "fp16")
    assert (roofs.memory_roof(gpu).value, roofs.memory_roof(gpu).kind) == (1.61e12, Kind.MEASURED)
    assert compute is not None and (compute.value, compute.reference) == (2.5e14, "2026-0007")
    plain = roofs.compute_roof(A100, "fp16")
    assert plain is not None and (plain.value, plain.kind) == (312e12, Kind.DATA_SHEET)


def test_the_steps_say_what_was_measured_and_by_what_factor() -> None:
    gpu = probed(
        copy_bytes_per_s=measured(1.61e12, "B/s"),
        half_flop_per_s=measured(250e12, "FLOP/s"),
        bus_bytes_per_s=measured(predicted_bus(), "B/s"),
        bus_members=8,
    )
    memory, compute, link = roofs.roof_steps(Deployment(MISTRAL_7B, gpu, HALF, 2.0), FITTED)
    assert (memory.code, compute.code, link.code) == ("serve_memory_roof", "serve_compute_roof", "serve_link_roof")
    assert float(memory.result) == pytest.approx(1610 / (2039 * chip_share(A100)))
    assert float(compute.result) == pytest.approx(0.8013, abs=5e-5)
    assert float(link.result) == pytest.approx(1.0)
    assert memory.terms[0].source.kind is Kind.MEASURED and memory.terms[0].source.reference == "2026-0007"
    assert memory.trust is Kind.ESTIMATE
    assert list(roofs.roof_steps(Deployment(MISTRAL_7B, A100, HALF, 2.0), FITTED)) == []
