"""A large file is compared while its page waits: the page asks again by itself, and says how it ended."""

import os
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from calculator.models import PriceUpload
from calculator.pricing import comparing
from tests.pricelist import pagesite as site

pytestmark = pytest.mark.usefixtures("seeded", "large")


class Waiting:
    """A thread that has not begun yet."""

    def __init__(self, **told: Any) -> None:
        self.told = told

    def start(self) -> None:
        pass


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch, db: None) -> None:
    """Every file is large, and its comparison is begun by the test."""
    monkeypatch.setattr(comparing, "AT_ONCE_BYTES", 10)
    monkeypatch.setattr(comparing.threading, "Thread", Waiting)


@pytest.fixture
def paula(db: None) -> Client:
    return site.client_of("pricing", name="paula")


def finish(upload: PriceUpload) -> None:
    comparing.work(upload, User.objects.get(username="paula"))


def fragment(client: Client, upload: PriceUpload) -> Any:
    return client.get(reverse("list", args=[upload.pk]), headers={"HX-Request": "true"})


def test_the_page_shows_a_bar_and_asks_again_by_itself(paula: Client) -> None:
    upload = site.sent(paula, site.SMALL)
    page = paula.get(reverse("list", args=[upload.pk])).text
    assert "<progress" in page and 'hx-trigger="every 1s"' in page
    part = fragment(paula, upload).text
    assert "<progress" in part and "<html" not in part


def test_once_compared_the_waiting_page_opens_the_comparison(paula: Client) -> None:
    upload = site.sent(paula, site.SMALL)
    finish(upload)
    assert fragment(paula, upload).headers["HX-Redirect"] == reverse("list", args=[upload.pk])
    assert "+6,7 %" in site.words(paula, "list", upload.pk)


def test_the_effects_of_a_large_file_are_asked_for_afterwards(paula: Client) -> None:
    upload = site.sent(paula, site.SMALL)
    finish(upload)
    page = paula.get(reverse("list", args=[upload.pk])).text
    part = paula.get(reverse("list-effects", args=[upload.pk]), headers={"HX-Request": "true"})
    assert "Calculer ce qui change" in page
    assert "Ce que verront les clients" in part.text and "<html" not in part.text


def test_why_a_large_file_was_not_read_stands_on_its_page(paula: Client) -> None:
    upload = site.sent(paula, "nom;valeur\nGPU-PRO;1,60\n")
    finish(upload)
    text = site.words(paula, "list", upload.pk)
    assert "Les colonnes ne disent pas" in text and "<progress" not in text


def test_a_comparison_that_ended_with_its_process_is_given_up(paula: Client) -> None:
    upload = site.sent(paula, site.SMALL)
    os.utime(comparing.note_of(upload.pk), (0, 0))
    assert "Fichier pas encore comparé" in site.words(paula, "list", upload.pk)


def test_a_refused_step_leaves_nothing_that_waits(paula: Client) -> None:
    upload = site.sent(paula, site.SMALL)
    PriceUpload.objects.filter(pk=upload.pk).update(status="rejected")
    finish(upload)
    assert "Rejeté" in site.words(paula, "list", upload.pk)


def test_a_fault_leaves_nothing_that_waits_either(paula: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    upload = site.sent(paula, site.SMALL)

    def broken(*_given: object) -> None:
        raise RuntimeError("no memory left")

    monkeypatch.setattr(comparing.publish, "validate", broken)
    with pytest.raises(RuntimeError):
        finish(upload)
    assert comparing.seconds_under_way(upload) is None


def test_the_note_of_a_comparison_is_never_read_by_halves(paula: Client) -> None:
    """The page asks at any moment, also between emptying a file and filling it: a new one takes its place, whole."""
    upload = site.sent(paula, site.SMALL)
    held = comparing.note_of(upload.pk).open()
    comparing.keep_note(upload.pk, '{"code": "empty", "values": {}}')
    assert held.read() == "{}"
    held.close()
    assert comparing.refusal(upload)
    assert [path.name for path in comparing.note_of(upload.pk).parent.glob("tmp*")] == []
