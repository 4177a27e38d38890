"""What the page of an open loop and of a measured server shows."""

import pytest
from django.test import Client

from benchmarks import presenters, queries, results
from benchmarks.models import BenchmarkRun
from tests.benchmarks import runfactory as runs

NBSP = "\u00a0"
pytestmark = pytest.mark.django_db


def ended(**values: object) -> BenchmarkRun:
    run = runs.running()
    runs.with_step(run, 1, 1000.0, **values)
    return runs.change(run, status="cancelled", finished_at=runs.ago(0))


PACE = {
    "rate_per_s": 10.0,
    "achieved_per_s": 6.04,
    "ttft_p50_ms": 500.0,
    "ttft_planned_p50_ms": 1900.0,
    "ttft_planned_p95_ms": 3160.0,
    "e2e_planned_p50_ms": 1900.0,
    "e2e_planned_p95_ms": 3160.0,
    "goodput_per_s": 1.2,
    "attainment_ratio": 0.6,
}


@pytest.fixture
def client(client: Client) -> Client:
    """An operator's: these runs are not published."""
    client.force_login(runs.operator())
    return client


def page(client: Client, run: BenchmarkRun) -> str:
    return client.get(f"/fr/runs/{run.code}").content.decode()


def test_l20_times_from_plan_come_first(client: Client) -> None:
    text = page(client, ended(**PACE))
    pace, whole = text.index('id="pace"'), text.index("Débit et délais par palier")
    assert pace < whole
    for shown in (f"10,0{NBSP}req/s", f"1{NBSP}900{NBSP}ms", f"3{NBSP}160{NBSP}ms", f"60{NBSP}%"):
        assert shown in text[pace:whole].replace("\u202f", NBSP)
    assert f"500{NBSP}ms" in text[whole:]


def test_l22_the_reached_rate_stands_beside_the_asked_one(client: Client) -> None:
    text = page(client, ended(**PACE))
    assert text.index(f"10,0{NBSP}req/s") < text.index(f"6,04{NBSP}req/s")


def test_a_closed_loop_has_no_plan_to_show(client: Client) -> None:
    text = page(client, ended())
    assert 'id="pace"' not in text


def test_a_closed_loop_with_targets_says_what_met_them(client: Client) -> None:
    text = page(client, ended(goodput_per_s=1.2, attainment_ratio=0.6))
    assert f"À 1 flux, 1,20{NBSP}req/s dans les objectifs, soit 60{NBSP}% des requêtes." in text


@pytest.mark.parametrize("end", ["all", "errors", "targets", "no_gain", "found", "open", "none", "wide"])
def test_a_search_says_how_it_ended(client: Client, end: str) -> None:
    run = runs.change(ended(), search_end=end)
    sentence = results.search_words(run)
    assert sentence.endswith(".") and sentence in page(client, run)


def test_without_a_search_nothing_is_said(client: Client) -> None:
    assert 'id="search"' not in page(client, ended())


def test_the_server_is_named_to_operators_only(client: Client) -> None:
    run = runs.change(
        ended(),
        engine_kind="url",
        target_url="https://api.example.com/v1",
        target_route="chat",
        target_model="large",
        key_variable="",
    )
    runs.change(run, status="succeeded", published_at=runs.ago(1))
    text = page(Client(), run)
    assert "Serveur mesuré" in text and "large" in text and "api.example.com" not in text
    text = page(client, run)
    assert "api.example.com" in text and "Variable de la clé" in text


def test_a_run_of_this_machine_has_no_server_to_name(client: Client) -> None:
    assert "Serveur mesuré" not in page(client, ended())


def test_an_open_loop_is_named_by_its_rate_and_has_no_share_of_a_stream(client: Client) -> None:
    run = ended(**PACE)
    text = page(client, run)
    assert f"À 10,0{NBSP}req/s demandées, <b" in text
    assert "par flux" not in text and "flux unique" not in text
    assert f"{NBSP}req/s" in results.step_rows(queries.run_view(run.code))[0]["load"]


def test_while_it_lives_an_open_loop_is_named_by_its_rate_too() -> None:
    run = runs.running()
    step = run.steps.get(position=1)
    step.rate_per_s = 10.0
    step.save()
    runs.tick(step)
    view = queries.run_view(run.code)
    assert presenters.position_words(view) == f"palier 1 sur 2, 10,0{NBSP}req/s"
    assert dict(presenters.now_facts(view))["Par flux"] == "inconnu"
    log = presenters.log(view)
    assert log is not None and f"10,0{NBSP}req/s" in log.last
