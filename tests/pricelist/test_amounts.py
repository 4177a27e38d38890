"""Strict numbers: what each text shows of the decimal mark, and what it means in a file of either mark."""

from decimal import Decimal

import pytest

from calculator.pricelist.amounts import (
    NumberError,
    bare,
    both_readings,
    decide,
    decimals,
    evidence,
    number,
    written,
)

COMMA, POINT = ",", "."


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("15", ""),
        ("1234", ""),
        ("1 234", ""),
        ("1,5", COMMA),
        ("1.5", POINT),
        ("1,50", COMMA),
        ("12,3456", COMMA),
        ("1234,567", COMMA),
        ("0,850", COMMA),
        ("0.850", POINT),
        ("1,234", "?"),
        ("12.345", "?"),
        ("999,999", "?"),
        ("1 234,567", COMMA),
        ("1 234.567", POINT),
        ("1.234,5", COMMA),
        ("1,234.5", POINT),
        ("1,234,567", POINT),
        ("1.234.567", COMMA),
        ("1.234.567,8", COMMA),
        ("1,5E-05", COMMA),
        ("1.234E3", POINT),
        ("1E5", ""),
        ("1,234,56", ""),
        ("1,234,567,8", ""),
        ("1,234.567,8", ""),
        ("0 123", ""),
        ("0,123,456", ""),
        ("abc", ""),
        ("", ""),
        ("1,", ""),
        (",5", ""),
        ("１,５", ""),
    ],
)
def test_p06_a_number_shows_the_mark_only_where_it_can_be_read_in_one_way(body: str, shown: str) -> None:
    assert evidence(body) == shown


@pytest.mark.parametrize(
    ("body", "mark", "value"),
    [
        ("15", "", "15"),
        ("1 234", "", "1234"),
        ("1,5", COMMA, "1.5"),
        ("1.5", POINT, "1.5"),
        ("1,234", COMMA, "1.234"),
        ("1,234", POINT, "1234"),
        ("1.234", COMMA, "1234"),
        ("1.234,5", COMMA, "1234.5"),
        ("1,234.5", POINT, "1234.5"),
        ("1,234,567", POINT, "1234567"),
        ("1.234.567,89", COMMA, "1234567.89"),
        ("1 234 567,89", COMMA, "1234567.89"),
        ("1,5E-05", COMMA, "0.000015"),
        ("1.5e+2", POINT, "150"),
        ("007", "", "7"),
        ("0", "", "0"),
        ("0,000", COMMA, "0"),
    ],
)
def test_a_number_means_one_thing_in_a_file_of_one_mark(body: str, mark: str, value: str) -> None:
    assert number(body, mark) == Decimal(value)


@pytest.mark.parametrize(
    ("body", "mark", "code"),
    [
        ("1,50", POINT, "wrong_mark"),
        ("0.85", COMMA, "wrong_mark"),
        ("1.234,5", POINT, "wrong_mark"),
        ("1,234.5", COMMA, "wrong_mark"),
        ("1,234,567", COMMA, "wrong_mark"),
        ("1 234,5", POINT, "wrong_mark"),
        ("0,001", POINT, "wrong_mark"),
        ("12 34,5", COMMA, "not_a_number"),
        ("1,234,56", POINT, "not_a_number"),
        ("1'234.5", POINT, "not_a_number"),
        ("1,,5", COMMA, "not_a_number"),
        ("1,234.567,8", COMMA, "not_a_number"),
        ("1,234.567,8", POINT, "not_a_number"),
        ("1.234,567.8", POINT, "not_a_number"),
        ("0 123", "", "not_a_number"),
        ("0,123,456", POINT, "not_a_number"),
        ("1.2.3", POINT, "not_a_number"),
        (",5", COMMA, "not_a_number"),
        ("5,", COMMA, "not_a_number"),
        ("+5", "", "not_a_number"),
        ("5%", "", "not_a_number"),
        ("0x10", "", "not_a_number"),
        ("1_000", "", "not_a_number"),
        ("１２", "", "not_a_number"),
        ("", "", "not_a_number"),
        ("-1", "", "negative_number"),
        ("\u22121", "", "negative_number"),
        ("-0,00", COMMA, "negative_number"),
        ("(5)", "", "negative_number"),
        ("nan", "", "not_finite"),
        ("Infinity", "", "not_finite"),
        ("-inf", "", "not_finite"),
        ("1E400", "", "out_of_range"),
        ("1E-400", "", "out_of_range"),
        ("9" * 61, "", "too_many_digits"),
    ],
)
def test_p10_anything_else_is_an_error_with_its_reason(body: str, mark: str, code: str) -> None:
    with pytest.raises(NumberError) as error:
        number(body, mark)
    assert error.value.code == code


@pytest.mark.parametrize(
    ("text", "body", "currency"),
    [
        ("1,50 €", "1,50", "EUR"),
        ("1,50\u00a0€", "1,50", "EUR"),
        ("€1.50", "1.50", "EUR"),
        ("EUR 1.50", "1.50", "EUR"),
        ("7,50 $US", "7,50", "USD"),
        ("US$7.50", "7.50", "USD"),
        ("$7.50", "7.50", "USD"),
        ("7.50 USD", "7.50", "USD"),
        ("  1\u202f234,5 ", "1 234,5", ""),
        ("1.5", "1.5", ""),
        ("abc", "abc", ""),
    ],
)
def test_p12_a_sign_beside_the_number_names_its_currency(text: str, body: str, currency: str) -> None:
    assert bare(text) == (body, currency)


@pytest.mark.parametrize("text", ["£1.50", "1,50 CHF", "¥200", "GBP 3"])
def test_p12_a_sign_of_a_currency_that_is_not_kept_is_an_error(text: str) -> None:
    with pytest.raises(NumberError) as error:
        bare(text)
    assert error.value.code == "currency_sign_unknown"


def test_p06_a_file_is_decided_by_the_cells_that_can_be_read_in_one_way() -> None:
    assert decide([(2, "1,234"), (3, "0,85")]).mark == COMMA
    assert decide([(2, "1,234"), (3, "0.85 €")]).mark == POINT
    assert decide([(2, "15"), (3, "1 234")]).mark == ""


def test_p06_where_nothing_decides_every_open_cell_is_named() -> None:
    decision = decide([(2, "1,234"), (3, "15"), (4, "2,500")])
    assert (decision.mark, decision.undecidable, decision.against) == ("", ((2, "1,234"), (4, "2,500")), None)


def test_the_first_cells_that_contradict_each_other_are_named() -> None:
    decision = decide([(2, "15"), (3, "1,5"), (4, "2,5"), (5, "3.5"), (6, "4.5")])
    assert decision.against == ((3, "1,5"), (5, "3.5"))


def test_cells_that_are_no_numbers_decide_nothing() -> None:
    assert decide([(2, "abc"), (3, "£1.50"), (4, "1,5")]).mark == COMMA


def test_p06_both_readings_of_one_number() -> None:
    assert both_readings("1,234 €") == (Decimal("1.234"), Decimal(1234))
    assert both_readings("12.345") == (Decimal(12345), Decimal("12.345"))


@pytest.mark.parametrize(
    ("value", "count"),
    [
        ("1.50", 1),
        ("1.5", 1),
        ("100", 0),
        ("1E+3", 0),
        ("0.000", 0),
        ("0E-50", 0),
        ("1E-9", 9),
        ("0.1" + "0" * 40 + "1", 42),
    ],
)
def test_p34_decimals_are_counted_whatever_the_length(value: str, count: int) -> None:
    assert decimals(Decimal(value)) == count


@pytest.mark.parametrize(
    ("value", "mark", "text"),
    [
        ("1.5", COMMA, "1,5"),
        ("1.50", POINT, "1.5"),
        ("1.234", COMMA, "1,2340"),
        ("0.125", POINT, "0.1250"),
        ("1234567", COMMA, "1234567"),
        ("1E+3", POINT, "1000"),
        ("0", POINT, "0"),
        ("999999.999999999", COMMA, "999999,999999999"),
        ("1E-9", COMMA, "0,000000001"),
    ],
)
def test_a_number_is_written_without_groups_exponent_or_a_second_reading(value: str, mark: str, text: str) -> None:
    assert written(Decimal(value), mark) == text
