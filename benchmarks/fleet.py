"""The workers: who is there, which queues they serve, which GPUs their hosts have.

A worker registers when it starts, shows every few seconds that it is alive, and is taken for gone when it has been
silent for GONE_AFTER. Nobody has to sign it off.
"""

import dataclasses
import datetime as dt
import os
from collections.abc import Iterable

import psutil
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from benchmarks import inventory
from benchmarks.hardware import this_host
from benchmarks.models import CPU_QUEUE, BenchmarkRun, Worker, WorkerGpu
from calculator.models import CatalogItem

GONE_AFTER = dt.timedelta(seconds=20)
LISTED_FOR = dt.timedelta(days=7)
LOCAL_GPU_QUEUE = "gpu.local"
QUEUE_PREFIX, CODE_PREFIX = "gpu.", "gpu-"


class NameTakenError(Exception):
    """Another live worker of this host has the same name: runs could not be told apart."""


@dataclasses.dataclass(frozen=True, slots=True)
class WorkerView:
    """A worker with what its line on the page shows."""

    worker: Worker
    alive: bool
    gpus: tuple[WorkerGpu, ...]
    run_code: str


def queue_of(sku_code: str, gpus_count: int = 0) -> str:
    """The queue of a SKU: GPU-TITAN is served by gpu.titan. Without a SKU: this installation's own host."""
    short = sku_code.lower().removeprefix(CODE_PREFIX)
    if short and not is_own_host(sku_code):
        return f"{QUEUE_PREFIX}{short}"
    return LOCAL_GPU_QUEUE if gpus_count else CPU_QUEUE


def is_own_host(sku_code: str) -> bool:
    return CatalogItem.objects.filter(code=sku_code, is_test_host=True).exists()


def own_host() -> CatalogItem | None:
    """The item that stands for this installation's own host in the catalogue; None while there is no catalogue."""
    hosts = CatalogItem.objects.filter(kind=CatalogItem.Kind.GPU_SKU, is_test_host=True)
    return hosts.order_by("code").first()


def sku_of(queues: Iterable[str]) -> str:
    """The SKU of the catalogue that one of `queues` measures; empty when none does."""
    served = {queue for queue in queues if queue.startswith(QUEUE_PREFIX)}
    sold = CatalogItem.objects.filter(kind=CatalogItem.Kind.GPU_SKU, is_test_host=False)
    codes = sold.order_by("code").values_list("code", flat=True).distinct()
    return next((code for code in codes if f"{QUEUE_PREFIX}{code.lower().removeprefix(CODE_PREFIX)}" in served), "")


def register(name: str, queues: Iterable[str], found: inventory.Inventory | None = None) -> Worker:
    """A row for the worker `name` that has just started; an earlier one of that name is over.

    Raises NameTakenError while another process of this host works under that name.
    """
    refuse_taken(name)
    found = found or inventory.take()
    now, served = timezone.now(), sorted(queues)
    with transaction.atomic():
        Worker.objects.filter(name=name, stopped_at__isnull=True).update(stopped_at=now)
        worker = Worker.objects.create(
            name=name,
            host_name=found.host.name,
            queues=served,
            sku_code=sku_of(served),
            pid=os.getpid(),
            started_at=now,
            heartbeat_at=now,
            engines=found.engines,
            cpu_model=found.host.cpu_model,
            cpu_count=found.host.cpu_count,
            memory_bytes=found.host.memory_bytes,
            python_version=found.host.python_version,
            gpu_problem=found.gpu_problem,
            **found.versions,
        )
        WorkerGpu.objects.bulk_create(WorkerGpu(worker=worker, **dataclasses.asdict(gpu)) for gpu in found.gpus)
    return worker


def refuse_taken(name: str) -> None:
    """NameTakenError when a process of this host that still lives registered under `name`."""
    here = Worker.objects.filter(name=name, stopped_at__isnull=True, host_name=this_host().name)
    for worker in here.exclude(pid=os.getpid()):
        if lives(worker):
            raise NameTakenError(name)


def lives(worker: Worker) -> bool:
    """Whether the process that registered as `worker` on this host still runs; its number may be another's by now."""
    try:
        process = psutil.Process(worker.pid)
        began = dt.datetime.fromtimestamp(process.create_time(), dt.UTC)
        return process.status() != psutil.STATUS_ZOMBIE and began <= worker.started_at
    except psutil.Error:
        return False


def beat(worker_id: int) -> bool:
    """Say that the worker is alive; False when it was signed off."""
    return Worker.objects.filter(pk=worker_id, stopped_at__isnull=True).update(heartbeat_at=timezone.now()) == 1


def leave(worker_id: int) -> None:
    """Sign the worker off."""
    Worker.objects.filter(pk=worker_id, stopped_at__isnull=True).update(stopped_at=timezone.now())


def alive(now: dt.datetime | None = None) -> "QuerySet[Worker]":
    """The workers that have shown a sign of life lately."""
    now = now or timezone.now()
    return Worker.objects.filter(stopped_at__isnull=True, heartbeat_at__gte=now - GONE_AFTER)


def served_queues(now: dt.datetime | None = None) -> frozenset[str]:
    """Every queue that some live worker takes runs from."""
    return frozenset(queue for queues in alive(now).values_list("queues", flat=True) for queue in queues)


def serves(queue: str, now: dt.datetime | None = None) -> bool:
    """Whether some live worker takes runs from `queue`."""
    return queue in served_queues(now)


def roster(now: dt.datetime | None = None) -> list[WorkerView]:
    """The workers of the last days, those alive first, each name once."""
    now = now or timezone.now()
    recent = Worker.objects.filter(heartbeat_at__gte=now - LISTED_FOR).prefetch_related("gpus")
    latest: dict[str, Worker] = {}
    for worker in recent.order_by("-started_at", "-pk"):
        latest.setdefault(worker.name, worker)
    runs = running_by_worker()
    views = [_view(worker, now, runs) for worker in latest.values()]
    return sorted(views, key=lambda view: (not view.alive, view.worker.name))


def _view(worker: Worker, now: dt.datetime, runs: dict[str, str]) -> WorkerView:
    living = worker.stopped_at is None and worker.heartbeat_at >= now - GONE_AFTER
    return WorkerView(worker, living, tuple(worker.gpus.all()), runs.get(worker.name, "") if living else "")


def running_by_worker() -> dict[str, str]:
    """The run that each worker measures now."""
    running = BenchmarkRun.objects.filter(status=BenchmarkRun.Status.RUNNING)
    return dict(running.values_list("claimed_by", "code"))


def unserved() -> list[BenchmarkRun]:
    """The runs that wait for a queue which nobody serves, oldest first."""
    queued = BenchmarkRun.objects.filter(status=BenchmarkRun.Status.QUEUED).order_by("created_at", "pk")
    served = served_queues()
    return [run for run in queued if run.queue not in served]
