"""Speeds of a point with their bands, and what our own runs say of them: a run's value, or an estimate re-anchored.

Strongest first: our own published run of the very same setup; a run near it, whose ratio of measured to predicted
scales the estimate; the calibration with its band.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from math import log

from calculator.domain.calibration import Calibration, Era, anchored, band, banded, chip_class
from calculator.domain.provenance import Kind
from calculator.domain.serving import Load
from calculator.domain.serving_load import Served
from calculator.domain.serving_outcome import Outcome, load_of, outcome
from calculator.domain.serving_scenario import (
    CachePrecision,
    InferenceFacts,
    InferenceScenario,
    KnownRun,
    LoadBy,
    Ranged,
)

ALONE = "ttft_ms_alone"
"""The metric of a first token that nothing is ahead of; its residuals are apart."""
NEAR_RATIO = 4.0
"""A run is near when its clients and both lengths lie within this factor of those asked for."""


@dataclass(frozen=True, slots=True)
class Speeds:
    """What a visitor waits for and gets. `total` is output tokens a second of all replicas, `user` of one stream.

    `factor` scales the estimate to our own run `run` nearby; 1 and no run = calibration alone.
    """

    first_token_s: Ranged
    token_s: Ranged
    end_to_end_s: Ranged
    user_tok_per_s: Ranged
    total_tok_per_s: Ranged
    requests_per_s: Ranged
    factor: float = 1.0
    run: KnownRun | None = None


def ranged(
    value: float, calibration: Calibration, metric: str, engine: str, family: str, chip: str | None = None
) -> Ranged:
    """A value with the band of its class, of that class of chips where one is given."""
    ends = banded(value, band(calibration, metric, engine, family, chip))
    return Ranged(value) if ends is None else Ranged(value, *ends)


def is_usual(scenario: InferenceScenario, gpus: int) -> bool:
    """Whether what a run does not state is as a run has it: a cache in 16 bits, a current engine with its own limits,
    one replica on one GPU or over all `gpus` of the instance, every prompt computed."""
    limits = (scenario.memory_ratio, scenario.max_sequences, scenario.replicas)
    return (
        scenario.cache is CachePrecision.FP16
        and scenario.era is Era.NEW
        and limits == (None, None, None)
        and scenario.replica_gpus in (1, gpus)
        and not scenario.prefix_hit_ratio
    )


def is_same(run: KnownRun, scenario: InferenceScenario, gpus: int) -> bool:
    """Whether a run was taken under the very conditions asked for, on one instance of `gpus` GPUs."""
    if scenario.load is LoadBy.RATE or not is_usual(scenario, gpus):
        return False
    asked = (scenario.instances, scenario.concurrency, scenario.prompt_tokens, scenario.output_tokens)
    return asked == (1, run.concurrency, run.prompt_tokens, run.output_tokens)


def distance(run: KnownRun, scenario: InferenceScenario, concurrency: float) -> float:
    """How far a run's conditions are: the largest |ln| of its ratios to what is asked for."""
    pairs = (
        (run.concurrency, max(1.0, concurrency / scenario.instances)),
        (run.prompt_tokens, scenario.prompt_tokens),
        (run.output_tokens, scenario.output_tokens),
    )
    return max(abs(log(max(1.0, measured) / max(1.0, asked))) for measured, asked in pairs)


def nearest(scenario: InferenceScenario, runs: Iterable[KnownRun], concurrency: float) -> KnownRun | None:
    """The nearest run of that precision and engine, if one is near."""
    same = [run for run in runs if (run.precision, run.engine) == (scenario.precision, scenario.engine)]
    near = [(distance(run, scenario, concurrency), place) for place, run in enumerate(same)]
    if not near or min(near)[0] > log(NEAR_RATIO):
        return None
    return same[min(near)[1]]


def closest(scenario: InferenceScenario, runs: Iterable[KnownRun]) -> KnownRun | None:
    """The run, of any format and engine, whose load and lengths are nearest to those asked for; None without any."""
    listed = tuple(runs)
    return min(listed, key=lambda run: distance(run, scenario, scenario.concurrency), default=None)


def as_measured(run: KnownRun, scenario: InferenceScenario, gpus: int) -> InferenceScenario:
    """The setup of a run: one instance, the run's load, and the usual where the run states nothing."""
    size = scenario.replica_gpus
    return replace(
        scenario,
        instances=1,
        tensor_parallel=scenario.tensor if size <= gpus else 1,
        pipeline_parallel=scenario.stages if size <= gpus else 1,
        replicas=None,
        cache=CachePrecision.FP16,
        era=Era.NEW,
        memory_ratio=None,
        max_sequences=None,
        prefix_hit_ratio=Decimal(0),
        load=LoadBy.CONCURRENCY,
        concurrency=run.concurrency,
        prompt_tokens=run.prompt_tokens,
        output_tokens=run.output_tokens,
    )


def anchor(found: Outcome, run: KnownRun, facts: InferenceFacts) -> float | None:
    """Measured ÷ predicted under the run's own conditions, on one instance. None where the run would not fit."""
    served = outcome(as_measured(run, found.scenario, facts.offer.sku.gpu_count), facts).served
    return None if served is None else anchored(1.0, run.output_tok_per_s.value, served.output_tok_per_s)[1]


def speeds(found: Outcome, served: Served, facts: InferenceFacts) -> Speeds:
    """The speeds of a point with bands, re-anchored to our own run where there is one near.

    Requests that arrive at a rate and are carried fix the throughput: it is the visitor's, without a band.
    """
    scenario, point = found.scenario, served.point
    deployment = None if found.layout is None else found.layout.deployment
    family, chip = (deployment.precision.family, chip_class(deployment.gpu)) if deployment else ("", None)

    def around(value: float, metric: str) -> Ranged:
        return ranged(value, facts.calibration, metric, scenario.engine.value, family, chip)

    run = nearest(scenario, facts.runs, served.concurrency) if not scenario.gpu else None
    told = anchor(found, run, facts) if run is not None else None
    run, factor = (None, 1.0) if told is None else (run, told)
    alone = served.concurrency <= served.replicas
    first = around(point.first_token_s, ALONE if alone else "ttft_ms")
    first = around(point.first_token_s, "ttft_ms") if first.low is None else first
    token = around(point.token_s / factor, "tpot_ms")
    total = around(served.output_tok_per_s * factor, "total_output_tok_s")
    if served.asked_per_s is not None and not served.is_beyond_capacity:
        total = Ranged(served.output_tok_per_s, kind=Kind.INPUT)
    elif run is not None and is_same(run, scenario, facts.offer.sku.gpu_count):
        total = Ranged(run.output_tok_per_s.value, kind=Kind.MEASURED)
    return Speeds(
        first_token_s=first,
        token_s=token,
        end_to_end_s=together(first, token, load_of(scenario)),
        user_tok_per_s=token.inverted(),
        total_tok_per_s=total,
        requests_per_s=total.scaled(1 / served.output_tokens),
        factor=factor,
        run=run,
    )


def together(first: Ranged, token: Ranged, load: Load) -> Ranged:
    """First token + (O − 1) × time a token, ends added: both may be off the same way."""
    rest = load.output_tokens - 1
    if first.low is None or first.high is None or token.low is None or token.high is None:
        return Ranged(first.value + rest * token.value)
    return Ranged(first.value + rest * token.value, first.low + rest * token.low, first.high + rest * token.high)
