"""What the rented instances cost at a point: a month's bill over the tokens they yield at the planned utilisation.

The bill is that of whole instances and never multiplied by utilisation, which sets what they yield. Input and output
share it as they share the GPU's time: prompts take R × prompt of a cycle, steps the rest.
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from calculator.domain.gpubill import rounded_up
from calculator.domain.inference import decode_step_s, prompt_work_s
from calculator.domain.offers import Basis, Sku
from calculator.domain.provenance import Kind, Sourced
from calculator.domain.scenario import RateOrigin
from calculator.domain.serving import Load
from calculator.domain.serving_load import Served, Server
from calculator.domain.serving_scenario import InferenceScenario, Ranged
from calculator.domain.units import HOUR_S, MTOK, half_up, to_decimal


@dataclass(frozen=True, slots=True)
class PriceRange:
    """An amount with the ends that its throughput's band gives; None where no band is known."""

    value: Decimal
    low: Decimal | None = None
    high: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Cost:
    """Euros without VAT. `sets` = how many times the scenario's instances are rented for the month's volume.

    `output` counts all of the bill on output tokens, `output_share` only the share that steps take and `input_share`
    the prompts'; `total` divides the bill by all tokens. `planned` is `output` at full planned use.
    """

    price: Sourced[Decimal]
    basis: Basis
    eur_per_h: Decimal
    month_eur: Decimal
    sets: int
    bill_eur: Decimal
    capacity_tokens: Decimal
    volume_tokens: Decimal
    prompt_time_ratio: float
    output: PriceRange
    output_share: PriceRange
    input_share: PriceRange | None
    total: PriceRange
    planned: PriceRange


def price_of(scenario: InferenceScenario, sku: Sku) -> tuple[Sourced[Decimal], Basis] | None:
    """The price of one instance and what it is for: the visitor's own, the list's at the basis asked for, else the
    hourly one. None: on request."""
    if scenario.price_eur is not None:
        unit = f"EUR/{scenario.basis.value}"
        return Sourced(scenario.price_eur, unit, Kind.INPUT, "own_price", replaces=True), scenario.basis
    for basis in (scenario.basis, Basis.HOUR):
        if basis in sku.prices:
            return sku.prices[basis], basis
    return None


def month_eur(price: Decimal, basis: Basis, hours_h: Decimal) -> Decimal:
    """A month of one instance.

    >>> month_eur(Decimal("4.20"), Basis.HOUR, Decimal(720))
    Decimal('3024.00')
    """
    return price * hours_h if basis is Basis.HOUR else price


def eur_per_h(scenario: InferenceScenario, sku: Sku, instances: int) -> Decimal | None:
    """What all instances cost an hour of the month; None when the price is on request."""
    found = price_of(scenario, sku)
    if found is None or not scenario.hours_per_month_h:
        return None
    price, basis = found
    return instances * month_eur(price.value, basis, scenario.hours_per_month_h) / scenario.hours_per_month_h


def prompt_time_ratio(one: Server, load: Load, running: float) -> float:
    """Share of the GPU's time that prompts take: R·prompt ÷ (R·prompt + O·step)."""
    computed = load.prompt_tokens * (1 - load.prefix_hit_ratio)
    prompts = running * prompt_work_s(one.rates, load.prompt_tokens, computed)
    steps = load.output_tokens * decode_step_s(one.rates, running, load.prompt_tokens + load.output_tokens / 2)
    return prompts / (prompts + steps)


def capacity_tokens(tok_per_s: float, hours_h: Decimal, utilisation_ratio: Decimal) -> Decimal:
    """Output tokens a month at the planned utilisation.

    >>> capacity_tokens(64.0, Decimal(720), Decimal("0.65"))
    Decimal('107827200.000')
    """
    return to_decimal(tok_per_s) * HOUR_S * hours_h * utilisation_ratio


@dataclass(frozen=True, slots=True)
class _Month:
    """What a month's tokens cost at one throughput."""

    sets: int
    bill_eur: Decimal
    capacity_tokens: Decimal
    volume_tokens: Decimal
    output_eur: Decimal


def _month(scenario: InferenceScenario, set_eur: Decimal, tok_per_s: float) -> _Month:
    capacity = capacity_tokens(tok_per_s, scenario.hours_per_month_h, scenario.utilisation_ratio)
    volume = scenario.volume_tokens or capacity
    sets = int(rounded_up(volume / capacity)) or 1
    return _Month(sets, sets * set_eur, capacity, volume, sets * set_eur * MTOK / volume)


def _range(value: Decimal, low: Decimal | None, high: Decimal | None, factor: Decimal) -> PriceRange:
    ends = [None if end is None else end * factor for end in (low, high)]
    return PriceRange(value * factor, ends[0], ends[1])


def cost(scenario: InferenceScenario, sku: Sku, rate: Ranged, prompt_ratio: float) -> Cost | None:
    """The cost at a throughput of all instances; None when the price is on request or nothing is produced.

    A faster server costs less a token: the low end of the cost comes from the high end of the rate.
    """
    found = price_of(scenario, sku)
    if found is None or rate.value <= 0 or not scenario.hours_per_month_h or not scenario.utilisation_ratio:
        return None
    price, basis = found
    set_eur = scenario.instances * month_eur(price.value, basis, scenario.hours_per_month_h)
    month = _month(scenario, set_eur, rate.value)
    low = _month(scenario, set_eur, rate.high).output_eur if rate.high else None
    high = _month(scenario, set_eur, rate.low).output_eur if rate.low else None
    prompts, steps = to_decimal(prompt_ratio), 1 - to_decimal(prompt_ratio)
    each = Decimal(scenario.output_tokens) / (scenario.prompt_tokens or 1)
    both = Decimal(scenario.output_tokens) / (scenario.prompt_tokens + scenario.output_tokens)
    planned = _range(
        set_eur * MTOK,
        None if not rate.high else set_eur * MTOK * to_decimal(rate.value) / to_decimal(rate.high),
        None if not rate.low else set_eur * MTOK * to_decimal(rate.value) / to_decimal(rate.low),
        1 / month.capacity_tokens,
    )
    return Cost(
        price=price,
        basis=basis,
        eur_per_h=set_eur / scenario.hours_per_month_h,
        month_eur=set_eur,
        sets=month.sets,
        bill_eur=month.bill_eur,
        capacity_tokens=month.capacity_tokens,
        volume_tokens=month.volume_tokens,
        prompt_time_ratio=prompt_ratio,
        output=_range(month.output_eur, low, high, Decimal(1)),
        output_share=_range(month.output_eur, low, high, steps),
        input_share=_range(month.output_eur, low, high, prompts * each) if scenario.prompt_tokens else None,
        total=_range(month.output_eur, low, high, both),
        planned=planned,
    )


@dataclass(frozen=True, slots=True)
class Carried:
    """What the economics calculator takes over: steps and prompts apart, so that prompt time is counted once.

    decode = R ÷ step of every replica; prefill = computed prompt tokens ÷ prompt, None where nothing is computed.
    """

    decode_tok_per_s: float
    prefill_tok_per_s: float | None


def carried(one: Server, load: Load, served: Served, instances: int) -> Carried:
    """Rates of one instance at a point, decode and prompts apart."""
    running = served.point.running
    share = one.replicas / instances
    computed = load.prompt_tokens * (1 - load.prefix_hit_ratio)
    step = decode_step_s(one.rates, running, load.prompt_tokens + load.output_tokens / 2)
    prompt = prompt_work_s(one.rates, load.prompt_tokens, computed)
    return Carried(running / step * share, computed / prompt * share if computed else None)


CARRIED_DIGITS = 4
"""Significant digits of a rate that goes from one calculator to another."""


def as_economics(scenario: InferenceScenario, rates: Carried, concurrency: float, sku: Sku) -> dict[str, Any]:
    """A point as values of the economics scenario: rates of one GPU, lengths, rental; what is not known stays out."""
    values: dict[str, Any] = {
        "sku": scenario.sku,
        "basis": scenario.basis,
        "rate_tok_per_s": _rounded(rates.decode_tok_per_s / sku.gpu_count),
        "rate_concurrency": max(1, round(concurrency)),
        "input_tokens": Decimal(scenario.prompt_tokens),
        "output_tokens": Decimal(scenario.output_tokens),
        "prefix_hit_ratio": scenario.prefix_hit_ratio,
        "utilisation_ratio": scenario.utilisation_ratio,
        "hours_per_month_h": scenario.hours_per_month_h,
        "rate_origin": RateOrigin.ESTIMATE,
    }
    prefill = rates.prefill_tok_per_s
    known = {
        "prefill_tok_per_s": None if prefill is None else _rounded(prefill / sku.gpu_count),
        "volume_tokens": scenario.volume_tokens,
        "price_eur": scenario.price_eur,
        "instances_per_set": scenario.instances if scenario.instances > 1 else None,
    }
    return values | {name: value for name, value in known.items() if value is not None}


def _rounded(rate: float) -> Decimal:
    value = to_decimal(rate)
    return value if not value else half_up(value, CARRIED_DIGITS - 1 - value.adjusted())
