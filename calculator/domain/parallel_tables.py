"""The tables of the multi-GPU answer: the run over the number of GPUs, links, algorithms, ways of sharing, overlap."""

from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from math import ceil

from calculator.domain.calibration import memory_constants
from calculator.domain.collectives import Reduction, measured_s, reduced_in_switch, slowest_way, textbook_s
from calculator.domain.hardware import memory_bytes
from calculator.domain.interconnects import Interconnect, Reach
from calculator.domain.memory import (
    HALF_BYTES,
    MemoryEstimate,
    TrainingMemory,
    training_memory,
)
from calculator.domain.memory import Sharding as Zero
from calculator.domain.parallel_scenario import (
    MOST_GPUS,
    LinkRow,
    Point,
    ReductionRow,
    Sharing,
    Stop,
    WayRow,
)
from calculator.domain.parallel_settled import DAY_H, DAY_S, Settled, layout_faults, with_link, with_network
from calculator.domain.parallel_step import (
    Cluster,
    Layout,
    crossing_bytes,
    data_topology,
    gradient_message_bytes,
    step_time,
)
from calculator.domain.parallelism import Topology
from calculator.domain.training import MACHINE_GPUS
from calculator.domain.training_fit import optimizer_bytes
from calculator.domain.training_scenario import Numbers, Optimizer
from calculator.domain.units import HOUR_S, to_decimal

OVERLAPS = (0.0, 0.5, 1.0)
"""Shares of the overlap assumption shown beside the chosen one."""
MEMORY_CLASSES = ("training", "full", "fp16", "allocated")


def instances_of(settled: Settled, gpu_count: int) -> int:
    """Whole instances of the offer to rent; whole machines where there is no offer."""
    return ceil(gpu_count / settled.instance_gpus)


def cost_eur(settled: Settled, gpu_count: int, days: float) -> Decimal | None:
    """Instances × hours × €/h, billed by the second; None without a price."""
    if settled.price is None:
        return None
    seconds = Decimal(ceil(days * DAY_S))
    return instances_of(settled, gpu_count) * seconds / HOUR_S * settled.price.value


def point(settled: Settled, layout: Layout, overlap_ratio: float | None = None) -> Point:
    """The run on one layout, which must be valid. Days = days on one GPU ÷ (GPUs × efficiency)."""
    work = settled.work(layout.gpu_count)
    if overlap_ratio is not None:
        work = replace(work, overlap_ratio=overlap_ratio)
    time = step_time(work, layout, settled.cluster)
    speed_up = layout.gpu_count * time.efficiency
    days, held = settled.one_gpu_days / speed_up, memory(settled, layout)
    return Point(
        gpu_count=layout.gpu_count,
        machines=layout.machines(settled.cluster),
        data_parallel=layout.data,
        tokens_a_gpu=work.tokens_a_gpu,
        time=time,
        speed_up=speed_up,
        tok_per_s=work.tokens_a_gpu * layout.gpu_count / time.step_s,
        days=days,
        gpu_hours_h=layout.gpu_count * days * DAY_H,
        instances=instances_of(settled, layout.gpu_count),
        eur=cost_eur(settled, layout.gpu_count, days),
        fits=held.fits if held else None,
    )


def valid(settled: Settled, gpu_count: int) -> bool:
    """Whether the chosen degrees can be laid on that many GPUs."""
    return not layout_faults(settled, settled.layout(gpu_count))


def counts(settled: Settled) -> tuple[int, ...]:
    """Counts of the curve: each within one machine, then whole machines, up to 64, and the chosen one."""
    inside = range(1, min(settled.machine_gpus, MOST_GPUS) + 1)
    whole = range(settled.machine_gpus, MOST_GPUS + 1, settled.machine_gpus)
    asked = {*inside, *whole, settled.scenario.gpu_count}
    return tuple(count for count in sorted(asked) if valid(settled, count))


def table_counts(settled: Settled) -> tuple[int, ...]:
    """Counts of the table: powers of two up to 64, and the chosen one."""
    asked = {1, 2, 4, 8, 16, 32, MOST_GPUS, settled.scenario.gpu_count}
    return tuple(count for count in sorted(asked) if valid(settled, count))


def points(settled: Settled, gpu_counts: Iterable[int]) -> tuple[Point, ...]:
    """The run over the counts, each row with what it adds to the row before."""
    found: list[Point] = []
    for count in gpu_counts:
        here = point(settled, settled.layout(count))
        found.append(compared(here, found[-1]) if found else here)
    return tuple(found)


def compared(here: Point, before: Point) -> Point:
    """A row with what the GPUs added since `before` bring, and what a day saved costs."""
    added = (here.speed_up - before.speed_up) / (here.gpu_count - before.gpu_count)
    saved = before.days - here.days
    price = None
    if here.eur is not None and before.eur is not None and saved > 0:
        price = (here.eur - before.eur) / to_decimal(saved)
    return replace(here, added_ratio=added, eur_per_saved_day=price)


def stop(rows: tuple[Point, ...], floor_ratio: Decimal, day_eur: Decimal | None) -> Stop:
    """The last row before adding GPUs stops paying: they bring less than the floor of their ideal, or a day saved
    costs more than it is worth, or the run gets slower. None: nothing stops it within the table."""
    for before, here in pairwise(rows):
        reason = _stops(before, here, floor_ratio, day_eur)
        if reason:
            return Stop(before.gpu_count, reason, here.gpu_count)
    return Stop(None)


def _stops(before: Point, here: Point, floor_ratio: Decimal, day_eur: Decimal | None) -> str:
    if here.days >= before.days:
        return "slower"
    if here.added_ratio is not None and here.added_ratio < float(floor_ratio):
        return "added_ratio"
    dear = day_eur is not None and here.eur_per_saved_day is not None and here.eur_per_saved_day > day_eur
    return "day_eur" if dear else ""


def cheapest(rows: tuple[Point, ...]) -> Point | None:
    """The row of the least bill, the quicker one of equal bills, among those that fit; None without prices."""
    priced = [row for row in rows if row.eur is not None and row.fits is not False]
    return min(priced, key=lambda row: (row.eur, row.days), default=None)


def fastest(rows: tuple[Point, ...]) -> Point | None:
    """The row of the fewest days among those that fit."""
    return min((row for row in rows if row.fits is not False), key=lambda row: row.days, default=None)


def link_row(settled: Settled, layout: Layout, link: Interconnect, *, hypothetical: bool) -> LinkRow:
    """The run with the cluster of `settled`, which has `link` in it."""
    work, topology = settled.work(layout.gpu_count), data_topology(layout, settled.cluster)
    cluster, way = settled.cluster, slowest_way(topology, work.reduction)
    message, constants = gradient_message_bytes(work, layout), settled.cluster.constants(topology)
    return LinkRow(
        link=link,
        machines=layout.machines(cluster),
        cards=cluster.cards,
        rate_bytes_per_s=_rate(topology, cluster) if link.reach is Reach.NETWORK else link.bytes_per_s,
        slowest=(cluster.network if way.between else cluster.link).name,
        textbook_s=textbook_s(topology, message, work.reduction),
        allreduce_s=measured_s(topology, message, work.reduction, constants),
        point=point(settled, layout),
        hypothetical=hypothetical,
        capped=link.reach is Reach.NETWORK and cluster.network_bytes_per_s < cluster.cards_bytes_per_s,
    )


def shared_machine(machine_gpus: int) -> int:
    """GPUs of the machines that a link is compared in: where each holds one GPU there is no link inside, so eight."""
    return machine_gpus if machine_gpus > 1 else MACHINE_GPUS


def _rate(topology: Topology, cluster: Cluster) -> float:
    """What the network gives the copies; what a machine sends where they all lie in one."""
    return topology.machine_bytes_per_s or cluster.network_bytes_per_s


def links(settled: Settled) -> tuple[LinkRow, ...]:
    """Each interconnect in place of the chosen one. A network is compared between the machines that there are, or, for
    one machine, between as many machines of one GPU with one card each. The current row is that of the way that holds
    the exchange up: the network between machines, else the link inside."""
    layout = settled.layout(settled.scenario.gpu_count)
    own, rows = settled.cluster.link, [current_row(settled, layout)]
    for other in settled.facts.interconnects:
        if _is_same_link(own, other) or _is_current_network(settled, other):
            continue
        if other.reach is Reach.MACHINE:
            changed = with_link(settled, other, shared_machine(settled.machine_gpus))
        else:
            changed = _on_network(settled, other)
        if not layout_faults(changed, layout) and layout.data > 1:
            rows.append(link_row(changed, layout, other, hypothetical=True))
    return tuple(sorted(rows, key=lambda row: row.point.days))


def current_row(settled: Settled, layout: Layout) -> LinkRow:
    """The configuration itself, by its slowest way."""
    way = slowest_way(data_topology(layout, settled.cluster), settled.scenario.reduction)
    link = settled.cluster.network if way.between else settled.cluster.link
    return replace(link_row(settled, layout, link, hypothetical=False), is_current=True)


def _is_same_link(own: Interconnect, other: Interconnect) -> bool:
    same = (other.reach, other.way, other.bytes_per_s, other.reducing)
    return same == (own.reach, own.way, own.bytes_per_s, own.reducing)


def _is_current_network(settled: Settled, other: Interconnect) -> bool:
    spread = settled.scenario.gpu_count > settled.machine_gpus and other.reach is Reach.NETWORK
    return spread and other.code == settled.cluster.network.code


def _on_network(settled: Settled, other: Interconnect) -> Settled:
    if settled.scenario.gpu_count > settled.machine_gpus:
        return with_network(settled, other, settled.cluster.cards, settled.machine_gpus)
    return with_network(settled, other, 1, 1)


def reductions(settled: Settled) -> tuple[ReductionRow, ...]:
    """Ring, trees and the switch on the chosen topology; the switch only where it can add."""
    layout = settled.layout(settled.scenario.gpu_count)
    work, topology = settled.work(layout.gpu_count), data_topology(layout, settled.cluster)
    message, constants = gradient_message_bytes(work, layout), settled.cluster.constants(topology)
    return tuple(
        ReductionRow(
            reduction=one,
            textbook_s=textbook_s(topology, message, one),
            measured_s=measured_s(topology, message, one, constants),
            available=one is not Reduction.SWITCH or reduced_in_switch(topology),
            is_current=one is work.reduction,
        )
        for one in Reduction
    )


def memory(settled: Settled, layout: Layout) -> MemoryEstimate | None:
    """Memory of one GPU: weights, gradients and states by the way of sharing, activations of the micro-batches in
    flight; None where the model's shape is not known."""
    model, work = settled.facts.model, settled.work(layout.gpu_count)
    if model is None or layout.data < 1:
        return None
    parts = layout.tensor * layout.pipeline
    in_flight = min(layout.pipeline, work.micro_batches)
    job = TrainingMemory(
        model=model,
        base_bytes=settled.params / parts * HALF_BYTES,
        trained_params=settled.params / parts,
        adapter_params=0.0,
        tokens=work.tokens_a_gpu / work.micro_batches * in_flight,
        recomputed=work.recomputed,
        sharding=Zero.WEIGHTS if work.sharded else Zero.NONE,
        shards=layout.data,
    )
    fitted = memory_constants(settled.facts.calibration, MEMORY_CLASSES)
    constants = replace(fitted, optimizer_bytes=optimizer_bytes(Optimizer.ADAMW, Numbers.BF16))
    return training_memory(job, float(memory_bytes(settled.facts.gpu)), constants)


def way_row(settled: Settled, code: str, sharing: Sharing, tensor: int, pipeline: int) -> WayRow:
    """One way of sharing the chosen GPUs."""
    scenario = replace(settled.scenario, sharing=sharing, tensor_parallel=tensor, pipeline_parallel=pipeline)
    changed, layout = replace(settled, scenario=scenario), Layout(scenario.gpu_count, tensor, pipeline)
    faults = layout_faults(changed, layout)
    return WayRow(
        code=code,
        sharing=sharing,
        tensor_parallel=tensor,
        pipeline_parallel=pipeline,
        crossing_bytes=None if faults else crossing_bytes(changed.work(layout.gpu_count), layout),
        point=None if faults else point(changed, layout),
        memory=None if faults else memory(changed, layout),
        faults=faults,
        is_current=scenario == settled.scenario,
    )


def ways(settled: Settled) -> tuple[WayRow, ...]:
    """Copies, shards, tensor groups and pipelines as large as a machine of several GPUs, and the visitor's own degrees
    where they are none of these."""
    scenario, machine = settled.scenario, min(settled.scenario.gpu_count, settled.machine_gpus)
    asked = {
        "data": (Sharing.DATA, 1, 1),
        "sharded": (Sharing.SHARDED, 1, 1),
        "tensor": (Sharing.DATA, machine, 1),
        "pipeline": (Sharing.DATA, 1, machine),
        "own": (scenario.sharing, scenario.tensor_parallel, scenario.pipeline_parallel),
    }
    if machine == 1:
        del asked["tensor"], asked["pipeline"]
    if asked["own"] in [degrees for code, degrees in asked.items() if code != "own"]:
        del asked["own"]
    return tuple(way_row(settled, code, *degrees) for code, degrees in asked.items())


def overlaps(settled: Settled) -> tuple[tuple[float, Point], ...]:
    """The chosen run with nothing, half and all of what can be hidden hidden, and with the chosen share."""
    layout = settled.layout(settled.scenario.gpu_count)
    asked = sorted({*OVERLAPS, float(settled.scenario.overlap_ratio)})
    return tuple((ratio, point(settled, layout, ratio)) for ratio in asked)
