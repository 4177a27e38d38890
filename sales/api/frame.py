"""What every address under /api/ has in common: the language, the methods, who may read it from another site, caching.

The interface is read only. `lang` in the query goes before Accept-Language; CORS is off unless the settings name the
sites that may read it from their pages.
"""

from collections.abc import Callable
from http import HTTPStatus

from django.conf import settings
from django.core.exceptions import TooManyFieldsSent
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, HttpResponseNotAllowed, HttpResponseNotFound
from django.urls import Resolver404, resolve
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers, set_response_etag
from django.utils.translation import get_language, override

from calculator.permalinks.notation import Key, Problem, parse_choice, take
from sales.api import problems

View = Callable[[HttpRequest], HttpResponse]
PREFIX = "/api/"
METHODS = ("GET", "HEAD", "OPTIONS")
ALLOWED = ", ".join(METHODS)
READABLE_HEADERS = "ETag, Retry-After, Content-Language"
"""What a page of another site may read of an answer beside its body."""
LANGUAGE = Key("lang", "language", parse_choice(tuple(code for code, _name in settings.LANGUAGES)))
WITHOUT_BODY = (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED)


def framed(get_response: View) -> View:
    """Answers under /api/ in the asked language, errors as problem documents; every other address as it was."""

    def answered(request: HttpRequest) -> HttpResponse:
        if not request.path_info.startswith(PREFIX):
            return get_response(request)
        get: View = get_response
        try:
            language, wrong = asked_language(request)
        except TooManyFieldsSent:
            language, wrong, get = header_language(), [], unreadable
        with override(language):
            found = problems.refused(request, problems.RefusedError(wrong)) if wrong else read(request, get)
            found = problems.said(request, found)
        found.headers["Content-Language"] = language
        return finished(request, shared(request, found))

    return answered


def unreadable(request: HttpRequest) -> HttpResponse:
    """The answer to a query of more keys than Django reads, whatever its address."""
    del request
    return HttpResponseBadRequest()


def header_language() -> str:
    """The language that the headers led to."""
    return get_language() or settings.LANGUAGE_CODE


def asked_language(request: HttpRequest) -> tuple[str, list[Problem]]:
    """The language of `lang`, else the one that the headers led to; and what is wrong with `lang`."""
    values: dict[str, object] = {}
    wrong: list[Problem] = []
    if LANGUAGE.name in request.GET:
        take(LANGUAGE, request.GET.getlist(LANGUAGE.name), values, wrong)
    return str(values.get(LANGUAGE.attribute) or header_language()), wrong


def read(request: HttpRequest, get_response: View) -> HttpResponse:
    """The answer by the method: HEAD is read as GET, OPTIONS tells the methods, nothing else is taken."""
    if not is_known(request.path_info):
        return HttpResponseNotFound()
    if request.method not in METHODS:
        return HttpResponseNotAllowed(METHODS)
    if request.method == "OPTIONS":
        return HttpResponse(status=HTTPStatus.NO_CONTENT, headers={"Allow": ALLOWED})
    asked = request.method
    request.method = "GET" if asked == "HEAD" else asked
    found = get_response(request)
    if found.status_code == HTTPStatus.OK:
        found = unless_known(request, found)
    request.method = asked
    return found


def is_known(path: str) -> bool:
    """Whether something stands at a path. Asked first: a page that says what is missing would be made for nothing."""
    try:
        resolve(path)
    except Resolver404:
        return False
    return True


def unless_known(request: HttpRequest, found: HttpResponse) -> HttpResponse:
    """`found` with the tag of its very content, unless it has one, or 304 where the client has it already.

    A price may begin between two questions under one address, so a copy is asked about each time.
    """
    patch_cache_control(found, public=True, no_cache=True)
    if not found.has_header("ETag"):
        set_response_etag(found)
    kept = get_conditional_response(request, etag=found.headers.get("ETag"), response=found)
    return kept if isinstance(kept, HttpResponse) else found


def shared(request: HttpRequest, found: HttpResponse) -> HttpResponse:
    """`found` with leave for pages of the sites that the settings name, and for nobody else."""
    origin, allowed = request.headers.get("Origin", ""), settings.API_ORIGINS
    if not allowed:
        return found
    patch_vary_headers(found, ["Origin"])
    if origin and (origin in allowed or "*" in allowed):
        found.headers["Access-Control-Allow-Origin"] = origin
        found.headers["Access-Control-Allow-Methods"] = ALLOWED
        found.headers["Access-Control-Expose-Headers"] = READABLE_HEADERS
    return found


def finished(request: HttpRequest, found: HttpResponse) -> HttpResponse:
    """`found` with its length; for HEAD without its body."""
    if found.status_code not in WITHOUT_BODY:
        found.headers["Content-Length"] = str(len(found.content))
    if request.method == "HEAD":
        found.content = b""
    return found
