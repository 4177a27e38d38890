"""Every problem of a price file has a sentence in both languages, with its place and its values."""

import ast
import datetime as dt
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import translation

from calculator.presenters import pricelist
from calculator.pricelist.contract import LineProblem, PriceFileError
from tests.pricelist.filefactory import GPU_HEADER, csv, gpu, parsed, xlsx

ROOM = Path(settings.BASE_DIR) / "calculator" / "pricelist"
READERS = (
    *("amounts", "archives", "cells", "columns", "delimited", "ecb", "jsonfile", "otherlines", "priceline"),
    *("reading", "repeats", "table", "workbook"),
)
NOTED_BY = {"add": 2, "wrong": 1, "warn": 1, "_missing": 1}
RAISED_BY = {"PriceFileError": 0, "NumberError": 0, "CellError": 0, "refusing": 0}


def codes(places: dict[str, int]) -> set[str]:
    """The codes that the readers' source gives to these calls, written out or chosen between two."""
    found: set[str] = set()
    for name in READERS:
        tree = ast.parse((ROOM / f"{name}.py").read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                place = places.get(called)
                if place is not None and len(node.args) > place:
                    found |= {
                        part.value
                        for part in ast.walk(node.args[place])
                        if isinstance(part, ast.Constant) and isinstance(part.value, str)
                    }
    return {code for code in found if code.replace("_", "").replace("1252", "").isalpha()}


def test_every_code_that_a_reader_gives_has_a_sentence() -> None:
    known = set(pricelist.SENTENCES) | set(pricelist.REFUSALS)
    given = codes(NOTED_BY) | codes(RAISED_BY)
    assert len(given) > 60
    assert given - known - {"xlsx", "xl/workbook.bin"} == set()


def test_a_problem_says_line_column_and_what_to_do() -> None:
    (problem,) = parsed(gpu("abc")).errors
    assert pricelist.sentence(problem) == (
        "Ligne 2, colonne «\u00a0amount\u00a0»\u00a0: «\u00a0abc\u00a0» n’est pas un nombre."
    )
    with translation.override("en"):
        assert pricelist.sentence(problem) == "Line 2, column “amount”: “abc” is not a number."


def test_a_problem_of_a_workbook_names_its_cell() -> None:
    rows = [GPU_HEADER.split(","), (17, "instance_hour", 1.5, "EUR", "instance_hour")]
    (problem,) = parsed(xlsx(rows)).errors
    assert pricelist.place(problem) == "Ligne 2, colonne «\u00a0sku\u00a0» (A2)"


def test_p06_both_readings_are_shown() -> None:
    (problem,) = parsed(gpu("1,234")).errors
    with translation.override("en"):
        assert "1.2340 (decimal comma) or 1234 (decimal point)" in pricelist.sentence(problem)


def test_a_refusal_says_its_limit_as_the_reader_writes_numbers() -> None:
    error = PriceFileError("file_too_large", size=20_000_001, limit=20_000_000)
    with translation.override("en"):
        assert pricelist.refusal(error) == "The file has 20,000,001 bytes; at most 20,000,000 are accepted."


def test_a_problem_of_the_whole_file_has_no_place() -> None:
    assert pricelist.place(LineProblem(0, "", "no_rows")) == ""


@pytest.mark.parametrize("language", ["fr", "en"])
def test_real_problems_are_worded_with_all_their_values(language: str) -> None:
    header = f"{GPU_HEADER},valid_from,valid_until,source_url,checked_on,gpu_count,vram_gb,surprise"
    rows = (
        "A,instance_day,-1,GBP,hour,31/12/2026,2026-13-01,x,2027-01-01,1.5,0,?",
        "B,instance_hour,1.50 $,EUR,instance_hour,2026-12-01T08:00,1800-01-01,,,,,",
        "C,instance_hour,1.50,EUR,instance_hour,,,,,,,",
        "C,instance_hour,1.60,EUR,instance_hour,,,,,,,",
        "C,instance_hour,1.60,EUR,instance_hour,,,,,,,,,9",
    )
    found = parsed(csv(header, *rows), today=dt.date(2026, 11, 30))
    with translation.override(language):
        said = pricelist.sentences(found.problems)
    assert len(said) >= 15
    assert not [one for one in said if "%(" in one]
