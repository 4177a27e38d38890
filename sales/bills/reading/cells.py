"""One cell of a report: counts, amounts, days, names. What cannot be read is a problem of its line and column."""

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from calculator import fields
from calculator.domain.offers import Mode
from calculator.pricelist import amounts
from calculator.pricelist.amounts import NumberError
from sales.bills.reading import limits
from sales.bills.reading.formats import CONTEXTS, FLAGS, NEUTRAL, TIERS, Meaning
from sales.bills.reading.problems import Problems

Cell = str | Decimal | bool | None
SECONDS = re.compile(r"[0-9]{9,11}(\.0+)?")
ISO = re.compile(r"(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ](?P<time>[0-9]{2}:[0-9]{2}(?::[0-9]{2})?)[0-9.:Z+ -]*)?")
MODEL_CHARACTERS = 100


@dataclass(frozen=True, slots=True)
class Held:
    """The cells of one row under their meaning, each with the name of its column."""

    place: str
    cells: Mapping[Meaning, tuple[tuple[str, Cell], ...]]
    mark: str
    problems: Problems

    def one(self, meaning: Meaning) -> tuple[str, str]:
        """The column and the text of a meaning that stands once; "" where there is none."""
        name, cell = next(iter(self.cells.get(meaning, ())), ("", None))
        return name, text_of(cell)

    def wrong(self, column: str, code: str, text: str) -> None:
        """Note that a cell cannot be read."""
        self.problems.add(self.place, column, code, text=fields.printable(text)[:60])


def text_of(cell: Cell) -> str:
    """A cell as text; nothing is ""."""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return "" if cell is None else str(cell).strip()


def number(held: Held, column: str, text: str, below: int) -> Decimal | None:
    """A number that is not negative and not beyond reason; None after the problem is noted."""
    try:
        body, _currency = amounts.bare(text)
        value = amounts.number(body, held.mark)
    except NumberError as error:
        held.wrong(column, error.code, text)
        return None
    if value > below:
        held.wrong(column, "too_large", text)
        return None
    return value


def count(held: Held, meaning: Meaning) -> int:
    """A whole number of tokens or requests; an empty cell is none of them."""
    column, text = held.one(meaning)
    if not text:
        return 0
    value = number(held, column, text, limits.TOKENS)
    if value is not None and value != value.to_integral_value():
        held.wrong(column, "not_whole", text)
        return 0
    return int(value or 0)


def amount(held: Held) -> Decimal | None:
    """What the provider charged; None where the cell is empty."""
    column, text = held.one(Meaning.AMOUNT)
    return number(held, column, text, limits.AMOUNT) if text else None


def model(held: Held) -> str:
    """A model's name as it stands."""
    column, text = held.one(Meaning.MODEL)
    if len(text) > MODEL_CHARACTERS or text != fields.printable(text):
        held.wrong(column, "bad_model", text)
        return ""
    return text


def mode(held: Held) -> Mode:
    """The service level; a batch flag stands above a tier."""
    column, flag = held.one(Meaning.BATCH)
    if flag.casefold() not in FLAGS:
        held.wrong(column, "bad_flag", flag)
    if FLAGS.get(flag.casefold()):
        return Mode.BATCH
    column, tier = held.one(Meaning.TIER)
    found = TIERS.get(tier.casefold())
    if found is None:
        held.wrong(column, "bad_tier", tier)
    return found or Mode.STANDARD


def context(held: Held) -> int:
    """The length that the requests of a row exceed."""
    column, text = held.one(Meaning.CONTEXT)
    found = CONTEXTS.get(" ".join(text.casefold().split()))
    if found is None:
        held.wrong(column, "bad_context", text)
    return found or 0


def days(held: Held) -> tuple[dt.date | None, dt.date | None]:
    """The first day of a row, and the first one that it no longer covers."""
    start, _exact = _instant(held, Meaning.START)
    end, whole = _instant(held, Meaning.END)
    if start is None:
        return None, None
    if end is None:
        return start, start + dt.timedelta(days=1)
    # A row of an hour or of a minute belongs to its day.
    after = end if whole else end + dt.timedelta(days=1)
    if after <= start:
        held.wrong(held.one(Meaning.END)[0], "ends_before", held.one(Meaning.END)[1])
    return start, after


def _instant(held: Held, meaning: Meaning) -> tuple[dt.date | None, bool]:
    """A day, and whether the instant is its very beginning."""
    column, text = held.one(meaning)
    if not text:
        return None, True
    found = _read_instant(text)
    if found is None or not limits.FIRST_YEAR <= found[0].year <= limits.LAST_YEAR:
        held.wrong(column, "bad_day", text)
        return None, True
    return found


def _read_instant(text: str) -> tuple[dt.date, bool] | None:
    if SECONDS.fullmatch(text):
        at = dt.datetime.fromtimestamp(int(text.partition(".")[0]), dt.UTC)
        return at.date(), at.time() == dt.time()
    found = ISO.fullmatch(text)
    if found is None:
        return None
    try:
        return dt.date.fromisoformat(found["day"]), (found["time"] or "00:00").strip("0:") == ""
    except ValueError:
        return None


def remarks(held: Held) -> None:
    """What no price of a token covers: other kinds of tokens are a fault, extras and modifiers a remark."""
    for column, cell in held.cells.get(Meaning.NOT_TEXT, ()):
        if text_of(cell).strip("0.") != "":
            held.wrong(column, "not_text", text_of(cell))
    for column, cell in held.cells.get(Meaning.EXTRA, ()):
        if text_of(cell).strip("0.") != "":
            held.problems.remark(held.place, column, "extra", text=column)
    for column, cell in held.cells.get(Meaning.MODIFIER, ()):
        if text_of(cell).casefold() not in NEUTRAL:
            shown = f"{column} = {fields.printable(text_of(cell))[:40]}"
            held.problems.remark(held.place, column, "modifier", text=shown)
