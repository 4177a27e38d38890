"""Estimates as data: the page's own answer, defaults that are listed, and every wrong key named."""

import pytest
from django.http import QueryDict
from django.test import Client
from django.urls import reverse
from django.utils.translation import override

from calculator import registry
from tests.sales.apisite import ROOT, keys, refused, told

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("seeded")]
CASES = [(tool.name, preset) for tool in registry.TOOLS for preset in tool.presets]
CASE_NAMES = [f"{name} {preset.code}" for name, preset in CASES]


def test_the_case_of_the_offer_gives_its_two_prices_a_million() -> None:
    found = told("estimates/economics?volume=100000000&util=0.65&sku=GPU-PRO")
    assert found["eur_per_mtok"]["month"] == {**found["eur_per_mtok"]["month"], "at_volume": "8.3064"}
    assert found["eur_per_mtok"]["hour"]["at_volume"] == "10.8"
    assert found["scenario"]["sku"] == "GPU-PRO"


@pytest.mark.parametrize(("name", "preset"), CASES, ids=CASE_NAMES)
def test_every_case_is_answered_as_by_the_page_s_json_file(name: str, preset: object) -> None:
    query = f"{preset.query}&at=2026-11-30T14:00:00Z&lang=en"  # type: ignore[attr-defined]
    by_interface = told(f"estimates/{name}?{query}")
    with override("en"):
        file = Client().get(f"{reverse('export', args=[name, 'json'])}?{query.removesuffix('&lang=en')}").json()
    for document in (by_interface, file):
        document.pop("created_at")
    assert by_interface == file


def test_absent_keys_take_their_defaults_and_are_listed() -> None:
    found = told("estimates/economics?volume=1000000")
    assert found["defaults"]["hours"] == "720"
    assert "volume" not in found["defaults"]
    assert "price" not in found["defaults"]


def test_the_link_of_an_answer_asks_for_the_same_answer() -> None:
    found = told("estimates/inference?in=1000")
    query = QueryDict(found["permalink"].partition("?")[2])
    again = told(f"estimates/inference?{query.urlencode()}")
    assert (again["rows"], again["defaults"]) == (found["rows"], {})


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("volume=", [("volume", "unreadable")]),
        ("volume=1e9", [("volume", "unreadable")]),
        ("volume=1&volume=2", [("volume", "unreadable")]),
        ("colour=red", [("colour", "unknown")]),
        ("form=1", [("form", "unknown")]),
        ("v=2", [("v", "unreadable")]),
        ("traffic=requests", [("requests", "together")]),
        ("sku=GPU-PRO&sku=", [("sku", "unreadable")]),
        ("volume=x&colour=red", [("colour", "unknown"), ("volume", "unreadable")]),
    ],
)
def test_a_wrong_key_is_refused_and_named(query: str, named: list[tuple[str, str]]) -> None:
    assert keys(refused(f"estimates/economics?{query}", 422)) == named


def test_what_is_not_in_the_catalogue_is_not_found() -> None:
    assert keys(refused("estimates/economics?sku=GPU-PRX", 404)) == [("sku", "missing")]
    assert keys(refused("estimates/economics?catalog=77", 404)) == [("catalog", "missing")]
    assert keys(refused("estimates/economics?sku=GPU-PRX&volume=x", 422)) == [
        ("volume", "unreadable"),
        ("sku", "missing"),
    ]
    assert refused("estimates/alchemy", 404)["errors"] == []


def test_sentences_are_in_the_asked_language_and_quote_what_was_sent() -> None:
    assert "est attendu" in refused("estimates/economics?volume=deux&lang=fr", 422)["detail"]
    assert "is expected" in refused("estimates/economics?volume=deux&lang=en", 422)["detail"]
    english = told("estimates/tokens?lang=en")
    assert "/en/tokens?" in english["permalink"]


def test_each_calculator_lists_its_cases_as_queries() -> None:
    listed = {item["name"]: item["presets"] for item in told("calculators?lang=en")["items"]}
    assert list(listed) == ["economics", "inference", "training", "parallelism", "tokens"]
    legal = next(case for case in listed["tokens"] if case["code"] == "legal")
    assert told(f"estimates/tokens?{legal['query']}")["scenario"]["docs"] == "2000000"


def test_the_address_of_an_estimate_is_the_name_of_its_calculator() -> None:
    assert [reverse(f"api-estimate-{name}") for name in registry.CALCULATORS] == [
        f"{ROOT}estimates/{name}" for name in registry.CALCULATORS
    ]
