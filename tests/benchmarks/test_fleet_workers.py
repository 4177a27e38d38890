"""A worker registers, shows signs of life, serves queues, and is gone when it is silent."""

import datetime as dt
import os
import sys
from pathlib import Path
from typing import Any

import kombu.exceptions
import psutil
import pytest
from django.utils import timezone

from benchmarks import fleet, installed, services, tasks
from benchmarks.hardware import this_host
from benchmarks.models import BenchmarkRun, Worker
from benchmarks.pulse import Pulse
from tests import factories
from tests.benchmarks import fleetfactory as hosts
from tests.benchmarks import runfactory as runs

pytestmark = pytest.mark.django_db
A, B = hosts.UUIDS[:2]


def silent(worker: Worker, seconds: float) -> None:
    Worker.objects.filter(pk=worker.pk).update(heartbeat_at=runs.ago(seconds))


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, str]]:
    """Run and queue of every message that was sent."""
    messages: list[tuple[int, str]] = []
    monkeypatch.setattr(tasks.measure, "apply_async", lambda args, queue, **_: messages.append((args[0], queue)))
    return messages


@pytest.mark.parametrize(
    ("sku", "gpus", "queue"),
    [
        ("", 0, "default"),
        ("", 2, "gpu.local"),
        ("GPU-TITAN", 1, "gpu.titan"),
        ("gpu-titan", 1, "gpu.titan"),
        ("H100-NVL", 4, "gpu.h100-nvl"),
        ("GPU-STARTER", 0, "gpu.starter"),
    ],
)
def test_each_sku_has_its_queue_and_this_host_keeps_the_present_one(sku: str, gpus: int, queue: str) -> None:
    assert fleet.queue_of(sku, gpus) == queue


def test_the_test_host_of_the_catalogue_is_this_host() -> None:
    factories.make_sku("CPU-LOCAL", is_test_host=True)
    assert fleet.queue_of("CPU-LOCAL") == "default"


def test_a_worker_knows_its_sku_by_its_queue() -> None:
    factories.make_sku("GPU-TITAN")
    assert fleet.sku_of(["default", "gpu.titan"]) == "GPU-TITAN"
    assert fleet.sku_of(["default", "gpu.local"]) == ""
    assert fleet.sku_of(["gpu.unheard-of"]) == ""


def test_a_worker_registers_with_its_host_its_engines_and_its_gpus() -> None:
    factories.make_sku("GPU-TITAN")
    worker = hosts.worker("celery@gpu1", ("gpu.titan",), A, B, host="gpu1")
    worker.refresh_from_db()
    assert (worker.host_name, worker.queues, worker.sku_code, worker.pid) == (
        "gpu1",
        ["gpu.titan"],
        "GPU-TITAN",
        os.getpid(),
    )
    assert worker.engines == {"llama.cpp": "xllamacpp 2026.10", "vllm": "0.24.0"}
    assert (worker.driver_version, worker.cuda_version, worker.gpu_problem) == ("580.65.06", "13.0", "")
    assert [(gpu.uuid, gpu.memory_bytes, gpu.link_width_max) for gpu in worker.gpus.all()] == [
        (A, 85_899_345_920, 16),
        (B, 85_899_345_920, 16),
    ]


def test_a_worker_registers_this_host_as_it_is() -> None:
    """Nothing is handed in: the machine that runs the tests is read."""
    worker = fleet.register("celery@me", ["default"])
    assert worker.host_name == this_host().name
    assert worker.engines["llama.cpp"].startswith("xllamacpp ")
    assert worker.gpus.exists() or worker.gpu_problem


def test_a_worker_that_starts_again_takes_its_name_over() -> None:
    first = hosts.worker()
    second = hosts.worker()
    first.refresh_from_db()
    assert first.stopped_at is not None
    assert list(fleet.alive()) == [second]


def test_a_silent_worker_is_gone_and_serves_nothing() -> None:
    worker = hosts.worker("celery@gpu1", ("gpu.titan", "default"))
    silent(worker, 19)
    assert fleet.serves("gpu.titan")
    silent(worker, 21)
    assert not fleet.serves("gpu.titan")
    assert fleet.beat(worker.pk)
    assert fleet.served_queues() == {"gpu.titan", "default"}


def test_a_worker_that_signed_off_is_gone_at_once_and_stays_so() -> None:
    worker = hosts.worker()
    fleet.leave(worker.pk)
    assert not fleet.serves("default")
    assert not fleet.beat(worker.pk)


def test_no_second_worker_takes_the_name_of_a_living_process_of_this_host() -> None:
    here = this_host().name
    worker = hosts.worker(host=here)
    parent = psutil.Process(os.getppid())
    Worker.objects.filter(pk=worker.pk).update(pid=parent.pid)
    with pytest.raises(fleet.NameTakenError):
        fleet.refuse_taken("celery@here")
    with pytest.raises(SystemExit, match="--hostname"):
        tasks.refuse_a_second_of_a_name("celery@here")
    fleet.refuse_taken("celery@elsewhere")


def test_a_process_number_that_was_given_to_another_does_not_hold_a_name() -> None:
    """The parent of this test was born after that worker started: it cannot be that worker."""
    worker = hosts.worker(host=this_host().name)
    born = dt.datetime.fromtimestamp(psutil.Process(os.getppid()).create_time(), dt.UTC)
    before = born - dt.timedelta(hours=1)
    Worker.objects.filter(pk=worker.pk).update(pid=os.getppid(), started_at=before)
    fleet.refuse_taken("celery@here")


def test_the_roster_shows_who_is_alive_first_and_each_name_once() -> None:
    gone, old = hosts.worker("celery@a"), hosts.worker("celery@z")
    silent(gone, 60)
    hosts.worker("celery@z")
    silent(old, 3600)
    weeks = hosts.worker("celery@weeks")
    silent(weeks, 8 * 24 * 3600)
    assert [(view.worker.name, view.alive) for view in fleet.roster()] == [("celery@z", True), ("celery@a", False)]


def test_the_roster_shows_what_a_worker_measures() -> None:
    hosts.worker()
    assert [view.run_code for view in fleet.roster()] == [""]
    run = runs.running()
    assert [view.run_code for view in fleet.roster()] == [run.code]


def test_the_roster_costs_three_queries_whatever_it_lists(django_assert_num_queries: Any) -> None:
    for number in range(4):
        hosts.worker(f"celery@{number}", ("default",), hosts.UUIDS[number])
    with django_assert_num_queries(3):
        fleet.roster()


def test_runs_of_a_queue_that_nobody_serves_are_known() -> None:
    hosts.worker()
    served, waiting = runs.queued(), runs.queued(queue="gpu.titan")
    assert fleet.unserved() == [waiting]
    hosts.worker("celery@gpu1", ("gpu.titan",))
    assert fleet.unserved() == []
    assert services.waiting(["default"]) == [served]


def test_a_message_goes_to_the_queue_of_its_run(sent: list[tuple[int, str]]) -> None:
    run = runs.queued(queue="gpu.titan")
    tasks.ask(run)
    assert sent == [(run.pk, "gpu.titan")]


class Consumer:
    """What Celery hands to a worker that is ready: its name and, deep inside, its queues."""

    def __init__(self, name: str, *queues: str) -> None:
        self.hostname = name
        self.app = self.amqp = self.queues = self
        self.consume_from = dict.fromkeys(queues)


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pulses that do not beat by themselves, and that are forgotten after the test."""
    monkeypatch.setattr(Pulse, "start", lambda self: None)
    monkeypatch.setattr(tasks, "PULSES", [])


def test_a_worker_that_starts_finds_what_the_last_one_left(still: None) -> None:
    run = runs.running(heartbeat_at=runs.ago(60))
    tasks.pick_up_at_start(Consumer("celery@here", "default"))
    run.refresh_from_db()
    assert run.status == "stalled"


def test_a_worker_that_starts_asks_anew_for_the_runs_of_its_queues(still: None, sent: list[tuple[int, str]]) -> None:
    second, first = runs.queued(created_at=runs.ago(5)), runs.queued(created_at=runs.ago(9))
    runs.queued(queue="gpu.titan")
    runs.running()
    tasks.pick_up_at_start(Consumer("celery@here", "default", "gpu.local"))
    assert sent == [(first.pk, "default"), (second.pk, "default")]
    assert fleet.served_queues() == {"default", "gpu.local"}


def test_a_worker_that_stops_asks_its_run_to_stop_and_signs_off(still: None) -> None:
    tasks.pick_up_at_start(Consumer("celery@here", "default"))
    run = runs.running()
    tasks.stop_at_shutdown(sender="celery@here")
    assert services.cancel_requested(run.pk)
    assert not fleet.serves("default")


def pulse(asked: list[int], queues: tuple[str, ...] = ("default",)) -> Pulse:
    return Pulse(hosts.worker("celery@here", queues), lambda run: asked.append(run.pk))


def test_a_beat_shows_life_and_finds_the_dead() -> None:
    beating = pulse([])
    Worker.objects.update(heartbeat_at=runs.ago(15))
    dead = runs.running(heartbeat_at=runs.ago(30))
    beating.turn(timezone.now())
    dead.refresh_from_db()
    assert dead.status == "stalled"
    assert Worker.objects.get().heartbeat_at > runs.ago(5)


def test_a_run_whose_message_was_lost_is_asked_for_again_once_a_minute() -> None:
    asked: list[int] = []
    beating = pulse(asked)
    now = timezone.now()
    lost = runs.queued(created_at=now - dt.timedelta(seconds=21))
    runs.queued(created_at=now + dt.timedelta(hours=1))
    runs.queued(created_at=now - dt.timedelta(seconds=90), queue="gpu.titan")
    for after_s, times in ((0, 1), (5, 1), (59, 1), (61, 2), (100, 2), (122, 3)):
        beating.turn(now + dt.timedelta(seconds=after_s))
        assert asked == [lost.pk] * times


def test_nothing_is_asked_for_again_while_the_worker_measures() -> None:
    asked: list[int] = []
    beating = pulse(asked)
    runs.queued(created_at=runs.ago(300))
    runs.running()
    beating.turn(timezone.now())
    assert asked == []


@pytest.mark.parametrize("trouble", [kombu.exceptions.OperationalError("away"), OSError("away")])
def test_a_queue_that_is_away_does_not_end_the_pulse(trouble: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    turns: list[int] = []
    beating = pulse([])
    beating.beat_s = 0.001

    def turn(now: dt.datetime) -> None:
        turns.append(1)
        if len(turns) == 3:
            beating.stop()
        raise trouble

    monkeypatch.setattr(beating, "turn", turn)
    monkeypatch.setattr("benchmarks.pulse.connection", type("Still", (), {"close": staticmethod(lambda: None)}))
    beating.run()
    assert len(turns) == 3


def test_engines_are_found_by_the_environment_of_their_program(tmp_path: Path) -> None:
    """A console program stands beside its interpreter; here the one that runs the tests, which has no vLLM."""
    (tmp_path / "python").symlink_to(sys.executable)
    program = tmp_path / "vllm"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert installed.python_beside(program) == tmp_path / "python"
    assert installed.version_by(Path(sys.executable), "psutil") == psutil.__version__
    assert installed.version_by(Path(sys.executable), "no-such-package") is None
    assert installed.version_by(tmp_path / "absent", "psutil") is None
    assert list(installed.engines({"VLLM": str(tmp_path / "absent" / "vllm")})) == ["llama.cpp"]


def test_a_run_carries_its_queue_its_sku_and_its_limits() -> None:
    config = services.RunConfig((1,), 8, 16, 16, sku_code="GPU-TITAN", gpus_count=2, soft_limit_s=60, hard_limit_s=90)
    run = BenchmarkRun.objects.get(pk=services.create_run(config, None).pk)
    assert (run.queue, run.sku_code, run.gpus_count) == ("gpu.titan", "GPU-TITAN", 2)
    assert (run.soft_limit_s, run.hard_limit_s) == (60, 90)
