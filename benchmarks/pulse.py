"""A worker's thread: shows that it is alive, finds dead runs, asks anew for runs whose message was lost."""

import datetime as dt
import logging
import threading
from collections.abc import Callable, Sequence

import kombu.exceptions
from django.db import DatabaseError, InterfaceError, connection
from django.utils import timezone

from benchmarks import fleet, services
from benchmarks.models import BenchmarkRun, Worker

logger = logging.getLogger(__name__)
BEAT_S = 5.0
LOST_AFTER = dt.timedelta(seconds=20)
ASK_AGAIN_AFTER = dt.timedelta(seconds=60)


class Pulse(threading.Thread):
    """Beats until `stop`. `ask` sends the message of a run; the database or the queue may be away for a while."""

    def __init__(self, worker: Worker, ask: Callable[[BenchmarkRun], None], beat_s: float = BEAT_S) -> None:
        super().__init__(name="pulse", daemon=True)
        self.worker_id, self.worker_name, self.queues = worker.pk, worker.name, tuple(worker.queues)
        self.ask = ask
        self.beat_s = beat_s
        self._asked: dict[int, dt.datetime] = {}
        self._over = threading.Event()
        self._away = False

    def run(self) -> None:
        while not self._over.wait(self.beat_s):
            try:
                self.turn(timezone.now())
                self._away = False
            except (DatabaseError, InterfaceError, kombu.exceptions.OperationalError, OSError) as error:
                logger.warning("No sign of life for now: %s", str(error).strip())
                self._away = True
            finally:
                # A connection kept open would be shared with the pool processes that the worker forks.
                connection.close()

    def turn(self, now: dt.datetime) -> None:
        """One beat: alive, dead runs found, lost messages sent again.

        Right after the database was away every run looks dead; they get one beat to show that they are not.
        """
        fleet.beat(self.worker_id)
        if not self._away:
            services.reap_stalled(now)
        for run in self.lost(now):
            self._asked[run.pk] = now
            self.ask(run)

    def lost(self, now: dt.datetime) -> Sequence[BenchmarkRun]:
        """The runs of this worker's queues that wait although it has nothing to do; each once a minute at most.

        A broker that was restarted without its memory has lost their messages. One message too many does nothing.
        """
        if services.measures(self.worker_name):
            return []
        old = [run for run in services.waiting(self.queues) if run.created_at < now - LOST_AFTER]
        return [run for run in old if self._asked.get(run.pk, run.created_at) < now - self._patience(run)]

    def _patience(self, run: BenchmarkRun) -> dt.timedelta:
        return ASK_AGAIN_AFTER if run.pk in self._asked else LOST_AFTER

    def stop(self) -> None:
        self._over.set()
