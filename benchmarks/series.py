"""Asking for a measurement several times over: one run a repeat, measured one after another.

Each repeat draws fresh prompts. Where we start the engine, each run starts its own, so it is restarted between all
repeats; a server over the network is not ours to restart.
"""

from dataclasses import replace

from django.db import transaction

from benchmarks import repeats, services
from benchmarks.models import LIVE, BenchmarkRun
from benchmarks.services import RunConfig

REPEATS_MAX_COUNT = 10


@transaction.atomic
def create(config: RunConfig, by_id: int | None, repeats_count: int = 1) -> list[BenchmarkRun]:
    """The runs of a series, first one first; a single run for one repeat. A seed that is asked for is the first's."""
    first = services.create_run(config, by_id)
    if repeats_count == 1:
        return [first]
    others = [services.create_run(replace(config, seed=None), by_id) for _number in range(2, repeats_count + 1)]
    mark(first, repeats_count=repeats_count)
    for number, run in enumerate(others, start=2):
        mark(run, parent=first, repeat_number=number)
    return [first, *others]


def mark(run: BenchmarkRun, **values: object) -> None:
    """Set columns of the series on a run that has just been made; it is then no single run any more."""
    for name, value in {"flag_single_run": False, **values}.items():
        setattr(run, name, value)
    run.save(update_fields=["flag_single_run", *values])


def cancel_all(run_id: int) -> int:
    """Cancel the runs of a series that wait, and ask the one under way to stop; how many. Any of its runs may be named.

    The last ones first, so that none of them starts in place of the one that stops.
    """
    run = BenchmarkRun.objects.select_related("parent").get(pk=run_id)
    waiting = [each.pk for each in repeats.members(repeats.first_of(run)) if each.status in LIVE]
    return sum(services.request_cancel(each) for each in reversed(waiting))
