"""JSON as the standard has it: bounded in size, depth and digits, no key twice, no NaN."""

import json
from typing import Any, NoReturn

from calculator.modelconfig.errors import ModelConfigError

LIMIT_BYTES = 1_000_000
DEPTH_LIMIT = 32
DIGIT_LIMIT = 20
"""Digits of a number; no dimension has more, and Python's own limit is far above."""


def parse(text: str | bytes) -> dict[str, Any]:
    """The object that the text holds. Raises ModelConfigError."""
    decoded = _decoded(text)
    if not decoded.strip():
        raise ModelConfigError("empty")
    _check_depth(decoded)
    try:
        found = json.loads(
            decoded,
            parse_constant=_no_constant,
            parse_int=_whole,
            parse_float=_fraction,
            object_pairs_hook=_unique,
        )
        # An escape may name half of a character, which no encoding, no page and no link can carry.
        json.dumps(found, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise ModelConfigError("not_json", line=str(error.lineno), column=str(error.colno)) from error
    except UnicodeEncodeError:
        raise ModelConfigError("half_character") from None
    if not isinstance(found, dict):
        raise ModelConfigError("not_object")
    return found


def _decoded(text: str | bytes) -> str:
    """UTF-8, with or without a byte order mark."""
    try:
        raw = text.encode() if isinstance(text, str) else text
        if len(raw) > LIMIT_BYTES:
            raise ModelConfigError("too_big", limit=str(LIMIT_BYTES))
        return raw.decode("utf-8-sig")
    except UnicodeError as error:
        raise ModelConfigError("not_utf8") from error


def _check_depth(text: str) -> None:
    """Count open brackets outside of strings before anything recursive reads them."""
    depth, quoted, escaped = 0, False, False
    for character in text:
        if quoted:
            quoted, escaped = (character != '"' or escaped), (character == "\\" and not escaped)
        elif character == '"':
            quoted = True
        elif character in "[{":
            depth += 1
            if depth > DEPTH_LIMIT:
                raise ModelConfigError("too_deep", limit=str(DEPTH_LIMIT))
        elif character in "]}":
            depth -= 1


def _no_constant(name: str) -> NoReturn:
    raise ModelConfigError("number_not_finite", value=name)


def _whole(digits: str) -> int:
    if len(digits) > DIGIT_LIMIT:
        raise ModelConfigError("number_too_long", limit=str(DIGIT_LIMIT))
    return int(digits)


def _fraction(digits: str) -> float:
    """A decimal number; one beyond every float is no number."""
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise ModelConfigError("number_not_finite", value=digits[:DIGIT_LIMIT])
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ModelConfigError("duplicate_key", key[:60])
        found[key] = value
    return found
