"""How fast a SKU reads a corpus: the prompt rate of an open model on its GPUs, and what that costs by the hour.

One prompt at a time on each replica: `serving.prompt_tok_per_s`, whose band is the calibration's for prompts. A server
that reads several short prompts at once is somewhat faster.
"""

from dataclasses import replace
from decimal import Decimal

from calculator.domain.calibration import Engine, Era, band, banded, chip_class
from calculator.domain.gpubill import billed_hours
from calculator.domain.inference import Deployment, NotModelledError, rates
from calculator.domain.llm import LanguageModel
from calculator.domain.memory import parallel_faults, room_sequences
from calculator.domain.offers import Basis
from calculator.domain.precision import PRECISIONS
from calculator.domain.provenance import Kind, Sourced
from calculator.domain.scenario import Message
from calculator.domain.serving import prompt_tok_per_s
from calculator.domain.serving_layout import constants_of, gpu_faults
from calculator.domain.serving_scenario import CACHE_ELEMENT_BYTES, CachePrecision, Offer, Ranged
from calculator.domain.tokens_scenario import GpuReading, TokensFacts, TokensScenario
from calculator.domain.units import HOUR_S, to_decimal

ENGINE = Engine.VLLM
METRIC = "prefill_tok_s"
WIDEST = 8
"""GPUs that one replica may span in this estimate."""


def prompt_length(mean_tokens: float, model: LanguageModel) -> float:
    """Tokens of one prompt: a document, or as much of it as the model takes at once."""
    return max(1.0, min(mean_tokens, model.max_context or mean_tokens))


def _deployments(scenario: TokensScenario, facts: TokensFacts, offer: Offer) -> list[Deployment]:
    """The valid divisions of the model on one instance, narrowest first."""
    if offer.gpu is None:
        return []
    widths = [width for width in (1, 2, 4, WIDEST) if width <= offer.sku.gpu_count]
    return [
        Deployment(
            facts.model,
            offer.gpu,
            PRECISIONS[scenario.precision],
            CACHE_ELEMENT_BYTES[CachePrecision.FP16],
            tensor_parallel=width,
        )
        for width in widths
        if not parallel_faults(facts.model, width, 1)
    ]


def _fitting(scenario: TokensScenario, facts: TokensFacts, offer: Offer) -> tuple[Deployment, float] | None:
    """The narrowest division that fits, and its prompt tokens a second."""
    length = prompt_length(float(scenario.mean_tokens), facts.model)
    for deployment in _deployments(scenario, facts, offer):
        constants = constants_of(facts.calibration, ENGINE, Era.NEW, deployment.precision, deployment.gpu)
        if room_sequences(deployment, constants, ENGINE, length, 1.0) >= 1:
            return deployment, prompt_tok_per_s(rates(deployment, constants), length)
    return None


def _estimated(scenario: TokensScenario, facts: TokensFacts, offer: Offer) -> GpuReading:
    """The rate from data sheet and calibration, or why there is none."""
    none = GpuReading(offer, scenario.instances)
    faults = gpu_faults(offer.gpu, offer.sku.code)
    if faults:
        return replace(none, reasons=faults)
    try:
        found = _fitting(scenario, facts, offer)
    except NotModelledError as error:
        return replace(none, reasons=(Message(error.code, {"name": offer.sku.gpu}, "sku"),))
    if found is None:
        return replace(none, reasons=(Message("does_not_fit", {"model": facts.model.name}, "model"),))
    deployment, one = found
    whole = one * (offer.sku.gpu_count // deployment.gpu_count) * scenario.instances
    chip = chip_class(deployment.gpu)
    ends = banded(whole, band(facts.calibration, METRIC, ENGINE.value, deployment.precision.family, chip))
    rate = Ranged(whole) if ends is None else Ranged(whole, *ends)
    return replace(none, rate=rate, gpus_a_replica=deployment.gpu_count)


def hourly_price(scenario: TokensScenario, offer: Offer) -> Sourced[Decimal] | None:
    """The price of one instance for an hour: the visitor's for the SKU he chose, else the list's."""
    if scenario.price_eur is not None and offer.sku.code == scenario.sku:
        return Sourced(scenario.price_eur, "EUR/hour", Kind.INPUT, "price_eur", replaces=True)
    return offer.sku.prices.get(Basis.HOUR)


def _hours_eur(price: Sourced[Decimal], seconds: float, scenario: TokensScenario) -> Decimal:
    """Hours of all instances, rounded up once to the billing step, at the price of an hour."""
    hours = to_decimal(seconds) / HOUR_S * scenario.instances
    return billed_hours(hours, scenario.billing_step) * price.value


def reading(scenario: TokensScenario, facts: TokensFacts, offer: Offer, tokens_count: float) -> GpuReading:
    """The corpus on one SKU: our own measurement of the prompt rate where there is one, else the estimate."""
    measured = facts.measured.get(offer.sku.code)
    if measured is None:
        found = _estimated(scenario, facts, offer)
    else:
        own = Ranged(measured.value * scenario.instances, kind=measured.kind)
        found = GpuReading(offer, scenario.instances, rate=own)
    price = hourly_price(scenario, offer)
    if found.rate is None:
        return replace(found, price=price)
    time = found.rate.inverted(tokens_count)
    if price is None:
        return replace(found, time_s=time, reasons=(Message("no_hourly_price", {"sku": offer.sku.code}, "price"),))

    def cost(seconds: float | None) -> Decimal | None:
        return None if seconds is None else _hours_eur(price, seconds, scenario)

    return replace(
        found, time_s=time, price=price, eur=cost(time.value), eur_low=cost(time.low), eur_high=cost(time.high)
    )
