"""The need on dedicated GPUs: one replica sized under the targets, as many as the busiest hour takes, and their month.

Nothing is computed a second time: a replica is an outcome of the inference calculator, its month a bill of the
economics calculator fed with the rates of that outcome, as the link between the two pages feeds it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from calculator.domain.economics import core, settled
from calculator.domain.gpubill import rounded_up
from calculator.domain.offers import ApiModel, Basis, EconomicsFacts, Mode, Sku
from calculator.domain.provenance import Kind
from calculator.domain.ranking import setups
from calculator.domain.scenario import Comparison, EconomicsScenario, GpuBill, Message, Rental
from calculator.domain.serving_answer import carried_over
from calculator.domain.serving_cost import as_economics
from calculator.domain.serving_outcome import Miss, Outcome, best_of, outcome
from calculator.domain.serving_scenario import InferenceFacts, InferenceScenario, LoadBy
from calculator.domain.serving_speed import speeds
from sales.domain.language import api_token_ratio
from sales.domain.need import (
    HOURS_A_MONTH,
    Need,
    first_token_ms,
    output_tokens,
    peak_per_s,
    peak_ratio,
    prompt_tokens,
    token_ms,
    utilisation_ceiling,
    volume_tokens,
)
from sales.domain.week import open_ratio

BASELINE = ("fp16",)
COMPRESSED = ("fp8", "awq-int4")
ARRIVAL_DECIMALS = Decimal("0.0001")


@dataclass(frozen=True, slots=True)
class ServingFacts:
    """What the advice on serving may use: inference facts by SKU, prices, and the APIs on sale."""

    by_sku: Mapping[str, InferenceFacts]
    economics: EconomicsFacts
    apis: tuple[ApiModel, ...]


@dataclass(frozen=True, slots=True)
class Sized:
    """One set of instances under the most clients that its targets allow (one client where even he misses them).

    `scenario` is the inference scenario of that point; `misses` are the targets that one client alone misses;
    `instances` are those of all sets (None: unknown).
    """

    sku: Sku
    scenario: InferenceScenario
    point: Outcome
    month: EconomicsScenario
    bill: GpuBill
    misses: tuple[Miss, ...]
    speed_kind: Kind
    instances: int | None

    @property
    def meets(self) -> bool:
        """Whether the targets hold."""
        return not self.misses


def asked(need: Need, facts: InferenceFacts) -> InferenceScenario:
    """The need as a scenario of the inference calculator, for one client on one instance."""
    return InferenceScenario(
        catalog_version=need.catalog_version,
        at=need.at,
        model=facts.model.name,
        sku=facts.offer.sku.code,
        prompt_tokens=prompt_tokens(need),
        output_tokens=output_tokens(need),
        concurrency=1,
        first_token_ms=first_token_ms(need),
        token_ms=token_ms(need),
        hours_per_month_h=HOURS_A_MONTH,
        utilisation_ratio=utilisation_ceiling(need),
        volume_tokens=volume_tokens(need),
        calibration=need.calibration,
    )


def sets(need: Need, facts: InferenceFacts) -> Iterator[InferenceScenario]:
    """Every division and weight format of one SKU on the fewest instances that hold a replica of it."""
    alone = replace(facts, offers=(facts.offer,))
    formats = BASELINE + COMPRESSED if need.compressed else BASELINE
    for _offer, scenario in setups(asked(need, facts), alone, formats):
        if scenario.instances == max(1, scenario.replica_gpus // facts.offer.sku.gpu_count):
            yield scenario


def most_clients(scenario: InferenceScenario, facts: InferenceFacts) -> Outcome | None:
    """The scenario at the most clients that hold the targets, else at one; None where nothing is served."""
    alone = outcome(scenario, facts)
    if alone.served is None:
        return None
    found = best_of(alone)
    if found is None:
        return alone
    return outcome(replace(scenario, load=LoadBy.CONCURRENCY, concurrency=int(found.concurrency)), facts)


def bases(need: Need, sku: Sku) -> Iterator[tuple[Basis, Rental]]:
    """The ways to rent a SKU: always on at each price; by the hours used where nobody waits."""
    for basis in Basis:
        if basis in sku.prices:
            yield basis, Rental.ALWAYS_ON
    if not sku.prices:
        yield Basis.HOUR, Rental.ALWAYS_ON
    elif not need.is_interactive and Basis.HOUR in sku.prices:
        yield Basis.HOUR, Rental.HOURS_USED


def mode_of(need: Need, api: ApiModel) -> Mode:
    """The service level of an API: batch where nobody waits and it is sold, standard else."""
    return Mode.BATCH if not need.is_interactive and Mode.BATCH in api.modes else Mode.STANDARD


def beside(need: Need, month: EconomicsScenario, api: ApiModel | None) -> EconomicsScenario:
    """A month beside one API, counted in that API's own tokens; beside none where no API is left."""
    if api is None:
        return replace(month, apis=())
    return replace(
        month,
        apis=(api.code,),
        reference=api.code,
        mode=mode_of(need, api),
        api_token_ratio=api_token_ratio(need.language, need.open_model, api.code),
    )


def priced(
    need: Need, month: EconomicsScenario, facts: ServingFacts, sku: Sku, api: ApiModel | None = None
) -> tuple[EconomicsScenario, GpuBill, tuple[Comparison, ...]]:
    """The economics calculator's answer for a month on a SKU beside one API."""
    scenario = beside(need, month, api)
    apis = () if api is None else (api,)
    bill, compared = core(settled(scenario, replace(facts.economics, sku=sku, apis=apis)))
    return scenario, bill, compared


def month_of(need: Need, point: Outcome, facts: InferenceFacts, basis: Basis, rental: Rental) -> EconomicsScenario:
    """The point as a month of the economics calculator."""
    served = point.served
    assert served is not None
    speed = speeds(point, served, facts)
    carried = carried_over(point, speed.factor)
    assert carried is not None
    # Paid by the hours used, a GPU is not there in the idle hours: only the planned load of its own hours counts.
    ceiling = peak_ratio(need) if rental is Rental.HOURS_USED else point.scenario.utilisation_ratio
    scenario = replace(point.scenario, basis=basis, utilisation_ratio=ceiling)
    values = as_economics(scenario, carried, served.concurrency, facts.offer.sku)
    start = EconomicsScenario(need.catalog_version, need.at, usd_per_eur=need.usd_per_eur)
    return replace(start, rental=rental, **values)


def sized(need: Need, scenario: InferenceScenario, facts: ServingFacts) -> Iterator[Sized]:
    """One division and format of a SKU, at each way to rent it."""
    own = facts.by_sku[scenario.sku]
    sku = own.offer.sku
    point = most_clients(scenario, own)
    if point is None or point.served is None:
        return
    kind = speeds(point, point.served, own).total_tok_per_s.kind
    for basis, rental in bases(need, sku):
        month, bill, _compared = priced(need, month_of(need, point, own, basis, rental), facts, sku)
        count = sets_rented(need, bill, rental)
        instances = None if count is None else count * scenario.instances
        yield Sized(sku, replace(point.scenario, basis=basis), point, month, bill, point.misses, kind, instances)


def running_share(need: Need, rental: Rental) -> Fraction:
    """Share of the month in which sets run: all of it, or by the hours used the hours in which anything is asked."""
    return Fraction(1) if rental is Rental.ALWAYS_ON else open_ratio(need.shape)


def sets_rented(need: Need, bill: GpuBill, rental: Rental) -> int | None:
    """Sets that run at once: the bill's own; by the hours used, as many as do the paid hours within the open ones."""
    if rental is Rental.ALWAYS_ON or bill.paid_h is None:
        return bill.instances
    share = running_share(need, rental)
    return max(1, int(rounded_up(bill.paid_h * share.denominator / (HOURS_A_MONTH * share.numerator))))


def preference(found: Sized) -> tuple[bool, float, bool, Decimal, int, int]:
    """Targets held first, then by how far they are missed; priced, cheaper, fewer GPUs, more clients."""
    total = found.bill.total_eur
    return (
        not found.meets,
        max((miss.excess_ratio for miss in found.misses), default=0.0),
        total is None,
        total or Decimal(0),
        (found.instances or 0) * found.sku.gpu_count,
        -found.scenario.concurrency,
    )


def best_of_sku(need: Need, facts: ServingFacts, code: str) -> Sized | None:
    """The best set of one SKU; None where the model does not fit on it, or the requests do not fit the model."""
    own = facts.by_sku[code]
    if too_long(need, own) is not None:
        return None
    found = (one for scenario in sets(need, own) for one in sized(need, scenario, facts))
    return min(found, key=preference, default=None)


def too_long(need: Need, facts: InferenceFacts) -> Message | None:
    """That prompt and answer exceed what the model takes at once; None where they fit or its limit is unknown."""
    context, limit = prompt_tokens(need) + output_tokens(need), facts.model.max_context
    if not limit or context <= limit:
        return None
    return Message("context_beyond_model", {"context": context, "limit": limit}, "prompt_length")


def obstacle(need: Need, facts: InferenceFacts) -> Message:
    """Why nothing of a SKU serves the model: its context, else the first reason of its plainest set."""
    beyond = too_long(need, facts)
    if beyond is not None:
        return beyond
    found = outcome(next(sets(need, facts), asked(need, facts)), facts)
    if found.reasons:
        return found.reasons[0]
    memory = found.memory
    lacking = memory.lacking_bytes if memory else None
    return Message("does_not_fit", {"model": facts.model.name, "lacking_bytes": lacking})


def at_peak(need: Need, found: Sized) -> InferenceScenario:
    """All instances of a sized option under the busiest hour's arrivals, as a scenario of the inference calculator."""
    arrivals = peak_per_s(need) or Decimal(0)
    return replace(
        found.scenario,
        instances=found.instances or found.scenario.instances,
        load=LoadBy.RATE,
        requests_per_s=max(ARRIVAL_DECIMALS, arrivals.quantize(ARRIVAL_DECIMALS)),
        concurrency=1,
    )


def peak_outcome(need: Need, found: Sized, facts: ServingFacts) -> Outcome:
    """What a client waits in the busiest hour."""
    return outcome(at_peak(need, found), facts.by_sku[found.sku.code])
