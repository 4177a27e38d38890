"""How long a price file of the largest size takes to be read: 100 000 rows, as CSV and as a workbook."""

import io
from typing import Any

import pytest
from openpyxl import Workbook

from calculator.pricelist.contract import ParsedFile
from calculator.pricelist.reading import read

pytestmark = pytest.mark.bench
ROWS = 100_000
HEADER = (
    *("model", "component", "mode", "context_over", "amount", "currency", "unit"),
    *("valid_from", "provider", "source_url", "checked_on"),
)
COMPONENTS = ("input", "output", "cache_read", "audio_in")
READ_S = 5
WORKBOOK_S = 8
"""A whole upload, comparison included, has ten seconds."""


def rows() -> list[tuple[Any, ...]]:
    """A hundred thousand prices of 25 000 models."""
    return [
        (
            f"model-{number // len(COMPONENTS)}",
            COMPONENTS[number % len(COMPONENTS)],
            *("standard", 0, round(1.25 + number / 1_000, 3), "USD", "mtok", "2026-12-15", "Provider"),
            *("https://example.org/prices", "2026-11-30"),
        )
        for number in range(ROWS)
    ]


@pytest.fixture(scope="module")
def csv_file() -> bytes:
    lines = [";".join(HEADER)]
    lines += [
        ";".join(str(cell).replace(".", ",") if isinstance(cell, float) else str(cell) for cell in row)
        for row in rows()
    ]
    return "\n".join(lines).encode()


@pytest.fixture(scope="module")
def workbook() -> bytes:
    book = Workbook(write_only=True)
    sheet = book.create_sheet()
    sheet.append(HEADER)
    for row in rows():
        sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def whole(found: ParsedFile) -> bool:
    return (len(found.lines), found.errors) == (ROWS, ())


def test_a_hundred_thousand_rows_of_csv(benchmark: Any, csv_file: bytes) -> None:
    assert whole(benchmark.pedantic(read, (csv_file, "prices.csv"), rounds=2))
    assert benchmark.stats["min"] < READ_S


def test_a_hundred_thousand_rows_of_a_workbook(benchmark: Any, workbook: bytes) -> None:
    assert whole(benchmark.pedantic(read, (workbook, "prices.xlsx"), rounds=1))
    assert benchmark.stats["min"] < WORKBOOK_S
