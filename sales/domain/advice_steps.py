"""The advisor's own formulas with the customer's numbers; every other figure is explained on its calculator's page."""

from collections.abc import Iterator
from decimal import Decimal

from calculator.domain.provenance import Kind, Sourced, Step, Term, derived, with_defaults
from sales.domain.need import (
    HOURS_A_MONTH,
    LoadBy,
    Need,
    output_tokens,
    peak_per_s,
    peak_ratio,
    requests_a_month,
    utilisation_ceiling,
    volume_tokens,
)
from sales.domain.options import Option, Way
from sales.domain.week import DAYS_A_WEEK, HOURS_A_DAY, active_days, peak_factor

INPUTS_BEHIND = {
    "u": ("users_count",),
    "q": ("daily_requests",),
    "V": ("volume_tokens",),
    "o": ("use", "unit", "output_length"),
}
"""The customer's inputs behind the terms, by symbol."""


def stated(symbol: str, value: Decimal | int, unit: str) -> Term:
    """What the customer said."""
    return Term(symbol, Sourced(Decimal(value), unit, Kind.INPUT, symbol))


def assumed(symbol: str, value: Decimal, unit: str = "ratio") -> Term:
    """What we assume of him."""
    return Term(symbol, Sourced(value, unit, Kind.ASSUMPTION, symbol))


def factor(need: Need) -> Decimal:
    """Busiest ÷ mean hour."""
    found = peak_factor(need.shape)
    return Decimal(found.numerator) / found.denominator


def month_days(need: Need) -> Decimal:
    """Days of the month on which anything is asked."""
    return HOURS_A_MONTH / HOURS_A_DAY * active_days(need.shape) / DAYS_A_WEEK


def requests_term(need: Need, steps: tuple[Step, ...]) -> Term:
    """Requests of a month as a term of the next formula."""
    inputs = [term.source for step in steps for term in step.terms]
    requests = requests_a_month(need) or Decimal(0)
    return Term("R", derived(requests, "request", "R", [item for item in inputs if isinstance(item.value, Decimal)]))


def request_steps(need: Need) -> Iterator[Step]:
    """R = u × q × j, or R = V ÷ o; none where requests are stated."""
    requests = requests_a_month(need)
    if requests is None:
        return
    if need.load is LoadBy.USERS and need.users_count and need.daily_requests:
        terms = (stated("u", need.users_count, ""), stated("q", need.daily_requests, "ratio"))
        yield Step("advice_people", (*terms, assumed("j", month_days(need))), requests, "request")
    elif need.load is LoadBy.TOKENS and need.volume_tokens:
        terms = (stated("V", need.volume_tokens, "tok"), stated("o", output_tokens(need), "tok"))
        yield Step("advice_requests", terms, requests, "request")


def load_steps(need: Need) -> Iterator[Step]:
    """Requests, the busiest hour, and the utilisation that it leaves."""
    peak = peak_per_s(need)
    if peak is None:
        return
    first = tuple(request_steps(need))
    yield from first
    share = assumed("k", factor(need))
    hours = assumed("H", HOURS_A_MONTH, "h")
    yield Step("advice_peak", (requests_term(need, first), hours, share), peak, "req/s")
    yield Step("advice_ceiling", (assumed("c", peak_ratio(need), ""), share), utilisation_ceiling(need), "")


def hybrid_step(need: Need, option: Option) -> Step | None:
    """M = G + A: what the GPUs cost for the base and the API for the peaks."""
    bill, rest, volume = option.bill, option.api_bill, volume_tokens(need)
    if bill is None or rest is None or bill.total_eur is None or rest.eur is None or not volume:
        return None
    base = Sourced(bill.total_eur, "EUR", bill.trust or Kind.INPUT, "G")
    peaks = Sourced(rest.eur, "EUR", rest.trust or Kind.INPUT, "A")
    return Step("advice_hybrid", (Term("G", base), Term("A", peaks)), bill.total_eur + rest.eur, "EUR")


def steps(need: Need, options: tuple[Option, ...]) -> tuple[Step, ...]:
    """Every formula of the answer that is the advisor's own."""
    mixed = next((option for option in options if option.way is Way.HYBRID), None)
    last = None if mixed is None else hybrid_step(need, mixed)
    return with_defaults((*load_steps(need), *(() if last is None else (last,))), need, INPUTS_BEHIND)
