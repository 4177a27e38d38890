"""Taking back on the pages: a list by another list, a planned price before it begins; and what genai-prices says."""

import datetime as dt
from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse

from calculator import catalog
from calculator.domain.offers import Basis
from calculator.models import CatalogVersion, PriceRow, PriceUpload
from tests import pagetext
from tests.pricelist import pagesite as site

pytestmark = pytest.mark.usefixtures("seeded")
HOUR = {"item__code": "GPU-PRO", "component": "instance_hour"}


@pytest.fixture
def paula(db: None) -> Client:
    return site.client_of("pricing", name="paula")


def applied(client: Client, content: str = site.SMALL, **data: str) -> int:
    """Upload and apply; the number of the list made."""
    upload = site.sent(client, content)
    site.decide(client, "list-apply", upload, **data)
    return CatalogVersion.objects.latest("number").number


def roll_back(client: Client, number: int, **data: object) -> str:
    return pagetext.words(client.post(reverse("list-rollback", args=[number]), data, follow=True).text)


def test_the_page_shows_what_would_be_restored_and_changes_nothing(paula: Client) -> None:
    number = applied(paula)
    text = site.words(paula, "list-rollback", number)
    assert "GPU-PRO" in text and "1,60 €" in text and "1,50 €" in text
    assert CatalogVersion.objects.count() == 2


def test_rolling_back_restates_the_earlier_price_in_a_new_list(paula: Client) -> None:
    number = applied(paula)
    assert "pourquoi" in roll_back(paula, number, reason="")
    text = roll_back(paula, number, reason="Mauvais fichier.")
    assert "Liste n° 3 en vigueur" in text and "annulée par la n° 3" in text and "Mauvais fichier." not in text[:200]
    latest = PriceRow.objects.filter(**HOUR).latest("pk")
    assert (latest.catalog_version_id, latest.amount) == (3, Decimal("1.50"))
    assert "Déjà appliqué en liste n° 3" in roll_back(paula, number, reason="Encore.")


def test_the_file_of_a_list_that_was_taken_back_says_so(paula: Client) -> None:
    number = applied(paula)
    roll_back(paula, number, reason="Mauvais fichier.")
    assert "Annulé" in site.words(paula, "list", PriceUpload.objects.latest("pk").pk)


def test_what_a_newer_list_touched_too_is_confirmed_by_name(paula: Client) -> None:
    first = applied(paula)
    applied(paula, site.SMALL.replace("1,60", "1,65"))
    page = paula.get(reverse("list-rollback", args=[first])).text
    assert "confirmer un à un" in page
    assert "Confirmez-les un par un" in roll_back(paula, first, reason="Mauvais fichier.")
    name = page.split('name="confirmed" value="')[1].partition('"')[0]
    assert "Liste n° 4" in roll_back(paula, first, reason="Mauvais fichier.", confirmed=[name])


def test_the_original_list_stays(paula: Client) -> None:
    assert "ne s’annule pas" in site.words(paula, "list-rollback", 1)
    assert "ne s’annule pas" in roll_back(paula, 1, reason="Tout.")
    assert paula.get(reverse("list-rollback", args=[99])).status_code == 404


def test_a_private_list_shows_nothing_to_people_without_the_right(paula: Client) -> None:
    seller = site.client_of("pricing", "sales", name="seller")
    upload = site.sent(seller, site.SMALL.replace("1,60", "1,23"), audience="sales")
    site.decide(seller, "list-apply", upload)
    text = site.words(paula, "list-rollback", 2)
    assert "ne pouvez pas voir" in text and "1,23" not in text
    assert "1,23 €" in site.words(seller, "list-rollback", 2)
    assert "droit" in roll_back(paula, 2, reason="Essai.") and CatalogVersion.objects.count() == 2


def test_a_planned_price_is_cancelled_with_a_reason(paula: Client) -> None:
    applied(paula, effective="2036-12-15 08:00")
    row = PriceRow.objects.latest("pk")
    assert "1,60 €, à partir du 15/12/2036 08:00" in site.words(paula, "planned-cancel", row.pk)
    path = reverse("planned-cancel", args=[row.pk])
    assert paula.post(path, {"reason": ""}).status_code == 422
    text = pagetext.words(paula.post(path, {"reason": "Reporté."}, follow=True).text)
    assert "Liste n° 3 en vigueur" in text and "Aucun changement de prix n’est prévu" in text
    assert paula.get(path).status_code == 404


def test_p26_a_planned_price_is_moved_by_one_step_and_no_instant_has_two_prices_or_none(paula: Client) -> None:
    """From 16 December 2036 to 16 January 2037, each day at midnight in Paris."""
    applied(paula, effective="2036-12-16")
    first = PriceRow.objects.latest("pk")
    path = reverse("planned-cancel", args=[first.pk])
    told = {"reason": "Reporté d’un mois.", "step": "move"}
    assert "à partir de quand" in pagetext.words(paula.post(path, told).text)
    assert paula.post(path, {**told, "effective": "janvier"}).status_code == 422
    assert "instant à venir" in pagetext.words(paula.post(path, {**told, "effective": "2026-01-01"}).text)
    cancelled = {"reason": "Reporté.", "effective": "2037-01-16"}
    assert "laissez l’instant vide" in pagetext.words(paula.post(path, cancelled).text)
    assert CatalogVersion.objects.count() == 2
    text = pagetext.words(paula.post(path, {**told, "effective": "2037-01-16"}, follow=True).text)
    assert "Liste n° 3 en vigueur" in text and "16/01/2037 00:00" in text and "Reporté d’un mois." in text
    first.refresh_from_db()
    assert (first.voided_in_version_id, CatalogVersion.objects.count()) == (3, 3)
    days = {day: hour_price(day) for day in ("2036-12-15", "2036-12-16", "2037-01-15", "2037-01-16")}
    assert days == {
        "2036-12-15": Decimal("1.5"),
        "2036-12-16": Decimal("1.5"),
        "2037-01-15": Decimal("1.5"),
        "2037-01-16": Decimal("1.6"),
    }


def hour_price(day: str) -> Decimal:
    """The hour of GPU-PRO at noon of a day, in the newest list."""
    noon = dt.datetime.fromisoformat(f"{day}T12:00:00+01:00")
    (sku,) = [one for one in catalog.sku_choices(catalog.latest_version(), noon) if one.code == "GPU-PRO"]
    return sku.prices[Basis.HOUR].value


def test_a_price_that_has_begun_cannot_be_cancelled(paula: Client) -> None:
    row = PriceRow.objects.filter(**HOUR).latest("pk")
    assert paula.post(reverse("planned-cancel", args=[row.pk]), {"reason": "Non."}).status_code == 404


def test_our_prices_stand_beside_the_librarys(paula: Client) -> None:
    text = site.words(paula, "discrepancies")
    assert "genai-prices" in text and "identique" in text
    for verdict in ("same", "differs", "only_ours", "only_theirs", "not_compared", "no-such-verdict"):
        assert paula.get(reverse("discrepancies"), {"verdict": verdict}).status_code == 200


def test_a_proposal_of_the_library_is_a_draft_like_any_other(paula: Client) -> None:
    text = pagetext.words(paula.post(reverse("list-propose"), follow=True).text)
    upload = PriceUpload.objects.latest("pk")
    assert upload.origin == "library" and "Proposition de prix n°" in text
    assert CatalogVersion.objects.count() == 1


def test_the_pages_read_in_english(paula: Client) -> None:
    number = applied(paula)
    assert "Roll back list no. 2" in pagetext.words(paula.get(f"/en/lists/versions/{number}/rollback").text)
    assert "Differences from genai-prices" in pagetext.words(paula.get("/en/lists/discrepancies").text)
