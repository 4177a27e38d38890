"""Values with their units as pages print them: worked by hand from the definitions of the units."""

from decimal import Decimal

import pytest
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from calculator.domain.provenance import Kind, Sourced
from calculator.presenters import formulaview, quantities

NB = "\u00a0"
NNB = "\u202f"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, f"0{NB}s"),
        (0.000012, f"12{NB}µs"),
        (0.0315, f"31,5{NB}ms"),
        (0.1021, f"102{NB}ms"),
        (0.9996, f"1{NB}s"),
        (1.5, f"1,5{NB}s"),
        (119, f"119{NB}s"),
        (2275.6, f"37,9{NB}min"),
        (9102, f"2,53{NB}h"),
        (92 * 86_400, f"92{NB}jours"),
    ],
)
def test_a_duration_takes_the_unit_that_a_person_would_say(seconds: float, text: str) -> None:
    with translation.override("fr"):
        assert quantities.duration(seconds) == text


def test_days_are_days_in_english_and_an_unknown_duration_is_a_word() -> None:
    with translation.override("en"):
        assert quantities.duration(14 * 86_400) == f"14{NB}days"
        assert quantities.duration(None) == "unknown"


@pytest.mark.parametrize(
    ("value", "unit", "french", "english"),
    [
        (131_072, "B", f"131{NB}ko", f"131{NB}kB"),
        (14_483_464_192, "B", f"14,5{NB}Go", f"14.5{NB}GB"),
        (2039e9, "B/s", f"2,04{NB}To/s", f"2.04{NB}TB/s"),
        (312e12, "FLOP/s", f"312{NB}TFLOP/s", f"312{NB}TFLOP/s"),
        (6.48e20, "FLOP", f"6,48{NB}×{NB}10²⁰{NB}FLOP", f"6.48{NB}×{NB}10²⁰{NB}FLOP"),
        (3.19e13, "FLOP", f"31,9{NB}TFLOP", f"31.9{NB}TFLOP"),
        (999_700_000, "B", f"1{NB}Go", f"1{NB}GB"),
    ],
)
def test_bytes_and_flop_take_decimal_prefixes(value: float, unit: str, french: str, english: str) -> None:
    for language, text in (("fr", french), ("en", english)):
        with translation.override(language):
            assert quantities.scaled(value, unit) == text
            assert quantities.with_unit(value, unit) == text


def test_long_whole_parts_keep_their_digits() -> None:
    with translation.override("fr"):
        assert quantities.digits(12_345.6) == f"12{NNB}346"
        assert quantities.digits(0.012345) == "0,0123"
        assert quantities.digits(99.96) == "100"


def test_a_value_without_a_unit_is_a_ratio() -> None:
    with translation.override("fr"):
        assert quantities.with_unit(Decimal("0.355"), "") == f"35,5{NB}%"
        assert quantities.with_unit(6.57, "ratio") == "6,57"
        assert quantities.with_unit(Decimal(8), "GPU") == "8"
        assert quantities.with_unit(Decimal("1.5"), "EUR/h") == f"1,50{NB}€"


@given(st.floats(min_value=1e-9, max_value=1e12))
def test_every_duration_prints_a_number_above_zero(seconds: float) -> None:
    with translation.override("en"):
        number = quantities.duration(seconds).split(NB)[0]
    assert Decimal(number.replace(",", "")) > 0


@pytest.mark.parametrize(
    ("size", "french", "english"),
    [
        (80 * 2**30, f"80{NB}Gio", f"80{NB}GiB"),
        (160_000_000_000, f"149{NB}Gio", f"149{NB}GiB"),
        (2**29, f"0,5{NB}Gio", f"0.5{NB}GiB"),
        (None, "inconnu", "unknown"),
    ],
)
def test_pitfall_13_memory_is_counted_as_cards_are(size: int | None, french: str, english: str) -> None:
    with translation.override("fr"):
        assert quantities.gibibytes(size) == french
    with translation.override("en"):
        assert quantities.gibibytes(size) == english


@pytest.mark.parametrize(
    ("value", "french", "english"),
    [
        (1, f"1{NB}jour", f"1{NB}day"),
        (1.5, f"1,5{NB}jour", f"1.5{NB}days"),
        (2, f"2{NB}jours", f"2{NB}days"),
        (92.02, f"92{NB}jours", f"92{NB}days"),
    ],
)
def test_one_day_is_singular_in_french_below_two(value: float, french: str, english: str) -> None:
    with translation.override("fr"):
        assert quantities.days(value) == quantities.with_unit(value, "d") == french
    with translation.override("en"):
        assert quantities.days(value) == quantities.with_unit(value, "d") == english


@pytest.mark.parametrize(
    ("count", "text"),
    [(16_384, "16\u202f384"), (9_999_999, "9\u202f999\u202f999"), (10_000_000, "10\u00a0M"), (333.5, "333,5")],
)
def test_a_formula_takes_a_whole_count_of_tokens_with_all_its_digits(count: float, text: str) -> None:
    assert quantities.with_unit(count, "tok") == text


def test_memory_is_gio_in_french_and_gib_in_english() -> None:
    assert quantities.with_unit(18.917, "GiB") == "18,9\u00a0Gio"
    with translation.override("en"):
        assert quantities.with_unit(18.917, "GiB") == "18.9\u00a0GiB"


@pytest.mark.parametrize(
    ("count", "french", "english"),
    [
        (1, "1 token", "1 token"),
        (40_000_000_000, "40\u00a0Md de tokens", "40B tokens"),
        (1_308_000_000, "1,308\u00a0Md de tokens", "1.308B tokens"),
    ],
)
def test_french_says_de_after_a_million_and_a_milliard(count: float, french: str, english: str) -> None:
    assert quantities.token_count(count) == french
    with translation.override("en"):
        assert quantities.token_count(count) == english


def test_a_computed_ratio_stands_in_a_formula_with_six_digits_and_a_typed_one_with_all() -> None:
    with translation.override("en"):
        computed = Sourced(0.21277672559537245, "", Kind.ESTIMATE, "share")
        assert formulaview.in_formula(computed) == "0.212777"
        assert formulaview.in_formula(Sourced(Decimal("0.65"), "", Kind.INPUT, "share")) == "0.65"
        assert formulaview.in_formula(Sourced(Decimal("0.1234"), "", Kind.INPUT, "share")) == "0.1234"
