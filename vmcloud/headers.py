"""Headers that every answer carries."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_cache_control

View = Callable[[HttpRequest], HttpResponse]


def private_unless_said(get_response: View) -> View:
    """No cache between us and the visitor keeps a page, unless the view said how long.

    Prices change under the same address, a page shows what its reader may do, and the address of a saved estimate is
    all that guards it.
    """

    def answered(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if not response.has_header("Cache-Control"):
            patch_cache_control(response, private=True, no_cache=True)
        return response

    return answered
