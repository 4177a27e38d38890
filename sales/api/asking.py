"""From a request to what it asks, and from what was found to one part of a list with the way to the next.

A key that is unknown, empty or given twice is an error, never left aside: a program that mistypes one would take the
answer to another question for its own.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext as _

from calculator import catalog, fields, permalinks
from calculator.answers import absence
from calculator.permalinks import Notation, Problem
from calculator.permalinks.notation import take
from calculator.snapshots import snapshot
from sales.api.frame import LANGUAGE
from sales.api.problems import RefusedError
from sales.api.questions import ITEM


def query_of(request: HttpRequest) -> QueryDict:
    """The query without the key of the language, which the frame has read."""
    query = request.GET.copy()
    query.pop(LANGUAGE.name, None)
    return query


def unknown(notation: Notation, query: QueryDict) -> tuple[Problem, ...]:
    """A problem for each key that means nothing here."""
    known = ", ".join(("v", *notation.by_name))
    text = _("Clé inconnue\u00a0: %(keys)s. Les clés sont\u00a0: %(known)s.")
    return tuple(
        Problem(key, text % {"keys": fields.printable(key) or "?", "known": known}, code="unknown")
        for key in notation.strange(query)
    )


def asked(request: HttpRequest, notation: Notation, **here: Any) -> Any:
    """The question of a request; RefusedError names every key that is wrong. `here` are the defaults of this moment."""
    query = query_of(request)
    reading = notation.read(query, notation.scenario(**here))
    wrong = (*unknown(notation, query), *reading.problems)
    if wrong:
        raise RefusedError(wrong)
    return reading.kept


def asked_catalogue(request: HttpRequest, notation: Notation) -> Any:
    """A question about the catalogue, whose version exists."""
    now = catalog.first_visit(notation.scenario)
    question = asked(request, notation, catalog_version=now.catalog_version, at=now.at)
    try:
        snapshot(question.catalog_version)
    except catalog.NotFound as error:
        raise RefusedError([absence("catalog", error)]) from error
    return question


def asked_item(kind: str, code: str) -> str:
    """The code of an item named by a path, of one of the kinds; RefusedError for what cannot be one."""
    values: dict[str, object] = {}
    wrong: list[Problem] = []
    for key, text in zip(ITEM, (kind, code), strict=True):
        take(key, [text], values, wrong)
    if wrong:
        raise RefusedError(replace(problem, code="missing") for problem in wrong)
    return str(values["code"])


def part(request: HttpRequest, notation: Notation, question: Any, found: Iterable[Any]) -> dict[str, Any]:
    """One part of a list: how many there are, this part, and the address of the next one; None after the last.

    The address holds version and instant, so that a list does not move while it is read.
    """
    every = tuple(found)
    end = question.offset + question.limit
    return {
        "count": len(every),
        "next": address(request, notation, replace(question, offset=end)) if end < len(every) else None,
        "items": every[question.offset : end],
    }


def address(request: HttpRequest, notation: Notation, question: Any) -> str:
    """The absolute address of a question at the path of this request, in the language that it asked for."""
    language = request.GET.get(LANGUAGE.name)
    query = notation.write(question) + (f"&{urlencode({LANGUAGE.name: language})}" if language else "")
    return request.build_absolute_uri(f"{request.path}?{query}")


def state(question: Any) -> dict[str, Any]:
    """The catalogue version and the instant that a list is of."""
    known = snapshot(question.catalog_version)
    return {
        "catalog": {"version": known.number, "date": known.date.isoformat()},
        "at": permalinks.write_instant(question.at),
    }
