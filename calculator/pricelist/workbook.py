"""XLSX workbooks, values only: the first visible sheet, read as a stream.

A workbook with macros or links to other files is refused. A number is taken in its shortest decimal text, a formula in
the value that was stored with it. The sheet is read with our own parser: a hundred thousand rows have to be read while
somebody waits, and a million rows that hold nothing but a format must cost next to nothing.
"""

import datetime as dt
import posixpath
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from openpyxl.styles.numbers import BUILTIN_FORMATS, is_date_format

from calculator.pricelist.archives import BLOCK_BYTES, DAMAGED, elements, opened, parser, part_bytes, refusing
from calculator.pricelist.contract import FileFormat, PriceFileError, Severity
from calculator.pricelist.limits import CELL_CHARACTERS, COLUMNS, ROWS, SMALL_PART_BYTES, UNPACKED_BYTES, WORKBOOK_CELLS
from calculator.pricelist.plainrows import Splitter
from calculator.pricelist.progress import Stage, Tell, nobody
from calculator.pricelist.sheetxml import EMPTY_FORMULA, ErrorValue, Found, SharedTexts, SheetParser
from calculator.pricelist.table import Cell, Problems, Row, Table, letters

CONTENT_TYPES = "[Content_Types].xml"
MAIN = "xl/workbook.xml"
RELATIONS = "xl/_rels/workbook.xml.rels"
MACROS = ("vbaproject", "xl/macrosheets/", "xl/dialogsheets/")
EXTERNAL = "xl/externallinks/"
BLANK_ROWS = re.compile(rb'(?:<row\b(?=[^<>]* r=")[^<>]*(?:(?<=/)>|(?<!/)>(?:<c\b[^<>]*/>)*+</row>))++')
"""Whole rows without a value: to leave them out of the XML changes nothing but the time that reading takes."""
CURRENCY_OF_FORMAT = {"€": "EUR", "EUR": "EUR", "$": "USD", "$US": "USD", "US$": "USD", "USD": "USD"}
SYMBOL = re.compile(r'\[\$([^\]-]+)|"\s*([€$][A-Z]*)\s*"|\\([€$])|(€)')
HIDDEN = ("hidden", "veryHidden")


@dataclass(frozen=True, slots=True)
class Style:
    """What a cell's format tells of its value."""

    is_date: bool = False
    currency: str = ""


@dataclass(frozen=True, slots=True)
class Book:
    """What is needed of a workbook beside the sheet itself."""

    archive: zipfile.ZipFile
    sheet: str
    left_out: tuple[str, ...]
    shared: list[str]
    styles: list[Style]
    from_1904: bool


def table(content: bytes, tell: Tell = nobody) -> Table:
    """A workbook, read once. PriceFileError for one that is refused as a whole."""
    book = _book(content)
    problems = Problems()
    source = _sheet_rows(book, problems, tell)
    header_row, named = next(source, (0, {}))
    if not named:
        raise PriceFileError("empty")
    if max(named) >= COLUMNS:
        raise PriceFileError("too_many_columns", limit=COLUMNS)
    header = tuple(str(named.get(place, "")) for place in range(max(named) + 1))
    kept = list(_rows(source, len(header), problems))
    if book.left_out:
        problems.add(0, "", "other_sheets_left_out", Severity.WARNING, sheets=book.left_out)
    return Table(
        FileFormat.XLSX,
        header,
        lambda _problems: iter(kept),
        cell_names=True,
        problems=problems.all(),
        header_line=header_row,
        lines_about=len(kept),
    )


def _rows(source: Iterator[tuple[int, dict[int, Cell]]], width: int, problems: Problems) -> Iterator[Row]:
    held = 0
    for count, (number, cells) in enumerate(source, start=1):
        held += len(cells)
        if count > ROWS:
            raise PriceFileError("too_many_rows", limit=ROWS)
        if held > WORKBOOK_CELLS:
            raise PriceFileError("too_many_cells_held", limit=WORKBOOK_CELLS)
        row: list[Cell] = [""] * max(width, min(max(cells) + 1, COLUMNS))
        for place, cell in cells.items():
            if place < len(row):
                row[place] = cell
            else:
                problems.add(number, "", "too_many_cells", columns=width, cell=f"{letters(place)}{number}")
        yield Row(number, row, "\t".join(map(str, row))[:CELL_CHARACTERS])


def _sheet_rows(book: Book, problems: Problems, tell: Tell) -> Iterator[tuple[int, dict[int, Cell]]]:
    """The rows that hold a value, by place; what cannot be a value is noted and left blank."""
    reading, splitter = SheetParser(book.shared), Splitter()
    feed = parser()
    reading.listen(feed)
    for block in _blocks(book, tell):
        with refusing("workbook_broken"):
            for before, number, plain in splitter.pieces(without_blank_rows(block)):
                if before:
                    feed.Parse(before, False)
                if number:
                    reading.plain_row(number, plain)
            if not block:
                feed.Parse(b"", True)
        for number, found in reading.taken():
            if cells := _cells(book, number, found, problems):
                yield number, cells


def without_blank_rows(block: bytes) -> bytes:
    """The block without whole rows that hold nothing; looked for only where some element is empty."""
    return BLANK_ROWS.sub(b"", block) if b"/>" in block else block


def _blocks(book: Book, tell: Tell) -> Iterator[bytes]:
    """The sheet's XML in blocks; the last one is empty."""
    in_all, done = book.archive.getinfo(book.sheet).file_size, 0
    try:
        with book.archive.open(book.sheet) as source:
            block = b"?"
            while block:
                tell(Stage.OPENING, done, in_all)
                block = source.read(BLOCK_BYTES)
                done += len(block)
                yield block
    except DAMAGED:
        raise PriceFileError("workbook_broken") from None


def _cells(book: Book, number: int, found: list[Found], problems: Problems) -> dict[int, Cell]:
    cells: dict[int, Cell] = {}
    for place, value, style in found:
        if isinstance(value, str):
            if text := value.strip():
                cells[place] = text
        elif isinstance(value, Decimal):
            cells[place] = _of_number(value, book.styles[style] if style < len(book.styles) else Style(), book)
        elif isinstance(value, ErrorValue):
            code = "formula_without_value" if value is EMPTY_FORMULA else "cell_error"
            problems.add(number, "", code, cell=f"{letters(place)}{number}", text=value.text)
        else:
            cells[place] = value
    return cells


class SignedAmount(Decimal):
    """A number whose format writes a currency sign beside it."""

    currency = ""


def _of_number(value: Decimal, style: Style, book: Book) -> Cell:
    if style.is_date:
        return _date(value, book.from_1904)
    if style.currency:
        signed = SignedAmount(value)
        signed.currency = style.currency
        return signed
    return value


@lru_cache(maxsize=1024)
def _date(serial: Decimal, from_1904: bool) -> Cell:
    """The day, or the day and time, of a serial number; the number itself when it is none."""
    epoch = dt.datetime(1904, 1, 1) if from_1904 else dt.datetime(1899, 12, 30)  # noqa: DTZ001  (a workbook has no zone)
    try:
        moment = epoch + dt.timedelta(seconds=round(float(serial) * 86_400))
    except (OverflowError, ValueError):
        return serial
    return moment.date() if moment.time() == dt.time() else moment


def _book(content: bytes) -> Book:
    archive = opened(content)
    names = {name.casefold(): name for name in archive.namelist()}
    types = part_bytes(archive, CONTENT_TYPES, SMALL_PART_BYTES) if CONTENT_TYPES.casefold() in names else b""
    if any(name.startswith(MACROS) or "vbaproject" in name for name in names) or b"macroEnabled" in types:
        raise PriceFileError("workbook_macros")
    if any(name.startswith(EXTERNAL) for name in names):
        raise PriceFileError("workbook_external_links")
    if MAIN not in archive.namelist():
        raise PriceFileError("workbook_binary" if "xl/workbook.bin" in names else "not_a_workbook")
    sheet, left_out, from_1904 = _first_sheet(archive)
    if archive.getinfo(sheet).file_size > UNPACKED_BYTES:
        raise PriceFileError("archive_bomb", limit=UNPACKED_BYTES, parts=0)
    return Book(archive, sheet, left_out, _shared(archive), _styles(archive), from_1904)


def _first_sheet(archive: zipfile.ZipFile) -> tuple[str, tuple[str, ...], bool]:
    """The part of the first visible sheet, the names of the other visible ones, and whether days count from 1904."""
    found = elements(part_bytes(archive, MAIN, SMALL_PART_BYTES))
    targets = {
        given.get("Id", ""): given.get("Target", "")
        for name, given in elements(part_bytes(archive, RELATIONS, SMALL_PART_BYTES))
        if name == "Relationship"
    }
    sheets = [given for name, given in found if name == "sheet" and given.get("state") not in HIDDEN]
    properties = next((given for name, given in found if name == "workbookPr"), {})
    for index, sheet in enumerate(sheets):
        relation = next((value for key, value in sheet.items() if key.endswith(":id")), "")
        path = posixpath.normpath(posixpath.join("xl", targets.get(relation, ""))).lstrip("/")
        if path in archive.namelist() and "worksheets/" in path:
            others = tuple(other.get("name", "")[:40] for other in sheets[index + 1 :])
            return path, others, properties.get("date1904") in ("1", "true")
    raise PriceFileError("not_a_workbook")


def _shared(archive: zipfile.ZipFile) -> list[str]:
    """The shared texts, the guides to their pronunciation left out."""
    name = "xl/sharedStrings.xml"
    if name not in archive.namelist():
        return []
    texts, feed = SharedTexts(), parser()
    texts.listen(feed)
    with refusing("workbook_broken"):
        feed.Parse(part_bytes(archive, name), True)
    return texts.found


def _styles(archive: zipfile.ZipFile) -> list[Style]:
    name = "xl/styles.xml"
    if name not in archive.namelist():
        return []
    formats: dict[str, str] = {str(key): code for key, code in BUILTIN_FORMATS.items()}
    styles: list[Style] = []
    inside = False
    for element, given in elements(part_bytes(archive, name, SMALL_PART_BYTES)):
        if element == "numFmt":
            formats[given.get("numFmtId", "")] = given.get("formatCode", "")
        elif element in ("cellXfs", "/cellXfs"):
            inside = element == "cellXfs"
        elif element == "xf" and inside:
            styles.append(_style(formats.get(given.get("numFmtId", "0"), "General")))
    return styles


@lru_cache(maxsize=256)
def _style(code: str) -> Style:
    found = SYMBOL.search(code)
    symbol = next((group for group in found.groups() if group), "") if found else ""
    return Style(bool(is_date_format(code)), CURRENCY_OF_FORMAT.get(symbol.strip(), symbol.strip()))
