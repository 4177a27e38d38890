"""What holds for every address under /api/: problem documents, methods, languages, other sites, caching."""

import datetime as dt
import json
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.utils import timezone

from sales.api import catalogue, frame
from sales.api.interface import api
from tests.sales.apisite import ROOT, asked, keys, refused, told

SKUS = f"{ROOT}skus"


def through(answer: HttpResponse, **headers: str) -> HttpResponse:
    """What the frame makes of an answer from below it."""
    request = RequestFactory().get(SKUS, headers=headers)
    return frame.framed(lambda _request: answer)(request)


@pytest.mark.parametrize("path", ["/api/v1/none", "/api/v2/skus", "/api/", "/api/v1/skus/GPU-PRO"])
def test_what_is_nowhere_is_a_problem_document(path: str) -> None:
    found = Client(headers={"accept-language": "en"}).get(path)
    assert (found.status_code, found.headers["Content-Type"]) == (404, "application/problem+json")
    assert found.json() == {
        "type": "about:blank",
        "title": "Not Found",
        "status": 404,
        "detail": "There is nothing at this address.",
        "instance": path,
        "errors": [],
    }


def test_more_keys_than_are_read_are_a_problem_document_too() -> None:
    """Django reads a thousand keys; the refusal comes before any view and must not be a page."""
    problem = refused(f"skus?lang=en{'&a=1' * 1001}", 400)
    assert (problem["title"], problem["errors"]) == ("Bad Request", [])
    assert Client().head(f"{SKUS}?{'a=1&' * 1001}").status_code == 400


@pytest.mark.parametrize("method", ["get", "head", "post", "options"])
def test_nothing_is_looked_up_for_what_is_nowhere(method: str) -> None:
    """No database here: a page of the site would ask for one."""
    assert getattr(Client(), method)("/api/v1/none").status_code == 404


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete", "trace"])
@pytest.mark.parametrize("path", [SKUS, f"{ROOT}openapi.json", ROOT])
def test_nothing_is_changed_through_the_interface(path: str, method: str) -> None:
    found = getattr(Client(enforce_csrf_checks=True), method)(path)
    assert (found.status_code, found.headers["Allow"]) == (405, "GET, HEAD, OPTIONS")
    assert json.loads(found.content)["status"] == 405


@pytest.mark.django_db
def test_head_is_get_without_the_body(seeded: None) -> None:
    got, head = Client().get(f"{SKUS}?at=2026-11-30T14:00:00Z"), Client().head(f"{SKUS}?at=2026-11-30T14:00:00Z")
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["Content-Length"] == got.headers["Content-Length"]
    assert head.headers["ETag"] == got.headers["ETag"]
    assert Client().head(f"{SKUS}?limit=").status_code == 422


def test_options_tells_the_methods_and_asks_nothing() -> None:
    found = Client().options(SKUS)
    assert (found.status_code, found.headers["Allow"], found.content) == (204, "GET, HEAD, OPTIONS", b"")


def test_a_failure_is_told_without_its_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_arguments: object) -> None:
        raise RuntimeError("the secret cause")

    monkeypatch.setattr(catalogue, "asked_catalogue", failing)
    found = Client(raise_request_exception=False, headers={"accept-language": "en"}).get(SKUS)
    assert (found.status_code, found.headers["Content-Type"]) == (500, "application/problem+json")
    assert "secret" not in found.content.decode()
    assert "try again" in found.json()["detail"]


def test_a_page_of_the_site_is_left_alone() -> None:
    request = RequestFactory().get("/fr/none")
    page = HttpResponse("gone", status=404)
    assert frame.framed(lambda _request: page)(request) is page
    assert page.content == b"gone"


@pytest.mark.parametrize("query", ["lang=de", "lang=", "lang=fr&lang=en"])
def test_a_language_that_is_none_is_refused(query: str) -> None:
    assert keys(refused(f"versions?{query}", 422)) == [("lang", "unreadable")]


def test_lang_goes_before_the_headers() -> None:
    french = refused("versions?limit=&lang=fr", 422, accept_language="en")
    english = refused("versions?limit=", 422, accept_language="en")
    assert "la valeur est vide" in french["detail"]
    assert "the value is empty" in english["detail"]


@pytest.mark.django_db
def test_what_has_not_changed_is_not_sent_again(seeded: None) -> None:
    path = "prices?at=2026-11-30T14:00:00Z&limit=5"
    first = asked(path)
    assert "no-cache" in first.headers["Cache-Control"]
    assert asked(path, if_none_match=first.headers["ETag"]).status_code == 304
    assert asked(f"{path}&lang=en", if_none_match=first.headers["ETag"]).status_code == 200
    assert asked(path, if_match='"other"').status_code == 412
    assert json.loads(asked(path, if_match='"other"').content)["status"] == 412


def test_pages_of_other_sites_may_not_read_unless_the_settings_say_so(settings: Any) -> None:
    assert "Access-Control-Allow-Origin" not in through(HttpResponse(), origin="https://a.example").headers
    settings.API_ORIGINS = ["https://a.example"]
    found = through(HttpResponse(), origin="https://a.example")
    assert found.headers["Access-Control-Allow-Origin"] == "https://a.example"
    assert "Access-Control-Allow-Credentials" not in found.headers
    other = through(HttpResponse(), origin="https://b.example")
    assert "Access-Control-Allow-Origin" not in other.headers
    assert (found.headers["Vary"], other.headers["Vary"]) == ("Origin", "Origin")


def test_an_error_can_be_read_by_an_allowed_site_and_a_star_allows_all(settings: Any) -> None:
    settings.API_ORIGINS = ["*"]
    found = through(HttpResponse(status=404), origin="https://any.example")
    assert found.headers["Access-Control-Allow-Origin"] == "https://any.example"
    preflight = Client().options(
        SKUS, headers={"origin": "https://any.example", "access-control-request-method": "GET"}
    )
    assert preflight.headers["Access-Control-Allow-Methods"] == "GET, HEAD, OPTIONS"


def test_headers_that_a_refusal_needs_are_kept() -> None:
    found = through(HttpResponse(status=429, headers={"Retry-After": "7", "X-Other": "1"}))
    assert (found.headers["Retry-After"], "X-Other" in found.headers) == ("7", False)
    assert int(found.headers["Content-Length"]) == len(found.content)


def test_no_page_of_documentation_and_no_file_of_the_framework_is_served() -> None:
    assert (api.docs_url, api.openapi_url) == (None, None)
    assert Client().get(f"{ROOT}docs").status_code == 404


@pytest.mark.django_db
def test_the_root_leads_to_every_address(seeded: None) -> None:
    found = told("")
    assert found["openapi"] == "http://testserver/api/v1/openapi.json"
    assert found["paths"]["/api/v1/skus"] == "http://testserver/api/v1/skus"


@pytest.mark.django_db
def test_no_address_sets_a_cookie_or_reads_a_session(seeded: None, django_assert_max_num_queries: Any) -> None:
    told("versions")
    with django_assert_max_num_queries(3):
        found = asked("versions")
    assert found.cookies == {}


def test_the_frame_gives_back_the_method_that_was_asked() -> None:
    request = RequestFactory().head(SKUS)
    seen: list[str | None] = []

    def below(one: HttpRequest) -> HttpResponse:
        seen.append(one.method)
        return HttpResponse("body")

    found = frame.framed(below)(request)
    assert (seen, request.method, found.content) == (["GET"], "HEAD", b"")


@pytest.mark.django_db
def test_an_estimate_is_the_same_a_moment_later_and_keeps_its_instant(
    seeded: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tag is weak: the copies differ by the instant they were made at."""
    path = "estimates/economics?v=1&at=2026-11-30T14:00:00Z&sku=GPU-PRO&volume=100000000&lang=fr"
    first = asked(path)
    tag, made = first.headers["ETag"], json.loads(first.content)["created_at"]
    assert tag.startswith('W/"')
    later = timezone.now() + dt.timedelta(seconds=90)
    monkeypatch.setattr("calculator.document.timezone.now", lambda: later)
    again = asked(path)
    assert json.loads(again.content)["created_at"] != made and again.headers["ETag"] == tag
    kept = asked(path, if_none_match=tag)
    assert (kept.status_code, kept.content, kept.headers["ETag"]) == (304, b"", tag)


@pytest.mark.django_db
def test_another_answer_has_another_tag(seeded: None) -> None:
    path = "estimates/economics?at=2026-11-30T14:00:00Z&lang=fr"
    tags = {
        asked(f"{path}{more}").headers["ETag"] for more in ("", "&volume=200000000", "&vat=0.1", "&sku=GPU-ENTERPRISE")
    } | {asked(path.replace("lang=fr", "lang=en")).headers["ETag"]}
    assert len(tags) == 5
    assert asked(f"{path}&volume=200000000", if_none_match=asked(path).headers["ETag"]).status_code == 200
