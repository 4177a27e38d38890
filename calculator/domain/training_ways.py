"""Ways out of a memory misfit, each recomputed, and the same run on other counts and by other methods.

Alternatives are sized by the calibration. Beside a typed or published speed they are re-anchored to it, by its ratio to
the calibrated speed of the same set-up.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from calculator.domain.inference import NotModelledError
from calculator.domain.memory import MemoryEstimate, Sharding
from calculator.domain.offers import Basis, Sku
from calculator.domain.training import Method, run_s
from calculator.domain.training_cost import chosen_price, eur_for
from calculator.domain.training_fit import faults, memory_of
from calculator.domain.training_scenario import (
    Alternative,
    Amount,
    Numbers,
    Optimizer,
    Speed,
    TrainingScenario,
    Way,
    Work,
)
from calculator.domain.training_speed import Setup, calibrated_rate, per_gpu_rate, settle
from calculator.domain.training_work import amount

MOST_INSTANCES = 32
COUNTS = (1, 2, 4, 8, 16)
METHODS = (Method.FULL, Method.LORA, Method.QLORA)
NOT_PRICED = Decimal("Infinity")

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
        scenario = self.setup.scenario
        return scenario.micro_batch * scenario.accumulation * self.setup.data_parallel


@dataclass(frozen=True, slots=True)
class Sized:
    """A changed set-up with what it needs, takes and costs; None where it is unknown."""

    setup: Setup
    memory: MemoryEstimate
    valid: bool
    seconds: float | None
    eur: Decimal | None

    @property
    def fits(self) -> bool:
        """Whether the run starts."""
        return self.valid and self.memory.fits


def kept_batch(micro_batch: int, copies: int, batch: int) -> Changes:
    """Micro-batch and accumulation that give `batch` sequences a step on `copies` GPUs, at least one pass.

    >>> kept_batch(1, 8, 128)
    {'micro_batch': 1, 'accumulation': 16}
    """
    return {"micro_batch": micro_batch, "accumulation": max(1, round(batch / (micro_batch * copies)))}


def fixed_work(scenario: TrainingScenario, work: Amount | None) -> TrainingScenario:
    """`scenario` with its amount stated in tokens, so that another batch does not change the work."""
    if work is None:
        return scenario
    return replace(scenario, work=Work.TOKENS, total_tokens=Decimal(round(work.tokens)))


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
    """The start with `changes`, on `sku` where it is another one, whose list price then holds."""
    base = start.setup
    scenario = replace(fixed_work(base.scenario, start.work), speed=Speed.CALIBRATED, **changes)
    if sku is None or sku.code == base.facts.sku.code:
        return settle(scenario, base.facts)
    moved = replace(scenario, sku=sku.code, price_eur=None)
    return settle(moved, replace(base.facts, sku=sku))


def sized(start: Start, changes: Changes, sku: Sku | None = None) -> Sized:
    """The start with `changes`: memory, time and cost."""
    setup = changed(start, changes, sku)
    seconds, eur = _time_and_cost(setup, start.factor)
    return Sized(setup, memory_of(setup), _is_valid(setup), seconds, eur)


def _is_valid(setup: Setup) -> bool:
    return not faults(setup) and setup.trained_params is not None


def _time_and_cost(setup: Setup, factor: float | None) -> tuple[float | None, Decimal | None]:
    work = amount(setup.scenario, setup.data_parallel)
    if work is None or factor is None:
        return None, None
    try:
        total = calibrated_rate(setup) * setup.gpu_count * factor
    except NotModelledError:
        return None, None
    seconds = run_s(work.tokens, total) * (1 + float(setup.scenario.retry_ratio))
    price = chosen_price(setup)
    return seconds, None if price is None else eur_for(setup, seconds, price)


def _one_sequence(start: Start) -> Changes:
    """Micro-batch 1, accumulated to the same global batch."""
    return kept_batch(1, start.setup.data_parallel, start.batch)


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
    """Sharded weights over every GPU of `instances` of `sku`, one sequence at a time, recomputed, the same batch."""
    copies, scenario = sku.gpu_count * instances, start.setup.scenario
    short = scenario.numbers is Numbers.BF16 and not start.setup.facts.gpus[sku.gpu].bf16_native
    return {
        **kept_batch(1, copies, start.batch),
        "sku": sku.code,
        "basis": _basis(sku, scenario.basis),
        "instances": instances,
        "tensor_parallel": 1,
        "pipeline_parallel": 1,
        "sharding": Sharding.WEIGHTS if copies > 1 else Sharding.NONE,
        "recomputed": True,
        **({"numbers": Numbers.FP16} if short else {}),
    }


def _basis(sku: Sku, wanted: Basis) -> Basis:
    """The chosen basis where the SKU has a price there, or by the hour."""
    return wanted if wanted in sku.prices else Basis.HOUR


def _fewest(start: Start, sku: Sku) -> Changes | None:
    """The smallest count of `sku`, doubling, on which the run fits when everything is shared."""
    instances = 1
    while instances <= MOST_INSTANCES:
        changes = _shared_over(start, sku, instances)
        setup = changed(start, changes, sku)
        if _is_valid(setup) and memory_of(setup).fits:
            return changes
        instances *= 2
    return None


def _way(code: str, changes: Changes, found: Sized) -> Way:
    return Way(
        code=code,
        changes=changes,
        needed_bytes=found.memory.needed_bytes,
        usable_bytes=found.memory.usable_bytes if found.valid else 0.0,
        sku=found.setup.facts.sku.code,
        instances=found.setup.scenario.instances,
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
        yield _way("more_instances" if sku.code == chosen else "other_sku", changes, sized(start, changes, sku))


def _rank(way: Way) -> tuple[bool, bool, Decimal, float]:
    """Those that fit first; one instance before several, whose network is unknown; then from the cheapest, unknown
    costs last; then by how much memory they need."""
    return not way.fits, way.instances > 1, NOT_PRICED if way.eur is None else way.eur, way.needed_bytes


def ways_out(start: Start) -> tuple[Way, ...]:
    """Every way out, recomputed, in the order of `_rank`: what is not enough comes last and says what it would need."""
    own = [_way(code, changes, sized(start, changes)) for code, changes in _own_changes(start)]
    return tuple(sorted([*own, *_other_skus(start)], key=_rank))


def _alternative(code: str, found: Sized, *, is_current: bool) -> Alternative:
    seconds, eur = (found.seconds, found.eur) if found.fits else (None, None)
    return Alternative(code, found.setup.gpu_count, found.fits, seconds, eur, is_current, found.valid)


def by_count(start: Start) -> tuple[Alternative, ...]:
    """The same tokens and global batch on more and fewer instances, the chosen count among them."""
    scenario, sku = start.setup.scenario, start.setup.facts.sku
    parts = scenario.tensor_parallel * scenario.pipeline_parallel
    found = []
    for instances in sorted({*COUNTS, scenario.instances}):
        is_current = instances == scenario.instances
        copies = max(1, sku.gpu_count * instances // parts)
        batch = {} if is_current else kept_batch(scenario.micro_batch, copies, start.batch)
        size = sized(start, {**batch, "instances": instances})
        found.append(_alternative(str(instances), size, is_current=is_current))
    return tuple(found)


def by_method(start: Start) -> tuple[Alternative, ...]:
    """The same tokens trained whole, by LoRA and by QLoRA on the same GPUs; a pre-training has no other method."""
    chosen = start.setup.scenario.method
    if chosen is Method.PRETRAIN:
        return ()
    return tuple(
        _alternative(method.value, sized(start, {"method": method}), is_current=method is chosen) for method in METHODS
    )
