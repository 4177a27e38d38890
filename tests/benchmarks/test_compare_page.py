"""Runs side by side: like ones ranked, unlike ones refused with what differs, others refused with a sentence."""

import json
import re
from typing import Any

import plotly.graph_objects as go
import pytest
from django.contrib.auth.models import User
from django.test import Client

from benchmarks import comparepage, importing
from tests.benchmarks import runfactory as runs
from tests.benchmarks import seriesfactory as made
from tests.benchmarks.test_import_reading import GUIDELLM

pytestmark = pytest.mark.django_db
FASTER = tuple(rate * 1.1 for rate in made.STEADY)


@pytest.fixture(autouse=True)
def operator(client: Client) -> User:
    user = runs.operator()
    client.force_login(user)
    return user


def page(client: Client, *codes: str, language: str = "fr", **more: str) -> str:
    response = client.get(f"/{language}/runs/compare", {"run": codes, **more})
    assert response.status_code == 200
    return str(response.content.decode())


def test_like_runs_are_compared_by_the_median_of_their_repeats(client: Client) -> None:
    """Medians 100 and 110: ten percent."""
    slow, fast = made.measured(), made.measured(FASTER)
    text = page(client, slow.code, fast.code)
    assert "Mêmes conditions." in text
    assert f"{fast.code} a le débit le plus haut\u00a0: 110\u00a0tok/s" in text or f"{fast.code} a le débit" in text
    assert "+10,0\u00a0%" in text


def test_table_and_chart_show_the_same_rates(client: Client) -> None:
    text = page(client, made.measured().code, made.measured(FASTER).code)
    figure = json.loads(re.findall(r'id="compare-figure" type="application/json">(.*?)</script>', text)[0])
    go.Figure(figure)
    assert [trace["x"] for trace in figure["data"]] == [[100.0], [110.0]]
    assert '<td class="n">100</td>' in text and '<td class="n">110</td>' in text


@pytest.mark.parametrize(
    ("language", "sentence", "field"),
    [
        ("fr", "Comparaison refusée.", "poids"),
        ("en", "Comparison refused.", "weights"),
    ],
)
def test_unlike_runs_are_refused_with_the_conditions_that_differ(
    client: Client, language: str, sentence: str, field: str
) -> None:
    text = page(client, made.measured().code, made.measured(FASTER, precision="fp8").code, language=language)
    assert sentence in text and f'<th scope="row">{field}</th><td>fp16</td><td>fp8</td>' in text
    assert "tok/s" not in text and "compare-figure" not in text


def test_no_figure_is_drawn_from_unlike_runs() -> None:
    """Neither a median nor a curve, a verdict or a key: the answer is the list of what differs and nothing else."""
    first, second = made.measured(), made.measured(FASTER, precision="fp8")
    found = comparepage.context([first.code, second.code], True)
    assert not found["alike"] and [row["name"] for row in found["differences"]] == ["poids"]
    assert {"rows", "figure", "title", "key"} & set(found) == set()


def test_one_unlike_run_among_like_ones_refuses_them_all(client: Client) -> None:
    codes = [made.measured().code, made.measured(FASTER).code, made.measured(FASTER, precision="fp8").code]
    assert "Comparaison refusée." in page(client, *codes)


def test_figures_of_unlike_runs_are_shown_apart_on_demand_and_said_to_be_not_comparable(client: Client) -> None:
    first, second = made.measured(), made.measured(FASTER, precision="fp8")
    link = f"?run={first.code}&amp;run={second.code}&amp;apart=1"
    assert f'href="{link}"' in page(client, first.code, second.code)
    text = page(client, first.code, second.code, apart="1")
    assert "Comparaison refusée." in text and "Non comparables\u00a0:" in text
    assert '<td class="n">100</td>' in text and '<td class="n">110</td>' in text
    assert "+10" not in text and "Écart" not in text and "compare-figure" not in text and "le plus haut" not in text
    assert f'href="{link}"' not in text


def test_asking_for_like_runs_apart_changes_nothing(client: Client) -> None:
    slow, fast = made.measured(), made.measured(FASTER)
    assert "+10,0\u00a0%" in page(client, slow.code, fast.code, apart="1")


def test_what_no_run_states_is_no_difference() -> None:
    first, second = made.measured(), made.measured()
    found = comparepage.context([first.code, second.code], True)
    assert found["alike"] and found["differences"] == []


def test_a_foreign_definition_is_named_as_a_difference(client: Client) -> None:
    (imported,) = importing.import_bytes(json.dumps(GUIDELLM).encode(), "g.json", None)
    text = page(client, made.measured().code, imported.code)
    assert "<td>les nôtres</td><td>celles de guidellm</td>" in text
    assert "définition des mesures" in text


def test_one_run_asks_for_another(client: Client) -> None:
    text = page(client, made.measured().code)
    assert "Choisissez au moins deux mesures" in text and "<table" not in text


def test_nothing_asked_for_is_no_error(client: Client) -> None:
    assert "Choisissez au moins deux mesures" in page(client)


def test_numbers_that_are_not_there_are_said_and_the_rest_is_shown(client: Client) -> None:
    first, second = made.measured(), made.measured(FASTER)
    text = page(client, first.code, "2026-9999", second.code, "<b>", "")
    assert "Introuvable ou non publiée" in text and "2026-9999" in text and "<b>," not in text
    assert "Mêmes conditions." in text


def test_six_at_most(client: Client) -> None:
    codes = [made.measured((100.0,)).code for _ in range(7)]
    text = page(client, *codes)
    assert "Six mesures au plus" in text
    assert f"/fr/runs/{codes[5]}" in text and f"/fr/runs/{codes[6]}" not in text


def test_the_same_run_twice_is_one(client: Client) -> None:
    code = made.measured().code
    assert "Choisissez au moins deux mesures" in page(client, code, code)


def test_visitors_compare_what_was_published(client: Client) -> None:
    first, second = made.measured(), made.measured(FASTER)
    stranger = Client()
    assert "Introuvable ou non publiée" in page(stranger, first.code, second.code)
    for run in (first, second):
        runs.change(run, published_at=runs.ago(1))
    assert "Mêmes conditions." in page(stranger, first.code, second.code)


def test_addresses_of_servers_are_for_operators(client: Client) -> None:
    asked: list[dict[str, Any]] = [
        {"engine_kind": "url", "target_url": f"https://{name}.example/v1"} for name in ("one", "two")
    ]
    codes = [runs.change(made.measured((100.0,), **values), published_at=runs.ago(1)).code for values in asked]
    assert "https://one.example/v1" in page(client, *codes)
    text = page(Client(), *codes)
    assert "one.example" not in text and "masqué" in text


def test_a_probe_is_no_server(client: Client) -> None:
    probe = runs.queued()
    runs.change(
        probe, kind="probe", probe="gemm", engine_kind="", target_url="", status="succeeded", finished_at=runs.ago(1)
    )
    text = page(client, made.measured((100.0,)).code, probe.code)
    assert "Une sonde ne se compare pas à un serveur" in text and "<table" not in text


def test_every_condition_has_a_name_for_readers() -> None:
    run = made.measured((100.0,))
    assert set(comparepage.compared(run).conditions) <= set(comparepage.NAMES)


def test_a_null_character_in_the_address_is_a_run_that_does_not_exist(client: Client) -> None:
    """PostgreSQL takes no such text, not even to look for it."""
    slow, fast = made.measured(), made.measured(FASTER)
    assert "Mêmes conditions." in page(client, slow.code, "\x00", fast.code)
