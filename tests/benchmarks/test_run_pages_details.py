"""Below the result: seconds, distribution of the delays, hardware; each with its table, unknown as a word."""

import json
import re
from typing import Any

import plotly.graph_objects as go
import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone, translation

from benchmarks import details, queries, series
from benchmarks.models import BenchmarkRun, RunGpu, TelemetrySecond
from tests.benchmarks import runfactory as runs

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def operator(client: Client) -> User:
    user = runs.operator()
    client.force_login(user)
    return user


def page(client: Client, run: BenchmarkRun, language: str = "fr") -> str:
    response = client.get(f"/{language}/runs/{run.code}")
    assert response.status_code == 200
    return str(response.content.decode())


def context(run: BenchmarkRun) -> dict[str, Any]:
    return details.context(queries.run_view(run.code))


def measured() -> BenchmarkRun:
    """One step with TTFTs of 1 to 100 ms and seconds of 100 to 1000 tok/s."""
    run = runs.succeeded()
    step = run.steps.get(position=2)
    step.samples.all().delete()
    for number in range(100):
        runs.sample(step, number, ttft_ms=float(number + 1))
    runs.sample(step, 100, ttft_ms=9999.0, warm_up=True)
    runs.sample(step, 101, ttft_ms=9999.0, error_kind="truncated")
    for place in range(10):
        runs.tick(step, 100.0 * (place + 1))
    runs.tick(step, 9999.0, warming_up=True)
    return run


def test_seconds_show_the_slow_end_the_middle_and_the_best(client: Client) -> None:
    """100, 200 … 1000: p10 at rank 0.9 is 190, p50 at rank 4.5 is 550. Warm-up is left out."""
    (row,) = context(measured())["seconds"]["rows"]
    assert (row["load"], row["count"], row["p10"], row["p50"], row["high"]) == (
        "4 flux",
        "10",
        "190",
        "550",
        "1\u202f000",
    )


def test_the_title_of_the_seconds_is_what_they_found() -> None:
    assert context(measured())["seconds"]["title"] == "Une seconde sur deux à 550\u00a0tok/s ou plus"


def test_the_distribution_leaves_out_warm_up_and_failures() -> None:
    """1 … 100 ms: p10 at rank 9.9 is 10.9, p90 at rank 89.1 is 90.1, p99 at rank 98.01 is 99.01."""
    found = context(measured())["distribution"]
    row = found["rows"][-1]
    assert (row["low"], row["high"], row["p99"]) == ("1,00\u00a0ms", "100\u00a0ms", "99,0\u00a0ms")
    assert row["places"] == [f"{value}\u00a0ms" for value in ("10,9", "25,8", "50,5", "75,3", "90,1", "95,1")]
    assert found["title"] == "À 4 flux, huit premiers tokens sur dix arrivent entre 10,9\u00a0ms et 90,1\u00a0ms"


def test_p99_needs_a_hundred_requests() -> None:
    row = context(runs.succeeded())["distribution"]["rows"][0]
    assert row["p99"] == "n < 100"


def test_boxes_carry_five_numbers_and_are_a_figure_that_plotly_knows() -> None:
    figure = context(measured())["distribution"]["figure"]
    go.Figure(figure)
    (trace,) = figure["data"]
    assert (trace["lowerfence"][-1], trace["q1"][-1], trace["median"][-1]) == (10.9, 25.75, 50.5)
    assert "y" not in trace


def test_chart_and_table_show_the_same_middle(client: Client) -> None:
    text = page(client, measured())
    figure = json.loads(re.findall(r'id="distribution-figure" type="application/json">(.*?)</script>', text)[0])
    assert figure["data"][0]["median"][-1] == 50.5 and "50,5\u00a0ms" in text


@pytest.mark.parametrize(
    ("language", "words"),
    [("fr", ("Matériel pendant la mesure", "hôte")), ("en", ("Hardware during the benchmark", "host"))],
)
def test_hardware_is_a_row_a_device_and_what_it_does_not_tell_is_a_word(
    client: Client, language: str, words: tuple[str, str]
) -> None:
    """Power 300 and 400 W: 350; temperature 61 and 64 °C: 64; 36 kJ; a tenth of the time held down."""
    run = runs.succeeded()
    RunGpu.objects.create(
        run=run, uuid="GPU-1", index=0, name="A100", reserved_at=timezone.now(), energy_j=36_000.0, throttled_ratio=0.1
    )
    for second, (power, heat) in enumerate(((300.0, 61.0), (400.0, 64.0))):
        TelemetrySecond.objects.create(
            run=run, device="GPU-1", second=second, samples_count=5, power_w=power, temperature_c=heat
        )
    TelemetrySecond.objects.create(run=run, device="", second=0, samples_count=5, utilisation_ratio=0.5)
    text = page(client, run, language)
    assert all(word in text for word in words)
    with translation.override("fr"):
        gpu = next(row for row in context(run)["telemetry"]["rows"] if row["name"] == "0 · A100")
    assert (gpu["power"], gpu["temperature"], gpu["energy"], gpu["throttled"]) == (
        "350\u00a0W",
        "64,0\u00a0°C",
        "36,0\u00a0kJ",
        "10\u00a0%",
    )
    assert (gpu["clock"], gpu["utilisation"]) == ("inconnu", "inconnu")


def test_a_run_without_seconds_or_telemetry_has_no_such_section(client: Client) -> None:
    text = page(client, runs.succeeded())
    assert 'id="seconds"' not in text and 'id="telemetry"' not in text


def test_a_series_under_way_can_be_cancelled_as_a_whole(client: Client) -> None:
    first, second, _third = series.create(runs.CONFIG, None, 3)
    text = page(client, second)
    assert "Annuler la série" in text
    client.post(f"/fr/runs/{second.code}/cancel", {"series": "1"})
    assert set(BenchmarkRun.objects.values_list("status", flat=True)) == {"cancelled"}
    assert "Annuler la série" not in page(client, first)


def test_cancelling_one_repeat_leaves_the_others(client: Client) -> None:
    first, second, third = series.create(runs.CONFIG, None, 3)
    client.post(f"/fr/runs/{third.code}/cancel")
    for run in (first, second, third):
        run.refresh_from_db()
    assert [run.status for run in (first, second, third)] == ["queued", "queued", "cancelled"]
