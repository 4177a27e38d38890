"""What one calculator brings to the code that serves all of them: its form, its way to an answer, its words.

`calculator.tools` holds one module a calculator, each with a `TOOL`; `calculator.registry` lists them. Views, exports,
the command, saved estimates and `calculator.answers` know a calculator only through this record.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from functools import cache
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict

from calculator import permalinks
from calculator.catalog import NotFound
from calculator.fields import Text
from calculator.forms.base import ScenarioForm
from calculator.permalinks import Notation, Problem
from calculator.permalinks.notation import parse_many
from calculator.presenters.row import Row


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence above the result, with where it leads; `code` says which template wording or style it has."""

    code: str
    text: str
    query: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """An estimate with the scenario that reproduces it: whatever it took from the catalogue is written down."""

    scenario: Any
    facts: Any
    estimate: Any

    @property
    def query(self) -> str:
        return permalinks.write(self.scenario)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a query leads to: a form to show, an answer or the reasons why there is none, and notices."""

    form: ScenarioForm
    answer: Answer | None = None
    problems: tuple[Problem, ...] = ()
    notices: tuple[Notice, ...] = ()
    today: Answer | None = None
    defaults: tuple[str, ...] = ()
    newest_version: int | None = None


@dataclass(frozen=True, slots=True)
class Preset:
    """A named case as changes to the default scenario, in the keys and notation of the link."""

    code: str
    title: Text
    changes: Mapping[str, str | tuple[str, ...]]

    @property
    def query(self) -> str:
        return encoded(tuple(self.changes.items()))

    def applied(self, scenario: Any) -> Any:
        """`scenario` with the preset's changes."""
        return replace(scenario, **self.attributes(scenario))

    def fits(self, scenario: Any) -> bool:
        """Whether `scenario` has every value that the preset sets."""
        return all(getattr(scenario, name) == value for name, value in self.attributes(scenario).items())

    def attributes(self, scenario: Any) -> Mapping[str, Any]:
        """What the preset sets, as attributes of this kind of scenario."""
        kind: Any = type(scenario)
        return changed_attributes(kind, self.query)


@cache
def encoded(changes: tuple[tuple[str, str | tuple[str, ...]], ...]) -> str:
    """The query of a preset, written once a process."""
    return urlencode((("v", permalinks.VERSION), *changes), doseq=True, safe=":/")


@cache
def changed_attributes(scenario: Hashable, query: str) -> Mapping[str, Any]:
    """The attributes of a scenario that a preset's query sets, read once a process."""
    by_name, pairs = permalinks.by_type(scenario).by_name, QueryDict(query)
    keys = [by_name[name] for name in pairs if name in by_name]
    return {
        key.attribute: parse_many(key, pairs.getlist(key.name)) if key.many else key.parse(pairs[key.name])
        for key in keys
    }


@dataclass(frozen=True, slots=True)
class Handover:
    """A way to another calculator that carries on with what is known here."""

    target: str
    title: Text
    query: str


@dataclass(frozen=True, slots=True)
class Kept:
    """What a saved estimate names beside its whole answer: the rate, the hours, figures and catalogue codes used."""

    usd_per_eur: Decimal | None = None
    rate_date: date | None = None
    hours_per_month_h: Decimal | None = None
    figures: frozenset[int] = frozenset()
    codes: frozenset[str] = frozenset()


def nothing() -> None:
    """Nothing needs to be read once for the whole request."""


def unchanged(query: QueryDict, scenario: Any) -> Any:
    """What was sent decides nothing about what the form offers."""
    del query
    return scenario


def as_it_is(scenario: Any) -> Any:
    """Nothing of the scenario was written down by the catalogue."""
    return scenario


def no_notices(answer: Answer) -> tuple[Notice, ...]:
    """Nothing stands above this answer."""
    del answer
    return ()


def nothing_impossible(answer: Answer) -> tuple[Problem, ...]:
    """Whatever can be typed can be computed."""
    del answer
    return ()


def no_handovers(answer: Answer) -> tuple[Handover, ...]:
    """The answer leads to no other calculator."""
    del answer
    return ()


@dataclass(frozen=True, slots=True)
class Calculator:
    """An open calculator.

    Reading: `default()` is the first visit's scenario at today's catalogue; `reads()` gives what one request reads
    once (passed on as `known`); `answer(scenario, known)` raises catalog.NotFound for a code that does not exist, whose
    key in the link is `key_of`, and `repaired` is the scenario without it; `based(query, scenario)` is the scenario
    whose choices a submitted form is shown with, `choices(scenario, known, facts, query)` what its lists offer (facts
    None without an answer, query None without a form); `released(answer)` leaves the visitor's own inputs only.
    Words: `page(answer)` for the templates calculator/<name>_form.html and <name>_result.html, `sentence(estimate)`,
    `rows(estimate)` for CSV, workbook and saved estimates, `sections(answer)` for the JSON document,
    `file_stem(answer)`, `short(answer)` for the notice of an old link. `own(scenario)` takes away what the catalogue
    wrote into a link, so that a preset is known as the case now shown; `impossible(answer)` names typed values for
    which there can be no answer. `presets` are whole cases, `profiles` change one
    input.
    """

    name: str
    title: Text
    document_title: Text
    form: type[ScenarioForm]
    notation: Notation
    default: Callable[[], Any]
    answer: Callable[[Any, Any], Answer]
    choices: Callable[[Any, Any, Any, QueryDict | None], Any]
    key_of: Callable[[NotFound, Any], str]
    repaired: Callable[[Any, NotFound], Any]
    released: Callable[[Answer], Any]
    page: Callable[[Answer], Any]
    sentence: Callable[[Any], str]
    rows: Callable[[Any], tuple[Row, ...]]
    sections: Callable[[Answer], dict[str, Any]]
    file_stem: Callable[[Answer], str]
    short: Callable[[Answer], str]
    kept: Callable[[Answer], Kept]
    reads: Callable[[], Any] = nothing
    based: Callable[[QueryDict, Any], Any] = unchanged
    notices: Callable[[Answer], tuple[Notice, ...]] = no_notices
    handovers: Callable[[Answer], tuple[Handover, ...]] = no_handovers
    own: Callable[[Any], Any] = as_it_is
    impossible: Callable[[Answer], tuple[Problem, ...]] = nothing_impossible
    presets: tuple[Preset, ...] = ()
    profiles: tuple[Preset, ...] = ()


def by_kind(keys: Mapping[str, str]) -> Callable[[NotFound, Any], str]:
    """The key of the link behind what does not exist, where its kind alone decides."""

    def key_of(error: NotFound, scenario: Any) -> str:
        del scenario
        return keys[error.kind]

    return key_of


def codes_of(items: Iterable[Any]) -> frozenset[str]:
    """The catalogue codes of offers."""
    return frozenset(item.code for item in items)
