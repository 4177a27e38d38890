"""What a price file says once it is read: the contract between the readers and what compares and applies.

Everything is frozen and knows no database. A line that could not be read is not among `lines`; it is named by a
problem. Amounts are already in the one unit of their component, instants in UTC. `None` always means: the file does
not say.
"""

import datetime as dt
import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

Value = str | int | Decimal | tuple[str, ...]
SheetValue = str | int | float | bool
WHOLE_FILE = 0
"""The line number of a problem of the whole file."""
ITEM_NOT_SAID = ""
"""The kind of an item of an API file without the column `item_kind`: an API model or an embedding, by its code."""


class FileKind(enum.StrEnum):
    """What the rows of a file are."""

    GPU = "gpu"
    LLM = "llm"
    FX = "fx"
    GPU_SHEET = "gpu_sheet"
    MODEL_SHEET = "model_sheet"


class FileFormat(enum.StrEnum):
    """How a file was written."""

    CSV = "csv"
    XLSX = "xlsx"
    JSON = "json"
    ECB_XML = "ecb_xml"
    ECB_CSV = "ecb_csv"
    ECB_PORTAL = "ecb_portal"


class Severity(enum.StrEnum):
    """An error keeps the whole file out; a warning is shown and nothing more."""

    ERROR = "error"
    WARNING = "warning"


class PriceFileError(Exception):
    """A file that is refused as a whole before its rows are looked at. The only exception that reading raises.

    `code` and `values` are worded by presenters/pricelist.py.
    """

    def __init__(self, code: str, **values: Value) -> None:
        super().__init__(f"{code} {values}" if values else code)
        self.code, self.values = code, values


@dataclass(frozen=True, slots=True)
class LineProblem:
    """What is wrong with one cell, line or (line 0) the file. `line_no` counts from 1, the header included.

    `column` is the file's own header of the cell, "" for the whole line. `values` fill the sentence of `code`; for a
    workbook they hold `cell` ("B3").
    """

    line_no: int
    column: str
    code: str
    values: Mapping[str, Value] = field(default_factory=dict)
    severity: Severity = Severity.ERROR


@dataclass(frozen=True, slots=True)
class ItemFields:
    """The data-sheet columns of an item: needed for a new one, compared with a known one. None = not in the file."""

    provider: str | None = None
    label_fr: str | None = None
    label_en: str | None = None
    gpu: str | None = None
    gpu_count: int | None = None
    vram_gb: float | None = None
    interconnect: str | None = None
    context_window: int | None = None
    status: str | None = None
    retired_on: dt.date | None = None
    replaced_by: str | None = None
    aliases: tuple[str, ...] = ()


NOTHING_SAID = ItemFields()
NEEDED_OF_NEW_SKU = ("provider", "label_fr", "label_en", "gpu", "gpu_count", "vram_gb")
NEEDED_OF_NEW_MODEL = ("provider",)
"""Without labels a new API model or embedding is called by its code."""


@dataclass(frozen=True, slots=True)
class Price:
    """One price as the file asks for it. `item_kind` is a CatalogItem.Kind, or ITEM_NOT_SAID; `code` is as written.

    `amount` is None for a withdrawal. `valid_from` None = from the moment of application. `valid_until` is the first
    instant at which what stood before is restored.
    """

    item_kind: str
    code: str
    component: str
    mode: str
    region: str
    context_over: int
    window: str
    currency: str
    unit: str
    kind: str
    amount: Decimal | None
    valid_from: dt.datetime | None = None
    valid_until: dt.datetime | None = None
    origin: str = "upload"
    source_url: str = ""
    checked_on: dt.date | None = None
    note: str = ""
    note_fr: str = ""
    item: ItemFields = NOTHING_SAID


@dataclass(frozen=True, slots=True)
class Item:
    """A line that states an item and no price of it: a SKU on request, another alias, a new label."""

    item_kind: str
    code: str
    item: ItemFields
    valid_from: dt.datetime | None = None


@dataclass(frozen=True, slots=True)
class Rate:
    """An exchange rate: units of `quote` for one euro on a day. `source` is an FxRate.Source."""

    quote: str
    rate: Decimal
    rate_date: dt.date
    source: str
    source_url: str = ""
    note: str = ""
    note_fr: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A data sheet of a GPU or an open-weights model: the file's cells that are not empty, by column of its table."""

    name: str
    values: Mapping[str, SheetValue]


Content = Price | Item | Rate | Sheet


@dataclass(frozen=True, slots=True)
class ParsedLine:
    """One line that was read. `raw` is the line as it stood, its cells joined by the delimiter."""

    line_no: int
    raw: str
    content: Content


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """A whole file. `encoding`, `delimiter` and `decimal_mark` are "" where the format has none or nothing decides it.

    `decimal_mark_declared` is True where the mark was stated by the person or by the format, not deduced. `columns`
    are the recognised columns in the file's order; `rows_count` counts the rows that are not blank, bad ones included.
    """

    kind: FileKind
    format: FileFormat
    encoding: str
    delimiter: str
    decimal_mark: str
    lines: tuple[ParsedLine, ...]
    problems: tuple[LineProblem, ...]
    decimal_mark_declared: bool = False
    columns: tuple[str, ...] = ()
    rows_count: int = 0

    @property
    def errors(self) -> tuple[LineProblem, ...]:
        """The problems that keep the file out."""
        return tuple(problem for problem in self.problems if problem.severity is Severity.ERROR)

    @property
    def warnings(self) -> tuple[LineProblem, ...]:
        """The problems that are only shown."""
        return tuple(problem for problem in self.problems if problem.severity is Severity.WARNING)


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What the person who uploads has said about the file; everything left out is deduced or asked back for.

    `columns` maps the file's headers to columns of the kind, "" to leave one out. `today` (in Paris) bounds
    `checked_on`. `origin` is stamped on every price: files do not say it.
    """

    kind: FileKind | None = None
    encoding: str = ""
    decimal_mark: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    today: dt.date | None = None
    origin: str = "upload"
