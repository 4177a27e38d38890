"""One optimizer step on several GPUs: computing, traffic of each way of sharing, what stays visible of it.

GPUs are numbered as training frameworks do: tensor neighbours first, then data-parallel copies, then pipeline stages.
So tensor parallelism stays inside a machine where it can, and stages lie in different machines first.
"""

from dataclasses import dataclass, replace
from math import ceil, inf

from calculator.domain.calibration import LinkConstants
from calculator.domain.collectives import Reduction, measured_s
from calculator.domain.interconnects import Interconnect
from calculator.domain.parallel_scenario import StepTime
from calculator.domain.parallelism import Topology, step_compute_s
from calculator.domain.precision import HALF_ELEMENT_BYTES
from calculator.domain.training import MACHINE_GPUS

BACKWARD_RATIO = 2 / 3
"""Share of the computing that is the backward pass: two of the three passes over the weights."""
FORWARD_REDUCTIONS = 2
BACKWARD_REDUCTIONS = 2
"""All-reduces a layer of tensor parallelism: after attention and after the MLP, and for their gradients."""
HALF_AN_ALLREDUCE = 0.5
"""Gathering, or scattering the sum, moves half of what an all-reduce does."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """The machines: GPUs in each, the link inside, the network between them with `cards` cards a machine, what the slot
    of one GPU carries one way (no machine sends faster than its GPUs do), and what was fitted to measurements: the
    efficiency of collectives inside one machine and over several, the share of the traffic that no overlap hides, and x
    of the loss (GPUs ÷ 8)^x of jobs that wait for their slowest machine."""

    machine_gpus: int
    link: Interconnect
    network: Interconnect
    cards: int
    inside: LinkConstants
    between: LinkConstants
    exposed_ratio: float
    loss_exponent: float
    gpu_bytes_per_s: float = inf

    @property
    def cards_bytes_per_s(self) -> float:
        """What all cards of a machine carry together by their data sheet, one way."""
        return self.cards * self.network.bytes_per_s

    @property
    def network_bytes_per_s(self) -> float:
        """What a machine sends, one way: its cards' rate, or what the slots of its GPUs carry where that is less."""
        return min(self.cards_bytes_per_s, self.machine_gpus * self.gpu_bytes_per_s)

    def constants(self, topology: Topology) -> LinkConstants:
        """The efficiency that holds for a topology."""
        return self.between if topology.machines > 1 else self.inside


@dataclass(frozen=True, slots=True)
class Layout:
    """`gpu_count` GPUs as data-parallel copies of `tensor` × `pipeline` GPUs each."""

    gpu_count: int
    tensor: int = 1
    pipeline: int = 1

    @property
    def data(self) -> int:
        """Copies; their number is whole only where the layout is valid."""
        return self.gpu_count // (self.tensor * self.pipeline)

    def machines(self, cluster: Cluster) -> int:
        """Machines that hold all the GPUs."""
        return ceil(self.gpu_count / cluster.machine_gpus)


@dataclass(frozen=True, slots=True)
class Work:
    """What one step does. `layers` and `hidden` None = unknown: tensor and pipeline sharing cannot be timed.

    `flop_per_s` is what one GPU reaches, `overlap_ratio` the share of the computing that could run beside traffic which
    really does.
    """

    params: float
    active_params: float
    layers: int | None
    hidden: int | None
    gradient_bytes: float
    tokens_a_gpu: float
    micro_batches: int
    recomputed: bool
    flop_per_s: float
    overlap_ratio: float
    sharded: bool
    reduction: Reduction


def group_topology(members: int, stride: int, cluster: Cluster) -> Topology:
    """The topology of a group whose members are `stride` GPUs apart. The groups that lie side by side in a machine
    share its network cards, a member alone in its machine has only its share of them, and the members that a machine
    holds send no faster than their slots."""
    a_machine = min(members, max(1, cluster.machine_gpus // stride))
    machines = ceil(members / a_machine)
    if machines == 1:
        return Topology(members, cluster.link.bytes_per_s, reducing_switch=cluster.link.reducing)
    share = cluster.network_bytes_per_s / min(stride, cluster.machine_gpus)
    share = min(share, members // machines * cluster.gpu_bytes_per_s)
    if a_machine == 1:
        return Topology(members, share, machines, share)
    return Topology(members, cluster.link.bytes_per_s, machines, share, cluster.link.reducing)


def data_topology(layout: Layout, cluster: Cluster) -> Topology:
    """The topology of the copies that average their gradients."""
    return group_topology(layout.data, layout.tensor, cluster)


def gradient_message_bytes(work: Work, layout: Layout) -> float:
    """Gradients of one GPU's share of the weights."""
    return work.params / (layout.tensor * layout.pipeline) * work.gradient_bytes


def data_s(work: Work, layout: Layout, cluster: Cluster) -> float:
    """Traffic of the copies in one step: an all-reduce of the gradients; or, sharded, in each micro-batch the weights
    gathered forward and backward and the gradients scattered, half an all-reduce each.
    """
    topology = data_topology(layout, cluster)
    constants, gradients = cluster.constants(topology), gradient_message_bytes(work, layout)
    if not work.sharded:
        return measured_s(topology, gradients, work.reduction, constants)
    weights = work.params / (layout.tensor * layout.pipeline) * HALF_ELEMENT_BYTES
    gathers = 2 * HALF_AN_ALLREDUCE * measured_s(topology, weights, work.reduction, constants)
    scatter = HALF_AN_ALLREDUCE * measured_s(topology, gradients, work.reduction, constants)
    return work.micro_batches * (gathers + scatter)


def hiding_s(work: Work, compute_s: float) -> float:
    """Computing beside which traffic can run: the backward pass of the last micro-batch, when the gradients become
    final; all of it for shards, which travel in every pass."""
    beside = compute_s if work.sharded else compute_s * BACKWARD_RATIO / work.micro_batches
    return work.overlap_ratio * beside


def micro_tokens(work: Work, layout: Layout) -> float:
    """Tokens of one micro-batch of one copy."""
    return work.tokens_a_gpu * layout.tensor * layout.pipeline / work.micro_batches


def tensor_s(work: Work, layout: Layout, cluster: Cluster) -> float:
    """All-reduces of activations on one GPU's layers: two forward, two backward, two more where recomputed."""
    if layout.tensor == 1 or work.layers is None or work.hidden is None:
        return 0.0
    topology = group_topology(layout.tensor, 1, cluster)
    message = micro_tokens(work, layout) * work.hidden * HALF_ELEMENT_BYTES
    one = measured_s(topology, message, work.reduction, cluster.constants(topology))
    reductions = FORWARD_REDUCTIONS * (1 + work.recomputed) + BACKWARD_REDUCTIONS
    return work.micro_batches * reductions * work.layers / layout.pipeline * one


def pipeline_s(work: Work, layout: Layout, cluster: Cluster) -> float:
    """Activations handed to the next stage and gradients back, for every micro-batch; nothing is hidden."""
    if layout.pipeline == 1 or work.hidden is None:
        return 0.0
    topology = group_topology(layout.pipeline, layout.tensor * layout.data, cluster)
    constants = cluster.constants(topology)
    if topology.machines > 1:
        sheet = min(topology.machine_bytes_per_s, cluster.gpu_bytes_per_s)
        rate, start = sheet * constants.node_ratio, constants.node_start_s
    else:
        rate, start = topology.link_bytes_per_s * constants.bandwidth_ratio, constants.start_s
    message = micro_tokens(work, layout) * work.hidden * HALF_ELEMENT_BYTES
    return 2 * work.micro_batches * (start + message / rate)


def bubble_s(busy_s: float, stages: int, micro_batches: int) -> float:
    """Time a stage waits while the pipeline fills and empties: (p−1)/m of its work, (p−1)/(m+p−1) of the step.

    >>> bubble_s(8.0, 2, 8)
    1.0
    """
    return busy_s * (stages - 1) / micro_batches


def step_time(work: Work, layout: Layout, cluster: Cluster) -> StepTime:
    """One step: computing + exposed traffic of the copies + tensor traffic + stage traffic + bubble, and what jobs on
    several machines lose.

    exposed = max(traffic − overlap × backward, the share of the traffic that measured jobs never hide).
    """
    compute = step_compute_s(work.active_params, work.tokens_a_gpu, work.flop_per_s)
    data = data_s(work, layout, cluster)
    tensor, pipeline = tensor_s(work, layout, cluster), pipeline_s(work, layout, cluster)
    found = StepTime(
        compute_s=compute,
        data_s=data,
        exposed_s=exposed_s(work, cluster, data, compute),
        tensor_s=tensor,
        pipeline_s=pipeline,
        bubble_s=bubble_s(compute + tensor + pipeline, layout.pipeline, work.micro_batches),
    )
    return replace(found, cluster_s=found.step_s * (lost_factor(layout.gpu_count, cluster.loss_exponent) - 1))


def lost_factor(gpu_count: int, exponent: float) -> float:
    """By how much jobs of many GPUs take longer, as `training` counts it: (GPUs ÷ 8)^x beyond eight.

    >>> lost_factor(8, 0.02), round(lost_factor(64, 0.02), 4)
    (1.0, 1.0425)
    """
    return float(max(1.0, gpu_count / MACHINE_GPUS) ** exponent)


def exposed_s(work: Work, cluster: Cluster, traffic_s: float, compute_s: float) -> float:
    """Traffic that computing does not hide: never less than the share that measured jobs leave visible."""
    return max(traffic_s - hiding_s(work, compute_s), cluster.exposed_ratio * traffic_s)


def crossing_bytes(work: Work, layout: Layout) -> float | None:
    """Bytes that each GPU sends in one step, counted as a ring does; None where the shape is not known."""
    ring = 2 * (layout.data - 1) / layout.data
    share = work.params / (layout.tensor * layout.pipeline)
    passes = work.micro_batches * (HALF_ELEMENT_BYTES + HALF_AN_ALLREDUCE * work.gradient_bytes)
    sent = ring * share * (passes if work.sharded else work.gradient_bytes)
    if layout.tensor == layout.pipeline == 1:
        return sent
    if work.layers is None or work.hidden is None:
        return None
    activations = work.tokens_a_gpu * layout.tensor * layout.pipeline * work.hidden * HALF_ELEMENT_BYTES
    reductions = FORWARD_REDUCTIONS * (1 + work.recomputed) + BACKWARD_REDUCTIONS
    if layout.tensor > 1:
        ratio = 2 * (layout.tensor - 1) / layout.tensor
        sent += ratio * reductions * work.layers / layout.pipeline * activations
    return sent + (2 * activations if layout.pipeline > 1 else 0.0)
