"""How tests ask the interface."""

from typing import Any

from django.http import HttpResponse
from django.test import Client

ROOT = "/api/v1/"


def asked(path: str, **headers: Any) -> HttpResponse:
    """The answer to a path below /api/v1/, with its query."""
    return Client(headers=headers).get(ROOT + path)  # type: ignore[return-value]


def told(path: str, **headers: Any) -> Any:
    """The data of an answer that must be one."""
    found = asked(path, **headers)
    assert found.status_code == 200, found.content
    return found.json()  # type: ignore[attr-defined]


def refused(path: str, status: int, **headers: Any) -> Any:
    """The problem document of an answer that must be refused with that status."""
    found = asked(path, **headers)
    assert (found.status_code, found.headers["Content-Type"]) == (status, "application/problem+json"), found.content
    return found.json()  # type: ignore[attr-defined]


def keys(problem: Any) -> list[tuple[str, str]]:
    """Each key at fault with the way in which it is."""
    return [(one["key"], one["code"]) for one in problem["errors"]]
