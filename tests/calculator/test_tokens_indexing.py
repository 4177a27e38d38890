"""What embedding the corpus on one's own GPUs takes, on the page and in the files."""

from typing import Any

import pytest
from django.test import Client

from tests import pagetext

pytestmark = pytest.mark.django_db


def data(client: Client, query: str = "") -> dict[str, Any]:
    found: dict[str, Any] = client.get(f"/fr/tokens.json?{query}").json()
    return found


def test_the_page_shows_it_beside_the_embedding_models(client: Client, seeded: None) -> None:
    response = client.get("/fr/tokens")
    text = pagetext.words(response.content.decode())
    assert "Sur vos GPU, avec un modèle d’indexation de la taille de Mistral-7B-v0.3" in text
    lines = response.context["page"].indexing
    assert {line.code for line in lines} >= {"GPU-PRO", "GPU-TITAN"}
    english = pagetext.words(client.get("/en/tokens").content.decode())
    assert "On your GPUs, with an embedding model of the size of Mistral-7B-v0.3" in english


def test_files_and_json_hold_the_same_numbers(client: Client, seeded: None) -> None:
    """9.024·10⁹ tokens over the rate of the row."""
    found = data(client)
    told = {item["code"]: item for item in found["indexing_gpus"]}
    rate, time = (float(told["GPU-PRO"][name]["value"]) for name in ("tok_per_s", "time_s"))
    assert rate * time == pytest.approx(9.024e9, rel=1e-6)
    rows = {row["label"]: row["value"] for row in found["rows"] if row["section"] == "Indexer, GPU"}
    assert float(rows["GPU-PRO, durée"]) == pytest.approx(time)
    assert rows["GPU-PRO, coût"] == told["GPU-PRO"]["eur"]


def test_another_chunk_size_changes_it(client: Client, seeded: None) -> None:
    few, many = (data(client, f"overlap={size}")["indexing_gpus"] for size in (0, 256))
    assert all(
        float(a["time_s"]["value"]) < float(b["time_s"]["value"]) for a, b in zip(few, many, strict=True) if a["time_s"]
    )


def test_an_indexing_is_told_by_documents_chunks_gpu_and_price(client: Client, seeded: None) -> None:
    """2 M documents × 9 chunks; 311 h of GPU-ENTERPRISE at 4.20 € are 1 306.20 €."""
    query = "work=index&sku=GPU-ENTERPRISE&model=Mistral-Nemo-12B"
    french = pagetext.words(client.get(f"/fr/tokens?{query}").content.decode())
    assert "2 M de documents font 8 Md de tokens en 18 M de morceaux" in french
    assert "les indexer sur GPU-ENTERPRISE coûte 1 306,20 € HT et prend" in french
    english = client.get(f"/en/tokens?{query}").context["page"].status
    told = "indexing them on GPU-ENTERPRISE costs €1,306.20 excl. VAT and takes"
    assert "2M documents" in english and "in 18M chunks" in english and told in english.replace("\u00a0", " ")
    assert "text-embedding-3-small" not in data(client, query)["answer"]["sentence"]


def test_an_indexing_without_a_price_says_so(client: Client, seeded: None) -> None:
    text = pagetext.words(client.get("/fr/tokens?work=index&sku=GPU-SUPERCOMPUTE").content.decode())
    assert "les indexer sur GPU-SUPERCOMPUTE prend" in text and "prix sur devis." in text


def test_the_formulas_name_the_work(client: Client, seeded: None) -> None:
    page = client.get("/fr/tokens?work=index").context["page"]
    titles = {formula.title for formula in page.formulas}
    assert {"Durée d’indexation sur GPU-PRO", "Coût d’indexation sur GPU-PRO"} <= titles
    assert any(note.startswith("Sur vos GPU, avec un modèle d’indexation") for note in page.assumptions)


def test_what_is_carried_to_the_economics_stays_the_rate_of_a_document(client: Client, seeded: None) -> None:
    """The prompt there is a document, whatever the machine does here."""
    links = [client.get(f"/fr/tokens?work={work}").context["handovers"][2] for work in ("read", "index")]
    assert links[0] == links[1]
