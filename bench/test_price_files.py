"""How long a price file of the largest size takes: 100 000 rows read, as CSV and as a workbook, and compared."""

import io
from typing import Any

import pytest
from django.contrib.auth.models import User
from openpyxl import Workbook

from calculator import seeding
from calculator.pricelist import publish
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
WHOLE_S = 10
"""A whole upload, comparison and guards included, has ten seconds."""


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


@pytest.mark.django_db
def test_a_hundred_thousand_rows_are_read_compared_and_guarded(benchmark: Any, csv_file: bytes) -> None:
    seeding.seed()
    sender = User.objects.create_superuser("sender")
    upload = publish.receive(csv_file, "prices.csv", sender)
    checked = benchmark.pedantic(publish.preview, (upload,), rounds=2)
    assert whole(checked.file)
    assert len(checked.diff.entries) >= ROWS
    assert benchmark.stats["min"] < WHOLE_S
