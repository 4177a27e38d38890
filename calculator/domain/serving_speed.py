"""Speeds of a point with their bands, and what our own runs say of them: a run's value, or an estimate re-anchored.

Strongest first: our own published run of the very same setup; a run near it, whose ratio of measured to predicted
scales the estimate; the calibration with its band.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import log

from calculator.domain.calibration import Calibration, anchored, band, banded, chip_class
from calculator.domain.provenance import Kind
from calculator.domain.serving import Load
from calculator.domain.serving_load import Served, by_clients
from calculator.domain.serving_outcome import Outcome, load_of
from calculator.domain.serving_scenario import InferenceFacts, InferenceScenario, KnownRun, LoadBy, Ranged

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


def is_same(run: KnownRun, scenario: InferenceScenario) -> bool:
    """Whether a run was taken under the very conditions asked for, on one instance, without a prefix cache."""
    if scenario.prefix_hit_ratio or scenario.load is LoadBy.RATE:
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


def anchor(found: Outcome, run: KnownRun) -> float:
    """Measured ÷ predicted under the run's own conditions, on one instance. 1 where the run would not fit."""
    server = found.server
    if server is None:
        return 1.0
    instance = replace(server, replicas=max(1, server.replicas // found.scenario.instances))
    load = Load(float(run.prompt_tokens), float(run.output_tokens), float(run.concurrency))
    predicted = by_clients(instance, load).output_tok_per_s
    return anchored(1.0, run.output_tok_per_s.value, predicted)[1]


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
    factor = anchor(found, run) if run is not None else 1.0
    first, token = around(point.first_token_s, "ttft_ms"), around(point.token_s / factor, "tpot_ms")
    total = around(served.output_tok_per_s * factor, "total_output_tok_s")
    if served.asked_per_s is not None and not served.is_beyond_capacity:
        total = Ranged(served.output_tok_per_s, kind=Kind.INPUT)
    elif run is not None and is_same(run, scenario):
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
