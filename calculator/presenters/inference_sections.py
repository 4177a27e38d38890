"""The sections that the inference calculator adds to its JSON document."""

from typing import Any

from calculator.domain.ranking import Candidate
from calculator.domain.serving_answer import InferenceEstimate
from calculator.domain.serving_load import Served
from calculator.domain.serving_outcome import Outcome
from calculator.domain.serving_scenario import KnownRun
from calculator.jsonable import data, sourced_data, step_data
from calculator.presenters.inference_lead import sentence


def sections(answer: Any) -> dict[str, Any]:
    """The inference answer as data: what it says, memory, speeds with bands, cost, ranking, curve, formulas."""
    estimate: InferenceEstimate = answer.estimate
    return {
        "answer": {
            "sentence": sentence(estimate),
            "code": estimate.headline.code,
            "values": data(estimate.headline.values),
            "trust": data(estimate.trust),
        },
        "calibration": {
            "data_hash": answer.facts.calibration.data_hash,
            "date": data(answer.facts.calibration.date),
        },
        "division": _division(estimate),
        "memory": data(estimate.chosen.memory),
        "speeds": _speeds(estimate),
        "runs": [run_data(run) for run in estimate.runs],
        "limits": {
            "most_clients": estimate.most_clients,
            "best": served_data(estimate.best.served) if estimate.best else None,
            "goodput": _goodput(estimate),
        },
        "roofline": data(estimate.roofline),
        "cost": _cost(estimate),
        "carried_to_economics": data(estimate.carried),
        "ways_out": [
            {"code": way.code, "hardware_support": way.hardware_support, **outcome_data(way.outcome)}
            for way in estimate.ways_out
        ],
        "ranking": [candidate_data(one) for one in estimate.ranking.candidates],
        "curve": [served_data(one) for one in estimate.curve],
        "steps": [step_data(step) for step in estimate.steps],
        "warnings": data(estimate.warnings),
    }


def _division(estimate: InferenceEstimate) -> dict[str, Any] | None:
    """How a replica lies over GPUs, and whether that was chosen for the visitor."""
    held = estimate.chosen.layout
    if held is None:
        return None
    return {
        "tensor_parallel": held.deployment.tensor_parallel,
        "pipeline_parallel": held.deployment.pipeline_parallel,
        "replicas": held.replicas,
        "gpus": held.gpus,
        "is_automatic": estimate.is_divided,
    }


def run_data(run: KnownRun) -> dict[str, Any]:
    """One of our own runs with its conditions and the origin of its rate."""
    names = ("run", "model", "precision", "concurrency", "prompt_tokens", "output_tokens")
    found = {name: data(getattr(run, name)) for name in names}
    rate = sourced_data("output_tok_per_s", run.output_tok_per_s)
    return {**found, "engine": run.engine.value, "output_tok_per_s": rate}


def _speeds(estimate: InferenceEstimate) -> dict[str, Any] | None:
    speed = estimate.speeds
    if speed is None:
        return None
    names = ("first_token_s", "token_s", "end_to_end_s", "user_tok_per_s", "total_tok_per_s", "requests_per_s")
    found: dict[str, Any] = {name: data(getattr(speed, name)) for name in names}
    return {**found, "factor": data(speed.factor), "run": speed.run.run if speed.run else None}


def _goodput(estimate: InferenceEstimate) -> dict[str, Any] | None:
    """Requests a second that hold every target, between two bounds, and all that are finished beside them."""
    found = estimate.goodput
    if found is None:
        return None
    return {
        "low_ratio": data(found.low_ratio),
        "high_ratio": data(found.high_ratio),
        "low_requests_per_s": data(found.low_per_s),
        "high_requests_per_s": data(found.high_per_s),
        "throughput_requests_per_s": data(found.requests_per_s),
    }


def _cost(estimate: InferenceEstimate) -> dict[str, Any] | None:
    cost = estimate.cost
    if cost is None:
        return None
    found: dict[str, Any] = data(cost)
    return {**found, "price": sourced_data("price", cost.price)}


def served_data(one: Served) -> dict[str, Any]:
    """One point: clients, totals and the latencies of a replica."""
    return {
        "concurrency": data(one.concurrency),
        "output_tok_per_s": data(one.output_tok_per_s),
        "requests_per_s": data(one.requests_per_s),
        "first_token_s": data(one.point.first_token_s),
        "token_s": data(one.point.token_s),
    }


def outcome_data(found: Outcome) -> dict[str, Any]:
    """One setup: hardware, whether it fits and meets, what it misses."""
    scenario = found.scenario
    return {
        "sku": scenario.sku,
        "gpu": scenario.gpu,
        "instances": scenario.instances,
        "tensor_parallel": scenario.tensor_parallel,
        "pipeline_parallel": scenario.pipeline_parallel,
        "precision": scenario.precision,
        "cache": scenario.cache.value,
        "fits": found.fits,
        "meets": found.meets,
        "failing_line": data(found.failing),
        "eur_per_h": data(found.eur_per_h),
        "misses": data(found.misses),
        "reasons": [message.code for message in found.reasons],
        "point": served_data(found.served) if found.served else None,
    }


def candidate_data(one: Candidate) -> dict[str, Any]:
    """One line of the ranking."""
    return {**outcome_data(one.outcome), "on_front": one.on_front}
