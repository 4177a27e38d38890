"""The form of a new measurement: repeats, ready-made measurements of the offer, time and cost before the start."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from benchmarks import engineform, forecast, presets, tasks, vllmconfig
from benchmarks.forms import INITIAL, RunForm
from benchmarks.models import BenchmarkRun
from tests import factories
from tests.benchmarks import runfactory as runs
from tests.benchmarks import seriesfactory as made

pytestmark = pytest.mark.django_db
GOOD = {"concurrencies": "4", "requests": "16", "prompt": "64", "output": "32"}


@pytest.fixture
def queue(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    sent: list[int] = []
    monkeypatch.setattr(tasks.measure, "apply_async_on_commit", lambda args, **_: sent.extend(args))
    return sent


@pytest.fixture(autouse=True)
def operator(client: Client) -> User:
    user = runs.operator()
    client.force_login(user)
    return user


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker of GPU-PRO is alive and has vLLM."""
    monkeypatch.setattr(engineform, "hosts", lambda: {"GPU-PRO": "0.14"})


def earlier(spent_s: float = 20.0) -> BenchmarkRun:
    """A run of 8 requests of 16 tokens at 1 and 4 streams, at 16 and 64 tok/s: steps of 9 and 3 s, 20 s in all.

    (8 + 1) · 16 ÷ 16 = 9 s; (8 + 4) · 16 ÷ 64 = 3 s; 8 s are left for starting and ending.
    """
    run = runs.succeeded((16.0, 64.0))
    end = runs.ago(100)
    return runs.change(run, started_at=runs.ago(100 + spent_s), finished_at=end)


def test_repeats_queue_one_run_each_in_their_order(client: Client, queue: list[int]) -> None:
    response = client.post("/fr/runs/start", GOOD | {"repeats": "5"})
    first, *others = BenchmarkRun.objects.order_by("repeat_number")
    assert response["Location"] == f"/fr/runs/{first.code}"
    assert queue == [first.pk, *(run.pk for run in others)]
    assert len(others) == 4 and all(run.parent == first for run in others)


def test_without_repeats_one_run_is_queued(client: Client, queue: list[int]) -> None:
    client.post("/fr/runs/start", GOOD)
    assert BenchmarkRun.objects.get().flag_single_run


@pytest.mark.parametrize("count", ["0", "11", "2.5", "x"])
def test_a_number_of_repeats_that_makes_no_sense_is_refused(client: Client, queue: list[int], count: str) -> None:
    assert client.post("/fr/runs/start", GOOD | {"repeats": count}).status_code == 422
    assert queue == []


def test_the_question_of_time_and_cost_starts_nothing(client: Client, queue: list[int]) -> None:
    response = client.post("/fr/runs/start", GOOD | {"forecast": "1", "repeats": "3"})
    text = response.content.decode()
    assert response.status_code == 200 and 'value="16"' in text
    assert "Durée inconnue avant une première mesure de ce genre" in text and "48\u00a0min 0\u00a0s au plus" in text
    assert (BenchmarkRun.objects.count(), queue) == (0, [])


def test_the_form_comes_with_the_forecast_of_its_first_values(client: Client) -> None:
    text = client.get("/fr/runs/new").content.decode()
    assert 'id="forecast"' in text and "Sans prix horaire connu pour cette machine" in text


def test_time_follows_from_the_newest_run_like_it() -> None:
    """(16 + 4) · 32 ÷ 64 = 10 s for the step and 8 s around it, twice."""
    run = earlier()
    found = forecast.forecast(replace(runs.CONFIG, concurrencies=(4,), requests_count=16, output_tokens=32), 2)
    assert found.seconds == pytest.approx(36.0, abs=0.01)
    assert found.from_code == run.code
    assert forecast.time_words(found) == f"Environ 36\u00a0s pour 2 exécutions, d’après la mesure {run.code}." or (
        "35\u00a0s" in forecast.time_words(found)
    )


def test_a_concurrency_that_was_not_measured_takes_the_rate_of_the_nearest() -> None:
    assert forecast.rate_near({1: 16.0, 4: 64.0}, 32) == 64.0
    assert forecast.rate_near({1: 16.0, 5: 64.0}, 3) == 16.0


def test_a_pace_lasts_as_long_as_its_requests() -> None:
    config = replace(runs.CONFIG, pattern="ramp", rates_per_s=(2.0, 4.0), requests_count=20, ramp_s=5.0)
    assert forecast.steps(config, {4: 64.0}) == [15.0, 10.0]


def test_a_step_of_a_set_length_takes_that_at_most() -> None:
    config = replace(runs.CONFIG, concurrencies=(1,), requests_count=100, output_tokens=100, duration_s=30.0)
    assert forecast.steps(config, {1: 10.0}) == [30.0]


def test_no_forecast_goes_beyond_the_time_limit() -> None:
    earlier()
    found = forecast.forecast(replace(runs.CONFIG, requests_count=512, output_tokens=512, hard_limit_s=60), 2)
    assert found.seconds == 120.0


def test_a_run_of_another_engine_or_offer_tells_nothing() -> None:
    earlier()
    assert forecast.forecast(replace(runs.CONFIG, sku_code="GPU-PRO"), 1).seconds is None


def test_the_cost_is_the_time_at_the_price_of_an_hour() -> None:
    """1.50 € · 960 s ÷ 3600 = 0.40 € a run at most; five of them 2 €."""
    made.offer()
    found = forecast.forecast(replace(runs.CONFIG, sku_code="GPU-PRO"), 5)
    assert (found.eur_per_h, found.eur) == (Decimal("1.5"), Decimal("2"))
    assert "Soit 2,00\u00a0€ au plus" in forecast.cost_words(found)
    known = replace(found, seconds=1200.0)
    assert known.eur == Decimal("0.5")
    assert "Soit 0,50\u00a0€, au prix de GPU-PRO" in forecast.cost_words(known)


def test_several_gpus_cost_as_many_instances() -> None:
    """Three GPUs of an offer of one: 3 · 1.50 € = 4.50 € an hour, named as a set."""
    made.offer()
    found = forecast.forecast(replace(runs.CONFIG, sku_code="GPU-PRO", gpus_count=3), 1)
    assert (found.sku, found.eur_per_h) == ("3\u00a0×\u00a0GPU-PRO", Decimal("4.5"))
    assert forecast.forecast(replace(runs.CONFIG, sku_code="GPU-PRO", gpus_count=1), 1).eur_per_h == Decimal("1.5")


def test_the_latest_end_leaves_vllm_the_time_to_load(settings: Any) -> None:
    """600 s to load, 900 s to measure, 60 s until it is killed."""
    settings.VLLM_START_S = 600
    config = vllmconfig.read("model: mistralai/Mistral-7B-v0.3")
    assert forecast.limit_of(replace(runs.CONFIG, vllm=config)) == 1560
    assert forecast.limit_of(runs.CONFIG) == 960
    assert forecast.limit_of(replace(runs.CONFIG, soft_limit_s=100)) == 160


def test_offers_without_a_worker_are_named_and_lead_nowhere(client: Client) -> None:
    made.offer()
    text = client.get("/fr/runs/new").content.decode()
    assert "GPU-PRO · aucun worker" in text and "?sku=GPU-PRO" not in text


def test_an_offer_with_a_worker_fills_the_form(client: Client, served: None) -> None:
    """24 GB · 0.7 = 16.8 GB: 7.25 G parameters at two bytes are 14.5 GB and fit."""
    _sku, model = made.offer()
    type(model).objects.filter(pk=model.pk).update(hf_id="mistralai/Mistral-7B-v0.3")
    text = client.get("/fr/runs/new?sku=GPU-PRO").content.decode()
    assert 'href="/fr/runs/new?sku=GPU-PRO" aria-current="true"' in text
    assert "model: mistralai/Mistral-7B-v0.3" in text and 'value="1, 4, 16, 32"' in text
    assert "Soit" in text and "GPU-PRO à l’heure" in text


def test_a_preset_is_a_form_that_can_be_sent(served: None) -> None:
    _sku, model = made.offer()
    type(model).objects.filter(pk=model.pk).update(hf_id="mistralai/Mistral-7B-v0.3")
    initial = presets.initial("GPU-PRO", INITIAL)
    form = RunForm({name: str(value) for name, value in initial.items()})
    assert form.is_valid(), form.errors
    assert (form.to_config().sku_code, form.repeats_count()) == ("GPU-PRO", 5)


def test_models_too_large_for_the_card_are_left_out(served: None) -> None:
    made.offer()
    large: dict[str, Any] = {"hf_id": "large", "params_total": 8_500_000_000}
    factories.make_language_model("large", **large)
    factories.make_language_model("small", hf_id="small", params_total=1_000_000_000)
    assert "model: small" in presets.config_of(next(sku for sku in presets.skus() if sku.code == "GPU-PRO"))


@pytest.mark.parametrize("code", ["GPU-OTHER", "<x>", "gpu-pro", ""])
def test_an_offer_that_nobody_serves_gives_the_usual_values(client: Client, served: None, code: str) -> None:
    made.offer()
    text = client.get("/fr/runs/new", {"sku": code}).content.decode()
    assert 'value="1, 2, 4, 8"' in text and "<x>" not in text


def test_without_a_catalogue_the_form_is_there_without_offers(client: Client) -> None:
    assert presets.offers() == []
    assert "Mesure type d’une offre" not in client.get("/fr/runs/new").content.decode()
