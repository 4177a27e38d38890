"""The need as a training: each SKU with the set-up that fits and is fastest there, its time and its cost.

Every figure is the training calculator's for a scenario that the option names. Where the vendor publishes a run of this
very model, SKU and method, its speed is taken and called a claim; else the calibrated one.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

from calculator.domain.calibration import Framework
from calculator.domain.offers import Basis, Sku
from calculator.domain.provenance import Kind, weakest_kind
from calculator.domain.training import Method
from calculator.domain.training_division import divided
from calculator.domain.training_fit import memory_of, verdict
from calculator.domain.training_scenario import Speed, TrainingFacts, TrainingScenario, Verdict, Work
from calculator.domain.training_speed import Setup, published_run, settle
from calculator.domain.training_ways import same_batch, time_and_cost
from calculator.domain.training_work import amount
from calculator.domain.units import HOUR_S, MTOK, to_decimal
from sales.domain.need import CORPUS_TOKENS, HOURS_A_MONTH, PARAMS_COUNT, ROW_TOKENS, ROWS_COUNT, Constraint, Need, Use
from sales.domain.week import HOURS_A_DAY

TUNING_BATCH, PRETRAINING_BATCH = 8, 512
"""Sequences of one optimizer step: the published fine-tuning's, and the published pre-training's."""
MICRO_BATCHES = (16, 8, 4, 2, 1)
LEAST_SEQUENCE, MOST_SEQUENCE = 512, 8192
TIE_RATIO = Decimal("0.05")
DAY_S = HOUR_S * HOURS_A_DAY


@dataclass(frozen=True, slots=True)
class TrainingOption:
    """One SKU for one run. `seconds` and `eur` None where the run does not fit, is not modelled or has no price.

    `runs_a_month` above one repeats it: `month_eur` is then that of all runs. `eur_per_mtok` counts trained tokens.
    """

    sku: Sku
    scenario: TrainingScenario
    verdict: Verdict
    seconds: float | None
    eur: Decimal | None
    eur_per_mtok: Decimal | None
    runs_a_month: int
    in_time: bool
    speed: Speed
    trust: Kind | None

    @property
    def month_eur(self) -> Decimal | None:
        """What all runs of a month cost."""
        return None if self.eur is None else self.eur * self.runs_a_month


def sequence_tokens(need: Need) -> int:
    """Tokens of a sequence: the power of two that holds twice a mean row, from 512 to 8 192.

    256 tokens a row make sequences of 512, as in the published fine-tuning.
    """
    wanted, length = 2 * (need.row_tokens or ROW_TOKENS), LEAST_SEQUENCE
    while length < wanted and length < MOST_SEQUENCE:
        length *= 2
    return length


def asked(need: Need, sku: str) -> TrainingScenario:
    """The need as a scenario of the training calculator, before its batch is divided."""
    start = TrainingScenario(
        need.catalog_version,
        need.at,
        sku=sku,
        hours_per_month_h=HOURS_A_MONTH,
        usd_per_eur=need.usd_per_eur,
        calibration=need.calibration,
    )
    if need.use is Use.PRETRAIN:
        return replace(
            start,
            params_count=need.params_count or PARAMS_COUNT,
            method=Method.PRETRAIN,
            work=Work.TOKENS,
            total_tokens=need.corpus_tokens or CORPUS_TOKENS,
            framework=Framework.FSDP,
            recomputed=True,
        )
    return replace(
        start,
        model=need.open_model,
        method=need.method,
        work=Work.DATASET,
        data_rows=need.rows_count or ROWS_COUNT,
        mean_tokens=need.row_tokens or ROW_TOKENS,
        epochs=need.epochs,
        sequence_tokens=sequence_tokens(need),
    )


def setups(need: Need, facts: TrainingFacts) -> Iterator[TrainingScenario]:
    """The same global batch in every way that its GPUs can share, without and with recomputed activations.

    The vendor's own batch alone where a published run gives the speed: it does not depend on it.
    """
    start = asked(need, facts.sku.code)
    batch = PRETRAINING_BATCH if need.use is Use.PRETRAIN else TUNING_BATCH
    if published_run(start, facts) is not None:
        start = replace(start, speed=Speed.PUBLISHED)
    for micro in MICRO_BATCHES:
        shared = same_batch(micro, facts.sku.gpu_count, batch)
        if shared is not None and shared["micro_batch"] == micro:
            yield from (replace(start, recomputed=again, **shared) for again in recomputations(start))


def recomputations(start: TrainingScenario) -> tuple[bool, ...]:
    """Without and with recomputed activations; always with them in a pre-training."""
    return (True,) if start.recomputed else (False, True)


def tried(need: Need, scenario: TrainingScenario, facts: TrainingFacts) -> TrainingOption:
    """One set-up as the training calculator answers it."""
    setup = settle(divided(scenario, facts), facts)
    found = verdict(setup, memory_of(setup))
    seconds, eur = time_and_cost(setup) if found is Verdict.FITS else (None, None)
    runs = runs_a_month(need)
    return TrainingOption(
        sku=facts.sku,
        scenario=scenario,
        verdict=found,
        seconds=seconds,
        eur=eur,
        eur_per_mtok=per_mtok(setup, eur),
        runs_a_month=runs,
        in_time=seconds is not None and seconds <= limit_s(need),
        speed=scenario.speed,
        trust=trust(setup) if seconds is not None else None,
    )


def per_mtok(setup: Setup, eur: Decimal | None) -> Decimal | None:
    """What a million trained tokens costs."""
    work = amount(setup.scenario, setup.data_parallel)
    return None if eur is None or work is None or not work.tokens else eur * MTOK / to_decimal(work.tokens)


def trust(setup: Setup) -> Kind | None:
    """The weaker of the speed and the price."""
    speed = Kind.CLAIM if setup.scenario.speed is Speed.PUBLISHED else Kind.ESTIMATE
    price = setup.facts.sku.prices.get(Basis.HOUR)
    return weakest_kind((speed, price.rank_kind if price else None))


def runs_a_month(need: Need) -> int:
    """30 where a model is fine-tuned every day, else one."""
    daily = Constraint.DAILY_TUNING in need.constraints and need.use is not Use.PRETRAIN
    return int(HOURS_A_MONTH / HOURS_A_DAY) if daily else 1


def limit_s(need: Need) -> float:
    """The time that a run may take: the deadline, and a day where it must be done anew every day."""
    limits = [float("inf") if need.deadline_days is None else float(need.deadline_days) * DAY_S]
    if runs_a_month(need) > 1:
        limits.append(float(DAY_S))
    return min(limits)


def best_of_sku(need: Need, facts: TrainingFacts) -> TrainingOption:
    """The fastest set-up that fits; of equal ones the largest micro-batch without recomputation."""
    found = [tried(need, scenario, facts) for scenario in setups(need, facts)]
    fitting = [one for one in found if one.verdict is Verdict.FITS and one.seconds is not None]
    if fitting:
        return min(fitting, key=lambda one: (one.seconds or 0.0, one.scenario.recomputed))
    return next((one for one in found if one.verdict is Verdict.FITS), found[-1])


def ranked(options: list[TrainingOption]) -> tuple[TrainingOption, ...]:
    """What runs in time first, then what has a price, then the cheaper; within 5 % of the cheapest, the faster."""
    known = [one.eur for one in options if one.eur is not None and one.in_time]
    cheapest = min(known, default=None)

    def place(one: TrainingOption) -> tuple[bool, bool, bool, bool, float]:
        equal = cheapest is not None and one.eur is not None and one.eur <= cheapest * (1 + TIE_RATIO)
        value = one.seconds if equal or one.eur is None else float(one.eur)
        return one.seconds is None, not one.in_time, one.eur is None, not equal, value or 0.0

    return tuple(sorted(options, key=place))


def training(need: Need, facts: Mapping[str, TrainingFacts]) -> tuple[TrainingOption, ...]:
    """Every SKU with a data sheet, best first; those on which the run does not fit last."""
    return ranked([best_of_sku(need, own) for own in facts.values()])
