"""What a run's page says in each state: titles, progress, timeline, log, troubles, figures."""

import datetime as dt
from typing import Any

import plotly.graph_objects as go
import pytest
from django.utils import timezone, translation

from benchmarks import charts, eligibility, flagwords, presenters, queries, results, services, wording
from benchmarks.models import BenchmarkRun
from tests.benchmarks import fleetfactory as hosts
from tests.benchmarks import runfactory as runs

pytestmark = pytest.mark.django_db
NBSP, NNBSP = "\u00a0", "\u202f"


@pytest.fixture(autouse=True)
def french() -> Any:
    with translation.override("fr"):
        yield


def view(run: BenchmarkRun) -> queries.RunView:
    return queries.run_view(run.code)


def half_way() -> BenchmarkRun:
    """The first of two steps done, the second half done: 12 of 16 requests."""
    run = runs.running(phase="measuring")
    runs.with_step(run, 1, 1000.0)
    runs.tick(run.steps.get(position=1), 1000.0, done_count=8)
    runs.tick(run.steps.get(position=2), 2450.0, done_count=4)
    return run


def test_the_title_follows_the_state() -> None:
    run = half_way()
    assert presenters.title(view(run)) == f"Mesure {run.code}, 75{NBSP}%"
    services.finish(run.pk, "succeeded")
    assert presenters.title(view(run)) == f"Mesure {run.code}, terminée"


def test_progress_counts_measured_requests_of_all_steps() -> None:
    assert presenters.progress_ratio(view(half_way())) == 12 / 16
    assert presenters.progress_ratio(view(runs.queued())) == 0


def test_where_a_live_run_stands() -> None:
    first, second = runs.queued(), runs.queued()
    assert presenters.position_words(view(first)) == "la prochaine à partir"
    assert presenters.position_words(view(second)) == "1 mesure avant elle"
    assert presenters.position_words(view(half_way())) == "palier 2 sur 2, 4 flux"


def test_time_left_is_told_once_it_can_be() -> None:
    run = half_way()
    run = runs.change(run, started_at=runs.ago(30))
    now = run.started_at + dt.timedelta(seconds=30) if run.started_at else timezone.now()
    assert presenters.elapsed(view(run), now) == f"30{NBSP}s écoulées, encore 10{NBSP}s environ"
    waiting = runs.queued()
    assert "encore" not in presenters.elapsed(view(waiting), timezone.now())


@pytest.mark.parametrize(("seconds", "words"), [(0.4, "0 s"), (59.9, "59 s"), (60, "1 min 0 s"), (370, "6 min 10 s")])
def test_durations(seconds: float, words: str) -> None:
    assert wording.duration(seconds) == words.replace(" s", f"{NBSP}s").replace(" min", f"{NBSP}min")


def test_the_timeline_marks_what_is_done_and_what_is_under_way() -> None:
    states = [stage.state for stage in presenters.stages(view(half_way()))]
    assert states == ["done", "done", "done", "current", "next"]


def test_the_log_ends_with_the_newest_line() -> None:
    log = presenters.log(view(half_way()))
    assert log is not None
    assert log.last.endswith(f"4 requêtes, 0 erreurs, TTFT p50 12,3{NBSP}ms, 2{NNBSP}450{NBSP}tok/s")
    assert log.earlier.count("\n") == 1
    assert presenters.log(view(runs.queued())) is None


def test_a_warm_up_second_claims_no_rate() -> None:
    step = runs.queued().steps.get(position=1)
    assert presenters.log_line(runs.tick(step, None, warming_up=True)).endswith("échauffement")


def test_now_adds_finished_steps_and_the_one_under_way() -> None:
    facts = dict(presenters.now_facts(view(half_way())))
    assert facts["Requêtes"] == "12"
    assert facts["Par flux"] == f"613{NBSP}tok/s"


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "inconnu"), (0.2844, "0,284"), (9.996, "10,0"), (63.9, "63,9"), (2588.3, f"2{NNBSP}590"), (0.0, "0")],
)
def test_three_significant_figures(value: float | None, text: str) -> None:
    assert wording.three(value) == text


def test_the_best_step_gives_the_headline() -> None:
    assert results.headline(view(runs.succeeded())) == (
        "4 flux",
        f"2{NNBSP}500{NBSP}tok/s",
        f"625{NBSP}tok/s",
    )
    assert results.headline(view(runs.ended("failed"))) is None
    assert results.stats(view(runs.ended("cancelled"))) == []


def test_single_stream_is_labelled_and_p99_of_few_is_not_shown() -> None:
    single, four = results.step_rows(view(runs.succeeded()))
    assert (single["single_stream"], four["single_stream"], four["best"]) == (True, False, True)
    assert single["ttft_p99"] == "n < 100"


def test_what_was_not_measured_is_unknown_not_zero() -> None:
    rows = results.step_rows(view(runs.ended("failed")))
    assert {row[name] for row in rows for name in ("rate", "ttft_p50", "tpot_p95", "requests", "errors")} == {"inconnu"}


def test_every_flag_has_a_name_and_a_meaning() -> None:
    run = runs.succeeded()
    assert [name for name, _ in flagwords.flags(run)] == ["mesure unique", "poids aléatoires"]
    for field in BenchmarkRun._meta.get_fields():
        if field.name.startswith("flag_"):
            setattr(run, field.name, True)
    assert len(flagwords.flags(run)) == len(eligibility.FLAGS)
    assert all(meaning.endswith(".") for _, meaning in flagwords.flags(run))


def test_the_environment_names_what_the_figures_depend_on() -> None:
    facts = dict(results.environment(runs.succeeded()))
    assert facts["Modèle"] == "test-llama-1m"
    assert facts["Moteur"] == "llama.cpp xllamacpp 2026.10"
    assert facts["Graine"] == "5"
    assert facts["Empreinte des mesures"] == "inconnu"


def test_the_environment_of_a_run_on_gpus_names_them_and_their_driver() -> None:
    hosts.worker("gpu.titan@here", ("gpu.titan",), *hosts.UUIDS[:2])
    run = runs.queued(queue="gpu.titan", gpus_count=2)
    assert services.claim(run.pk, "gpu.titan@here")
    run.gpus.update(state_at_start={"driver_version": "580.65.06"})
    facts = dict(results.environment(BenchmarkRun.objects.get(pk=run.pk)))
    assert facts["GPU"] == f"2{NBSP}×{NBSP}NVIDIA A100-SXM4-80GB"
    assert facts["Pilote"] == "580.65.06"
    assert not {"GPU", "Pilote"} & set(dict(results.environment(runs.succeeded(code="2031-0009"))))


def test_failures_are_listed_by_kind_most_first() -> None:
    run = runs.running()
    step = run.steps.get(position=1)
    for number, kind in enumerate(["http_503", "truncated", "truncated"]):
        runs.sample(step, number, error_kind=kind)
    assert results.error_rows(view(run).errors) == [("réponse coupée", "2"), ("HTTP 503", "1")]


TARGET_CODES = ["target_refused", "target_unreachable", "target_key_refused", "prompts_refused"]
ENGINE_CODES = ["engine_start", "engine_deadline", "engine_died"]
CODES = [*TARGET_CODES, *ENGINE_CODES, "deadline", "all_requests_failed", "supervisor_lost"]


@pytest.mark.parametrize("language", ["fr", "en"])
@pytest.mark.parametrize("code", [*CODES, "queue_unreachable", "internal"])
def test_each_failure_is_one_sentence_and_what_to_do(code: str, language: str) -> None:
    with translation.override(language):
        trouble = wording.trouble(view(runs.ended("failed", code)))
    assert trouble is not None and trouble.tone == "bad"
    assert trouble.sentence.endswith(".") and trouble.advice.endswith(".")
    assert code not in trouble.sentence


def test_known_failures_do_not_share_their_sentence() -> None:
    sentences = {wording.failure_words(code)[0] for code in [*CODES, "queue_unreachable", "internal"]}
    assert len(sentences) == 12


def test_a_run_that_nobody_can_pick_up_says_so() -> None:
    run = runs.queued()
    trouble = wording.trouble(view(run))
    assert trouble is not None and trouble.sentence == "Aucun worker ne sert cette machine."
    hosts.worker("celery@here", ("default",))
    assert wording.trouble(view(run)) is None


def test_a_cancelled_run_says_who_stopped_it() -> None:
    own = wording.trouble(view(runs.ended("cancelled")))
    service = wording.trouble(view(runs.ended("cancelled", "worker_stopped")))
    assert own is not None and own.sentence == "La mesure a été annulée."
    assert service is not None and service.sentence == "La mesure a été arrêtée avec le service."


def test_a_success_has_no_trouble() -> None:
    assert wording.trouble(view(runs.succeeded())) is None


def test_figures_are_valid_and_carry_the_tables_numbers() -> None:
    figure = charts.rate_and_latency(view(runs.succeeded()))
    assert figure is not None
    go.Figure(figure)
    assert figure["data"][0]["x"] == [1000.0, 2500.0]
    assert figure["data"][0]["y"] == [2.0, 2.0]
    assert [note["text"] for note in figure["layout"]["annotations"]] == ["1 flux", "4 flux"]


def test_the_live_curve_starts_at_zero_and_skips_what_is_unknown() -> None:
    run = half_way()
    runs.tick(run.steps.get(position=2), None)
    figure = charts.live_rate(view(run))
    assert figure is not None
    go.Figure(figure)
    assert figure["data"][0]["y"] == [1000.0, 2450.0]
    assert figure["data"][0]["x"][0] == 0


def test_one_point_is_no_curve() -> None:
    run = runs.running()
    runs.with_step(run, 1, 1000.0)
    assert charts.rate_and_latency(view(run)) is None
    assert charts.live_rate(view(run)) is None


def test_every_status_has_a_word_and_a_sign() -> None:
    assert set(wording.TAGS) == set(BenchmarkRun.Status.values)
    assert len({wording.status_word(status) for status in BenchmarkRun.Status.values}) == 6
