"""What cannot be written now is written later, in order and once; limits and full disks have names."""

import errno
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.db import InterfaceError, OperationalError
from django.utils import timezone

from benchmarks import limits, patience, planning, recording, services, tasks
from benchmarks.load import records, storage
from benchmarks.models import BenchmarkRun, BenchmarkTick, Worker
from benchmarks.patience import Patience
from benchmarks.pulse import Pulse
from benchmarks.runner import Runner
from tests.benchmarks import fleetfactory as hosts
from tests.benchmarks import runfactory as runs


class Away:
    """An action that the database refuses so many times."""

    def __init__(self, times: int, error: type[Exception] = OperationalError) -> None:
        self.left, self.error, self.done = times, error, list[str]()

    def write(self, name: str) -> Callable[[], str]:
        def action() -> str:
            if self.left:
                self.left -= 1
                raise self.error("server closed the connection unexpectedly")
            self.done.append(name)
            return name

        return action


@pytest.fixture(autouse=True)
def closed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How often the broken connection was dropped; pauses take no time."""
    drops: list[int] = []
    still = type("Still", (), {"close": staticmethod(lambda: drops.append(1))})
    monkeypatch.setattr(patience, "connection", still)
    monkeypatch.setattr(patience.time, "sleep", lambda _: None)
    return drops


def test_writes_wait_in_order_and_each_is_done_once(closed: list[int]) -> None:
    database, waiting = Away(3), Patience()
    for name in ("first", "second", "third"):
        waiting.write(database.write(name))
    assert (database.done, waiting.waiting_count, len(closed)) == ([], 3, 3)
    waiting.write(database.write("fourth"))
    assert database.done == ["first", "second", "third", "fourth"]
    assert waiting.catch_up()
    assert len(database.done) == 4


@pytest.mark.parametrize("error", [OperationalError, InterfaceError])
def test_whoever_waits_at_the_end_waits_until_everything_is_written(error: type[Exception]) -> None:
    database, waiting = Away(50, error), Patience()
    waiting.write(database.write("first"))
    waiting.write(database.write("second"))
    waiting.finish()
    assert (database.done, waiting.waiting_count) == (["first", "second"], 0)


def test_patience_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock passes ten minutes between two attempts."""
    instants = iter([0.0, 599.0, 601.0])
    monkeypatch.setattr(patience.time, "monotonic", lambda: next(instants))
    database = Away(10)
    with pytest.raises(OperationalError):
        patience.insist(database.write("never"))
    assert database.left == 8


def test_another_error_is_not_waited_for() -> None:
    database = Away(1, ValueError)
    with pytest.raises(ValueError, match="closed"):
        patience.insist(database.write("wrong"))


def test_a_question_that_cannot_be_asked_is_answered_for_now() -> None:
    database = Away(1)
    assert patience.guess(database.write("answer"), "meanwhile") == "meanwhile"
    assert patience.guess(database.write("answer"), "meanwhile") == "answer"


@pytest.mark.django_db
def test_a_second_is_stored_with_the_instant_at_which_it_was_heard() -> None:
    run = runs.running()
    late = recording.writing(run, recording.Steps(run), records.Tick(1, 1, False, 0, 8, 0, None, None, 0.1), Path())
    heard_by = timezone.now()
    late()
    assert BenchmarkTick.objects.get().at <= heard_by


@pytest.mark.django_db
def test_a_run_goes_on_while_nobody_can_say_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(_: int) -> bool:
        raise OperationalError("gone")

    run = runs.running()
    assert services.wanted(run.pk)
    services.request_cancel(run.pk)
    assert not services.wanted(run.pk)
    monkeypatch.setattr(services, "heartbeat", away)
    assert services.wanted(run.pk)


@pytest.mark.django_db
def test_a_claim_that_the_database_refuses_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: Any, **__: Any) -> None:
        raise OperationalError("gone")

    asked: dict[str, Any] = {}

    def retry(**options: Any) -> Exception:
        asked.update(options)
        return RuntimeError("again")

    monkeypatch.setattr(services, "execute", away)
    monkeypatch.setattr(tasks.measure, "retry", retry)
    with pytest.raises(RuntimeError, match="again"):
        tasks.measure.run(1)
    assert asked["countdown"] == tasks.BUSY_RETRY_S


@pytest.mark.django_db
def test_the_first_beat_after_an_absence_takes_nobody_for_dead() -> None:
    beating = Pulse(hosts.worker(), lambda run: None)
    run = runs.running(heartbeat_at=runs.ago(40))
    beating._away = True
    beating.turn(timezone.now())
    run.refresh_from_db()
    assert run.status == "running"
    beating._away = False
    beating.turn(timezone.now())
    run.refresh_from_db()
    assert run.status == "stalled"
    assert Worker.objects.get().heartbeat_at > runs.ago(5)


@pytest.mark.parametrize(
    ("soft", "hard", "limits_s"),
    [
        (None, None, (900, 960)),
        (60, None, (60, 120)),
        (60, 90, (60, 90)),
        (None, 300, (240, 300)),
        (None, 5000, (900, 5000)),
        (None, 30, (1, 30)),
    ],
)
def test_a_limit_that_is_not_asked_for_follows_from_the_other(
    soft: int | None, hard: int | None, limits_s: tuple[int, int]
) -> None:
    found = limits.limits_of(BenchmarkRun(soft_limit_s=soft, hard_limit_s=hard))
    assert (found.soft_s, found.hard_s) == limits_s
    assert found.task == {"soft_time_limit": limits_s[1] + 30, "time_limit": limits_s[1] + 60}


def test_a_probe_has_an_hour_and_a_vllm_its_time_to_load(settings: Any) -> None:
    settings.VLLM_START_S = 600
    assert limits.limits_of(BenchmarkRun(kind="probe")).soft_s == 3600
    assert limits.limits_of(BenchmarkRun(engine_kind="vllm")).soft_s == 1500


@pytest.mark.django_db
def test_the_limits_reach_the_supervisor_and_the_message() -> None:
    run = runs.running(soft_limit_s=33, hard_limit_s=44)
    assert planning.plan_of(run).run_deadline_s == 33
    assert tasks.message(run)["time_limit"] == 104


def test_the_hard_limit_kills_whatever_does_not_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The stand-in for the supervisor ignores every polite signal and says nothing."""
    stand_in = tmp_path / "deaf"
    stand_in.write_text("#!/bin/sh\ntrap '' TERM INT\nwhile :; do sleep 0.1; done\n")
    stand_in.chmod(0o755)
    monkeypatch.setattr("benchmarks.runner.sys.executable", str(stand_in))
    monkeypatch.setattr("benchmarks.runner.POLL_S", 0.05)
    with Runner(records.Plan("", str(tmp_path / "run"), (1,), 1, 1, 1, 1, 1), hard_limit_s=0.3) as runner:
        assert set(runner.messages()) == {None}
        assert runner.overdue
        assert runner.child.wait(30) == -9


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("error", "code"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "disk_full"),
        (OSError(errno.EFBIG, "File too large"), "disk_full"),
        (OSError(errno.EACCES, "Permission denied"), "internal"),
        (ValueError("odd"), "internal"),
    ],
)
def test_a_disk_that_is_full_before_the_start_is_named(
    error: Exception, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = runs.queued()

    def broken(_: BenchmarkRun) -> records.Plan:
        raise error

    monkeypatch.setattr(planning, "plan_of", broken)
    with pytest.raises(type(error)):
        services.execute(run.pk, "worker")
    run.refresh_from_db()
    assert (run.status, run.error_code) == ("failed", code)


@pytest.mark.django_db
def test_the_task_queues_own_limit_ends_the_run_readably(monkeypatch: pytest.MonkeyPatch) -> None:
    run = runs.queued()

    def interrupted(_: BenchmarkRun) -> records.RunEnd:
        raise SoftTimeLimitExceeded

    monkeypatch.setattr(services, "serve", interrupted)
    services.execute(run.pk, "worker")
    run.refresh_from_db()
    assert (run.status, run.error_code) == ("failed", "hard_limit")


def test_half_a_line_counts_as_a_full_disk() -> None:
    class Short(io.BytesIO):
        def write(self, line: Any) -> int:
            return super().write(line[:3])

    storage.append(io.BytesIO(), b"whole line\n")
    with pytest.raises(OSError, match="part") as raised:
        storage.append(Short(), b"whole line\n")
    assert storage.is_full(raised.value)


def test_a_file_that_may_not_grow_is_full(tmp_path: Path) -> None:
    """Linux's own device that is always full."""
    with Path("/dev/full").open("wb", buffering=0) as file, pytest.raises(OSError) as raised:
        storage.append(file, b"line\n")
    assert storage.is_full(raised.value)
    assert not storage.is_full(OSError(errno.EPIPE, os.strerror(errno.EPIPE)))
