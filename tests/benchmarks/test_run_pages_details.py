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


def heated(run: BenchmarkRun, device: str, seconds: int, **values: Any) -> None:
    """Seconds of one device; its power rises by 1 W a second from 100."""
    TelemetrySecond.objects.bulk_create(
        TelemetrySecond(run=run, device=device, second=at, samples_count=5, power_w=100.0 + at, **values)
        for at in range(seconds)
    )


def curves(run: BenchmarkRun, language: str = "fr") -> dict[str, Any]:
    with translation.override(language):
        found: dict[str, Any] = context(run)["telemetry"]
    return found


def test_the_hardware_is_drawn_over_time_by_the_second_while_they_are_few() -> None:
    run = runs.succeeded()
    heated(run, "GPU-1", 60, temperature_c=50.0, utilisation_ratio=0.25)
    found = curves(run)
    assert (found["span_s"], found["columns"]) == (1, ["Puissance, W", "Température, °C", "Occupation, %"])
    power, heat, use = (each["figure"]["data"][0] for each in found["figures"])
    assert (power["x"][:3], power["y"][:3], power["y"][-1]) == ([0, 1, 2], [100.0, 101.0, 102.0], 159.0)
    assert set(heat["y"]) == {50.0} and set(use["y"]) == {25.0}
    for each in found["figures"]:
        go.Figure(each["figure"])


def test_a_long_run_is_drawn_in_means_of_equal_spans() -> None:
    """900 seconds in 60 points: 15 s each; the first is the mean of 100 … 114 W."""
    run = runs.succeeded()
    heated(run, "GPU-1", 900)
    found = curves(run)
    trace = found["figures"][0]["figure"]["data"][0]
    assert (found["span_s"], len(trace["x"]), trace["x"][1]) == (15, 60, 15)
    assert (trace["y"][0], trace["y"][-1]) == (107.0, 992.0)


def test_eight_gpus_keep_the_table_readable() -> None:
    """240 lines at most: 30 points for each of eight, 30 s each."""
    run = runs.succeeded()
    for number in range(8):
        heated(run, f"GPU-{number}", 900)
    found = curves(run)
    assert (found["span_s"], len(found["lines"])) == (30, 240)
    assert len(found["figures"][0]["figure"]["data"]) == 8


def test_the_table_holds_the_points_of_the_curves_in_both_languages(client: Client) -> None:
    run = runs.succeeded()
    heated(run, "GPU-1", 3, clock_mhz=1410.0)
    heated(run, "", 2)
    lines = curves(run)["lines"]
    assert [(line["second"], line["name"]) for line in lines[:2]] == [("0\u00a0s", "hôte"), ("1\u00a0s", "hôte")]
    assert lines[0]["values"] == ["100", "inconnu"]
    assert [line["values"] for line in lines[2:]] == [
        ["100", "1\u202f410"],
        ["101", "1\u202f410"],
        ["102", "1\u202f410"],
    ]
    english = page(client, run, "en")
    assert "Data of the curves" in english and "One point a second." in english and "Power, W" in english
    figure = json.loads(re.findall(r'id="telemetry-power-w" type="application/json">(.*?)</script>', english)[0])
    assert [trace["y"] for trace in figure["data"]] == [[100.0, 101.0], [100.0, 101.0, 102.0]]


def test_what_is_not_told_breaks_the_curve_and_is_never_zero() -> None:
    run = runs.succeeded()
    heated(run, "GPU-1", 3)
    TelemetrySecond.objects.filter(run=run, second=1).update(power_w=None)
    found = curves(run)
    assert found["figures"][0]["figure"]["data"][0]["y"] == [100.0, None, 102.0]
    assert [line["values"] for line in found["lines"]] == [["100"], ["inconnu"], ["102"]]


def test_a_device_that_never_tells_a_quantity_has_no_line_of_it() -> None:
    run = runs.succeeded()
    heated(run, "GPU-1", 3)
    TelemetrySecond.objects.create(run=run, device="", second=0, samples_count=5, utilisation_ratio=0.5)
    power, use = (each["figure"] for each in curves(run)["figures"])
    assert len(power["data"]) == len(use["data"]) == 1 and power["layout"]["annotations"] == []


def test_lines_are_named_where_there_are_several() -> None:
    run = runs.succeeded()
    for number in range(2):
        heated(run, f"GPU-{number}", 3)
        RunGpu.objects.create(run=run, uuid=f"GPU-{number}", index=number, name="A100", reserved_at=timezone.now())
    notes = curves(run)["figures"][0]["figure"]["layout"]["annotations"]
    assert [(note["text"], note["x"], note["y"]) for note in notes] == [("0 · A100", 2, 102.0), ("1 · A100", 2, 102.0)]


def test_one_second_is_no_curve() -> None:
    run = runs.succeeded()
    heated(run, "GPU-1", 1)
    assert set(curves(run)) == {"rows"}


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
