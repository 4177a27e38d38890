"""From the bytes of a price file to what it says: the one way in for every format.

All that is wrong is said at once. Nothing is guessed: what has two readings is an error that shows both. Reading
touches no database.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from calculator.pricelist import ecb, jsonfile, workbook
from calculator.pricelist.amounts import Decision, both_readings, decide, written
from calculator.pricelist.cells import Cells, shown
from calculator.pricelist.columns import COLUMNS, NEEDED, NUMBERS, OF_A_PRICE, folded, kind_of, named
from calculator.pricelist.contract import (
    Content,
    FileKind,
    ParsedFile,
    ParsedLine,
    PriceFileError,
    ReadOptions,
)
from calculator.pricelist.delimited import decoded, of_text
from calculator.pricelist.limits import FILE_BYTES
from calculator.pricelist.memory import collecting_later
from calculator.pricelist.otherlines import RateLines, SheetLines
from calculator.pricelist.priceline import PriceLines
from calculator.pricelist.progress import Stage, Tell, nobody, told
from calculator.pricelist.repeats import Repeats
from calculator.pricelist.table import Problems, Row, Table

ZIP = b"PK"
OLD_OFFICE = b"\xd0\xcf\x11\xe0"
XML_STARTS = (b"<?xml", b"<gesmes", b"<")
JSON_STARTS = (b"{", b"[")
UTF8_MARK = b"\xef\xbb\xbf"
MACRO_NAMES = (".xlsm", ".xltm", ".xlam", ".xlsb")
NO_OPTIONS = ReadOptions()
AGREED_MARK = ","
"""The mark that is tried where the cells contradict each other: that is the problem to show, not its consequences."""


def table_of(content: bytes, name: str, options: ReadOptions = NO_OPTIONS, tell: Tell = nobody) -> Table:
    """The rows of a file of any format, by what its bytes are rather than by its name. PriceFileError."""
    if len(content) > FILE_BYTES:
        raise PriceFileError("file_too_large", limit=FILE_BYTES, size=len(content))
    if name.casefold().endswith(MACRO_NAMES):
        raise PriceFileError("workbook_macros")
    if content.startswith((ZIP, OLD_OFFICE)):
        inner = ecb.zipped_csv(content)
        return workbook.table(content, tell) if inner is None else _of_text(inner, options)
    start = content.removeprefix(UTF8_MARK).lstrip()[:16]
    if start.startswith(XML_STARTS):
        return ecb.of_xml(content)
    if start.startswith(JSON_STARTS) or name.casefold().endswith(".json"):
        return jsonfile.table(content, options.encoding)
    return _of_text(content, options)


def _of_text(content: bytes, options: ReadOptions) -> Table:
    text, encoding = decoded(content, options.encoding)
    table = of_text(text, encoding, "" if options.encoding else encoding, options.columns)
    if ecb.looks_like_csv(table.header):
        return ecb.of_csv(text, encoding)
    if ecb.looks_like_portal(table.header):
        return ecb.of_portal(text, encoding, table.delimiter)
    return table


def read(content: bytes, name: str, options: ReadOptions = NO_OPTIONS, tell: Tell = nobody) -> ParsedFile:
    """What a price file says, with every problem of every line; `tell` learns how far it is.

    The only exception is PriceFileError, for a file that is refused as a whole.
    """
    with collecting_later():
        return read_table(table_of(content, name, options, tell), options, tell)


def read_table(table: Table, options: ReadOptions = NO_OPTIONS, tell: Tell = nobody) -> ParsedFile:
    """The same for a table that is open already."""
    columns = named(table.header, options.columns)
    kind = options.kind or table.kind or kind_of(columns)
    problems = Problems()
    for problem in table.problems:
        problems.found.append(problem)
    known = _known_columns(table, columns, kind, problems)
    decision = _decision(table, known, kind, options)
    mark = options.decimal_mark or table.decimal_mark or decision.mark
    _note_decision(decision, problems)
    cells = Cells(table, known, AGREED_MARK if decision.against else mark, problems)
    cells.undecided = frozenset(line for line, _text in decision.undecidable)
    reading = _Reading(table, kind, cells, problems, options, tell)
    lines = tuple(reading.lines())
    if not reading.rows_count and not problems.found:
        raise PriceFileError("no_rows")
    return ParsedFile(
        kind=kind,
        format=table.format,
        encoding=table.encoding,
        delimiter=table.delimiter,
        decimal_mark=mark,
        lines=lines,
        problems=problems.all(),
        decimal_mark_declared=bool(options.decimal_mark or table.decimal_mark),
        columns=tuple(column for column in known if column),
        rows_count=reading.rows_count,
    )


def _known_columns(table: Table, columns: Sequence[str], kind: FileKind, problems: Problems) -> tuple[str, ...]:
    """The columns by place, "" where the kind has none of that name; notes what is unknown, twice or absent."""
    line = table.header_line
    seen: dict[str, int] = {}
    known = []
    for place, column in enumerate(columns):
        right = column in COLUMNS[kind]
        header = table.header[place].strip()[:60]
        if column and not right:
            problems.add(line, header, "unknown_column", name=header)
        elif right and column in seen:
            problems.add(line, header, "column_twice", name=column)
            right = False
        seen.setdefault(column, place)
        known.append(column if right else "")
    for column in NEEDED[kind]:
        if column not in known and not (column in OF_A_PRICE and _states_items_only(known)):
            problems.add(line, column, "column_missing", name=column)
    return tuple(known)


def _states_items_only(known: Iterable[str]) -> bool:
    """Whether a GPU or API file has no column of a price at all."""
    return not set(known) & set(OF_A_PRICE)


def _decision(table: Table, known: Sequence[str], kind: FileKind, options: ReadOptions) -> Decision:
    """The decimal mark that the cells decide; nothing to decide where it is stated or prescribed."""
    if options.decimal_mark or table.decimal_mark:
        return Decision("")
    places = [place for place, column in enumerate(known) if column in NUMBERS[kind]]
    return decide(_numbers(table.rows(Problems()), places))


def _numbers(rows: Iterable[Row], places: Sequence[int]) -> Iterator[tuple[int, str]]:
    for row in rows:
        for place in places:
            if place < len(row.cells) and isinstance(cell := row.cells[place], str) and cell:
                yield row.line_no, cell


def _note_decision(decision: Decision, problems: Problems) -> None:
    if decision.against:
        (comma_line, comma), (point_line, point) = decision.against
        problems.add(
            min(comma_line, point_line),
            "",
            "decimal_marks_differ",
            comma_line=comma_line,
            comma=shown(comma),
            point_line=point_line,
            point=shown(point),
        )
    for line, text in decision.undecidable:
        comma_reading, point_reading = both_readings(text)
        problems.add(
            line,
            "",
            "decimal_mark_undecidable",
            text=shown(text),
            with_comma=written(comma_reading),
            with_point=written(point_reading),
        )


Lines = PriceLines | RateLines | SheetLines


@dataclass(slots=True)
class _Reading:
    """One pass over the rows."""

    table: Table
    kind: FileKind
    cells: Cells
    problems: Problems
    options: ReadOptions
    tell: Tell
    rows_count: int = 0

    def lines(self) -> Iterator[ParsedLine]:
        """The lines that could be read and are not said twice."""
        reader, repeats = self._reader(), Repeats(self.problems)
        blanks = [place for place, column in enumerate(self.cells.columns) if not column]
        for row in told(self.table.rows(self.problems), self.tell, Stage.READING, self.table.lines_about):
            self.rows_count += 1
            self.cells.at(row.line_no, row.cells)
            if blanks or len(row.cells) > len(self.table.header):
                self._headless(row, blanks)
            content: Content | None = reader.content()
            if content is not None and repeats.is_new(row.line_no, content):
                yield ParsedLine(row.line_no, row.raw, content)

    def _reader(self) -> Lines:
        if self.kind in (FileKind.GPU, FileKind.LLM):
            return PriceLines(self.kind, self.cells, self.options.origin, self.options.today)
        if self.kind is FileKind.FX:
            return RateLines(self.cells, self.options.today)
        return SheetLines(self.kind, self.cells)

    def _headless(self, row: Row, blanks: Sequence[int]) -> None:
        """Cells beyond the header, or under a column without a name, must be blank."""
        header = self.table.header
        for place in (*blanks, *range(len(header), len(row.cells))):
            nameless = place >= len(header) or not folded(header[place])
            if nameless and place < len(row.cells) and str(row.cells[place]).strip():
                code = "too_many_cells" if place >= len(header) else "cell_without_header"
                self.cells.wrong("", code, columns=len(header), text=shown(row.cells[place]))
                return


def headers_of(content: bytes, name: str, options: ReadOptions = NO_OPTIONS) -> Mapping[str, tuple[str, ...]]:
    """Each header of a file with the first values under it, for the person who tells what it means."""
    table = table_of(content, name, options)
    samples: dict[str, list[str]] = {header.strip(): [] for header in table.header if header.strip()}
    for count, row in enumerate(table.rows(Problems())):
        for header, cell in zip(table.header, row.cells, strict=False):
            if cell != "" and header.strip() in samples:
                samples[header.strip()].append(shown(cell))
        if count + 1 >= SAMPLE_ROWS:
            break
    return {header: tuple(values) for header, values in samples.items()}


SAMPLE_ROWS = 3
