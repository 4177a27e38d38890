"""Measured roofs in the sizing formulas: the strongest origin after a run of the very setup asked for.

A calibrated constant is a share of the data sheet. Where our own probe measured the roof of this offer's GPU, that roof
takes the place of sheet × share, for this offer alone; engines and number formats keep what they lose beside the chip.

- Memory: weights and cache are read at the measured copy rate where the calibration has the chip read at
  sheet × share; the factor between the two holds for every class.
- Compute: a share holds what an engine loses beside its products, so it stands; but nothing multiplies faster than the
  measured roof, which caps it.
- Links: the factor of measured to predicted bus bandwidth, at the size that was measured.
"""

from collections.abc import Iterator
from dataclasses import replace

from calculator.domain.calibration import (
    Calibration,
    LinkConstants,
    ServingConstants,
    TrainingConstants,
    architecture_class,
    link_constants,
    memory_class,
)
from calculator.domain.hardware import Gpu, bandwidth_bytes_per_s
from calculator.domain.inference import Deployment, NotModelledError, link_bytes_per_s
from calculator.domain.interconnects import own_link, reduces
from calculator.domain.parallelism import Topology, allreduce_s, bus_bytes_per_s
from calculator.domain.precision import math_flop_per_s
from calculator.domain.provenance import Kind, Sourced, Step, Term
from calculator.domain.units import GIB

PROBED_BYTES = GIB
"""The message at which the probe's bus bandwidth stands: the largest of its curve."""
HALF, EIGHT_BIT = "fp16", "fp8"


def memory_roof(gpu: Gpu) -> Sourced[float]:
    """Bytes a second that the memory gives: measured, else the data sheet's."""
    if gpu.roofs is not None and gpu.roofs.copy_bytes_per_s is not None:
        return gpu.roofs.copy_bytes_per_s
    return Sourced(bandwidth_bytes_per_s(gpu), "B/s", Kind.DATA_SHEET, "bandwidth", gpu.source, note=gpu.name)


def measured_flop(gpu: Gpu, math: str) -> Sourced[float] | None:
    """The measured FLOP a second of the units that multiply so; None where none were measured."""
    if gpu.roofs is None:
        return None
    if math == EIGHT_BIT and not gpu.fp8_native:
        math = HALF
    return {HALF: gpu.roofs.half_flop_per_s, EIGHT_BIT: gpu.roofs.fp8_flop_per_s}.get(math)


def compute_roof(gpu: Gpu, math: str) -> Sourced[float] | None:
    """FLOP a second of the units that multiply so: measured, else the data sheet's; None where it states none."""
    found = measured_flop(gpu, math)
    if found is not None:
        return found
    peak = math_flop_per_s(gpu, math)
    return None if peak is None else Sourced(peak, "FLOP/s", Kind.DATA_SHEET, "peak_flop", gpu.source, note=gpu.name)


def memory_factor(calibration: Calibration, gpu: Gpu) -> float:
    """Measured copy ÷ (data sheet × the share at which the calibration has this class of chips read); 1 unmeasured."""
    if gpu.roofs is None or gpu.roofs.copy_bytes_per_s is None:
        return 1.0
    chip = (architecture_class(gpu), memory_class(gpu))
    share = calibration.serving.resolve(chip)["weight_bandwidth_ratio"]
    return gpu.roofs.copy_bytes_per_s.value / (bandwidth_bytes_per_s(gpu) * share)


def flop_cap_ratio(gpu: Gpu, math: str) -> float | None:
    """The measured share of the dense peak, which no software exceeds; None unmeasured."""
    found, peak = measured_flop(gpu, math), math_flop_per_s(gpu, math)
    return None if found is None or not peak else found.value / peak


def capped(ratio: float, cap: float | None) -> float:
    """A share of the peak, at most the measured one.

    >>> capped(0.65, 0.8), capped(0.65, 0.5), capped(0.65, None)
    (0.65, 0.5, 0.65)
    """
    return ratio if cap is None else min(ratio, cap)


def link_factor(calibration: Calibration, gpu: Gpu) -> float:
    """Measured bus bandwidth ÷ the predicted one, among as many GPUs at the probe's message; 1 unmeasured."""
    roofs = gpu.roofs
    if roofs is None or roofs.bus_bytes_per_s is None or roofs.bus_members < 2:
        return 1.0
    try:
        rate, _ = link_bytes_per_s(gpu, roofs.bus_members)
    except NotModelledError:
        return 1.0
    way = own_link(gpu, roofs.bus_members).way
    topology = Topology(roofs.bus_members, rate, reducing_switch=reduces(gpu.nvlink_gen))
    constants = link_constants(calibration, (way.value, architecture_class(gpu), "one machine"))
    seconds = allreduce_s(topology, PROBED_BYTES, constants)
    return roofs.bus_bytes_per_s.value / bus_bytes_per_s(topology, PROBED_BYTES, seconds)


def served(constants: ServingConstants, calibration: Calibration, gpu: Gpu, math: str) -> ServingConstants:
    """A server's constants on a GPU whose roofs were measured; as they are where none was."""
    if gpu.roofs is None:
        return constants
    memory, link, cap = memory_factor(calibration, gpu), link_factor(calibration, gpu), flop_cap_ratio(gpu, math)
    return replace(
        constants,
        weight_bandwidth_ratio=constants.weight_bandwidth_ratio * memory,
        kv_bandwidth_ratio=constants.kv_bandwidth_ratio * memory,
        decode_compute_ratio=capped(constants.decode_compute_ratio, cap),
        prefill_compute_ratio=capped(constants.prefill_compute_ratio, cap),
        link_ratio=constants.link_ratio * link,
        pcie_ratio=constants.pcie_ratio * link,
    )


def trained(constants: TrainingConstants, calibration: Calibration, gpu: Gpu, math: str) -> TrainingConstants:
    """A training job's constants on a GPU whose roofs were measured; as they are where none was."""
    if gpu.roofs is None:
        return constants
    return replace(
        constants,
        compute_ratio=capped(constants.compute_ratio, flop_cap_ratio(gpu, math)),
        dequantised_bytes=constants.dequantised_bytes / memory_factor(calibration, gpu),
    )


def linked(constants: LinkConstants, calibration: Calibration, gpu: Gpu) -> LinkConstants:
    """A link's constants between GPUs whose bus was measured; as they are where it was not."""
    factor = link_factor(calibration, gpu)
    return constants if factor == 1.0 else replace(constants, bandwidth_ratio=constants.bandwidth_ratio * factor)


def roof_steps(deployment: Deployment, calibration: Calibration) -> Iterator[Step]:
    """What the measured roofs of a GPU change in its estimate; nothing where none was measured."""
    gpu, dated = deployment.gpu, (calibration.data_hash[:12], calibration.date)
    roofs = gpu.roofs
    if roofs is None:
        return
    if roofs.copy_bytes_per_s is not None:
        sheet, factor = bandwidth_bytes_per_s(gpu), memory_factor(calibration, gpu)
        share = roofs.copy_bytes_per_s.value / (sheet * factor)
        parts = (
            Term("M", roofs.copy_bytes_per_s),
            Term("D", Sourced(sheet, "B/s", Kind.DATA_SHEET, "bandwidth", gpu.source, note=gpu.name)),
            Term("e", Sourced(share, "", Kind.ESTIMATE, "read_share", *dated)),
        )
        yield Step("serve_memory_roof", parts, factor, "")
    found, peak = measured_flop(gpu, deployment.precision.math), math_flop_per_s(gpu, deployment.precision.math)
    if found is not None and peak is not None:
        sheet_peak = Sourced(peak, "FLOP/s", Kind.DATA_SHEET, "peak_flop", gpu.source, note=gpu.name)
        yield Step("serve_compute_roof", (Term("F", found), Term("D", sheet_peak)), found.value / peak, "")
    if roofs.bus_bytes_per_s is not None:
        factor = link_factor(calibration, gpu)
        predicted = Sourced(roofs.bus_bytes_per_s.value / factor, "B/s", Kind.ESTIMATE, "bus_predicted", *dated)
        yield Step("serve_link_roof", (Term("B", roofs.bus_bytes_per_s), Term("p", predicted)), factor, "")
