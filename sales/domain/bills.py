"""A provider's usage report as traffic: totals per model and mode, a month of them, and what they cost at list price.

Every line's `usage` already counts as `apibill.Usage` does: the input includes what a cache served or stored, the
output includes reasoning. Which of a provider's own columns do so is for the readers to know.
"""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal

from calculator.domain.apibill import ZERO, RequestCost, Usage, request_cost, tier_for
from calculator.domain.offers import Mode, Rates

DAY_H = 24


@dataclass(frozen=True, slots=True)
class UsageLine:
    """One line of a report. `end` is the first day that it no longer covers; None where the line has no date.

    `over_tokens` above 0 = the provider says that its requests are longer than that. `amount` in `currency`, None
    where the report holds none. `requests` None = not said.
    """

    model: str
    mode: Mode
    usage: Usage
    start: dt.date | None = None
    end: dt.date | None = None
    requests: int | None = None
    amount: Decimal | None = None
    currency: str = ""
    over_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Traffic:
    """What one model took in one mode over the whole report; None where any of its lines does not say it."""

    model: str
    mode: Mode
    over_tokens: int
    usage: Usage
    requests: int | None
    amount: Decimal | None
    currency: str


@dataclass(frozen=True, slots=True)
class Period:
    """The days that a report covers; `start` and `end` (exclusive) None where only their number is known."""

    days: Decimal
    start: dt.date | None = None
    end: dt.date | None = None


@dataclass(frozen=True, slots=True)
class Month:
    """All traffic of a report as one month of like requests. Ratios as the economics scenario has them.

    `request_input_tokens` and `request_output_tokens` are means, or follow from an assumed response where the report
    counts no requests (`has_requests` False). `write_1h` = most of what was written to a cache was for an hour.
    """

    output_tokens: Decimal
    input_tokens: Decimal
    requests: Decimal
    request_input_tokens: Decimal
    request_output_tokens: Decimal
    hit_ratio: Decimal
    write_ratio: Decimal
    batch_ratio: Decimal
    write_1h: bool
    has_requests: bool


def summed(usages: Iterable[Usage]) -> Usage:
    """The tokens of several usages together.

    >>> one = Usage(input_tokens=Decimal(5), cache_read_tokens=Decimal(2), output_tokens=Decimal(1))
    >>> summed((one, one)).input_tokens
    Decimal('10')
    """
    total = Usage()
    for usage in usages:
        total = Usage(
            total.input_tokens + usage.input_tokens,
            total.cache_read_tokens + usage.cache_read_tokens,
            total.cache_write_5m_tokens + usage.cache_write_5m_tokens,
            total.cache_write_1h_tokens + usage.cache_write_1h_tokens,
            total.output_tokens + usage.output_tokens,
        )
    return total


def tokens_of(usage: Usage) -> Decimal:
    """Input and output together."""
    return usage.input_tokens + usage.output_tokens


def gathered(lines: Iterable[UsageLine]) -> tuple[Traffic, ...]:
    """Totals per model, mode and context band, the largest first; lines without tokens and amount say nothing here."""
    by_kind: dict[tuple[str, Mode, int, str], list[UsageLine]] = {}
    for line in lines:
        if tokens_of(line.usage) or line.amount:
            by_kind.setdefault((line.model, line.mode, line.over_tokens, line.currency), []).append(line)
    found = [_total(key, group) for key, group in by_kind.items()]
    return tuple(sorted(found, key=lambda each: (-tokens_of(each.usage), each.model, each.mode)))


def _total(key: tuple[str, Mode, int, str], lines: list[UsageLine]) -> Traffic:
    model, mode, over, currency = key
    requests = [line.requests for line in lines]
    amounts = [line.amount for line in lines]
    return Traffic(
        model=model,
        mode=mode,
        over_tokens=over,
        usage=summed(line.usage for line in lines),
        requests=None if None in requests else sum(number for number in requests if number is not None),
        amount=None if None in amounts else sum((held for held in amounts if held is not None), ZERO),
        currency=currency,
    )


def covered(lines: Iterable[UsageLine], stated_days: Decimal | None = None) -> Period | None:
    """From the first day of any line to the last one, days without traffic included; a stated number of days counts
    before that. None where neither says it.

    >>> day = UsageLine("m", Mode.STANDARD, Usage(), dt.date(2026, 11, 1), dt.date(2026, 11, 2))
    >>> covered([day, replace(day, start=dt.date(2026, 11, 30), end=dt.date(2026, 12, 1))]).days
    Decimal('30')
    """
    dated = [(line.start, line.end) for line in lines if line.start and line.end]
    start, end = min((one for one, _two in dated), default=None), max((two for _one, two in dated), default=None)
    if stated_days is not None:
        return Period(stated_days, start, end)
    return Period(Decimal((end - start).days), start, end) if start and end and end > start else None


def month(traffic: Iterable[Traffic], days: Decimal, hours_per_month_h: Decimal, response_tokens: Decimal) -> Month:
    """The traffic × (month ÷ days covered), a month having `hours_per_month_h` ÷ 24 days.

    `response_tokens` is the assumed length of a response where requests are not counted. Raises ValueError without any
    output token: the calculators price a month by what is answered.
    """
    held = tuple(traffic)
    total = summed(each.usage for each in held)
    if not total.output_tokens:
        raise ValueError("no output tokens")
    counted = all(each.requests for each in held)
    requests = Decimal(sum(each.requests or 0 for each in held)) if counted else total.output_tokens / response_tokens
    written = total.cache_write_5m_tokens + total.cache_write_1h_tokens
    computed = total.input_tokens - total.cache_read_tokens
    batch = summed(each.usage for each in held if each.mode is Mode.BATCH)
    return Month(
        output_tokens=total.output_tokens * hours_per_month_h / (DAY_H * days),
        input_tokens=total.input_tokens * hours_per_month_h / (DAY_H * days),
        requests=requests * hours_per_month_h / (DAY_H * days),
        request_input_tokens=total.input_tokens / requests,
        request_output_tokens=total.output_tokens / requests,
        hit_ratio=total.cache_read_tokens / total.input_tokens if total.input_tokens else ZERO,
        write_ratio=written / computed if computed else ZERO,
        batch_ratio=tokens_of(batch) / tokens_of(total),
        write_1h=total.cache_write_1h_tokens > total.cache_write_5m_tokens,
        has_requests=counted,
    )


def list_cost(traffic: Traffic, tiers: tuple[Rates, ...]) -> RequestCost:
    """What the traffic costs at these rates, as many like requests: the tier is that of the mean request, or of the
    context band that the provider states; without either the base rates.

    >>> from calculator.domain.provenance import Kind, Sourced
    >>> usd = lambda amount: Sourced(Decimal(amount), "USD/Mtok", Kind.LIST_PRICE)
    >>> rates = Rates(input=usd("2.50"), cache_read=usd("0.25"), output=usd("15.00"))
    >>> usage = Usage(Decimal(262_960), Decimal(257_955), output_tokens=Decimal(1_744))
    >>> list_cost(Traffic("gpt-5.4", Mode.STANDARD, 0, usage, 1, None, ""), (rates,)).usd
    Decimal('0.10316125')
    """
    longest = Decimal(traffic.over_tokens + 1) if traffic.over_tokens else ZERO
    if not longest and traffic.requests:
        longest = traffic.usage.input_tokens / traffic.requests
    rates = tier_for(tiers, longest)
    if rates is None:
        return RequestCost(None, missing=("all",))
    cost = request_cost(traffic.usage, (replace(rates, context_over_tokens=0),))
    return replace(cost, over_tokens=rates.context_over_tokens)
