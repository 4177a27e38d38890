"""The interface: its operations, and what becomes of an error on the way to an answer.

Query keys are read by the notation of the links, not by the framework, and so are described from it (openapi.py).
"""

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from ninja import NinjaAPI

from calculator.catalog import NotFound
from sales.api import catalogue, estimates, problems

VERSION = "1.0.0"

api = NinjaAPI(
    title="VMCloud calculator",
    version=VERSION,
    description="Prices, catalogue, published figures and estimates: the very numbers of the pages. Read only.",
    openapi_url=None,
    docs_url=None,
)
api.add_router("", catalogue.router)
api.add_router("", estimates.router)


@api.exception_handler(problems.RefusedError)
def refused(request: HttpRequest, error: problems.RefusedError) -> HttpResponse:
    """A question that cannot be answered."""
    return problems.refused(request, error)


@api.exception_handler(NotFound)
def empty(request: HttpRequest, error: NotFound) -> HttpResponse:
    """An empty catalogue: nothing can be answered yet."""
    del error
    return problems.response(request, HTTPStatus.SERVICE_UNAVAILABLE, _("Le catalogue est vide."))
