"""A comparison in words: what the template prints, every number already text."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from urllib.parse import quote

from django.urls import reverse
from django.utils.translation import gettext as _

from calculator import formats, pagestate, registry
from calculator.presenters import quantities, values
from calculator.presenters.words import bare
from sales.comparing import board as boards
from sales.comparing import links
from sales.comparing.board import Board, Column, Line
from sales.comparing.links import LETTERS, NEW, PASTED, Acted, Asked
from sales.comparing.quantities import Look, Raw

WRITERS: Mapping[Look, Callable[[Decimal], str]] = {
    Look.MONEY: lambda value: bare(formats.money(value)),
    Look.UNIT_PRICE: lambda value: bare(formats.unit_price(value)),
    Look.COUNT: lambda value: formats.number(value, 0),
    Look.TOKENS: formats.tokens,
    Look.SECONDS: quantities.duration,
    Look.BYTES: lambda value: quantities.scaled(value, "B"),
    Look.PHYSICAL: quantities.digits,
    Look.RATIO: lambda value: formats.percent(value, 1),
}
NAMED_AT_MOST = 3
BESIDE = frozenset({"catalog", "at", "fig", "fx"})
"""Inputs that follow from others or from the day: named last."""
SAYS_ITS_UNIT = frozenset({Look.SECONDS, Look.BYTES, Look.RATIO})


@dataclass(frozen=True, slots=True)
class Cell:
    """One value of a row; `mark` says in a word what its colour says."""

    text: str
    mark: str = ""
    is_number: bool = False


@dataclass(frozen=True, slots=True)
class ShownLine:
    label: str
    unit: str
    cells: tuple[Cell, ...]
    differs: bool = False


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a column with what can be done to it."""

    letter: str
    name: str
    own_name: str
    value: str
    title: str
    dated: str
    problems: tuple[str, ...]
    notes: tuple[str, ...]
    sentence: str
    edit: str
    copy: str
    remove: str


def text(value: Raw, line: Line) -> str:
    """A value as a reader writes it; unknown and not applicable are words."""
    if value is None:
        return _("inconnu") if line.quantity else _("non précisé")
    if value == "":
        return _("sans objet")
    if isinstance(value, str):
        return value
    number = Decimal(value)
    if line.quantity is not None:
        return WRITERS[line.quantity.look](number) if line.quantity.look in WRITERS else formats.number(number)
    return values.shown(number, line.unit)


def line(found: Line, shown: Board) -> ShownLine:
    """A row in words."""
    look = found.quantity.look if found.quantity else None
    unit = "" if look in SAYS_ITS_UNIT else values.unit_shown(found.unit)
    has_answer = [column.answer is not None for column in shown.columns]
    cells = tuple(
        _cell(found, place, value) if has_answer[place] else Cell(_("sans réponse"))
        for place, value in enumerate(found.values)
    )
    return ShownLine(found.label, unit, cells, found.differs)


def _cell(found: Line, place: int, value: Raw) -> Cell:
    mark = _("meilleur") if place in found.best else ""
    return Cell(text(value, found), mark, isinstance(value, Decimal))


def head(column: Column, shown: Board) -> Head:
    """A column's head."""
    asked = boards.asked_of(shown)
    answer, tool = column.answer, column.tool
    return Head(
        letter=column.letter.upper(),
        name=boards.name_of(column),
        own_name=column.asked.name,
        value=column.asked.text,
        title=str(tool.title) if tool else _("Calculateur inconnu"),
        dated=boards.date_of(column),
        problems=column.problems,
        notes=boards.notes_of(column),
        sentence=str(tool.sentence(answer.estimate)) if tool and answer else "",
        edit=_edit(column, links.carried(asked, column.letter)),
        copy=address(links.copied(asked, column.letter)) if len(asked) < len(LETTERS) else "",
        remove=address(links.without(asked, column.letter)),
    )


def _edit(column: Column, carried: str) -> str:
    """The calculator's page at the column's scenario, which carries the comparison along."""
    if column.tool is None:
        return ""
    return pagestate.address(column.tool.name, pagestate.with_carried(column.asked.query, carried))


def address(columns: links.Columns) -> str:
    """The page of a comparison."""
    query = links.write(columns)
    return f"{reverse('compare')}?{query}" if query else reverse("compare")


def cases(asked: links.Columns) -> tuple[tuple[str, str], ...]:
    """Usual cases of the first column's calculator (else of the first one), each as the comparison with it added."""
    first = next((each.calculator for each in asked.values() if each.calculator in registry.CALCULATORS), None)
    tool = registry.CALCULATORS[first or registry.ECONOMICS]
    if len(asked) == len(LETTERS):
        return ()
    start = f"{reverse('compare')}?{links.write(asked)}{'&' if asked else ''}"
    return tuple(
        (str(preset.title), f"{start}add={quote(f'{tool.name}?{preset.query}', safe='')}") for preset in tool.presets
    )


def doors(asked: links.Columns) -> tuple[tuple[str, str], ...]:
    """The calculators, each carrying the comparison along for a column more."""
    query = pagestate.with_carried("", links.carried(asked))
    return tuple((str(tool.title), pagestate.address(tool.name, query)) for tool in registry.TOOLS)


def sources(asked: links.Columns) -> tuple[tuple[str, str], ...]:
    """What can be put into a column: a pasted link, or another column."""
    copies = ((letter, _("le scénario %(letter)s") % {"letter": letter.upper()}) for letter in asked)
    return ((PASTED, _("le lien collé ci-dessous")), *copies)


def places(asked: links.Columns) -> tuple[tuple[str, str], ...]:
    """Where it can be put."""
    new = ((NEW, _("dans une nouvelle colonne")),) if len(asked) < len(LETTERS) else ()
    return (*new, *((letter, _("à la place de %(letter)s") % {"letter": letter.upper()}) for letter in asked))


def problems(acted: Acted) -> tuple[str, ...]:
    """What of a request could not be done."""
    found = []
    if acted.left:
        found.append(_("Quatre scénarios au plus\u00a0: choisissez ci-dessous celui que le nouveau remplace."))
    if acted.unreadable:
        found.append(_("Ce texte n’est pas le lien d’un calculateur ni d’une estimation enregistrée."))
    return tuple(found)


def context(shown: Board, acted: Acted, typed: str = "") -> dict[str, Any]:
    """The whole page."""
    asked = boards.asked_of(shown)
    query = links.write(asked)
    return {
        "board": shown,
        "heads": [head(column, shown) for column in shown.columns],
        "differing": [line(each, shown) for each in shown.differing],
        "common": [line(each, shown) for each in shown.common],
        "results": [line(each, shown) for each in shown.results],
        "title": title(shown),
        "problems": problems(acted),
        "typed": _typed(acted.left) if acted.left else typed,
        "sources": sources(asked),
        "places": places(asked),
        "cases": cases(asked),
        "doors": doors(asked),
        "permalink": address(asked),
        "today": address(boards.todays(shown)) if boards.is_dated(shown) else "",
        "files": [(suffix.upper(), f"{reverse('compare-file', args=[suffix])}?{query}") for suffix in ("csv", "json")],
    }


def _typed(left: Asked) -> str:
    return left.text


def title(shown: Board) -> str:
    """The finding: how many inputs differ."""
    if shown.is_mixed:
        return _("Calculateurs différents\u00a0: seulement ce qu’ils ont en commun")
    count = len(shown.differing)
    if len(shown.answered) < 2:
        return _("Un seul scénario\u00a0: ajoutez-en un second pour comparer")
    if not count:
        return _("Ces scénarios sont identiques")
    told = sorted(shown.differing, key=lambda each: each.code in BESIDE)
    names = ", ".join(each.label for each in told[:NAMED_AT_MOST])
    more = _(" et %(count)s autres") % {"count": count - NAMED_AT_MOST} if count > NAMED_AT_MOST + 1 else ""
    if count == NAMED_AT_MOST + 1:
        names = f"{names}, {told[-1].label}"
    return formats.labelled(_("Ce qui diffère"), f"{names}{more}")
