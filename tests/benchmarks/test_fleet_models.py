"""What the database refuses of kinds of run, workers and reserved GPUs, and what the migration does to old runs."""

from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from benchmarks.models import BenchmarkRun, RunGpu, TelemetrySecond, Worker, WorkerGpu
from tests.benchmarks import runfactory as runs

pytestmark = pytest.mark.django_db
GPU = "GPU-8c2a1d5e-0001-0002-0003-000000000004"


def refused(run: BenchmarkRun, **values: Any) -> bool:
    try:
        with transaction.atomic():
            BenchmarkRun.objects.filter(pk=run.pk).update(**values)
    except IntegrityError:
        return True
    return False


def held(run: BenchmarkRun, uuid: str = GPU, **values: Any) -> RunGpu:
    return RunGpu.objects.create(run=run, uuid=uuid, index=0, reserved_at=timezone.now(), **values)


def worker(name: str = "celery@gpu1", **values: Any) -> Worker:
    now = timezone.now()
    known: dict[str, Any] = {"host_name": "gpu1", "pid": 12, "started_at": now, "heartbeat_at": now}
    return Worker.objects.create(name=name, **(known | values))


def test_a_probe_has_a_name_no_engine_and_needs_no_requests() -> None:
    run = runs.queued()
    probe = {"kind": "probe", "engine_kind": "", "requests_count": 0, "prompt_tokens": 0, "output_tokens": 0}
    assert refused(run, **probe)
    assert refused(run, **probe, probe="gemm") is False
    assert refused(run, engine_kind="llama_cpp")


def test_a_serving_run_has_an_engine_and_no_probe() -> None:
    run = runs.queued()
    assert refused(run, engine_kind="")
    assert refused(run, engine_kind="triton")
    assert refused(run, probe="gemm")
    assert not refused(run, engine_kind="vllm", engine_config="model: m")


def test_an_address_and_the_engine_kind_url_go_together() -> None:
    run = runs.queued()
    assert refused(run, engine_kind="url")
    assert refused(run, target_url="https://api.example.com/v1")
    assert not refused(run, engine_kind="url", target_url="https://api.example.com/v1")


def test_every_run_has_a_queue() -> None:
    run = runs.queued()
    assert run.queue == "default"
    assert refused(run, queue="")


def test_a_soft_limit_comes_before_the_hard_one() -> None:
    run = runs.queued()
    assert refused(run, soft_limit_s=60, hard_limit_s=60)
    assert not refused(run, soft_limit_s=60, hard_limit_s=90)
    assert not refused(run, soft_limit_s=None, hard_limit_s=90)


def test_runs_with_gpus_share_a_host_and_runs_without_do_not() -> None:
    first = runs.running()
    second = runs.queued()
    now = timezone.now()
    live = {
        "status": "running",
        "started_at": now,
        "heartbeat_at": now,
        "claimed_by": "w",
        "host_name": first.host_name,
    }
    assert refused(second, **live)
    assert not refused(second, **live, gpus_count=1)
    assert not refused(runs.queued(), **live, gpus_count=1)


def test_a_gpu_belongs_to_one_run_until_it_is_released() -> None:
    first, second = runs.queued(), runs.queued()
    reserved = held(first)
    with pytest.raises(IntegrityError), transaction.atomic():
        held(second)
    RunGpu.objects.filter(pk=reserved.pk).update(released_at=timezone.now())
    assert held(second).released_at is None


def test_a_run_holds_each_of_its_gpus_once_and_each_by_a_uuid() -> None:
    run = runs.queued()
    held(run, released_at=timezone.now())
    for uuid in (GPU, ""):
        with pytest.raises(IntegrityError), transaction.atomic():
            held(run, uuid)


def test_one_live_worker_has_a_name() -> None:
    first = worker()
    with pytest.raises(IntegrityError), transaction.atomic():
        worker()
    Worker.objects.filter(pk=first.pk).update(stopped_at=timezone.now())
    assert worker().pk != first.pk
    with pytest.raises(IntegrityError), transaction.atomic():
        worker("")


def test_a_worker_lists_each_gpu_once() -> None:
    host = worker()
    WorkerGpu.objects.create(worker=host, uuid=GPU, index=0)
    with pytest.raises(IntegrityError), transaction.atomic():
        WorkerGpu.objects.create(worker=host, uuid=GPU, index=1)


def test_a_second_of_telemetry_is_stored_once_and_never_without_a_sample() -> None:
    run = runs.queued()
    TelemetrySecond.objects.create(run=run, device=GPU, second=3, samples_count=5)
    for second, samples in ((3, 5), (4, 0)):
        with pytest.raises(IntegrityError), transaction.atomic():
            TelemetrySecond.objects.create(run=run, device=GPU, second=second, samples_count=samples)


def test_rows_of_the_fleet_name_themselves() -> None:
    run = runs.queued(code="2026-0042")
    host = worker()
    assert str(host) == "celery@gpu1"
    assert str(WorkerGpu(worker=host, uuid=GPU, index=3)) == "celery@gpu1 GPU 3"
    assert str(held(run)) == f"2026-0042 {GPU}"
    assert str(TelemetrySecond(run=run, second=7)) == "2026-0042 host 7 s"


@pytest.mark.django_db(transaction=True)
def test_old_runs_keep_their_engine_and_their_queue_through_the_migration() -> None:
    """A run of a server and one of this machine, stored before kinds existed."""
    executor = MigrationExecutor(connection)
    leaves = [node for node in executor.loader.graph.leaf_nodes() if node[0] == "benchmarks"]
    old_state = executor.migrate([("benchmarks", "0004_client_lag")])
    try:
        old = old_state.apps.get_model("benchmarks", "BenchmarkRun")
        asked = {"created_at": timezone.now(), "requests_count": 8, "prompt_tokens": 8, "output_tokens": 8, "seed": 1}
        old.objects.create(code="2026-0001", **asked)
        old.objects.create(code="2026-0002", target_url="https://api.example.com/v1", **asked)
    finally:
        MigrationExecutor(connection).migrate(leaves)
    found = BenchmarkRun.objects.order_by("code").values_list("kind", "engine_kind", "queue", "gpus_count")
    assert list(found) == [("serving", "llama_cpp", "default", 0), ("serving", "url", "default", 0)]
