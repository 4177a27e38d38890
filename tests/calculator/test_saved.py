"""Saved estimates: as they were, never repriced, recalculated beside themselves."""

import datetime as dt
import re
from decimal import Decimal
from html import unescape
from typing import Any
from urllib.parse import urljoin

import pytest
from django.db import OperationalError
from django.http import QueryDict
from django.test import Client
from django.utils import timezone, translation

from calculator import answers, catalog, saved
from calculator.models import CatalogItem, EstimateSnapshot
from calculator.tools.economics import TOOL
from tests import factories

pytestmark = pytest.mark.django_db
AUGUST_20 = dt.datetime(2026, 8, 20, 12, tzinfo=dt.UTC)
AUGUST_21 = dt.datetime(2026, 8, 20, 22, tzinfo=dt.UTC)  # midnight in Paris
SEPTEMBER = dt.datetime(2026, 9, 1, tzinfo=dt.UTC)
TEN_MILLION = "volume=10000000&at=2026-08-20T12:00:00Z&api=gpt-5.4&ref=gpt-5.4"


def api() -> CatalogItem:
    return CatalogItem.objects.get(code="gpt-5.4")


def kept(query: str) -> EstimateSnapshot:
    found = answers.from_link(TOOL, QueryDict(query)).answer
    assert found is not None
    return saved.save(TOOL, found)


def text_of(response: Any) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


@pytest.fixture
def at_thirty(seeded: None) -> None:
    """The output price of gpt-5.4 as it stood in August: $30 a million."""
    factories.make_price(api(), "output", "30", valid_from=dt.datetime(2026, 8, 1, tzinfo=dt.UTC))


@pytest.fixture
def at_twenty(at_thirty: None) -> EstimateSnapshot:
    """An estimate saved at $30, and a new list with $20 from the next day on."""
    snapshot = kept(TEN_MILLION)
    factories.make_price(api(), "output", "20", catalog_version=factories.make_version(), valid_from=AUGUST_21)
    return snapshot


def test_p28_a_saved_estimate_reopens_at_its_old_price_with_version_and_date(
    client: Client, at_twenty: EstimateSnapshot
) -> None:
    text = text_of(client.get(f"/fr/estimates/{at_twenty.slug}"))
    assert "300,00" in text  # 10 M at $30
    assert "200,00" not in text
    assert "liste n° 1" in text
    assert f"{timezone.localdate():%d/%m/%Y}" in text


def test_p28_recalculating_shows_the_new_price_beside_the_old(client: Client, at_twenty: EstimateSnapshot) -> None:
    response = client.get(f"/fr/estimates/{at_twenty.slug}?recalculate=1")
    lines = {
        (line.section, line.label): line for _title, section in response.context["saved"].sections for line in section
    }
    dollars = next(line for (section, label), line in lines.items() if label == "Total en dollars")
    assert (dollars.value, dollars.today, dollars.has_changed) == ("300,00", "200,00", True)
    volume = lines["Saisies", "Volume de sortie"]
    assert (volume.value, volume.has_changed) == (volume.today, False)
    text = text_of(response)
    assert "300,00" in text
    assert "200,00" in text


def test_rows_of_the_same_name_are_paired_in_their_order() -> None:
    rows = [("Équivalence", "dès", "61,9 M"), ("Équivalence", "jusqu’à", "108 M"), ("Équivalence", "dès", "124 M")]
    assert [key for key, _row in saved.numbered(rows)] == [
        ("Équivalence", "dès", 0),
        ("Équivalence", "jusqu’à", 0),
        ("Équivalence", "dès", 1),
    ]


def test_p28_nothing_that_happens_later_changes_what_was_saved(at_twenty: EstimateSnapshot) -> None:
    before = saved.opened(at_twenty)
    factories.make_price(api(), "output", "5", catalog_version=factories.make_version(), valid_from=SEPTEMBER)
    saved.recalculated(at_twenty)
    at_twenty.refresh_from_db()
    assert saved.opened(at_twenty) == before


def test_a_saved_estimate_holds_question_version_rate_figures_and_prices(seeded: None) -> None:
    snapshot = kept("volume=100000000&at=2026-11-30T12:00:00Z&hours=730")
    assert snapshot.calculator == "economics"
    assert snapshot.catalog_version_id == 1
    assert (snapshot.usd_per_eur, snapshot.rate_date) == (Decimal("1.1172"), dt.date(2026, 10, 30))
    assert snapshot.hours_per_month_h == Decimal(730)
    assert "volume=100000000" in snapshot.query
    figures = {figure.sku.code for figure in snapshot.figures.all()}
    assert {"GPU-PRO", "GPU-TITAN"} <= figures
    prices = {(row.item.code, row.component, row.amount) for row in snapshot.prices.select_related("item")}
    assert ("GPU-PRO", "instance_month", Decimal("830.64")) in prices
    assert ("gpt-5.4", "output", Decimal("15")) in prices
    assert snapshot.results["fr"]["eur_per_mtok"]["month"]["at_volume"] == "8.3064"


def test_a_saved_estimate_is_read_in_either_language(client: Client, seeded: None) -> None:
    snapshot = kept("volume=100000000")
    assert "830,64" in text_of(client.get(f"/fr/estimates/{snapshot.slug}"))
    english = text_of(client.get(f"/en/estimates/{snapshot.slug}"))
    assert "830.64" in english
    assert "Saved estimate" in english


def test_saving_answers_with_an_address_that_cannot_be_guessed(client: Client, seeded: None) -> None:
    query = client.get("/fr/economics").context["query"]
    first, second = (client.post("/fr/economics/save", {"query": query}) for _time in range(2))
    assert first.status_code == 303
    assert first.headers["Location"] != second.headers["Location"]
    slug = first.headers["Location"].rpartition("/")[2]
    assert len(slug) >= 22
    assert client.get(first.headers["Location"]).status_code == 200
    assert client.get(f"/fr/estimates/{slug[:-1]}").status_code == 404


def test_saving_takes_a_token_against_forged_requests(seeded: None) -> None:
    strict = Client(enforce_csrf_checks=True)
    assert strict.post("/fr/economics/save", {"query": "volume=1000000"}).status_code == 403
    assert not EstimateSnapshot.objects.exists()


@pytest.mark.parametrize("query", ["volume=abc", "sku=GPU-PR0", "v=9", "\x00", "volumes=1000000"])
def test_a_question_without_an_answer_is_not_saved(client: Client, seeded: None, query: str) -> None:
    response = client.post("/fr/economics/save", {"query": query})
    assert response.status_code == 422
    assert not EstimateSnapshot.objects.exists()


@pytest.mark.parametrize(("language", "sentence"), [("fr", "Trop d’estimations"), ("en", "Too many estimates")])
def test_an_hour_takes_a_bounded_number_of_estimates(
    client: Client, seeded: None, settings: Any, language: str, sentence: str
) -> None:
    settings.SAVES_PER_HOUR = 2
    for volume in (1_000_000, 2_000_000):
        assert client.post("/fr/economics/save", {"query": f"volume={volume}"}).status_code == 303
    refused = client.post(f"/{language}/economics/save", {"query": "volume=3000000"})
    assert refused.status_code == 429
    assert sentence in refused.content.decode() and "volume=3000000" in refused.content.decode()
    assert EstimateSnapshot.objects.count() == 2
    EstimateSnapshot.objects.update(created_at=timezone.now() - dt.timedelta(minutes=61))
    assert client.post("/fr/economics/save", {"query": "volume=3000000"}).status_code == 303


@pytest.mark.parametrize(
    ("language", "sentence"), [("fr", "n’a pas pu être enregistrée"), ("en", "could not be saved")]
)
def test_a_database_that_takes_nothing_costs_a_sentence_and_no_input(
    client: Client, seeded: None, monkeypatch: pytest.MonkeyPatch, language: str, sentence: str
) -> None:
    """A full disk, or a lock that another holds for too long."""

    def full(*_: object) -> None:
        raise OperationalError("database or disk is full")

    monkeypatch.setattr(saved, "save", full)
    response = client.post(f"/{language}/economics/save", {"query": "sku=GPU-PRO&volume=1234567"})
    text = response.content.decode()
    assert response.status_code == 503
    assert sentence in text and "disk is full" not in text
    links = [unescape(link) for link in re.findall(r'href="([^"]*volume=1234567[^"]*)"', text)]
    assert f"/{language}/economics" in {link.partition("?")[0] for link in links}


@pytest.mark.parametrize("query", ["sku=GPU-GONE", "api=gpt-5.4&api=gone", "volume=none"])
def test_every_link_of_a_refused_saving_can_be_followed(client: Client, seeded: None, query: str) -> None:
    """The page then stands at the address of saving, where its own links (`?…`) and the other language lead."""
    address = "/fr/economics/save"
    response = client.post(address, {"query": query})
    assert response.status_code == 422
    links = {unescape(link) for link in re.findall(r' href="([^"#][^"]*)"', response.content.decode())}
    here = {urljoin(address, link) for link in links if link.startswith(("?", "/fr/", "/en/"))}
    assert {"/en/economics/save", "/fr/methodology/"} <= here
    for link in here:
        followed = client.get(link, follow=True)
        assert (link, followed.status_code) == (link, 200)


def test_a_code_that_left_the_catalogue_is_named_and_the_old_estimate_stays(client: Client, seeded: None) -> None:
    snapshot = kept("volume=100000000")
    snapshot.query = snapshot.query.replace("sku=GPU-PRO", "sku=GPU-GONE")
    again = saved.recalculated(snapshot)
    assert "GPU-GONE" in again.problems[0]
    assert again.today is None
    assert again.sections == saved.opened(snapshot).sections


def test_unknown_stays_a_word_in_a_saved_estimate(client: Client, seeded: None) -> None:
    text = text_of(client.get(f"/fr/estimates/{kept('sku=GPU-SUPERCOMPUTE').slug}"))
    assert "inconnu" in text
    assert "sur devis" in text


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (Decimal("830.645"), "€ HT / mois", "830,65"),
        (Decimal("0.05437"), "$ / 1M tokens", "0,0544"),
        (Decimal("1.1172"), "$ pour 1 €", "1,1172"),
        (Decimal("107827200"), "tokens / mois", "107\u202f827\u202f200"),
        (Decimal("434.027777"), "h", "434,028"),
        (None, "€", "inconnu"),
        ("jamais", "", "jamais"),
    ],
)
def test_saved_values_are_written_by_their_unit(value: Decimal | str | None, unit: str, text: str) -> None:
    with translation.override("fr"):
        assert saved.shown(value, unit) == text


@pytest.mark.parametrize(
    ("text", "is_short"), [("toujours allumé", True), ("un seul flux, modèle et longueurs non précisés", False)]
)
def test_long_words_are_set_as_text_and_short_ones_among_the_figures(text: str, is_short: bool) -> None:
    row = {"section": "s", "label": "l", "value": text, "is_number": False, "unit": "", "kind": "", "source": ""}
    assert saved.line_of(row).is_short is is_short


def test_nothing_is_stored_unless_it_is_saved(client: Client, seeded: None) -> None:
    client.get("/fr/economics?form=1&volume=50M")
    client.get("/fr/economics.json?volume=50000000")
    assert not EstimateSnapshot.objects.exists()
    assert catalog.latest_version() == 1
