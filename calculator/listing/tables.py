"""Tables that a link sorts: `?sort=hour` rising, `?sort=-hour` falling; what is unknown stays at the end."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from django.utils.html import format_html
from django.utils.safestring import SafeString

from calculator.domain.units import to_decimal
from calculator.fields import Text
from calculator.presenters.badges import Badge

Key = str | Decimal | float | int | None


class Column(NamedTuple):
    """A column: the code that sorts by it, its head, a second line under the head."""

    code: str
    label: Text
    note: Text = ""
    numeric: bool = True


class Head(NamedTuple):
    """A column's head as a link: `link` is the next value of ?sort=, `sort` the value of aria-sort or ""."""

    label: Text
    note: Text
    numeric: bool
    link: str
    sort: str


class Cell(NamedTuple):
    """A cell: its text, a smaller second line, the badge of its number as markup, the address it leads to."""

    text: str
    note: str = ""
    badge: SafeString = SafeString("")
    href: str = ""
    is_known: bool = True


class Order(NamedTuple):
    """Which column sorts, and which way."""

    code: str = ""
    descending: bool = False


def order(text: str, columns: Iterable[Column]) -> Order:
    """The order that ?sort= asks for; anything else leaves the catalogue's own order."""
    code = text.removeprefix("-")
    return Order(code, text.startswith("-")) if code in {column.code for column in columns} else Order()


def heads(columns: Iterable[Column], current: Order) -> tuple[Head, ...]:
    """The heads; the column that sorts says so and its link turns the order round."""
    return tuple(_head(column, current) for column in columns)


def _head(column: Column, current: Order) -> Head:
    here = column.code == current.code
    sort = ("descending" if current.descending else "ascending") if here else ""
    link = f"-{column.code}" if here and not current.descending else column.code
    return Head(column.label, column.note, column.numeric, link, sort)


def ordered[R](rows: Sequence[R], keys: Sequence[Mapping[str, Key]], current: Order) -> tuple[R, ...]:
    """`rows` by their keys in the order asked for; rows without the value stay last, whichever the way."""
    if not current.code:
        return tuple(rows)
    pairs = [(found[current.code], row) for found, row in zip(keys, rows, strict=True)]
    known = sorted((pair for pair in pairs if pair[0] is not None), key=_rank, reverse=current.descending)
    return tuple(row for _key, row in known) + tuple(row for key, row in pairs if key is None)


def _rank(pair: tuple[Key, object]) -> tuple[bool, str, Decimal]:
    key = pair[0]
    if isinstance(key, str):
        return True, key.casefold(), Decimal(0)
    return False, "", to_decimal(key or 0)


def glyph(shown: Badge | None) -> SafeString:
    """A badge in a narrow table: its shape alone to the eye, its word to a screen reader, its origin on hover."""
    if shown is None:
        return SafeString("")
    return format_html(
        '<span class="src glyph {}" title="{}"><span class="vh">{}</span></span>', shown.kind, shown.title, shown.word
    )


def unknown(text: str) -> Cell:
    """A cell without a number: the word, in the tone of a note."""
    return Cell(text, is_known=False)
