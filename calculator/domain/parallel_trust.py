"""How far each figure of the multi-GPU answer can be trusted: by what it rests on, as the formulas of the answer say.

The speed of one GPU is behind every duration; what several GPUs lose rests on the fitted links, and between copies on
the assumed overlap; a bill rests on the price as well.
"""

from dataclasses import dataclass

from calculator.domain.interconnects import Reach
from calculator.domain.parallel_scenario import LinkRow, ParallelismEstimate, Point
from calculator.domain.provenance import Kind, weakest, weakest_kind


@dataclass(frozen=True, slots=True)
class Trust:
    """The kinds of one row's figures: `machines` of their number, `run` of days, hours, speed-up and tokens a second,
    `bill` of money."""

    machines: Kind
    run: Kind | None
    bill: Kind | None


def one_gpu(estimate: ParallelismEstimate) -> Kind | None:
    """Days on one GPU: the speed of one GPU and its peak."""
    return weakest(item for item in (estimate.mfu, estimate.peak) if item is not None)


def machines(estimate: ParallelismEstimate) -> Kind:
    """How the GPUs lie in machines: typed, said by the offer, or assumed."""
    if estimate.scenario.machine_gpus is not None:
        return Kind.INPUT
    stated = estimate.sku is not None and estimate.sku.gpu_count == estimate.machine_gpus
    return Kind.CLAIM if stated else Kind.ASSUMPTION


def run(estimate: ParallelismEstimate, point: Point) -> Kind | None:
    """The run on one number of GPUs: the overlap between copies is assumed, what other groups exchange is estimated."""
    if point.gpu_count == 1:
        return one_gpu(estimate)
    lost = Kind.ASSUMPTION if point.data_parallel > 1 else Kind.ESTIMATE
    return weakest_kind((one_gpu(estimate), lost))


def of_point(estimate: ParallelismEstimate, point: Point) -> Trust:
    """The kinds of one row."""
    found = run(estimate, point)
    price = estimate.price.rank_kind if estimate.price is not None else None
    return Trust(machines(estimate), found, weakest_kind((found, price)))


def rate(row: LinkRow) -> Kind:
    """The rate of a row: a link's data sheet, or a network whose number of cards is assumed."""
    return Kind.ASSUMPTION if row.link.reach is Reach.NETWORK else Kind.DATA_SHEET


def textbook(row: LinkRow) -> Kind:
    """The exchange at the data sheet's rate: that of the way that holds it up."""
    return rate(row) if row.slowest == row.link.name else Kind.ASSUMPTION


def exchange(row: LinkRow) -> Kind:
    """The exchange with the measured efficiency, which is fitted."""
    return weakest_kind((textbook(row), Kind.ESTIMATE)) or Kind.ESTIMATE
