"""What docs/api.md shows is what is answered: each request is asked and compared with the answer below it."""

import json
import re
from io import StringIO
from itertools import pairwise
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import Client

from sales.api import assistant
from sales.api.openapi import ASKED, ERRORS, document

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("seeded")]
TEXT = (settings.BASE_DIR / "docs" / "api.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", TEXT, re.DOTALL)
PAIRS = [
    (asked.strip(), json.loads(told))
    for (kind, asked), (next_kind, told) in pairwise(BLOCKS)
    if kind in ("http", "tool") and next_kind == "json"
]
COMMANDS = [line for kind, block in BLOCKS if kind == "sh" for line in block.splitlines()]


def lacking(shown: Any, answered: Any, place: str = "") -> list[str]:
    """Where an answer is not what the document shows; the document may leave parts out, a list only its end."""
    if isinstance(shown, dict) and isinstance(answered, dict):
        parts = ((name, value, answered.get(name, "absent")) for name, value in shown.items())
    elif isinstance(shown, list) and isinstance(answered, list):
        parts = ((str(at), value, answered[at] if at < len(answered) else "absent") for at, value in enumerate(shown))
    else:
        return [] if shown == answered else [f"{place}: {answered!r} instead of {shown!r}"]
    return [text for name, value, found in parts for text in lacking(value, found, f"{place}/{name}")]


def test_the_document_shows_requests_with_answers() -> None:
    assert len(PAIRS) >= 8
    assert len(PAIRS) == sum(kind in ("http", "tool") for kind, _block in BLOCKS)


@pytest.mark.parametrize(("asked", "shown"), PAIRS, ids=[asked for asked, _shown in PAIRS])
def test_a_request_is_answered_as_shown(asked: str, shown: Any) -> None:
    name, _blank, rest = asked.partition(" ")
    answered = Client().get(rest).json() if name == "GET" else assistant.answer(name, json.loads(rest))
    assert lacking(shown, answered) == []


def test_a_difference_would_be_found() -> None:
    assert lacking({"a": [{"b": "1"}]}, {"a": [{"b": "2"}], "c": 3}) == ["/a/0/b: '2' instead of '1'"]
    assert lacking([1, 2], [1]) == ["/1: 'absent' instead of 2"]
    assert lacking({"a": None}, {}) == ["/a: 'absent' instead of None"]


def test_every_command_that_is_shown_exists() -> None:
    assert len(COMMANDS) == 3
    for line in COMMANDS:
        name, *rest = line.partition("manage.py ")[2].split()
        out = StringIO()
        if name == "estimate":
            asked = rest[: rest.index("--json")]
            call_command(name, *asked, json=True, lang="en", stdout=out)
            assert json.loads(out.getvalue())["eur_per_mtok"]["month"]["at_volume"] == "8.3064"
        elif name == "advise":
            call_command(name, *rest[: rest.index("--lang")], lang="en", stdout=out)
            assert "To index, text-embedding-3-small: €161.55 excl. VAT" in out.getvalue()
        else:
            assert (name, rest) == ("mcp", ["--lang", "en"])


def test_every_address_and_every_tool_is_told() -> None:
    paths = {path.partition("/{")[0] for path in document()["paths"]}
    missing = [path for path in paths if path not in TEXT and not path.startswith("/api/v1/estimates/")]
    assert missing == []
    assert [name for name in ASKED if f"`{name}`" not in TEXT] == []


def test_every_status_is_told() -> None:
    assert [status.value for status in ERRORS if str(status.value) not in TEXT and status.value not in (400, 500)] == []
