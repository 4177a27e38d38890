"""What a file would do to the catalogue: one entry a line, each with the rows it plans. Nothing here is written yet."""

import datetime as dt
import enum
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple

from calculator.pricelist.contract import LineProblem, Price, Rate, Severity, SheetValue


class Verdict(enum.StrEnum):
    """What a line means for the catalogue."""

    NEW = "new"
    CHANGED = "changed"
    WITHDRAWN = "withdrawn"
    UNCHANGED = "unchanged"
    ERROR = "error"


class PriceKey(NamedTuple):
    """What two prices share when the later one replaces the earlier. `code` is in lower case."""

    item_kind: str
    code: str
    component: str
    mode: str
    region: str
    context_over: int
    window: str
    currency: str


@dataclass(frozen=True, slots=True)
class PlannedPrice:
    """A price row to come. `valid_from` None = from the moment of application; `restores` what stood before."""

    key: PriceKey
    kind: str
    amount: Decimal | None
    valid_from: dt.datetime | None
    price: Price
    restores: bool = False


@dataclass(frozen=True, slots=True)
class PlannedRate:
    """An exchange rate to come."""

    rate: Rate


@dataclass(frozen=True, slots=True)
class PlannedItem:
    """An item to create (`before` None) or the columns of a known one to change."""

    item_kind: str
    code: str
    values: Mapping[str, Any]
    before: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class PlannedAlias:
    """Another name of an item, from an instant on."""

    item_kind: str
    code: str
    alias: str
    valid_from: dt.datetime | None


@dataclass(frozen=True, slots=True)
class PlannedSheet:
    """A data sheet to create (`before` None) or the columns of a known one to change."""

    kind: str
    name: str
    values: Mapping[str, SheetValue]
    before: Mapping[str, Any] | None


Write = PlannedPrice | PlannedRate | PlannedItem | PlannedAlias | PlannedSheet


@dataclass(frozen=True, slots=True)
class Entry:
    """One line compared with the catalogue: old and new amount, the change in percent, and what would be written.

    `old_kind` and `new_kind` are those of the price rows, "" where there is none.
    For a rate `item` is its currency and `component` is "rate"; for items and sheets `before` and `after` are texts.
    `voids` are ids of planned prices (of rates, for a rate) that the line replaces.
    """

    line_no: int
    raw: str
    verdict: Verdict
    item: str = ""
    component: str = ""
    mode: str = ""
    context_over: int = 0
    currency: str = ""
    unit: str = ""
    valid_from: dt.datetime | None = None
    old: Decimal | None = None
    new: Decimal | None = None
    percent: float | None = None
    current_row: int | None = None
    is_backdated: bool = False
    before: str = ""
    after: str = ""
    writes: tuple[Write, ...] = ()
    voids: tuple[int, ...] = ()
    old_kind: str = ""
    new_kind: str = ""


@dataclass(frozen=True, slots=True)
class Diff:
    """A whole file against one version, for one audience: entries in the order of the file, and every problem.

    `digest` is equal for two comparisons that would write the same, whatever the moment they were made at.
    """

    version: int
    audience: str
    at: dt.datetime
    entries: tuple[Entry, ...]
    problems: tuple[LineProblem, ...] = ()
    digest: str = ""
    counts: Mapping[str, int] = field(default_factory=Counter)

    @property
    def errors(self) -> tuple[LineProblem, ...]:
        """The problems that keep the whole file out."""
        return tuple(problem for problem in self.problems if problem.severity is Severity.ERROR)

    @property
    def is_empty(self) -> bool:
        """Whether the file would change nothing."""
        return not any(entry.writes or entry.voids for entry in self.entries)

    @property
    def is_backdated(self) -> bool:
        """Whether some price would begin in the past."""
        return any(entry.is_backdated for entry in self.entries)


def percent_of(old: Decimal | None, new: Decimal | None) -> float | None:
    """The change from `old` to `new` in percent of `old`; None where there is no old amount to compare with.

    >>> percent_of(Decimal("1.50"), Decimal("1.80"))
    20.0
    """
    if old is None or new is None or not old:
        return None
    return float((new - old) / old * 100)
