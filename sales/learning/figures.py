"""Live figures of the explanations: each one is read from a calculator's answer and leads to it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from calculator import pagestate, registry
from calculator.domain.provenance import Kind
from calculator.presenters import badges
from calculator.tool import Answer


@dataclass(frozen=True, slots=True)
class Live:
    """A figure in words: its value, what it is, its badge, and the page of the calculation behind it."""

    value: str
    label: str
    href: str
    badge: str = ""


Figures = Callable[[], Mapping[str, Live]]


def answered(name: str, preset: str = "", **changes: Any) -> Answer:
    """The answer of a calculator to one of its cases, or to a first visit, with some inputs changed.

    Raises catalog.NotFound while the catalogue is empty, StopIteration for a case that the calculator does not have.
    """
    tool = registry.CALCULATORS[name]
    scenario = tool.default()
    if preset:
        scenario = next(case for case in tool.presets if case.code == preset).applied(scenario)
    return tool.answer(replace(scenario, **changes), tool.reads())


def page_of(name: str, answer: Answer) -> str:
    """The address of the page that shows this very answer."""
    return pagestate.address(name, answer.query)


def marked(kind: Kind | None) -> str:
    """The word of a badge; empty where nothing ranks."""
    return badges.word(kind) if kind is not None else ""
