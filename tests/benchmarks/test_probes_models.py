"""What the tables of probes refuse, on SQLite and PostgreSQL alike."""

import pytest
from django.db import IntegrityError, transaction

from benchmarks.models import BenchmarkRun, ProbeJob, ProbeReading
from tests.benchmarks.probefactory import probe_run, reading

pytestmark = pytest.mark.django_db


def refused(**values: object) -> bool:
    run = probe_run()
    try:
        with transaction.atomic():
            reading(run, **values)
    except IntegrityError:
        return True
    return False


def test_a_probe_run_asks_for_no_requests() -> None:
    run = probe_run()
    assert (run.kind, run.probe, run.engine_kind, run.requests_count) == ("probe", "gemm", "", 0)


def test_an_accepted_reading_has_a_value_above_zero() -> None:
    assert refused(value=None)
    assert refused(value=0.0)
    assert not refused(value=1.0)


def test_a_refused_reading_may_lack_its_value() -> None:
    assert not refused(value=None, refusal="complete")


def test_a_reading_has_a_known_unit() -> None:
    assert refused(unit="TFLOPS")


def test_two_readings_have_two_positions() -> None:
    run = probe_run()
    reading(run, position=1)
    with pytest.raises(IntegrityError), transaction.atomic():
        reading(run, position=1)


def test_a_run_has_one_set_of_probe_settings() -> None:
    run = probe_run()
    with pytest.raises(IntegrityError), transaction.atomic():
        ProbeJob.objects.create(run=run)


def test_a_probe_lasts_longer_than_nothing() -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        ProbeJob.objects.filter(run=probe_run()).update(seconds=0)


def test_readings_go_with_their_run() -> None:
    run = probe_run()
    reading(run)
    BenchmarkRun.objects.filter(pk=run.pk).delete()
    assert not ProbeReading.objects.exists() and not ProbeJob.objects.exists()
