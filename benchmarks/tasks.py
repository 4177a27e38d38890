"""One task: measure the run of that id. Its state is in the database; the message only says which."""

import os
import signal

import kombu.exceptions
from celery import Task, shared_task
from celery.signals import worker_process_init, worker_ready, worker_shutting_down

from benchmarks import services
from benchmarks.load import process
from benchmarks.models import BenchmarkRun

BUSY_RETRY_S = 3


@shared_task(bind=True, acks_late=True, max_retries=None, name="benchmarks.measure")
def measure(self: "Task[[int], None]", run_id: int) -> None:
    """Run one measurement; while another one has the host, come back later."""
    try:
        services.execute(run_id, worker=str(self.request.hostname))
    except services.HostBusyError as busy:
        raise self.retry(countdown=BUSY_RETRY_S, exc=busy) from busy


def submit(run: BenchmarkRun) -> None:
    """Queue a run once its row is committed; a queue that cannot be reached ends it with that reason."""
    try:
        measure.delay_on_commit(run.pk)  # type: ignore[attr-defined]  # added by Celery where Django is in use
    except (kombu.exceptions.OperationalError, OSError) as error:
        services.finish(run.pk, services.Status.FAILED, "queue_unreachable", str(error))


@worker_process_init.connect
def end_with_worker(**_: object) -> None:
    """A pool process must not go on measuring after its worker was killed: nobody would look after it."""
    process.end_with_parent(os.getppid(), signal.SIGKILL)


@worker_ready.connect
def pick_up_at_start(**_: object) -> None:
    """A worker that starts finds the runs that the last one left behind, and asks anew for those that wait.

    Their message may have been lost with the worker that held it; one too many does nothing.
    """
    services.reap_stalled()
    for run_id in services.waiting():
        measure.delay(run_id)


@worker_shutting_down.connect
def stop_at_shutdown(sender: str, **_: object) -> None:
    """A worker told to stop does not wait minutes for a measurement: the run ends as cancelled, and says why."""
    services.stop_runs_of(sender)
