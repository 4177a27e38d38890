"""The only reads of runs. Each page read first marks the runs that died: no page shows a dead run as running."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Prefetch
from django.http import Http404

from benchmarks import fleet, services
from benchmarks.models import LIVE, BenchmarkRun, BenchmarkSample, BenchmarkStep, BenchmarkTick


@dataclass(frozen=True, slots=True)
class RunView:
    """A run with all that its page shows. `ahead_count` = runs that go before it while it waits.

    `served` is False for a run that waits for a queue which no live worker serves.
    """

    run: BenchmarkRun
    steps: Sequence[BenchmarkStep]
    ticks: Sequence[BenchmarkTick]
    errors: dict[str, int]
    ahead_count: int
    figures_count: int
    served: bool = True

    @property
    def live(self) -> bool:
        return self.run.status in LIVE


def run_id(code: str) -> int:
    """The row of a public number; 404 when there is none."""
    found = BenchmarkRun.objects.filter(code=code).values_list("pk", flat=True).first()
    if found is None:
        raise Http404(code)
    return found


def run_view(code: str) -> RunView:
    """One run as its page needs it; 404 when there is none."""
    services.reap_stalled()
    steps = Prefetch("steps", BenchmarkStep.objects.order_by("position"))
    run = BenchmarkRun.objects.select_related("created_by").prefetch_related(steps).filter(code=code).first()
    if run is None:
        raise Http404(code)
    return RunView(
        run=run,
        steps=list(run.steps.all()),
        ticks=list(BenchmarkTick.objects.filter(step__run=run).select_related("step").order_by("id")),
        errors=errors_of(run),
        ahead_count=ahead_of(run),
        served=run.status != BenchmarkRun.Status.QUEUED or fleet.serves(run.queue),
        figures_count=len([step for step in run.steps.all() if step.complete and step.output_tok_per_s]),
    )


def errors_of(run: BenchmarkRun) -> dict[str, int]:
    """How many measured requests failed, by kind, most first."""
    failed = BenchmarkSample.objects.filter(step__run=run, warm_up=False).exclude(error_kind="")
    counted = failed.values_list("error_kind").annotate(count=Count("pk")).order_by("-count", "error_kind")
    return dict(counted)


def ahead_of(run: BenchmarkRun) -> int:
    """Runs of the same queue that are measured or queued before this one; 0 unless it waits."""
    if run.status != BenchmarkRun.Status.QUEUED:
        return 0
    return BenchmarkRun.objects.filter(status__in=LIVE, queue=run.queue, created_at__lt=run.created_at).count()


def samples(run: BenchmarkRun) -> list[BenchmarkSample]:
    """Every request of a run in the order of its steps."""
    found = BenchmarkSample.objects.filter(step__run=run).select_related("step")
    return list(found.order_by("step__position", "number"))
