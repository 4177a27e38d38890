"""What the page of a run says of its latency: the row it would publish, or why it cannot."""

from typing import Any

from django.urls import reverse

from benchmarks import latency, publicationwords
from benchmarks.models import BenchmarkRun


def context(run: BenchmarkRun) -> dict[str, Any] | None:
    """None for a run that measured no API of the catalogue."""
    api = latency.api_of(run)
    if api is None or run.status != BenchmarkRun.Status.SUCCEEDED:
        return None
    published = run.published_at is not None and run.withdrawn_at is None
    why_not = "" if published else latency.obstacle(run)
    return {
        "model": api.code,
        "region": run.target_region,
        "published": published,
        "publishable": not published and not why_not,
        "why_not": publicationwords.refusal(why_not) if why_not else "",
        "href": reverse("prices"),
    }
