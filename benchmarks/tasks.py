"""One task: measure the run of that id. Its state is in the database; the message only says which.

A run's message goes to the run's queue, so that only the workers of its SKU see it.
"""

import os
import signal
import sys
from typing import Any

import kombu.exceptions
from celery import Task, shared_task
from celery.signals import celeryd_init, worker_process_init, worker_ready, worker_shutting_down

from benchmarks import fleet, services
from benchmarks.limits import limits_of
from benchmarks.load import process
from benchmarks.models import BenchmarkRun
from benchmarks.patience import AWAY
from benchmarks.pulse import Pulse

BUSY_RETRY_S = 3
PULSES: list[Pulse] = []  # The one of this worker, while it works.


@shared_task(bind=True, acks_late=True, max_retries=None, name="benchmarks.measure")
def measure(self: "Task[[int], None]", run_id: int) -> None:
    """Run one measurement; while another one has the host or the GPUs, or the database is away, come back later.

    A run that was claimed before the database left is not claimed again: it ends, or is found stalled.
    """
    try:
        services.execute(run_id, worker=str(self.request.hostname))
    except (services.HostBusyError, *AWAY) as busy:
        raise self.retry(countdown=BUSY_RETRY_S, exc=busy) from busy


def submit(run: BenchmarkRun) -> None:
    """Queue a run once its row is committed; a queue that cannot be reached ends it with that reason."""
    try:
        measure.apply_async_on_commit(**message(run))  # type: ignore[attr-defined]  # added by Celery with Django
    except (kombu.exceptions.OperationalError, OSError) as error:
        services.finish(run.pk, services.Status.FAILED, "queue_unreachable", str(error))


def message(run: BenchmarkRun) -> dict[str, Any]:
    """What is sent for a run, and where to."""
    return {"args": (run.pk,), "queue": run.queue, **limits_of(run).task}


def ask(run: BenchmarkRun) -> None:
    """Send the message of a run that waits."""
    measure.apply_async(**message(run))


@celeryd_init.connect
def refuse_a_second_of_a_name(sender: str, **_: object) -> None:
    """Two workers of one name on a host could not be told apart: the second one says so and ends."""
    try:
        fleet.refuse_taken(sender)
    except fleet.NameTakenError:
        sys.exit(f"VMCloud cannot start. A worker named {sender} runs on this host already; give --hostname another.")


@worker_process_init.connect
def end_with_worker(**_: object) -> None:
    """A pool process must not go on measuring after its worker was killed: nobody would look after it."""
    process.end_with_parent(os.getppid(), signal.SIGKILL)


@worker_ready.connect
def pick_up_at_start(sender: Any, **_: object) -> None:
    """A worker that starts registers, finds the runs that the last one left behind, and asks anew for those that wait.

    Their message may have been lost with the worker that held it; one too many does nothing.
    """
    services.reap_stalled()
    worker = fleet.register(str(sender.hostname), sender.app.amqp.queues.consume_from)
    PULSES.append(Pulse(worker, ask))
    PULSES[-1].start()
    for run in services.waiting(worker.queues):
        ask(run)


@worker_shutting_down.connect
def stop_at_shutdown(sender: str, **_: object) -> None:
    """A worker told to stop does not wait minutes for a measurement: the run ends as cancelled, and says why."""
    while PULSES:
        pulse = PULSES.pop()
        pulse.stop()
        fleet.leave(pulse.worker_id)
    services.stop_runs_of(sender)
