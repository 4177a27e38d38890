"""Numbers as printed: whatever their size, digits that a reader can read, and no sign before a zero."""

import re
from decimal import Decimal

import pytest
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from calculator import formats

VALUES = st.decimals(
    min_value=Decimal(-(10**15)), max_value=Decimal(10**15), allow_nan=False, allow_infinity=False, places=14
)
TINY = st.decimals(min_value=Decimal("-0.01"), max_value=Decimal("0.01"), allow_nan=False, places=14)
NUMBERS = st.one_of(VALUES, TINY, st.floats(-1e15, 1e15), st.floats(-1e-3, 1e-3))
LANGUAGES = st.sampled_from(["fr", "en"])
FRENCH = re.compile("\u2212?[0-9]{1,3}(\u202f[0-9]{3})*(,[0-9]+)?")
ENGLISH = re.compile("\u2212?[0-9]{1,3}(,[0-9]{3})*(\\.[0-9]+)?")


def assert_readable(text: str, language: str) -> None:
    assert (FRENCH if language == "fr" else ENGLISH).fullmatch(text), text
    assert not text.startswith("\u2212") or re.search("[1-9]", text), f"a zero with a sign: {text}"


@given(value=NUMBERS, decimals=st.integers(0, 6), language=LANGUAGES)
def test_a_number_is_plain_digits_and_a_zero_has_no_sign(value: Decimal | float, decimals: int, language: str) -> None:
    with translation.override(language):
        assert_readable(formats.number(value, decimals), language)
        assert_readable(formats.number(value), language)


@given(ratio=NUMBERS, decimals=st.integers(0, 2), signed=st.booleans(), language=LANGUAGES)
def test_a_percentage_is_plain_digits_and_a_zero_has_no_sign(
    ratio: Decimal | float, decimals: int, signed: bool, language: str
) -> None:
    with translation.override(language):
        text = formats.percent(ratio, decimals, signed=signed)
    assert_readable(text.rstrip("%").rstrip(formats.NBSP).removeprefix("+"), language)


@given(value=NUMBERS, language=LANGUAGES)
def test_an_amount_is_plain_digits_and_a_zero_has_no_sign(value: Decimal | float, language: str) -> None:
    with translation.override(language):
        text = formats.money(value)
    assert_readable(text.replace("€", "").rstrip(formats.NBSP), language)


@pytest.mark.parametrize(
    ("amount", "written"),
    [
        ("0", "0,00"),
        ("-0.004", "\u22120,0040"),
        ("0.0000138", "0,000014"),
        ("-0.00000005", "\u22120,00000005"),
        ("0.0000000002", "0,0000000002"),
        ("-0.00000000004", "0,00"),
    ],
)
def test_a_small_amount_shows_its_first_digits_until_there_are_none_to_show(amount: str, written: str) -> None:
    with translation.override("fr"):
        assert formats.money(Decimal(amount)) == f"{written}{formats.NBSP}€"


@pytest.mark.parametrize(
    ("ratio", "written"), [("-0.004", "0"), ("-0.005", "\u22121"), ("0.004", "0"), ("0.005", "+1")]
)
def test_a_signed_percentage_that_rounds_to_zero_has_no_sign(ratio: str, written: str) -> None:
    with translation.override("en"):
        assert formats.percent(Decimal(ratio), signed=True) == f"{written}%"


def test_a_colon_has_its_space_in_french_alone() -> None:
    with translation.override("fr"):
        assert formats.labelled("16 bits", "aucun") == "16 bits\u00a0: aucun"
    with translation.override("en"):
        assert formats.labelled("16-bit", "none") == "16-bit: none"


@pytest.mark.parametrize(
    ("count", "french", "english"),
    [
        (100_000_000, "100\u00a0M de", "100M"),
        (1_200_000_000, "1,2\u00a0Md de", "1.2B"),
        (64_000, "64\u202f000", "64,000"),
        (999_999, "1\u202f000\u202f000", "1,000,000"),
        (None, "inconnu", "unknown"),
    ],
)
def test_a_million_of_something_takes_de_in_french_alone(count: int | None, french: str, english: str) -> None:
    """« 100 M de tokens », « 64 000 tokens »: a million is a noun in French."""
    for code, text in (("fr", french), ("en", english)):
        with translation.override(code):
            assert formats.tokens_before(count) == text
