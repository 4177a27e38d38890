"""The bill's page: a plain form, answered at once, nothing kept.

The upload is limited before Django reads it, so the check against forged requests is made on an inner view: it would
read the whole body first.
"""

from http import HTTPStatus
from typing import Any

from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.http import HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.http.request import UnreadablePostError
from django.shortcuts import render
from django.utils.cache import patch_cache_control
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods

from calculator import language, state
from calculator.uploads import announced_bytes, is_length_unsaid, room_for
from calculator.views import needs_catalogue
from sales.bills import asking, files, page, result
from sales.bills.reading.limits import BODY_BYTES, FILE_BYTES
from sales.bills.reading.problems import ReportError

TEMPLATE = "sales/bill.html"
FILES = ("csv", "json")
QUOTING = "sales.make_quotes"


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
@needs_catalogue
def bill(request: HttpRequest) -> HttpResponse:
    """The form, or what was sent priced on every option; a body over the limit is refused unread."""
    if request.method != "POST":
        return asked(request)
    if is_length_unsaid(request):
        return refused(request, ReportError("no_length"), HTTPStatus.LENGTH_REQUIRED)
    if announced_bytes(request) > BODY_BYTES:
        error = ReportError("too_large", limit=page.megabytes(FILE_BYTES))
        return refused(request, error, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    with room_for(request) as has_room:
        return received(request) if has_room else refused(request, ReportError("busy"), HTTPStatus.SERVICE_UNAVAILABLE)


@csrf_protect
def asked(request: HttpRequest) -> HttpResponse:
    return shown(request, page.empty())


def received(request: HttpRequest) -> HttpResponse:
    """Read the body, then price it."""
    try:
        _ = request.POST
    except (RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent, MultiPartParserError, UnreadablePostError):
        return refused(request, ReportError("unreadable"), HTTPStatus.BAD_REQUEST)
    return priced(request)


@csrf_protect
@language.one_language()
@state.read_once()
def priced(request: HttpRequest) -> HttpResponse:
    """The result, its file, or the form with everything that stands against it."""
    try:
        found = asking.received(request)
        if found.totals is None:
            return shown(request, page.unread(found), HTTPStatus.UNPROCESSABLE_ENTITY)
        priced_ = result.priced(found.totals, found.model)
    except ReportError as error:
        return refused(request, error, HTTPStatus.UNPROCESSABLE_ENTITY)
    except result.NotComparable as error:
        return shown(request, page.not_comparable(error), HTTPStatus.UNPROCESSABLE_ENTITY)
    wanted = request.POST.get("file", "")
    if wanted in FILES:
        return private(files.response(priced_, wanted))
    return shown(request, page.answered(priced_, found, request.user.has_perm(QUOTING)))


def refused(request: HttpRequest, error: ReportError, status: int) -> HttpResponse:
    """An empty form with the reason why nothing was read."""
    return shown(request, page.refused(error), status)


def shown(request: HttpRequest, context: dict[str, Any], status: int = HTTPStatus.OK) -> HttpResponse:
    """The page, never kept by anyone: it may show the visitor's figures."""
    return private(render(request, TEMPLATE, context, status=status))


def private(response: HttpResponse) -> HttpResponse:
    patch_cache_control(response, private=True, no_store=True)
    return response
