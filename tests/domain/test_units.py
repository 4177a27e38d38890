"""Units: one door from float to Decimal, prices per million, tax once on the total, half-up."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculator.domain import units


@pytest.mark.parametrize(
    ("amount", "unit"), [("0.000015", "token"), ("0.015", "ktok"), ("15", "mtok"), ("1.5E-05", "token")]
)
def test_p30_price_per_token_per_thousand_and_per_million_are_one_price(amount: str, unit: str) -> None:
    assert units.per_mtok(Decimal(amount), unit) == Decimal("15.00")


def test_p30_fifteen_a_token_is_fifteen_million_a_million() -> None:
    """The conversion shows the absurd figure; refusing it is the price list's guard."""
    assert units.per_mtok(Decimal(15), "token") == 15_000_000


@pytest.mark.parametrize("unit", ["", "Mtok", "request", "tokens"])
def test_p30_an_unknown_unit_is_never_guessed(unit: str) -> None:
    with pytest.raises(ValueError, match="unknown price unit"):
        units.per_mtok(Decimal(15), unit)


def test_p34_small_prices_keep_all_their_digits() -> None:
    assert Decimal("0.0028") * 20_000_000 / units.MTOK == Decimal("0.056")
    assert units.per_mtok(Decimal("0.000000003625"), "token") == Decimal("0.003625")


def test_p43_dollars_are_divided_by_the_rate() -> None:
    assert units.half_up(units.usd_to_eur(Decimal("15.00"), Decimal("1.1172"))) == Decimal("13.43")


def test_p47_euros_and_dollars_are_added_in_euros_only() -> None:
    sum_eur = Decimal("830.64") + units.usd_to_eur(Decimal(750), Decimal("1.1172"))
    assert units.half_up(sum_eur) == Decimal("1501.96")


@pytest.mark.parametrize(
    ("value", "shown"), [("2953.125", "2953.13"), ("0.125", "0.13"), ("2.675", "2.68"), ("-0.125", "-0.13")]
)
def test_p48_halves_are_rounded_away_from_zero(value: str, shown: str) -> None:
    assert units.half_up(Decimal(value)) == Decimal(shown)


@pytest.mark.parametrize(("net", "vat", "gross"), [("1974.67", "0.23", "2428.84"), ("2491.92", "0.20", "2990.30")])
def test_p49_tax_is_rounded_once_on_the_total(net: str, vat: str, gross: str) -> None:
    """19 × 103.93 at 23 %, 3 × 830.64 at 20 %."""
    assert units.including_tax(Decimal(net), Decimal(vat)) == Decimal(gross)


def test_tax_of_a_huge_total_is_exact() -> None:
    assert units.including_tax(Decimal("1e30") + Decimal("0.01"), Decimal("0.20")) == Decimal("1.2e30") + Decimal(
        "0.01"
    )


def test_a_float_crosses_with_the_digits_it_prints() -> None:
    assert units.to_decimal(0.1) == Decimal("0.1")
    assert units.to_decimal(64) == 64
    assert units.to_decimal(Decimal("1.50")).as_tuple().exponent == -2


@given(st.floats(min_value=1e-9, max_value=1e9))
def test_a_float_comes_back_unchanged(value: float) -> None:
    assert float(units.to_decimal(value)) == value


def test_storage_has_two_multiples_only() -> None:
    assert (units.GB, units.GIB) == (1_000_000_000, 1_073_741_824)
