"""What the interface cannot answer: problem documents (RFC 9457), each naming the keys that are at fault.

`detail` and the messages are sentences in the language of the request; `title`, `status` and the codes are stable.
"""

from collections.abc import Iterable
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _

from calculator.permalinks import Problem

PROBLEM_TYPE = "application/problem+json"
KEPT_HEADERS = ("Allow", "Retry-After")
"""Headers of an answer that stay when its text becomes a problem document."""


class RefusedError(Exception):
    """A question without an answer: the problems say why. 404 where all that is wrong is not in the catalogue."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(", ".join(problem.key for problem in self.problems))

    @property
    def status(self) -> HTTPStatus:
        only_missing = all(problem.code == "missing" for problem in self.problems)
        return HTTPStatus.NOT_FOUND if only_missing else HTTPStatus.UNPROCESSABLE_ENTITY


def document(request: HttpRequest, status: HTTPStatus, detail: str, problems: Iterable[Problem] = ()) -> dict[str, Any]:
    """A problem as data. The type is left at `about:blank`, so the title is that of the status."""
    return {
        "type": "about:blank",
        "title": status.phrase,
        "status": status.value,
        "detail": detail,
        "instance": request.path,
        "errors": [{"key": one.key, "code": one.code, "message": one.message} for one in problems],
    }


def response(request: HttpRequest, status: HTTPStatus, detail: str, problems: Iterable[Problem] = ()) -> JsonResponse:
    """A problem as an answer."""
    held = document(request, status, detail, problems)
    return JsonResponse(held, status=status.value, content_type=PROBLEM_TYPE, json_dumps_params={"ensure_ascii": False})


def refused(request: HttpRequest, error: RefusedError) -> JsonResponse:
    """The answer to a question that cannot be answered."""
    detail = " ".join(problem.message for problem in error.problems)
    return response(request, error.status, detail, error.problems)


def detail_of(status: HTTPStatus) -> str:
    """The sentence of a status that no view has put into words."""
    sentences = {
        HTTPStatus.NOT_FOUND: _("Rien ne se trouve à cette adresse."),
        HTTPStatus.METHOD_NOT_ALLOWED: _("Cette adresse ne se lit que par GET ou HEAD."),
        HTTPStatus.TOO_MANY_REQUESTS: _("Trop de requêtes\u00a0: réessayez plus tard."),
        HTTPStatus.INTERNAL_SERVER_ERROR: _("Le calcul a échoué\u00a0: l’erreur est notée, réessayez plus tard."),
        HTTPStatus.SERVICE_UNAVAILABLE: _("Le service ne peut pas répondre pour l’instant."),
    }
    return sentences.get(status, _("La requête ne peut pas être lue."))


def said(request: HttpRequest, found: HttpResponse) -> HttpResponse:
    """`found`, or where it is an error without a problem document, one."""
    is_problem = found.headers.get("Content-Type", "").startswith(PROBLEM_TYPE)
    if found.status_code < HTTPStatus.BAD_REQUEST or is_problem:
        return found
    status = HTTPStatus(found.status_code)
    told = response(request, status, detail_of(status))
    for name in KEPT_HEADERS:
        if found.has_header(name):
            told.headers[name] = found.headers[name]
    return told
