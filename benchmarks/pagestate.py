"""What the run templates get: every sentence, row and figure ready to print."""

from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils import timezone

from benchmarks import (
    charts,
    details,
    enginepage,
    flagwords,
    fleet,
    foreignwords,
    latencypage,
    presenters,
    probepage,
    publicationwords,
    publishing,
    results,
    runlist,
    selfchecks,
    seriespage,
    wording,
)
from benchmarks.models import BenchmarkRun
from benchmarks.queries import RunView
from calculator import formats

POLL_S = 2
POLL_LATER_S = 5
POLL_LATER_AFTER_S = 60


def list_context(found: runlist.Listing, may_operate: bool) -> dict[str, Any]:
    return {"rows": presenters.list_rows(list(found.page)), **runlist.context(found, may_operate)}


def template_of(view: RunView) -> str:
    """A probe has figures of its GPUs where a served run has steps: each has a page of its own."""
    return "benchmarks/probe.html" if view.run.kind == BenchmarkRun.Kind.PROBE else "benchmarks/run.html"


def run_context(view: RunView, *, may_operate: bool, may_approve: bool = False) -> dict[str, Any]:
    """Everything the page of one run shows; the live part or the result, never both."""
    run = view.run
    if run.kind == BenchmarkRun.Kind.PROBE:
        return probepage.context(view, may_operate=may_operate)
    common = {
        "run": run,
        "title": presenters.title(view),
        "live": view.live,
        "tag": wording.TAGS[run.status],
        "status": wording.status_word(run.status),
        "conditions": presenters.conditions(run),
        "trouble": wording.trouble(view),
        "may_operate": may_operate,
        "environment": results.environment(run) if run.started_at else [],
        "imported": foreignwords.facts(run) if run.import_tool else [],
        "definition": foreignwords.definition(run.import_definition),
        "target": results.target_facts(run, may_operate=may_operate),
        "flags": flagwords.flags(run),
        **enginepage.context(run, may_operate=may_operate),
    }
    series = seriespage.context(view, may_operate=may_operate, may_approve=may_approve)
    return common | series | (live_context(view) if view.live else result_context(view))


def live_context(view: RunView) -> dict[str, Any]:
    now = timezone.now()
    age_s = (now - view.run.created_at).total_seconds()
    return {
        "poll_s": POLL_S if age_s < POLL_LATER_AFTER_S else POLL_LATER_S,
        "percent": int(presenters.progress_ratio(view) * 100),
        "percent_text": formats.percent(presenters.progress_ratio(view)),
        "position": presenters.position_words(view),
        "elapsed": presenters.elapsed(view, now),
        "stages": presenters.stages(view),
        "log": presenters.log(view),
        "facts": presenters.now_facts(view),
        "live_rate": wording.tok_per_s(view.ticks[-1].tok_per_s) if view.ticks else "",
        "live_figure": charts.live_rate(view),
        "cancelling": view.run.cancel_requested_at is not None,
    }


def result_context(view: RunView) -> dict[str, Any]:
    run = view.run
    obstacle = publishing.obstacle(run)
    return details.context(view) | {
        "headline": results.headline(view),
        "stats": results.stats(view),
        "pace_rows": [] if run.import_tool else results.pace_rows(view),
        "goodput": results.goodput_words(view),
        "search_words": results.search_words(run),
        "rows": results.step_rows(view) if run.import_tool or any(step.measured_count for step in view.steps) else [],
        "errors": results.error_rows(view.errors),
        "figure": charts.rate_and_latency(view),
        "published": run.published_at is not None and run.withdrawn_at is None,
        "publishable": not obstacle and run.published_at is None and view.figures_count > 0,
        "ineligible": publicationwords.refusal(obstacle) if run.status == "succeeded" and obstacle else "",
        "self_checks": [] if run.import_tool else selfchecks.sentences(view.steps),
        "figures_count": view.figures_count,
        **published_hrefs(run),
        "latency": latencypage.context(run),
    }


def published_hrefs(run: BenchmarkRun) -> dict[str, str]:
    """Where what a run published is shown: the price page for an API, both calculators of serving for an offer."""
    if run.target_url:
        return {"calculator_href": reverse("prices"), "inference_href": ""}
    host = None if run.sku_code or run.published_at is None else fleet.own_host()
    code = host.code if host else run.sku_code
    asked = urlencode({"sku": code, "model": run.model_name})
    return {
        "calculator_href": f"{reverse('economics')}?sku={code}",
        "inference_href": f"{reverse('inference')}?{asked}",
    }
