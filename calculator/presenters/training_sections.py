"""The sections that the training calculator adds to its JSON document."""

from typing import Any

from calculator.domain.provenance import asked_kind
from calculator.domain.training_scenario import TrainingEstimate, Way
from calculator.jsonable import data, sourced_data, step_data
from calculator.permalinks import training as notation
from calculator.presenters.training_headline import sentence


def sections(answer: Any) -> dict[str, Any]:
    """The training answer as data: what it says, what it rests on, every table, the formulas with their terms."""
    estimate: TrainingEstimate = answer.estimate
    return {
        "answer": _answer(estimate),
        "inputs": inputs(estimate),
        "model": estimate.model.name,
        "gpu": estimate.gpu.name,
        "gpu_count": estimate.gpu_count,
        "data_parallel": estimate.data_parallel,
        "division": {
            "tensor_parallel": estimate.scenario.tensor,
            "pipeline_parallel": estimate.scenario.stages,
            "is_automatic": estimate.is_divided,
        },
        "trained_params": data(estimate.trained_params),
        "work": data(estimate.amount) if estimate.amount else None,
        "flop_a_token": data(estimate.flop),
        "total_flop": data(estimate.total_flop),
        "speed": _speed(estimate),
        "duration": data(estimate.duration) if estimate.duration else None,
        "bill": data(estimate.bill) if estimate.bill else None,
        "energy_kwh": data(estimate.energy_kwh),
        "memory": _memory(estimate),
        "ways_out": [_way(way) for way in estimate.fit.ways],
        "checkpoints": data(estimate.checkpoints),
        "payback": data(estimate.payback) if estimate.payback else None,
        "by_gpu_count": [{**data(row), "fits": row.fits} for row in estimate.counts],
        "by_method": [{**data(row), "fits": row.fits} for row in estimate.methods],
        "published": data(estimate.published),
        "steps": [step_data(step) for step in estimate.steps],
        "warnings": data(estimate.warnings),
    }


def _answer(estimate: TrainingEstimate) -> dict[str, Any]:
    return {
        "sentence": sentence(estimate),
        "code": estimate.headline.code,
        "values": data(estimate.headline.values),
        "trust": data(estimate.trust),
    }


def inputs(estimate: TrainingEstimate) -> list[dict[str, Any]]:
    """Every number that the answer rests on, each with kind, source and date."""
    typed = [
        {
            "name": key.name,
            "value": key.write(value),
            "unit": "",
            "kind": asked_kind(estimate.scenario, key.attribute).value,
            "source": "",
            "date": None,
        }
        for key in notation.KEYS
        if key.quantity and key.name != "catalog" and (value := getattr(estimate.scenario, key.attribute)) is not None
    ]
    rate, bill = estimate.rate, estimate.bill
    sourced = (("train_rate", rate.per_gpu if rate else None), ("price", bill.price if bill else None))
    return typed + [sourced_data(name, item) for name, item in sourced if item is not None]


def _speed(estimate: TrainingEstimate) -> dict[str, Any] | None:
    rate = estimate.rate
    if rate is None:
        return None
    return {
        "per_gpu": sourced_data("train_rate", rate.per_gpu),
        "total_tok_per_s": data(rate.total_tok_per_s),
        "band": data(rate.band),
        "utilisations": {kind.value: data(share) for kind, share in rate.utilisations},
    }


def _memory(estimate: TrainingEstimate) -> dict[str, Any]:
    fit = estimate.fit
    return {
        "lines": {line.value: None if line in fit.unknown else data(size) for line, size in fit.memory.lines},
        "needed_bytes": None if fit.unknown else data(fit.memory.needed_bytes),
        "usable_bytes": data(fit.memory.usable_bytes),
        "fits": fit.fits,
        "verdict": fit.verdict.value,
        "failing": data(fit.memory.failing),
        "faults": list(fit.faults),
        "state_bytes_a_param": data(fit.state_bytes_a_param),
        "offload_bytes": data(fit.offload_bytes),
    }


def _way(way: Way) -> dict[str, Any]:
    return {
        "code": way.code,
        "sku": way.sku,
        "instances": way.instances,
        "changes": {name: data(value) for name, value in way.changes.items()},
        "needed_bytes": data(way.needed_bytes),
        "usable_bytes": data(way.usable_bytes),
        "fits": way.fits,
        "verdict": way.verdict.value,
        "batch": way.batch,
        "seconds": data(way.seconds),
        "eur": data(way.eur),
    }
