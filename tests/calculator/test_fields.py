"""Numbers as people type them: two languages, two decimal marks, every kind of space, multipliers and units."""

from decimal import Decimal

import pytest
from django.core.exceptions import ValidationError
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from calculator import fields
from calculator.fields import NumberError, NumberField, Quantity

NBSP, NARROW, THIN = "\u00a0", "\u202f", "\u2009"
LANGUAGES = ("fr", "en")
QUANTITIES: dict[str, Quantity] = {name: value for name, value in vars(fields).items() if isinstance(value, Quantity)}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("100000000", "100000000"),
        ("100 000 000", "100000000"),
        (f"100{NBSP}000{NBSP}000", "100000000"),
        (f"100{NARROW}000{NARROW}000", "100000000"),
        (f"100{THIN}000{THIN}000", "100000000"),
        ("100.000.000", "100000000"),
        ("100,000,000", "100000000"),
        ("1 234,56", "1234.56"),
        ("1 234.56", "1234.56"),
        ("1.234,56", "1234.56"),
        ("1,234.56", "1234.56"),
        ("1234,5", "1234.5"),
        ("1234.5", "1234.5"),
        ("1 234,567", "1234.567"),
        ("12,3456", "12.3456"),
        ("100M", "100000000"),
        ("100 M", "100000000"),
        (f"107,8272{NBSP}M", "107827200"),
        ("250k", "250000"),
        ("250K", "250000"),
        ("1,5 Md", "1500000000"),
        ("1.5G", "1500000000"),
        ("2B", "2000000000"),
        ("2 bn", "2000000000"),
        ("100 M tokens", "100000000"),
        ("100 M tokens / mois", "100000000"),
        ("100\u00a0M de tokens par mois", "100000000"),
        ("1,2 Md de tokens", "1200000000"),
        ("5,", "5"),
        ("  42  ", "42"),
    ],
)
def test_volume_reads_the_same_in_both_languages(language: str, text: str, expected: str) -> None:
    with translation.override(language):
        assert fields.read(text, fields.VOLUME) == Decimal(expected)


@pytest.mark.parametrize("text", ["65", "65 %", f"65{NBSP}%", f"65{NARROW}%", "65%", "65,0", "65.00 %"])
def test_percent_is_typed_as_percent(text: str) -> None:
    assert fields.read(text, fields.UTILISATION) == Decimal("0.65")


def test_a_ratio_typed_as_percent_is_refused_for_utilisation_rather_than_read_as_under_one_percent() -> None:
    with pytest.raises(NumberError, match="entre 1"):
        fields.read("0,65", fields.UTILISATION)


@pytest.mark.parametrize(
    ("text", "expected"), [("1,50 €", "1.50"), ("€1.50", "1.50"), ("1,50 € HT", "1.50"), ("1.5 EUR", "1.50")]
)
def test_price_takes_its_currency(text: str, expected: str) -> None:
    assert fields.read(text, fields.PRICE) == Decimal(expected)


@pytest.mark.parametrize(
    ("text", "quantity", "first", "second"),
    [
        ("1,234", fields.VOLUME, "1,2340", f"1{NARROW}234"),
        ("1.234", fields.RATE, "1,2340", f"1{NARROW}234"),
        ("1,500", fields.PRICE, "1,5", f"1{NARROW}500"),
        ("1,234M", fields.VOLUME, f"1,2340{NBSP}M", f"1,2340{NBSP}Md"),
    ],
)
def test_three_digit_tail_with_two_possible_readings_names_both(
    text: str, quantity: Quantity, first: str, second: str
) -> None:
    with translation.override("fr"), pytest.raises(NumberError) as caught:
        fields.read(text, quantity)
    assert first in str(caught.value)
    assert second in str(caught.value)


@pytest.mark.parametrize(
    ("text", "quantity", "expected"),
    [
        ("1,117", fields.USD_PER_EUR, "1.117"),  # 1 117 dollars for a euro is outside the limits
        ("0,125", fields.PRICE, "0.125"),  # no group begins with a zero
        ("1.000", fields.HOURS, "1"),  # no month has 1 000 hours
        ("12,345", fields.UTILISATION, "0.12345"),
        ("1,234", fields.CONCURRENCY, "1234"),  # requests come whole
    ],
)
def test_three_digit_tail_is_read_when_the_limits_leave_one_reading(
    text: str, quantity: Quantity, expected: str
) -> None:
    assert fields.read(text, quantity) == Decimal(expected)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("NaN", "fini"),
        ("Infinity", "fini"),
        ("-inf", "fini"),
        ("∞", "fini"),
        ("1e5", "exposant"),
        ("1E+5", "exposant"),
        ("-5", "négatif"),
        ("−5", "négatif"),
        ("abc", "pas un nombre"),
        ("1 23", "pas un nombre"),
        ("12 34", "pas un nombre"),
        ("1,2,3", "pas un nombre"),
        ("1.234.56", "pas un nombre"),
        (".", "pas un nombre"),
        ("٣٤", "pas un nombre"),
        ("1\x002", "pas un nombre"),
        ("100m", f"«{NBSP}M{NBSP}»"),
        ("2g", f"«{NBSP}G{NBSP}»"),
        ("3 furlongs", "unité"),
        ("9" * 40, "comprise entre"),
        ("0", "comprise entre"),
        ("9" * 100, "trop long"),
        ("1,1234567890123", "décimales"),
    ],
)
def test_what_is_no_volume_gets_a_sentence(text: str, sentence: str) -> None:
    with translation.override("fr"), pytest.raises(NumberError) as caught:
        fields.read(text, fields.VOLUME)
    assert sentence in str(caught.value)
    assert "\x00" not in str(caught.value)


def test_percent_takes_no_multiplier() -> None:
    with pytest.raises(NumberError, match="pourcentage"):
        fields.read("65k", fields.UTILISATION)


def test_whole_numbers_refuse_decimals() -> None:
    with pytest.raises(NumberError, match="entier"):
        fields.read("16,5", fields.CONCURRENCY)


def test_limits_are_told_in_the_reader_s_notation() -> None:
    with translation.override("fr"), pytest.raises(NumberError) as caught:
        fields.read("101", fields.UTILISATION)
    assert f"entre 1{NBSP}% et 100{NBSP}%" in str(caught.value)
    with translation.override("en"):
        assert fields.with_unit(Decimal("0.65"), fields.UTILISATION) == "65%"


@pytest.mark.parametrize(
    ("value", "quantity", "french", "english"),
    [
        ("100000000", fields.VOLUME, f"100{NBSP}M", "100M"),
        ("107827200", fields.VOLUME, f"107,8272{NBSP}M", "107.8272M"),
        ("1500000000", fields.VOLUME, f"1,5{NBSP}Md", "1.5B"),
        ("250000", fields.VOLUME, f"250{NARROW}000", "250000"),
        ("1234000", fields.VOLUME, f"1,2340{NBSP}M", "1.2340M"),
        ("0.65", fields.UTILISATION, "65", "65"),
        ("1.1172", fields.USD_PER_EUR, "1,1172", "1.1172"),
        ("1.234", fields.PRICE, "1,2340", "1.2340"),
        ("830.64", fields.PRICE, "830,64", "830.64"),
        ("1234.5", fields.RATE, f"1{NARROW}234,5", "1,234.5"),
        ("720", fields.HOURS, "720", "720"),
    ],
)
def test_page_writes_a_value_without_two_readings(value: str, quantity: Quantity, french: str, english: str) -> None:
    with translation.override("fr"):
        assert fields.show(Decimal(value), quantity) == french
    with translation.override("en"):
        assert fields.show(Decimal(value), quantity) == english


def values_of(quantity: Quantity) -> st.SearchStrategy[Decimal]:
    """Values within the limits, with as many decimals as the quantity may have."""
    limits = quantity.limits
    return st.decimals(limits.low, limits.high, places=0 if quantity.whole else 4) | st.decimals(
        limits.low, limits.high, places=0
    ).filter(quantity.takes)


@given(data=st.data(), name=st.sampled_from(sorted(QUANTITIES)), language=st.sampled_from(LANGUAGES))
def test_what_the_page_prints_into_a_field_reads_back(data: st.DataObject, name: str, language: str) -> None:
    quantity = QUANTITIES[name]
    value = data.draw(values_of(quantity))
    with translation.override(language):
        shown = fields.show(value, quantity)
        assert fields.read(shown, quantity) == value
        for unit in quantity.units:
            assert fields.read(f"{shown}{NBSP}{unit}", quantity) == value


@given(text=st.text(max_size=80))
def test_any_text_is_a_number_within_the_limits_or_a_sentence(text: str) -> None:
    for quantity in (fields.VOLUME, fields.UTILISATION, fields.CONCURRENCY):
        try:
            value = fields.read(text, quantity)
        except NumberError as error:
            assert str(error)
        else:
            assert quantity.limits.hold(value)


def test_field_keeps_the_typed_text_and_tells_the_sentence() -> None:
    field = NumberField(fields.VOLUME)
    with pytest.raises(ValidationError, match="peut se lire"):
        field.clean("1,234")
    assert field.prepare_value("1,234") == "1,234"


def test_empty_optional_field_is_unknown_and_empty_required_field_an_error() -> None:
    assert NumberField(fields.RATE, required=False).clean("  ") is None
    with pytest.raises(ValidationError):
        NumberField(fields.RATE).clean("")


def test_field_is_a_text_input_that_asks_for_a_decimal_keypad() -> None:
    widget = NumberField(fields.VOLUME).widget
    assert widget.input_type == "text"
    assert widget.attrs["inputmode"] == "decimal"
    assert widget.attrs["autocomplete"] == "off"


@pytest.mark.parametrize(
    ("value", "count"), [("1.50", 1), ("100", 0), ("1E+8", 0), ("0.000001", 6), ("0.00", 0), ("1200.00", 0)]
)
def test_decimals_are_counted_without_trailing_zeros(value: str, count: int) -> None:
    assert fields.decimals(Decimal(value)) == count


@pytest.mark.parametrize(
    ("value", "text"), [("1E+8", "100000000"), ("0.650", "0.65"), ("0", "0"), ("1E-7", "0.0000001")]
)
def test_links_write_plain_digits(value: str, text: str) -> None:
    assert fields.plain(Decimal(value)) == text
