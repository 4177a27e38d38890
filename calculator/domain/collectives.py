"""All-reduce by ring, tree or inside the switch: the textbook's time, and the time with measured efficiency.

The textbook counts the bytes on the slowest way at the data sheet's rate; the measured form is that of `parallelism`,
whose constants come from published nccl-tests.
"""

import enum
from dataclasses import dataclass
from math import ceil, log2, sqrt

from calculator.domain.calibration import LinkConstants
from calculator.domain.parallelism import SWITCH_REDUCES_FROM, Topology, allreduce_s, moved_ratio

TREE_RATIO = 2.0
"""In two trees at once each GPU sends the message up and down once: twice the message, whatever the number of GPUs."""


class Reduction(enum.StrEnum):
    """How the sum is formed."""

    RING = "ring"
    TREE = "tree"
    SWITCH = "switch"


def tree_ratio(members: int) -> float:
    """Part of the message that crosses each link of two trees; two members exchange halves as a ring does.

    >>> tree_ratio(2), tree_ratio(8)
    (1.0, 2.0)
    """
    return moved_ratio(members) if members <= 2 else TREE_RATIO


def reduced_in_switch(topology: Topology) -> bool:
    """Whether the switch adds: it can, and enough GPUs take part."""
    return topology.reducing_switch and topology.gpu_count >= SWITCH_REDUCES_FROM


def sent_ratio(members: int, reduction: Reduction, in_switch: bool) -> float:
    """Part of the message that each GPU sends: 2(N−1)/N on a ring, 2 in trees, 1 where the switch adds.

    >>> sent_ratio(8, Reduction.RING, False), sent_ratio(8, Reduction.SWITCH, True)
    (1.75, 1.0)
    """
    if reduction is Reduction.TREE:
        return tree_ratio(members)
    return 1.0 if reduction is Reduction.SWITCH and in_switch else moved_ratio(members)


@dataclass(frozen=True, slots=True)
class SlowestWay:
    """The way that holds an all-reduce up: part of the message that crosses it, its rate one way, and whether it runs
    between machines."""

    sent_ratio: float
    bytes_per_s: float
    between: bool

    def carries_s(self, message_bytes: float) -> float:
        """Seconds of the message on it."""
        return self.sent_ratio * message_bytes / self.bytes_per_s


def slowest_way(topology: Topology, reduction: Reduction) -> SlowestWay:
    """The way that takes longest at 100 % of the data sheet; the network where both take as long.

    Eight GPUs on PCIe 4 in each of two machines that 200 GB/s join: 1.875 of the message at 32 GB/s inside.

    >>> slowest_way(Topology(16, 32e9, 2, 200e9), Reduction.RING)
    SlowestWay(sent_ratio=1.875, bytes_per_s=32000000000.0, between=False)
    """
    ratio = sent_ratio(topology.gpu_count, reduction, reduced_in_switch(topology))
    inside = SlowestWay(ratio, topology.link_bytes_per_s, between=False)
    if topology.machines == 1:
        return inside
    ratio = sent_ratio(topology.machines, reduction, in_switch=False)
    between = SlowestWay(ratio, topology.machine_bytes_per_s, between=True)
    return max(between, inside, key=lambda way: way.carries_s(1.0))


def textbook_s(topology: Topology, message_bytes: float, reduction: Reduction) -> float:
    """Bytes on the slowest way ÷ its rate, at 100 % of the data sheet and without waits: a floor, never a forecast.

    Gradients of 2.7 G parameters in 16 bits on 8 A100 with NVSwitch (300 GB/s one way):

    >>> round(textbook_s(Topology(8, 300e9), 2.7e9 * 2, Reduction.RING), 4)
    0.0315
    """
    if topology.gpu_count == 1:
        return 0.0
    return slowest_way(topology, reduction).carries_s(message_bytes)


def _tree_carried_s(topology: Topology, message_bytes: float, constants: LinkConstants) -> float:
    inside = tree_ratio(topology.gpu_count) * message_bytes
    inside_s = inside / (topology.link_bytes_per_s * constants.bandwidth_ratio)
    if topology.machines == 1:
        return inside_s
    between = tree_ratio(topology.machines) * message_bytes
    return max(inside_s, between / (topology.machine_bytes_per_s * constants.node_ratio))


def tree_s(topology: Topology, message_bytes: float, constants: LinkConstants) -> float:
    """A tree: 2·⌈log2 N⌉ hops instead of the ring's 2(N−1), and ⌈log2 M⌉ waits between machines."""
    carried = _tree_carried_s(topology, message_bytes, constants)
    hops = 2 * ceil(log2(max(1.0, topology.gpu_count / topology.machines)))
    waits = constants.start_s + constants.hop_s * hops + constants.node_start_s * ceil(log2(topology.machines))
    return waits + carried + sqrt(carried * constants.pipeline_s)


def measured_s(topology: Topology, message_bytes: float, reduction: Reduction, constants: LinkConstants) -> float:
    """The time that published measurements lead to; one GPU needs none.

    A ring stays a ring where the switch could add; a switch that cannot add leaves a ring.
    """
    if topology.gpu_count == 1:
        return 0.0
    if reduction is Reduction.TREE:
        return tree_s(topology, message_bytes, constants)
    adds = reduction is Reduction.SWITCH and topology.reducing_switch
    chosen = Topology(
        topology.gpu_count, topology.link_bytes_per_s, topology.machines, topology.machine_bytes_per_s, adds
    )
    return allreduce_s(chosen, message_bytes, constants)
