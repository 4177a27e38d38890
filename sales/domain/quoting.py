"""What of an estimate is sold, at which price, and with which margin. Money is EUR without VAT unless named TTC.

The estimate is the only source of amounts: a price of the seller's own becomes part of the scenario and is estimated
again, so that bill, totals and verdict always belong together.
"""

import enum
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from calculator.domain.offers import Basis
from calculator.domain.parallel_scenario import ParallelismEstimate
from calculator.domain.provenance import Kind, Sourced
from calculator.domain.scenario import EconomicsEstimate
from calculator.domain.serving_answer import InferenceEstimate
from calculator.domain.tokens_scenario import TokensEstimate
from calculator.domain.training_scenario import TrainingEstimate
from calculator.domain.units import half_up

CENT_DECIMALS, HOUR_DECIMALS, LINE_DECIMALS = 2, 4, 6


class Period(enum.StrEnum):
    """What the total pays for: a month, again and again, or one piece of work."""

    MONTH = "month"
    JOB = "job"


@dataclass(frozen=True, slots=True)
class Rental:
    """The machines that an estimate bills.

    `price` is that of one instance for one `unit`, `quantity` counts units over all `count` instances, `amount_eur` is
    the estimate's own bill. None = not known. `extras` are costs that the visitor added, by name.
    """

    sku: str
    unit: Basis
    period: Period
    count: int | None
    quantity: Decimal | None
    price: Sourced[Decimal] | None
    amount_eur: Decimal | None
    trust: Kind | None = None
    extras: tuple[tuple[str, Decimal], ...] = ()

    @property
    def total_eur(self) -> Decimal | None:
        """Rental and extra costs together, unrounded."""
        return (
            None if self.amount_eur is None else self.amount_eur + sum((eur for _name, eur in self.extras), Decimal())
        )


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a quote, rounded as it is printed: `unit_eur` to six decimals at most, the amount to the cent."""

    kind: str
    sku: str
    unit: str
    count: int
    quantity: Decimal
    list_eur: Decimal | None
    unit_eur: Decimal
    amount_eur: Decimal
    trust: str = ""


@dataclass(frozen=True, slots=True)
class Totals:
    """The foot of a quote: the net total is due in cents; the tax on it is rounded once, the gross is their sum."""

    total_eur: Decimal
    vat_eur: Decimal
    total_ttc_eur: Decimal


def rental(estimate: Any) -> Rental | None:
    """What an estimate rents; None where it names nothing that is for sale."""
    match estimate:
        case EconomicsEstimate():
            return _of_economics(estimate)
        case InferenceEstimate():
            return _of_inference(estimate)
        case TrainingEstimate():
            return _of_training(estimate)
        case ParallelismEstimate():
            return _of_parallelism(estimate)
        case TokensEstimate():
            return _of_tokens(estimate)
    return None


def _of_economics(estimate: EconomicsEstimate) -> Rental:
    bill, scenario = estimate.gpu, estimate.scenario
    sets = bill.sku.set_of
    count = None if bill.instances is None else bill.instances * sets
    hours = None if bill.paid_h is None else bill.paid_h * sets
    months = None if count is None else Decimal(count)
    extras = (
        ("operations", scenario.operations_eur_per_month),
        ("storage", scenario.storage_eur_per_month),
        ("network", scenario.network_eur_per_month),
    )
    return Rental(
        sku=bill.sku.code,
        unit=bill.basis,
        period=Period.MONTH,
        count=count,
        quantity=hours if bill.basis is Basis.HOUR else months,
        price=None if bill.price is None else replace(bill.price, value=bill.price.value / sets),
        amount_eur=bill.bill_eur,
        trust=bill.trust,
        extras=tuple((name, eur) for name, eur in extras if eur),
    )


def _of_inference(estimate: InferenceEstimate) -> Rental:
    scenario, cost = estimate.scenario, estimate.cost
    if cost is None:
        return Rental(scenario.sku, scenario.basis, Period.MONTH, None, None, None, None)
    count = cost.sets * scenario.instances
    units = scenario.hours_per_month_h if cost.basis is Basis.HOUR else Decimal(1)
    return Rental(
        sku=scenario.sku,
        unit=cost.basis,
        period=Period.MONTH,
        count=count,
        quantity=count * units,
        price=cost.price,
        amount_eur=cost.bill_eur,
        trust=estimate.trust,
    )


def _of_training(estimate: TrainingEstimate) -> Rental:
    scenario, bill = estimate.scenario, estimate.bill
    if bill is None:
        return Rental(estimate.sku.code, scenario.basis, Period.JOB, None, None, None, None)
    months = None if bill.months is None else Decimal(bill.months * scenario.instances)
    return Rental(
        sku=estimate.sku.code,
        unit=scenario.basis,
        period=Period.JOB,
        count=scenario.instances,
        quantity=bill.paid_h if scenario.basis is Basis.HOUR else months,
        price=bill.price,
        amount_eur=bill.eur,
        trust=bill.trust,
    )


def _of_parallelism(estimate: ParallelismEstimate) -> Rental | None:
    if estimate.sku is None:
        return None
    point = estimate.chosen
    count, amount = (None, None) if point is None else (point.instances, point.eur)
    return _job(estimate.sku.code, count, estimate.price, amount, estimate.trust)


def _of_tokens(estimate: TokensEstimate) -> Rental:
    reading = estimate.gpu
    return _job(reading.offer.sku.code, reading.instances, reading.price, reading.eur, estimate.trust)


def _job(
    sku: str, count: int | None, price: Sourced[Decimal] | None, amount: Decimal | None, trust: Kind | None
) -> Rental:
    """Work paid by the hour: the hours are what the bill paid for."""
    quantity = None if price is None or amount is None else amount / price.value
    return Rental(sku, Basis.HOUR, Period.JOB, count, quantity, price, amount, trust)


def agreed_price(base_eur: Decimal, discount_ratio: Decimal, unit: Basis) -> Decimal:
    """The price of one instance a unit after the discount, rounded half-up as it is written: months to the cent,
    hours to four decimals.

    >>> agreed_price(Decimal("830.64"), Decimal("0.1"), Basis.MONTH), agreed_price(Decimal("1.50"), Decimal("0.1"),
    ... Basis.HOUR)
    (Decimal('747.58'), Decimal('1.3500'))
    """
    return half_up(base_eur * (1 - discount_ratio), HOUR_DECIMALS if unit is Basis.HOUR else CENT_DECIMALS)


def totals(total_eur: Decimal, vat_ratio: Decimal) -> Totals:
    """Net, tax and gross of an unrounded total.

    Three GPU-PRO by the month; and 0.8546 €, of which 0.85 € can be paid and taxed:

    >>> totals(Decimal("2491.92"), Decimal("0.20")).total_ttc_eur
    Decimal('2990.30')
    >>> totals(Decimal("0.8546"), Decimal("0.20")).vat_eur
    Decimal('0.17')
    """
    net = half_up(total_eur, CENT_DECIMALS)
    vat = half_up(net * vat_ratio, CENT_DECIMALS)
    return Totals(net, vat, net + vat)


def lines(sold: Rental, listed: Rental | None) -> tuple[Line, ...]:
    """The lines of a rental whose every number is known; cents that rounding leaves over go to the rental.

    `listed` is the same at the catalogue's price, None where that is the price.
    """
    if sold.price is None or sold.quantity is None or sold.total_eur is None or sold.count is None:
        return ()
    extras = [(name, half_up(eur, CENT_DECIMALS)) for name, eur in sold.extras]
    amount = half_up(sold.total_eur, CENT_DECIMALS) - sum((eur for _name, eur in extras), Decimal())
    before = None if listed is None or listed.price is None else half_up(listed.price.value, LINE_DECIMALS)
    rented = Line(
        kind="rental",
        sku=sold.sku,
        unit=sold.unit.value,
        count=sold.count,
        quantity=half_up(sold.quantity, LINE_DECIMALS),
        list_eur=before,
        unit_eur=half_up(sold.price.value, LINE_DECIMALS),
        amount_eur=amount,
        trust=sold.price.shown_kind.value if listed is None else "",
    )
    return (rented, *(_extra(name, eur) for name, eur in extras))


def _extra(name: str, eur: Decimal) -> Line:
    return Line(name, "", Basis.MONTH.value, 1, Decimal(1), None, eur, eur, Kind.INPUT.value)


def margin_ratio(price_eur: Decimal, cost_eur: Decimal) -> Decimal:
    """Share of the price that is left above the cost of the same unit; negative below cost.

    >>> margin_ratio(Decimal("1.50"), Decimal("1.20"))
    Decimal('0.2')
    """
    return (price_eur - cost_eur) / price_eur


def unit_cost(cost_eur_per_h: Decimal, unit: Basis, hours_per_month_h: Decimal) -> Decimal:
    """What one unit costs the seller: an hour, or all the hours of a month.

    >>> unit_cost(Decimal("0.90"), Basis.MONTH, Decimal(720))
    Decimal('648.00')
    """
    return cost_eur_per_h * hours_per_month_h if unit is Basis.MONTH else cost_eur_per_h


def is_below(price_eur: Decimal, list_eur: Decimal | None, margin: Decimal | None, floor: Decimal) -> bool:
    """Whether a price needs a second person: under the floor; with an unknown cost, whatever is under the list price
    or has none, since nobody can then say that the floor is held."""
    if margin is not None:
        return margin < floor
    return list_eur is None or price_eur < list_eur


def prices(estimate: Any) -> Iterator[tuple[str, Sourced[Decimal]]]:
    """Every catalogue price that enters the quote, by the code of what it is for: the rental's, and those of the APIs
    that it is compared with. What somebody typed has no date to grow old."""
    sold = rental(estimate)
    if sold is not None and sold.price is not None:
        yield sold.sku, sold.price
    if isinstance(estimate, EconomicsEstimate):
        for row in estimate.comparisons:
            for tier in row.bill.api.modes.get(row.bill.mode, ()):
                for price in (tier.input, tier.cache_read, tier.cache_write_5m, tier.cache_write_1h, tier.output):
                    if price is not None:
                        yield row.bill.api.code, price


def uses_test_figures(estimate: Any) -> bool:
    """Whether an economics estimate rests on a test host or on a test model, whose figures are never sold."""
    if not isinstance(estimate, EconomicsEstimate):
        return False
    rate = estimate.gpu.throughput
    return estimate.gpu.sku.is_test_host or (rate is not None and rate.test_model)
