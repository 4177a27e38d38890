"""Exported values as a reader meets them on paper: money, figures, shares of one."""

from decimal import Decimal

import pytest
from django.utils.translation import override

from calculator.presenters.values import shown, unit_shown

NB = "\u00a0"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("0.65", f"65{NB}%"),
        ("0.2", f"20{NB}%"),
        ("0", f"0{NB}%"),
        ("1", f"100{NB}%"),
        ("0.055", f"5,5{NB}%"),
        ("0.6028163333", f"60,2816{NB}%"),
        ("-0.381321", f"−38,1321{NB}%"),
        ("33.5", f"3\u202f350{NB}%"),
    ],
)
def test_a_share_of_one_is_read_as_a_percentage_without_another_unit(value: str, text: str) -> None:
    assert (shown(Decimal(value), "part de 1"), unit_shown("part de 1")) == (text, "")


def test_a_share_is_recognised_in_the_language_of_the_document() -> None:
    with override("en"):
        assert (shown(Decimal("0.65"), "share of 1"), unit_shown("share of 1")) == ("65%", "")
        assert unit_shown("tok/s") == "tok/s"


def test_what_is_not_a_share_keeps_its_unit_and_its_figures() -> None:
    assert (shown(Decimal("0.65"), "s"), unit_shown("s")) == ("0,65", "s")
    assert shown(None, "part de 1") == "inconnu"
    assert shown("toujours", "part de 1") == "toujours"
