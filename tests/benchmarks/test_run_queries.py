"""What the pages read: one view of a run, in order, with nothing of its neighbours."""

from typing import Any

import pytest
from django.http import Http404
from django.utils import timezone

from benchmarks import pagestate, publicationwords, queries, runlist
from tests.benchmarks import runfactory as runs

pytestmark = pytest.mark.django_db


def test_a_view_holds_its_own_steps_seconds_and_failures_only() -> None:
    other = runs.queued()
    runs.tick(other.steps.get(position=1))
    runs.sample(other.steps.get(position=1), error_kind="timeout")
    run = runs.running()
    first, second = run.steps.all()
    later, sooner = runs.tick(second), runs.tick(first)
    view = queries.run_view(run.code)
    assert [step.concurrency for step in view.steps] == [1, 4]
    assert [tick.pk for tick in view.ticks] == [later.pk, sooner.pk]
    assert view.errors == {}


def test_failures_of_the_warm_up_are_not_listed() -> None:
    run = runs.running()
    step = run.steps.get(position=1)
    runs.sample(step, 0, error_kind="timeout", warm_up=True)
    runs.sample(step, 1, error_kind="truncated")
    assert queries.run_view(run.code).errors == {"truncated": 1}


def test_who_goes_before_counts_live_runs_only() -> None:
    runs.ended("failed")
    runs.running()
    first, second = runs.queued(), runs.queued()
    assert queries.ahead_of(first) == 1
    assert queries.ahead_of(second) == 2
    assert queries.ahead_of(runs.BenchmarkRun.objects.get(status="running")) == 0


def test_only_whole_steps_with_a_rate_count_as_figures() -> None:
    run = runs.succeeded()
    assert queries.run_view(run.code).figures_count == 2
    run.steps.filter(position=1).update(output_tok_per_s=None)
    assert queries.run_view(run.code).figures_count == 1
    run.steps.update(complete=False)
    assert queries.run_view(run.code).figures_count == 0


@pytest.mark.parametrize("code", ["", "2026-0001", "'; DROP TABLE", "é"])
def test_an_unknown_code_is_not_found(code: str) -> None:
    with pytest.raises(Http404):
        queries.run_view(code)
    with pytest.raises(Http404):
        queries.run_id(code)


def test_requests_come_in_the_order_of_their_steps() -> None:
    run = runs.queued()
    first, second = run.steps.all()
    for step, number in ((second, 0), (first, 1), (first, 0)):
        runs.sample(step, number)
    assert [(found.step.position, found.number) for found in queries.samples(run)] == [(1, 0), (1, 1), (2, 0)]


def test_the_list_comes_in_pages_newest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runlist, "PAGE_COUNT", 2)
    codes = [runs.queued().code for _ in range(3)]
    assert [run.code for run in runlist.listing({}, True).page] == codes[:0:-1]
    assert [run.code for run in runlist.listing({"page": "2"}, True).page] == codes[:1]


REFUSALS = "not_succeeded withdrawn no_rate no_sku no_model gates repeat repeats_live imported probe target open_loop "
REFUSALS += (
    "client_bound prefix_cache_warm server_disagrees foreign_process ecc_errors probe_cpu probe_no_sku probe_noisy "
)
REFUSALS += "probe_no_roof probe_other_gpu probe_refused probe_unchecked probe_unproven latency_not_an_api latency_few "
REFUSALS += "latency_no_region latency_partial"


def test_each_refusal_is_a_sentence_of_its_own_wherever_it_is_said() -> None:
    said = {code: publicationwords.refusal(code) for code in REFUSALS.split()}
    assert all(sentence.endswith(".") for sentence in said.values())
    assert len(set(said.values())) == len(said) and publicationwords.refusal("nonsense") not in said.values()


def test_a_page_shows_progress_or_result_never_both() -> None:
    live: Any = pagestate.run_context(queries.run_view(runs.running().code), may_operate=True)
    assert "stages" in live and "rows" not in live
    runs.services.finish(live["run"].pk, "cancelled")
    done: Any = pagestate.run_context(queries.run_view(live["run"].code), may_operate=True)
    assert "rows" in done and "stages" not in done
    assert not done["publishable"] and not done["published"]


def test_what_is_published_is_not_offered_again() -> None:
    run = runs.succeeded()
    assert pagestate.run_context(queries.run_view(run.code), may_operate=True)["publishable"]
    runs.change(run, published_at=timezone.now())
    context = pagestate.run_context(queries.run_view(run.code), may_operate=True)
    assert context["published"] and not context["publishable"]
    runs.change(run, withdrawn_at=timezone.now())
    context = pagestate.run_context(queries.run_view(run.code), may_operate=True)
    assert not context["published"] and not context["publishable"]
