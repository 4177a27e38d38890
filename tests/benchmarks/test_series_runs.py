"""A series: repeats one after another with fresh prompts, what they say together, and when it is noisy."""

from dataclasses import replace

import pytest

from benchmarks import repeats, series, services
from benchmarks.models import BenchmarkRun
from tests.benchmarks import runfactory as runs
from tests.benchmarks import seriesfactory as made

pytestmark = pytest.mark.django_db


def test_one_repeat_is_a_single_run_and_says_so() -> None:
    (run,) = series.create(runs.CONFIG, None, 1)
    assert (run.parent, run.repeats_count, run.flag_single_run) == (None, 1, True)


def test_a_series_is_a_first_run_and_its_numbered_repeats() -> None:
    first, *others = series.create(runs.CONFIG, None, 5)
    assert (first.repeats_count, first.parent, first.flag_single_run) == (5, None, False)
    assert [(run.parent, run.repeat_number) for run in others] == [(first, number) for number in (2, 3, 4, 5)]
    assert [run.status for run in (first, *others)] == ["queued"] * 5
    assert repeats.members(first) == [first, *others]


def test_each_repeat_draws_fresh_prompts_and_a_wanted_seed_is_the_firsts() -> None:
    made_runs = series.create(replace(runs.CONFIG, seed=7), None, 5)
    seeds = [run.seed for run in made_runs]
    assert seeds[0] == 7
    assert len(set(seeds)) == 5


def test_repeats_wait_for_those_before_them() -> None:
    first, second, third = series.create(runs.CONFIG, None, 3)
    assert [repeats.waits_for_another(run) for run in (first, second, third)] == [False, True, True]
    services.claim(first.pk, "celery@here")
    assert repeats.waits_for_another(second)
    services.finish(first.pk, "failed", "engine_died")
    assert [repeats.waits_for_another(run) for run in (second, third)] == [False, True]


def test_cancelling_a_series_cancels_what_waits_and_stops_what_runs() -> None:
    first, second, third = series.create(runs.CONFIG, None, 3)
    services.claim(first.pk, "celery@here")
    assert series.cancel_all(second.pk) == 3
    for run in (first, second, third):
        run.refresh_from_db()
    assert [run.status for run in (first, second, third)] == ["running", "cancelled", "cancelled"]
    assert first.cancel_requested_at is not None


def test_the_repeats_of_a_load_stand_together() -> None:
    first = made.measured(concurrencies=(1, 4))
    one, four = repeats.loads(repeats.members(first))
    assert (one.step.concurrency, four.step.concurrency) == (1, 4)
    assert sorted(four.point.rates_tok_per_s) == [98.0, 99.0, 100.0, 101.0, 102.0]
    assert four.point.spread is not None and four.point.spread.median == 100.0


def test_a_repeat_whose_client_was_late_does_not_count() -> None:
    first = made.measured()
    BenchmarkRun.objects.filter(parent=first, repeat_number=5).update(flag_client_bound=True)
    (load,) = repeats.loads(repeats.members(first))
    assert sorted(load.point.rates_tok_per_s) == [98.0, 99.0, 100.0, 101.0]


def test_steps_that_were_not_completed_do_not_count() -> None:
    first = made.measured()
    first.steps.update(complete=False)
    (load,) = repeats.loads(repeats.members(first))
    assert len(load.steps) == 4


def test_a_series_that_spreads_over_three_percent_is_noisy() -> None:
    """90, 100, 110: deviation 10, 10 % of 100."""
    first = made.measured((90.0, 100.0, 110.0))
    first.refresh_from_db()
    assert first.flag_noisy


def test_a_steady_series_is_not_noisy_and_an_old_mark_goes() -> None:
    first = made.measured()
    BenchmarkRun.objects.filter(pk=first.pk).update(flag_noisy=True)
    repeats.settle(first.repeats.get(repeat_number=5).pk)
    first.refresh_from_db()
    assert not first.flag_noisy


def test_a_single_run_cannot_be_noisy() -> None:
    first = made.measured((90.0,))
    first.refresh_from_db()
    assert not first.flag_noisy


def test_a_worker_comes_back_for_a_repeat_whose_turn_it_is_not() -> None:
    _first, second = series.create(runs.CONFIG, None, 2)
    with pytest.raises(services.HostBusyError):
        services.execute(second.pk, "celery@here")
    second.refresh_from_db()
    assert second.status == "queued"
