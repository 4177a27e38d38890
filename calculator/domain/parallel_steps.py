"""The formulas of the multi-GPU answer with the visitor's numbers, in reading order."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from calculator.domain.collectives import SlowestWay, measured_s, slowest_way, textbook_s
from calculator.domain.parallel_scenario import Point, Sharing
from calculator.domain.parallel_settled import FLOP_A_PARAM_TRAINED, Settled
from calculator.domain.parallel_step import BACKWARD_RATIO, data_topology, gradient_message_bytes
from calculator.domain.parallelism import Topology
from calculator.domain.precision import HALF_ELEMENT_BYTES
from calculator.domain.provenance import Kind, Sourced, Step, Term, derived, stated
from calculator.domain.units import to_decimal

Floats = Iterable[Sourced[float]]


def as_ratio(source: Sourced[float]) -> Sourced[float]:
    """A ratio as it multiplies in a formula: a number, not a percentage."""
    return replace(source, unit="ratio")


@dataclass(frozen=True, slots=True)
class Trail:
    """What the steps share: the settled inputs, the chosen point, its topology and message."""

    settled: Settled
    point: Point
    topology: Topology
    message_bytes: float

    @property
    def fitted(self) -> Sourced[float]:
        """The link constants' origin, as one term: an estimate of the calibration's day."""
        calibration = self.settled.facts.calibration
        ratio = self.settled.cluster.constants(self.topology).bandwidth_ratio
        return Sourced(ratio, "ratio", Kind.ESTIMATE, "bandwidth_ratio", calibration.data_hash, calibration.date)

    @property
    def way(self) -> SlowestWay:
        """The way that holds the exchange up."""
        return slowest_way(self.topology, self.settled.scenario.reduction)

    @property
    def rate(self) -> Sourced[float]:
        """The data sheet's rate on the slowest way."""
        cluster, way = self.settled.cluster, self.way
        if way.between:
            network = cluster.network
            return Sourced(way.bytes_per_s, "B/s", Kind.ASSUMPTION, network.name, network.source)
        return Sourced(way.bytes_per_s, "B/s", Kind.DATA_SHEET, cluster.link.name, cluster.link.source)


def _params(settled: Settled) -> Term:
    model = settled.facts.model
    if model is None:
        return Term("P", stated(settled.active_params, "params", "params_count"))
    return Term("P", Sourced(settled.active_params, "params", Kind.DATA_SHEET, model.name, model.source))


def speed_steps(settled: Settled) -> list[Step]:
    """FLOP of the run, and days on one GPU."""
    tokens = float(settled.scenario.tokens_count)
    flop = FLOP_A_PARAM_TRAINED * settled.active_params * tokens
    first = Step("parallel_flop", (_params(settled), Term("D", stated(tokens, "tok", "tokens_count"))), flop, "FLOP")
    terms = (
        Term("C", derived(flop, "FLOP", "flop", _sources(first))),
        Term("F", settled.peak),
        Term("e", as_ratio(settled.mfu)),
    )
    return [first, Step("parallel_one_gpu", terms, settled.one_gpu_days, "d")]


def _sources(step: Step) -> Floats:
    return [term.source for term in step.terms]  # type: ignore[misc]


def compute_step(trail: Trail) -> Step:
    """Computing of one step: 6·P·T ÷ (F·e)."""
    settled, point = trail.settled, trail.point
    terms = (
        _params(settled),
        Term("T", stated(point.tokens_a_gpu, "tok", "step_tokens")),
        Term("F", settled.peak),
        Term("e", as_ratio(settled.mfu)),
    )
    return Step("parallel_compute", terms, point.time.compute_s, "s")


def traffic_steps(trail: Trail) -> list[Step]:
    """The all-reduce at the data sheet's rate, then with the measured efficiency."""
    reduction = trail.settled.scenario.reduction
    bytes_a_param = float(trail.settled.scenario.gradient_bytes)
    held = trail.message_bytes / bytes_a_param
    terms = (
        Term("r", stated(trail.way.sent_ratio, "ratio", f"sent_{reduction.value}")),
        Term("P_g", stated(held, "params", "held_params")),
        Term("g", stated(bytes_a_param, "B", "gradient_bytes")),
        Term("B", trail.rate),
    )
    floor = textbook_s(trail.topology, trail.message_bytes, reduction)
    textbook = Step("parallel_allreduce_bound", terms, floor, "s")
    return [textbook, measured_step(trail, textbook)]


def measured_step(trail: Trail, textbook: Step) -> Step:
    """Waits + bytes at the measured share of the rate + chunks in flight."""
    topology, constants = trail.topology, trail.settled.cluster.constants(trail.topology)
    seconds = measured_s(topology, trail.message_bytes, trail.settled.scenario.reduction, constants)
    terms = (
        Term("t_0", derived(float(textbook.result), "s", "allreduce_bound", _sources(textbook))),
        Term("k", trail.fitted.scaled(float(textbook.result) / seconds if seconds else 1.0, label="reached_ratio")),
    )
    return Step("parallel_allreduce", terms, seconds, "s")


def shard_step(trail: Trail, allreduce: Step) -> Step:
    """Weights gathered twice and gradients scattered, half an all-reduce each, in every micro-batch."""
    scenario = trail.settled.scenario
    constants = trail.settled.cluster.constants(trail.topology)
    weights = trail.message_bytes / scenario.gradient_bytes * HALF_ELEMENT_BYTES
    seconds = measured_s(trail.topology, weights, scenario.reduction, constants)
    terms = (
        Term("m", stated(float(scenario.micro_batches), "ratio", "micro_batches")),
        Term("t_w", derived(seconds, "s", "weights_allreduce", [trail.fitted, trail.rate])),
        Term("t_a", derived(float(allreduce.result), "s", "allreduce", _sources(allreduce))),
    )
    return Step("parallel_shards", terms, trail.point.time.data_s, "s")


def exposed_step(trail: Trail, traffic: Step, compute: Step) -> Step:
    """What of the traffic stays visible once the overlap has hidden its share."""
    scenario, time = trail.settled.scenario, trail.point.time
    sharded = scenario.sharing is Sharing.SHARDED
    beside = time.compute_s if sharded else time.compute_s * BACKWARD_RATIO / scenario.micro_batches
    overlap = Sourced(float(scenario.overlap_ratio), "ratio", Kind.ASSUMPTION, "overlap")
    terms = (
        Term("t_a", derived(float(traffic.result), "s", "traffic", _sources(traffic))),
        Term("o", overlap),
        Term("b", derived(beside, "s", "beside_sharded" if sharded else "beside", _sources(compute))),
        Term("v", trail.fitted.scaled(trail.settled.cluster.exposed_ratio, label="exposed_ratio")),
    )
    return Step("parallel_exposed", terms, time.exposed_s, "s")


def waiting_terms(trail: Trail) -> list[Term]:
    """Tensor traffic, stage traffic, bubble and the loss of several machines, as far as there are any."""
    time, fitted = trail.point.time, [trail.fitted]
    found = (
        ("t_t", time.tensor_s, "tensor"),
        ("t_p", time.pipeline_s, "pipeline"),
        ("t_b", time.bubble_s, "bubble"),
        ("t_m", time.cluster_s, "cluster"),
    )
    return [Term(symbol, derived(value, "s", label, fitted)) for symbol, value, label in found if value]


def scaling_steps(trail: Trail, compute: Step, exposed: Step | None, days: Step) -> list[Step]:
    """Efficiency, speed-up, days of the run."""
    point = trail.point
    parts = [Term("c", derived(point.time.compute_s, "s", "compute", _sources(compute)))]
    if exposed is not None:
        parts.append(Term("x", derived(point.time.exposed_s, "s", "exposed", _sources(exposed))))
    first = Step("parallel_efficiency", (*parts, *waiting_terms(trail)), point.efficiency, "")
    ratio = Term("E", derived(point.efficiency, "ratio", "efficiency", _sources(first)))
    count = Term("N", stated(float(point.gpu_count), "GPU", "gpu_count"))
    one = Term("J_1", derived(float(days.result), "d", "one_gpu_days", _sources(days)))
    return [
        first,
        Step("parallel_speed_up", (count, ratio), point.speed_up, "ratio"),
        Step("parallel_days", (one, count, ratio), point.days, "d"),
    ]


def bill_step(trail: Trail, days: Step) -> list[Step]:
    """Whole machines × hours × €/h; nothing without a price."""
    price, point = trail.settled.price, trail.point
    if price is None or point.eur is None:
        return []
    terms = (
        Term("n", stated(float(point.instances), "ratio", "instances")),
        Term("J", derived(point.days, "d", "days", _sources(days))),
        Term("p", price),
    )
    return [Step("parallel_bill", terms, to_decimal(point.eur), "EUR")]


def steps(settled: Settled, point: Point) -> tuple[Step, ...]:
    """Every formula of the answer for the chosen number of GPUs."""
    layout = settled.layout(point.gpu_count)
    work = settled.work(point.gpu_count)
    topology = data_topology(layout, settled.cluster)
    trail = Trail(settled, point, topology, gradient_message_bytes(work, layout))
    found = speed_steps(settled)
    one, compute = found[-1], compute_step(trail)
    found.append(compute)
    exposed: Step | None = None
    if layout.data > 1:
        found += traffic_steps(trail)
        if work.sharded:
            found.append(shard_step(trail, found[-1]))
        exposed = exposed_step(trail, found[-1], compute)
        found.append(exposed)
    scaled = scaling_steps(trail, compute, exposed, one)
    return (*found, *scaled, *bill_step(trail, scaled[-1]))
