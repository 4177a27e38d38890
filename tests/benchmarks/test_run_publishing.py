"""A finished run becomes figures once, with every condition, and can be taken back."""

import datetime as dt

import pytest
from django.utils import timezone

from benchmarks import publishing
from calculator import catalog
from calculator.domain.provenance import Kind
from calculator.models import CatalogItem, Figure, LanguageModel
from tests import factories
from tests.benchmarks import runfactory as runs

pytestmark = pytest.mark.django_db


@pytest.fixture
def host() -> CatalogItem:
    return factories.make_sku("CPU-LOCAL", is_test_host=True)


def test_each_step_becomes_a_figure_with_its_conditions(host: CatalogItem) -> None:
    run = runs.succeeded()
    single, four = publishing.publish(run.pk)
    assert (single.value, single.concurrency, single.single_stream) == (1000.0, 1, True)
    assert (four.value, four.concurrency, four.single_stream) == (2500.0, 4, False)
    for figure in (single, four):
        assert (figure.kind, figure.unit, figure.metric, figure.scope) == (
            "measured",
            "tok/s",
            "output_tok_per_s",
            "instance",
        )
        assert figure.test_model and figure.run == figure.reference == run.code
        assert (figure.input_tokens, figure.output_tokens, figure.precision) == (128, 16, "fp16")
        assert figure.engine == "llama.cpp (xllamacpp 2026.10)"
        assert figure.sku == host


def test_publishing_twice_leaves_one_set_of_figures(host: CatalogItem) -> None:
    run = runs.succeeded()
    first, second = publishing.publish(run.pk), publishing.publish(run.pk)
    assert [figure.pk for figure in first] == [figure.pk for figure in second]
    assert Figure.objects.count() == 2


def test_the_test_model_is_registered_once_and_as_such(host: CatalogItem) -> None:
    publishing.publish(runs.succeeded().pk)
    publishing.publish(runs.succeeded().pk)
    model = LanguageModel.objects.get()
    assert (model.name, model.is_test, model.params_total) == ("test-llama-1m", True, 962_688)
    assert model.params_non_embedding == 962_688 - 2 * 300 * 128
    assert model.kv_bytes_per_token_16bit == 2 * 4 * 2 * 32 * 2


def test_the_calculator_reads_what_was_published_only_when_asked_for_test_models(host: CatalogItem) -> None:
    run = runs.succeeded()
    publishing.publish(run.pk)
    now = timezone.now()
    assert catalog.throughputs("CPU-LOCAL", now) == ()
    found = catalog.throughputs("CPU-LOCAL", now, include_test=True)
    assert {(rate.output_tok_per_s.value, rate.concurrency) for rate in found} == {(1000.0, 1), (2500.0, 4)}
    assert {rate.output_tok_per_s.kind for rate in found} == {Kind.MEASURED}
    assert {rate.run for rate in found} == {run.code}
    assert all(rate.test_model and rate.prefill_tok_per_s is None for rate in found)


@pytest.mark.parametrize("status", ["failed", "cancelled", "stalled"])
def test_what_did_not_succeed_is_refused(host: CatalogItem, status: str) -> None:
    run = runs.ended(status)
    with pytest.raises(publishing.NotPublishableError) as refusal:
        publishing.publish(run.pk)
    assert refusal.value.code == "not_succeeded"
    assert Figure.objects.count() == 0


def test_a_run_under_way_is_refused(host: CatalogItem) -> None:
    with pytest.raises(publishing.NotPublishableError, match="not_succeeded"):
        publishing.publish(runs.running().pk)


def test_steps_without_a_rate_are_left_out_and_a_run_without_any_is_refused(host: CatalogItem) -> None:
    run = runs.succeeded()
    run.steps.filter(position=1).update(output_tok_per_s=None)
    assert [figure.concurrency for figure in publishing.publish(run.pk)] == [4]
    empty = runs.succeeded()
    empty.steps.update(output_tok_per_s=None)
    with pytest.raises(publishing.NotPublishableError, match="no_rate"):
        publishing.publish(empty.pk)
    empty.refresh_from_db()
    assert empty.published_at is None


def test_an_unfinished_step_is_no_figure(host: CatalogItem) -> None:
    run = runs.succeeded()
    run.steps.filter(position=2).update(complete=False)
    assert [figure.concurrency for figure in publishing.publish(run.pk)] == [1]


def test_without_the_test_host_nothing_is_published() -> None:
    run = runs.succeeded()
    with pytest.raises(publishing.NotPublishableError, match="no_sku"):
        publishing.publish(run.pk)
    run.refresh_from_db()
    assert run.published_at is None


def test_withdrawn_figures_stand_no_more_and_stay_readable_for_old_links(
    host: CatalogItem, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = runs.succeeded()
    an_hour_ago = runs.ago(3600)
    with monkeypatch.context() as patch:
        patch.setattr("django.utils.timezone.now", lambda: an_hour_ago)
        publishing.publish(run.pk)
    assert publishing.withdraw(run.pk) == 2
    later = timezone.now() + dt.timedelta(seconds=2)
    assert catalog.throughputs("CPU-LOCAL", later, include_test=True) == ()
    assert len(catalog.throughputs("CPU-LOCAL", runs.ago(1800), include_test=True)) == 2
    assert publishing.withdraw(run.pk) == 0


def test_what_was_withdrawn_is_not_published_again(host: CatalogItem) -> None:
    run = runs.succeeded()
    publishing.publish(run.pk)
    publishing.withdraw(run.pk)
    with pytest.raises(publishing.NotPublishableError, match="withdrawn"):
        publishing.publish(run.pk)


def test_withdrawing_what_was_never_published_does_nothing(host: CatalogItem) -> None:
    assert publishing.withdraw(runs.succeeded().pk) == 0


OBSTACLES = {"flag_client_bound": "client_bound", "flag_prefix_cache_warm": "prefix_cache_warm"}


@pytest.mark.parametrize("flag", OBSTACLES)
def test_l27_l28_a_flagged_run_never_becomes_a_figure(host: CatalogItem, flag: str) -> None:
    run = runs.succeeded(**{flag: True})
    with pytest.raises(publishing.NotPublishableError, match=OBSTACLES[flag]):
        publishing.publish(run.pk)
    run.refresh_from_db()
    assert run.published_at is None
    assert Figure.objects.count() == 0


def test_a_run_of_somebody_elses_server_is_no_figure_of_this_machine(host: CatalogItem) -> None:
    run = runs.succeeded(engine_kind="url", target_url="https://api.example.com/v1")
    with pytest.raises(publishing.NotPublishableError, match="target"):
        publishing.publish(run.pk)
    assert Figure.objects.count() == 0


def test_flags_that_are_only_remarks_do_not_bar_a_run() -> None:
    assert publishing.obstacle(runs.succeeded(flag_tokens_estimated=True, flag_shared_core=True)) == ""


def test_a_run_at_a_rate_has_no_streams_to_be_a_figure_of(host: CatalogItem) -> None:
    with pytest.raises(publishing.NotPublishableError, match="open_loop"):
        publishing.publish(runs.succeeded(pattern="poisson").pk)


def test_shared_tokens_are_named_among_the_conditions(host: CatalogItem) -> None:
    plain, shared = runs.succeeded(), runs.succeeded(shared_prefix_tokens=64)
    assert publishing.conditions(plain) == "closed loop, fresh random prompts, random weights, one run"
    assert "fresh random prompts with 64 shared tokens" in publishing.publish(shared.pk)[0].conditions
