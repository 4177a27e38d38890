"""JSON files: {"kind": "gpu", "rows": [{"sku": …}, …]} or the list alone. Numbers are kept as they are written."""

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from calculator import exactjson
from calculator.pricelist.contract import FileFormat, FileKind, PriceFileError
from calculator.pricelist.delimited import decoded
from calculator.pricelist.limits import CELL_CHARACTERS, COLUMNS, ROWS, WORKBOOK_CELLS
from calculator.pricelist.priceline import ALIASES_PARTED_BY
from calculator.pricelist.table import Cell, Problems, Row, Table

KEYS = {"kind", "rows"}
ESCAPED_NUL = "\\u0000"
"""A character that no database column holds."""
MOST_OPENED = 2 * ROWS + 1_000
"""Objects and lists that are opened, brackets inside of texts included: each costs memory before it can be counted."""


def _constant(text: str) -> Decimal:
    return Decimal(text)


def table(content: bytes, stated: str = "") -> Table:
    """A JSON file; its lines are counted by entry. PriceFileError: json_broken, json_shape, json_key_twice, …"""
    text, encoding = decoded(content, stated or "utf-8")
    if ESCAPED_NUL in text:
        raise PriceFileError("binary")
    if text.count(",") > WORKBOOK_CELLS or text.count("{") + text.count("[") > MOST_OPENED:
        raise PriceFileError("too_many_rows", limit=ROWS)
    try:
        document = exactjson.loads(text, _constant)
    except exactjson.HalfCharacterError:
        raise PriceFileError("json_half_character") from None
    except exactjson.TwiceError as error:
        raise PriceFileError("json_key_twice", name=str(error)[:60]) from None
    except json.JSONDecodeError as error:
        raise PriceFileError("json_broken", line=error.lineno, column=error.colno) from None
    except (ValueError, ArithmeticError, RecursionError):
        raise PriceFileError("json_broken", line=0, column=0) from None
    kind, rows = _rows_of(document)
    header = tuple(dict.fromkeys(name for row in rows for name in row))
    if len(header) > COLUMNS:
        raise PriceFileError("too_many_columns", limit=COLUMNS)

    def read(problems: Problems) -> Iterator[Row]:
        for number, row in enumerate(rows, start=1):
            cells = [_cell(row.get(name), name, number, problems) for name in header]
            if any(cell != "" for cell in cells):
                yield Row(number, cells, ", ".join(f"{name}: {row[name]}" for name in row)[:CELL_CHARACTERS])

    return Table(
        FileFormat.JSON,
        header,
        read,
        encoding=encoding,
        kind=kind,
        decimal_mark=".",
        header_line=0,
        lines_about=len(rows),
    )


def _rows_of(document: Any) -> tuple[FileKind | None, list[dict[str, Any]]]:
    kind = None
    rows = document
    if isinstance(document, dict):
        if set(document) - KEYS or "rows" not in document:
            raise PriceFileError("json_shape")
        rows = document["rows"]
        kind = _kind(document.get("kind"))
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise PriceFileError("json_shape")
    if not rows:
        raise PriceFileError("empty")
    if len(rows) > ROWS:
        raise PriceFileError("too_many_rows", limit=ROWS)
    return kind, rows


def _kind(said: object) -> FileKind | None:
    if said is None:
        return None
    try:
        return FileKind(str(said))
    except ValueError:
        raise PriceFileError("kind_not_offered", kind=str(said)[:60], kinds=tuple(FileKind)) from None


def _cell(value: Any, name: str, number: int, problems: Problems) -> Cell:
    if value is None:
        return ""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool | Decimal):
        return value
    if isinstance(value, list) and all(isinstance(one, str) and ALIASES_PARTED_BY not in one for one in value):
        return ALIASES_PARTED_BY.join(value)
    problems.add(number, name[:60], "json_value", name=name[:60])
    return ""
