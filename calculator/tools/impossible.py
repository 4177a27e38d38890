"""Typed values that no hardware makes computable: a problem beside the field and status 2, not an answer.

"Does not fit" is an answer: more or other GPUs would do. Heads that a degree does not divide, or more stages than
layers, are not: only another value is.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from calculator import permalinks
from calculator.domain.scenario import Message
from calculator.permalinks.notation import Problem, problem, written


def problems(
    scenario: Any, messages: Iterable[Message], keys: Mapping[str, str], sentence: Callable[[Message], str]
) -> tuple[Problem, ...]:
    """What was typed and why it cannot be, once a key, for the messages that `keys` gives a key of the link for."""
    by_name = permalinks.notation_of(scenario).by_name
    found: dict[str, Problem] = {}
    for message in messages:
        name = keys.get(message.code, "")
        if name and name not in found:
            key = by_name[name]
            typed = written(key, getattr(scenario, key.attribute))
            found[name] = problem(name, within(sentence(message)), typed)
    return tuple(found.values())


def within(sentence: str) -> str:
    """A sentence as the reason in another one: no capital, no full stop."""
    head = sentence[:1] if sentence[1:2].isupper() else sentence[:1].lower()
    return head + sentence[1:].rstrip(".")
