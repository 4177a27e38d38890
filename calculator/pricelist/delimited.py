"""CSV files: their encoding, their delimiter and their rows. Nothing is replaced and nothing is guessed in silence."""

import codecs
import csv
import io
from collections.abc import Iterator, Mapping
from typing import cast

from calculator.counting.decoding import is_binary, is_windows_1252
from calculator.pricelist.columns import named, recognised
from calculator.pricelist.contract import FileFormat, LineProblem, PriceFileError, Severity
from calculator.pricelist.limits import CELL_CHARACTERS, COLUMNS, ROWS
from calculator.pricelist.table import Cell, Problems, Row, Table

DELIMITERS = (",", ";", "\t")
ENCODINGS = {"utf-8": "utf-8-sig", "windows-1252": "cp1252", "utf-16": "utf-16"}
"""The encodings that a person may state, and their codecs."""
UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
HEADER_CHARACTERS = 20_000


def decoded(content: bytes, stated: str = "") -> tuple[str, str]:
    """The text of a file and its encoding. PriceFileError: encoding_unknown, encoding_wrong, binary, empty."""
    if not content.strip():
        raise PriceFileError("empty")
    if stated:
        return _as_stated(content, stated), stated
    if content.startswith(UTF_16_MARKS):
        return _as_stated(content, "utf-16"), "utf-16"
    try:
        return _text(content.decode("utf-8-sig")), "utf-8"
    except UnicodeDecodeError as error:
        position = error.start
    if is_binary(content):
        raise PriceFileError("binary")
    if is_windows_1252(content):
        try:
            return _text(content.decode("cp1252")), "windows-1252"
        except UnicodeDecodeError:
            pass
    raise PriceFileError("encoding_unknown", position=position, byte=f"0x{content[position]:02X}")


def _as_stated(content: bytes, stated: str) -> str:
    if stated not in ENCODINGS:
        raise PriceFileError("encoding_not_offered", encoding=stated, encodings=tuple(ENCODINGS))
    try:
        return _text(content.decode(ENCODINGS[stated]))
    except UnicodeError:
        raise PriceFileError("encoding_wrong", encoding=stated) from None


def _text(text: str) -> str:
    if "\0" in text:
        raise PriceFileError("binary")
    if not text.strip():
        raise PriceFileError("empty")
    return text


def table(content: bytes, stated: str = "", mapping: Mapping[str, str] | None = None) -> Table:
    """A CSV file. The delimiter is the one that gives the most known columns, else the most columns."""
    text, encoding = decoded(content, stated)
    return of_text(text, encoding, "" if stated else encoding, mapping or {})


def of_text(text: str, encoding: str, deduced: str, mapping: Mapping[str, str]) -> Table:
    """The same for a text that is decoded already."""
    start = _start(text)
    delimiter = max(DELIMITERS, key=lambda mark: _suits(_first_row(text, start, mark), mapping))
    header = _first_row(text, start, delimiter)
    if len(header) > COLUMNS:
        raise PriceFileError("too_many_columns", limit=COLUMNS)

    def rows(problems: Problems) -> Iterator[Row]:
        return _rows(text, start, delimiter, problems)

    warnings: tuple[LineProblem, ...] = ()
    if deduced == "windows-1252":
        warnings = (LineProblem(0, "", "read_as_windows_1252", {}, Severity.WARNING),)
    return Table(
        FileFormat.CSV,
        tuple(header),
        rows,
        encoding=encoding,
        delimiter=delimiter,
        problems=warnings,
        lines_about=text.count("\n", start),
    )


def _start(text: str) -> int:
    """Where the header begins: the first line that is not blank."""
    return len(text) - len(text.lstrip("\r\n \ufeff"))


def _first_row(text: str, start: int, delimiter: str) -> list[str]:
    head = text[start : start + HEADER_CHARACTERS]
    try:
        return next(csv.reader(io.StringIO(head, newline=""), delimiter=delimiter, strict=True), [])
    except csv.Error:
        return [head.partition("\n")[0].strip()]


def _suits(header: list[str], mapping: Mapping[str, str]) -> tuple[int, int]:
    return max(recognised(named(header, mapping)).values()), len(header)


class _Taken:
    """The physical lines of a text, kept until the row that they belong to is complete."""

    def __init__(self, text: str, start: int) -> None:
        self.stream = io.StringIO(text, newline="")
        self.stream.seek(start)
        self.kept: list[str] = []

    def __iter__(self) -> Iterator[str]:
        for line in self.stream:
            self.kept.append(line)
            yield line

    def raw(self) -> str:
        """What the last row was written in."""
        raw = self.kept[0] if len(self.kept) == 1 else "".join(self.kept)
        self.kept = []
        return raw.rstrip("\r\n")


def _rows(text: str, start: int, delimiter: str, problems: Problems) -> Iterator[Row]:
    before = text[:start].count("\n")
    taken = _Taken(text, start)
    reader = csv.reader(taken, delimiter=delimiter, strict=True)
    line, count = before + 1, 0
    try:
        for cells in reader:
            raw = taken.raw()
            if line > before + 1 and any(row := [cell.strip() for cell in cells]):
                count += 1
                if count > ROWS:
                    raise PriceFileError("too_many_rows", limit=ROWS)
                yield Row(line, cast(list[Cell], row), raw[:CELL_CHARACTERS])
            line = before + reader.line_num + 1
    except csv.Error as error:
        problems.add(line, "", "csv_broken", reason=str(error))
