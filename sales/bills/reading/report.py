"""A usage report, whatever provider it comes from: bytes in, lines of usage and problems out."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from calculator.pricelist.contract import PriceFileError
from sales.bills.reading import delimited, nested
from sales.bills.reading.cells import Cell, Held
from sales.bills.reading.formats import Format, Meaning
from sales.bills.reading.limits import BREAKS, FILE_BYTES, ROWS, TRAFFICS
from sales.bills.reading.lines import line
from sales.bills.reading.problems import Problem, Problems, ReportError
from sales.domain.bills import UsageLine, gathered

ARCHIVES = (b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b", b"7z\xbc\xaf", b"BZh", b"\xfd7zXZ", b"Rar!", b"%PDF")
JSON_STARTS = ("{", "[")


@dataclass(frozen=True, slots=True)
class Named:
    """What the visitor called the columns of his own file."""

    columns: Mapping[str, Meaning]
    includes_cache: bool
    currency: str


@dataclass(frozen=True, slots=True)
class Report:
    """What was read. With any of `problems` the report is not priced; `header` is that of a CSV whose columns the
    visitor names."""

    code: str
    provider: str
    lines: tuple[UsageLine, ...]
    problems: tuple[Problem, ...] = ()
    more_count: int = 0
    remarks: tuple[Problem, ...] = ()
    header: tuple[str, ...] = ()


def read(content: bytes, named: Named | None = None) -> Report:
    """The report in `content`. Raises ReportError where it is refused as a whole."""
    if len(content) > FILE_BYTES:
        raise ReportError("too_large", limit=str(FILE_BYTES // 10**6))
    if content.startswith(ARCHIVES):
        raise ReportError("archive")
    try:
        text, encoding = delimited.decoded(content)
    except PriceFileError as error:
        raise ReportError(error.code) from None
    if text.count("\n") > BREAKS:
        raise ReportError("too_many_rows", limit=str(ROWS))
    problems = Problems()
    if text.lstrip("\ufeff \r\n\t").startswith(JSON_STARTS):
        known, rows = nested.rows(text, problems)
        return _report(known, rows, ".", problems)
    return _of_table(text, encoding, named, problems)


def _of_table(text: str, encoding: str, named: Named | None, problems: Problems) -> Report:
    table = delimited.table(text, encoding, problems)
    mapping = (named.columns, named.includes_cache, named.currency) if named else None
    known = delimited.format_of(table, mapping, problems)
    if known is None:
        return Report("unknown", "", (), header=table.header)
    mark = delimited.mark_of(table, known, problems)
    found = _report(known, delimited.rows(table, known, problems), mark, problems)
    return replace(found, header=table.header) if named else found


def _report(
    known: Format,
    rows: Iterable[tuple[str, Mapping[Meaning, tuple[tuple[str, Cell], ...]]]],
    mark: str,
    problems: Problems,
) -> Report:
    """Every row as a line; more rows or models than a report holds refuse it."""
    found = []
    for number, (place, held) in enumerate(rows):
        if number >= ROWS:
            raise ReportError("too_many_rows", limit=str(ROWS))
        usage = line(Held(place, held, mark, problems), known)
        if usage is not None:
            found.append(usage)
    if not found and not problems.found:
        raise ReportError("no_rows")
    if len(gathered(found)) > TRAFFICS:
        raise ReportError("too_many_models", limit=str(TRAFFICS))
    remarks = tuple(problems.remarks.values())
    return Report(known.code, known.provider, tuple(found), tuple(problems.found), problems.more, remarks)
