"""Which input decides: each one moved alone over its own stated range, and what that does to the gap.

The ranges are inputs of the outlook, shown beside each bar. Every end is a whole economics answer of the changed
scenario, so whole GPUs stay whole: an input that buys no further GPU moves nothing.
"""

import enum
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal

from calculator.domain.provenance import Kind, Sourced, is_default
from calculator.domain.units import to_decimal
from sales.domain.outlook import OutlookFacts, OutlookScenario, Sides, at_volume, sides


class Lever(enum.StrEnum):
    """The inputs that are moved."""

    UTILISATION = "utilisation"
    VOLUME = "volume"
    PRICE = "price"
    RATE = "rate"
    API_PRICE = "api_price"
    FX = "fx"


OF_GPU = (Lever.UTILISATION, Lever.PRICE, Lever.RATE)
"""The levers behind the GPU's cost of a million tokens at one volume."""


@dataclass(frozen=True, slots=True)
class Span:
    """The range of one lever: both ends as sourced inputs, in the lever's own unit."""

    low: Sourced[Decimal]
    high: Sourced[Decimal]


@dataclass(frozen=True, slots=True)
class End:
    """One end of a lever: its value, and the month there. Gap = GPU − API, negative where the GPU wins."""

    value: Decimal
    gap_eur: Decimal | None
    gpu_eur_per_mtok: Decimal | None
    api_eur_per_mtok: Decimal | None
    instances: int | None


@dataclass(frozen=True, slots=True)
class Bar:
    """One lever with both ends; None ends where its range or today's value is not known."""

    lever: Lever
    now: Decimal | None
    span: Span | None
    low: End | None
    high: End | None

    @property
    def width_eur(self) -> Decimal:
        """How far the gap moves between both ends: what the bars are sorted by."""
        if self.low is None or self.high is None or self.low.gap_eur is None or self.high.gap_eur is None:
            return Decimal(0)
        return abs(self.high.gap_eur - self.low.gap_eur)

    @property
    def flips(self) -> bool:
        """Whether the cheaper side changes within the range."""
        gaps = [end.gap_eur for end in (self.low, self.high) if end is not None and end.gap_eur is not None]
        return len(gaps) > 1 and min(gaps) < 0 < max(gaps)


@dataclass(frozen=True, slots=True)
class Bands:
    """€ per million output tokens between the kindest and the least kind ends of all levers of one side together."""

    gpu_low: Decimal | None
    gpu_high: Decimal | None
    api_low: Decimal | None
    api_high: Decimal | None


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """The bars, the widest first, and the cost of a million tokens as a band."""

    bars: tuple[Bar, ...]
    bands: Bands


def around(value: Decimal, span_ratio: Decimal) -> tuple[Decimal, Decimal]:
    """A value ± its span.

    >>> [str(end.normalize()) for end in around(Decimal("830.64"), Decimal("0.10"))]
    ['747.576', '913.704']
    """
    return value * (1 - span_ratio), value * (1 + span_ratio)


def _ends(scenario: OutlookScenario, attribute: str, ends: tuple[Decimal, Decimal], unit: str) -> Span:
    """A range that the visitor states by ±, or by its own two ends: an assumption either way."""
    kind = Kind.ASSUMPTION if is_default(scenario, attribute) else Kind.INPUT
    low, high = (Sourced(end, unit, kind, attribute) for end in ends)
    return Span(low, high)


def span_of(lever: Lever, both: Sides, facts: OutlookFacts) -> Span | None:
    """The stated range of a lever; None where its value today, or its range, is not known."""
    asked, now = both.scenario, value_of(lever, both)
    if now is None:
        return None
    match lever:
        case Lever.UTILISATION:
            ends = (asked.utilisation_low_ratio, asked.utilisation_high_ratio)
            return _ends(asked, "utilisation_low_ratio", ends, "")
        case Lever.VOLUME:
            return _ends(asked, "volume_span_ratio", around(now, asked.volume_span_ratio), "tok")
        case Lever.PRICE:
            return _ends(asked, "price_span_ratio", around(now, asked.price_span_ratio), "EUR")
        case Lever.API_PRICE:
            return _ends(asked, "api_span_ratio", around(now, asked.api_span_ratio), "USD/Mtok")
        case Lever.RATE:
            return _rate_span(now, asked, facts)
    return _fx_span(asked, facts)


def _rate_span(now: Decimal, asked: OutlookScenario, facts: OutlookFacts) -> Span | None:
    """The typed factors, or those of the band of our own estimates."""
    band = facts.rate_band
    low = asked.rate_low_ratio or (to_decimal(band.low_ratio) if band else None)
    high = asked.rate_high_ratio or (to_decimal(band.high_ratio) if band else None)
    if low is None or high is None:
        return None
    kinds = [Kind.INPUT if typed else Kind.ESTIMATE for typed in (asked.rate_low_ratio, asked.rate_high_ratio)]
    return Span(
        Sourced(now * low, "tok/s", kinds[0], "rate_band"),
        Sourced(now * high, "tok/s", kinds[1], "rate_band"),
    )


def _fx_span(asked: OutlookScenario, facts: OutlookFacts) -> Span | None:
    """The typed rates, or the lowest and highest reference rates of ten years."""
    typed = [
        None if value is None else Sourced(value, "USD/EUR", Kind.INPUT, "usd_per_eur", replaces=True)
        for value in (asked.usd_per_eur_low, asked.usd_per_eur_high)
    ]
    low = typed[0] or (facts.fx.low if facts.fx else None)
    high = typed[1] or (facts.fx.high if facts.fx else None)
    return Span(low, high) if low and high else None


def value_of(lever: Lever, both: Sides) -> Decimal | None:
    """What the lever is now."""
    terms, bill = both.inputs.terms, both.gpu
    match lever:
        case Lever.UTILISATION:
            return terms.utilisation.value
        case Lever.VOLUME:
            return terms.month.volume_tokens or None
        case Lever.PRICE:
            return None if bill.price is None else bill.price.value / bill.sku.set_of
        case Lever.RATE:
            found = bill.throughput
            per = bill.sku.gpu_count if found is not None and found.scope.value == "instance" else 1
            return None if found is None else to_decimal(found.output_tok_per_s.value) / per
        case Lever.API_PRICE:
            return both.api.bill.usd_per_mtok if both.api else None
    rate = terms.conversion.usd_per_eur
    return rate.value if rate else None


def _set_api_price(both: Sides, value: Decimal) -> OutlookScenario:
    now, asked = value_of(Lever.API_PRICE, both), both.scenario
    return replace(asked, api_uplift_ratio=(1 + asked.api_uplift_ratio) * value / now - 1) if now else asked


SETTERS: dict[Lever, Callable[[Sides, Decimal], OutlookScenario]] = {
    Lever.UTILISATION: lambda both, value: replace(both.scenario, utilisation_ratio=value),
    Lever.VOLUME: lambda both, value: at_volume(both.scenario, value),
    Lever.PRICE: lambda both, value: replace(both.scenario, price_eur=value),
    Lever.RATE: lambda both, value: replace(both.scenario, rate_tok_per_s=value),
    Lever.API_PRICE: _set_api_price,
    Lever.FX: lambda both, value: replace(both.scenario, usd_per_eur=value),
}
"""The scenario with one lever at another value."""


def _end(lever: Lever, both: Sides, value: Decimal, facts: OutlookFacts) -> End:
    moved = sides(SETTERS[lever](both, value), facts.prices)
    api = moved.api.bill.eur_per_mtok if moved.api else None
    return End(value, moved.gap_eur, moved.gpu.eur_per_mtok, api, moved.gpu.instances)


def bar(lever: Lever, both: Sides, facts: OutlookFacts) -> Bar:
    """One lever moved to both ends of its range, all else as it is."""
    now, span = value_of(lever, both), span_of(lever, both, facts)
    if span is None:
        return Bar(lever, now, None, None, None)
    low, high = (_end(lever, both, end.value, facts) for end in (span.low, span.high))
    return Bar(lever, now, span, low, high)


def _together(both: Sides, bars: dict[Lever, Bar], facts: OutlookFacts, *, kind: bool) -> Decimal | None:
    """The GPU's € per million with all of its levers at their kinder, or less kind, ends."""
    asked = both.scenario
    for lever in OF_GPU:
        span = bars[lever].span
        if span is None:
            continue
        # A low price is kind; a low utilisation or a low rate is not.
        end = span.low if kind is (lever is Lever.PRICE) else span.high
        asked = SETTERS[lever](replace(both, scenario=asked), end.value)
    return sides(asked, facts.prices).gpu.eur_per_mtok


def _api_band(bars: dict[Lever, Bar]) -> tuple[Decimal | None, Decimal | None]:
    """Price and exchange rate together: a million costs price ÷ rate."""
    price, rate = bars[Lever.API_PRICE].span, bars[Lever.FX].span
    if price is None or rate is None:
        return None, None
    return price.low.value / rate.high.value, price.high.value / rate.low.value


def sensitivity(both: Sides, facts: OutlookFacts) -> Sensitivity:
    """Every lever, the widest first, and both sides' cost of a million tokens as a band."""
    bars = {lever: bar(lever, both, facts) for lever in Lever}
    kindest, hardest = (_together(both, bars, facts, kind=kind) for kind in (True, False))
    ordered = sorted(bars.values(), key=lambda one: one.width_eur, reverse=True)
    return Sensitivity(tuple(ordered), Bands(kindest, hardest, *_api_band(bars)))
