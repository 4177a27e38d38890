"""The tokens page: a full answer at first sight, the same numbers everywhere, live, saved, exported, handed over."""

import csv
import io
import json
import re
from typing import Any

import pytest
from django.db import connection
from django.http import QueryDict
from django.test import Client
from django.test.utils import CaptureQueriesContext

from calculator import answers, calibrated, registry
from calculator.tools.tokens import PRESETS, TOOL
from tests import pagetext

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon", "seeded")]
PAGE = "/fr/tokens"
HTMX = {"HX-Request": "true"}


def shown(client: Client, query: str = "", language: str = "fr", **headers: str) -> str:
    response = client.get(f"/{language}/tokens?{query}", headers=headers)
    assert response.status_code == 200
    return pagetext.words(response.content.decode())


def answer(query: str = "") -> Any:
    outcome = answers.from_link(TOOL, QueryDict(query))
    assert outcome.answer is not None, outcome.problems
    return outcome.answer


def test_the_first_view_is_a_full_answer(client: Client) -> None:
    text = shown(client)
    # 2 M × 4 000 tokens; 9.024·10⁹ tokens at 0.02 $ a million ÷ 1.1172 = 161.55 €.
    assert "2 M de documents font 8 Md de tokens" in text
    assert "161,55 €" in text
    # 8·10⁹ × 2.50 $ ÷ 1.1172.
    assert "17 901,90 €" in text


def test_english_readers_get_english(client: Client) -> None:
    text = shown(client, language="en")
    assert "2M documents come to 8B tokens" in text
    assert "€161.55" in text
    assert "Indexer" not in text and "morceau" not in text


def test_the_sentence_the_table_and_the_file_show_one_number(client: Client) -> None:
    found = answer()
    text = shown(client)
    (current,) = [line for line in TOOL.page(found).embeddings if line.is_current]
    assert current.total in TOOL.sentence(found.estimate)
    content = client.get(f"/fr/tokens.csv?{found.query}").content.decode("utf-8-sig")
    rows = [row for row in csv.reader(io.StringIO(content), delimiter=";") if row]
    cost = next(row for row in rows if "text-embedding-3-small, coût" in " ".join(row) and "€ HT" in row)
    assert any(cell.startswith("161,54672") for cell in cost)
    assert "161,55 €" in text


def test_an_interval_is_shown_with_its_sample(client: Client) -> None:
    text = shown(client, "n=100&sd=2000&p50=3500&p95=8000")
    # 1.984217 × 2 000 ÷ 10 = 396.84 of 4 000 = 9.9 %.
    assert "± 9,9 %" in text
    assert "de 7,21 Md à 8,794 Md" in text
    assert "P50 3 500" in text and "P95 8 000" in text
    assert "Pas d’intervalle" not in text


def test_without_a_sample_the_page_says_so_and_where_to_count(client: Client) -> None:
    text = shown(client)
    assert "Pas d’intervalle." in text
    assert "/fr/tokens/count" in client.get(PAGE).content.decode()


def test_unknown_is_a_word_never_zero(client: Client) -> None:
    text = shown(client, "sku=GPU-SUPERCOMPUTE")
    assert "GPU-SUPERCOMPUTE n’a pas de prix à l’heure" in text
    assert "prix sur devis" in text
    assert "ne tient pas dans la mémoire" in text


def test_a_typed_rate_gives_its_own_duration(client: Client) -> None:
    assert "Au débit saisi de 100 000 tok/s : 22,2 h." in shown(client, "read=100000")


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.code)
def test_each_preset_is_answered_and_marked(client: Client, preset: Any) -> None:
    content = client.get(f"{PAGE}?{preset.query}").content.decode()
    marked = re.findall(r'<a class="chip" href="\?[^"]*" aria-current="true">([^<]*)</a>', content)
    assert str(preset.title) in {text.replace("&#x27;", "'") for text in marked}


def test_the_reference_sentence_is_a_whole_corpus() -> None:
    preset = next(item for item in PRESETS if item.code == "reference")
    found = answer(preset.query).estimate
    assert found.total.value == 12
    assert found.chunks_count == 1


def test_the_query_count_is_pinned(client: Client) -> None:
    client.get(PAGE)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        client.get(PAGE)
    assert len(queries) <= 6


def test_a_live_answer_is_a_fragment_with_its_address(client: Client) -> None:
    response = client.get(f"{PAGE}?form=1&v=1&docs=1000&mean=500", headers=HTMX)
    content = response.content.decode()
    assert "<html" not in content and 'id="calc"' in content
    assert "docs=1000&mean=500" in response.headers["HX-Replace-Url"]


def test_a_form_leads_to_its_canonical_link(client: Client) -> None:
    response = client.get(f"{PAGE}?form=1&v=1&docs=1,5 M&mean=4 000")
    assert response.status_code == 302
    query = QueryDict(response.headers["Location"].split("?")[1])
    assert (query["docs"], query["mean"]) == ("1500000", "4000")


def test_a_contradiction_in_the_form_stands_beside_its_field(client: Client) -> None:
    text = shown(client, "form=1&v=1&chunk=64&overlap=64")
    assert "le recouvrement doit rester plus petit que le morceau" in text


def test_a_link_of_another_calibration_is_recalculated_and_says_so(client: Client) -> None:
    assert "L’étalonnage a changé" in shown(client, "cal=0123456789ab")
    assert "L’étalonnage a changé" not in shown(client, f"cal={calibrated.mark()}")
    assert answer("cal=0123456789ab").scenario.calibration == calibrated.mark()


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("sku=GPU-NOPE", "n’est pas au catalogue"),
        ("model=Mistral-8B", "n’est pas au catalogue"),
        ("api=nope", "n’est pas au catalogue"),
        ("embed=nope", "n’est pas au catalogue"),
        ("catalog=99", "n’existe pas"),
        ("tokenizer=gpt2", "n’est pas proposé ici"),
    ],
)
def test_what_does_not_exist_is_named_and_the_rest_is_kept(client: Client, query: str, sentence: str) -> None:
    response = client.get(f"{PAGE}?docs=1234&{query}")
    text = pagetext.words(response.content.decode())
    assert response.status_code == 200
    assert sentence in text
    assert response.context["form"]["docs"].value() == "1\u202f234"


def test_names_in_any_case_are_written_as_the_catalogue_does() -> None:
    found = answer("sku=gpu-pro&model=mistral-7b-v0.3&embed=MISTRAL-EMBED&api=GPT-5.4").scenario
    assert (found.sku, found.embedding, found.apis) == ("GPU-PRO", "mistral-embed", ("gpt-5.4",))
    assert found.model == "Mistral-7B-v0.3"


@pytest.mark.parametrize("suffix", ["csv", "xlsx", "json"])
def test_the_same_scenario_as_a_file(client: Client, suffix: str) -> None:
    response = client.get(f"/fr/tokens.{suffix}?docs=10&mean=20")
    assert response.status_code == 200 and response.content


def test_the_json_holds_the_answer_unrounded(client: Client) -> None:
    found = json.loads(client.get("/en/tokens.json?n=100&sd=2000").content)
    assert found["answer"]["total_tokens"]["value"] == "8000000000"
    assert found["answer"]["chunks_a_document"].startswith("9")
    assert {item["code"] for item in found["embeddings"]} >= {"mistral-embed", "text-embedding-3-large"}
    assert found["scenario"]["docs"] == "2000000"


def test_an_estimate_is_saved_and_opens_again(client: Client) -> None:
    response = client.post("/fr/tokens/save", {"query": answer().query})
    assert response.status_code == 303
    assert "8 Md" in pagetext.words(client.get(response.headers["Location"]).content.decode())


def test_the_corpus_is_handed_over_to_every_calculator() -> None:
    found = answer("docs=1000&mean=2000&sku=GPU-TITAN")
    links = {item.target: QueryDict(item.query) for item in TOOL.handovers(found)}
    assert set(links) == {"training", "inference", "economics"}
    assert links["training"]["tokens"] == "2000000"
    assert links["inference"]["in"] == links["economics"]["in"] == "2000"
    assert {query["sku"] for query in links.values()} == {"GPU-TITAN"}
    rate = found.estimate.gpu.rate
    assert rate is not None and float(links["economics"]["prefill"]) == pytest.approx(rate.value, abs=0.01)


@pytest.mark.parametrize("query", ["", "docs=1&mean=12", "docs=1000000000000&mean=1000000000", "docs=3&mean=0.01"])
def test_every_handover_is_answered_by_its_target(query: str) -> None:
    for link in TOOL.handovers(answer(query)):
        outcome = answers.from_link(registry.CALCULATORS[link.target], QueryDict(link.query))
        assert {problem.key for problem in outcome.problems} <= {"in", "tokens"}


def test_extreme_values_are_answered(client: Client) -> None:
    for query in (
        "docs=1000000000000&mean=1000000000&sd=1000000000&n=1000000000&chunk=1&overlap=0",
        "docs=1&mean=0.01&sd=1000000000&n=2",
        "docs=1&mean=1000000000&sd=0&n=2&chunk=10000000&overlap=9999999&count=10000",
        "prec=fp4&model=DeepSeek-V3&sku=GPU-SUPERCOMPUTE",
        "api=none&mode=batch",
    ):
        assert shown(client, query)
