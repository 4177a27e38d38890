"""Who may do what to prices. The groups that hold these rights are made by `manage.py roles`."""

from collections.abc import Callable

from django.contrib.auth.models import AnonymousUser, User
from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext_lazy

from calculator import guards
from calculator.models import Audience, PriceUpload
from calculator.pricelist import publish, refusals

UPLOAD, APPROVE, APPLY = refusals.UPLOAD, refusals.APPROVE, refusals.APPLY
BACKDATE, ROLLBACK, VIEW_PRIVATE = refusals.BACKDATE, refusals.ROLLBACK, refusals.VIEW_PRIVATE
STAFF = (UPLOAD, APPROVE, APPLY, ROLLBACK)
"""Any of these opens the pages of price lists to look at."""

View = Callable[..., HttpResponseBase]
Person = User | AnonymousUser


def needs(*rights: str) -> Callable[[View], View]:
    """The view for people with one of `rights`: visitors are asked to log in, others get 403 and leave their trace."""
    words = gettext_lazy("Cette page des prix est réservée aux personnes qui en ont le droit.")
    return guards.needs(lambda request: has_any(request.user, rights), "lists", words, refused=record_attempt)


def record_attempt(request: HttpRequest, upload: PriceUpload | None = None) -> None:
    """Keep in the record that somebody tried a step that is not open to him; looking leaves no trace."""
    if request.method == "POST":
        publish.refuse(upload, me(request), request.path)


def has_any(user: Person, rights: tuple[str, ...]) -> bool:
    """True when one of the rights is held."""
    return any(user.has_perm(right) for right in rights)


def audiences_of(user: Person) -> tuple[str, ...]:
    """Whose prices a person may see: everybody's, and with the right for it the private ones."""
    return (Audience.PUBLIC, Audience.SALES) if user.has_perm(VIEW_PRIVATE) else (Audience.PUBLIC,)


def me(request: HttpRequest) -> User:
    """The person behind a guarded view."""
    assert isinstance(request.user, User)
    return request.user
