"""Ways out of a memory misfit, each recomputed, and the same run on other counts and by other methods.

Each is a whole scenario, worked out by the functions that work out the answer: whoever follows it gets its figures.
Beside a typed or published speed it carries the calibrated one, scaled by the ratio of the two on the same set-up.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from decimal import Context, Decimal
from itertools import chain
from math import ceil
from typing import Any

from calculator.domain.inference import NotModelledError
from calculator.domain.memory import MemoryEstimate, Sharding
from calculator.domain.offers import Basis, Sku
from calculator.domain.training import Method, training_tokens
from calculator.domain.training_cost import bill, duration
from calculator.domain.training_fit import memory_of, verdict
from calculator.domain.training_scenario import (
    Alternative,
    Amount,
    Numbers,
    Optimizer,
    Speed,
    TrainingScenario,
    Verdict,
    Way,
    Work,
)
from calculator.domain.training_speed import Setup, calibrated_rate, per_gpu_rate, rate, settle
from calculator.domain.training_work import amount
from calculator.domain.units import to_decimal

MOST_INSTANCES = 32
COUNTS = (1, 2, 4, 8, 16)
METHODS = (Method.FULL, Method.LORA, Method.QLORA)
NOT_PRICED = Decimal("Infinity")
RATE_DIGITS = Context(prec=6)
"""What a link carries of a speed; figures are worked out from what it carries."""

Changes = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Start:
    """Where alternatives start from: the visitor's set-up, its work, and the factor of `anchor`."""

    setup: Setup
    work: Amount | None
    factor: float | None

    @property
    def batch(self) -> int:
        """Sequences of one optimizer step."""
        return batch_of(self.setup)


@dataclass(frozen=True, slots=True)
class Sized:
    """A changed set-up with what it needs, takes and costs; None where it does not run or is unknown."""

    setup: Setup
    memory: MemoryEstimate
    verdict: Verdict
    seconds: float | None
    eur: Decimal | None


def batch_of(setup: Setup) -> int:
    """Sequences of one optimizer step."""
    return setup.scenario.micro_batch * setup.scenario.accumulation * setup.data_parallel


def least_batch(micro_batch: int, copies: int, batch: int) -> Changes:
    """Micro-batch and accumulation that give `copies` GPUs at least `batch` sequences a step.

    Eight copies of one sequence cannot make a step of four: theirs has eight.

    >>> least_batch(1, 8, 128), least_batch(1, 8, 4)
    ({'micro_batch': 1, 'accumulation': 16}, {'micro_batch': 1, 'accumulation': 1})
    """
    return {"micro_batch": micro_batch, "accumulation": ceil(batch / (micro_batch * copies))}


def same_batch(micro_batch: int, copies: int, batch: int) -> Changes | None:
    """The largest micro-batch up to `micro_batch`, and the accumulation, that give exactly `batch` sequences a step on
    `copies` GPUs; None where they do not share it evenly, or there are more of them than sequences.

    >>> same_batch(2, 2, 8), same_batch(2, 8, 8), same_batch(2, 16, 8)
    ({'micro_batch': 2, 'accumulation': 2}, {'micro_batch': 1, 'accumulation': 1}, None)
    """
    if batch % copies:
        return None
    each = batch // copies
    micro = max(size for size in range(1, min(micro_batch, each) + 1) if each % size == 0)
    return {"micro_batch": micro, "accumulation": each // micro}


def same_work(scenario: TrainingScenario, copies: int, work: Amount | None) -> TrainingScenario:
    """`scenario` with the tokens of `work`, where its batch is another: as many steps as they fill, else as tokens.
    Work that is stated as data or as tokens does not depend on the batch."""
    if work is None or scenario.work is not Work.STEPS:
        return scenario
    step = training_tokens(scenario.micro_batch, scenario.sequence_tokens, scenario.accumulation, copies, 1)
    tokens = round(work.tokens)
    if tokens % step == 0:
        return replace(scenario, steps_count=tokens // step)
    return replace(scenario, work=Work.TOKENS, total_tokens=Decimal(tokens))


def anchor(setup: Setup) -> float | None:
    """Chosen speed ÷ calibrated speed of the same set-up: what alternatives are multiplied by, so that they stand
    beside a typed or published speed. 1 for the calibrated one; None where either is unknown."""
    if setup.scenario.speed is Speed.CALIBRATED:
        return 1.0
    try:
        chosen, calibrated = per_gpu_rate(setup), calibrated_rate(setup)
    except NotModelledError:
        return None
    return None if chosen is None else chosen.value / calibrated


def changed(start: Start, changes: Changes, sku: Sku | None = None) -> Setup:
    """The start with `changes`, at the calibrated speed, on `sku` where it is another one, whose list price then
    holds."""
    base = start.setup
    scenario = replace(base.scenario, speed=Speed.CALIBRATED, **changes)
    facts = base.facts
    if sku is not None and sku.code != facts.sku.code:
        facts = replace(facts, sku=sku)
        scenario = replace(scenario, price_eur=None, basis=_basis(sku, scenario.basis))
    found = settle(scenario, facts)
    return replace(found, scenario=same_work(scenario, found.data_parallel, start.work))


def _basis(sku: Sku, wanted: Basis) -> Basis:
    """The chosen basis where the SKU has a price there, or by the hour."""
    return wanted if wanted in sku.prices else Basis.HOUR


def anchored(setup: Setup, factor: float) -> Setup:
    """The set-up at its calibrated speed × `factor`, typed to six digits, where that is another speed."""
    if factor == 1:
        return setup
    try:
        value = calibrated_rate(setup) * factor
    except NotModelledError:
        return setup
    typed = RATE_DIGITS.plus(to_decimal(value))
    return replace(setup, scenario=replace(setup.scenario, speed=Speed.RATE, rate_tok_per_s=typed))


def sized(start: Start, changes: Changes, sku: Sku | None = None) -> Sized:
    """The start with `changes`: memory, and where it runs time and cost. Beside a speed that is not known there are
    none, and its source stays."""
    setup = changed(start, changes, sku)
    memory = memory_of(setup)
    runs = verdict(setup, memory)
    if runs is not Verdict.FITS:
        return Sized(setup, memory, runs, None, None)
    if start.factor is None:
        own = replace(setup.scenario, speed=start.setup.scenario.speed)
        return Sized(replace(setup, scenario=own), memory, runs, None, None)
    setup = anchored(setup, start.factor)
    return Sized(setup, memory, runs, *time_and_cost(setup))


def time_and_cost(setup: Setup) -> tuple[float | None, Decimal | None]:
    """Seconds with retries and € of a set-up, as the answer works them out; None where unknown."""
    work = amount(setup.scenario, setup.data_parallel)
    try:
        found = rate(setup)
    except NotModelledError:
        found = None
    if work is None or found is None:
        return None, None
    took = duration(setup, work, found)
    return took.with_retries_s, bill(setup, found, took).eur


def difference(before: TrainingScenario, after: TrainingScenario) -> Changes:
    """Attributes of `after` that are not those of `before`."""
    pairs = ((field.name, getattr(before, field.name), getattr(after, field.name)) for field in fields(after))
    return {name: new for name, old, new in pairs if new != old}


def _one_sequence(start: Start) -> Changes:
    """Micro-batch 1, accumulated to the same global batch."""
    return least_batch(1, start.setup.data_parallel, start.batch)


def _saving(start: Start) -> Changes:
    """Everything that costs no other GPU and no other method: one sequence at a time, recomputation."""
    return {**_one_sequence(start), "recomputed": True}


def _own_changes(start: Start) -> Iterator[tuple[str, Changes]]:
    """Ways on the same GPUs, gentlest first."""
    base, one = start.setup, _one_sequence(start)
    scenario = base.scenario
    if scenario.micro_batch > 1:
        yield "one_sequence", one
    if not scenario.recomputed:
        yield "recomputation", {"recomputed": True}
    if scenario.micro_batch > 1 and not scenario.recomputed:
        yield "both", _saving(start)
    if scenario.numbers is Numbers.FP32:
        yield "sixteen_bits", {"numbers": Numbers.BF16 if base.gpu.bf16_native else Numbers.FP16}
    if base.data_parallel > 1 and scenario.sharding < Sharding.WEIGHTS:
        yield "sharding", {"sharding": Sharding.WEIGHTS}
    if scenario.optimizer in (Optimizer.ADAMW, Optimizer.FUSED) and not scenario.method.frozen_base:
        yield "eight_bit_states", {**_saving(start), "optimizer": Optimizer.EIGHT_BIT}
    yield from _method_changes(start)


def _method_changes(start: Start) -> Iterator[tuple[str, Changes]]:
    """Training adapters instead of all weights; never for a pre-training, whose weights do not exist yet."""
    scenario = start.setup.scenario
    if scenario.method is Method.PRETRAIN:
        return
    if scenario.method is Method.FULL:
        yield "lora", {**_saving(start), "method": Method.LORA}
    if scenario.method is not Method.QLORA:
        yield "qlora", {"method": Method.QLORA}
    if scenario.method is not Method.QLORA and (scenario.micro_batch > 1 or not scenario.recomputed):
        yield "qlora_saving", {**_saving(start), "method": Method.QLORA}


def _shared_over(start: Start, sku: Sku, instances: int) -> Changes:
    """Sharded weights over every GPU of `instances` of `sku`, one sequence at a time, recomputed, the same batch or the
    least that gives each GPU one."""
    copies, scenario = sku.gpu_count * instances, start.setup.scenario
    short = scenario.numbers is Numbers.BF16 and not start.setup.facts.gpus[sku.gpu].bf16_native
    return {
        **least_batch(1, copies, start.batch),
        "sku": sku.code,
        "instances": instances,
        "tensor_parallel": 1,
        "pipeline_parallel": 1,
        "sharding": Sharding.WEIGHTS if copies > 1 else Sharding.NONE,
        "recomputed": True,
        **({"numbers": Numbers.FP16} if short else {}),
    }


def _fewest(start: Start, sku: Sku) -> Changes | None:
    """The smallest count of `sku`, doubling, on which the run fits when everything is shared."""
    instances = 1
    while instances <= MOST_INSTANCES:
        changes = _shared_over(start, sku, instances)
        setup = changed(start, changes, sku)
        if verdict(setup, memory_of(setup)) is Verdict.FITS:
            return changes
        instances *= 2
    return None


def _way(start: Start, code: str, found: Sized) -> Way:
    return Way(
        code=code,
        changes=difference(start.setup.scenario, found.setup.scenario),
        needed_bytes=found.memory.needed_bytes,
        usable_bytes=found.memory.usable_bytes,
        verdict=found.verdict,
        sku=found.setup.facts.sku.code,
        instances=found.setup.scenario.instances,
        batch=batch_of(found.setup),
        seconds=found.seconds,
        eur=found.eur,
    )


def _other_skus(start: Start) -> Iterator[Way]:
    """The smallest count of each configuration on which the run fits, more of the chosen one included."""
    chosen = start.setup.facts.sku.code
    for sku in start.setup.facts.skus:
        changes = _fewest(start, sku)
        if changes is None or (sku.code == chosen and changes["instances"] <= start.setup.scenario.instances):
            continue
        yield _way(start, "more_instances" if sku.code == chosen else "other_sku", sized(start, changes, sku))


def _rank(way: Way) -> tuple[bool, bool, Decimal, float]:
    """Those that fit first; one instance before several, whose network is unknown; then from the cheapest, unknown
    costs last; then by how much memory they need."""
    return not way.fits, way.instances > 1, NOT_PRICED if way.eur is None else way.eur, way.needed_bytes


def _once(ways: Iterator[Way]) -> Iterator[Way]:
    """Ways whose changes are not those of an earlier one."""
    seen: list[Changes] = []
    for way in ways:
        if way.changes not in seen:
            seen.append(way.changes)
            yield way


def ways_out(start: Start) -> tuple[Way, ...]:
    """Every way out, recomputed, in the order of `_rank`: what is not enough comes last and says what it would need,
    with it what is not modelled."""
    own = (_way(start, code, sized(start, changes)) for code, changes in _own_changes(start))
    return tuple(sorted(_once(chain(own, _other_skus(start))), key=_rank))


def _alternative(start: Start, code: str, found: Sized) -> Alternative:
    return Alternative(
        code=code,
        gpu_count=found.setup.gpu_count,
        copies=found.setup.data_parallel,
        changes=difference(start.setup.scenario, found.setup.scenario),
        verdict=found.verdict,
        seconds=found.seconds,
        eur=found.eur,
    )


def _current(start: Start, code: str) -> Alternative:
    """The visitor's own set-up among the alternatives, as it is."""
    setup = start.setup
    found = verdict(setup, memory_of(setup))
    seconds, eur = time_and_cost(setup) if found is Verdict.FITS else (None, None)
    return Alternative(code, setup.gpu_count, setup.data_parallel, {}, found, seconds, eur, is_current=True)


def _on(start: Start, instances: int) -> Alternative:
    """The run on `instances`; refused where their copies cannot share the global batch."""
    scenario = start.setup.scenario
    if instances == scenario.instances:
        return _current(start, str(instances))
    moved = changed(start, {"instances": instances})
    batch = same_batch(scenario.micro_batch, moved.data_parallel, start.batch)
    if batch is None:
        return Alternative(
            str(instances), moved.gpu_count, moved.data_parallel, {"instances": instances}, Verdict.BATCH, None, None
        )
    return _alternative(start, str(instances), sized(start, {**batch, "instances": instances}))


def by_count(start: Start) -> tuple[Alternative, ...]:
    """The same tokens and global batch on more and fewer instances, the chosen count among them."""
    return tuple(_on(start, instances) for instances in sorted({*COUNTS, start.setup.scenario.instances}))


def by_method(start: Start) -> tuple[Alternative, ...]:
    """The same tokens trained whole, by LoRA and by QLoRA on the same GPUs; a pre-training has no other method."""
    chosen = start.setup.scenario.method
    if chosen is Method.PRETRAIN:
        return ()
    return tuple(
        _current(start, method.value)
        if method is chosen
        else _alternative(start, method.value, sized(start, {"method": method}))
        for method in METHODS
    )
