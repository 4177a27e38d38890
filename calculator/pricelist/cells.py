"""Reading one row's cells by column: each asks for one type and notes the problem where the cell holds another."""

import datetime as dt
import re
from collections.abc import Collection, Sequence
from decimal import Decimal
from functools import lru_cache
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from calculator.pricelist.amounts import EXPONENT_LIMIT, NumberError, bare, decimals, number
from calculator.pricelist.contract import Severity, Value
from calculator.pricelist.limits import AMOUNT_BELOW, CELL_CHARACTERS, FIRST_DAY, LAST_DAY, WHOLE_BELOW
from calculator.pricelist.table import Cell, Problems, Table, letters

PARIS = ZoneInfo("Europe/Paris")
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
INSTANT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2})?(?:Z|[+-][0-9]{2}:[0-9]{2})?")
WHOLE = re.compile(r"[0-9]{1,3}(?:[ \u00a0\u202f\u2009][0-9]{3})+|[0-9]+")
SPACES_OR_SIGN = re.compile("[\u0020\u00a0\u202f\u2009]")
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
FLAGS = {"true": True, "false": False, "1": True, "0": False, "oui": True, "non": False, "yes": True, "no": False}
GUARD = "'"
GUARDED = ("'=", "'+", "'-", "'@", "'\t", "'\r", "'\n", "''")
"""How exports.py writes a text that a spreadsheet would run; the first apostrophe is not the text's."""
SHOWN_CHARACTERS = 60


class CellError(ValueError):
    """A cell that is not what its column holds."""

    def __init__(self, code: str, **values: Value) -> None:
        super().__init__(code)
        self.code, self.values = code, values


@lru_cache(maxsize=4096)
def day_of(text: str) -> dt.date:
    """A calendar day, written 2026-12-01. CellError: not_a_day, day_out_of_range."""
    if not DAY.fullmatch(text):
        raise CellError("not_a_day")
    try:
        day = dt.date.fromisoformat(text)
    except ValueError:
        raise CellError("not_a_day") from None
    return within(day)


def within(day: dt.date) -> dt.date:
    """`day`, unless no price list could mean it."""
    if not FIRST_DAY <= day <= LAST_DAY:
        raise CellError("day_out_of_range", first=FIRST_DAY.isoformat(), last=LAST_DAY.isoformat())
    return day


def midnight(day: dt.date) -> dt.datetime:
    """The instant at which a day begins in Paris, in UTC.

    >>> midnight(dt.date(2026, 12, 1)).isoformat()
    '2026-11-30T23:00:00+00:00'
    """
    return dt.datetime.combine(day, dt.time(), PARIS).astimezone(dt.UTC)


@lru_cache(maxsize=4096)
def instant_of(text: str) -> dt.datetime:
    """An instant with its offset, or a day, which begins at midnight in Paris. In UTC. CellError."""
    if DAY.fullmatch(text):
        return midnight(day_of(text))
    if not INSTANT.fullmatch(text):
        raise CellError("not_an_instant")
    try:
        moment = dt.datetime.fromisoformat(text)
    except ValueError:
        raise CellError("not_an_instant") from None
    if moment.tzinfo is None:
        raise CellError("instant_without_offset")
    within(moment.date())
    return moment.astimezone(dt.UTC)


@lru_cache(maxsize=4096)
def link_of(text: str) -> str:
    """A web address that a page may link to. CellError: not_a_link."""
    try:
        parts = urlsplit(text)
    except ValueError:
        raise CellError("not_a_link") from None
    if parts.scheme not in ("http", "https") or not parts.netloc or SPACES_OR_SIGN.search(text):
        raise CellError("not_a_link")
    return text


def shown(cell: Cell) -> str:
    """A cell as a sentence quotes it."""
    text = cell.isoformat() if isinstance(cell, dt.date) else str(cell)
    return CONTROL.sub("\ufffd", text.strip())[:SHOWN_CHARACTERS]


class Cells:
    """The cells of the row that is being read, by column."""

    def __init__(self, table: Table, columns: Sequence[str], mark: str, problems: Problems) -> None:
        self.columns = tuple(columns)
        self.places = {column: index for index, column in enumerate(columns) if column}
        self.undecided: frozenset[int] = frozenset()
        self.table, self.mark, self.problems = table, mark, problems
        self.found: dict[str, Cell] = {}
        self.line_no = 0
        self.bad = False

    def at(self, line_no: int, row: list[Cell]) -> None:
        """Begin another row."""
        self.line_no, self.bad = line_no, False
        self.found = {column: cell for column, cell in zip(self.columns, row, strict=False) if cell != ""}

    def cell(self, column: str) -> Cell:
        """A cell as it stands, "" where it is blank or the file has no such column."""
        return self.found.get(column, "")

    def wrong(self, column: str, code: str, **values: Value) -> None:
        """Note what is wrong with a cell of this row, which then says nothing."""
        self.bad = True
        self._note(column, code, Severity.ERROR, values)

    def warn(self, column: str, code: str, **values: Value) -> None:
        """Note what should be looked at in this row."""
        self._note(column, code, Severity.WARNING, values)

    def _note(self, column: str, code: str, severity: Severity, values: dict[str, Value]) -> None:
        place = self.places.get(column)
        header = self.table.header[place].strip() if place is not None else column
        if self.table.cell_names and place is not None:
            values = {**values, "cell": f"{letters(place)}{self.line_no}"}
        self.problems.add(self.line_no, header[:SHOWN_CHARACTERS], code, severity, **values)

    def text(self, column: str, limit: int) -> str:
        """A text without spaces around it. A number or a date of a workbook is not a text: 17 may have been 0017."""
        text = self.found.get(column)
        if text is None:
            return ""
        if not isinstance(text, str):
            self.wrong(column, "number_for_text", text=shown(text))
            return ""
        if text[0] == GUARD and text.startswith(GUARDED):
            text = text.removeprefix(GUARD)
        if len(text) > min(limit, CELL_CHARACTERS):
            self.wrong(column, "text_too_long", limit=limit)
            return ""
        if "\ufffd" in text or (not text.isprintable() and CONTROL.search(text)):
            self.wrong(column, "characters_lost", text=shown(text))
            return ""
        return text

    def needed(self, column: str, limit: int) -> str:
        """A text that must be there."""
        before = self.bad
        self.bad = False
        text = self.text(column, limit)
        if not text and not self.bad:
            self.wrong(column, "missing")
        self.bad = self.bad or before
        return text

    def choice(self, column: str, allowed: Collection[str], default: str) -> str:
        """One of the allowed words, in any case; `default` where the cell is blank."""
        cell = self.found.get(column)
        if cell is None:
            return default
        if cell in allowed:
            return str(cell)
        if isinstance(cell, str):
            folded = {one.casefold(): one for one in allowed}
            if (word := cell.casefold()) in folded:
                return folded[word]
        self.wrong(column, "not_one_of", text=shown(cell), allowed=tuple(sorted(allowed)))
        return default

    def number(self, column: str, currency: str = "") -> Decimal | None:
        """A number, None where the cell is blank or wrong. A sign beside it must be that of `currency`."""
        cell = self.found.get(column)
        if cell is None:
            return None
        if isinstance(cell, str):
            return self._number_of(column, cell, currency)
        if isinstance(cell, bool) or not isinstance(cell, Decimal):
            self.wrong(column, "not_a_number", text=shown(cell))
            return None
        if not cell.is_finite() or cell < 0 or (cell.is_zero() and cell.is_signed()):
            self.wrong(column, "negative_number" if cell.is_finite() else "not_finite", text=shown(cell))
            return None
        if cell and abs(cell.adjusted()) > EXPONENT_LIMIT:
            self.wrong(column, "out_of_range", text=shown(cell), limit=AMOUNT_BELOW)
            return None
        sign = getattr(cell, "currency", "")
        if sign and sign != currency:
            self.wrong(column, "currency_sign_differs", sign=sign, currency=currency, text=shown(cell))
            return None
        return cell

    def _number_of(self, column: str, text: str, currency: str) -> Decimal | None:
        if self.line_no in self.undecided:
            self.bad = True
            return None
        try:
            body, sign = bare(text)
            if sign and sign != currency:
                raise NumberError("currency_sign_differs", sign=sign, currency=currency)
            return number(body, self.mark)
        except NumberError as error:
            self.wrong(column, error.code, **{"text": shown(text), **error.values})
            return None

    def limited(self, column: str, value: Decimal, below: Decimal, most_decimals: int) -> bool:
        """Whether a number is within the digits that are kept exactly; notes it where it is not."""
        if value >= below:
            self.wrong(column, "out_of_range", text=shown(self.cell(column)), limit=below)
        elif decimals(value) > most_decimals:
            self.wrong(column, "too_many_decimals", text=shown(self.cell(column)), limit=most_decimals)
        else:
            return True
        return False

    def whole(self, column: str, below: int = WHOLE_BELOW) -> int | None:
        """A whole number, digits with or without spaces between groups of three; None where blank or wrong."""
        cell = self.found.get(column)
        if cell is None:
            return None
        value = None
        if isinstance(cell, str) and WHOLE.fullmatch(cell) and len(cell) < SHOWN_CHARACTERS:
            value = int(SPACES_OR_SIGN.sub("", cell))
        elif isinstance(cell, Decimal) and cell.is_finite() and abs(cell) < below and cell == int(cell):
            value = int(cell)
        if value is None or not 0 <= value < below:
            self.wrong(column, "not_whole", text=shown(cell), limit=below)
            return None
        return value

    def day(self, column: str) -> dt.date | None:
        """A calendar day; None where blank or wrong."""
        cell = self.found.get(column)
        if cell is None:
            return None
        try:
            if isinstance(cell, dt.datetime):
                raise CellError("not_a_day")
            if isinstance(cell, dt.date):
                return within(cell)
            if isinstance(cell, str):
                return day_of(cell)
            raise CellError("not_a_day")
        except CellError as error:
            self.wrong(column, error.code, **{"text": shown(cell), **error.values})
            return None

    def instant(self, column: str) -> dt.datetime | None:
        """An instant, or a day that begins at midnight in Paris; None where blank or wrong."""
        cell = self.found.get(column)
        if cell is None:
            return None
        try:
            if isinstance(cell, dt.datetime):
                raise CellError("instant_without_offset")
            if isinstance(cell, dt.date):
                return midnight(within(cell))
            if isinstance(cell, str):
                return instant_of(cell)
            raise CellError("not_an_instant")
        except CellError as error:
            self.wrong(column, error.code, **{"text": shown(cell), **error.values})
            return None

    def link(self, column: str, limit: int) -> str:
        """A web address, "" where blank or wrong."""
        text = self.text(column, limit)
        if not text:
            return ""
        try:
            return link_of(text)
        except CellError as error:
            self.wrong(column, error.code, text=shown(text))
            return ""

    def flag(self, column: str) -> bool | None:
        """Yes or no; None where blank or wrong."""
        cell = self.found.get(column)
        if cell is None or isinstance(cell, bool):
            return cell
        if isinstance(cell, Decimal) and cell in (0, 1):
            return bool(cell)
        if isinstance(cell, str) and cell.casefold() in FLAGS:
            return FLAGS[cell.casefold()]
        self.wrong(column, "not_a_flag", text=shown(cell))
        return None
