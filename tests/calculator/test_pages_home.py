"""The dashboard: the answer line and its table from the offer's figures, doors, the state of the data, news."""

import datetime as dt
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client

from calculator import catalog
from calculator.models import CatalogItem, LanguageModel
from tests import factories as make
from tests import pagetext

pytestmark = pytest.mark.usefixtures("noon", "seeded")


def get(client: Client, language: str = "fr", **query: str) -> str:
    response = client.get(f"/{language}/", query)
    assert response.status_code == 200
    return response.content.decode()


def test_the_first_view_is_a_full_answer(client: Client) -> None:
    # 15.00 × 100 ÷ 1.1172 = 1 342.64; 830.64 ÷ 1 342.64 − 1 = −38 %
    text = pagetext.words(get(client))
    assert "830,64 € HT par mois contre 1 342,64 € pour gpt-5.4 (standard) : le GPU coûte 38 % de moins" in text


def test_the_answer_line_in_english(client: Client) -> None:
    text = pagetext.words(get(client, "en"))
    assert "€830.64 a month excl. VAT against €1,342.64 for gpt-5.4 (standard): the GPU costs 38% less" in text


def test_volume_offer_reference_and_utilisation_can_be_chosen(client: Client) -> None:
    # Three whole cards: 3 × 830.64; Sonnet 4.6: 300 × 15.00 ÷ 1.1172 = 4 027.93 €.
    html = get(client, volume="300 M", sku="GPU-PRO", ref="claude-sonnet-4-6", util="65")
    text = pagetext.words(html)
    assert "2 491,92 € HT par mois contre 4 027,93 € pour Claude Sonnet 4.6 (standard)" in text
    assert "le GPU coûte 38 % de moins" in text
    assert 'value="300' in html


@pytest.mark.parametrize(
    ("sku", "euros", "much"),
    # 85 %: 273.2 M a card, so two × 720 × 5.40; 48.5 M a card makes seven × 720 × 0.85.
    [("GPU-TITAN", "7 776,00 €", "93 % de plus"), ("GPU-STARTER", "4 284,00 €", "6 % de plus")],
)
def test_a_gpu_that_is_sold_by_the_hour_only_is_compared_by_the_hour(
    client: Client, sku: str, euros: str, much: str
) -> None:
    text = pagetext.words(get(client, volume="300 M", sku=sku, ref="claude-sonnet-4-6", util="85"))
    assert f"{euros} HT par mois contre 4 027,93 € pour Claude Sonnet 4.6 (standard) : le GPU coûte {much}" in text


def test_a_gpu_on_request_is_still_on_request(client: Client) -> None:
    assert "prix du GPU sur devis" in pagetext.words(get(client, sku="GPU-SUPERCOMPUTE"))


def test_an_api_outside_the_default_table_can_be_the_reference(client: Client) -> None:
    # gpt-4.1: 8.00 × 100 ÷ 1.1172 = 716.08 €
    text = pagetext.words(get(client, ref="gpt-4.1"))
    assert "contre 716,08 € pour GPT-4.1 (standard) : le GPU coûte 16 % de plus" in text


def test_the_table_compares_each_gpu_with_each_api(client: Client) -> None:
    html = get(client)
    starter = pagetext.row(html, "GPU-STARTER")
    # 3 × 0.85 × 720 = 1 836 €, and 1 836 ÷ 1 342.64 − 1 = +37 %; 1 836 ÷ 53.71 = 34.2
    assert starter[1] == "1 836 € 3 GPU"
    assert starter[2] == "× 34,2"
    assert starter[5] == "+37 %"
    titan = pagetext.row(html, "GPU-TITAN")
    assert titan[1] == "3 888 €"
    assert titan[6] == "+190 %"


def test_an_offer_on_request_has_words_and_a_way_on_in_the_table(client: Client) -> None:
    shown = pagetext.row(get(client), "GPU-SUPERCOMPUTE")
    assert shown[1:] == ["sur devis", "Saisir un prix pour comparer"]


def test_the_table_names_its_volume_utilisation_and_mode(client: Client) -> None:
    text = pagetext.words(get(client))
    assert "100 M de tokens de sortie par mois, utilisation prévue 65 %, API au tarif standard, hors taxes" in text
    assert "Débits en un seul flux annoncé" in text


def test_every_verdict_is_a_sign_and_words_not_colour_alone(client: Client) -> None:
    html = get(client)
    assert '<span class="win">−38\u00a0%</span>' in html
    for word in ("le GPU coûte moins", "le GPU coûte plus", "équivalent, à 5 % près"):
        assert word in pagetext.words(html)


def test_each_calculator_has_its_door(client: Client) -> None:
    html = get(client)
    assert "8,31 € HT par million de tokens" in pagetext.words(html)
    for name in ("inference", "training", "parallelism", "tokens"):
        assert f'href="/fr/{name}"' in html
    assert '<span class="tag idle">à venir</span>' not in html


def test_every_door_stays_open_when_a_field_is_wrong(client: Client) -> None:
    html = get(client, volume="abc")
    for name in ("economics", "inference", "training", "parallelism", "tokens"):
        assert f'href="/fr/{name}"' in html


@pytest.mark.parametrize("name", ["inference", "training", "parallelism", "tokens"])
def test_the_door_of_a_calculator_that_was_announced_leads_to_it(client: Client, name: str) -> None:
    assert client.get(f"/fr/coming/{name}").headers["Location"] == f"/fr/{name}"


def test_the_data_panel_dates_the_list_and_the_rate(client: Client) -> None:
    text = pagetext.words(get(client))
    assert "1 € = 1,1172 $" in text
    # 30 October to 30 November: 21 working days
    assert "BCE 30/10/2026 plus de 10 jours ouvrés" in text
    assert "tous, moins de 90 jours" in text


def test_a_price_checked_long_ago_is_named(client: Client) -> None:
    item = make.make_api("old-api", label_fr="Ancienne", label_en="Old")
    make.make_price(item, "output", "3.00", checked_on=dt.date(2026, 8, 31))
    text = pagetext.words(get(client))
    assert "1 à revérifier Ancienne sortie, standard 91 jours" in text


def test_ninety_days_are_not_yet_too_long(client: Client) -> None:
    item = make.make_api("recent-api")
    make.make_price(item, "output", "3.00", checked_on=dt.date(2026, 9, 1))
    assert "tous, moins de 90 jours" in pagetext.words(get(client))


def test_the_latest_change_shows_both_prices_and_its_day(client: Client) -> None:
    item = CatalogItem.objects.get(code="gpt-5.4")
    version = make.make_version()
    start = dt.datetime(2026, 11, 30, 11, tzinfo=dt.UTC)
    make.make_price(item, "output", "20.00", valid_from=start, catalog_version=version)
    assert "sortie 15,00 $ → 20,00 $" in pagetext.words(get(client))


def test_an_announced_change_is_not_shown_as_begun(client: Client) -> None:
    item = CatalogItem.objects.get(code="GPU-PRO")
    start = dt.datetime(2026, 12, 31, 23, tzinfo=dt.UTC)
    make.make_price(item, "instance_hour", "1.60", valid_from=start, catalog_version=make.make_version())
    text = pagetext.words(get(client))
    assert "instance, à l’heure 1,50 € → 1,60 €" in text
    assert "annoncé pour le 01/01/2027" in text
    assert "1,50 €/h" in text


def test_without_a_measurement_the_panel_says_what_is_used_meanwhile(client: Client) -> None:
    html = get(client)
    assert "Aucune mesure publiée" in html
    assert "débits du vendeur" in pagetext.words(html)
    assert "/fr/runs/" in html


def test_a_published_measurement_is_news_with_its_run_and_badge(client: Client) -> None:
    model = LanguageModel.objects.get(name="Mistral-7B-v0.3")
    make.make_figure(
        CatalogItem.objects.get(code="GPU-PRO"),
        812.4,
        kind="measured",
        run="2026-0146",
        reference="2026-0146",
        concurrency=16,
        language_model=model,
        published_at=dt.datetime(2026, 11, 29, tzinfo=dt.UTC),
    )
    html = get(client)
    text = pagetext.words(html)
    assert 'href="/fr/runs/2026-0146"' in html
    assert "16 requêtes à la fois, Mistral-7B-v0.3" in text
    assert "812 tok/s mesuré 29/11/2026 · 2026-0146" in text


def test_test_models_and_test_hosts_are_no_news(client: Client) -> None:
    model = make.make_language_model("random-tiny", is_test=True)
    pro, host = (CatalogItem.objects.get(code=code) for code in ("GPU-PRO", "CPU-LOCAL"))
    make.make_figure(pro, 999.0, kind="measured", language_model=model, test_model=True)
    make.make_figure(host, 777.0, kind="measured")
    html = get(client)
    assert "Aucune mesure publiée" in html
    assert "CPU-LOCAL" not in html


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"volume": "abc"}, "n’est pas un nombre"),
        ({"volume": "-5"}, "négatif"),
        ({"volume": "NaN"}, "nombre fini"),
        ({"util": "300"}, "comprise entre"),
        ({"sku": "GPU-NONE"}, "n’est pas proposé ici"),
        ({"sku": "CPU-LOCAL"}, "n’est pas proposé ici"),
        ({"ref": "gpt-9"}, "n’est pas proposé ici"),
    ],
)
def test_bad_input_gets_a_sentence_and_the_rest_is_kept(client: Client, query: dict[str, str], sentence: str) -> None:
    html = get(client, **{"volume": "50 M", "sku": "GPU-TITAN", **query})
    text = pagetext.words(html)
    assert sentence in text
    assert "Corrigez le champ signalé" in text
    assert "le GPU coûte 38" not in text
    if "sku" not in query:
        assert '<option value="GPU-TITAN" selected>' in html


def test_what_was_typed_stands_in_its_field_escaped(client: Client) -> None:
    html = get(client, volume="<b>1</b>")
    assert 'value="&lt;b&gt;1&lt;/b&gt;"' in html
    assert 'aria-invalid="true"' in html


@pytest.mark.parametrize(
    "query", [{"volume": ""}, {"volume": "\x00"}, {"util": "9" * 500}, {"x": "1"}, {"api": "none"}]
)
def test_odd_queries_answer_without_an_error(client: Client, query: dict[str, str]) -> None:
    assert client.get(f"/fr/?{urlencode(query)}").status_code == 200


def test_the_link_to_the_calculator_holds_what_was_asked(client: Client) -> None:
    html = get(client, volume="300 M", util="50")
    assert "volume=300000000" in html
    assert "util=0.5&amp;" in html


def test_query_count_is_pinned(client: Client, django_assert_num_queries: Callable[[int], Any]) -> None:
    get(client)
    with django_assert_num_queries(2):  # version, state of the figures
        get(client)


def test_the_first_request_of_a_process_stays_under_the_bar(
    client: Client, django_assert_max_num_queries: Callable[[int], Any]
) -> None:
    catalog.forget()
    with django_assert_max_num_queries(6):
        get(client)
