"""One item's prices over time: starts in Paris time, no price before the first, the nearest code for an unknown one."""

import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from calculator.models import CatalogItem
from tests import factories as make
from tests import pagetext

pytestmark = pytest.mark.usefixtures("noon", "seeded")


def get(client: Client, path: str = "sku/GPU-PRO/", language: str = "fr", status: int = 200) -> str:
    response = client.get(f"/{language}/prices/{path}")
    assert response.status_code == status
    return response.content.decode()


@pytest.fixture
def two_prices(seeded: None) -> CatalogItem:
    item = make.make_api("two-prices")
    make.make_price(item, "output", "7.50", valid_from=dt.datetime(2025, 12, 31, 23, tzinfo=dt.UTC))
    make.make_price(item, "output", "4.60", valid_from=dt.datetime(2026, 1, 31, 23, tzinfo=dt.UTC))
    return item


def on(client: Client, day: str, item: str = "two-prices") -> str:
    return pagetext.words(get(client, f"api/{item}/?on={day}").split('id="h-rows"')[0])


def test_p25_the_price_of_a_day_is_the_one_in_force_on_it(client: Client, two_prices: CatalogItem) -> None:
    assert "7,50 $" in on(client, "2026-01-15")
    assert "4,60 $" in on(client, "2026-02-15")
    before = on(client, "2025-12-31")
    assert "Pas de prix ce jour-là" in before
    assert "7,50" not in before


def test_p29_a_day_begins_at_midnight_in_paris(client: Client, two_prices: CatalogItem) -> None:
    assert "4,60 $" in on(client, "2026-02-01")
    assert "7,50 $" in on(client, "2026-01-31")
    assert "01/02/2026 00:00" in pagetext.words(get(client, "api/two-prices/"))


def test_each_row_says_from_when_to_when_and_from_which_list(client: Client, two_prices: CatalogItem) -> None:
    newest, oldest = (row for row in pagetext.rows(get(client, "api/two-prices/")) if row[0] == "standard")
    assert newest[1:5] == ["4,60 $", "01/02/2026 00:00", "en vigueur", "1"]
    assert oldest[1:5] == ["7,50 $", "01/01/2026 00:00", "01/02/2026 00:00", "1"]


def test_a_price_that_has_not_begun_is_announced(client: Client) -> None:
    item = CatalogItem.objects.get(code="GPU-PRO")
    start = dt.datetime(2026, 12, 31, 23, tzinfo=dt.UTC)
    make.make_price(item, "instance_hour", "1.60", valid_from=start, catalog_version=make.make_version())
    first = pagetext.rows(get(client))[1]
    assert first[1] == "1,60 €"
    assert "annoncé" in first[4]


def test_a_withdrawn_price_is_a_word_and_no_price_on_a_day(client: Client, two_prices: CatalogItem) -> None:
    make.make_price(two_prices, "output", None, valid_from=dt.datetime(2026, 6, 1, tzinfo=dt.UTC))
    assert "retiré de la vente" in pagetext.words(get(client, "api/two-prices/"))
    assert "Pas de prix ce jour-là" in on(client, "2026-07-01")


def test_a_free_component_is_said_to_be_free(client: Client) -> None:
    item = make.make_api("free-input")
    make.make_price(item, "input", "0", kind="free")
    assert "gratuit" in pagetext.words(get(client, "api/free-input/"))


def test_prices_that_begin_together_share_a_row(client: Client) -> None:
    rows = [row for row in pagetext.rows(get(client, "api/gpt-5.4/")) if row[0] == "standard"]
    assert rows[0][1:4] == ["2,50 $", "0,25 $", "15,00 $"]


def test_dollars_and_euros_keep_their_own_signs(client: Client) -> None:
    assert "830,64 €" in pagetext.words(get(client))
    assert "€830.64" in pagetext.words(get(client, language="en"))


def test_an_offer_on_request_has_no_history_and_says_so(client: Client) -> None:
    assert "Aucun prix n’a été publié" in pagetext.words(get(client, "sku/GPU-SUPERCOMPUTE/"))


@pytest.mark.parametrize(("path", "code"), [("sku/gpu-pro/", "GPU-PRO"), ("api/GPT-5-4/", "gpt-5.4")])
def test_codes_match_in_any_case_and_by_their_other_names(client: Client, path: str, code: str) -> None:
    assert f"Prix de {code}" in pagetext.words(get(client, path))


@pytest.mark.parametrize(
    ("path", "nearest"),
    [("sku/GPU-PROO/", "/fr/prices/sku/GPU-PRO/"), ("api/gpt-5.5/", "/fr/prices/api/gpt-5.4/")],
)
def test_an_unknown_code_is_not_found_and_the_nearest_is_proposed(client: Client, path: str, nearest: str) -> None:
    html = get(client, path, status=404)
    assert "n’est pas au catalogue" in html
    assert f'href="{nearest}"' in html


def test_a_code_like_no_other_is_not_found_without_a_proposal(client: Client) -> None:
    assert "Aucun code ne lui ressemble" in get(client, "sku/zzzzzzzz/", status=404)


def test_an_unknown_code_is_shown_escaped(client: Client) -> None:
    html = get(client, "sku/%3Cscript%3E/", status=404)
    assert "<script>" not in html.split("<main")[1]
    assert "&lt;script&gt;" in html


def test_an_unknown_kind_is_not_found(client: Client) -> None:
    get(client, "figure/1/", status=404)


@pytest.mark.parametrize(
    ("day", "sentence"),
    [
        ("", "Indiquez un jour"),
        ("yesterday", "Ce n’est pas une date"),
        ("2026-02-30", "Ce n’est pas une date"),
        ("0001-01-01", "entre 2000 et 2099"),
        ("9999-12-31", "entre 2000 et 2099"),
        ("%00", "Ce n’est pas une date"),
    ],
)
def test_a_day_that_cannot_be_read_gets_a_sentence_and_the_history_stays(
    client: Client, day: str, sentence: str
) -> None:
    text = pagetext.words(get(client, f"sku/GPU-PRO/?on={day}"))
    assert sentence in text
    assert "830,64 €" in text


def test_a_french_date_is_read_too(client: Client) -> None:
    assert "Au 01/12/2026 à 00:00" in pagetext.words(get(client, "sku/GPU-PRO/?on=01/12/2026"))


def test_query_count_is_pinned(client: Client, django_assert_num_queries: Callable[[int], Any]) -> None:
    get(client)
    with django_assert_num_queries(2):  # version, version of the footer
        get(client)
