"""The interface: its operations, and what becomes of an error on the way to an answer.

Query keys are read by the notation of the links, not by the framework, and so are described from it (openapi.py).
"""

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from ninja import NinjaAPI
from ninja.errors import Throttled

from calculator.answers import absence
from calculator.catalog import NotFound
from sales.api import advice, catalogue, estimates, problems
from sales.api.limits import ClientLimit

VERSION = "1.0.0"

api = NinjaAPI(
    title="VMCloud calculator",
    version=VERSION,
    description="Prices, catalogue, published figures and estimates: the very numbers of the pages. Read only.",
    openapi_url=None,
    docs_url=None,
    throttle=ClientLimit(),
)
api.add_router("", catalogue.router)
api.add_router("", estimates.router)
api.add_router("", advice.router)


@api.exception_handler(problems.RefusedError)
def refused(request: HttpRequest, error: problems.RefusedError) -> HttpResponse:
    """A question that cannot be answered."""
    return problems.refused(request, error)


@api.exception_handler(NotFound)
def empty(request: HttpRequest, error: NotFound) -> HttpResponse:
    """An empty catalogue, or one without what the question is about: nothing can be answered yet."""
    detail = absence(error.kind, error).message if error.code else _("Le catalogue est vide.")
    return problems.response(request, HTTPStatus.SERVICE_UNAVAILABLE, detail)


@api.exception_handler(Throttled)
def too_many(request: HttpRequest, error: Throttled) -> HttpResponse:
    """More requests than one client may send within a minute."""
    status = HTTPStatus.TOO_MANY_REQUESTS
    found = problems.response(request, status, problems.detail_of(status))
    found.headers["Retry-After"] = str(error.wait)
    return found
