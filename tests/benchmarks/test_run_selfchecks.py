"""What the client found about itself, on the run's page in plain sentences."""

import pytest
from django.test import Client
from django.utils import translation

from benchmarks import selfchecks
from benchmarks.models import BenchmarkStep
from tests.benchmarks import runfactory as runs

NBSP = "\u00a0"
pytestmark = pytest.mark.django_db

SEEN = {
    "loop_lag_p99_ms": 30.0,
    "client_cpu_ratio": 0.4,
    "client_lag_p99_ms": 2.5,
    "near_zero_gap_ratio": 0.01,
}


def steps(**values: object) -> list[BenchmarkStep]:
    run = runs.running()
    runs.with_step(run, 1, 1000.0, **(SEEN | values))
    runs.with_step(run, 2, 2000.0, loop_lag_p99_ms=1.0)
    return list(run.steps.all())


def test_each_check_is_a_sentence_with_the_worst_value_and_the_limit() -> None:
    assert selfchecks.sentences(steps()) == [
        f"Retard de la boucle du client, p99{NBSP}: 30,0{NBSP}ms (limite 10,0{NBSP}ms).",
        f"Part d’un cœur prise par le client{NBSP}: 40{NBSP}% (limite 85{NBSP}%).",
        f"Retard au départ des requêtes, p99{NBSP}: 2,50{NBSP}ms (limite 10,0{NBSP}ms).",
        f"Envois lus ensemble, signe d’un client en retard{NBSP}: 1{NBSP}% (limite 20{NBSP}%).",
    ]


def test_an_asked_rate_adds_the_share_that_was_reached() -> None:
    found = selfchecks.sentences(steps(rate_per_s=100.0, offered_per_s=100.0, achieved_per_s=60.0))
    expected = f"Rythme atteint, sur le rythme demandé{NBSP}: 60{NBSP}% (saturation sous 95{NBSP}%)."
    assert found[4:] == [expected]


def test_what_was_not_seen_is_a_word() -> None:
    found = selfchecks.sentences(steps(near_zero_gap_ratio=None))
    assert "inconnu" in found[3]


def test_a_run_that_has_not_ended_a_step_has_no_checks() -> None:
    assert selfchecks.sentences(list(runs.running().steps.all())) == []


def test_in_english_too() -> None:
    with translation.override("en"):
        assert selfchecks.sentences(steps())[
            0
        ] == "Delay of the client’s event loop, p99: 30.0 ms (limit 10.0 ms).".replace(" ms", f"{NBSP}ms")


@pytest.mark.parametrize(
    ("flag", "words"),
    [("flag_client_bound", "Le client de mesure a pris du retard"), ("flag_prefix_cache_warm", "graine nouvelle")],
)
def test_l28_the_page_says_in_a_sentence_why_a_run_is_not_published(client: Client, flag: str, words: str) -> None:
    client.force_login(runs.operator())
    text = client.get(f"/fr/runs/{runs.succeeded(**{flag: True}).code}").content.decode()
    assert words in text
    assert "Publier ce résultat" not in text


def test_a_run_without_reproach_is_offered_for_publishing(client: Client) -> None:
    client.force_login(runs.operator())
    text = client.get(f"/fr/runs/{runs.succeeded().code}").content.decode()
    assert "Publier ce résultat" in text and 'id="ineligible"' not in text


def test_the_page_lists_the_checks(client: Client) -> None:
    client.force_login(runs.operator())
    run = runs.running()
    runs.with_step(run, 1, 1000.0, **SEEN)
    runs.change(run, status="cancelled", finished_at=runs.ago(0))
    assert "Contrôles du client" in client.get(f"/fr/runs/{run.code}").content.decode()
