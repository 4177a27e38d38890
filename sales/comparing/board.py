"""Up to four answers side by side: their inputs, what they share of results, which differ, which is the best one.

A column that cannot be answered says why and leaves the others alone. Each number is the one that the calculator's own
page shows for the same link.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise

from django.core.exceptions import TooManyFieldsSent
from django.http import QueryDict
from django.utils.translation import gettext as _

from calculator import answers, formats, registry
from calculator.domain.units import to_decimal
from calculator.permalinks.notation import Key
from calculator.presenters.input_rows import input_rows
from calculator.presenters.row import Row
from calculator.tool import Answer, Calculator, Outcome
from sales.comparing.links import Asked, Columns
from sales.comparing.quantities import QUANTITIES, WORK, Better, Quantity, Raw

TIE_RATIO = Decimal("0.05")
"""Values this close to the best one are as good: the inputs are not that precise."""


@dataclass(frozen=True, slots=True)
class Column:
    """One scenario. Without an answer `problems` say why; `asked` then still holds the link as it came."""

    letter: str
    asked: Asked
    tool: Calculator | None = None
    outcome: Outcome | None = None
    problems: tuple[str, ...] = ()

    @property
    def answer(self) -> Answer | None:
        return self.outcome.answer if self.outcome else None


@dataclass(frozen=True, slots=True)
class Line:
    """One quantity across the columns, in their order; None where a column has none, "" where it does not apply.

    `best` are the columns (by place) that hold the best value, empty where no end is better or all are alike.
    """

    code: str
    label: str
    values: tuple[Raw, ...]
    unit: str = ""
    quantity: Quantity | None = None
    differs: bool = False
    best: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Board:
    """The whole comparison. `is_mixed` = of different calculators, `same_work` = amounts can be ranked."""

    columns: tuple[Column, ...]
    inputs: tuple[Line, ...] = ()
    results: tuple[Line, ...] = ()
    is_mixed: bool = False
    same_work: bool = False

    @property
    def answered(self) -> tuple[Column, ...]:
        return tuple(column for column in self.columns if column.answer)

    @property
    def differing(self) -> tuple[Line, ...]:
        return tuple(line for line in self.inputs if line.differs)

    @property
    def common(self) -> tuple[Line, ...]:
        return tuple(line for line in self.inputs if not line.differs)


def board(asked: Columns) -> Board:
    """The comparison that a link describes."""
    columns = tuple(column(letter, each) for letter, each in asked.items())
    tools = {each.tool.name for each in columns if each.tool and each.answer}
    if not tools:
        return Board(columns)
    if len(tools) > 1:
        return Board(columns, results=tuple(shared(columns)), is_mixed=True)
    name = next(iter(tools))
    same = _same_work(name, columns)
    results = tuple(_result(quantity, columns, same) for quantity in QUANTITIES[name])
    return Board(columns, tuple(inputs(columns)), results, same_work=same)


def column(letter: str, asked: Asked) -> Column:
    """One scenario answered, or the sentences why not."""
    tool = registry.CALCULATORS.get(asked.calculator)
    if tool is None:
        sentence = _("Il n’y a pas de calculateur «\u00a0%(name)s\u00a0».") % {"name": asked.calculator[:40]}
        return Column(letter, asked, problems=(sentence,))
    try:
        outcome = answers.from_link(tool, QueryDict(asked.query))
    except TooManyFieldsSent:
        return Column(letter, asked, tool, problems=(_("Ce lien ne se lit pas\u00a0: il a trop de champs."),))
    if outcome.answer is None:
        return Column(letter, asked, tool, outcome, tuple(problem.message for problem in outcome.problems))
    return Column(letter, Asked(tool.name, outcome.answer.query, asked.name), tool, outcome)


def _same_work(name: str, columns: Iterable[Column]) -> bool:
    return len({WORK[name](column.answer.estimate) for column in columns if column.answer}) == 1


def inputs(columns: Sequence[Column]) -> Iterator[Line]:
    """Every input that any of the scenarios sets, in the words of the form."""
    tool = next(column.tool for column in columns if column.tool and column.answer)
    for key in tool.notation.keys:
        rows = [_input(tool, key, column) for column in columns]
        known = [row for row in rows if row is not None]
        if not known:
            continue
        label, unit = _words_of(key, known[0])
        values = tuple(_value(row) if column.answer else "" for row, column in zip(rows, columns, strict=True))
        found = [row.value if row else None for row, column in zip(rows, columns, strict=True) if column.answer]
        yield Line(key.name, label, values, unit, differs=any(one != two for one, two in pairwise(found)))


def _input(tool: Calculator, key: Key, column: Column) -> Row | None:
    if column.answer is None:
        return None
    row = next(input_rows(tool.form, (key,), column.answer.scenario, {}), None)
    # Scenarios opened one after the other are seconds apart: what counts is the day of the prices.
    return row._replace(value=formats.date(column.answer.scenario.at)) if row and key.name == "at" else row


def _words_of(key: Key, row: Row) -> tuple[str, str]:
    """The label of an input; the catalogue's state is no field of a form."""
    state = {"catalog": _("Liste de prix n°"), "at": _("Prix du"), "fig": _("Débit du catalogue, n°")}
    return state.get(key.name, row.label), row.unit


def _value(row: Row | None) -> Raw:
    return None if row is None else row.value


def shared(columns: Sequence[Column]) -> Iterator[Line]:
    """What at least two of the calculators have in common; nothing is ranked, since they do not do the same work."""
    held = {column.tool.name: QUANTITIES[column.tool.name] for column in columns if column.tool and column.answer}
    by_code: dict[str, list[Quantity]] = {}
    for quantities in held.values():
        for quantity in quantities:
            by_code.setdefault(quantity.code, []).append(quantity)
    for code, found in by_code.items():
        if len(found) > 1:
            values = tuple(_of_code(code, column) for column in columns)
            yield Line(code, str(found[0].label), values, str(found[0].unit), found[0])


def _of_code(code: str, column: Column) -> Raw:
    """The column's value of a shared quantity; "" where its calculator has no such thing."""
    if column.tool is None or column.answer is None:
        return ""
    quantity = next((one for one in QUANTITIES[column.tool.name] if one.code == code), None)
    return "" if quantity is None else _exact(quantity.read(column.answer.estimate))


def _exact(value: Raw) -> Raw:
    """Numbers as unrounded decimals, whatever the formulas used."""
    return to_decimal(value) if isinstance(value, int | float) else value


def _result(quantity: Quantity, columns: Sequence[Column], same_work: bool) -> Line:
    values = tuple(_exact(quantity.read(column.answer.estimate)) if column.answer else "" for column in columns)
    ranked = quantity.better and (same_work or not quantity.of_work)
    best = best_of(values, quantity.better) if ranked else frozenset[int]()
    return Line(quantity.code, str(quantity.label), values, str(quantity.unit), quantity, best=best)


def best_of(values: Sequence[Raw], better: Better) -> frozenset[int]:
    """The places of the best value and of those within 5 % of it; none where all known values are that close."""
    known = {place: value for place, value in enumerate(values) if isinstance(value, Decimal)}
    if len(known) < 2:
        return frozenset()
    ends = (min(known.values()), max(known.values()))
    best = ends[0] if better is Better.LOWER else ends[1]
    near = frozenset(place for place, value in known.items() if _is_near(value, best))
    return frozenset() if len(near) == len(known) else near


def _is_near(value: Decimal, best: Decimal) -> bool:
    return abs(value - best) <= TIE_RATIO * min(abs(value), abs(best))


def asked_of(shown: Board) -> Columns:
    """The comparison with everything written down that its answers took from the catalogue."""
    return {column.letter: column.asked for column in shown.columns}


def notes_of(column: Column) -> tuple[str, ...]:
    """What stands above the column's answer: an old list of prices, keys that mean nothing."""
    return tuple(notice.text for notice in column.outcome.notices) if column.outcome and column.answer else ()


def todays(shown: Board) -> Columns:
    """The same questions at today's prices, where any of them is of an older list or day."""
    found = {}
    for column in shown.columns:
        today = column.outcome.today if column.outcome else None
        query = today.query if today else column.asked.query
        found[column.letter] = Asked(column.asked.calculator, query, column.asked.name)
    return found


def is_dated(shown: Board) -> bool:
    """Whether any column is of an older list of prices or an earlier day."""
    return any(column.outcome and column.outcome.today for column in shown.columns)


def name_of(column: Column) -> str:
    """What a column is called: the visitor's own name, else the calculator's with the hardware it is about."""
    if column.asked.name:
        return column.asked.name
    if column.tool is None:
        return _("Scénario")
    machine = _of_code("machine", column)
    return f"{column.tool.title}, {machine}" if isinstance(machine, str) and machine else str(column.tool.title)


def date_of(column: Column) -> str:
    """The list of prices that a column is of."""
    if column.answer is None:
        return ""
    values = {"version": column.answer.scenario.catalog_version, "date": formats.date(column.answer.scenario.at)}
    return _("Liste n°\u00a0%(version)s, prix du %(date)s") % values
