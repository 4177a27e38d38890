"""What the database refuses, whoever writes."""

from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from benchmarks.models import BenchmarkRun, BenchmarkSample, BenchmarkStep
from tests.benchmarks import runfactory as runs

pytestmark = pytest.mark.django_db


def refused(run: BenchmarkRun, **values: Any) -> bool:
    try:
        with transaction.atomic():
            BenchmarkRun.objects.filter(pk=run.pk).update(**values)
    except IntegrityError:
        return True
    return False


def test_a_status_must_be_a_known_one() -> None:
    assert refused(runs.queued(), status="sleeping")


def test_a_live_run_has_no_end_and_an_ended_one_has() -> None:
    now = timezone.now()
    assert refused(runs.queued(), finished_at=now)
    assert refused(runs.queued(), status="failed")
    assert not refused(runs.queued(), status="failed", finished_at=now)


def test_a_running_run_has_a_worker_a_start_and_a_heartbeat() -> None:
    run = runs.running()
    assert refused(run, claimed_by="")
    assert refused(run, heartbeat_at=None)
    assert refused(run, started_at=None)


def test_a_waiting_run_has_no_start() -> None:
    assert refused(runs.queued(), started_at=timezone.now())


def test_a_run_asks_for_at_least_one_of_everything() -> None:
    run = runs.queued()
    assert all(refused(run, **{name: 0}) for name in ("requests_count", "prompt_tokens", "output_tokens"))


def test_only_a_success_is_published_and_only_what_is_published_is_withdrawn() -> None:
    now = timezone.now()
    assert refused(runs.ended("failed"), published_at=now)
    run = runs.succeeded()
    assert refused(run, withdrawn_at=now)
    assert not refused(run, published_at=now, withdrawn_at=now)
    assert refused(run, published_at=now, withdrawn_at=runs.ago(60))


def test_a_code_belongs_to_one_run() -> None:
    first, second = runs.queued(), runs.queued()
    assert refused(second, code=first.code)


def test_a_run_has_each_concurrency_and_each_position_once() -> None:
    run = runs.queued()
    for position, concurrency in ((1, 9), (9, 1), (0, 9), (9, 0)):
        with pytest.raises(IntegrityError), transaction.atomic():
            BenchmarkStep.objects.create(run=run, position=position, concurrency=concurrency)


def test_counts_of_a_step_add_up() -> None:
    step = runs.queued().steps.get(position=1)
    with pytest.raises(IntegrityError), transaction.atomic():
        BenchmarkStep.objects.filter(pk=step.pk).update(measured_count=9, ok_count=8, error_count=0)


def test_a_request_is_stored_once() -> None:
    step = runs.queued().steps.get(position=1)
    runs.sample(step, 3)
    with pytest.raises(IntegrityError), transaction.atomic():
        runs.sample(step, 3)


def test_rows_name_themselves() -> None:
    run = runs.queued(code="2026-0042")
    step = run.steps.get(position=2)
    tick = runs.tick(step)
    assert str(run) == "2026-0042"
    assert str(step) == "2026-0042 × 4"
    assert str(runs.sample(step, 7)) == "2026-0042 × 4 #7"
    assert str(tick).startswith("2026-0042 × 4 ")
    assert BenchmarkSample.objects.count() == 1
