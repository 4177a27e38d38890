"""How a model is divided over the rented GPUs where the visitor leaves it open: the smallest division that fits."""

from collections.abc import Iterator
from dataclasses import replace

from calculator.domain.calibration import Engine
from calculator.domain.memory import kv_budget_bytes, parallel_faults
from calculator.domain.serving_layout import faults, layout
from calculator.domain.serving_load import MINIMUM_ROOM, room_of
from calculator.domain.serving_scenario import InferenceFacts, InferenceScenario

MOST_TENSOR = 8
"""GPUs of a usual machine; beyond them a division adds stages, as engines advise."""
MOST_GPUS = 64
"""GPUs of one replica that are tried."""


def is_open(scenario: InferenceScenario) -> bool:
    """Whether the division of a replica is left to the calculator; a typed TP without stages means one stage."""
    return scenario.tensor_parallel is None


def splits(size: int, scenario: InferenceScenario) -> Iterator[tuple[int, int]]:
    """Tensor × pipeline for a replica of `size` GPUs, the widest tensor parallelism first; llama.cpp has stages only.

    Stages that the visitor typed stay.

    >>> from calculator.domain.serving_scenario import InferenceScenario
    >>> import datetime
    >>> list(splits(16, InferenceScenario(1, datetime.datetime(2026, 1, 1))))
    [(8, 2), (4, 4), (2, 8), (1, 16)]
    """
    widest = 1 if scenario.engine is Engine.LLAMA_CPP else min(size, MOST_TENSOR)
    for tensor in range(widest, 0, -1):
        stages, rest = divmod(size, tensor)
        if not rest and scenario.pipeline_parallel in (None, stages):
            yield tensor, stages


def sizes(gpus: int) -> list[int]:
    """GPUs of a replica in the order in which they are tried: those that leave no rented GPU idle, then the others.

    >>> sizes(4), sizes(6)
    ([1, 2, 4, 3], [1, 2, 3, 6, 4, 5])
    """
    tried = range(1, min(gpus, MOST_GPUS) + 1)
    return sorted(tried, key=lambda size: (gpus % size != 0, size))


def divisions(scenario: InferenceScenario, facts: InferenceFacts) -> Iterator[InferenceScenario]:
    """The scenario at every valid division of its GPUs, in the order in which they are tried.

    Those without stages come first: one GPU more than whole replicas take stands idle rather than slowing the others.
    """
    gpus = scenario.instances * facts.offer.sku.gpu_count // (scenario.replicas or 1)
    for in_stages in (False, True):
        for size in sizes(gpus):
            widest = widest_split(size, scenario, facts)
            if widest is not None and (widest[1] > 1) is in_stages:
                yield replace(scenario, tensor_parallel=widest[0], pipeline_parallel=widest[1])


def widest_split(size: int, scenario: InferenceScenario, facts: InferenceFacts) -> tuple[int, int] | None:
    """The widest tensor parallelism, and its stages, that is valid for the model on `size` GPUs; None where none is."""
    valid = (split for split in splits(size, scenario) if not parallel_faults(facts.model, *split))
    return next(valid, None)


def fits(scenario: InferenceScenario, facts: InferenceFacts) -> bool:
    """Whether weights, runtime and one sequence lie in the memory of each GPU."""
    held = layout(scenario, facts)
    room = room_of(held, float(scenario.prompt_tokens), float(scenario.output_tokens))
    return room >= MINIMUM_ROOM and kv_budget_bytes(held.deployment, held.constants, held.engine) > 0


def divided(scenario: InferenceScenario, facts: InferenceFacts) -> InferenceScenario:
    """The scenario with its division: the visitor's, else the smallest that fits; where none does, the widest one.

    What cannot be modelled at all (`faults`) is left on one GPU: its reason comes first.
    """
    alone = replace(scenario, tensor_parallel=scenario.tensor, pipeline_parallel=scenario.stages)
    if not is_open(scenario) or faults(alone, facts):
        return alone
    widest = alone
    for tried in divisions(scenario, facts):
        if fits(tried, facts):
            return tried
        widest = max(widest, tried, key=lambda one: one.replica_gpus)
    return widest
