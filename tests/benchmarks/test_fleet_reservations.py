"""A GPU measures for one run at a time: taken with the claim, given back at every end, never twice even in a race."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from benchmarks import reservations, services
from benchmarks.hardware import this_host
from benchmarks.load import records
from benchmarks.models import BenchmarkRun, RunGpu
from benchmarks.runner import Runner
from tests.benchmarks import fleetfactory as hosts
from tests.benchmarks import runfactory as runs
from tests.benchmarks.worksite import ROOT, Site

WORKER = "gpu.titan@here"
A, B, C, D = hosts.UUIDS[:4]
RACERS_COUNT = 3


def titan(gpus_count: int = 1) -> BenchmarkRun:
    return runs.queued(queue="gpu.titan", gpus_count=gpus_count)


def host(*uuids: str, name: str = WORKER) -> None:
    hosts.worker(name, ("gpu.titan",), *uuids, host=this_host().name)


def held(run: BenchmarkRun) -> list[str]:
    return list(RunGpu.objects.filter(run=run, released_at__isnull=True).values_list("uuid", flat=True))


@pytest.mark.django_db
def test_a_run_gets_as_many_gpus_as_it_asks_for() -> None:
    host(A, B, C)
    run = titan(2)
    assert services.claim(run.pk, WORKER)
    assert held(run) == [A, B]
    assert services.gpus_of(run) == (A, B)


@pytest.mark.django_db
def test_two_runs_share_a_host_on_gpus_of_their_own() -> None:
    host(A, B, C)
    first, second = titan(2), titan()
    assert services.claim(first.pk, WORKER) and services.claim(second.pk, WORKER)
    assert (held(first), held(second)) == ([A, B], [C])


@pytest.mark.django_db
def test_a_run_waits_whole_until_enough_gpus_are_free() -> None:
    host(A, B)
    first, second = titan(), titan(2)
    assert services.claim(first.pk, WORKER)
    with pytest.raises(services.HostBusyError):
        services.claim(second.pk, WORKER)
    second.refresh_from_db()
    assert (second.status, second.host_name, held(second)) == ("queued", "", [])
    services.finish(first.pk, "failed", "engine_died")
    assert services.claim(second.pk, WORKER)
    assert held(second) == [A, B]


@pytest.mark.django_db
def test_a_run_that_asks_for_more_than_there_are_ends_with_that_reason() -> None:
    host(A, B)
    run = titan(4)
    assert not services.claim(run.pk, WORKER)
    run.refresh_from_db()
    assert (run.status, run.error_code) == ("failed", "too_few_gpus")
    assert run.error_detail.startswith("4 > 2")


@pytest.mark.django_db
@pytest.mark.parametrize("status", ["succeeded", "failed", "cancelled"])
def test_gpus_are_given_back_at_every_end(status: str) -> None:
    host(A)
    run = titan()
    assert services.claim(run.pk, WORKER)
    assert services.finish(run.pk, status)
    assert held(run) == []
    row = RunGpu.objects.get(run=run)
    assert (row.uuid, row.used) == (A, True) and row.released_at is not None


@pytest.mark.django_db
def test_a_stalled_run_gives_its_gpus_back() -> None:
    host(A)
    run = titan()
    assert services.claim(run.pk, WORKER)
    runs.change(run, heartbeat_at=runs.ago(30))
    assert services.reap_stalled() == 1
    assert held(run) == []
    assert services.claim(titan().pk, WORKER)


@pytest.mark.django_db
def test_a_living_run_keeps_its_gpus_while_a_dead_one_is_found() -> None:
    host(A, B)
    dead, living = titan(), titan()
    assert services.claim(dead.pk, WORKER) and services.claim(living.pk, WORKER)
    runs.change(dead, heartbeat_at=runs.ago(30))
    services.reap_stalled()
    assert (held(dead), held(living)) == ([], [B])


@pytest.mark.django_db
def test_a_run_without_gpus_has_the_whole_host_and_holds_its_gpus_idle() -> None:
    host(A, B)
    cpu = runs.queued()
    assert services.claim(cpu.pk, "celery@here")
    assert list(cpu.gpus.values_list("uuid", "used")) == [(A, False), (B, False)]
    assert services.gpus_of(cpu) == ()
    with pytest.raises(services.HostBusyError):
        services.claim(titan().pk, WORKER)


@pytest.mark.django_db
def test_a_run_without_gpus_waits_while_one_gpu_of_the_host_measures() -> None:
    host(A, B)
    gpu_run, cpu = titan(), runs.queued()
    assert services.claim(gpu_run.pk, WORKER)
    with pytest.raises(services.HostBusyError):
        services.claim(cpu.pk, "celery@here")
    cpu.refresh_from_db()
    assert (cpu.status, held(cpu)) == ("queued", [])
    services.finish(gpu_run.pk, "succeeded")
    assert services.claim(cpu.pk, "celery@here")


@pytest.mark.django_db
def test_gpus_of_another_host_are_nobody_elses() -> None:
    hosts.worker("gpu.titan@there", ("gpu.titan",), A, host="there")
    assert services.claim(runs.queued().pk, "celery@here")
    assert reservations.host_gpus(this_host().name) == []


@pytest.mark.django_db
def test_a_gpu_that_two_workers_of_a_host_list_is_held_once() -> None:
    host(A)
    host(A, name="celery@here")
    cpu = runs.queued()
    assert services.claim(cpu.pk, "celery@here")
    assert held(cpu) == [A]


@pytest.mark.django_db
def test_the_gpus_of_an_unregistered_worker_are_none() -> None:
    run = titan()
    with pytest.raises(reservations.TooFewGpusError):
        reservations.reserve(run, "nobody", timezone.now())


@pytest.mark.parametrize(("gpus", "seen"), [((A, B), f"{A},{B}"), ((), "")])
def test_what_a_run_starts_sees_its_gpus_and_no_other(
    gpus: tuple[str, ...], seen: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Read from the running process itself."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / "stand-in"))
    (tmp_path / "stand-in").write_text('#!/bin/sh\necho "$CUDA_VISIBLE_DEVICES" > "$(dirname "$0")/seen"\n')
    (tmp_path / "stand-in").chmod(0o755)
    with Runner(records.Plan("", str(tmp_path / "run"), (1,), 1, 1, 1, 1, 1), gpus) as runner:
        runner.child.wait(30)
    assert (tmp_path / "seen").read_text() == f"{seen}\n"


CLAIM = """
import pathlib, sys, time
import django
django.setup()
from benchmarks import services
go, run_id, worker = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
print("at the start", flush=True)
while not go.exists():
    time.sleep(0.001)
try:
    print(services.claim(run_id, worker))
except services.HostBusyError:
    print("busy")
"""
SETUP = """
from tests.benchmarks import fleetfactory as hosts, runfactory as runs
from benchmarks.hardware import this_host
names = [f"gpu.titan@{number}" for number in range(COUNT)]
for name in names:
    hosts.worker(name, ("gpu.titan",), hosts.UUIDS[0], hosts.UUIDS[1], host=this_host().name)
print(",".join(str(runs.queued(queue="gpu.titan", gpus_count=2).pk) for name in names))
"""


@pytest.fixture(params=["sqlite", "postgresql"])
def raced(request: pytest.FixtureRequest, tmp_path: Path) -> Site:
    """An empty database that several processes share."""
    if request.param == "postgresql":
        return Site(tmp_path, database=request.getfixturevalue("migrated_database"))
    request.getfixturevalue("migrated")(tmp_path)
    return Site(tmp_path)


@pytest.mark.postgres
@pytest.mark.worker
def test_workers_that_reach_for_the_same_gpus_at_once_leave_them_to_one(raced: Site, tmp_path: Path) -> None:
    """Each wants both GPUs of the host for a run of its own; the others find the host busy and keep nothing."""
    ids = raced.python(SETUP.replace("COUNT", str(RACERS_COUNT))).split(",")
    go = tmp_path / "go"
    racers = [racer(raced, go, run_id, f"gpu.titan@{number}") for number, run_id in enumerate(ids)]
    for process in racers:
        assert process.stdout is not None and process.stdout.readline() == "at the start\n"
    go.touch()
    said = sorted(process.communicate(timeout=60)[0].strip() for process in racers)
    assert said == ["True", *["busy"] * (RACERS_COUNT - 1)]
    rows = raced.read("SELECT run_id, COUNT(*) FROM benchmarks_rungpu WHERE released_at IS NULL GROUP BY run_id")
    assert [count for _, count in rows] == [2]
    running = raced.read("SELECT id FROM benchmarks_benchmarkrun WHERE status = 'running'")
    assert running == [(rows[0][0],)]


def racer(site: Site, go: Path, run_id: str, worker: str) -> "subprocess.Popen[str]":
    command: list[Any] = [sys.executable, "-c", CLAIM, str(go), run_id, worker]
    return subprocess.Popen(command, cwd=ROOT, env=site.environment, stdout=subprocess.PIPE, text=True)
