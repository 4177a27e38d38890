"""One scenario, every way out: page, CSV, workbook, JSON file, interface, command and assistant give the same numbers.

The quote of a scenario has a test of its own; its rows are those of the answer as well.
"""

import csv
import io
import json
import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, NamedTuple

import pytest
from django.core.management import call_command
from django.http import HttpResponse, QueryDict
from django.test import Client
from django.urls import reverse
from django.utils.translation import gettext, override
from openpyxl import load_workbook

from calculator import registry
from calculator.exports import restored
from calculator.jsonable import row_data
from calculator.presenters.values import shown
from sales.api import assistant
from tests import pagetext
from tests.sales.apisite import told

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("seeded")]
AT = "2026-11-30T14:00:00Z"
NAMES = list(registry.CALCULATORS)
LANGUAGES = ("fr", "en")
EXCEL_DIGITS = 14
"""Significant digits that a workbook's binary numbers keep."""


class Line(NamedTuple):
    """One row, its number exact; None = unknown."""

    section: str
    label: str
    value: Decimal | str | None
    unit: str


def query_of(name: str) -> str:
    """The calculator's first case at a fixed instant."""
    return f"{registry.CALCULATORS[name].presets[0].query}&at={AT}"


def lines_of(rows: Iterable[Any]) -> list[Line]:
    """The rows of a document."""
    return [
        Line(row["section"], row["label"], Decimal(row["value"]) if row["is_number"] else row["value"], row["unit"])
        for row in rows
    ]


def by_interface(name: str, language: str) -> list[Line]:
    return lines_of(told(f"estimates/{name}?{query_of(name)}&lang={language}")["rows"])


def file(name: str, language: str, suffix: str) -> HttpResponse:
    with override(language):
        address = reverse("export", args=[name, suffix])
    return Client().get(f"{address}?{query_of(name)}")  # type: ignore[return-value]


def typed(cells: list[str], comma: str) -> Line:
    """A line of a CSV file; a number is what is written like one in a row of numbers."""
    section, label, value, unit = (restored(cell) for cell in cells[:4])
    plain = value.replace(comma, ".")
    number = re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", plain)
    return Line(section, label, Decimal(plain) if number else value, unit)


def like_text(line: Line) -> Line:
    """A row as a file without types has it: the word for unknown, and text that looks like a number as one."""
    value = gettext("inconnu") if line.value is None else line.value
    if isinstance(value, str) and re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", value):
        value = Decimal(value)
    return Line(line.section, line.label, value, line.unit)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_the_json_file_has_the_rows_of_the_interface(name: str, language: str) -> None:
    found = file(name, language, "json").json()  # type: ignore[attr-defined]
    assert lines_of(found["rows"]) == by_interface(name, language)
    assert len(found["rows"]) > 20


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_the_csv_file_has_the_rows_of_the_interface(name: str, language: str) -> None:
    text = file(name, language, "csv").content.decode("utf-8-sig")
    delimiter, comma = (";", ",") if language == "fr" else (",", ".")
    listed = list(csv.reader(io.StringIO(text), delimiter=delimiter))
    rows, expected = listed[listed.index([]) + 2 :], by_interface(name, language)
    with override(language):
        assert [typed(row, comma) for row in rows] == [like_text(line) for line in expected]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_the_workbook_has_the_rows_of_the_interface(name: str, language: str) -> None:
    sheet = load_workbook(io.BytesIO(file(name, language, "xlsx").content)).worksheets[0]
    listed = [list(row[:4]) for row in sheet.iter_rows(values_only=True)]
    empty = next(number for number, row in enumerate(listed) if not any(row))
    expected = by_interface(name, language)
    with override(language):
        assert [in_workbook(row) for row in listed[empty + 2 :]] == [like_workbook(line) for line in expected]


def in_workbook(cells: list[Any]) -> Line:
    section, label, value, unit = ("" if cell is None else cell for cell in cells)
    return Line(section, label, rounded(value) if isinstance(value, int | float) else restored(value), unit)


def like_workbook(line: Line) -> Line:
    value = gettext("inconnu") if line.value is None else line.value
    return line._replace(value=rounded(value) if isinstance(value, Decimal) else value)


def rounded(value: Any) -> Decimal:
    """A number to the digits that a workbook keeps."""
    return Decimal(f"{float(value):.{EXCEL_DIGITS}g}")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_the_command_gives_the_rows_of_the_interface(name: str, language: str) -> None:
    out, text = io.StringIO(), io.StringIO()
    pairs = [f"{key}={value}" for key, values in QueryDict(query_of(name)).lists() for value in values]
    call_command("estimate", name, *pairs, json=True, lang=language, stdout=out)
    call_command("estimate", name, *pairs, lang=language, stdout=text)
    expected = by_interface(name, language)
    assert lines_of(json.loads(out.getvalue())["rows"]) == expected
    with override(language):
        printed = [f"{line.label} {shown(line.value, line.unit)}" for line in expected]
    told_text = pagetext.plain(text.getvalue())
    assert [line for line in printed if pagetext.plain(line) not in told_text] == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_an_assistant_gets_the_rows_of_the_interface(name: str, language: str) -> None:
    arguments = {key: values if len(values) > 1 else values[0] for key, values in QueryDict(query_of(name)).lists()}
    arguments.pop("v")
    found = assistant.answer(f"estimate_{name}", {**arguments, "lang": language})
    assert lines_of(found["rows"]) == by_interface(name, language)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_the_page_shows_the_estimate_of_the_interface(name: str, language: str) -> None:
    document = told(f"estimates/{name}?{query_of(name)}&lang={language}")
    with override(language):
        page = Client().get(f"{reverse(name)}?{query_of(name)}")
        rows = registry.CALCULATORS[name].rows(page.context["estimate"])
        assert [row_data(row) for row in rows] == document["rows"]
    sentence = document["answer"]["sentence"]
    assert without_blanks(sentence) in without_blanks(pagetext.words(page.content.decode()))


def without_blanks(text: str) -> str:
    return re.sub(r"\s", "", text)


@pytest.mark.parametrize("name", NAMES)
def test_both_languages_have_the_same_numbers(name: str) -> None:
    numbers = [[line.value for line in by_interface(name, language) if isinstance(line.value, Decimal)]
               for language in LANGUAGES]  # fmt: skip
    assert numbers[0] == numbers[1]


def test_the_numbers_of_the_offer_are_behind_all_of_them() -> None:
    """The dedicated month, and the published run of 38 minutes for 0.95 €."""
    month = [line.value for line in by_interface("economics", "en") if line.unit.startswith("€ excl. VAT / month")]
    assert Decimal("830.64") in month
    training = told(f"estimates/training?{query_of('training')}&lang=en")["answer"]["sentence"]
    assert "37.9" in training
    assert "0.95" in training
