"""What the page “Method” tells, ready to print: formulas, worked numbers, sources, conventions, glossary."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from django.utils.safestring import SafeString

from calculator import formats
from calculator.fields import Text
from calculator.methodology import glossary
from calculator.methodology.bounds import BOUNDS
from calculator.methodology.formulas import ECONOMICS, Formula, Worked
from calculator.methodology.mathml import mathml
from calculator.presenters import badges


class Example(NamedTuple):
    """A worked number: its expression as MathML, the result as text, what it counts."""

    expression: SafeString
    result: str
    unit: Text


class Entry(NamedTuple):
    """One formula of the page."""

    code: str
    title: Text
    formulas: tuple[SafeString, ...]
    units: Text
    source: Text
    worked: tuple[Example, ...]
    limits: Text


def example(worked: Worked) -> Example:
    """`worked` with the reader's numbers, rounded half-up for display."""
    return Example(mathml(worked.expression), formats.number(worked.result, worked.decimals), worked.unit)


def entries(formulas: Iterable[Formula]) -> list[Entry]:
    """The formulas with their symbols as MathML."""
    return [
        Entry(
            code=formula.code,
            title=formula.title,
            formulas=tuple(mathml(line) for line in formula.formulas),
            units=formula.units,
            source=formula.source,
            worked=tuple(example(worked) for worked in formula.worked),
            limits=formula.limits,
        )
        for formula in formulas
    ]


def context() -> dict[str, Any]:
    """Everything that the page's template prints, in the active language."""
    return {
        "economics": entries(ECONOMICS),
        "bounds": entries(BOUNDS),
        "symbols": glossary.SYMBOLS,
        "kinds": [(badges.html(badges.of_kind(kind)), text) for kind, text in glossary.KINDS],
        "conventions": glossary.CONVENTIONS,
        "differences": glossary.DIFFERENCES,
        "glossary": glossary.GLOSSARY,
    }
