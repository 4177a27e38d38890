"""Publishing through the gates: what closes one, who may answer for it, and what stays with the figure."""

import pytest
from django.utils import timezone, translation

from benchmarks import flagwords, publishing
from benchmarks.models import BenchmarkRun, RunGpu
from benchmarks.publishing import Approval, NotPublishableError
from calculator import catalog
from calculator.models import Figure
from calculator.presenters import badges
from tests import factories
from tests.benchmarks import runfactory as runs
from tests.benchmarks import seriesfactory as made

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def offer() -> None:
    made.offer()


def approval(reason: str = "Le matériel n’est là qu’aujourd’hui.") -> Approval:
    user = factories.make_user("approuve")
    return Approval(user.pk, user.username, reason)


def refused(run: BenchmarkRun, given: Approval | None = None) -> str:
    with pytest.raises(NotPublishableError) as caught:
        publishing.publish(run.pk, given)
    assert Figure.objects.filter(run=run.code).count() == 0
    return caught.value.code


def test_five_steady_repeats_become_one_figure_of_their_median() -> None:
    run = made.measured((102.0, 98.0, 101.0, 99.0, 100.0))
    (figure,) = publishing.publish(run.pk)
    assert (figure.value, figure.concurrency, figure.test_model, figure.exception) == (100.0, 4, False, "")
    assert (figure.sku.code, figure.run, figure.engine) == ("GPU-PRO", run.code, "vLLM (0.14)")
    assert figure.language_model is not None and figure.language_model.name == "Mistral-7B-v0.3"
    assert figure.conditions == "closed loop, fresh random prompts, median of 5 runs"


@pytest.mark.parametrize(
    ("rates", "prompt", "gate"),
    [
        ((99.0, 100.0, 101.0, 100.0), 128.0, "repeats"),
        ((90.0, 95.0, 100.0, 105.0, 110.0), 128.0, "spread"),
        (made.STEADY, 140.0, "prompt_length"),
    ],
)
def test_a_closed_gate_holds_a_series_back(rates: tuple[float, ...], prompt: float, gate: str) -> None:
    run = made.measured(rates, prompt=prompt)
    assert publishing.candidate(run).closed == (gate,)
    assert refused(run) == "gates"


def test_a_blocking_flag_of_any_repeat_holds_the_series_back() -> None:
    run = made.measured()
    BenchmarkRun.objects.filter(parent=run, repeat_number=3).update(flag_throttled=True)
    assert publishing.candidate(run).closed == ("flags",)
    assert refused(run) == "gates"


def test_a_gpu_that_nobody_watched_holds_the_series_back() -> None:
    """Throttled or shared, nobody knows: no record is no proof. One of five repeats is enough."""
    run = made.measured()
    repeat = BenchmarkRun.objects.get(parent=run, repeat_number=4)
    BenchmarkRun.objects.filter(pk=repeat.pk).update(gpus_count=1)
    gpu = RunGpu.objects.create(run=repeat, uuid="GPU-1", index=0, reserved_at=run.created_at)
    assert publishing.candidate(run).closed == ("flags",)
    assert [gate.names for gate in publishing.candidate(run).found if not gate.passed] == [("unwatched",)]
    with translation.override("fr"):
        assert flagwords.name("unwatched") == "matériel non suivi"
    RunGpu.objects.filter(pk=gpu.pk).update(state_at_start={"uuid": "GPU-1"})
    assert publishing.candidate(run).closed == ()


def test_an_approver_passes_a_gate_with_a_reason_that_stays_with_run_and_figure() -> None:
    run = made.measured((100.0,))
    (figure,) = publishing.publish(run.pk, approval())
    assert figure.exception == "Le matériel n’est là qu’aujourd’hui."
    run.refresh_from_db()
    assert (run.gates_failed, run.gates_reason) == ("repeats,spread", "Le matériel n’est là qu’aujourd’hui.")
    assert run.gates_passed_by is not None and run.gates_passed_by.username == "approuve"


def test_the_reason_is_read_on_the_badge_wherever_the_figure_is() -> None:
    publishing.publish(made.measured((100.0,)).pk, approval())
    (found,) = catalog.throughputs("GPU-PRO", timezone.now())
    assert "publié par exception\u00a0: Le matériel n’est là qu’aujourd’hui." in badges.title(found.output_tok_per_s)


def test_a_figure_that_passed_its_gates_has_no_exception_on_its_badge() -> None:
    publishing.publish(made.measured().pk, approval())
    (found,) = catalog.throughputs("GPU-PRO", timezone.now())
    assert "exception" not in badges.title(found.output_tok_per_s)
    assert Figure.objects.get(run__gt="").exception == ""


def test_an_approval_without_a_reason_passes_nothing() -> None:
    assert refused(made.measured((100.0,)), approval("")) == "gates"


@pytest.mark.parametrize("flag", ["client_bound", "prefix_cache_warm", "server_disagrees", "foreign_process"])
def test_nobody_can_answer_for_a_run_that_measured_something_else(flag: str) -> None:
    run = made.measured()
    BenchmarkRun.objects.filter(pk=run.pk).update(**{f"flag_{flag}": True})
    assert refused(run, approval()) == flag


def test_a_repeat_is_published_by_its_first_run_alone() -> None:
    run = made.measured()
    assert refused(run.repeats.get(repeat_number=2), approval()) == "repeat"


def test_a_series_under_way_is_not_published() -> None:
    run = made.measured()
    BenchmarkRun.objects.filter(parent=run, repeat_number=5).update(
        status="queued", started_at=None, heartbeat_at=None, finished_at=None
    )
    assert refused(run, approval()) == "repeats_live"


def test_a_model_that_the_calculator_does_not_know_has_no_place_for_a_figure() -> None:
    assert refused(made.measured(model_name="own-model")) == "no_model"


def test_a_sku_that_is_not_sold_has_no_figure() -> None:
    assert refused(made.measured(sku_code="GPU-OTHER")) == "no_sku"


def test_the_test_model_publishes_as_a_single_run_without_gates() -> None:
    factories.make_sku("CPU-LOCAL", is_test_host=True)
    run = runs.succeeded()
    figures = publishing.publish(run.pk)
    assert run.flag_single_run
    assert [(figure.test_model, figure.exception) for figure in figures] == [(True, "")] * 2
    assert all(figure.conditions.endswith("random weights, one run") for figure in figures)


def test_a_series_of_the_test_model_is_a_median_and_still_enters_no_comparison() -> None:
    factories.make_sku("CPU-LOCAL", is_test_host=True)
    run = made.measured((90.0, 100.0, 110.0), model_name="test-llama-1m", sku_code="")
    (figure,) = publishing.publish(run.pk)
    assert (figure.value, figure.test_model) == (100.0, True)
    assert figure.conditions == "closed loop, fresh random prompts, random weights, median of 3 runs"
    assert catalog.throughputs("CPU-LOCAL", timezone.now()) == ()


def test_the_newest_published_figure_wins() -> None:
    for rates in (made.STEADY, tuple(rate * 2 for rate in made.STEADY)):
        publishing.publish(made.measured(rates).pk)
    newest, older = catalog.throughputs("GPU-PRO", timezone.now())
    assert (newest.output_tok_per_s.value, older.output_tok_per_s.value) == (200.0, 100.0)


def test_withdrawing_gives_the_place_back_to_the_figure_before() -> None:
    publishing.publish(made.measured().pk)
    second = made.measured(tuple(rate * 2 for rate in made.STEADY))
    publishing.publish(second.pk)
    assert publishing.withdraw(second.pk) == 1
    (left,) = catalog.throughputs("GPU-PRO", runs.ago(-2))
    assert left.output_tok_per_s.value == 100.0
