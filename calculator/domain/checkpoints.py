"""Checkpoints: the size of one, how many a run writes and keeps, and what storing them costs."""

from math import ceil

from calculator.domain.training_fit import element_bytes, optimizer_bytes
from calculator.domain.training_scenario import Amount, Checkpoints
from calculator.domain.training_speed import Setup
from calculator.domain.training_work import whole_steps
from calculator.domain.units import GB, to_decimal


def checkpoint_bytes(trained_params: float, element_bytes: float, optimizer_bytes: float) -> tuple[float, float]:
    """Bytes of one checkpoint: the trained weights alone, and with the states that a restart needs.

    Adapters of 41.9 M parameters, and a 7.24 G model, in GB:

    >>> [round(size / 1e9, 2) for size in checkpoint_bytes(41_943_040, 2, 12)]
    [0.08, 0.59]
    >>> [round(size / 1e9, 1) for size in checkpoint_bytes(7_241_732_096, 2, 12)]
    [14.5, 101.4]
    """
    return trained_params * element_bytes, trained_params * (element_bytes + optimizer_bytes)


def written(steps: int, save_steps: int | None) -> int:
    """Checkpoints that a run writes: one every `save_steps`, and the final one, which may be one of these.

    The weights at the last step are what a run is for, and training libraries save them (`transformers` does at its end
    whatever the interval). 750 steps by 100 leave seven on the way and one at step 750; 700 end with the seventh:

    >>> written(750, 100), written(700, 100), written(750, None), written(50, 100)
    (8, 7, 1, 1)
    """
    return max(1, ceil(steps / save_steps)) if save_steps else 1


def checkpoints(setup: Setup, amount: Amount | None) -> Checkpoints:
    """Sizes, counts and storage. A frozen base is not saved again: its checkpoint is the adapters. An unknown storage
    price leaves the cost unknown, adapters that are not modelled every size."""
    scenario = setup.scenario
    count = written(whole_steps(amount) if amount else 1, scenario.save_steps)
    kept = min(scenario.kept_count, count)
    if setup.trained_params is None:
        return Checkpoints(None, None, count, kept, None, None, None)
    states = optimizer_bytes(scenario.optimizer, scenario.numbers)
    alone, restart = checkpoint_bytes(setup.trained_params, element_bytes(scenario.numbers), states)
    stored = kept * (restart if scenario.keeps_optimizer else alone)
    price = scenario.storage_eur_per_gb_month
    month = None if price is None else price * to_decimal(stored) / GB
    total = None if month is None else month * scenario.kept_months
    return Checkpoints(alone, restart, count, kept, stored, month, total)
