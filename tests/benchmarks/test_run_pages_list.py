"""The list of runs: what visitors see, filters, pages, and the way to compare and to import."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from benchmarks import runlist, series
from benchmarks.models import BenchmarkRun
from tests.benchmarks import runfactory as runs
from tests.benchmarks import seriesfactory as made

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator(client: Client) -> User:
    user = runs.operator()
    client.force_login(user)
    return user


def page(client: Client, query: str = "", language: str = "fr") -> str:
    response = client.get(f"/{language}/runs/{query}")
    assert response.status_code == 200
    return str(response.content.decode())


def listed(text: str) -> list[str]:
    return re.findall(r'<th scope="row">.*?href="/\w\w/runs/([\d-]+)"', text)


def test_visitors_see_what_was_published_and_the_repeats_it_rests_on(client: Client) -> None:
    first = made.measured((99.0, 101.0))
    runs.succeeded()
    assert listed(page(client)) == []
    runs.change(first, published_at=runs.ago(1))
    assert set(listed(page(client))) == {first.code, first.repeats.get().code}


def test_operators_see_everything(client: Client, operator: User) -> None:
    shown = {runs.queued().code, runs.ended("failed").code, runs.succeeded().code}
    assert set(listed(page(client))) == shown


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("?status=failed", ["failed"]),
        ("?model=Mistral-7B-v0.3", ["mistral"]),
        ("?sku=GPU-PRO", ["mistral"]),
        ("?engine=vLLM", ["mistral"]),
        ("?q=mistral", ["mistral"]),
        ("?q=%00mis%00tral", ["mistral"]),
        ("?status=failed&model=Mistral-7B-v0.3", []),
        ("?status=unknown&origin=zzz", ["failed", "mistral"]),
        ("?q=nothing-like-it", []),
    ],
)
def test_filters_narrow_the_list_and_unknown_ones_are_left_out(
    client: Client, operator: User, query: str, expected: list[str]
) -> None:
    codes = {"failed": runs.ended("failed").code, "mistral": made.measured((100.0,)).code}
    assert set(listed(page(client, query))) == {codes[name] for name in expected}


def test_a_filter_offers_only_values_that_there_are_and_keeps_the_chosen_one(client: Client, operator: User) -> None:
    runs.ended("failed")
    runs.succeeded()
    text = page(client, "?status=failed")
    assert '<option value="failed" selected>échouée</option>' in text
    assert '<option value="succeeded">terminée</option>' in text
    assert 'value="running"' not in text


def test_nothing_that_matches_is_said_with_a_way_back(client: Client, operator: User) -> None:
    runs.succeeded()
    text = page(client, "?q=zzz")
    assert "Aucune mesure ne correspond" in text and "Tout montrer" in text
    assert "Aucune mesure pour l’instant" not in text


def test_pages_keep_the_filters(client: Client, operator: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runlist, "PAGE_COUNT", 2)
    codes = [runs.ended("failed").code for _ in range(3)]
    text = page(client, "?q=test-llama")
    assert listed(text) == codes[:0:-1]
    assert "page 1 sur 2" in text and 'href="?q=test-llama&amp;page=2"' in text
    assert listed(page(client, "?q=test-llama&page=2")) == codes[:1]


@pytest.mark.parametrize("number", ["0", "-1", "99", "x", "é", "1e9"])
def test_a_page_that_is_not_there_shows_one_that_is(client: Client, operator: User, number: str) -> None:
    code = runs.succeeded().code
    assert listed(page(client, f"?page={number}")) == [code]


def test_only_finished_measurements_of_servers_can_be_ticked(client: Client, operator: User) -> None:
    done, _waiting = runs.succeeded(), runs.queued()
    text = page(client)
    assert re.findall(r'name="run" value="([^"]+)"', text) == [done.code]
    assert 'action="/fr/runs/compare"' in text


def test_a_series_is_marked_with_its_repeats(client: Client, operator: User) -> None:
    first, _second, _third = series.create(runs.CONFIG, None, 3)
    text = page(client)
    assert "×\u00a03" in text and f"répétition 3 de {first.code}" in text


def test_names_of_people_are_for_operators(client: Client) -> None:
    user = User.objects.create_user("dupont")
    runs.succeeded(published_at=runs.ago(1), created_by=user)
    assert "dupont" not in page(client)
    client.force_login(runs.operator())
    assert "dupont" in page(client)


@pytest.mark.parametrize(("language", "words"), [("fr", "Importer un résultat"), ("en", "Import a result")])
def test_importing_is_offered_to_operators(client: Client, language: str, words: str) -> None:
    assert words not in page(client, "", language)
    client.force_login(runs.operator())
    assert words in page(client, "", language)


def test_the_list_costs_the_same_whatever_it_holds(client: Client, django_assert_num_queries: Any) -> None:
    made.measured()
    BenchmarkRun.objects.filter(parent__isnull=True).update(published_at=runs.ago(1))
    page(client)
    with django_assert_num_queries(5):
        page(client)
