"""A file as rows of cells, whatever it was written in: what all readers give and what the lines are read from."""

import datetime as dt
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from calculator.pricelist.contract import FileFormat, FileKind, LineProblem, Severity, Value
from calculator.pricelist.limits import PROBLEMS

Cell = str | Decimal | bool | dt.date | dt.datetime
"""A cell. A text has no spaces around it and "" is a blank cell; a number of a workbook or of JSON is exact; dates come
from workbooks only."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row that is not blank. `line_no` counts from 1; `raw` is the row as it stood."""

    line_no: int
    cells: list[Cell]
    raw: str


class Problems:
    """What was found wrong so far. The first thousands are kept one by one, the rest is counted in one last problem."""

    def __init__(self) -> None:
        self.found: list[LineProblem] = []
        self.more = 0

    def add(self, line_no: int, column: str, code: str, severity: Severity = Severity.ERROR, **values: Value) -> None:
        """Note one problem."""
        if len(self.found) < PROBLEMS:
            self.found.append(LineProblem(line_no, column, code, values, severity))
        else:
            self.more += 1

    def all(self) -> tuple[LineProblem, ...]:
        """Every problem in order of line."""
        found = sorted(self.found, key=lambda problem: problem.line_no)
        if self.more:
            found.append(LineProblem(0, "", "more_problems", {"count": self.more}))
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Table:
    """A file whose header is known; `rows` reads it from its beginning each time, and may note problems.

    `kind` is what the file itself says it is. `cell_names` is True where a cell has a name of its own (“B3”).
    `decimal_mark` is the one that the format prescribes, "" where the cells decide.
    """

    format: FileFormat
    header: tuple[str, ...]
    rows: Callable[[Problems], Iterator[Row]]
    encoding: str = ""
    delimiter: str = ""
    kind: FileKind | None = None
    cell_names: bool = False
    decimal_mark: str = ""
    header_line: int = 1
    problems: tuple[LineProblem, ...] = ()
    """What was found before the rows were read."""
    lines_about: int = 0
    """How many lines there are, for whoever waits: more than rows where some are blank or hold a line break."""
    known: Mapping[str, str] = field(default_factory=dict)
    """The meaning of headers that are the format's own."""


def letters(index: int) -> str:
    """The name of a workbook's column counted from 0.

    >>> letters(0), letters(27)
    ('A', 'AB')
    """
    name, rest = "", index + 1
    while rest:
        rest, digit = divmod(rest - 1, 26)
        name = chr(ord("A") + digit) + name
    return name
