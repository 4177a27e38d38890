"""How the unit of a sourced number is written for a reader."""

import csv
import io

import pytest
from django.test import Client
from django.utils import translation

from calculator import registry
from calculator.presenters.row import unit_word

CODES = ("EUR/", "USD/", "B", "B/s")


@pytest.mark.parametrize(
    ("unit", "french", "english"),
    [
        ("EUR/hour", "€ HT / h", "€ excl. VAT / h"),
        ("EUR/month", "€ HT / mois", "€ excl. VAT / month"),
        ("USD/EUR", "$ pour 1 €", "$ for €1"),
        ("B", "o", "B"),
        ("B/s", "o/s", "B/s"),
        ("tok/s", "tok/s", "tok/s"),
    ],
)
def test_a_unit_is_written_for_a_reader_of_each_language(unit: str, french: str, english: str) -> None:
    assert unit_word(unit) == french
    with translation.override("en"):
        assert unit_word(unit) == english


@pytest.mark.parametrize("name", [tool.name for tool in registry.TOOLS])
def test_no_french_file_holds_the_code_of_a_unit(client: Client, seeded: None, name: str) -> None:
    text = client.get(f"/fr/{name}.csv").content.decode("utf-8-sig")
    units = {row[3] for row in csv.reader(io.StringIO(text), delimiter=";") if len(row) > 3}
    assert len(units) > 3
    assert not [unit for unit in units if unit in CODES or unit.startswith(CODES[:2])]


def test_the_calculators_stand_in_the_order_of_the_navigation() -> None:
    assert [tool.name for tool in registry.TOOLS] == ["economics", "inference", "training", "parallelism", "tokens"]
