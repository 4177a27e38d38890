"""The vendor's published run beside what follows from its own numbers: which reading of its batch agrees with it."""

from dataclasses import dataclass
from decimal import Decimal

from calculator.domain.training import run_h, run_s, training_tokens
from calculator.domain.training_scenario import PublishedReading, PublishedRun, TrainingEstimate, Work

AGREES_RATIO = 0.02
"""A printed figure is rounded to two digits: 38 min for 37.9."""


@dataclass(frozen=True, slots=True)
class ReadRun:
    """One reading worked out at the published speed; `agrees` = the printed minutes follow from it."""

    reading: PublishedReading
    global_batch: int
    tokens: int
    sequences: int
    epochs: float
    minutes: float
    eur: Decimal | None
    agrees: bool


def is_case(run: PublishedRun, estimate: TrainingEstimate) -> bool:
    """Whether the work asked for is that of `run`: one reading of its batch, or its tokens where none is printed.

    The model, the machine and the method are those of the run already.
    """
    scenario, work = estimate.scenario, estimate.amount
    if work is None or scenario.instances != 1:
        return False
    if not run.readings:
        return abs(work.tokens / run.tokens - 1) <= AGREES_RATIO
    asked = (scenario.micro_batch, scenario.accumulation, scenario.sequence_tokens, scenario.steps_count)
    printed = ((one.micro_batch, one.accumulation, one.sequence_tokens, one.steps) for one in run.readings)
    return scenario.work is Work.STEPS and asked in printed


def read_run(run: PublishedRun, reading: PublishedReading, hour_eur: Decimal | None) -> ReadRun:
    """A reading's tokens, epochs, minutes and, at a price an hour billed by the second's fraction, its cost."""
    batch = reading.micro_batch * reading.accumulation
    tokens = training_tokens(reading.micro_batch, reading.sequence_tokens, reading.accumulation, 1, reading.steps)
    rate = run.tok_per_s_per_gpu.value
    minutes = run_s(tokens, rate) / 60
    hours = Decimal(repr(run_h(tokens, rate)))
    return ReadRun(
        reading=reading,
        global_batch=batch,
        tokens=tokens,
        sequences=batch * reading.steps,
        epochs=batch * reading.steps / reading.rows,
        minutes=minutes,
        eur=None if hour_eur is None else hours * hour_eur,
        agrees=run.minutes is not None and abs(minutes / run.minutes - 1) <= AGREES_RATIO,
    )
