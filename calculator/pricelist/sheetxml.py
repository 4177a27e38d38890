"""The cells of a worksheet's XML, as they are parsed."""

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from xml.parsers import expat

WHOLE_DIGITS = 15
LETTERS = 26
DIGITS = "0123456789"
MOST_ROWS, MOST_COLUMNS = 1_048_576, 16_384
"""What the format allows."""
MOST_CHARACTERS = 32_767
LONG, MOST_PIECES = 1_000, 64
"""From which length or count of the pieces of a text on its whole length is looked at."""


@dataclass(frozen=True, slots=True)
class ErrorValue:
    """A cell that holds no value but an error (“#REF!”)."""

    text: str


EMPTY_FORMULA = ErrorValue("")
"""A formula that was stored without its result."""
Value = str | Decimal | bool | dt.date | ErrorValue
Found = tuple[int, Value, int]
"""Place counted from 0, value, style."""


@lru_cache(maxsize=65_536)
def shortest(text: str) -> Decimal:
    """A stored number in the fewest digits that mean the same binary number: 1.3999999999999999 is 1.4."""
    if text.isdecimal() and len(text) <= WHOLE_DIGITS:
        return Decimal(text)
    return Decimal(repr(float(text)))


@lru_cache(maxsize=MOST_COLUMNS)
def place_of(letters: str) -> int:
    """The place of a column by its letters, counted from 0: 1 for “B”, 27 for “AB”. ValueError for what names none."""
    place = 0
    for sign in letters:
        if not "A" <= sign <= "Z":
            raise ValueError(letters)
        place = place * LETTERS + ord(sign) - ord("A") + 1
    if not 0 < place <= MOST_COLUMNS:
        raise ValueError(letters)
    return place - 1


class SheetParser:
    """Collects the rows of a sheet while an expat parser is fed with it."""

    def __init__(self, shared: list[str]) -> None:
        self.shared = shared
        self.rows: list[tuple[int, list[Found]]] = []
        self.row: list[Found] = []
        self.row_no = 0
        self.place = -1
        self.kind = "n"
        self.style = 0
        self.text: list[str] = []
        self.collecting = False
        self.has_formula = False
        self.has_value = False
        self.spoken = 0

    def listen(self, feed: expat.XMLParserType) -> None:
        """Take what the parser finds."""
        feed.StartElementHandler = self._start
        feed.EndElementHandler = self._end
        feed.CharacterDataHandler = self._data

    def taken(self) -> list[tuple[int, list[Found]]]:
        """The rows since the last call."""
        rows, self.rows = self.rows, []
        return rows

    def plain_row(self, number: int, cells: Iterable[tuple[str, str, str, str, str]]) -> None:
        """A row that plainrows.py has taken whole: column, style, type, number and text of each cell."""
        if number > MOST_ROWS:
            raise ValueError(number)
        self.row_no = number
        found: list[Found] = []
        for column, style, kind, digits, text in cells:
            if text:
                found.append((place_of(column), text, int(style or 0)))
            elif digits:
                value = self.shared[int(digits)] if kind == "s" else shortest(digits)
                found.append((place_of(column), value, int(style or 0)))
        if found:
            self.rows.append((number, found))

    def _start(self, name: str, given: Mapping[str, str]) -> None:
        local = name if ":" not in name else name.rpartition(":")[2]
        if local == "c":
            self._begin_cell(given)
        elif local in ("v", "t"):
            self.collecting = not self.spoken
            self.has_value = True
        elif local == "row":
            number = given.get("r", "")
            self.row_no = int(number) if number.isdecimal() else self.row_no + 1
            if self.row_no > MOST_ROWS:
                raise ValueError(number)
            self.row, self.place = [], -1
        elif local == "f":
            self.has_formula = True
        elif local == "rPh":
            self.spoken += 1

    def _begin_cell(self, given: Mapping[str, str]) -> None:
        reference = given.get("r")
        self.place = place_of(reference.rstrip(DIGITS)) if reference else self.place + 1
        if self.place >= MOST_COLUMNS or len(self.row) >= MOST_COLUMNS:
            raise ValueError(self.place)
        self.kind = given.get("t", "n")
        style = given.get("s")
        self.style = int(style) if style else 0
        self.text = []
        self.has_formula = self.has_value = False

    def _data(self, data: str) -> None:
        if self.collecting:
            self.text.append(data)
            if len(data) > LONG or len(self.text) > MOST_PIECES:
                self._not_endless()

    def _not_endless(self) -> None:
        """Refuse a text that no cell may hold, before more of it is kept."""
        if sum(map(len, self.text)) > MOST_CHARACTERS or len(self.text) > MOST_CHARACTERS:
            raise ValueError(MOST_CHARACTERS)

    def _end(self, name: str) -> None:
        local = name if ":" not in name else name.rpartition(":")[2]
        if local in ("v", "t"):
            self.collecting = False
        elif local == "c":
            value = self._value()
            if value is not None:
                self.row.append((self.place, value, self.style))
        elif local == "row":
            if self.row:
                self.rows.append((self.row_no, self.row))
        elif local == "rPh":
            self.spoken -= 1

    def _value(self) -> Value | None:
        """The cell's value: text, number, truth, day or error; None for a blank one."""
        text = self.text[0] if len(self.text) == 1 else "".join(self.text)
        if not text:
            return EMPTY_FORMULA if self.has_formula and not (self.has_value and self.kind == "str") else None
        if self.kind == "n":
            return shortest(text.strip())
        if self.kind == "s":
            return self.shared[int(text)]
        if self.kind in ("str", "inlineStr"):
            return text
        if self.kind == "b":
            return text.strip() == "1"
        if self.kind == "e":
            return ErrorValue(text)
        if self.kind == "d":
            moment = dt.datetime.fromisoformat(text)
            return moment.date() if moment.time() == dt.time() else moment
        raise ValueError(self.kind)


class SharedTexts:
    """Collects the texts that the cells of a workbook share, while an expat parser is fed with them."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.text: list[str] = []
        self.collecting = False
        self.spoken = 0

    def listen(self, feed: expat.XMLParserType) -> None:
        """Take what the parser finds."""
        feed.StartElementHandler = self._start
        feed.EndElementHandler = self._end
        feed.CharacterDataHandler = self._data

    def _start(self, name: str, _given: Mapping[str, str]) -> None:
        local = name.rpartition(":")[2]
        if local == "si":
            self.text = []
        elif local == "t":
            self.collecting = not self.spoken
        elif local == "rPh":
            self.spoken += 1

    def _end(self, name: str) -> None:
        local = name.rpartition(":")[2]
        if local == "si":
            self.found.append("".join(self.text))
        elif local == "t":
            self.collecting = False
        elif local == "rPh":
            self.spoken -= 1

    def _data(self, data: str) -> None:
        if self.collecting:
            self.text.append(data)
