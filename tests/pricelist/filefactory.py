"""Price files for tests: rows of text as CSV, as a workbook, as JSON."""

import io
import json
import zipfile
from collections.abc import Iterable, Sequence
from typing import Any

from openpyxl import Workbook

from calculator.pricelist.contract import ParsedFile, Price, ReadOptions, Severity
from calculator.pricelist.reading import read

GPU_HEADER = "sku,component,amount,currency,unit"
LLM_HEADER = "model,component,amount,currency,unit"
FX_HEADER = "rate_date,base,quote,rate,source"


def csv(*lines: str, encoding: str = "utf-8") -> bytes:
    """Lines as a CSV file."""
    return ("\r\n".join(lines) + "\r\n").encode(encoding)


def gpu(*amounts: str, header: str = GPU_HEADER, delimiter: str = ";") -> bytes:
    """A GPU file of hourly prices in euros, one SKU an amount."""
    rows = (f"GPU-{number},instance_hour,{{}},EUR,instance_hour" for number, _amount in enumerate(amounts))
    lines = [row.replace(",", delimiter).format(amount) for row, amount in zip(rows, amounts, strict=True)]
    return csv(header.replace(",", delimiter), *lines)


def xlsx(rows: Iterable[Sequence[Any]]) -> bytes:
    """Rows as a workbook."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in rows:
        sheet.append(list(row))
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def repacked(content: bytes, replaced: dict[str, bytes | None]) -> bytes:
    """A zip with some parts replaced, added or (None) taken away."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            if name not in replaced:
                new.writestr(name, old.read(name))
        for name, part in replaced.items():
            if part is not None:
                new.writestr(name, part)
    return out.getvalue()


def as_json(document: Any) -> bytes:
    """A document as JSON."""
    return json.dumps(document).encode()


def parsed(content: bytes, name: str = "prices.csv", **options: Any) -> ParsedFile:
    """What the file says."""
    return read(content, name, ReadOptions(**options))


def amounts(content: bytes, name: str = "prices.csv", **options: Any) -> list[str | None]:
    """The amounts that the file says, as plain text; the file must have no error."""
    found = parsed(content, name, **options)
    assert [(problem.line_no, problem.code) for problem in found.errors] == []
    prices = [line.content for line in found.lines]
    assert all(isinstance(price, Price) for price in prices)
    return [None if price.amount is None else f"{price.amount.normalize():f}" for price in prices]  # type: ignore[union-attr]


def errors(content: bytes, name: str = "prices.csv", **options: Any) -> list[tuple[int, str, str]]:
    """Line, column and code of each error."""
    found = parsed(content, name, **options)
    return [(problem.line_no, problem.column, problem.code) for problem in found.errors]


def warnings(content: bytes, name: str = "prices.csv", **options: Any) -> list[tuple[int, str]]:
    """Line and code of each warning."""
    found = parsed(content, name, **options)
    return [(problem.line_no, problem.code) for problem in found.problems if problem.severity is Severity.WARNING]
