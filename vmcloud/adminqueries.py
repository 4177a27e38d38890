"""What an address of the admin site may not ask: its filters hand every value to the database as it came."""

from collections.abc import Callable

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse

Answer = Callable[[HttpRequest], HttpResponse]


def without_null(get_response: Answer) -> Answer:
    """Refuse a null character in the query of an admin page with 400: PostgreSQL holds none in a text."""

    def answered(request: HttpRequest) -> HttpResponse:
        in_admin = request.path_info.split("/")[2:3] == ["admin"]
        if in_admin and any("\0" in value for values in request.GET.lists() for value in (values[0], *values[1])):
            raise BadRequest("A null character cannot be looked for.")
        return get_response(request)

    return answered
