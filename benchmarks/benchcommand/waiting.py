"""Following queued runs from a shell: a line whenever something has happened, until they are over."""

import time
from collections.abc import Callable, Iterator

from django.utils.translation import gettext as _

from benchmarks import eligibility, flagwords, fleet, presenters, probepage, queries, repeats, wording
from benchmarks.eligibility import Weight
from benchmarks.models import LIVE, BenchmarkRun, BenchmarkTick, ProbeReading
from benchmarks.results import headline

POLL_S = 1.0
Sleep = Callable[[float], None]


def unserved(run: BenchmarkRun) -> str:
    """Why a queued run will not start by itself, and what to do; empty where a live worker serves its queue."""
    if run.status != BenchmarkRun.Status.QUEUED or fleet.serves(run.queue):
        return ""
    return f"{wording.unserved_sentence(run.queue)} {wording.how_to_serve(run.queue)}"


def lines(run: BenchmarkRun, sleep: Sleep = time.sleep) -> Iterator[str]:
    """What happens to a run until it is over: its states, and the lines of its page's log."""
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
        sleep(POLL_S)


def eligible(run: BenchmarkRun) -> bool:
    """Whether the run may be believed: nothing bars it, its GPUs were watched, no figure of a probe was refused."""
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
