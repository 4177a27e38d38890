"""Cases of allreduce.csv: bus bandwidth of messages of 1 MiB and more."""

import re
from collections.abc import Iterator

from calculator.accuracy.cases import Case, Outcome, Refusal, RefusedError, Row
from calculator.accuracy.naming import count, number
from calculator.accuracy.sheets import Sheets
from calculator.domain.calibration import LinkConstants, architecture_class, chip_class
from calculator.domain.hardware import Gpu
from calculator.domain.inference import NotModelledError, link_bytes_per_s
from calculator.domain.parallelism import Topology, allreduce_s, bus_bytes_per_s, bytes_per_s_of_gbit
from calculator.domain.units import GB, GIB

METRIC = "busbw_GB_s"
SMALLEST_BYTES = 2**20
LARGE_BYTES = 8 * GIB
"""A figure without a message size is the peak of a sweep."""
REDUCING_SWITCHES = ("NVLink4 NVSwitch", "NVLink5 NVSwitch", "NVLink5", "NVLink4")
RACK_GPUS = 72
RACK_LINK_GB_S = 50.0


def topology_of(row: Row, gpu: Gpu) -> Topology:
    """The topology that the text of an interconnect describes."""
    text, gpus = row.get("interconnect", ""), count(row.get("n_gpus"), 1)
    machines = _machines(text, gpus)
    if text.startswith("PCIe"):
        if gpu.pcie_gb_s_per_direction is None:
            raise RefusedError("unknown link")
        return Topology(gpus, gpu.pcie_gb_s_per_direction * GB)
    if machines == gpus:
        return Topology(gpus, _network(text), machines, _network(text))
    rate, nvlink = link_bytes_per_s(gpu, gpus if "bridge" in text else min(gpus, 8))
    reducing = nvlink and "ring" not in text and any(name in text for name in REDUCING_SWITCHES)
    network = _network(text) if machines > 1 else 0.0
    return Topology(gpus, rate, machines, network, reducing)


def _machines(text: str, gpus: int) -> int:
    found = re.search(r"(\d+) (?:nodes?|NVL72 racks?)", text)
    return min(int(found.group(1)), gpus) if found else 1


def _network(text: str) -> float:
    """All network cards of one machine, in bytes a second; a rack has one card of 400 Gb/s a GPU."""
    cards = re.search(r"(\d+)x(\d+) (GB/s|Gb/s)", text) or re.search(r"(\d+) NICs (\d+) (Gb/s)", text)
    if cards is None:
        if "racks" in text:
            return RACK_GPUS * RACK_LINK_GB_S * GB
        raise RefusedError("network not stated")
    number_of_cards, rate = int(cards.group(1)), float(cards.group(2))
    return number_of_cards * (rate * GB if cards.group(3) == "GB/s" else bytes_per_s_of_gbit(rate))


def way_of(row: Row, gpu: Gpu) -> str:
    """The class of a link: PCIe, a bridge between two cards, or a switch."""
    text = row.get("interconnect", "")
    if text.startswith("PCIe"):
        return "PCIe"
    return "bridge" if "bridge" in text or "bridge" in gpu.nvlink_gen else "switch"


def allreduce(file: str, line: int, row: Row, sheets: Sheets) -> Iterator[Outcome]:
    """Bus bandwidth of one message."""
    measured = number(row.get(METRIC))
    if measured:
        yield _outcome(file, line, row, sheets, measured)


def _outcome(file: str, line: int, row: Row, sheets: Sheets, measured: float) -> Outcome:
    try:
        return _case(file, line, row, sheets, measured)
    except (RefusedError, NotModelledError) as reason:
        small = (number(row.get("bytes")) or LARGE_BYTES) < SMALLEST_BYTES
        return Refusal(file, line, METRIC, "NCCL", "", measured, str(reason), "below 1 MiB" if small else "")


def _case(file: str, line: int, row: Row, sheets: Sheets, measured: float) -> Case:
    gpu = sheets.gpu(row.get("gpu", ""))
    if gpu is None:
        raise RefusedError("unknown GPU")
    if "not NCCL" in row.get("note", ""):
        raise RefusedError("library not modelled")
    topology, size = topology_of(row, gpu), number(row.get("bytes")) or LARGE_BYTES

    def predict(constants: LinkConstants) -> float:
        return bus_bytes_per_s(topology, size, allreduce_s(topology, size, constants)) / GB

    way = way_of(row, gpu)
    pair = f"{gpu.name}|{topology.gpu_count}|{topology.machines}"
    classes = (way, architecture_class(gpu), "many machines" if topology.machines > 1 else "one machine")
    apart = "below 1 MiB" if size < SMALLEST_BYTES else ""
    source = f"{row.get('source', '')} {pair}"
    chip = chip_class(gpu)
    return Case(file, line, METRIC, "NCCL", way, measured, source, pair, "links", classes, predict, apart, chip)
