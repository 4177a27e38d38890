"""What the page “Method” tells, ready to print: formulas, worked numbers, sources, conventions, glossary."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy

from calculator import formats
from calculator.fields import Text
from calculator.methodology import (
    formulas_inference,
    formulas_parallelism,
    formulas_tokens,
    formulas_training,
    glossary,
)
from calculator.methodology.bounds import BOUNDS
from calculator.methodology.formulas import ECONOMICS, Formula, Worked
from calculator.methodology.mathml import mathml
from calculator.presenters import badges

GROUPS: tuple[tuple[str, Text, tuple[Formula, ...]], ...] = (
    ("tokens", gettext_lazy("Tokens d’un corpus"), formulas_tokens.FORMULAS),
    ("serving", gettext_lazy("Inférence\u00a0: mémoire, latence, débit, coût"), formulas_inference.FORMULAS),
    ("training", gettext_lazy("Entraînement\u00a0: travail, vitesse, mémoire, coût"), formulas_training.FORMULAS),
    ("parallelism", gettext_lazy("Multi-GPU\u00a0: échange, accélération, coût"), formulas_parallelism.FORMULAS),
)
"""The formulas of the calculators that came after the economics: anchor, title, formulas."""


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
        "groups": [(code, title, entries(formulas)) for code, title, formulas in GROUPS],
        "symbols": glossary.SYMBOLS,
        "kinds": [(badges.html(badges.of_kind(kind)), text) for kind, text in glossary.KINDS],
        "conventions": glossary.CONVENTIONS,
        "differences": glossary.DIFFERENCES,
        "glossary": glossary.GLOSSARY,
    }
