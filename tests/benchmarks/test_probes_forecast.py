"""What a probe will take before it starts: the newest like it, figure by figure, at the price of its offer."""

import datetime as dt
from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from benchmarks import forecast, probeforecast, tasks
from benchmarks.models import BenchmarkRun
from benchmarks.probeorders import ProbeConfig
from tests import factories
from tests.benchmarks import runfactory as runs
from tests.benchmarks import seriesfactory as made
from tests.benchmarks.probefactory import probe_run, reading

pytestmark = pytest.mark.django_db
ON_GPU = ProbeConfig("gemm", sku_code="GPU-PRO", gpus_count=1)


@pytest.fixture(autouse=True)
def offered() -> None:
    """GPU-PRO at 1.50 € an hour."""
    made.offer()


@pytest.fixture
def operator(client: Client, monkeypatch: pytest.MonkeyPatch) -> User:
    monkeypatch.setattr(tasks, "submit", lambda run: None)
    user = runs.operator()
    client.force_login(user)
    return user


def earlier(spent_s: float = 200.0, figures: int = 3, seconds: float | None = None, **values: object) -> BenchmarkRun:
    """A probe that took 200 s for three figures."""
    now = timezone.now()
    known = {"started_at": now - dt.timedelta(seconds=spent_s), "finished_at": now, "sku_code": "GPU-PRO"}
    run = probe_run("gemm", "succeeded", settings={"seconds": seconds}, **(known | {"gpus_count": 1} | values))
    for _number in range(figures):
        reading(run)
    return run


def test_before_any_like_it_only_the_limit_is_known() -> None:
    """An hour and a minute to be killed in; the price of an offer that has none is not known."""
    found = probeforecast.forecast_of(ProbeConfig("membw"))
    assert (found.seconds, found.limit_s, found.eur) == (None, 3660.0, None)
    assert "61\u00a0min 0\u00a0s au plus" in forecast.time_words(found)


def test_the_newest_like_it_tells_the_time() -> None:
    run = earlier()
    found = probeforecast.forecast_of(ON_GPU)
    assert found.seconds == pytest.approx(200.0, abs=0.01) and found.from_code == run.code


def test_each_figure_takes_as_much_longer_as_is_asked() -> None:
    """Three figures of 90 s in place of the usual 30: 200 + 3 · 60 = 380 s; of 10 s: 200 − 3 · 20 = 140 s."""
    earlier()
    for seconds, expected in ((90.0, 380.0), (10.0, 140.0)):
        found = probeforecast.forecast_of(ProbeConfig("gemm", "GPU-PRO", 1, seconds=seconds))
        assert found.seconds == pytest.approx(expected, abs=0.01)


def test_what_the_earlier_one_was_asked_counts() -> None:
    """It measured 5 s a figure: 20 + 3 · 25 = 95 s for the usual 30."""
    earlier(20.0, seconds=5.0)
    assert probeforecast.forecast_of(ON_GPU).seconds == pytest.approx(95.0, abs=0.01)


def test_no_forecast_is_negative_or_beyond_the_limit() -> None:
    earlier(10.0)
    assert probeforecast.forecast_of(ProbeConfig("gemm", "GPU-PRO", 1, seconds=1.0)).seconds == 0.0
    assert probeforecast.forecast_of(ProbeConfig("gemm", "GPU-PRO", 1, seconds=600.0)).seconds == pytest.approx(1720.0)
    earlier(3000.0)
    assert probeforecast.forecast_of(ProbeConfig("gemm", "GPU-PRO", 1, seconds=600.0)).seconds == 3660.0


@pytest.mark.parametrize(
    "asked",
    [
        ProbeConfig("membw", "GPU-PRO", 1),
        ProbeConfig("gemm", "GPU-PRO", 2),
        ProbeConfig("gemm", "", 1),
        ProbeConfig("gemm", "GPU-PRO", 1, dtypes="bf16"),
        ProbeConfig("gemm", "GPU-PRO", 1, config="tiny"),
    ],
)
def test_another_probe_place_or_setting_tells_nothing(asked: ProbeConfig) -> None:
    earlier()
    assert probeforecast.forecast_of(asked).seconds is None


def test_a_probe_that_failed_tells_nothing() -> None:
    runs.change(earlier(), status="failed")
    assert probeforecast.forecast_of(ON_GPU).seconds is None


def test_the_cost_is_the_time_at_the_price_of_an_hour() -> None:
    """1.50 €/h: the limit of 3 660 s is 1.525 €, 200 s are 0.083 €."""
    assert probeforecast.forecast_of(ON_GPU).eur == Decimal("1.525")
    earlier(240.0)
    found = probeforecast.forecast_of(ON_GPU)
    assert found.eur is not None and round(found.eur, 3) == Decimal("0.100")
    assert probeforecast.forecast_of(ProbeConfig("gemm", "GPU-PRO", 3)).eur_per_h == Decimal("4.5")


def test_this_host_is_probed_without_a_price() -> None:
    factories.make_sku("CPU-LOCAL", is_test_host=True)
    run = earlier(sku_code="", gpus_count=0, spent_s=9.0, figures=1)
    found = probeforecast.forecast_of(ProbeConfig("gemm", sku_code="CPU-LOCAL"))
    assert (found.from_code, found.eur) == (run.code, None)


@pytest.mark.parametrize(
    ("language", "words"),
    [("fr", ("Durée inconnue", "Sans prix horaire")), ("en", ("Time unknown", "Without a known hourly price"))],
)
def test_the_form_comes_with_a_forecast_and_the_question_starts_nothing(
    client: Client, operator: User, language: str, words: tuple[str, str]
) -> None:
    first = client.get(f"/{language}/runs/probe").content.decode()
    asked = {"probe": "gemm", "sku": "", "gpus": "0", "seconds": "2", "forecast": "1"}
    response = client.post(f"/{language}/runs/probe/start", asked)
    again = response.content.decode()
    assert response.status_code == 200 and BenchmarkRun.objects.count() == 0
    for text in (first, again):
        assert 'id="forecast"' in text and all(word.casefold() in text.casefold() for word in words)
    assert 'value="2"' in again


def test_a_question_that_cannot_be_read_comes_back_with_its_sentence(client: Client, operator: User) -> None:
    response = client.post("/fr/runs/probe/start", {"probe": "gemm", "gpus": "x", "forecast": "1"})
    text = response.content.decode()
    assert response.status_code == 422 and 'id="forecast"' not in text and 'class="err"' in text
