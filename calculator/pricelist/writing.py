"""Files in the format of uploads: empty templates, and the current catalogue. Re-read unchanged they change nothing.

Prices in force are written without a start, so that an edited amount begins when the file is applied; planned ones
keep theirs. A number is never written so that it could be read in two ways.
"""

import csv
import datetime as dt
import io
import json
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell

from calculator import exports, fields
from calculator.models import CatalogItem, FxRate, Gpu, LanguageModel, PriceRow
from calculator.pricelist.amounts import written
from calculator.pricelist.cells import PARIS
from calculator.pricelist.columns import CODE_COLUMN, COLUMNS, NUMBERS, SHEETS
from calculator.pricelist.contract import FileKind
from calculator.pricelist.inforce import aliases_at, prices_at, rates_of
from calculator.pricelist.priceline import ALIASES_PARTED_BY
from calculator.pricelist.table import letters
from calculator.snapshots import API, EMBEDDING, SKU, snapshot

Written = str | Decimal | bool | None
FileRow = dict[str, Written]
SUFFIXES = ("csv", "xlsx", "json")
ITEMS_OF = {FileKind.GPU: (SKU,), FileKind.LLM: (API, EMBEDDING)}
TEXT_FORMAT = "@"
"""Keeps what is typed: without it a spreadsheet makes 17 of the code 0017, and a day of its own of 2026-12-01."""
COLUMN_WIDTH = 16


def template(kind: FileKind, suffix: str, french: bool) -> bytes:
    """An empty file with every column of the kind."""
    return rendered(kind, (), suffix, french)


def catalogue(kind: FileKind, version: int, at: dt.datetime, suffix: str, french: bool) -> bytes:
    """What a version holds at an instant, public prices only, as a file that can be uploaded again."""
    return rendered(kind, rows_of(kind, version, at), suffix, french)


def rows_of(kind: FileKind, version: int, at: dt.datetime) -> list[FileRow]:
    """The rows of the catalogue file, each with the columns that have a value."""
    if kind in ITEMS_OF:
        return list(_price_rows(kind, version, at))
    if kind is FileKind.FX:
        return [_rate_row(rate) for rate in rates_of(version)]
    return [_sheet_row(kind, sheet) for sheet in SHEETS[kind].objects.order_by("name")]


def _price_rows(kind: FileKind, version: int, at: dt.datetime) -> Iterable[FileRow]:
    known = snapshot(version)
    names = aliases_at(version, at)
    for item_kind in ITEMS_OF[kind]:
        for item in known.of_kind(item_kind):
            of_item = _item_row(kind, item, names.get(item.pk, ()))
            prices = prices_at(known, item, at)
            if not prices:
                yield of_item
            for price in prices:
                yield {**of_item, **_price_row(price, at)}


def _item_row(kind: FileKind, item: CatalogItem, aliases: Sequence[str]) -> FileRow:
    row: FileRow = {
        CODE_COLUMN[kind]: item.code,
        "provider": item.provider,
        "label_fr": item.label_fr,
        "label_en": item.label_en,
        "status": item.status,
        "retired_on": item.retired_on.isoformat() if item.retired_on else None,
        "replaced_by": item.replaced_by.code if item.replaced_by else None,
        "aliases": ALIASES_PARTED_BY.join(aliases),
    }
    if kind is FileKind.LLM:
        return {**row, "item_kind": item.kind, "context_window": _number(item.context_window)}
    machine: FileRow = {
        "gpu": item.gpu.name if item.gpu else None,
        "gpu_count": _number(item.gpu_count),
        "vram_gb": _number(item.vram_gb),
        "interconnect": item.interconnect,
    }
    return {**row, **machine}


def _price_row(price: PriceRow, at: dt.datetime) -> FileRow:
    return {
        "component": price.component,
        "kind": price.kind,
        "mode": price.mode,
        "context_over": _number(price.context_over),
        "amount": price.amount,
        "currency": price.currency,
        "unit": price.unit,
        "region": price.region,
        "window": price.window,
        "valid_from": start_text(price.valid_from) if price.valid_from > at else None,
        "source_url": price.source_url,
        "checked_on": price.checked_on.isoformat(),
        "note": price.note,
        "note_fr": price.note_fr,
    }


def start_text(moment: dt.datetime) -> str:
    """An instant as a file says it: the day alone where it begins at midnight in Paris."""
    local = moment.astimezone(PARIS)
    return local.date().isoformat() if local.time() == dt.time() else local.isoformat()


def _rate_row(rate: FxRate) -> FileRow:
    return {
        "rate_date": rate.rate_date.isoformat(),
        "base": rate.base,
        "quote": rate.quote,
        "rate": rate.rate,
        "source": rate.source,
        "source_url": rate.source_url,
        "note": rate.note,
        "note_fr": rate.note_fr,
    }


def _sheet_row(kind: FileKind, sheet: Gpu | LanguageModel) -> FileRow:
    row: FileRow = {}
    for column in COLUMNS[kind]:
        value = getattr(sheet, column)
        row[column] = value if isinstance(value, str | bool) or value is None else _number(value)
    return row


def _number(value: float | None) -> Decimal | None:
    return None if value is None else Decimal(repr(value))


def rendered(kind: FileKind, rows: Iterable[FileRow], suffix: str, french: bool) -> bytes:
    """Rows as a file of the kind: CSV in the notation of the language, a workbook, or JSON."""
    columns = COLUMNS[kind]
    if suffix == "csv":
        return _csv(columns, rows, french)
    if suffix == "xlsx":
        return _workbook(kind, columns, rows)
    listed = [
        {column: _json_value(value) for column in columns if (value := row.get(column)) not in (None, "")}
        for row in rows
    ]
    return (json.dumps({"kind": kind.value, "rows": listed}, ensure_ascii=False, indent=1) + "\n").encode()


def _json_value(value: Written) -> str | bool:
    return written(value) if isinstance(value, Decimal) else value if isinstance(value, bool) else str(value)


def _csv(columns: Sequence[str], rows: Iterable[FileRow], french: bool) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=";" if french else ",")
    writer.writerow(columns)
    mark = "," if french else "."
    writer.writerows([_csv_cell(row.get(column), mark) for column in columns] for row in rows)
    return (exports.BYTE_ORDER_MARK + out.getvalue()).encode()


def _csv_cell(value: Written, mark: str) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return written(value, mark) if isinstance(value, Decimal) else exports.guarded(value)


def _workbook(kind: FileKind, columns: Sequence[str], rows: Iterable[FileRow]) -> bytes:
    book = Workbook(write_only=True)
    sheet = book.create_sheet(kind.value)
    for place, column in enumerate(columns):
        dimension = sheet.column_dimensions[letters(place)]
        dimension.width = COLUMN_WIDTH
        if column not in NUMBERS[kind]:
            dimension.number_format = TEXT_FORMAT
    sheet.freeze_panes = "B2"
    sheet.append([_xlsx_cell(sheet, column) for column in columns])
    for row in rows:
        sheet.append([_xlsx_cell(sheet, row.get(column)) for column in columns])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _xlsx_cell(sheet: Any, value: Written) -> Any:
    """Numbers as numbers; text as text, which a spreadsheet neither runs nor turns into a number or a date."""
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return value
    if isinstance(value, Decimal):
        return WriteOnlyCell(sheet, value=float(value))
    cell = WriteOnlyCell(sheet, value=fields.UNPRINTABLE.sub(" ", value))
    cell.data_type = "s"
    cell.number_format = TEXT_FORMAT
    return cell
