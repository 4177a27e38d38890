"""A large file is compared and applied by a worker: its page asks again by itself, says how far it is, how it ended."""

import datetime as dt
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from calculator.models import CatalogVersion, PriceEvent, PriceUpload, PriceWork
from calculator.pricelist.progress import Stage
from calculator.pricing import comparing, working
from tests import pagetext
from tests.pricelist import filefactory
from tests.pricelist import pagesite as site

pytestmark = pytest.mark.usefixtures("seeded", "large")
WORKER = "prices@here"


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch, db: None) -> None:
    """Every file is large, and what the queue would carry is done by the test."""
    monkeypatch.setattr(comparing, "AT_ONCE_BYTES", 10)


@pytest.fixture
def paula(db: None) -> Client:
    return site.client_of("pricing", name="paula")


def finish(upload: PriceUpload) -> PriceWork:
    """What the worker does with the message."""
    work = working.latest(upload)
    assert work is not None
    working.done(work.pk, WORKER, comparing.step)
    work.refresh_from_db()
    upload.refresh_from_db()
    return work


def compared(client: Client, content: str = site.SMALL) -> PriceUpload:
    upload = site.sent(client, content)
    finish(upload)
    return upload


def fragment(client: Client, upload: PriceUpload) -> Any:
    return client.get(reverse("list", args=[upload.pk]), headers={"HX-Request": "true"})


def test_the_page_shows_a_bar_and_asks_again_by_itself(paula: Client) -> None:
    upload = site.sent(paula, site.SMALL)
    page = paula.get(reverse("list", args=[upload.pk])).text
    assert "<progress" in page and 'hx-trigger="every 1s"' in page
    assert "En attente d’un worker" in page
    part = fragment(paula, upload).text
    assert "<progress" in part and "<html" not in part


def test_the_bar_says_how_many_lines_are_done(paula: Client) -> None:
    upload = site.sent(paula, site.SMALL)
    work = working.claim(upload.works.get().pk, WORKER)
    assert work is not None
    working.Told(work)(Stage.READING, 41_000, 100_000)
    page = fragment(paula, upload).text
    assert 'value="41000" max="100000"' in page
    assert "Lecture des lignes\u00a0: 41\u202f000 lignes sur 100\u202f000" in page
    working.Told(work)(Stage.OPENING, 30_000_000, 60_000_000)
    assert "Ouverture du classeur\u00a0: 50\u00a0%" in fragment(paula, upload).text
    working.Told(work)(Stage.WRITING, 0, 0)
    assert "max=" not in fragment(paula, upload).text


def test_what_is_told_is_written_twice_a_second_at_most(paula: Client, django_assert_num_queries: Any) -> None:
    work = site.sent(paula, site.SMALL).works.get()
    tell = working.Told(work)
    with django_assert_num_queries(1):
        for done in range(100):
            tell(Stage.READING, done, 100)


def test_a_workbook_of_few_bytes_and_many_rows_is_large_too(paula: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Alike rows are packed to next to nothing: two thousand of them are less than 80 kB."""
    monkeypatch.setattr(comparing, "AT_ONCE_BYTES", 400_000)
    rows = [site.HEAD_GPU.split(";"), *[("GPU-PRO", "instance_hour", "on_demand", 1.6, "EUR", "instance_hour")] * 2_000]
    content = filefactory.xlsx(rows)
    assert len(content) < 80_000
    small = site.sent(paula, content, name="prices.xlsx")
    assert not small.works.exists()
    monkeypatch.setattr(comparing, "AT_ONCE_UNPACKED_BYTES", 200_000)
    assert site.sent(paula, content, name="prices.xlsx").works.get().step == "compare"


def test_once_compared_the_waiting_page_opens_the_comparison(paula: Client) -> None:
    upload = compared(paula)
    assert fragment(paula, upload).headers["HX-Redirect"] == reverse("list", args=[upload.pk])
    assert "+6,7 %" in site.words(paula, "list", upload.pk)


def test_a_large_file_is_applied_by_the_worker_and_the_page_says_so(paula: Client) -> None:
    upload = compared(paula)
    answer = site.decide(paula, "list-apply", upload)
    assert answer.status_code == 303 and CatalogVersion.objects.count() == 1
    assert "Application" in site.words(paula, "list", upload.pk)
    assert finish(upload).status == "done"
    assert CatalogVersion.objects.count() == 2
    assert "Appliqué en liste n° 2" in site.words(paula, "list", upload.pk)
    event = PriceEvent.objects.get(action="applied")
    assert event.actor and event.actor.username == "paula"


def test_p20_pressing_twice_asks_once_and_a_message_twice_does_nothing(paula: Client) -> None:
    upload = compared(paula)
    for _press in range(2):
        assert site.decide(paula, "list-apply", upload).status_code == 303
    work = finish(upload)
    working.done(work.pk, "prices@elsewhere", comparing.step)
    assert PriceWork.objects.filter(step="apply").count() == 1 and CatalogVersion.objects.count() == 2
    assert "Déjà appliqué" in pagetext.words(
        paula.get(site.decide(paula, "list-apply", upload).headers["Location"]).text
    )


def test_two_works_on_one_file_are_refused_by_the_database(paula: Client) -> None:
    upload = site.sent(paula, site.SMALL)
    with pytest.raises(IntegrityError), transaction.atomic():
        PriceWork.objects.create(upload=upload, by=User.objects.get(username="paula"), step="compare")


def test_p19_a_list_that_came_between_asking_and_applying_is_named(paula: Client) -> None:
    first, second = compared(paula), compared(paula, site.SMALL.replace("1,60", "1,65"))
    for upload in (first, second):
        site.decide(paula, "list-apply", upload)
    finish(first)
    assert finish(second).status == "refused"
    assert "comparé à la liste n° 1, et la liste n° 2 est en vigueur" in site.words(paula, "list", second.pk)
    assert CatalogVersion.objects.count() == 2


def test_another_comparison_than_the_one_that_was_seen_is_not_applied(paula: Client) -> None:
    upload = compared(paula)
    site.decide(paula, "list-apply", upload)
    PriceUpload.objects.filter(pk=upload.pk).update(diff_hash="0" * 64)
    assert finish(upload).status == "refused"
    assert "ne donne plus le même résultat" in site.words(paula, "list", upload.pk)


def test_what_can_be_refused_at_once_is_not_queued(paula: Client) -> None:
    upload = compared(paula, site.TENFOLD)
    answer = site.decide(paula, "list-apply", upload)
    assert answer.status_code == 422 and "autre personne" in pagetext.words(answer.text)
    assert not PriceWork.objects.filter(step="apply").exists()


def test_the_worker_goes_on_under_the_id_of_the_request(paula: Client) -> None:
    upload = compared(paula)
    answer = site.decide(paula, "list-apply", upload)
    finish(upload)
    asked = answer.headers["X-Request-ID"]
    assert set(PriceEvent.objects.filter(version=2).values_list("request_id", flat=True)) == {asked}


def test_the_effects_of_a_large_file_are_asked_for_afterwards(paula: Client) -> None:
    upload = compared(paula)
    page = paula.get(reverse("list", args=[upload.pk])).text
    part = paula.get(reverse("list-effects", args=[upload.pk]), headers={"HX-Request": "true"})
    assert "Calculer ce qui change" in page
    assert "Ce que verront les clients" in part.text and "<html" not in part.text


def test_why_a_large_file_was_not_read_stands_on_its_page(paula: Client) -> None:
    upload = compared(paula, "nom;valeur\nGPU-PRO;1,60\n")
    text = site.words(paula, "list", upload.pk)
    assert "Les colonnes ne disent pas" in text and "<progress" not in text


def test_work_of_a_worker_that_is_silent_for_long_is_given_up_and_can_be_asked_for_again(paula: Client) -> None:
    upload = site.sent(paula, site.SMALL)
    work = working.claim(upload.works.get().pk, WORKER)
    assert work is not None
    PriceWork.objects.filter(pk=work.pk).update(seen_at=timezone.now() - dt.timedelta(minutes=6))
    assert "Fichier pas encore comparé" in site.words(paula, "list", upload.pk)
    paula.post(reverse("list-compare", args=[upload.pk]))
    work.refresh_from_db()
    assert work.status == "lost"
    assert finish(upload).status == "done"


def test_a_worker_that_starts_anew_takes_up_what_it_left_and_what_waits(paula: Client) -> None:
    left, waits = site.sent(paula, site.SMALL), site.sent(paula, site.TENFOLD)
    elsewhere = site.sent(paula, site.SAME)
    working.claim(left.works.get().pk, WORKER)
    working.claim(elsewhere.works.get().pk, "prices@elsewhere")
    assert working.left_behind(WORKER) == [left.works.get().pk, waits.works.get().pk]
    assert finish(left).status == "done"


def test_a_page_that_waits_in_vain_names_the_queue(paula: Client) -> None:
    upload = site.sent(paula, site.SMALL)
    assert "Aucun worker" not in site.words(paula, "list", upload.pk)
    PriceWork.objects.update(asked_at=timezone.now() - dt.timedelta(seconds=20))
    assert "qu’un worker sert la file «\u00a0prices\u00a0»" in fragment(paula, upload).text


def test_a_refused_step_leaves_nothing_that_waits(paula: Client) -> None:
    upload = site.sent(paula, site.SMALL)
    PriceUpload.objects.filter(pk=upload.pk).update(status="rejected")
    assert finish(upload).status == "refused"
    assert "Rejeté" in site.words(paula, "list", upload.pk)


def test_a_fault_leaves_nothing_that_waits_either(paula: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    upload = site.sent(paula, site.SMALL)

    def broken(*_given: object) -> None:
        raise RuntimeError("no memory left")

    monkeypatch.setattr(comparing.publish, "validate", broken)
    with pytest.raises(RuntimeError):
        finish(upload)
    assert working.under_way(upload) is None
    assert "La comparaison s’est interrompue" in site.words(paula, "list", upload.pk)


def test_a_queue_that_cannot_be_reached_loses_nothing(
    paula: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def away(*_given: object, **_told: object) -> None:
        raise OSError("no route")

    monkeypatch.setattr(working.current_app, "send_task", away)
    upload = site.sent(paula, site.SMALL)
    working.sent(upload.works.get().pk)
    assert "does not take work" in caplog.text
    assert working.left_behind(WORKER) == [upload.works.get().pk]
