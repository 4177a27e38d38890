"""API and GPU prices: one service level at a time, tiers, both currencies apart, sources, stale and retired marks."""

import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from calculator.domain.offers import Mode
from calculator.listing import prices
from calculator.models import FxRate
from tests import factories as make
from tests import pagetext

pytestmark = pytest.mark.usefixtures("noon", "seeded")


def get(client: Client, query: str = "", language: str = "fr") -> str:
    response = client.get(f"/{language}/prices/{query}")
    assert response.status_code == 200
    return response.content.decode()


def test_p41_standard_and_batch_prices_are_never_mixed(client: Client) -> None:
    standard, batch = get(client), get(client, "?mode=batch")
    assert pagetext.row(standard, "gpt-5.4 OpenAI")[5] == "15,00"
    assert pagetext.row(batch, "gpt-5.4 OpenAI")[5] == "7,50"
    assert "API, tarif standard" in pagetext.words(standard)
    assert "API, tarif batch" in pagetext.words(batch)


def test_euros_are_dollars_divided_by_the_rate_in_columns_of_their_own(client: Client) -> None:
    # 2.50 ÷ 1.1172 = 2.24; 15.00 ÷ 1.1172 = 13.43
    assert pagetext.row(get(client), "gpt-5.4 OpenAI")[6:8] == ["2,24", "13,43"]
    assert "Euros à 1 € = 1,1172 $ (BCE, 30/10/2026)" in pagetext.words(get(client))


def test_each_component_has_its_price_or_a_word(client: Client) -> None:
    assert pagetext.row(get(client), "Claude Haiku 4.5")[1:6] == ["1,00", "0,10", "1,25", "2,00", "5,00"]
    assert pagetext.row(get(client), "gpt-5.4-mini")[1:6] == ["0,75", "0,075", "sans prix", "sans prix", "4,50"]


def test_a_context_tier_is_a_row_of_its_own(client: Client) -> None:
    shown = pagetext.row(get(client), "gpt-5.4, entrée > 272 000 tokens")
    assert [shown[1], shown[2], shown[5]] == ["5,00", "0,50", "22,50"]


def test_every_price_links_its_source_and_the_day_it_was_checked(client: Client) -> None:
    shown = pagetext.row(get(client), "gpt-5.4 OpenAI")
    assert shown[8] == "github.com vérifié le 30/11/2026"
    assert "checked on 30 Nov 2026" in pagetext.row(get(client, language="en"), "gpt-5.4 OpenAI")[8]


def test_a_price_checked_more_than_ninety_days_ago_is_marked(client: Client) -> None:
    item = make.make_api("old-api", label_fr="Ancienne", label_en="Old")
    make.make_price(item, "output", "3.00", checked_on=dt.date(2026, 8, 31))
    assert "vérifié le 31/08/2026, plus de 90 jours" in pagetext.row(get(client), "Ancienne")[8]


def test_the_other_names_of_a_model_stand_under_it(client: Client) -> None:
    assert "mistral-small-4" in pagetext.row(get(client), "Mistral Small 4")[0]


def test_a_name_that_moves_belongs_to_its_newest_owner(client: Client) -> None:
    newer = make.make_api("mistral-small-next", label_fr="Suivant", label_en="Next", provider="Mistral")
    make.make_price(newer, "output", "0.70")
    make.make_alias(newer, "mistral-small-latest", dt.datetime(2026, 11, 1, tzinfo=dt.UTC))
    html = get(client)
    assert "mistral-small-latest" in pagetext.row(html, "Suivant")[0]
    assert "mistral-small-latest" not in pagetext.row(html, "Mistral Small 4")[0]


def test_retired_models_are_kept_marked_and_shown_on_demand(client: Client) -> None:
    hidden, shown = get(client), get(client, "?retired=1")
    assert "Claude Sonnet 4.5" not in hidden
    assert "Montrer 2 modèles retirés" in hidden
    assert "retiré le 30/11/2026" in pagetext.row(shown, "Claude Sonnet 4.5")[0]
    assert "retiré le 24/07/2026" in pagetext.row(shown, "DeepSeek V3.2")[0]
    assert "Masquer les modèles retirés" in shown


def test_a_retirement_ahead_is_announced(client: Client) -> None:
    assert "retrait le 01/12/2026" in pagetext.row(get(client), "Gemini 2.5 Flash")[0]


def test_switching_the_mode_keeps_the_retired_models_shown(client: Client) -> None:
    assert 'href="?retired=1&amp;mode=batch"' in get(client, "?retired=1")


def test_models_without_a_price_at_this_level_are_named_not_priced(client: Client) -> None:
    text = pagetext.words(get(client, "?mode=flex"))
    assert "Sans tarif flex :" in text
    assert "Claude Haiku 4.5" in text.split("Sans tarif flex :")[1]


def test_p44_without_a_rate_dollars_stand_and_euros_are_a_word(client: Client) -> None:
    version = make.make_version()
    FxRate.objects.update(voided_in_version=version, void_reason="test")
    shown = pagetext.row(get(client), "gpt-5.4 OpenAI")
    assert shown[5] == "15,00"
    assert shown[6:8] == ["sans cours", "sans cours"]
    assert "Aucun cours" in pagetext.words(get(client))


def test_an_old_rate_is_marked(client: Client) -> None:
    assert "cours ancien" in pagetext.words(get(client))


def test_gpu_prices_are_by_the_hour_and_by_the_month(client: Client) -> None:
    assert pagetext.row(get(client), "GPU-PRO")[1:3] == ["1,50", "830,64"]
    assert pagetext.row(get(client), "GPU-TITAN")[1:3] == ["5,40", "non proposé"]
    assert pagetext.row(get(client), "GPU-SUPERCOMPUTE")[1:4] == ["sur devis", "sur devis", "aucune"]


def test_a_test_host_has_no_price_row(client: Client) -> None:
    assert "CPU-LOCAL" not in get(client)


@pytest.mark.parametrize("query", ["?mode=", "?mode=cheap", "?mode=STANDARD", "?retired=yes", "?mode=batch&mode=x"])
def test_a_meaningless_query_shows_standard_prices_or_the_last_mode(client: Client, query: str) -> None:
    assert "API, tarif standard" in pagetext.words(get(client, query))


def test_an_exact_price_keeps_all_its_decimals(client: Client) -> None:
    item = make.make_api("cents", label_fr="Centimes", label_en="Cents")
    make.make_price(item, "output", "0.003625")
    assert pagetext.row(get(client), "Centimes")[5] == "0,003625"


def test_a_mode_asked_for_is_shown_even_when_nobody_sells_it() -> None:
    chosen = prices.mode_choices((), Mode.FLEX)
    assert [(choice.code, choice.models, choice.is_current) for choice in chosen] == [("flex", "0", True)]


def test_query_count_is_pinned(client: Client, django_assert_num_queries: Callable[[int], Any]) -> None:
    get(client)
    with django_assert_num_queries(4):  # version, aliases, latencies, version of the footer
        get(client)
