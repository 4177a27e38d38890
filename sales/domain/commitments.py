"""Ways to rent the same card for the same work: hours used, hours always on, by the month, by the month for a year.

Only prices that exist are used: the catalogue's, or the visitor's own. A longer commitment buys hours in which the card
may stand idle, so the idle share is what decides.
"""

import enum
from dataclasses import dataclass, replace
from decimal import Decimal

from calculator.domain.economics import typed
from calculator.domain.offers import Basis
from calculator.domain.provenance import Sourced
from calculator.domain.scenario import Rental
from calculator.domain.units import MONTHS_A_YEAR
from sales.domain.outlook import OutlookFacts, OutlookScenario, Sides, sides


class Term(enum.StrEnum):
    """The ways to rent, from the loosest to the firmest."""

    HOURS_USED = "hours_used"
    HOURS_ON = "hours_on"
    MONTH = "month"
    YEAR = "year"


@dataclass(frozen=True, slots=True)
class Commitment:
    """One way: its price of an instance (None = on request), the month, the idle share of the paid hours."""

    term: Term
    price: Sourced[Decimal] | None
    total_eur: Decimal | None
    eur_per_mtok: Decimal | None
    paid_h: Decimal | None
    idle_ratio: Decimal | None
    is_cheapest: bool = False


@dataclass(frozen=True, slots=True)
class Commitments:
    """The ways side by side; hours of one instance from which the month beats the hour, and months after which a year
    that is paid in full beats paying by the month."""

    ways: tuple[Commitment, ...]
    month_from_h: Decimal | None
    month_from_ratio: Decimal | None
    year_from_months: Decimal | None
    works_ratio: Decimal | None


def hours_that_pay(month_eur: Decimal, hour_eur: Decimal) -> Decimal:
    """Hours used a month from which the monthly price costs less: month ÷ hour.

    >>> hours_that_pay(Decimal("830.64"), Decimal("1.50"))
    Decimal('553.76')
    """
    return month_eur / hour_eur


def months_that_pay(year_eur_per_month: Decimal, month_eur: Decimal) -> Decimal:
    """Months used after which a year's commitment, paid to its end, costs less than paying month by month.

    >>> months_that_pay(Decimal("692.20"), Decimal("830.64"))
    Decimal('10')
    """
    return year_eur_per_month * MONTHS_A_YEAR / month_eur


def price_of(term: Term, scenario: OutlookScenario, facts: OutlookFacts) -> Sourced[Decimal] | None:
    """The price of one instance that is known for a way to rent: typed for it, or the list's; None = on request."""
    basis = Basis.HOUR if term in (Term.HOURS_USED, Term.HOURS_ON) else Basis.MONTH
    if term is Term.YEAR:
        own, label = scenario.year_eur_per_month, "year_eur_per_month"
    else:
        own, label = (scenario.hour_eur, "hour_eur") if basis is Basis.HOUR else (scenario.month_eur, "month_eur")
    if own is None and scenario.basis is basis and term is not Term.YEAR:
        own, label = scenario.price_eur, "price_eur"
    if own is not None:
        return typed(own, f"EUR/{basis.value}", label)
    return None if term is Term.YEAR else facts.prices.sku.prices.get(basis)


def _rented(term: Term, scenario: OutlookScenario, price: Decimal) -> OutlookScenario:
    hourly = term in (Term.HOURS_USED, Term.HOURS_ON)
    return replace(
        scenario,
        basis=Basis.HOUR if hourly else Basis.MONTH,
        rental=Rental.HOURS_USED if term is Term.HOURS_USED else Rental.ALWAYS_ON,
        price_eur=price,
    )


def _way(term: Term, scenario: OutlookScenario, facts: OutlookFacts) -> Commitment:
    price = price_of(term, scenario, facts)
    if price is None:
        return Commitment(term, None, None, None, None, None)
    bill = sides(_rented(term, scenario, price.value), facts.prices).gpu
    used = bill.implied_utilisation_ratio
    idle = None if used is None else 1 - used
    return Commitment(term, price, bill.total_eur, bill.eur_per_mtok, bill.paid_h, idle)


def commitments(both: Sides, facts: OutlookFacts) -> Commitments:
    """Every way to rent for this month's work."""
    scenario = both.scenario
    found = [_way(term, scenario, facts) for term in Term]
    known = [way.total_eur for way in found if way.total_eur is not None]
    least = min(known) if len(known) > 1 else None
    ways = tuple(replace(way, is_cheapest=least is not None and way.total_eur == least) for way in found)
    hour, month, year = (price_of(term, scenario, facts) for term in (Term.HOURS_ON, Term.MONTH, Term.YEAR))
    from_h = hours_that_pay(month.value, hour.value) if hour and month else None
    return Commitments(
        ways=ways,
        month_from_h=from_h,
        month_from_ratio=None if from_h is None else from_h / scenario.hours_per_month_h,
        year_from_months=months_that_pay(year.value, month.value) if year and month else None,
        works_ratio=_works(both, facts),
    )


def _works(both: Sides, facts: OutlookFacts) -> Decimal | None:
    """Share of a whole month that the rented cards would work, were they always on."""
    always = replace(both.scenario, rental=Rental.ALWAYS_ON)
    return sides(always, facts.prices).gpu.implied_utilisation_ratio
