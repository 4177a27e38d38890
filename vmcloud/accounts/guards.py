"""Who gets through to a page."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

View = Callable[..., HttpResponse]


def to_login(request: HttpRequest, back_to: str) -> HttpResponse:
    """To the login page, and afterwards to where a GET wanted to go; a POST is not repeated."""
    return redirect_to_login(request.get_full_path() if request.method == "GET" else reverse(back_to))


def signed_in(view: View) -> View:
    """Visitors are asked to log in."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.is_authenticated:
            return to_login(request, "account")
        return view(request, *args, **kwargs)

    return guarded


def superusers_only(view: View) -> View:
    """Visitors are asked to log in; other people get 403."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.is_authenticated:
            return to_login(request, "people")
        if not request.user.is_superuser:
            raise PermissionDenied(_("Les comptes sont réservés aux superutilisateurs."))
        return view(request, *args, **kwargs)

    return guarded
