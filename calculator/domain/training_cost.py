"""Time, money and energy of a training run, from its tokens and its speed."""

from decimal import Decimal

from calculator.domain.gpubill import billed_hours, rounded_up
from calculator.domain.offers import Basis
from calculator.domain.provenance import Kind, Sourced, weakest
from calculator.domain.training import run_s
from calculator.domain.training_scenario import Amount, Bill, Duration, Range, Rate
from calculator.domain.training_speed import Setup
from calculator.domain.units import HOUR_S, to_decimal

WATT_A_KILOWATT = 1000


def duration(setup: Setup, amount: Amount, rate: Rate) -> Duration:
    """Seconds of the run with the band of its speed (a slow end is a long one), and with the retry allowance."""
    alone = run_s(amount.tokens, rate.total_tok_per_s)
    with_retries = alone * (1 + float(setup.scenario.retry_ratio))
    if rate.band is None:
        return Duration(Range(alone), with_retries)
    slow, fast = rate.band
    value = rate.per_gpu.value
    return Duration(Range(alone, alone * value / fast, alone * value / slow), with_retries)


def chosen_price(setup: Setup) -> Sourced[Decimal] | None:
    """The typed price, or the list price at the chosen basis; None = on request."""
    scenario = setup.scenario
    if scenario.price_eur is not None:
        unit = f"EUR/{scenario.basis.value}"
        return Sourced(scenario.price_eur, unit, Kind.INPUT, "price_eur", replaces=True)
    return setup.facts.sku.prices.get(scenario.basis)


def months_for(paid_h: Decimal, hours_per_month_h: Decimal) -> int:
    """Whole months that hold the hours: a monthly price is paid by the month.

    >>> months_for(Decimal(721), Decimal(720)), months_for(Decimal("0.6"), Decimal(720))
    (2, 1)
    """
    return max(1, int(rounded_up(paid_h / hours_per_month_h)))


def eur_for(setup: Setup, seconds: float, price: Sourced[Decimal]) -> Decimal:
    """What `seconds` of every instance cost: hours to the billing step × price × instances, or whole months.

    The published run, 3 072 000 tokens at 1 350 tok/s and 1.50 €/h by the second: 0.948 €.
    """
    scenario = setup.scenario
    paid_h = billed_hours(to_decimal(seconds) / HOUR_S, scenario.billing_step)
    units = paid_h if scenario.basis is Basis.HOUR else months_for(paid_h, scenario.hours_per_month_h)
    return units * price.value * scenario.instances


def bill(setup: Setup, rate: Rate, took: Duration) -> Bill:
    """The run's bill with retries; € None where the price is unknown."""
    scenario, price = setup.scenario, chosen_price(setup)
    paid_h = billed_hours(to_decimal(took.with_retries_s) / HOUR_S, scenario.billing_step)
    monthly = scenario.basis is Basis.MONTH
    eur = None if price is None else eur_for(setup, took.with_retries_s, price)
    share = took.with_retries_s / took.run_s.value if took.run_s.value else 1.0
    ends = (took.run_s.low, took.run_s.high)
    low, high = (None if price is None or end is None else eur_for(setup, end * share, price) for end in ends)
    return Bill(
        price=price,
        paid_h=paid_h * scenario.instances,
        gpu_h=paid_h * setup.gpu_count,
        months=months_for(paid_h, scenario.hours_per_month_h) if monthly else None,
        eur=eur,
        low_eur=low,
        high_eur=high,
        gross_eur=None if eur is None else eur * (1 + scenario.vat_ratio),
        trust=weakest([rate.per_gpu, *([price] if price else [])]),
    )


def energy_kwh(setup: Setup, took: Duration) -> float | None:
    """Energy of the GPUs at their TDP for the whole run: an upper bound for the cards, without host and cooling.

    None where the data sheet states no power.
    """
    if setup.gpu.tdp_w is None:
        return None
    return setup.gpu.tdp_w / WATT_A_KILOWATT * setup.gpu_count * took.with_retries_s / HOUR_S
