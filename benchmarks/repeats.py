"""Reads of a series: its runs, whose turn it is, what its repeats say together. The first run stands for all."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Q

from benchmarks import eligibility, gates
from benchmarks.eligibility import Weight
from benchmarks.models import LIVE, BenchmarkRun, BenchmarkStep

UNWATCHED = "unwatched"
"""Named among the flags that hold a series back; it is read off the records of the GPUs and has no column."""


@dataclass(frozen=True, slots=True)
class Load:
    """One load of a series: the first run's step, and the complete steps of the same load in the repeats that count."""

    step: BenchmarkStep
    steps: tuple[BenchmarkStep, ...]

    @property
    def point(self) -> gates.Point:
        """The load as the gates judge it."""
        return gates.Point(
            rates_tok_per_s=tuple(step.output_tok_per_s for step in self.steps if step.output_tok_per_s),
            prompt_means_tokens=known(step.prompt_tokens_mean for step in self.steps),
            output_means_tokens=known(step.output_tokens_mean for step in self.steps),
        )


def known(values: Iterable[float | None]) -> tuple[float, ...]:
    return tuple(value for value in values if value is not None)


def first_of(run: BenchmarkRun) -> BenchmarkRun:
    """The run that stands for the series of `run`."""
    return run.parent or run


def members(first: BenchmarkRun) -> list[BenchmarkRun]:
    """Every run of a series in its order, with its steps."""
    found = BenchmarkRun.objects.filter(Q(pk=first.pk) | Q(parent=first)).prefetch_related("steps")
    return list(found.order_by("repeat_number"))


def counting(runs: Sequence[BenchmarkRun]) -> list[BenchmarkRun]:
    """The runs whose figures are worth anything: succeeded, with no flag that bars them."""
    return [run for run in runs if run.status == "succeeded" and not eligibility.raised(run, Weight.BARRING)]


def loads(runs: Sequence[BenchmarkRun]) -> list[Load]:
    """The loads of a series that have a rate, in rising order; `runs` are its members."""
    found: dict[tuple[int, float | None], list[BenchmarkStep]] = {}
    for run in counting(runs):
        for step in run.steps.all():
            if step.complete and step.output_tok_per_s:
                found.setdefault((step.concurrency, step.rate_per_s), []).append(step)
    return [Load(steps[0], tuple(steps)) for _load, steps in sorted(found.items(), key=lambda item: order(item[0]))]


def order(load: tuple[int, float | None]) -> tuple[int, float]:
    return load[0], load[1] or 0.0


def gates_of(first: BenchmarkRun, runs: Sequence[BenchmarkRun]) -> tuple[gates.Gate, ...]:
    """The gates of a series; what its spread says already is not said again as a flag."""
    raised = dict.fromkeys(flag for run in counting(runs) for flag in eligibility.raised(run, Weight.BLOCKING))
    raised.pop("noisy", None)
    if any(map(unwatched, counting(runs))):
        raised[UNWATCHED] = None
    points = [load.point for load in loads(runs)]
    return gates.gates(points, first.prompt_tokens, first.output_tokens, tuple(raised))


def unwatched(run: BenchmarkRun) -> bool:
    """Whether some GPU of a served run left no record: that nothing held it back or shared it is then not known."""
    if run.kind != BenchmarkRun.Kind.SERVING or not run.gpus_count:
        return False
    return any(gpu.used and gpu.state_at_start is None for gpu in run.gpus.all())


def waits_for_another(run: BenchmarkRun) -> bool:
    """Whether an earlier repeat of its series is not over: repeats are measured one after another, in their order."""
    if run.parent_id is None:
        return False
    earlier = BenchmarkRun.objects.filter(Q(pk=run.parent_id) | Q(parent_id=run.parent_id), status__in=LIVE)
    return earlier.filter(repeat_number__lt=run.repeat_number).exists()


def must_wait(run_id: int) -> bool:
    """`waits_for_another` of the run with this id; False for one that is no repeat."""
    run = BenchmarkRun.objects.filter(pk=run_id, parent__isnull=False).first()
    return run is not None and waits_for_another(run)


def settle(run_id: int) -> None:
    """After a repeat has ended, mark or unmark its series as noisy by what all of them say now."""
    run = BenchmarkRun.objects.select_related("parent").get(pk=run_id)
    first = first_of(run)
    cv_ratio = gates.worst_cv([load.point for load in loads(members(first)) if len(load.steps) > 1])
    noisy = cv_ratio is not None and round(cv_ratio, 6) > gates.CV_LIMIT_RATIO
    BenchmarkRun.objects.filter(pk=first.pk).exclude(flag_noisy=noisy).update(flag_noisy=noisy)
