"""The arithmetic of a quote: prices rounded before they are counted, totals that add up, margins, who is asked."""

import doctest
from dataclasses import replace
from decimal import Decimal

import pytest

from calculator.domain.offers import Basis
from calculator.domain.provenance import Kind, Sourced
from sales.domain import quoting
from sales.domain.quoting import Period, Rental


def rented(price: str = "830.64", amount: str = "2491.92", **values: object) -> Rental:
    """Three GPU-PRO by the month."""
    sourced = Sourced(Decimal(price), "EUR/month", Kind.LIST_PRICE, "sku_price_month")
    defaults = {
        "sku": "GPU-PRO",
        "unit": Basis.MONTH,
        "period": Period.MONTH,
        "count": 3,
        "quantity": Decimal(3),
        "price": sourced,
        "amount_eur": Decimal(amount),
    }
    return Rental(**{**defaults, **values})  # type: ignore[arg-type]


def test_the_examples_in_the_module_hold() -> None:
    found = doctest.testmod(quoting)
    assert found.attempted >= 5 and found.failed == 0


def test_cents_that_rounding_leaves_over_go_to_the_rental() -> None:
    """100.004 + 0.004 + 0.004 = 100.012 → 100.01, while the parts alone would round to 100.00."""
    sold = rented(amount="100.004", extras=(("storage", Decimal("0.004")), ("network", Decimal("0.004"))))
    found = quoting.lines(sold, None)
    assert [line.amount_eur for line in found] == [Decimal("100.01"), Decimal("0.00"), Decimal("0.00")]
    assert (
        sum(line.amount_eur for line in found) == quoting.totals(sold.total_eur or Decimal(), Decimal("0.2")).total_eur
    )


@pytest.mark.parametrize("missing", ["price", "quantity", "count", "amount_eur"])
def test_a_rental_of_which_something_is_unknown_has_no_line(missing: str) -> None:
    assert quoting.lines(replace(rented(), **{missing: None}), None) == ()  # type: ignore[arg-type]


def test_a_line_carries_the_badge_of_a_list_price_and_none_where_another_was_agreed() -> None:
    assert quoting.lines(rented(), None)[0].trust == "list_price"
    agreed = quoting.lines(rented("700"), rented())[0]
    assert (agreed.trust, agreed.list_eur, agreed.unit_eur) == ("", Decimal("830.64"), Decimal(700))


@pytest.mark.parametrize(
    ("total", "vat", "expected"),
    [
        ("830.64", "0.2", ("830.64", "166.13", "996.77")),
        ("0.8546", "0.2", ("0.85", "0.17", "1.02")),
        ("100.005", "0", ("100.01", "0.00", "100.01")),
        ("100", "0.055", ("100.00", "5.50", "105.50")),
    ],
)
def test_vat_is_that_of_the_net_total_in_cents(total: str, vat: str, expected: tuple[str, str, str]) -> None:
    found = quoting.totals(Decimal(total), Decimal(vat))
    assert (found.total_eur, found.vat_eur, found.total_ttc_eur) == tuple(map(Decimal, expected))


@pytest.mark.parametrize(
    ("price", "listed", "margin", "asked"),
    [
        ("830.64", "830.64", "0.20", False),
        ("830.64", "830.64", "0.19", True),
        ("400", "830.64", "0.20", False),
        ("830.64", "830.64", None, False),
        ("830.63", "830.64", None, True),
        ("900", None, None, True),
        ("900", "830.64", None, False),
    ],
)
def test_a_second_person_is_asked_below_the_floor_or_below_the_list_where_the_cost_is_unknown(
    price: str, listed: str | None, margin: str | None, asked: bool
) -> None:
    found = quoting.is_below(
        Decimal(price), Decimal(listed) if listed else None, Decimal(margin) if margin else None, Decimal("0.20")
    )
    assert found is asked


def test_a_price_below_cost_has_a_negative_margin() -> None:
    assert quoting.margin_ratio(Decimal("0.80"), Decimal("1.00")) == Decimal("-0.25")
