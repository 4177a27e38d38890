"""What a price file of the largest size takes: 100 000 rows read, as CSV and as a workbook, compared and applied."""

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from openpyxl import Workbook

from bench.conftest import Figure
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
WORKBOOK_S = 6
WHOLE_S = 10
"""A whole upload, comparison and guards included, has ten seconds."""
APPLY_S = 40
MEMORY_MB = 450
"""What the process that reads and compares the file may hold at its height, the program itself included."""
PEAK = """
import re, sys
from pathlib import Path
import django
django.setup()
from calculator.pricelist.contract import FileKind
from calculator.pricelist.diff import compare
from calculator.pricelist.guards import guards_of
from calculator.pricelist.known import Known
from calculator.pricelist.reading import read
from django.utils import timezone
known = Known(0, "public", {}, {}, {}, {}, {}, {}, {})
diff = compare(read(open(sys.argv[1], "rb").read(), sys.argv[1]), known, timezone.now())
assert len(diff.entries) >= 100_000 and guards_of(diff, known) is not None
print(int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024)
"""


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
@pytest.mark.parametrize("suffix", ["csv", "xlsx"])
def test_a_hundred_thousand_rows_are_read_compared_and_guarded(
    benchmark: Any, report: list[Figure], csv_file: bytes, workbook: bytes, suffix: str
) -> None:
    seeding.seed()
    sender = User.objects.create_superuser("sender")
    upload = publish.receive(csv_file if suffix == "csv" else workbook, f"prices.{suffix}", sender)
    checked = benchmark.pedantic(publish.preview, (upload,), rounds=2)
    assert whole(checked.file)
    assert len(checked.diff.entries) >= ROWS
    took = benchmark.stats["min"]
    report.append(Figure(f"100 000 rows of {suffix} compared", took, "s", f"< {WHOLE_S} s", took < WHOLE_S))
    assert took < WHOLE_S


@pytest.mark.django_db
def test_a_hundred_thousand_rows_are_applied(benchmark: Any, report: list[Figure], csv_file: bytes) -> None:
    seeding.seed()
    sender, second = User.objects.create_superuser("sender"), User.objects.create_superuser("second")
    upload = publish.receive(csv_file, "prices.csv", sender)
    publish.validate(upload)
    publish.approve(upload, second, "looked at")
    done = benchmark.pedantic(publish.apply, (upload, sender), rounds=1)
    assert done.version.number == 2 and done.version.prices.count() == ROWS
    took = benchmark.stats["min"]
    report.append(Figure("100 000 rows applied", took, "s", f"< {APPLY_S} s", took < APPLY_S))
    assert took < APPLY_S


@pytest.mark.parametrize("suffix", ["csv", "xlsx"])
def test_memory_stays_bounded(
    report: list[Figure], tmp_path: Path, csv_file: bytes, workbook: bytes, suffix: str
) -> None:
    """In a process of its own: a height that another test reached would count."""
    path = tmp_path / f"prices.{suffix}"
    path.write_bytes(csv_file if suffix == "csv" else workbook)
    done = subprocess.run([sys.executable, "-c", PEAK, str(path)], capture_output=True, text=True, check=True)
    peak = int(done.stdout)
    report.append(Figure(f"100 000 rows of {suffix}, memory", peak, "MB", f"< {MEMORY_MB} MB", peak < MEMORY_MB))
    assert peak < MEMORY_MB
