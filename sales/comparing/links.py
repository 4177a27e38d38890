"""The comparison is its link: up to four scenarios, each a calculator's name and its whole canonical query.

`a=economics?v=1%26…` is the first column, `na` its name. What a visitor does (add, copy, replace, rename) is a query
too: `acted` turns it into the columns it leads to, and the page then stands at their canonical link. Nothing is kept.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from urllib.parse import quote, urlsplit

from django.http import QueryDict

from calculator import fields, registry, saved

LETTERS = ("a", "b", "c", "d")
"""The columns, from the left."""
NEW = "new"
"""Where a scenario goes that replaces none."""
PASTED = "link"
"""What is put there: a pasted link, or else the letter of the column that is copied."""
ACTIONS = frozenset({"form", "add", "put", "from", PASTED})
MOST_CHARACTERS = 4_000
NAME_CHARACTERS = 60
UNQUOTED = "?=:/,~"


@dataclass(frozen=True, slots=True)
class Asked:
    """One column as its link has it: whether its scenario can be read is for the calculator to say."""

    calculator: str
    query: str = ""
    name: str = ""

    @property
    def text(self) -> str:
        """The value in the link."""
        return f"{self.calculator}?{self.query}"


Columns = Mapping[str, Asked]
"""By letter, in their order."""


@dataclass(frozen=True, slots=True)
class Acted:
    """The columns after what was asked. `left` found no place: four stand there already. `unreadable` = what was
    pasted is no link of a scenario."""

    columns: Columns
    left: Asked | None = None
    unreadable: bool = False


def asked(text: str, name: str = "") -> Asked:
    """A column's value taken apart."""
    calculator, _mark, query = _clean(text, MOST_CHARACTERS).partition("?")
    return Asked(calculator.strip().casefold(), query, _clean(name, NAME_CHARACTERS).strip())


def _clean(text: str, most: int) -> str:
    return fields.UNPRINTABLE.sub("", text)[:most]


def read(query: QueryDict) -> Columns:
    """The columns of a link; an empty value is none."""
    texts = {letter: query.get(letter, "") for letter in LETTERS}
    return {letter: asked(text, query.get(f"n{letter}", "")) for letter, text in texts.items() if text.strip()}


def write(columns: Columns) -> str:
    """The canonical query: the columns lettered anew from the left."""
    return _written(zip(LETTERS, columns.values(), strict=False))


def _written(columns: Iterable[tuple[str, Asked]]) -> str:
    parts = []
    for letter, column in columns:
        parts.append(f"{letter}={quote(column.text, safe=UNQUOTED)}")
        if column.name:
            parts.append(f"n{letter}={quote(column.name, safe='')}")
    return "&".join(parts)


def added(query: QueryDict, name: str, scenario_query: str) -> str:
    """The comparison of `query` with one scenario more; the same comparison where four stand in it already."""
    return write(_placed(read(query), NEW, Asked(name, scenario_query)).columns)


def carried(columns: Columns, letter: str = NEW) -> str:
    """The other columns and the place that is being worked on, as a calculator's page carries them along.

    The scenario itself stays out: the calculator brings it back, changed or not, as `add`.
    """
    kept = _written((key, column) for key, column in columns.items() if key != letter)
    name = columns[letter].name if letter in columns else ""
    parts = (kept, f"n{letter}={quote(name, safe='')}" if name else "", f"put={letter}" if letter != NEW else "")
    return "&".join(filter(None, parts))


def without(columns: Columns, letter: str) -> Columns:
    """The comparison without one column."""
    return {key: column for key, column in columns.items() if key != letter}


def copied(columns: Columns, letter: str) -> Columns:
    """The comparison with a column once more, at the right."""
    return _placed(columns, NEW, replace(columns[letter], name="")).columns


def acts(query: QueryDict) -> bool:
    """Whether the query asks for something beside showing its columns."""
    return not ACTIONS.isdisjoint(query)


def acted(query: QueryDict) -> Acted:
    """What the query asks for, done: a scenario brought by a calculator, a pasted link, or a column copied."""
    columns, place = read(query), query.get("put", NEW)
    if brought := query.get("add", "").strip():
        return _placed(columns, place, asked(brought, query.get(f"n{place}", "")))
    source, text = query.get("from", PASTED), query.get(PASTED, "").strip()
    if source in columns:
        return _placed(columns, place, _over(columns, source, place))
    if not text:
        return Acted(columns)
    found = pasted(text)
    return _placed(columns, place, found) if found else Acted(columns, unreadable=True)


def _over(columns: Columns, source: str, place: str) -> Asked:
    """A column's scenario under the name of the place it goes to."""
    return replace(columns[source], name=columns[place].name if place in columns else "")


def _placed(columns: Columns, place: str, column: Asked) -> Acted:
    """The columns with one more, or with one replaced, in the order of their letters."""
    free = place if place in LETTERS else next((letter for letter in LETTERS if letter not in columns), None)
    if free is None:
        return Acted(columns, left=column)
    found = {**columns, free: column}
    return Acted({letter: found[letter] for letter in LETTERS if letter in found})


def pasted(text: str) -> Asked | None:
    """The scenario behind an address of a calculator or of a saved estimate; None for any other text."""
    try:
        parts = urlsplit(_clean(text, MOST_CHARACTERS))
    except ValueError:
        return None
    steps = [step for step in parts.path.casefold().split("/") if step]
    name = steps[-1].partition(".")[0] if steps else ""
    if name in registry.CALCULATORS:
        return Asked(name, parts.query)
    kept = saved.find(parts.path.rstrip("/").rpartition("/")[2]) if "estimates" in steps[:-1] else None
    return Asked(kept.calculator, kept.query) if kept else None
