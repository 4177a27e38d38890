"""Several GPUs: all-reduce over links and networks, sharing the work, and where adding GPUs stops paying.

Rates are one-way and per GPU inside a machine, per machine between machines. A ring moves 2(N−1)/N of the message over
each link; a switch that reduces (NVLink SHARP, from NVLink 4) lifts that limit for five GPUs and more.
"""

from dataclasses import dataclass
from math import sqrt

from calculator.domain.calibration import LinkConstants

SWITCH_REDUCES_FROM = 5
BITS_A_BYTE = 8


@dataclass(frozen=True, slots=True)
class Topology:
    """`gpu_count` GPUs in `machines` machines; rates in bytes a second, one way.

    `reducing_switch` says that the switch itself adds; `machine_bytes_per_s` is what all network cards of one machine
    carry together (0 inside one machine).
    """

    gpu_count: int
    link_bytes_per_s: float
    machines: int = 1
    machine_bytes_per_s: float = 0.0
    reducing_switch: bool = False


def bytes_per_s_of_gbit(gbit_per_s: float) -> float:
    """Network rates are quoted in bits.

    >>> bytes_per_s_of_gbit(200)
    25000000000.0
    """
    return gbit_per_s * 1e9 / BITS_A_BYTE


def moved_ratio(members: int) -> float:
    """Part of the message that crosses each link of a ring: 2(N−1)/N.

    >>> moved_ratio(8)
    1.75
    """
    return 2 * (members - 1) / members


def carried_s(topology: Topology, message_bytes: float, constants: LinkConstants) -> float:
    """Time of the message on its slowest way: inside the machine, or between machines, where each machine sends
    2(M−1)/M of it once for all of its GPUs."""
    reduced = topology.reducing_switch and topology.gpu_count >= SWITCH_REDUCES_FROM
    rate = topology.link_bytes_per_s * constants.bandwidth_ratio * (constants.switch_gain if reduced else 1.0)
    inside = moved_ratio(topology.gpu_count) * message_bytes / rate
    if topology.machines == 1:
        return inside
    between = topology.machine_bytes_per_s * constants.node_ratio
    return max(inside, moved_ratio(topology.machines) * message_bytes / between)


def allreduce_s(topology: Topology, message_bytes: float, constants: LinkConstants) -> float:
    """Measured-like all-reduce: start + hops + machines + the message on its slowest way + chunks in flight.

    t = c + h·2(N−1) + m·(M−1) + x + √(x·p), with x from `carried_s`. One GPU needs none.
    """
    if topology.gpu_count == 1:
        return 0.0
    carried = carried_s(topology, message_bytes, constants)
    hops = 2 * (topology.gpu_count / topology.machines - 1)
    waits = constants.start_s + constants.hop_s * hops + constants.node_start_s * (topology.machines - 1)
    return waits + carried + sqrt(carried * constants.pipeline_s)


def bus_bytes_per_s(topology: Topology, message_bytes: float, seconds: float) -> float:
    """The figure that nccl-tests prints as busbw: 2(N−1)/N × bytes ÷ time.

    >>> round(bus_bytes_per_s(Topology(8, 300e9), 5.4e9, 0.0315) / 1e9)
    300
    """
    return moved_ratio(topology.gpu_count) * message_bytes / seconds


def exposed_s(communication_s: float, overlap_s: float) -> float:
    """Communication that no computing hides; never negative."""
    return max(0.0, communication_s - overlap_s)


def efficiency(compute_s: float, communication_s: float, overlap_s: float) -> float:
    """Share of ideal: c ÷ (c + max(0, comm − overlap)).

    >>> efficiency(0.98, 0.01, 0.0), efficiency(1.0, 0.4, 0.5)
    (0.98989898989899, 1.0)
    """
    return compute_s / (compute_s + exposed_s(communication_s, overlap_s))


def step_compute_s(params: float, tokens_a_gpu: float, flop_per_s: float) -> float:
    """Computing of one data-parallel step: 6·P·tokens a GPU ÷ FLOP a second reached.

    2.7 G parameters at 16 384 tokens a GPU, 26.1 % of an A100:

    >>> round(step_compute_s(2.7e9, 16_384, 312e12 * 0.2613), 3)
    3.256
    """
    return 6 * params * tokens_a_gpu / flop_per_s


def speed_up(gpu_count: int, compute_s: float, communication_s: float, overlap_s: float) -> float:
    """How many times faster than one GPU: N × efficiency.

    The published 6.57 of 8 is an efficiency of 82 %: 31.5 ms of all-reduce, nothing hidden, at 730 tokens a GPU.

    >>> compute = step_compute_s(2.7e9, 730, 312e12 * 0.2613)
    >>> round(speed_up(8, compute, 0.0315, 0.0), 2)
    6.57
    """
    return gpu_count * efficiency(compute_s, communication_s, overlap_s)
