"""The outlook's page: what it says of the offer's own case, live, without scripts, in both languages, and its files."""

import csv
import gzip
import io
import json
from decimal import Decimal
from html import unescape
from typing import Any
from urllib.parse import urlencode

import plotly.graph_objects as go
import pytest
from django.http import QueryDict
from django.test import Client

from calculator import answers, permalinks
from sales.outlook.tool import TOOL
from tests import pagetext

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon", "seeded")]
HTMX = {"HX-Request": "true"}
MOST_BYTES = 12_000
NB, NARROW = "\u00a0", "\u202f"


def words(response: Any) -> str:
    """As a reader sees them; every kind of space is one space."""
    return pagetext.words(response.content.decode())


def page(client: Client, query: str = "", language: str = "fr") -> Any:
    return client.get(f"/{language}/outlook/?{query}")


def typed(client: Client, language: str = "fr", **changes: str) -> str:
    """What the form of a first visit sends, with some fields typed over."""
    form = page(client, language=language).context["form"]
    pairs = [(name, value) for name, value in form.hidden() if name not in changes]
    pairs += [(name, text) for name in form.names() if name not in changes for text in form.texts(name)]
    return urlencode([*pairs, *changes.items()])


def live(client: Client, language: str = "fr", **changes: str) -> Any:
    return client.get(f"/{language}/outlook/?{typed(client, language, **changes)}", headers=HTMX)


def test_the_page_says_who_is_cheaper_and_by_how_much(client: Client) -> None:
    text = words(page(client))
    assert "Le GPU dédié est moins cher : GPU-PRO coûte 512,00 € de moins par mois que gpt-5.4 (38 %)." in text


def test_it_says_plainly_that_the_api_is_cheaper(client: Client) -> None:
    """10 M tokens: 134.26 € on gpt-5.4, 830.64 € on a card: 696.38 € less, 84 %."""
    text = words(page(client, "volume=10000000"))
    assert "L’API est moins chère : gpt-5.4 coûte 696,38 € de moins par mois que GPU-PRO (84 %)." in text


def test_it_says_so_in_english(client: Client) -> None:
    text = words(page(client, "volume=10000000", "en"))
    assert "The API is cheaper: gpt-5.4 costs €696.38 less a month than GPU-PRO (84%)." in text


def test_every_published_rule_stands_with_the_customers_number_and_the_computed_threshold(client: Client) -> None:
    rules = page(client).context["page"].rules
    by_text = {line.rule: line for line in rules}
    fifty = by_text[f"GPU dédiés au-delà de 50{NB}M de tokens par mois"]
    assert (fifty.own, fifty.computed, fifty.finding) == (f"100{NB}M", f"dès 61,9{NB}M", "d’accord")
    api = by_text[f"API de 1 à 100{NB}M de tokens par mois"]
    assert api.finding == "pas d’accord"
    assert len(rules) + len(page(client).context["page"].profiles) == 20


def test_what_is_said_answers_a_question(client: Client) -> None:
    rules = {line.rule: line for line in page(client, "said=daily&said=eu").context["page"].rules}
    assert rules["GPU dédiés pour un affinage quotidien"].finding == f"s’applique{NB}; aucun prix n’en décide"
    reasons = {line.name: line for line in page(client, "said=daily&said=eu").context["page"].reasons}
    assert reasons["Données à garder en Europe"].counts == "compte pour vous"
    assert reasons["Poids de modèle à soi"].counts == "non précisé"


def test_what_would_have_to_be_true_is_the_page_of_the_solved_values(client: Client) -> None:
    found = [(line.now, line.solved) for line in page(client).context["page"].equalities]
    assert found == [
        (f"100{NB}M", f"de 61,9{NB}M à 108{NB}M{NB}; dès 124{NB}M"),
        (f"60,3{NB}%", f"37,3{NB}%"),
        (f"830,64{NB}€/mois", f"1{NARROW}342,64{NB}€/mois"),
        (f"0,0{NB}%", f"−61,6{NB}%"),
        (f"15,00{NB}$ / 1M", f"9,28{NB}$ / 1M"),
        (f"64{NB}tok/s", f"36,72{NB}tok/s"),
        (f"1,1172{NB}$", f"1,8058{NB}$"),
    ]


def test_a_card_that_hardly_works_is_said_to(client: Client) -> None:
    """10 M of the 165.888 M that a card could write: 6 %."""
    assert "Cette carte travaille 6 % du temps." in words(page(client, "volume=10000000"))


def test_a_price_that_does_not_exist_is_on_request_and_never_zero(client: Client) -> None:
    text = words(page(client, "sku=GPU-SUPERCOMPUTE"))
    assert "sur devis" in text
    assert "ne se comparent pas" in text
    assert " 0 €" not in text


def test_electricity_is_unknown_until_it_is_typed(client: Client) -> None:
    lines = page(client).context["page"].power
    assert [line.paid for line in lines] == [f"3,24{NB}kWh", "inconnu", "inconnu"]
    known = page(client, "pue=1.25&grid=60").context["page"].power
    assert [line.paid for line in known] == [f"3,24{NB}kWh", f"4,05{NB}kWh", f"243{NB}g"]


def test_both_figures_are_valid_for_plotly(client: Client) -> None:
    shown = page(client).context["page"]
    for figure in (shown.tornado, shown.year.figure):
        go.Figure(data=figure["data"], layout=figure["layout"])
    assert shown.tornado["data"][0]["y"][0] == "Utilisation d’une instance"
    assert shown.year.figure["data"][1]["y"][:2] == [830.64, 1661.28]


def test_the_bars_start_at_todays_gap_and_end_at_that_of_each_range(client: Client) -> None:
    low, high = page(client).context["page"].tornado["data"]
    assert low["base"][0] == high["base"][0] == -512.0
    assert round(low["base"][0] + low["x"][0], 2) == 1149.28


def test_the_reference_is_compared_whether_it_is_ticked_or_not(client: Client) -> None:
    for query in ("ref=gpt-5.4-mini&api=gpt-5.4", "ref=gpt-5.4-mini&api=none", "ref=GPT-5.4-MINI&api=gpt-5.4"):
        response = page(client, query)
        assert response.context["page"].api_name == "gpt-5.4-mini"
        assert "Référence absente" not in words(response)


def test_a_reference_that_does_not_exist_is_named(client: Client) -> None:
    response = page(client, "ref=gpt-5.4-nino")
    assert "L’API de référence «\u00a0gpt-5.4-nino\u00a0» n’est pas au catalogue." in response.content.decode()


class TestLive:
    def test_a_form_leads_to_its_canonical_link(self, client: Client) -> None:
        response = client.get(f"/fr/outlook/?{typed(client, growth='20', volume='50 M')}")
        assert response.status_code == 302
        location = response.headers["Location"]
        assert "growth=0.2" in location
        assert "volume=50000000" in location
        assert client.get(location).status_code == 200

    def test_htmx_gets_the_result_and_its_address(self, client: Client) -> None:
        response = live(client, growth="20")
        assert response.status_code == 200
        assert "<html" not in response.content.decode()
        assert "growth=0.2" in response.headers["HX-Replace-Url"]
        assert "HX-Request" in response.headers["Vary"]

    def test_a_bad_number_is_a_sentence_beside_its_field_and_the_rest_stays(self, client: Client) -> None:
        response = live(client, growth="beaucoup")
        assert response.status_code == 200
        assert response.headers["HX-Retarget"] == "#problems"
        assert "«\u00a0beaucoup\u00a0» n’est pas un nombre" in unescape(response.content.decode())

    @pytest.mark.parametrize("language", ["fr", "en"])
    def test_a_live_answer_weighs_less_than_its_bound(self, client: Client, language: str) -> None:
        assert len(gzip.compress(live(client, language).content, 6)) <= MOST_BYTES

    def test_a_warm_answer_asks_little_of_the_database(
        self, client: Client, django_assert_max_num_queries: Any
    ) -> None:
        query = typed(client)
        client.get(f"/fr/outlook/?{query}", headers=HTMX)
        with django_assert_max_num_queries(3):
            client.get(f"/fr/outlook/?{query}", headers=HTMX)

    def test_every_field_that_shows_something_of_the_answer_is_sent_with_it(self, client: Client) -> None:
        shown = page(client, "sku=GPU-TITAN").context["page"]
        assert set(shown.badges) | set(shown.placeholders) <= TOOL.form.ANSWERED | {"year_price"}


@pytest.mark.parametrize(
    "query",
    [
        "said=nonsense",
        "growth=-1",
        "growth=abc",
        "pue=0.5",
        "grid=99999",
        "util_low=0&util_high=2",
        "target=",
        "latency=%00",
        "sku=NOPE",
        "ref=nope",
        "api=none",
        "v=9",
        "volume=1e9",
        "fx_low=0",
        "rcache=0.99&volume=1000000000000000",
        "in=10000000&out=1&prefill=0.01",
        "traffic=requests&requests=1000000000000&growth=10",
        "traffic=requests",
        "volume=1&growth=0",
        "volume=1000000000000000&growth=10&util=0.01&rate=0.01",
        "sku=CPU-LOCAL",
        "util_low=0.9&util_high=0.1",
        "price_span=0.95&api_span=0.95&volume_span=0.95",
        "basis=hour&rental=hours_used&step=second",
        "count=1024&sku=GPU-SUPERCOMPUTE&price=1000000&basis=month",
        "target=1&volume=1000000000000000",
    ],
)
@pytest.mark.parametrize("language", ["fr", "en"])
def test_no_link_breaks_the_page_or_its_files(client: Client, query: str, language: str) -> None:
    assert page(client, query, language).status_code == 200
    for suffix in ("csv", "json", "xlsx"):
        assert client.get(f"/{language}/outlook/outlook.{suffix}?{query}").status_code in (200, 302, 400)


class TestFiles:
    def answer(self, query: str = "") -> Any:
        found = answers.from_link(TOOL, QueryDict(query)).answer
        assert found is not None
        return found

    def test_csv_and_json_hold_the_same_rows(self, client: Client) -> None:
        query = self.answer().query
        text = client.get(f"/en/outlook/outlook.csv?{query}").content.decode("utf-8-sig")
        lines = list(csv.reader(io.StringIO(text)))
        start = next(index for index, line in enumerate(lines) if line and line[0] == "Section")
        data = json.loads(client.get(f"/en/outlook/outlook.json?{query}").content)
        rows = [[row["section"], row["label"]] for row in data["rows"]]
        assert [line[:2] for line in lines[start + 1 :]] == rows
        values = {row["label"]: row["value"] for row in data["rows"] if row["section"] == "What it would take"}
        assert Decimal(values["Output volume a month, at break-even"]) == Decimal("61866067.2")

    def test_the_json_names_codes_and_unrounded_values(self, client: Client) -> None:
        data = json.loads(client.get("/fr/outlook/outlook.json?").content)
        assert data["verdict"]["code"] == "gpu"
        assert Decimal(data["verdict"]["gpu_eur"]) == Decimal("830.64")
        assert {one["unknown"] for one in data["solutions"]} >= {"volume", "fx", "rate"}
        assert [month["instances"] for month in data["ramp"]["months"]] == [1, *[2] * 8, *[3] * 3]
        assert data["commitments"]["month_from_h"] == "553.76"

    def test_the_files_carry_the_economics_rows_that_they_rest_on(self, client: Client) -> None:
        outlook = json.loads(client.get("/fr/outlook/outlook.json?").content)["rows"]
        economics = json.loads(client.get("/fr/economics.json?").content)["rows"]
        assert outlook[-len(economics) :] == economics

    def test_a_file_of_a_link_that_cannot_be_answered_says_why(self, client: Client) -> None:
        response = client.get("/fr/outlook/outlook.json?growth=abc")
        assert response.status_code == 400
        assert json.loads(response.content)["errors"][0]["key"] == "growth"


class TestLinks:
    def test_a_link_reads_back_as_itself(self) -> None:
        query = "said=eu&said=daily&growth=0.05&target=400000000&pue=1.3&grid=50&floor=600&year_price=700&latency=15"
        found = answers.from_link(TOOL, QueryDict(query)).answer
        assert found is not None
        again = permalinks.read(QueryDict(found.query), TOOL.default())
        assert again.scenario == found.scenario
        assert not again.unknown
        assert not again.problems

    def test_a_link_of_the_economics_page_opens_here(self, client: Client) -> None:
        economics = client.get("/fr/economics?volume=250000000&sku=GPU-TITAN&basis=hour").context["query"]
        response = page(client, economics)
        assert response.context["estimate"].scenario.volume_tokens == 250_000_000
        assert not response.context["notices"]

    def test_it_leads_back_to_the_same_month(self, client: Client) -> None:
        back = page(client, "volume=250000000&growth=0.3").context["economics_url"]
        response = client.get(back)
        assert response.context["estimate"].volume_tokens == 250_000_000
        assert not response.context["notices"]

    def test_the_economics_page_leads_here_and_no_other_does(self, client: Client) -> None:
        economics = client.get("/fr/economics?volume=250000000")
        assert f'href="/fr/outlook/?{economics.context["query"]}"'.replace("&", "&amp;") in economics.content.decode()
        assert "/outlook/" not in client.get("/fr/inference").content.decode()

    def test_the_page_needs_no_script(self, client: Client) -> None:
        text = page(client).content.decode()
        assert '<form id="form" method="get" action="/fr/outlook/"' in text
        assert 'type="submit"' in text


class TestPutBack:
    """A solved value opens as a link, and both sides then cost the same to the cent."""

    @pytest.mark.parametrize("query", ["", "sku=GPU-TITAN&basis=hour", "traffic=requests&requests=200000", "in=2000"])
    def test_each_link_makes_both_sides_equal(self, client: Client, query: str) -> None:
        lines = [line for line in page(client, query).context["page"].equalities if line.query]
        assert len(lines) >= 4
        for line in lines:
            both = page(client, line.query).context["estimate"].both
            assert abs(both.gap_eur) < Decimal("0.01"), line.name

    def test_what_a_link_cannot_hold_is_no_link(self, client: Client) -> None:
        """An API at 38 % less than its list is a negative uplift, which the form does not take."""
        by_name = {line.name: line for line in page(client).context["page"].equalities}
        assert by_name["Prix de l’API"].query == ""
        assert by_name["Dollars pour 1\u00a0€"].query


def test_claims_of_providers_are_dated_and_used_nowhere(client: Client) -> None:
    for language, told in (("fr", "des heures à des jours"), ("en", "hours to days")):
        claimed = page(client, language=language).context["page"].claimed
        assert "2026" in claimed.source
        assert any(told in cell for _name, cells in claimed.lines for cell in cells)
        assert all(len(cells) == len(claimed.providers) for _name, cells in claimed.lines)


def test_a_published_grid_factor_is_chosen_and_never_assumed(client: Client) -> None:
    """3.24 kWh × 1.25 × 243.83 g, the European Union of 2023: 987.5 g."""
    (offered,) = page(client).context["page"].factors
    assert offered.title == f"Union européenne, 2023{NB}: 243,83 g/kWh (Ember)"
    assert not offered.is_current
    chosen = page(client, f"{offered.query}&pue=1.25").context["page"]
    assert chosen.factors[0].is_current
    assert chosen.power[2].paid == f"988{NB}g"
    assert page(client, "pue=1.25").context["page"].power[2].paid == "inconnu"
