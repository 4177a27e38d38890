"""What one request, then a month of them, costs on an API sold by the token.

Counting follows the vendors' own meters: the input count includes what the cache served or stored, reasoning is
inside the output, and a context tier is a cliff chosen per request. Prices are USD per million tokens.
"""

from collections.abc import Set
from dataclasses import dataclass, replace
from decimal import Decimal

from calculator.domain.offers import ApiModel, Mode, Rates
from calculator.domain.provenance import Kind, Sourced, weakest
from calculator.domain.scenario import ApiBill, Message
from calculator.domain.units import MTOK, including_tax, usd_to_eur

ZERO = Decimal(0)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one request. `input_tokens` is the whole prompt, cache reads and writes included; `output_tokens`
    includes reasoning. Counts may be means, hence Decimal. Raises ValueError on a negative or impossible count."""

    input_tokens: Decimal = ZERO
    cache_read_tokens: Decimal = ZERO
    cache_write_5m_tokens: Decimal = ZERO
    cache_write_1h_tokens: Decimal = ZERO
    output_tokens: Decimal = ZERO

    def __post_init__(self) -> None:
        parts = (self.cache_read_tokens, self.cache_write_5m_tokens, self.cache_write_1h_tokens)
        if min(self.input_tokens, self.output_tokens, *parts) < 0:
            raise ValueError("a token count is negative")
        if sum(parts) > self.input_tokens:
            raise ValueError("cached tokens exceed the input that contains them")

    @property
    def fresh_tokens(self) -> Decimal:
        """Input tokens that no cache touched: the only ones billed at the plain input price."""
        return self.input_tokens - self.cache_read_tokens - self.cache_write_5m_tokens - self.cache_write_1h_tokens


def openai_usage(input_tokens: int, cached_tokens: int, output_tokens: int, reasoning_tokens: int = 0) -> Usage:
    """Usage as OpenAI, Google and xAI report it: cached tokens are inside input, reasoning is inside output.

    >>> openai_usage(17_903, 17_817, 500).fresh_tokens
    Decimal('86')
    """
    if not 0 <= reasoning_tokens <= output_tokens:
        raise ValueError("reasoning tokens exceed the output that contains them")
    return Usage(
        input_tokens=Decimal(input_tokens),
        cache_read_tokens=Decimal(cached_tokens),
        output_tokens=Decimal(output_tokens),
    )


def anthropic_usage(
    uncached_tokens: int, read_tokens: int, write_5m_tokens: int, write_1h_tokens: int, output_tokens: int
) -> Usage:
    """Usage as Anthropic reports it: uncached, read and written tokens stand side by side and add up to the input.

    >>> anthropic_usage(3, 0, 12_304, 0, 550).input_tokens
    Decimal('12307')
    """
    return Usage(
        input_tokens=Decimal(uncached_tokens + read_tokens + write_5m_tokens + write_1h_tokens),
        cache_read_tokens=Decimal(read_tokens),
        cache_write_5m_tokens=Decimal(write_5m_tokens),
        cache_write_1h_tokens=Decimal(write_1h_tokens),
        output_tokens=Decimal(output_tokens),
    )


@dataclass(frozen=True, slots=True)
class RequestCost:
    """USD for one request; None when a needed component has no price, which `missing` names; of these `varying` have
    none that is known beforehand."""

    usd: Decimal | None
    over_tokens: int = 0
    missing: tuple[str, ...] = ()
    sources: tuple[Sourced[Decimal], ...] = ()
    varying: Set[str] = frozenset()


def tier_for(tiers: tuple[Rates, ...], input_tokens: Decimal) -> Rates | None:
    """The rates of a request: those of the highest threshold that its input is strictly above; the base otherwise.

    >>> tiers = (Rates(0), Rates(272_000))
    >>> [tier_for(tiers, Decimal(count)).context_over_tokens for count in (272_000, 272_001)]
    [0, 272000]
    """
    reached = [tier for tier in tiers if tier.context_over_tokens == 0 or input_tokens > tier.context_over_tokens]
    return max(reached, key=lambda tier: tier.context_over_tokens, default=None)


def billed_components(usage: Usage, rates: Rates) -> tuple[tuple[str, Decimal, Sourced[Decimal] | None], ...]:
    """(component, tokens, rate) of one request.

    A vendor that sells no cache writes at all (automatic caching) bills what it stores as plain input; one that
    sells only the other duration leaves this one unpriced.
    """
    writes = {"cache_write_5m": rates.cache_write_5m, "cache_write_1h": rates.cache_write_1h}
    sells_writes = bool(rates.varying.keys() & writes) or any(rate is not None for rate in writes.values())
    return (
        ("input", usage.fresh_tokens, rates.input),
        ("cache_read", usage.cache_read_tokens, rates.cache_read),
        ("cache_write_5m", usage.cache_write_5m_tokens, rates.cache_write_5m if sells_writes else rates.input),
        ("cache_write_1h", usage.cache_write_1h_tokens, rates.cache_write_1h if sells_writes else rates.input),
        ("output", usage.output_tokens, rates.output),
    )


def request_cost(usage: Usage, tiers: tuple[Rates, ...]) -> RequestCost:
    """Σ tokens × rate ÷ 10**6 over the components used, all at the tier that the request's input selects.

    A component that is used and has no price makes the whole cost unknown, never smaller.

    >>> from calculator.domain.provenance import Kind
    >>> usd = lambda amount: Sourced(Decimal(amount), "USD/Mtok", Kind.LIST_PRICE)
    >>> rates = Rates(input=usd("2.50"), cache_read=usd("0.25"), output=usd("15.00"))
    >>> request_cost(openai_usage(17_903, 17_817, 500), (rates,)).usd.normalize()
    Decimal('0.01216925')
    """
    rates = tier_for(tiers, usage.input_tokens)
    if rates is None:
        return RequestCost(None, missing=("all",))
    used = [part for part in billed_components(usage, rates) if part[1]]
    missing = tuple(name for name, _tokens, rate in used if rate is None)
    if missing:
        return RequestCost(None, rates.context_over_tokens, missing, varying=rates.varying.keys() & frozenset(missing))
    priced = [(tokens, rate) for _name, tokens, rate in used if rate is not None]
    total = sum((tokens * rate.value for tokens, rate in priced), ZERO)
    return RequestCost(total / MTOK, rates.context_over_tokens, sources=tuple(rate for _tokens, rate in priced))


@dataclass(frozen=True, slots=True)
class Quote:
    """One API's price for one request of the scenario, blended over modes; everything else is linear in it."""

    api: ApiModel
    mode: Mode
    request_usd: Decimal | None
    over_tokens: int = 0
    sources: tuple[Sourced[Decimal], ...] = ()
    reasons: tuple[Message, ...] = ()


def _mode_cost(api: ApiModel, mode: Mode, usage: Usage) -> tuple[RequestCost, tuple[Message, ...]]:
    tiers = api.modes.get(mode, ())
    if not tiers:
        code = "mode_not_read" if mode in api.unread else "mode_not_sold"
        return RequestCost(None), (Message(code, {"api": api.code, "mode": mode.value}),)
    cost = request_cost(usage, tiers)
    return cost, tuple(
        Message(
            "component_price_varies" if name in cost.varying else "component_price_missing",
            {"api": api.code, "mode": mode.value, "component": name},
        )
        for name in cost.missing
    )


def _too_long(api: ApiModel, usage: Usage) -> tuple[Message, ...]:
    window = api.context_window_tokens
    if window is None or usage.input_tokens + usage.output_tokens <= window:
        return ()
    return (Message("context_window_exceeded", {"api": api.code, "window_tokens": window}, "input_tokens"),)


def quote(api: ApiModel, usage: Usage, mode: Mode, batch_share_ratio: Decimal = ZERO) -> Quote:
    """The cost of one request in `mode`, with `batch_share_ratio` of the requests at the batch price.

    Modes are mixed only by that share, which the visitor states; a mode that is not sold makes the cost unknown, and
    so does a request that is longer than the model's context window: the vendor would refuse it.
    """
    if refused := _too_long(api, usage):
        return Quote(api, mode, None, reasons=refused)
    if not batch_share_ratio or mode is Mode.BATCH:
        cost, reasons = _mode_cost(api, mode, usage)
        return Quote(api, mode, cost.usd, cost.over_tokens, cost.sources, reasons)
    own, batch = quote(api, usage, mode), quote(api, usage, Mode.BATCH)
    if batch_share_ratio == 1:
        return replace(batch, mode=mode)
    usd = None
    if own.request_usd is not None and batch.request_usd is not None:
        usd = own.request_usd * (1 - batch_share_ratio) + batch.request_usd * batch_share_ratio
    over = max(own.over_tokens, batch.over_tokens)
    return Quote(api, mode, usd, over, (*own.sources, *batch.sources), (*own.reasons, *batch.reasons))


def adjusted(quoted: Quote, token_ratio: Decimal, uplift_ratio: Decimal) -> Quote:
    """`quoted` with what the visitor adds to the list price; a request was counted in the API's own tokens before.

    Both adjustments stand in place of something that nobody published, so that the price is worth an assumption.

    >>> listed = Quote(ApiModel("a", "A", "vendor", {}), Mode.STANDARD, Decimal(15))
    >>> adjusted(listed, Decimal(1), Decimal("0.10")).request_usd
    Decimal('16.50')
    """
    typed = [
        Sourced(value, "", Kind.INPUT, label, replaces=True)
        for value, label, neutral in ((token_ratio, "api_token_ratio", 1), (uplift_ratio, "api_uplift", 0))
        if value != neutral
    ]
    if not typed or quoted.request_usd is None:
        return quoted
    usd = quoted.request_usd * (1 + uplift_ratio) if uplift_ratio else quoted.request_usd
    return replace(quoted, request_usd=usd, sources=(*quoted.sources, *typed))


@dataclass(frozen=True, slots=True)
class Conversion:
    """How dollars become euros and euros become euros with tax; no rate means no euro figure."""

    usd_per_eur: Sourced[Decimal] | None
    vat_ratio: Decimal

    def eur(self, usd: Decimal | None) -> Decimal | None:
        """`usd` in euros, or None where either is unknown."""
        return None if usd is None or self.usd_per_eur is None else usd_to_eur(usd, self.usd_per_eur.value)

    def with_tax(self, eur: Decimal | None) -> Decimal | None:
        """`eur` with VAT, rounded once, or None."""
        return None if eur is None else including_tax(eur, self.vat_ratio)


def month_usd(quoted: Quote, units: Decimal, unit_tokens: Decimal) -> Decimal | None:
    """`units` of traffic, `unit_tokens` of them a request, at the quoted request; multiplied before divided so that
    round figures stay exact."""
    return None if quoted.request_usd is None else quoted.request_usd * units / unit_tokens


def price_with_prompt(
    api: ApiModel,
    mode: Mode,
    batch_share_ratio: Decimal,
    output_tokens: Decimal,
    input_per_output: int,
    conversion: Conversion,
) -> Decimal | None:
    """€ per million output tokens of requests of `output_tokens`, each with so many fresh input tokens an output
    token; None where nothing is output, a rate is unknown, or the request would be refused.

    >>> from calculator.domain.provenance import Kind
    >>> usd = lambda amount: Sourced(Decimal(amount), "USD/Mtok", Kind.LIST_PRICE)
    >>> api = ApiModel("a", "A", "vendor", {Mode.STANDARD: (Rates(input=usd("2.50"), output=usd("15.00")),)})
    >>> parity = Conversion(Sourced(Decimal(1), "USD/EUR", Kind.INPUT), Decimal(0))
    >>> price_with_prompt(api, Mode.STANDARD, ZERO, Decimal(500), 4, parity) == 4 * Decimal("2.50") + 15
    True
    """
    if not output_tokens:
        return None
    usage = Usage(input_tokens=output_tokens * input_per_output, output_tokens=output_tokens)
    quoted = quote(api, usage, mode, batch_share_ratio)
    return api_bill(quoted, output_tokens, output_tokens, output_tokens, conversion).eur_per_mtok


def api_bill(
    quoted: Quote, units: Decimal, unit_tokens: Decimal, served_tokens: Decimal, conversion: Conversion
) -> ApiBill:
    """The month on one API: `units` served, of which `served_tokens` are output tokens."""
    usd = month_usd(quoted, units, unit_tokens)
    eur = conversion.eur(usd)
    rate = (conversion.usd_per_eur,) if conversion.usd_per_eur else ()
    return ApiBill(
        api=quoted.api,
        mode=quoted.mode,
        usd=usd,
        eur=eur,
        eur_ttc=conversion.with_tax(eur),
        eur_per_mtok=None if eur is None or not served_tokens else eur * MTOK / served_tokens,
        usd_per_mtok=None if usd is None or not served_tokens else usd * MTOK / served_tokens,
        tier_over_tokens=quoted.over_tokens,
        trust=weakest((*quoted.sources, *rate)) if usd is not None else None,
        reasons=quoted.reasons,
    )
