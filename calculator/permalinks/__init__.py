"""The query string is the state: a scenario as a canonical link, and a link back as a scenario.

`write` and `read` know the notation by the scenario's own type; each calculator's keys stand in the module of its name.
"""

from collections.abc import Hashable
from typing import Any

from calculator.codes import NONE
from calculator.permalinks import economics, inference, parallelism, tokens, training
from calculator.permalinks.notation import (
    VERSION,
    Key,
    Notation,
    Problem,
    Query,
    ReadError,
    Reading,
    problem,
    write_instant,
)

__all__ = [
    "NONE",
    "VERSION",
    "Key",
    "Notation",
    "Problem",
    "Query",
    "ReadError",
    "Reading",
    "add",
    "by_type",
    "notation_of",
    "problem",
    "read",
    "write",
    "write_instant",
]

NOTATIONS: dict[Hashable, Notation] = {
    item.scenario: item
    for item in (
        economics.NOTATION,
        inference.NOTATION,
        parallelism.NOTATION,
        tokens.NOTATION,
        training.NOTATION,
    )
}


def add(notation: Notation) -> None:
    """Makes the notation of another room's scenario known to `write` and `read`."""
    NOTATIONS[notation.scenario] = notation


def by_type(scenario: Hashable) -> Notation:
    """The notation of a type of scenario; raises KeyError for what is none."""
    return NOTATIONS[scenario]


def notation_of(scenario: Any) -> Notation:
    """The notation of a scenario."""
    kind: Any = type(scenario)
    return by_type(kind)


def write(scenario: Any, **changes: Any) -> str:
    """The canonical query string of `scenario`, or of it with `changes`; `read` gives the scenario back."""
    return notation_of(scenario).write(scenario, **changes)


def read(query: Query, base: Any) -> Reading:
    """The scenario that `query` describes; `base` gives its type and the value of every key that is absent."""
    return notation_of(base).read(query, base)
