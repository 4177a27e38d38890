"""The latency of a commercial API: which runs may publish one, what the row holds, and where it is shown."""

import dataclasses
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation

from benchmarks import latency, latencypage, publicationwords, publishing, services
from benchmarks.load.targets import Target
from benchmarks.models import BenchmarkRun
from calculator.models import ApiLatency, CatalogItem
from tests.benchmarks import runfactory as runs
from tests.factories import START, make_alias, make_api

pytestmark = pytest.mark.django_db


@pytest.fixture
def api() -> CatalogItem:
    return make_api("api-large")


def measured(model: str = "api-large", region: str = "eu-west-3", rates: Any = (), **values: Any) -> BenchmarkRun:
    """A run of that API that has ended well, with 64 answers a step; the first step's percentiles are the lower."""
    target = Target("https://api.example.com/v1", "chat", model)
    load: dict[str, Any] = {"rates_per_s": rates, "pattern": "poisson"} if rates else {}
    run = services.create_run(dataclasses.replace(runs.CONFIG, target=target, region=region, **load), None)
    assert services.claim(run.pk, "celery@here")
    for position, ttft in ((1, 200.0), (2, 350.0)):
        runs.with_step(
            run, position, 50.0, ok_count=64, measured_count=64, ttft_p50_ms=ttft, ttft_p95_ms=ttft * 2,
            tpot_p50_ms=12.5, ttft_planned_p50_ms=ttft + 5, ttft_planned_p95_ms=ttft * 2 + 5,
        )  # fmt: skip
    services.finish(run.pk, "succeeded")
    run.refresh_from_db()
    return runs.change(run, **values)


def refusal(run: BenchmarkRun) -> str:
    with pytest.raises(publishing.NotPublishableError) as caught:
        latency.publish(run.pk)
    return caught.value.code


def test_the_row_holds_the_lowest_load_with_region_and_instant(api: CatalogItem) -> None:
    run = measured()
    row = latency.publish(run.pk)
    assert (row.item, row.kind, row.region, row.run) == (api, "measured", "eu-west-3", run.code)
    assert (row.ttft_p50_ms, row.ttft_p95_ms, row.tpot_p50_ms) == (200.0, 400.0, 12.5)
    assert (row.measured_at, row.concurrency, row.requests_count) == (run.started_at, 1, 64)
    assert (row.input_tokens, row.output_tokens) == (128, 16)
    run.refresh_from_db()
    assert run.published_at == row.published_at


def test_in_open_loop_the_wait_before_sending_counts(api: CatalogItem) -> None:
    row = latency.publish(measured(rates=(2.0, 4.0)).pk)
    assert (row.ttft_p50_ms, row.ttft_p95_ms, row.concurrency) == (205.0, 405.0, None)


def test_published_twice_it_is_one_row(api: CatalogItem) -> None:
    run = measured()
    assert latency.publish(run.pk) == latency.publish(run.pk)
    assert ApiLatency.objects.count() == 1


def test_another_name_of_the_model_is_the_model(api: CatalogItem) -> None:
    make_alias(api, "vendor/large-2026", START)
    assert latency.publish(measured("Vendor/Large-2026").pk).item == api
    assert latency.api_of(measured("API-Large")) == api


def test_what_may_not_be_published_says_why(api: CatalogItem) -> None:
    assert refusal(measured("unheard-of")) == "latency_not_an_api"
    assert refusal(runs.succeeded()) == "latency_not_an_api"
    assert refusal(measured(region="")) == "latency_no_region"
    assert refusal(measured(flag_partial=True)) == "latency_partial"
    assert refusal(measured(flag_client_bound=True)) == "client_bound"
    assert refusal(measured(flag_server_disagrees=True)) == "server_disagrees"
    few = measured()
    few.steps.update(ok_count=19, measured_count=19)
    assert refusal(few) == "latency_few"
    few.steps.update(ok_count=20, measured_count=20)
    assert latency.obstacle(few) == ""


def test_a_run_that_is_not_over_has_no_latency(api: CatalogItem) -> None:
    target = Target("https://api.example.com/v1", "chat", "api-large")
    run = services.create_run(dataclasses.replace(runs.CONFIG, target=target, region="eu"), None)
    assert refusal(run) == "not_succeeded"
    assert latencypage.context(run) is None


def test_withdrawn_it_stays_so(api: CatalogItem) -> None:
    run = measured()
    latency.publish(run.pk)
    assert publishing.withdraw(run.pk) == 1
    assert ApiLatency.objects.get().withdrawn_at is not None
    assert refusal(run) == "withdrawn"
    assert publishing.withdraw(run.pk) == 0


@pytest.mark.parametrize(
    "code",
    ["not_succeeded", "withdrawn", "latency_not_an_api", "latency_no_region", "latency_few", "latency_partial",
     "client_bound", "anything"],
)  # fmt: skip
def test_each_refusal_has_its_sentence_in_both_languages(code: str) -> None:
    with translation.override("en"):
        english = publicationwords.refusal(code)
    with translation.override("fr"):
        assert publicationwords.refusal(code) != english


def test_an_operator_publishes_and_withdraws_on_the_runs_page(client: Client, api: CatalogItem) -> None:
    run = measured()
    address, publish = reverse("run", args=[run.code]), reverse("latency-publish", args=[run.code])
    assert client.post(publish).status_code == 302
    client.force_login(runs.operator())
    assert 'id="publish-latency"' in client.get(address).text
    page = client.post(publish, follow=True).text
    assert "Délai publié" in page and 'id="publish-latency"' not in page
    assert "retirée" in client.post(reverse("run-withdraw", args=[run.code]), follow=True).text
    assert ApiLatency.objects.get().withdrawn_at is not None


def test_a_refused_latency_is_a_sentence(client: Client, api: CatalogItem) -> None:
    run = measured(region="")
    client.force_login(runs.operator())
    assert "région" in client.get(reverse("run", args=[run.code])).text
    assert "région" in client.post(reverse("latency-publish", args=[run.code]), follow=True).text
    assert ApiLatency.objects.count() == 0
