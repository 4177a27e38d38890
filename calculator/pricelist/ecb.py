"""The ECB's own files of reference rates, as a table of our columns: dollars for one euro, one row a working day.

Read are the XML (one day, ninety days, the whole history), the CSV of one day and of the history, either of them
zipped, and the CSV of the Data Portal. Other currencies than the dollar are left out, and counted.
"""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import IO

from calculator.pricelist.archives import BLOCK_BYTES, DAMAGED, opened, parser, part_bytes, refusing
from calculator.pricelist.contract import FileFormat, FileKind, LineProblem, PriceFileError, Severity
from calculator.pricelist.limits import ROWS
from calculator.pricelist.table import Problems, Row, Table

HEADER = ("rate_date", "base", "quote", "rate", "source", "source_url")
BASE, QUOTE, SOURCE = "EUR", "USD", "ECB"
ADDRESS = "https://www.ecb.europa.eu/stats/policy_and_exchange_rates/euro_reference_exchange_rates/html/index.en.html"
NO_RATE = ("N/A", "NaN", "")
CURRENCY = re.compile(r"[A-Z]{3}")
MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
LONG_DAY = re.compile(r"(?P<day>[0-9]{1,2}) (?P<month>[A-Za-z]+) (?P<year>[0-9]{4})")
PORTAL = ("CURRENCY", "CURRENCY_DENOM", "TIME_PERIOD", "OBS_VALUE")
PORTAL_SERIES = {"FREQ": "D", "EXR_TYPE": "SP00", "EXR_SUFFIX": "A"}
LEAST_CURRENCIES = 1
Found = tuple[int, str, str, str]
"""Line, day, rate, the line as it stood."""


def looks_like_csv(header: Sequence[str]) -> bool:
    """Whether a header is that of the ECB's CSV: Date, then currencies."""
    names = [name.strip() for name in header if name.strip()]
    return len(names) > LEAST_CURRENCIES and names[0] == "Date" and all(map(CURRENCY.fullmatch, names[1:]))


def looks_like_portal(header: Sequence[str]) -> bool:
    """Whether a header is that of the Data Portal."""
    return set(PORTAL) <= {name.strip() for name in header}


def _table(found: list[Found], left_out: int, written_as: FileFormat, encoding: str, delimiter: str = "") -> Table:
    if not found:
        raise PriceFileError("no_dollar_rate")
    if len(found) > ROWS:
        raise PriceFileError("too_many_rows", limit=ROWS)

    def rows(_problems: Problems) -> Iterator[Row]:
        for line, day, rate, raw in found:
            yield Row(line, [day, BASE, QUOTE, rate, SOURCE, ADDRESS], raw)

    note = LineProblem(0, "", "other_currencies_left_out", {"count": left_out}, Severity.WARNING)
    return Table(
        written_as,
        HEADER,
        rows,
        encoding=encoding,
        delimiter=delimiter,
        kind=FileKind.FX,
        decimal_mark=".",
        problems=(note,) if left_out else (),
    )


def of_csv(text: str, encoding: str) -> Table:
    """The ECB's CSV, of one day or of many."""
    reader = csv.reader(io.StringIO(text, newline=""), skipinitialspace=True)
    names = [name.strip() for name in next(reader, [])]
    if QUOTE not in names:
        raise PriceFileError("no_dollar_rate")
    place = names.index(QUOTE)
    found: list[Found] = []
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                rate = row[place].strip() if place < len(row) else ""
                if rate not in NO_RATE:
                    found.append((reader.line_num, long_day(row[0].strip()), rate, f"{row[0].strip()}, {rate}"))
    except csv.Error:
        raise PriceFileError("ecb_broken") from None
    others = sum(1 for name in names[1:] if name and name != QUOTE)
    return _table(found, others, FileFormat.ECB_CSV, encoding, ",")


def long_day(text: str) -> str:
    """A day of the ECB's CSV as 2026-10-30; what is no English long date stays as it is.

    >>> long_day("30 October 2026")
    '2026-10-30'
    """
    match = LONG_DAY.fullmatch(text)
    if match is None or match["month"].casefold() not in MONTHS:
        return text
    return f"{match['year']}-{MONTHS.index(match['month'].casefold()) + 1:02d}-{int(match['day']):02d}"


def of_portal(text: str, encoding: str, delimiter: str) -> Table:
    """The Data Portal's CSV; only the daily reference rate of the dollar is read."""
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    found: list[Found] = []
    others = 0
    try:
        for row in reader:
            if not _is_reference(row):
                others += 1
            elif (rate := (row["OBS_VALUE"] or "").strip()) not in NO_RATE:
                day = (row["TIME_PERIOD"] or "").strip()
                found.append((reader.line_num, day, rate, delimiter.join(_texts(row.values()))))
    except csv.Error:
        raise PriceFileError("ecb_broken") from None
    return _table(found, others, FileFormat.ECB_PORTAL, encoding, delimiter)


def _texts(values: Iterable[object]) -> list[str]:
    return [value for value in values if isinstance(value, str)]


def _is_reference(row: dict[str, str]) -> bool:
    series = all(row.get(name) in (None, "", value) for name, value in PORTAL_SERIES.items())
    return series and row["CURRENCY"] == QUOTE and row["CURRENCY_DENOM"] == BASE


def of_xml(content: bytes) -> Table:
    """The ECB's XML: dated cubes, each with a cube a currency."""
    reading = _Cubes()
    feed = parser()
    feed.StartElementHandler = reading.start
    reading.line = lambda: feed.CurrentLineNumber
    source: IO[bytes] = io.BytesIO(content)
    with refusing("ecb_broken"):
        while block := source.read(BLOCK_BYTES):
            feed.Parse(block, False)
        feed.Parse(b"", True)
    return _table(reading.found, len(reading.others), FileFormat.ECB_XML, "utf-8")


class _Cubes:
    """Takes the dollar's rate of each day while the XML is parsed."""

    def __init__(self) -> None:
        self.found: list[Found] = []
        self.others: set[str] = set()
        self.day = ""
        self.line: Callable[[], int] = lambda: 0

    def start(self, name: str, given: dict[str, str]) -> None:
        """A cube with a day holds cubes with a currency and its rate."""
        if name.rpartition(":")[2] != "Cube":
            return
        self.day = given.get("time", self.day)
        currency, rate = given.get("currency", ""), given.get("rate", "")
        if currency == QUOTE and rate not in NO_RATE:
            self.found.append((self.line(), self.day, rate, f"{self.day} {currency} {rate}"))
        elif currency:
            self.others.add(currency[:8])


def zipped_csv(content: bytes) -> bytes | None:
    """The only CSV inside a zip, None where the zip is something else."""
    archive = opened(content)
    try:
        names = [name for name in archive.namelist() if not name.endswith("/")]
    except DAMAGED:
        raise PriceFileError("archive_broken") from None
    if len(names) == 1 and names[0].casefold().endswith(".csv"):
        return part_bytes(archive, names[0])
    return None
