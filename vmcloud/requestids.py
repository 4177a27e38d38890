"""Gives each request an id, and the answer too: what a visitor reports is found in the log and in the record."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from calculator import requestid

HEADER = "X-Request-ID"
Answer = Callable[[HttpRequest], HttpResponse]


def with_request_id(get_response: Answer) -> Answer:
    """The middleware. Behind a proxy the id that it gives is kept."""

    def answered(request: HttpRequest) -> HttpResponse:
        given = request.headers.get(HEADER, "") if settings.BEHIND_PROXY else ""
        requestid.begin(given)
        response = get_response(request)
        response.headers[HEADER] = requestid.current()
        return response

    return answered
