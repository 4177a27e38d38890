"""What a million tokens costs on a dedicated GPU and on an API, and from which volume on the GPU is cheaper.

`estimate` settles the visitor's assumptions, prices the same month on both sides and hands the parts to the tables
and to the narrative. It reads nothing but its two arguments and raises on no scenario that the form lets through.
"""

from dataclasses import replace
from decimal import Decimal

from calculator.domain import narrative, tables
from calculator.domain.apibill import Conversion, Quote, adjusted, quote
from calculator.domain.comparison import Inputs, comparisons
from calculator.domain.gpubill import Terms, gpu_bill, plan
from calculator.domain.offers import Basis, EconomicsFacts, Scope, Sku, Throughput
from calculator.domain.provenance import Kind, Sourced, assumed, weakest_kind, with_defaults
from calculator.domain.scenario import Comparison, EconomicsEstimate, EconomicsScenario, GpuBill, RateOrigin
from calculator.domain.steps import steps
from calculator.domain.workload import demand, usage

SINGLE_STREAM_CONCURRENCY = 1
TRAFFIC = ("traffic", "volume_tokens", "requests_count", "output_tokens")
INPUTS_BEHIND = {
    "volume_tokens": TRAFFIC,
    "served_tokens": (*TRAFFIC, "response_cache_ratio"),
    "prompt_tokens": (*TRAFFIC, "input_tokens", "prefix_hit_ratio"),
    "output_tokens": TRAFFIC,
    "extra_costs": ("operations_eur_per_month", "storage_eur_per_month", "network_eur_per_month"),
    "response_cache": ("response_cache_ratio",),
}
"""The visitor's inputs behind the terms of the formulas, by the term's label."""


def typed(value: Decimal, unit: str, label: str) -> Sourced[Decimal]:
    """A visitor's entry in place of a price, a rate or an exchange rate: it ranks as an assumption."""
    return Sourced(value, unit, Kind.INPUT, label, replaces=True)


def typed_rate(value: Decimal, label: str, origin: RateOrigin | None) -> Sourced[float]:
    """A rate in place of the catalogue's: the visitor's word, or an estimate carried over, which stays an estimate."""
    if origin is RateOrigin.ESTIMATE:
        return Sourced(float(value), "tok/s", Kind.ESTIMATE, label)
    return Sourced(float(value), "tok/s", Kind.INPUT, label, replaces=True)


def _per_gpu_prefill(base: Throughput | None, gpu_count: int) -> Sourced[float] | None:
    """The catalogue's prefill rate for one GPU, to stand beside a typed rate, which is for one GPU."""
    if base is None or base.prefill_tok_per_s is None or base.scope is Scope.GPU or gpu_count == 1:
        return None if base is None else base.prefill_tok_per_s
    return base.prefill_tok_per_s.scaled(base.prefill_tok_per_s.value / gpu_count)


def chosen_throughput(scenario: EconomicsScenario, sku: Sku) -> Throughput | None:
    """The catalogue's throughput with what the visitor typed in its place; a typed rate is that of one GPU."""
    base = sku.throughput
    if scenario.rate_tok_per_s is not None:
        base = Throughput(
            output_tok_per_s=typed_rate(scenario.rate_tok_per_s, "rate_tok_per_s", scenario.rate_origin),
            scope=Scope.GPU,
            prefill_tok_per_s=_per_gpu_prefill(sku.throughput, sku.gpu_count),
            model=scenario.model,
            concurrency=scenario.rate_concurrency,
            single_stream=scenario.rate_concurrency == SINGLE_STREAM_CONCURRENCY,
        )
    if base is None or scenario.prefill_tok_per_s is None:
        return base
    prefill = typed_rate(scenario.prefill_tok_per_s, "prefill_tok_per_s", scenario.rate_origin)
    return replace(base, prefill_tok_per_s=prefill)


def as_set(sku: Sku, count: int) -> Sku:
    """`count` instances as one: their price, GPUs, memory and output together."""
    if count == 1:
        return sku
    return replace(
        sku,
        set_of=count,
        gpu_count=sku.gpu_count * count,
        vram_gb=sku.vram_gb * count,
        prices={basis: price.scaled(price.value * count) for basis, price in sku.prices.items()},
        throughput=None if sku.throughput is None else _of_set(sku.throughput, count),
    )


def _of_set(throughput: Throughput, count: int) -> Throughput:
    """A figure of one GPU counts for each GPU of the set; one of an instance is taken as often as there are some."""
    if throughput.scope is Scope.GPU:
        return throughput
    rate, prefill = throughput.output_tok_per_s, throughput.prefill_tok_per_s
    return replace(
        throughput,
        output_tok_per_s=rate.scaled(rate.value * count),
        prefill_tok_per_s=None if prefill is None else prefill.scaled(prefill.value * count),
    )


def chosen_sku(scenario: EconomicsScenario, sku: Sku) -> Sku:
    """The SKU with the visitor's price at the chosen basis and his throughput, where he typed them, as a set where
    he rents several as one."""
    prices = dict(sku.prices)
    if scenario.price_eur is not None:
        prices[scenario.basis] = typed(scenario.price_eur, f"EUR/{scenario.basis.value}", "price_eur")
    priced = replace(sku, prices=prices, throughput=chosen_throughput(scenario, sku))
    return as_set(priced, scenario.instances_per_set or 1)


def exchange_rate(scenario: EconomicsScenario, facts: EconomicsFacts) -> Sourced[Decimal] | None:
    """Dollars for one euro: the visitor's, or the catalogue's, or none."""
    if scenario.usd_per_eur is not None:
        return typed(scenario.usd_per_eur, "USD/EUR", "usd_per_eur")
    return facts.usd_per_eur


def settled_terms(scenario: EconomicsScenario, facts: EconomicsFacts) -> Terms:
    """The assumptions that every SKU of the answer shares. Hours a month and utilisation are assumptions, whoever
    set them; the extra costs are added up here once."""
    extras = scenario.operations_eur_per_month + scenario.storage_eur_per_month + scenario.network_eur_per_month
    return Terms(
        month=demand(scenario),
        rental=scenario.rental,
        billing_step=scenario.billing_step,
        hours_h=assumed(scenario, "hours_per_month_h", scenario.hours_per_month_h, "h", "hours_per_month"),
        utilisation=assumed(scenario, "utilisation_ratio", scenario.utilisation_ratio, "", "utilisation"),
        extras_eur=extras,
        conversion=Conversion(exchange_rate(scenario, facts), scenario.vat_ratio),
    )


def _quotes(scenario: EconomicsScenario, facts: EconomicsFacts) -> tuple[Quote, ...]:
    one_request = usage(scenario)
    listed = (quote(api, one_request, scenario.mode, scenario.batch_share_ratio) for api in facts.apis)
    return tuple(adjusted(item, scenario.api_token_ratio, scenario.api_uplift_ratio) for item in listed)


def _reference(code: str, quotes: tuple[Quote, ...]) -> Quote | None:
    """The API that savings and the utilisation table refer to; the first one where the asked one is not compared,
    which a warning then says."""
    return next((item for item in quotes if item.api.code == code), quotes[0] if quotes else None)


def settled(scenario: EconomicsScenario, facts: EconomicsFacts) -> Inputs:
    """The scenario and the facts brought together: terms, the chosen plan, one quote per API."""
    terms = settled_terms(scenario, facts)
    quotes = _quotes(scenario, facts)
    return Inputs(
        terms=terms,
        chosen=plan(chosen_sku(scenario, facts.sku), scenario.basis, terms),
        quotes=quotes,
        reference=_reference(scenario.reference, quotes),
        tie_ratio=scenario.tie_ratio,
    )


def core(inputs: Inputs) -> tuple[GpuBill, tuple[Comparison, ...]]:
    """The answer without its tables: the chosen GPU's month, and the verdict and break-even against each API."""
    bill = gpu_bill(inputs.chosen, inputs.terms, inputs.terms.month.units)
    return bill, comparisons(inputs, bill)


def _other_bill(inputs: Inputs, basis: Basis) -> GpuBill:
    terms = inputs.terms
    return gpu_bill(plan(inputs.chosen.sku, basis, terms), terms, terms.month.units)


def estimate(scenario: EconomicsScenario, facts: EconomicsFacts) -> EconomicsEstimate:
    """The whole answer of the economics calculator, unrounded.

    EUR without VAT, USD for API prices, tokens as counts. Unknown stays None with its reason; nothing is filled in.
    Formulas and sources: docs/methodology.md. GPU-PRO by the month at 100 M output tokens: 8.3064 € per million,
    7.7034 at full planned use.
    """
    inputs = settled(scenario, facts)
    terms, month = inputs.terms, inputs.terms.month
    bill, compared = core(inputs)
    reference = next((item for item in compared if inputs.reference and item.bill.api is inputs.reference.api), None)
    return EconomicsEstimate(
        scenario=scenario,
        volume_tokens=month.volume_tokens,
        served_tokens=month.served_tokens,
        requests_count=month.requests_count,
        headline=narrative.headline(inputs, bill, compared, reference),
        gpu=bill,
        bases={basis: bill if basis is scenario.basis else _other_bill(inputs, basis) for basis in Basis},
        comparisons=compared,
        overview=tables.overview(inputs, facts.skus),
        volumes=tables.volume_rows(inputs),
        utilisations=tables.utilisation_cells(inputs),
        years=tables.years(inputs, bill, compared),
        usd_per_eur=terms.conversion.usd_per_eur,
        hours_per_month_h=terms.hours_h,
        utilisation=terms.utilisation,
        steps=with_defaults(steps(inputs, bill, reference), scenario, INPUTS_BEHIND),
        trust=weakest_kind((bill.trust, *(item.bill.trust for item in compared))),
        warnings=narrative.warnings(scenario, inputs, bill, compared, facts.day),
    )
