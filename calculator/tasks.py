"""One task: the long work on a price file of that id. Its state is in the database; the message only says which."""

from typing import Any

from celery import Task, shared_task
from celery.signals import worker_ready

from calculator.pricing import comparing, working


@shared_task(bind=True, name=working.TASK)
def price_work(self: "Task[[int], None]", pk: int) -> None:
    """Compare or apply a large file."""
    working.done(pk, str(self.request.hostname), comparing.step)


@worker_ready.connect
def pick_up_at_start(sender: Any, **_: object) -> None:
    """A worker of the queue asks anew for what waits, and for what an earlier one of its name left behind."""
    if working.QUEUE in sender.app.amqp.queues.consume_from:
        for pk in working.left_behind(str(sender.hostname)):
            working.sent(pk)
