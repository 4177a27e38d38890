"""One guard for every room: visitors log in and come back, people without the right get 403, the trace is theirs."""

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from django.utils.translation import gettext_lazy

from calculator import guards

WORDS = gettext_lazy("Cette page des prix est réservée aux personnes qui en ont le droit.")


def request(method: str, user: User | AnonymousUser) -> HttpRequest:
    made: HttpRequest = getattr(RequestFactory(), method)("/fr/runs/new?sku=GPU-PRO")
    made.user = user
    return made


@guards.needs(lambda request: request.user.is_superuser, "runs", WORDS)
def view(_request: HttpRequest, code: str = "") -> HttpResponse:
    return HttpResponse(f"inside {code}")


@pytest.mark.parametrize(("method", "back"), [("get", "/fr/runs/new%3Fsku%3DGPU-PRO"), ("post", "/fr/runs/")])
def test_a_visitor_logs_in_and_comes_back_but_repeats_no_post(method: str, back: str) -> None:
    response = view(request(method, AnonymousUser()))
    assert response.status_code == 302 and response.headers["Location"] == f"/fr/login/?next={back}"


def test_whoever_may_gets_through_with_all_arguments() -> None:
    assert view(request("get", User(is_superuser=True)), code="2026-0001").content == b"inside 2026-0001"


def test_whoever_may_not_is_told_why_and_leaves_the_rooms_trace() -> None:
    seen: list[str] = []
    guard = guards.needs(lambda _request: False, "runs", WORDS, refused=lambda one: seen.append(one.path))
    with pytest.raises(PermissionDenied, match="réservée aux personnes"):
        guard(view)(request("post", User()))
    assert seen == ["/fr/runs/new"]


def test_a_guarded_view_keeps_its_name() -> None:
    assert view.__name__ == "view"
