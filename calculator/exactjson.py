"""JSON of uploaded files, read exactly: numbers as they are written, no key twice, no half of a character."""

import json
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

NUMBER_CHARACTERS = 60
ESCAPED_HALF = re.compile(r"\\u[dD][89a-fA-F]")
"""Half of a character; with its other half it is text, alone no database, page or link can hold it."""


class TwiceError(ValueError):
    """A key that stands twice in one object; the message is the key."""


class HalfCharacterError(ValueError):
    """A text that holds half of a character."""


def loads(text: str, constant: Callable[[str], Any]) -> Any:
    """The document that the text holds; `constant` reads NaN and Infinity, or raises ValueError.

    Raises TwiceError, HalfCharacterError, json.JSONDecodeError, and ValueError, ArithmeticError or RecursionError for
    what cannot be kept.
    """
    found = json.loads(text, parse_float=_number, parse_int=_number, parse_constant=constant, object_pairs_hook=_unique)
    if ESCAPED_HALF.search(text):
        try:
            json.dumps(found, ensure_ascii=False, default=str).encode()
        except UnicodeEncodeError:
            raise HalfCharacterError from None
    return found


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _value in pairs]
        raise TwiceError(next(name for name in names if names.count(name) > 1))
    return found


def _number(text: str) -> Decimal:
    if len(text) > NUMBER_CHARACTERS:
        raise ValueError(text[:NUMBER_CHARACTERS])
    return Decimal(text)
