"""The page of one run: it polls while the run lives, stops by itself, and shows the result with its conditions."""

import json
import re
from typing import Any

import pytest
from django.test import Client

from tests.benchmarks import runfactory as runs

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
# Session, person and two of rights; dead runs, the run, its steps, its seconds, its errors; the footer.
QUERIES = 10


@pytest.fixture
def client(client: Client) -> Client:
    """An operator's: what is not published is for operators alone."""
    client.force_login(runs.operator())
    return client


def get(client: Client, code: str, language: str = "fr", **headers: str) -> Any:
    response = client.get(f"/{language}/runs/{code}", headers=headers)
    assert response.status_code == 200
    return response


def text_of(response: Any) -> str:
    return str(response.content.decode())


def test_a_live_run_polls_every_two_seconds_then_every_five(client: Client) -> None:
    run = runs.running()
    assert 'hx-trigger="every 2s"' in text_of(get(client, run.code))
    runs.change(run, created_at=runs.ago(61))
    assert 'hx-trigger="every 5s"' in text_of(get(client, run.code))


@pytest.mark.parametrize("status", ["succeeded", "failed", "cancelled"])
def test_a_finished_run_asks_for_nothing_more(client: Client, status: str) -> None:
    run = runs.succeeded() if status == "succeeded" else runs.ended(status, "engine_start")
    for headers in ({}, HTMX):
        text = text_of(get(client, run.code, **headers))
        assert "hx-get" not in text and "hx-trigger" not in text
        assert "http-equiv" not in text


def test_a_poll_gets_the_run_alone_with_its_title(client: Client) -> None:
    run = runs.running()
    text = text_of(get(client, run.code, **HTMX))
    assert text.lstrip().startswith("<title>")
    assert "<html" not in text and 'id="run"' in text and "http-equiv" not in text


def test_going_back_in_history_gets_the_whole_page(client: Client) -> None:
    response = get(client, runs.running().code, **HTMX, **{"HX-History-Restore-Request": "true"})
    assert "<html" in text_of(response)


def test_pages_and_fragments_are_never_mixed_up_by_a_cache(client: Client) -> None:
    response = get(client, runs.running().code)
    assert {"HX-Request", "HX-History-Restore-Request"} <= set(re.split(r",\s*", response["Vary"]))
    assert "no-cache" in response["Cache-Control"] and "private" in response["Cache-Control"]


def test_without_script_a_live_page_reloads_itself(client: Client) -> None:
    text = text_of(get(client, runs.running().code))
    assert '<noscript><meta http-equiv="refresh" content="2"></noscript>' in text
    assert "Recharger la page" in text


def test_a_live_run_shows_where_it_stands(client: Client) -> None:
    run = runs.running(phase="measuring")
    runs.with_step(run, 1, 1000.0)
    for rate in (2400.0, 2450.0):
        runs.tick(run.steps.get(position=2), rate)
    text = text_of(get(client, run.code))
    assert "palier 2 sur 2, 4 flux" in text
    assert '<progress value="75" max="100"' in text
    assert text.count('aria-current="step"') == 1
    assert "2\u202f450\u00a0tok/s" in text and "Journal" in text
    assert json.loads(re.findall(r'id="live-figure" type="application/json">(.*?)</script>', text)[0])["data"]


def test_the_result_replaces_the_progress_and_is_announced_once(client: Client) -> None:
    run = runs.succeeded()
    fragment = text_of(get(client, run.code, **HTMX))
    assert f"<title>Mesure {run.code}, terminée" in fragment
    assert "<progress" not in fragment
    assert 'id="status" hx-swap-oob' in fragment
    assert text_of(get(client, run.code)).count('id="status"') == 1


@pytest.mark.parametrize(
    ("language", "sentence", "flag"),
    [
        (
            "fr",
            'À 4 flux, <b class="gpu">2\u202f500\u00a0tok/s</b> au total et 625\u00a0tok/s par flux.',
            "mesure unique",
        ),
        ("en", 'At 4 streams, <b class="gpu">2,500\u00a0tok/s</b> in all and 625\u00a0tok/s per stream.', "single run"),
    ],
)
def test_the_result_is_a_sentence_then_figures_table_chart_and_conditions(
    client: Client, language: str, sentence: str, flag: str
) -> None:
    run = runs.succeeded()
    text = text_of(get(client, run.code, language))
    assert sentence in text
    assert flag in text
    assert 'data-chart="run-figure"' in text and 'id="run-figure"' in text
    assert "xllamacpp 2026.10" in text
    assert f"/{language}/runs/{run.code}.csv" in text and f"/{language}/runs/{run.code}.json" in text


def test_table_and_chart_show_the_same_rates(client: Client) -> None:
    text = text_of(get(client, runs.succeeded().code))
    figure = json.loads(re.findall(r'id="run-figure" type="application/json">(.*?)</script>', text)[0])
    assert figure["data"][0]["x"] == [1000.0, 2500.0]
    assert '<td class="n">1\u202f000</td>' in text and '<td class="n">2\u202f500</td>' in text


@pytest.mark.parametrize(
    ("language", "sentence"),
    [("fr", "Le serveur du modèle n’a pas démarré."), ("en", "The model server did not start.")],
)
def test_a_failure_is_a_sentence_with_its_detail_folded_for_operators(
    client: Client, language: str, sentence: str
) -> None:
    run = runs.ended("failed", "engine_start", "<b>no such file</b>")
    text = text_of(get(client, run.code, language))
    assert sentence in text
    assert "&lt;b&gt;no such file" in text and "<details>" in text
    assert "Aucun palier" in text or "No step" in text


def test_a_dead_run_says_so_when_its_page_is_looked_at(client: Client) -> None:
    run = runs.running(heartbeat_at=runs.ago(60))
    text = text_of(get(client, run.code))
    assert "Le processus qui menait cette mesure a disparu." in text and "hx-get" not in text


def test_visitors_see_no_button_on_what_was_published() -> None:
    run = runs.succeeded(published_at=runs.ago(60))
    assert "<button" not in run_part(text_of(get(Client(), run.code)))


@pytest.mark.parametrize("suffix", ["", ".csv", ".json", ".jsonl"])
def test_what_is_not_published_is_for_operators(django_user_model: Any, suffix: str) -> None:
    run, stranger = runs.succeeded(), Client()
    address = f"/fr/runs/{run.code}{suffix}"
    assert stranger.get(address)["Location"] == f"/fr/login/?next={address}"
    stranger.force_login(django_user_model.objects.create_user("visitor"))
    response = stranger.get(address)
    assert response.status_code == 403 and "réservée aux opérateurs" in response.content.decode()
    runs.change(run, published_at=runs.ago(60))
    assert stranger.get(address).status_code == 200


def test_what_was_withdrawn_stays_readable_for_old_links() -> None:
    run = runs.succeeded(published_at=runs.ago(60), withdrawn_at=runs.ago(30))
    assert get(Client(), run.code).status_code == 200


def run_part(text: str) -> str:
    return text[text.index('<div id="run"') : text.index("</main>")]


def test_an_operator_sees_the_action_that_fits_the_state(client: Client) -> None:
    run = runs.running()
    assert f'action="/fr/runs/{run.code}/cancel"' in text_of(get(client, run.code))
    runs.change(run, cancel_requested_at=runs.ago(1))
    text = text_of(get(client, run.code))
    assert "/cancel" not in text and "arrêt demandé" in text
    runs.services.finish(run.pk, "cancelled")
    assert "/publish" not in text_of(get(client, run.code))
    done = runs.succeeded()
    assert f'action="/fr/runs/{done.code}/publish"' in text_of(get(client, done.code))


@pytest.mark.parametrize("code", ["2026-9999", "x", "..", "2026-0001.csv", "2026-0001.json"])
def test_an_unknown_run_is_not_found(client: Client, code: str) -> None:
    assert client.get(f"/fr/runs/{code}").status_code == 404


def test_queries_of_a_page_are_pinned(client: Client, django_assert_num_queries: Any) -> None:
    run = runs.running(phase="measuring")
    for _ in range(30):
        runs.tick(run.steps.get(position=1))
    get(client, run.code)
    with django_assert_num_queries(QUERIES):
        get(client, run.code)


def test_a_poll_is_cheaper_than_the_page(client: Client, django_assert_max_num_queries: Any) -> None:
    run = runs.running()
    with django_assert_max_num_queries(QUERIES):
        get(client, run.code, **HTMX)


def test_downloads_are_files_named_after_the_run(client: Client) -> None:
    run = runs.succeeded()
    table = client.get(f"/fr/runs/{run.code}.csv")
    assert table["Content-Disposition"] == f'attachment; filename="run-{run.code}.csv"'
    assert table.content.decode().startswith("\ufeffrun;concurrency;number")
    assert "10,5" in table.content.decode()
    assert "10.5" in client.get(f"/en/runs/{run.code}.csv").content.decode()
    document = client.get(f"/fr/runs/{run.code}.json")
    assert document["Content-Type"] == "application/json"
    assert json.loads(document.content)["run"]["code"] == run.code


@pytest.mark.parametrize(
    ("language", "definitions"),
    [
        ("fr", ("TTFT, délai du premier token\u00a0: du premier octet", "TPOT, temps par token\u00a0: du premier")),
        ("en", ("TTFT, time to first token: from the first byte", "TPOT, time per output token: from the first")),
    ],
)
def test_delays_have_the_names_that_the_trade_gives_them_defined_under_the_table(
    client: Client, language: str, definitions: tuple[str, ...]
) -> None:
    """Each head names its delay: a bare “p95” under the second one could be either."""
    text = text_of(get(client, runs.succeeded().code, language))
    heads = re.findall(r"<th scope=\"col\"[^>]*>([^<]*p\d\d)</th>", text)
    assert heads[:5] == ["TTFT p50", "TTFT p95", "TTFT p99", "TPOT p50", "TPOT p95"]
    assert all(head.startswith(("TTFT ", "TPOT ", "tok/s ")) for head in heads)
    for definition in definitions:
        assert definition in text
    assert f'href="/{language}/methodology/#glossary"' in text
