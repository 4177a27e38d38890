"""Who may do what with quotes. The groups that hold these rights are made by `manage.py roles`."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _

MAKE, APPROVE, COSTS = "sales.make_quotes", "sales.approve_quotes", "sales.set_costs"
PRIVATE_PRICES = "calculator.view_private_prices"
READERS = (MAKE, APPROVE)
"""Either opens the list and the quotes to look at."""

View = Callable[..., HttpResponseBase]


def needs(*rights: str) -> Callable[[View], View]:
    """The view for people with one of `rights`: visitors are asked to log in, others get 403. Its answer is kept by
    no cache: it names customers."""

    def guard(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return redirect_to_login(request.get_full_path() if request.method == "GET" else reverse("quotes"))
            if not any(request.user.has_perm(right) for right in rights):
                raise PermissionDenied(_("Cette page des devis est réservée aux personnes qui en ont le droit."))
            response = view(request, *args, **kwargs)
            response.headers["Cache-Control"] = "private, no-store"
            return response

        return guarded

    return guard


def me(request: HttpRequest) -> User:
    """The person behind a guarded view."""
    assert isinstance(request.user, User)
    return request.user
