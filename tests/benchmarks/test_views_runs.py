"""The list of runs: published ones for all, explains itself when it is empty, never shows a dead run as running."""

from typing import Any

import pytest
from django.test import Client

from tests.benchmarks import runfactory as runs

pytestmark = pytest.mark.django_db


def page(client: Client, language: str = "fr") -> str:
    response = client.get(f"/{language}/runs/")
    assert response.status_code == 200
    return response.content.decode()


@pytest.mark.parametrize(
    ("language", "title", "invitation"),
    [
        ("fr", "Aucune mesure pour l’instant", "Se connecter pour en lancer une"),
        ("en", "No benchmark yet", "Log in to start one"),
    ],
)
def test_without_runs_the_page_says_what_a_run_is(client: Client, language: str, title: str, invitation: str) -> None:
    text = page(client, language)
    assert title in text and invitation in text
    assert "llama.cpp" in text and "<table" not in text


def test_an_operator_is_offered_to_start_one(client: Client) -> None:
    client.force_login(runs.operator())
    assert 'href="/fr/runs/new"' in page(client)


def test_others_are_told_who_may(client: Client, django_user_model: Any) -> None:
    client.force_login(django_user_model.objects.create_user("visitor"))
    text = page(client)
    assert "Seuls les opérateurs" in text and 'href="/fr/runs/new"' not in text


def test_runs_stand_with_state_and_best_rate_newest_first(client: Client) -> None:
    client.force_login(runs.operator())
    first = runs.succeeded()
    second = runs.queued()
    text = page(client)
    assert text.index(second.code) < text.index(first.code)
    assert "2\u202f500\u00a0tok/s" in text and "terminée" in text and "en attente" in text
    assert "inconnu" in text


@pytest.mark.parametrize(("language", "word"), [("fr", "bloquée"), ("en", "stalled")])
def test_a_dead_run_is_listed_as_stalled(client: Client, language: str, word: str) -> None:
    client.force_login(runs.operator())
    run = runs.running(heartbeat_at=runs.ago(60))
    assert word in page(client, language)
    run.refresh_from_db()
    assert run.status == "stalled"


def test_the_number_of_queries_does_not_grow_with_the_list(client: Client, django_assert_num_queries: Any) -> None:
    for _ in range(5):
        runs.change(runs.succeeded(), published_at=runs.ago(60))
    page(client)
    # Dead runs, the values to choose from, how many match, the list, and the footer's price list.
    with django_assert_num_queries(QUERIES):
        page(client)


QUERIES = 5
