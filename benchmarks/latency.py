"""The latency of a commercial API: a run of its server, published beside what the vendor claims.

One row a run: first token (median and 95th percentile) and time per token, at the run's lowest load, with the region
that the operator typed and the instant of the measurement. A run in open loop counts from the planned instant.
"""

from django.db import transaction
from django.utils import timezone

from benchmarks import eligibility
from benchmarks.eligibility import Weight
from benchmarks.models import BenchmarkRun, BenchmarkStep
from benchmarks.publishing import NotPublishableError
from calculator.models import ApiLatency, CatalogItem, ItemAlias

ANSWERS_MIN_COUNT = 20
"""Fewer answers have no 95th percentile worth the name."""


def api_of(run: BenchmarkRun) -> CatalogItem | None:
    """The API model of the catalogue that was asked, by its code or another of its names; None for any other server."""
    if not run.target_url:
        return None
    models = CatalogItem.objects.filter(kind=CatalogItem.Kind.LLM_MODEL)
    if found := models.filter(code__iexact=run.target_model).first():
        return found
    names = ItemAlias.objects.filter(alias=run.target_model.lower(), valid_from__lte=run.created_at)
    newest = names.select_related("item").order_by("-valid_from").first()
    return newest.item if newest else None


def lowest_step(run: BenchmarkRun) -> BenchmarkStep | None:
    """The complete step that asked the least of the server: latency under load is another question."""
    whole = run.steps.filter(complete=True, ttft_p50_ms__isnull=False, ttft_p95_ms__isnull=False)
    return whole.order_by("rate_per_s", "concurrency", "position").first()


def obstacle(run: BenchmarkRun) -> str:
    """Why a run's latency may not be published; empty when nothing stands against it."""
    step = lowest_step(run)
    against = {
        "not_succeeded": run.status != BenchmarkRun.Status.SUCCEEDED,
        "latency_not_an_api": api_of(run) is None,
        "withdrawn": run.withdrawn_at is not None,
        "latency_no_region": not run.target_region,
        "latency_few": step is None or (step.ok_count or 0) < ANSWERS_MIN_COUNT,
        "latency_partial": run.flag_partial,
    }
    barred = eligibility.raised(run, Weight.BARRING)
    return next((code for code, stands in against.items() if stands), next(iter(barred), ""))


@transaction.atomic
def publish(run_id: int) -> ApiLatency:
    """The run's latency as a row of the catalogue. A second call returns the same row and adds none."""
    run = BenchmarkRun.objects.select_for_update(of=("self",)).get(pk=run_id)
    if run.published_at and not run.withdrawn_at:
        return ApiLatency.objects.get(run=run.code)
    step, api = lowest_step(run), api_of(run)
    if code := obstacle(run):
        raise NotPublishableError(code)
    if step is None or api is None:
        raise NotPublishableError("latency_not_an_api")
    run.published_at = timezone.now()
    run.save(update_fields=["published_at"])
    return ApiLatency.objects.create(item=api, **values_of(run, step))


def values_of(run: BenchmarkRun, step: BenchmarkStep) -> dict[str, object]:
    """The columns of the row: what was seen, where, when, and at which lengths and load."""
    planned = step.rate_per_s is not None
    return {
        "kind": ApiLatency.Kind.MEASURED,
        "region": run.target_region,
        "measured_at": run.started_at,
        "as_of": timezone.localtime(run.started_at).date(),
        "ttft_p50_ms": step.ttft_planned_p50_ms if planned else step.ttft_p50_ms,
        "ttft_p95_ms": step.ttft_planned_p95_ms if planned else step.ttft_p95_ms,
        "tpot_p50_ms": step.tpot_p50_ms or None,
        "input_tokens": run.prompt_tokens,
        "output_tokens": run.output_tokens,
        "concurrency": None if planned else step.concurrency,
        "requests_count": step.ok_count,
        "label": "benchmark_run",
        "run": run.code,
        "published_at": run.published_at,
    }
