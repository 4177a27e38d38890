"""Refusals are pages of the product, and no cache on the way keeps what was made for one reader."""

from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from django.core.management import call_command
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import translation

from calculator import catalog
from vmcloud import headers

PAGES = (
    "home", "economics", "skus", "gpus", "prices", "methodology", "runs", "run-new", "login", "admin:index",
)  # fmt: skip
pytestmark = pytest.mark.django_db


@pytest.fixture
def catalogue(db: None) -> Iterator[None]:
    catalog.forget()
    call_command("seed", verbosity=0)
    yield
    catalog.forget()


@pytest.mark.usefixtures("catalogue")
def test_no_page_is_left_to_shared_caches(client: Client) -> None:
    for name in PAGES:
        with translation.override("en"):
            address = reverse(name)
        said = client.get(address).headers["Cache-Control"]
        assert "private" in said and ("no-cache" in said or "no-store" in said), address


@pytest.mark.usefixtures("catalogue")
def test_a_missing_page_and_a_saved_estimate_are_not_either(client: Client) -> None:
    saved = client.post("/fr/economics/save", {"query": "sku=GPU-PRO"}).headers["Location"]
    for address in (saved, "/fr/estimates/none", "/fr/prices/sku/GPU-PRO/", "/fr/economics.csv", "/fr/economics.json"):
        assert client.get(address).headers["Cache-Control"] == "private, no-cache", address


def test_what_a_view_says_of_caches_stands() -> None:
    def view(_request: HttpRequest) -> HttpResponse:
        return HttpResponse(headers={"Cache-Control": "max-age=60"})

    answered = headers.private_unless_said(view)(RequestFactory().get("/"))
    assert answered.headers["Cache-Control"] == "max-age=60"


@pytest.mark.parametrize(
    ("language", "heading"), [("fr", "Ce formulaire n’est plus valable"), ("en", "This form is no longer valid")]
)
def test_a_form_without_its_token_is_refused_in_the_readers_language(language: str, heading: str) -> None:
    """Whoever logs in from one tab finds the form of the other refused: an ordinary thing, told in words."""
    strict = Client(enforce_csrf_checks=True)
    for address in ("economics/save", "login/", "runs/start"):
        answer = strict.post(f"/{language}/{address}", {"query": "sku=GPU-PRO"})
        text = answer.content.decode()
        assert (answer.status_code, heading in text) == (403, True)
        assert f'<html lang="{language}">' in text and "<style" not in text


def test_a_request_that_cannot_be_read_is_told_so_in_both_languages(client: Client) -> None:
    too_many = client.get("/fr/economics?" + urlencode([(f"k{number}", "1") for number in range(1100)]))
    elsewhere = client.get("/fr/economics", headers={"host": "elsewhere.example"})
    for answer in (too_many, elsewhere):
        text = answer.content.decode()
        assert answer.status_code == 400
        assert "Cette demande ne peut pas être lue" in text and "This request cannot be read" in text
        assert "elsewhere.example" not in text and "<style" not in text
