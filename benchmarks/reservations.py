"""Which run has which GPU. A reservation is a row that only one live run can have for a GPU, taken with the claim.

A run without GPUs measures the whole host: it holds the host's GPUs idle meanwhile, so that the two kinds of run never
share a host. Everything here is called inside the transaction that changes the run's state.
"""

import datetime as dt
from collections.abc import Iterable

from django.db.models import QuerySet

from benchmarks.models import BenchmarkRun, RunGpu, WorkerGpu


class NoFreeGpuError(Exception):
    """Fewer GPUs are free now than the run asks for; some will be later."""


class TooFewGpusError(Exception):
    """The worker's host does not have as many GPUs as the run asks for: waiting would not help."""

    def __init__(self, asked: int, present: int) -> None:
        super().__init__(f"{asked} > {present}")
        self.asked = asked
        self.present = present


def reserve(run: BenchmarkRun, worker_name: str, now: dt.datetime) -> list[RunGpu]:
    """Take the GPUs that `run` asks for on the host of `worker_name`, all or none.

    Raises NoFreeGpuError, TooFewGpusError, or IntegrityError when another worker took one at the same instant.
    """
    if run.gpus_count == 0:
        return _hold(run, host_gpus(run.host_name), now, used=False)
    present = worker_gpus(worker_name)
    if len(present) < run.gpus_count:
        raise TooFewGpusError(run.gpus_count, len(present))
    taken = set(RunGpu.objects.filter(released_at__isnull=True).values_list("uuid", flat=True))
    free = [gpu for gpu in present if gpu.uuid not in taken]
    if len(free) < run.gpus_count:
        raise NoFreeGpuError(f"{len(free)} of {run.gpus_count}")
    return _hold(run, free[: run.gpus_count], now, used=True)


def _hold(run: BenchmarkRun, gpus: Iterable[WorkerGpu], now: dt.datetime, *, used: bool) -> list[RunGpu]:
    rows = [RunGpu(run=run, uuid=gpu.uuid, index=gpu.index, name=gpu.name, used=used, reserved_at=now) for gpu in gpus]
    return RunGpu.objects.bulk_create(rows)


def worker_gpus(worker_name: str) -> list[WorkerGpu]:
    """The GPUs that the live worker of that name registered, in their order."""
    return list(WorkerGpu.objects.filter(worker__name=worker_name, worker__stopped_at__isnull=True).order_by("index"))


def host_gpus(host_name: str) -> list[WorkerGpu]:
    """The GPUs that any worker of the host registered, each once."""
    listed = WorkerGpu.objects.filter(worker__host_name=host_name, worker__stopped_at__isnull=True)
    return list({gpu.uuid: gpu for gpu in listed.order_by("worker_id", "index")}.values())


def release(run_ids: Iterable[int], now: dt.datetime) -> int:
    """Give the GPUs of runs that are over back; how many."""
    return RunGpu.objects.filter(run_id__in=list(run_ids), released_at__isnull=True).update(released_at=now)


def used_gpus(run: BenchmarkRun) -> "QuerySet[RunGpu]":
    """The GPUs that the run measures with, in their order."""
    return RunGpu.objects.filter(run=run, used=True).order_by("index")
