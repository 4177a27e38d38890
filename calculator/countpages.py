"""The page that counts a text or files: a plain form, answered at once, nothing kept.

The upload is limited before Django reads it, so the check against forged requests is made on an inner view: it would
read the whole body first.
"""

from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.http import HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.http.request import UnreadablePostError
from django.shortcuts import render
from django.utils.cache import patch_cache_control
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods

from calculator import budgetback, counts
from calculator.counting.limits import RETRY_SECONDS, UPLOAD_BYTES
from calculator.counting.problems import ReadingError
from calculator.counts import Asked, CountAnswer
from calculator.forms.count import CountForm, first_form
from calculator.presenters import count as words
from calculator.presenters import count_problems
from calculator.uploads import LimitedUpload, is_announced_too_large, is_length_unsaid, room_for

TEMPLATE = "calculator/tokens_count.html"


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def count(request: HttpRequest) -> HttpResponse:
    """The form, or the count of what was sent; a body over the limit is refused unread."""
    if request.method != "POST":
        return _asked(request)
    if is_length_unsaid(request):
        return refused(request, count_problems.without_length(), HTTPStatus.LENGTH_REQUIRED)
    if is_announced_too_large(request):
        return refused(request, count_problems.too_large(UPLOAD_BYTES), HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    with room_for(request) as has_room:
        return _received(request) if has_room else busy(request, first_form())


def _received(request: HttpRequest) -> HttpResponse:
    """Read the body within its limit, then count."""
    limit = LimitedUpload(request)
    request.upload_handlers.insert(0, limit)
    try:
        _ = request.POST
    except RequestDataTooBig:
        return refused(request, count_problems.text_too_large(), HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    except (TooManyFieldsSent, TooManyFilesSent, MultiPartParserError, UnreadablePostError):
        return refused(request, count_problems.unreadable(), HTTPStatus.BAD_REQUEST)
    if limit.is_over:
        return refused(request, count_problems.too_large(UPLOAD_BYTES), HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    return _counted(request)


@csrf_protect
def _asked(request: HttpRequest) -> HttpResponse:
    return shown(request, first_form())


@csrf_protect
def _counted(request: HttpRequest) -> HttpResponse:
    """Bind, count, answer; what cannot be counted comes back with the form and a sentence."""
    form = CountForm(request.POST, request.FILES)
    if not form.is_valid():
        return shown(request, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    try:
        found = counts.count(asked_by(form.cleaned_data))
    except ReadingError as error:
        if error.code == "too_busy":
            return busy(request, form)
        field = "uploads" if "file" in error.values else "own" if error.code.startswith("tokenizer") else "text"
        form.add_error(field, count_problems.sentence(error))
        return shown(request, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    return shown(request, form, found)


def asked_by(cleaned: dict[str, Any]) -> Asked:
    """A valid form's values."""
    return Asked(
        text=cleaned["text"],
        files=tuple(cleaned["uploads"]),
        split=cleaned["split"],
        column=cleaned["column"],
        tokenizers=tuple(cleaned["tokenizers"]),
        own=cleaned["own"],
    )


def refused(request: HttpRequest, sentence: str, status: int) -> HttpResponse:
    """An empty form with the reason why nothing was read."""
    return shown(request, first_form(), sentence=sentence, status=status)


def busy(request: HttpRequest, form: CountForm) -> HttpResponse:
    """503 and when to come again: others' large files are being counted."""
    sentence = count_problems.sentence(ReadingError("too_busy", seconds=RETRY_SECONDS))
    response = shown(request, form, sentence=sentence, status=HTTPStatus.SERVICE_UNAVAILABLE)
    response.headers["Retry-After"] = str(RETRY_SECONDS)
    return response


def shown(
    request: HttpRequest,
    form: CountForm,
    found: CountAnswer | None = None,
    sentence: str = "",
    status: int = HTTPStatus.OK,
) -> HttpResponse:
    """The page, never kept by anyone: it may show the visitor's text."""
    kept = budgetback.kept(request.GET.get("back", ""))
    page = words.count(found, kept) if found else None
    context = {"form": form, "page": page, "refusal": sentence, "parallels": words.parallels(found)}
    context["back"] = urlencode(kept)
    response = render(request, TEMPLATE, context, status=status)
    patch_cache_control(response, private=True, no_store=True)
    return response
