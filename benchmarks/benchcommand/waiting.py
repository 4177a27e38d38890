"""Following queued runs from a shell: a line whenever something has happened, until they are over.

The wait has an end of its own: the deadline that the caller sets, and UNSERVED_LIMIT_S for a run that is queued where
no worker lives any more. A worker that is restarted comes back within that time.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from benchmarks import eligibility, flagwords, fleet, presenters, probepage, queries, repeats, wording
from benchmarks.eligibility import Weight
from benchmarks.models import LIVE, BenchmarkRun, BenchmarkTick, ProbeReading
from benchmarks.results import headline

POLL_S = 1.0
UNSERVED_LIMIT_S = 60.0
NOT_ELIGIBLE, DEADLINE_PASSED = 1, 3
Sleep = Callable[[float], None]
Clock = Callable[[], float]


class GivenUpError(Exception):
    """The wait has ended before the run; the message says why, `status` is what the command ends with."""

    def __init__(self, sentence: str, status: int) -> None:
        super().__init__(sentence)
        self.status = status


@dataclass(slots=True)
class Wait:
    """How long a command waits: `deadline_s` from now for all its runs, None for as long as they take."""

    deadline_s: float | None = None
    sleep: Sleep = time.sleep
    clock: Clock = time.monotonic
    _began_at: float = field(init=False)
    _unserved_since: float | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self._began_at = self.clock()

    def pause(self, run: BenchmarkRun) -> None:
        """Wait a moment for `run`, which is not over; GivenUpError when that would be in vain."""
        now = self.clock()
        if self.deadline_s is not None and now - self._began_at >= self.deadline_s:
            raise GivenUpError(late(run, self.deadline_s), DEADLINE_PASSED)
        if not (reason := unserved(run)):
            self._unserved_since = None
        elif self._unserved_since is None:
            self._unserved_since = now
        elif now - self._unserved_since >= UNSERVED_LIMIT_S:
            raise GivenUpError(f"{run.code}  {reason}", NOT_ELIGIBLE)
        self.sleep(POLL_S)


def late(run: BenchmarkRun, deadline_s: float) -> str:
    """That the run is not over in time, and that it goes on."""
    said = _("%(code)s  pas terminée au bout de %(time)s\u00a0; la mesure n’est pas annulée (état\u00a0: %(state)s).")
    named = {"code": run.code, "time": wording.duration(deadline_s), "state": wording.status_word(run.status)}
    return said % named


def unserved(run: BenchmarkRun) -> str:
    """Why a queued run will not start by itself, and what to do; empty where a live worker serves its queue."""
    if run.status != BenchmarkRun.Status.QUEUED or fleet.serves(run.queue):
        return ""
    return f"{wording.unserved_sentence(run.queue)} {wording.how_to_serve(run.queue)}"


def lines(run: BenchmarkRun, wait: Wait) -> Iterator[str]:
    """What happens to a run until it is over: its states, and the lines of its page's log. Raises GivenUpError."""
    seen, status = 0, ""
    while True:
        queries.run_view(run.code)  # Marks a run whose worker died.
        run.refresh_from_db()
        for tick in BenchmarkTick.objects.filter(step__run=run, pk__gt=seen).select_related("step").order_by("pk"):
            seen = tick.pk
            yield presenters.log_line(tick)
        if run.status != status:
            status = run.status
            yield f"{run.code}  {wording.status_word(status)}"
        if status not in LIVE:
            return
        wait.pause(run)


def eligible(run: BenchmarkRun) -> bool:
    """Whether the run may be believed: nothing bars it, its GPUs were watched, no figure of a probe was refused.

    It is read anew: the last repeat of a series may have marked the first one as noisy.
    """
    run.refresh_from_db()
    refused = ProbeReading.objects.filter(run=run).exclude(refusal="")
    return eligibility.eligible(run) and not repeats.unwatched(run) and not refused.exists()


def verdict(run: BenchmarkRun) -> list[str]:
    """What a run that is over found, what went wrong, and what speaks against it."""
    view = queries.run_view(run.code)
    said = []
    if run.kind == BenchmarkRun.Kind.SERVING and (found := headline(view)):
        said.append(_("%(code)s  à %(load)s\u00a0: %(rate)s") % {"code": run.code, "load": found[0], "rate": found[1]})
    said += [f"{run.code}  {line}" for line in probepage.sentences(run)]
    if trouble := wording.trouble(view):
        said += [f"{run.code}  {trouble.sentence} {trouble.advice}", *run.error_detail.splitlines()[-5:]]
    against = eligibility.raised(run, Weight.BLOCKING, Weight.BARRING)
    against += (repeats.UNWATCHED,) if repeats.unwatched(run) else ()
    said += [f"{run.code}  {flagwords.name(flag)}" for flag in against]
    return said
