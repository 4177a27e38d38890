"""How training divides a model where the visitor leaves it open: the smallest tensor × pipeline that fits."""

from collections.abc import Iterator
from dataclasses import replace

from calculator.domain.serving_division import MOST_GPUS, MOST_TENSOR
from calculator.domain.training_fit import memory_of, verdict
from calculator.domain.training_scenario import TrainingFacts, TrainingScenario, Verdict
from calculator.domain.training_speed import settle


def is_open(scenario: TrainingScenario) -> bool:
    """Whether the division is left to the calculator; a typed TP without stages means one stage."""
    return scenario.tensor_parallel is None


def divisions(gpus: int, pipeline: int | None) -> Iterator[tuple[int, int]]:
    """Tensor × pipeline degrees whose product divides the GPUs, the fewest GPUs a copy first, the widest tensor first.

    Copies that share what they hold double come first: a division costs exchanges at every layer.

    >>> list(divisions(4, None))
    [(1, 1), (2, 1), (1, 2), (4, 1), (2, 2), (1, 4)]
    """
    for size in (size for size in range(1, min(gpus, MOST_GPUS) + 1) if not gpus % size):
        for tensor in range(min(size, MOST_TENSOR), 0, -1):
            stages, rest = divmod(size, tensor)
            if not rest and pipeline in (None, stages):
                yield tensor, stages


def divided(scenario: TrainingScenario, facts: TrainingFacts) -> TrainingScenario:
    """The scenario with its division: the visitor's, else the smallest valid one that fits; where none does, none."""
    alone = replace(scenario, tensor_parallel=scenario.tensor, pipeline_parallel=scenario.stages)
    if not is_open(scenario):
        return alone
    gpus = facts.sku.gpu_count * scenario.instances
    for tensor, stages in divisions(gpus, scenario.pipeline_parallel):
        tried = replace(scenario, tensor_parallel=tensor, pipeline_parallel=stages)
        setup = settle(tried, facts)
        if verdict(setup, memory_of(setup)) in (Verdict.FITS, Verdict.UNKNOWN):
            return tried
    return alone
