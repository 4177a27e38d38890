"""The comparison page: numbers of each calculator's own page side by side, differences marked, bad columns alone."""

import csv
import io
import json
import re
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from django.http import QueryDict
from django.test import Client

from calculator import answers, registry, saved
from sales.comparing import board as boards
from sales.comparing.links import Asked
from sales.comparing.quantities import QUANTITIES, WORK, Better

pytestmark = pytest.mark.django_db
GPU_PRO, TITAN = "economics?v=1", "economics?v=1&sku=GPU-TITAN&basis=hour"


def link(language: str = "fr", suffix: str = "", **columns: str) -> str:
    query = "&".join(f"{key}={quote(value, safe='')}" for key, value in columns.items())
    return f"/{language}/compare/{suffix}?{query}"


def shown(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return str(response.content.decode())


def row(page: str, label: str) -> str:
    """The row of the side-by-side table whose head begins with that label, as text."""
    rows = re.findall(r"<tr[^>]*>.*?</tr>", page, re.DOTALL)
    found = next(text for text in rows if re.search(rf'<th scope="row"[^>]*>(≠ )?{re.escape(label)}[<\s]', text))
    return " ".join(re.sub(r"<[^>]+>", " ", found).split())


def compared(**columns: str) -> boards.Board:
    return boards.board({letter: Asked(*text.partition("?")[::2]) for letter, text in columns.items()})


def value(found: boards.Board, code: str) -> tuple[object, ...]:
    return next(line for line in found.results if line.code == code).values


class TestNumbers:
    def test_golden_months_stand_side_by_side(self, seeded: None, noon: object) -> None:
        """GPU-PRO by the month: 830.64 € for 100 M tokens, 8.3064 €/1M; TITAN by the hour: 5.40 × 720 = 3 888 €."""
        found = compared(a=GPU_PRO, b=TITAN)
        assert value(found, "month_eur") == (Decimal("830.64"), Decimal(3888))
        assert value(found, "eur_per_mtok") == (Decimal("8.3064"), Decimal("38.88"))

    @pytest.mark.parametrize("tool", registry.TOOLS, ids=[tool.name for tool in registry.TOOLS])
    def test_each_number_is_the_one_of_the_calculators_own_file(self, seeded: None, tool: object) -> None:
        """Whatever is compared stands unrounded in the rows that the calculator exports for the same link."""
        name = str(getattr(tool, "name", ""))
        answer = answers.from_link(registry.CALCULATORS[name], QueryDict("")).answer
        assert answer is not None
        exported = {row.value for row in registry.CALCULATORS[name].rows(answer.estimate)}
        line = {each.code: each.values[0] for each in compared(a=f"{name}?{answer.query}").results}
        money = {code: held for code, held in line.items() if code.endswith(("_eur", "_mtok")) and held is not None}
        assert money or name == "parallelism"
        assert set(money.values()) <= exported

    def test_every_calculator_can_be_compared(self) -> None:
        assert set(QUANTITIES) == set(WORK) == set(registry.CALCULATORS)


class TestDifferences:
    def test_only_inputs_that_differ_are_marked(self, client: Client, seeded: None) -> None:
        page = shown(client, link(a=GPU_PRO, b=f"{GPU_PRO}&util=0.9"))
        assert row(page, "Utilisation").startswith("≠ Utilisation 65\u00a0% 90\u00a0%".replace("\u00a0", " "))
        assert page.count('class="differs"') == 1

    def test_the_second_of_the_day_is_no_difference(self, seeded: None) -> None:
        found = compared(a=f"{GPU_PRO}&at=2026-11-30T08:00:00Z", b=f"{GPU_PRO}&at=2026-11-30T08:00:07Z")
        assert found.differing == ()

    def test_another_day_is_one(self, seeded: None) -> None:
        found = compared(a=f"{GPU_PRO}&at=2026-11-29T08:00:00Z", b=f"{GPU_PRO}&at=2026-11-30T08:00:00Z")
        assert "at" in [line.code for line in found.differing]

    def test_alike_scenarios_are_said_to_be_alike(self, client: Client, seeded: None) -> None:
        assert "Ces scénarios sont identiques" in shown(client, link(a=GPU_PRO, b=GPU_PRO))


class TestBest:
    @pytest.mark.parametrize(
        ("values", "better", "places"),
        [
            ((Decimal(10), Decimal(20)), Better.LOWER, {0}),
            ((Decimal(10), Decimal(20)), Better.HIGHER, {1}),
            ((Decimal(100), Decimal(104), Decimal(200)), Better.LOWER, {0, 1}),
            ((Decimal(100), Decimal(104)), Better.LOWER, set()),
            ((Decimal(100), Decimal(105)), Better.LOWER, set()),
            ((Decimal(100), Decimal("105.01")), Better.LOWER, {0}),
            ((Decimal(100), None), Better.LOWER, set()),
            ((None, Decimal(7), Decimal(9)), Better.LOWER, {1}),
            (("", "oui"), Better.HIGHER, set()),
        ],
    )
    def test_best_is_a_known_end_and_what_is_within_five_per_cent(
        self, values: tuple[Decimal | str | None, ...], better: Better, places: set[int]
    ) -> None:
        assert boards.best_of(values, better) == places

    def test_a_smaller_bill_for_less_work_is_not_called_better(self, client: Client, seeded: None) -> None:
        page = shown(client, link(a=GPU_PRO, b=f"{GPU_PRO}&volume=300000000"))
        assert "meilleur" not in row(page, "GPU, coût du mois")
        assert "ne sont pas classés" in page

    def test_the_best_is_said_in_a_word_beside_its_sign(self, client: Client, seeded: None) -> None:
        assert "✓ meilleur" in row(shown(client, link(a=GPU_PRO, b=TITAN)), "GPU, coût du mois")


class TestMixed:
    def test_of_different_calculators_only_shared_quantities_without_rank(self, client: Client, seeded: None) -> None:
        page = shown(client, link("en", a="economics?", b="inference?", c="training?"))
        assert "different calculators: only the quantities that they share" in page
        assert "best-mark" not in page
        assert 'class="differs"' not in page
        assert row(page, "GPU, month’s cost").endswith("does not apply")

    def test_unknown_is_not_confused_with_what_does_not_apply(self, client: Client, seeded: None) -> None:
        """GPU-SUPERCOMPUTE has no published price: the multi-GPU job's cost is unknown, an inference has none."""
        cells = row(shown(client, link(a="parallelism?", b="tokens?", c="inference?")), "Coût du travail")
        assert cells.startswith("Coût du travail € HT inconnu")
        assert cells.endswith("sans objet")


class TestBadColumns:
    @pytest.mark.parametrize(
        ("bad", "said"),
        [
            ("nothing?v=1", "Il n’y a pas de calculateur"),
            ("economics?v=9", "Lien d’une version inconnue"),
            ("economics?v=1&sku=NOPE", "NOPE"),
            ("economics?v=1&util=-3", "util"),
            ("economics?v=1&volume=NaN", "volume"),
            ("economics?" + "x&" * 1100, "trop de champs"),
            ("economics?v=1&catalog=999", "n’existe pas"),
        ],
    )
    def test_a_broken_column_says_why_and_the_others_stay(
        self, client: Client, seeded: None, bad: str, said: str
    ) -> None:
        page = shown(client, link(a=GPU_PRO, b=bad))
        assert "Sans réponse" in page
        assert said in row(page, "Réponse")
        assert "830,64" in row(page, "GPU, coût du mois")
        assert "sans réponse" in row(page, "GPU, coût du mois")

    def test_a_script_in_a_name_is_text(self, client: Client, seeded: None) -> None:
        page = shown(client, link(a=GPU_PRO, na="<script>alert(1)</script>", b="<b>?"))
        assert "<script>alert" not in page
        assert "<b>?" not in page

    def test_an_old_list_in_one_column_is_said_and_recalculated_by_one_link(self, client: Client, seeded: None) -> None:
        page = shown(client, link(a=GPU_PRO, b=f"{GPU_PRO}&at=2026-11-20T08:00:00Z"))
        assert "Résultat aux prix de la liste" in row(page, "Réponse")
        today = re.search(r'href="([^"]+)">Tout recalculer', page)
        assert today is not None
        again = shown(client, today[1].replace("&amp;", "&"))
        assert "Résultat aux prix de la liste" not in again

    def test_unknown_keys_of_a_column_are_named(self, client: Client, seeded: None) -> None:
        assert "zzz" in row(shown(client, link(a=f"{GPU_PRO}&zzz=1")), "Réponse")


class TestActions:
    def test_a_new_name_leads_to_the_canonical_link(self, client: Client, seeded: None) -> None:
        response = client.get(link(form="1", a=GPU_PRO, na="Mon cas", link=""))
        assert response.status_code == 302
        assert parse_qs(urlsplit(response["Location"]).query) == {"a": [GPU_PRO], "na": ["Mon cas"]}

    def test_a_pasted_link_becomes_a_column(self, client: Client, seeded: None) -> None:
        response = client.get(link(form="1", a=GPU_PRO, **{"from": "link"}, put="new", link="http://x/fr/training?v=1"))
        assert parse_qs(urlsplit(response["Location"]).query)["b"] == ["training?v=1"]

    def test_a_saved_estimate_becomes_a_column(self, client: Client, seeded: None) -> None:
        answer = answers.from_link(registry.CALCULATORS["economics"], QueryDict("util=0.5")).answer
        assert answer is not None
        snapshot = saved.save(registry.CALCULATORS["economics"], answer)
        response = client.get(link(form="1", link=f"https://host.example/fr/estimates/{snapshot.slug}"))
        assert parse_qs(urlsplit(response["Location"]).query)["a"] == [f"economics?{answer.query}"]

    def test_what_is_no_link_comes_back_with_a_sentence(self, client: Client, seeded: None) -> None:
        page = shown(client, link(form="1", a=GPU_PRO, link="bonjour"))
        assert "n’est pas le lien d’un calculateur" in page
        assert 'value="bonjour"' in page

    def test_a_fifth_scenario_asks_which_one_it_replaces(self, client: Client, seeded: None) -> None:
        page = shown(client, link(a=GPU_PRO, b=GPU_PRO, c=GPU_PRO, d=GPU_PRO, add=TITAN))
        assert "Quatre scénarios au plus" in page
        assert 'value="economics?v=1&amp;sku=GPU-TITAN&amp;basis=hour"' in page


class TestCalculatorPages:
    def test_a_calculator_offers_its_scenario_to_a_comparison(self, client: Client, seeded: None) -> None:
        page = shown(client, "/fr/economics?v=1&util=0.9")
        found = re.search(r'href="(/fr/compare/\?add=economics%3F[^"]+)">Comparer<', page)
        assert found is not None
        response = client.get(found[1].replace("&amp;", "&"))
        assert "util=0.9" in parse_qs(urlsplit(response["Location"]).query)["a"][0]

    def test_a_changed_scenario_comes_back_to_its_place(self, client: Client, seeded: None) -> None:
        page = shown(client, link(a=GPU_PRO, b=f"{GPU_PRO}&util=0.9", nb="Plein"))
        edit = re.findall(r'href="([^"]+)">Modifier', page)[1].replace("&amp;", "&")
        form = {"form": "1", "util": "40", "compare": parse_qs(urlsplit(edit).query)["compare"][0]}
        response = client.get("/fr/economics", form)
        assert response.status_code == 302
        back = shown(client, response["Location"])
        found = re.search(r'href="(/fr/compare/\?[^"]+)">Reporter dans la comparaison', back)
        assert found is not None
        columns = parse_qs(urlsplit(client.get(found[1].replace("&amp;", "&"))["Location"]).query)
        assert "util=0.4&" in columns["b"][0]
        assert columns["nb"] == ["Plein"]
        assert "util=0.65&" in columns["a"][0]

    def test_live_typing_keeps_the_comparison_in_the_address(self, client: Client, seeded: None) -> None:
        response = client.get("/fr/economics", {"form": "1", "compare": "a=tokens?"}, headers={"HX-Request": "true"})
        assert response["HX-Replace-Url"].endswith("&compare=a%3Dtokens%3F")
        assert "compare" not in re.search(r'data-copy="([^"]+)"', response.content.decode())[1]  # type: ignore[index]

    @pytest.mark.parametrize("text", ['"><script>', "a=é", "x" * 7_000, "a b"])
    def test_what_is_no_query_is_not_carried(self, client: Client, seeded: None, text: str) -> None:
        page = shown(client, f"/fr/economics?compare={quote(text)}")
        assert 'name="compare"' not in page


class TestFiles:
    def test_csv_holds_the_same_rows_in_french_notation(self, client: Client, seeded: None) -> None:
        text = client.get(link(suffix="comparison.csv", a=GPU_PRO, na="=1+1", b=TITAN)).content.decode()
        rows = list(csv.reader(io.StringIO(text.removeprefix("\ufeff")), delimiter=";"))
        month = next(cells for cells in rows if cells[1:2] == ["GPU, coût du mois"])
        assert month == ["Résultats", "GPU, coût du mois", "€ HT / mois", "830,64", "3888", "", "A"]
        assert rows[3][:2] == ["Scénario A", "'=1+1"]

    def test_json_holds_unrounded_decimals_and_the_pinned_link(self, client: Client, seeded: None) -> None:
        found = json.loads(client.get(link("en", "comparison.json", a=GPU_PRO, b=TITAN, c="x?")).content)
        month = next(line for line in found["results"] if line["code"] == "month_eur")
        assert month["values"] == {"a": "830.64", "b": "3888"}
        assert month["best"] == ["a"]
        assert "catalog=1" in found["permalink"]
        assert found["columns"][2]["problems"]


def test_four_columns_ask_the_database_once(client: Client, seeded: None, django_assert_num_queries: Any) -> None:
    address = link(a="economics?", b="inference?", c="training?", d="tokens?")
    shown(client, address)
    with django_assert_num_queries(1):
        shown(client, address)
