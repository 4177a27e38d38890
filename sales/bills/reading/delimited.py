"""CSV reports: encoding and delimiter as price files have them, a header that is known or that the visitor names."""

from collections.abc import Iterator, Mapping

from calculator import fields
from calculator.pricelist import amounts, contract
from calculator.pricelist import delimited as files
from calculator.pricelist.table import Problems as TableProblems
from calculator.pricelist.table import Table
from sales.bills.reading.cells import Cell, text_of
from sales.bills.reading.formats import COSTS_MARKS, COUNTS, NEEDED, Format, Meaning, generic, recognised
from sales.bills.reading.problems import Problems, ReportError

decoded = files.decoded
NUMBERS = (*COUNTS, Meaning.REQUESTS, Meaning.AMOUNT)


def table(text: str, encoding: str, problems: Problems) -> Table:
    """The rows of a text; a header that holds a name twice is a fault."""
    try:
        found = files.of_text(text, encoding, "", {})
    except contract.PriceFileError as error:
        raise ReportError(error.code) from None
    names = [folded(name) for name in found.header]
    for name in sorted({name for name in names if name and names.count(name) > 1}):
        problems.add("1", name[:60], "header_twice", text=fields.printable(name)[:60])
    return found


def folded(name: str) -> str:
    """A column's name as it is looked up."""
    return " ".join(name.strip().casefold().split())


def format_of(held: Table, named: tuple[Mapping[str, Meaning], bool, str] | None, problems: Problems) -> Format | None:
    """The export that the header tells, or the one that the visitor describes; None where nobody knows it."""
    header = frozenset(map(folded, held.header))
    if known := recognised(header):
        return known
    if any(marks <= header for marks in COSTS_MARKS):
        raise ReportError("costs_only")
    if named is None:
        return None
    columns, includes_cache, currency = named
    for meaning in NEEDED:
        if meaning not in columns.values():
            problems.add("", "", "column_missing", text=meaning.value)
    return generic({folded(name): meaning for name, meaning in columns.items()}, includes_cache, currency)


def rows(
    held: Table, known: Format, problems: Problems
) -> Iterator[tuple[str, Mapping[Meaning, tuple[tuple[str, Cell], ...]]]]:
    """Each row's line number and its cells by meaning."""
    wanted = [(place, name, known.columns.get(folded(name))) for place, name in enumerate(held.header)]
    for row in _rows(held, problems):
        by_meaning: dict[Meaning, list[tuple[str, Cell]]] = {}
        if len(row[1]) > len(held.header):
            problems.add(row[0], "", "too_many_cells")
        for place, name, meaning in wanted:
            if meaning is not None and place < len(row[1]):
                by_meaning.setdefault(meaning, []).append((name, row[1][place]))
        yield row[0], {meaning: tuple(cells) for meaning, cells in by_meaning.items()}


def _rows(held: Table, problems: Problems) -> Iterator[tuple[str, list[str]]]:
    noted = TableProblems()
    try:
        for row in held.rows(noted):
            yield str(row.line_no), [text_of(cell if isinstance(cell, str) else str(cell)) for cell in row.cells]
    except contract.PriceFileError as error:
        raise ReportError(error.code, limit=str(error.values.get("limit", ""))) from None
    for problem in noted.found:
        problems.add(str(problem.line_no), "", problem.code)


def mark_of(held: Table, known: Format, problems: Problems) -> str:
    """The decimal mark of the whole file: a dot in an export, in a visitor's own file what its numbers show."""
    if not known.deduces_mark:
        return "."
    columns = [place for place, name in enumerate(held.header) if known.columns.get(folded(name)) in NUMBERS]
    found = amounts.decide(
        (int(line), row[place]) for line, row in _rows(held, Problems()) for place in columns if place < len(row)
    )
    if found.against:
        (first, one), (second, two) = found.against
        problems.add(str(second), "", "two_marks", text=f"{one} ({first}), {two} ({second})")
    for line, text in found.undecidable:
        problems.add(str(line), "", "two_readings", text=text[:60])
    return found.mark
