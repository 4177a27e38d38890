"""JSON of unknown origin: bounded in size and depth, and every value asked for by type before it is used."""

import datetime as dt
import json
import math
import re
from collections.abc import Mapping
from typing import Any

LIMIT_BYTES = 8_000_000
READ_BYTES = LIMIT_BYTES + 1
"""What is read of a file at the most: one too many, so that a longer one is seen to be too big."""
DEPTH_LIMIT = 40
VALUE_LIMIT = 1e12
COUNT_LIMIT = 10**9
"""Of anything counted: the sum of two still fits the columns of PostgreSQL, whose whole numbers end at 2³¹ − 1."""
TEXT_LIMIT = 200
# A whole string (one that never ends runs to the end of the text), or a bracket.
PIECES = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[\[{]|[\]}]', re.DOTALL)


class ForeignError(Exception):
    """Why a file is no result; `code` and `detail` make the sentence."""

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(f"{code} {detail}".strip())
        self.code = code
        self.detail = detail


def too_big() -> ForeignError:
    """The refusal of a file beyond the limit, with the limit in MB."""
    return ForeignError("too_big", str(LIMIT_BYTES // 10**6))


def parse(raw: bytes) -> Any:
    """The document, or the list of its lines when it is one JSON object a line."""
    text = decoded(raw)
    check_depth(text)
    try:
        return json.loads(text, parse_constant=no_number, parse_int=whole)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":
            return lines(text)
        raise ForeignError("not_json", f"{error.lineno}:{error.colno}") from error


def lines(text: str) -> list[Any]:
    """Each line of the text as a document."""
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            found.append(json.loads(line, parse_constant=no_number, parse_int=whole))
        except json.JSONDecodeError as error:
            raise ForeignError("not_json", f"{number}:{error.colno}") from error
    return found


def decoded(raw: bytes) -> str:
    """UTF-8, with or without a byte order mark."""
    if len(raw) > LIMIT_BYTES:
        raise too_big()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ForeignError("not_utf8") from error
    if not text.strip():
        raise ForeignError("empty")
    return text


def check_depth(text: str) -> None:
    """Count open brackets outside of strings before anything recursive reads them."""
    depth = 0
    for piece in PIECES.finditer(text):
        if piece[0] in "[{":
            depth += 1
            if depth > DEPTH_LIMIT:
                raise ForeignError("too_deep", str(DEPTH_LIMIT))
        elif piece[0] in "]}":
            depth -= 1


def no_number(_name: str) -> None:
    """NaN and infinities, which these tools write for what they do not know."""


def whole(digits: str) -> float | int:
    return int(digits) if len(digits) < 25 else float(digits)


def mapping(value: Any) -> Mapping[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def at(value: Any, *path: str) -> Any:
    """What lies at a path of keys; None where the path ends early."""
    for name in path:
        value = mapping(value).get(name)
    return value


def number(value: Any, *path: str) -> float | None:
    """A number that is finite and not negative; None where there is none. A text in its place is an error."""
    found = at(value, *path)
    if found is None:
        return None
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise ForeignError("not_a_number", ".".join(path))
    if not math.isfinite(found) or not 0 <= found < VALUE_LIMIT:
        raise ForeignError("out_of_range", ".".join(path))
    return float(found)


def count(value: Any, *path: str) -> int | None:
    found = number(value, *path)
    if found is not None and found > COUNT_LIMIT:
        raise ForeignError("out_of_range", ".".join(path))
    return None if found is None else round(found)


def text(value: Any, *path: str) -> str:
    """A text, cut to a sane length and without control characters; empty where there is none."""
    found = at(value, *path)
    return "".join(one for one in found if one.isprintable())[:TEXT_LIMIT].strip() if isinstance(found, str) else ""


def instant(value: str, layout: str = "") -> dt.datetime | None:
    """The instant that a text names, in ISO 8601 or in `layout`, taken for UTC without a zone; None for any other."""
    try:
        found = dt.datetime.fromisoformat(value)
    except ValueError:
        try:
            found = dt.datetime.strptime(f"{value} +0000", f"{layout} %z")
        except ValueError:
            return None
    return found if found.tzinfo else found.replace(tzinfo=dt.UTC)


def ratio(part: float | None, whole_value: float | None) -> float | None:
    return part / whole_value if part is not None and whole_value else None
