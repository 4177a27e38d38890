"""Who may do what to prices. The groups that hold these rights are made by `manage.py roles`."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _

from calculator.models import Audience, PriceUpload
from calculator.pricelist import publish, refusals

UPLOAD, APPROVE, APPLY = refusals.UPLOAD, refusals.APPROVE, refusals.APPLY
BACKDATE, ROLLBACK, SEE_PRIVATE = refusals.BACKDATE, refusals.ROLLBACK, refusals.VIEW_PRIVATE
STAFF = (UPLOAD, APPROVE, APPLY, ROLLBACK)
"""Any of these opens the pages of price lists to look at."""

View = Callable[..., HttpResponseBase]
Person = User | AnonymousUser


def needs(*rights: str) -> Callable[[View], View]:
    """The view for people with one of `rights`: visitors are asked to log in, others get 403."""

    def guard(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return redirect_to_login(request.get_full_path() if request.method == "GET" else reverse("lists"))
            if not has_any(request.user, rights):
                record_attempt(request)
                raise PermissionDenied(_("Cette page des prix est réservée aux personnes qui en ont le droit."))
            return view(request, *args, **kwargs)

        return guarded

    return guard


def record_attempt(request: HttpRequest, upload: PriceUpload | None = None) -> None:
    """Keep in the record that somebody tried a step that is not open to him; looking leaves no trace."""
    if request.method == "POST":
        publish.refuse(upload, me(request), request.path)


def has_any(user: Person, rights: tuple[str, ...]) -> bool:
    """True when one of the rights is held."""
    return any(user.has_perm(right) for right in rights)


def audiences_of(user: Person) -> tuple[str, ...]:
    """Whose prices a person may see: everybody's, and with the right for it the private ones."""
    return (Audience.PUBLIC, Audience.SALES) if user.has_perm(SEE_PRIVATE) else (Audience.PUBLIC,)


def me(request: HttpRequest) -> User:
    """The person behind a guarded view."""
    assert isinstance(request.user, User)
    return request.user
