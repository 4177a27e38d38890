"""Who gets through to a page: one guard for every room, each with its own right, its own way back, its own words."""

from collections.abc import Callable
from functools import wraps
from typing import Any, cast

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse
from django.utils.functional import Promise

May = Callable[[HttpRequest], bool]


def to_login(request: HttpRequest, back_to: str) -> HttpResponseRedirect:
    """To the login page, and afterwards to where a GET wanted to go; a POST is not repeated but leads to `back_to`."""
    return redirect_to_login(request.get_full_path() if request.method == "GET" else reverse(back_to))


def needs[V: Callable[..., HttpResponseBase]](
    may: May, back_to: str, words: Promise, refused: Callable[[HttpRequest], None] = lambda request: None
) -> Callable[[V], V]:
    """The view for those who `may`: visitors are asked to log in, others get 403 with `words`, after `refused`."""

    def guard(view: V) -> V:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return to_login(request, back_to)
            if not may(request):
                refused(request)
                raise PermissionDenied(str(words))
            return view(request, *args, **kwargs)

        return cast("V", guarded)

    return guard
