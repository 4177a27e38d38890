"""From a need to ranked offers. `estimate` reads nothing but its two arguments and raises on no need of the form.

Every amount is the answer of a calculator to a scenario that the option names; this module only chooses among them.
"""

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from calculator.domain.comparison import verdict
from calculator.domain.offers import ApiModel
from calculator.domain.provenance import Kind, Sourced, Step, weakest_kind
from calculator.domain.scenario import EconomicsScenario, Headline, Message, Verdict
from calculator.domain.tokens_scenario import TokensFacts
from calculator.domain.training_scenario import Speed, TrainingFacts
from sales.domain.advice_steps import steps
from sales.domain.constraints import accepted, api_refusals, range_refusals
from sales.domain.hybrid import best_hybrid
from sales.domain.indexing_offers import Indexing, indexing
from sales.domain.language import tokenizer_of
from sales.domain.losing import api_loses, gpu_loses, next_step
from sales.domain.need import (
    FAST_MS,
    Constraint,
    Need,
    Unit,
    has_targets,
    output_tokens,
    prompt_tokens,
    volume_tokens,
)
from sales.domain.options import Excluded, Option, Targets, Way, models_of, order, shown
from sales.domain.serving_offers import (
    ServingFacts,
    Sized,
    at_peak,
    best_of_sku,
    obstacle,
    peak_outcome,
    preference,
    priced,
    running_share,
    sets_rented,
)
from sales.domain.training_offers import TrainingOption, training


@dataclass(frozen=True, slots=True)
class AdviceFacts:
    """Everything from the catalogue and the calibration that the advice may use."""

    catalog_version: int
    catalog_date: dt.date
    at: dt.datetime
    day: dt.date
    serving: ServingFacts
    usd_per_eur: Sourced[Decimal] | None
    training: Mapping[str, TrainingFacts] = field(default_factory=dict)
    tokens: TokensFacts | None = None


@dataclass(frozen=True, slots=True)
class Serving:
    """The options to serve with, best first, and what was left out; `all_options` before the cut to five."""

    options: tuple[Option, ...]
    excluded: tuple[Excluded, ...]
    all_options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Advice:
    """The whole answer; page, files and JSON read this one object.

    `serving` None = nothing is to be served; `training` holds every SKU, `indexing` None = no documents.
    """

    scenario: Need
    headline: Headline
    serving: Serving | None
    training: tuple[TrainingOption, ...]
    indexing: Indexing | None
    steps: tuple[Step, ...]
    trust: Kind | None
    warnings: tuple[Message, ...]
    usd_per_eur: Sourced[Decimal] | None


def sized_by_sku(need: Need, facts: ServingFacts) -> tuple[list[Sized], list[Excluded]]:
    """The best set of every SKU, and those on which the model cannot be served."""
    found, left = [], []
    for code, own in facts.by_sku.items():
        best = best_of_sku(need, facts, code)
        if best is None:
            left.append(Excluded(code, (obstacle(need, own),)))
        else:
            found.append(best)
    return found, left


def gpu_option(need: Need, found: Sized, facts: ServingFacts, rival: ApiModel | None) -> Option:
    """A sized SKU as an option, beside the API that costs least."""
    volume = volume_tokens(need) or Decimal(0)
    month, bill, compared = priced(need, found.month, facts, found.sku, rival)
    held = Targets.MET if has_targets(need) else Targets.NONE
    sets, share = sets_rented(need, bill, month.rental), running_share(need, month.rental)
    return Option(
        way=Way.GPU,
        month=month,
        month_eur=bill.total_eur,
        eur_per_mtok=bill.eur_per_mtok,
        targets=held if found.meets else Targets.MISSED,
        trust=bill.trust,
        sized=found,
        bill=bill,
        peak=at_peak(need, found),
        busiest=peak_outcome(need, found, facts),
        instances=found.instances,
        loses=(*(gpu_loses(item, volume) for item in compared), *next_step(bill, sets, share)),
    )


def api_option(need: Need, api: ApiModel, facts: ServingFacts, best: Sized | None) -> Option:
    """An API as an option, beside the GPU that costs least."""
    start = plain_month(need) if best is None else best.month
    sku = facts.economics.sku if best is None else best.sku
    month, _bill, compared = priced(need, start, facts, sku, api)
    bill, volume = compared[0].bill, volume_tokens(need) or Decimal(0)
    return Option(
        way=Way.API,
        month=month,
        month_eur=bill.eur,
        eur_per_mtok=bill.eur_per_mtok,
        targets=Targets.UNKNOWN if has_targets(need) else Targets.NONE,
        trust=bill.trust,
        api=api,
        api_bill=bill,
        loses=() if best is None else (api_loses(compared[0], best.sku.name, volume),),
    )


def plain_month(need: Need) -> EconomicsScenario:
    """The traffic alone, where no GPU can serve it."""
    return EconomicsScenario(
        need.catalog_version,
        need.at,
        volume_tokens=volume_tokens(need) or Decimal(1),
        input_tokens=Decimal(prompt_tokens(need)),
        output_tokens=Decimal(output_tokens(need)),
        usd_per_eur=need.usd_per_eur,
    )


def api_options(need: Need, facts: ServingFacts, best: Sized | None) -> tuple[list[Option], list[Excluded]]:
    """The APIs that may be taken, and those that may not or have no price for this traffic."""
    refusals = api_refusals(need)
    left = [Excluded(api.label, refusals) for api in facts.apis] if refusals else []
    if not refusals:
        left += [Excluded(api.label, (reason,)) for api, reason in range_refusals(need, facts.apis)]
    found = [api_option(need, api, facts, best) for api in accepted(need, facts.apis)]
    for option in found:
        if option.month_eur is None and option.api is not None and option.api_bill is not None:
            reasons = option.api_bill.reasons or (Message("no_exchange_rate"),)
            left.append(Excluded(option.api.label, reasons))
    return [option for option in found if option.month_eur is not None], left


def serving(need: Need, facts: ServingFacts) -> Serving:
    """Every option to serve with, ranked, and what was left out."""
    sets, no_gpu = sized_by_sku(need, facts)
    best = min(sets, key=preference, default=None)
    apis, no_api = api_options(need, facts, best)
    cheapest = min(apis, key=order, default=None)
    rival = None if cheapest is None else cheapest.api
    found = [gpu_option(need, one, facts, rival) for one in sets] + apis
    if rival is not None:
        mixed = (best_hybrid(need, facts, one, rival) for one in sets)
        found += [option for option in mixed if option is not None]
    return Serving(shown(found), (*no_gpu, *no_api), tuple(sorted(found, key=order)))


def first_of(options: tuple[Option, ...], way: Way) -> Option | None:
    """The best option of one way."""
    return next((option for option in options if option.way is way), None)


def rival(options: tuple[Option, ...]) -> Option | None:
    """The option that stands beside the first: the best of another way that costs the same, else the best API beside
    GPUs and the best GPU beside an API."""
    first = options[0]
    best = (first_of(options, way) for way in Way if way is not first.way)
    equal = next((other for other in best if other is not None and is_equal(first, other)), None)
    return equal or first_of(options, Way.GPU if first.way is Way.API else Way.API)


def headline(need: Need, found: Serving | None) -> Headline:
    """Which way to serve wins."""
    if found is None:
        return Headline("nothing_served", {})
    if not found.options:
        return Headline("nothing_possible", {"model": need.open_model})
    first = found.options[0]
    if first.targets is Targets.MISSED:
        return Headline("none_meets", {"way": first.way.value})
    if first.month_eur is None:
        return Headline("on_request", {"way": first.way.value})
    other = rival(found.options)
    if other is not None and is_equal(first, other):
        return Headline("equivalent", {"eur": first.month_eur})
    return Headline(f"{first.way.value}_wins", {"eur": first.month_eur})


def is_equal(one: Option, other: Option) -> bool:
    """Whether two options that miss nothing cost the same within the margin of the economics calculator, 5 %."""
    if Targets.MISSED in (one.targets, other.targets):
        return False
    return verdict(one.month_eur, other.month_eur, one.month.tie_ratio) is Verdict.EQUIVALENT


def serving_warnings(need: Need, found: Serving) -> Iterator[Message]:
    """What the reader must know beside the ranking."""
    names = tuple(models_of(found.options))
    if len(names) > 1:
        yield Message("models_differ", {"models": ", ".join(names), "count": len(names)})
    if any(option.targets is Targets.UNKNOWN for option in found.options):
        yield Message("api_latency_unknown")
    if Constraint.FAST in need.constraints:
        yield Message("fast_first_token", {"limit_ms": FAST_MS})
    if need.unit is Unit.WORDS and tokenizer_of(need.open_model) is None:
        yield Message("tokenizer_assumed", {"model": need.open_model})


def training_warnings(options: tuple[TrainingOption, ...]) -> Iterator[Message]:
    """A claimed speed beside estimated ones, and a run that nothing does in time."""
    fitting = [one for one in options if one.seconds is not None]
    speeds = {one.speed for one in fitting}
    if Speed.PUBLISHED in speeds and len(speeds) > 1:
        yield Message("claim_beside_estimates")
    if fitting and not any(one.in_time for one in fitting):
        yield Message("nothing_in_time")


def warnings(need: Need, serve: Serving | None, train: tuple[TrainingOption, ...]) -> Iterator[Message]:
    """Every message of the answer."""
    if serve is not None:
        yield from serving_warnings(need, serve)
    yield from training_warnings(train)
    if serve is not None and any(one.seconds is not None for one in train):
        yield Message("one_gpu_a_job")


def trust(serve: Serving | None, train: tuple[TrainingOption, ...], index: Indexing | None) -> Kind | None:
    """The weakest of all that is shown."""
    kinds = [option.trust for option in serve.options] if serve else []
    kinds += [one.trust for one in train]
    kinds += [one.trust for one in index.options] if index else []
    return weakest_kind(kinds)


def estimate(need: Need, facts: AdviceFacts) -> Advice:
    """The whole answer of the advisor, unrounded; EUR without VAT. Formulas: docs/methodology.md."""
    serve = serving(need, facts.serving) if need.serves else None
    train = training(need, facts.training) if need.trains else ()
    index = indexing(need, facts.tokens) if need.indexes and facts.tokens is not None else None
    return Advice(
        scenario=need,
        headline=headline(need, serve),
        serving=serve,
        training=train,
        indexing=index,
        steps=steps(need, serve.all_options if serve else ()),
        trust=trust(serve, train, index),
        warnings=tuple(warnings(need, serve, train)),
        usd_per_eur=facts.usd_per_eur,
    )
