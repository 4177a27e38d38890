"""The sections that the multi-GPU calculator adds to its JSON document."""

from typing import Any

from calculator.domain.parallel_scenario import LinkRow, ParallelismEstimate, Point, WayRow
from calculator.jsonable import data, sourced_data, step_data
from calculator.presenters.parallelism_headline import sentence


def sections(answer: Any) -> dict[str, Any]:
    """The multi-GPU answer as data: sentence, inputs with origin, every table, the formulas with their terms."""
    estimate: ParallelismEstimate = answer.estimate
    return {
        "answer": {
            "sentence": sentence(estimate),
            "code": estimate.headline.code,
            "values": data(estimate.headline.values),
            "trust": data(estimate.trust),
            "one_gpu_days": data(estimate.one_gpu_days),
            "total_ttc_eur": data(estimate.eur_ttc),
        },
        "inputs": inputs(estimate),
        "chosen": point_data(estimate.chosen) if estimate.chosen else None,
        "counts": [point_data(row) for row in estimate.rows],
        "stop": data(estimate.stop),
        "links": [link_data(row) for row in estimate.links],
        "reductions": data(estimate.reductions),
        "ways": [way_data(row) for row in estimate.ways],
        "explanation": data(estimate.explanation),
        "steps": [step_data(step) for step in estimate.steps],
        "faults": data(estimate.faults),
        "warnings": data(estimate.warnings),
    }


def inputs(estimate: ParallelismEstimate) -> list[dict[str, Any]]:
    """What the answer rests on beside the visitor's inputs, which stand in the scenario."""
    named = (("mfu", estimate.mfu), ("peak_flop_per_s", estimate.peak), ("price_hour", estimate.price))
    return [sourced_data(name, item) for name, item in named if item is not None]


def point_data(point: Point) -> dict[str, Any]:
    """One number of GPUs."""
    found: dict[str, Any] = data(point)
    return {**found, "efficiency": data(point.efficiency), "step_s": data(point.time.step_s)}


def link_data(row: LinkRow) -> dict[str, Any]:
    """One interconnect."""
    return {
        "code": row.link.code,
        "name": row.link.name,
        "bytes_per_s": data(row.link.bytes_per_s),
        "source": row.link.source,
        "machines": row.machines,
        "cards": row.cards,
        "rate_bytes_per_s": data(row.rate_bytes_per_s),
        "slowest": row.slowest,
        "textbook_s": data(row.textbook_s),
        "allreduce_s": data(row.allreduce_s),
        "efficiency": data(row.point.efficiency),
        "speed_up": data(row.point.speed_up),
        "days": data(row.point.days),
        "is_current": row.is_current,
    }


def way_data(row: WayRow) -> dict[str, Any]:
    """One way of sharing."""
    return {
        "code": row.code,
        "sharing": row.sharing.value,
        "tensor_parallel": row.tensor_parallel,
        "pipeline_parallel": row.pipeline_parallel,
        "crossing_bytes": data(row.crossing_bytes),
        "days": data(row.point.days) if row.point else None,
        "efficiency": data(row.point.efficiency) if row.point else None,
        "memory_bytes": data(row.memory.needed_bytes) if row.memory else None,
        "fits": row.memory.fits if row.memory else None,
        "faults": data(row.faults),
        "is_current": row.is_current,
    }
