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
