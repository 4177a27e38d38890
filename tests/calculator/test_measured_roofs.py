"""Published probes re-anchor the estimates of their own offer, and withdrawal returns to the calibration."""

import datetime as dt
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from calculator import catalog, figures
from calculator.domain.parallel_scenario import ParallelismScenario
from calculator.domain.provenance import Kind
from calculator.domain.serving_answer import InferenceEstimate, estimate
from calculator.domain.serving_scenario import InferenceScenario
from calculator.domain.tokens_scenario import TokensScenario
from calculator.domain.training_scenario import TrainingScenario
from calculator.models import CatalogItem, Figure
from calculator.reading.inference import for_inference
from calculator.reading.parallelism import for_parallelism
from calculator.reading.tokens import for_tokens
from calculator.reading.training import for_training

pytestmark = pytest.mark.django_db
UNITS = {"copy_bytes_per_s": "B/s", "bus_bytes_per_s": "B/s"}
A100_BYTES_PER_S = 2039e9


@pytest.fixture(autouse=True)
def catalogue(seeded: None) -> None:
    """The shipped catalogue."""


def published(code: str, metric: str, value: float, **values: Any) -> Figure:
    return Figure.objects.create(
        **{
            "sku": CatalogItem.objects.get(code=code),
            "metric": metric,
            "value": value,
            "unit": UNITS.get(metric, "FLOP/s"),
            "scope": "gpu",
            "kind": "measured",
            "label": "benchmark_run",
            "reference": "2026-0007",
            "run": "2026-0007",
            "as_of": dt.date(2026, 11, 30),
            "published_at": timezone.now() - dt.timedelta(seconds=5),
            **values,
        }
    )


def answered(sku: str = "GPU-TITAN", **values: Any) -> InferenceEstimate:
    scenario = InferenceScenario(catalog.latest_version(), timezone.now().replace(microsecond=0), sku=sku, **values)
    return estimate(scenario, for_inference(scenario))


def token_s(found: InferenceEstimate) -> float:
    assert found.speeds is not None
    return found.speeds.token_s.value


def test_a_slow_copy_slows_the_offer_it_was_measured_on() -> None:
    """Half of the sheet's bandwidth where the calibration reads at more than three quarters of it."""
    before = answered()
    published("GPU-TITAN", "copy_bytes_per_s", 0.5 * A100_BYTES_PER_S)
    after = answered()
    assert token_s(after) > 1.2 * token_s(before)
    assert any(step.code == "serve_memory_roof" for step in after.steps)
    assert not any(step.code == "serve_memory_roof" for step in before.steps)


def test_another_offer_with_the_same_card_keeps_the_calibration() -> None:
    """GPU-SUPERCOMPUTE has the very A100 of GPU-TITAN; nobody probed it."""
    before = answered("GPU-SUPERCOMPUTE")
    published("GPU-TITAN", "copy_bytes_per_s", 0.5 * A100_BYTES_PER_S)
    assert token_s(answered("GPU-SUPERCOMPUTE")) == token_s(before)
    assert token_s(answered("GPU-PRO")) > 0


def test_withdrawal_returns_to_the_estimate() -> None:
    before = token_s(answered())
    figure = published("GPU-TITAN", "copy_bytes_per_s", 0.5 * A100_BYTES_PER_S)
    assert token_s(answered()) != before
    Figure.objects.filter(pk=figure.pk).update(withdrawn_at=timezone.now())
    later = timezone.now() + dt.timedelta(seconds=2)
    scenario = InferenceScenario(catalog.latest_version(), later.replace(microsecond=0), sku="GPU-TITAN")
    assert token_s(estimate(scenario, for_inference(scenario))) == before


def test_an_old_link_keeps_the_roof_of_its_instant() -> None:
    then = timezone.now().replace(microsecond=0) - dt.timedelta(days=1)
    published("GPU-TITAN", "copy_bytes_per_s", 0.5 * A100_BYTES_PER_S)
    known = figures.current()
    assert known.roofs(then) == {}
    assert set(known.roofs(timezone.now())) == {"GPU-TITAN"}


def test_the_newest_roof_wins_and_bf16_goes_before_fp16() -> None:
    earlier = timezone.now() - dt.timedelta(hours=1)
    published("GPU-TITAN", "copy_bytes_per_s", 1.0e12, published_at=earlier)
    published("GPU-TITAN", "copy_bytes_per_s", 1.6e12)
    published("GPU-TITAN", "gemm_fp16_flop_per_s", 2.4e14)
    published("GPU-TITAN", "gemm_bf16_flop_per_s", 2.5e14)
    found = figures.current().roofs(timezone.now())["GPU-TITAN"]
    assert found.copy_bytes_per_s is not None and found.copy_bytes_per_s.value == 1.6e12
    assert found.half_flop_per_s is not None and found.half_flop_per_s.value == 2.5e14
    assert found.copy_bytes_per_s.kind is Kind.MEASURED and found.copy_bytes_per_s.reference == "2026-0007"


def test_a_figure_of_the_test_host_is_nobodys_roof() -> None:
    published("CPU-LOCAL", "copy_bytes_per_s", 1e10)
    assert figures.current().roofs(timezone.now()) == {}


def test_roofs_are_no_throughputs() -> None:
    count = len(figures.current().standing(timezone.now()))
    published("GPU-TITAN", "copy_bytes_per_s", 1.6e12)
    figures.forget()
    assert len(figures.current().standing(timezone.now())) == count


def test_every_calculator_reads_the_roofs_of_its_offer() -> None:
    published("GPU-TITAN", "copy_bytes_per_s", 1.6e12)
    version, at = catalog.latest_version(), timezone.now().replace(microsecond=0)
    training = for_training(TrainingScenario(catalog_version=version, at=at, sku="GPU-TITAN"))
    parallel = for_parallelism(ParallelismScenario(version, at, sku="GPU-TITAN"))
    offers = for_tokens(TokensScenario(version, at, sku="GPU-TITAN")).offers
    assert set(training.roofs) == {"GPU-TITAN"}
    assert parallel.gpu.roofs is not None
    assert [offer.sku.code for offer in offers if offer.gpu is not None and offer.gpu.roofs] == ["GPU-TITAN"]


def test_a_bare_data_sheet_has_no_measured_roof() -> None:
    published("GPU-TITAN", "copy_bytes_per_s", 1.6e12)
    found = answered(gpu="A100-SXM-80GB")
    assert found.chosen.layout is not None and found.chosen.layout.deployment.gpu.roofs is None


@pytest.mark.parametrize(("language", "word"), [("fr", "mesur"), ("en", "measured")])
def test_the_page_shows_the_roof_with_its_badge_and_its_run(client: Client, language: str, word: str) -> None:
    published("GPU-TITAN", "copy_bytes_per_s", 1.6e12)
    response = client.get(f"/{language}/inference/?form=1&sku=GPU-TITAN", follow=True)
    text = response.content.decode()
    assert response.status_code == 200
    assert f"/{language}/runs/2026-0007" in text and word in text.lower()
