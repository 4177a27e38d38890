"""Whether a series is slower than the published one before it: alike but for versions, or nothing is said."""

from collections.abc import Iterable

from django.utils.translation import gettext as _

from benchmarks import comparison, regression, repeats
from benchmarks.models import BenchmarkRun
from benchmarks.publishing import Candidate
from benchmarks.regression import Comparison
from benchmarks.repeats import Load
from benchmarks.wording import load_words
from calculator import formats

CONSIDERED_COUNT = 20


def published_before(offered: Candidate) -> BenchmarkRun | None:
    """The newest published run that is alike and not withdrawn, other than this one."""
    run = offered.run
    own = comparison.conditions(run, list(run.steps.all()))
    found = BenchmarkRun.objects.filter(
        published_at__isnull=False,
        withdrawn_at__isnull=True,
        model_name=run.model_name,
        sku_code=run.sku_code,
        created_at__lt=run.created_at,
    ).exclude(pk=run.pk)
    listed = found.prefetch_related("steps").order_by("-published_at")[:CONSIDERED_COUNT]
    return next((each for each in listed if comparison.alike(own, conditions(each))), None)


def conditions(run: BenchmarkRun) -> dict[str, str]:
    return comparison.conditions(run, list(run.steps.all()))


def series_between(base: BenchmarkRun, run: BenchmarkRun) -> list[BenchmarkRun]:
    """Other series of the same kind since the baseline: what confirms a regression."""
    found = BenchmarkRun.objects.filter(
        parent__isnull=True,
        status="succeeded",
        model_name=run.model_name,
        sku_code=run.sku_code,
        created_at__gt=base.created_at,
    ).exclude(pk=run.pk)
    listed = found.prefetch_related("steps").order_by("-created_at")[:CONSIDERED_COUNT]
    own = conditions(run)
    return [each for each in listed if comparison.alike(own, conditions(each))]


def sentences(offered: Candidate) -> list[str]:
    """One sentence a load that both have measured, against the published run; empty without such a run."""
    base = published_before(offered) if offered.run.status == "succeeded" else None
    if base is None:
        return []
    before = repeats.loads(repeats.members(base))
    return [sentence(offered, base, load, was) for load in offered.loads for was in before if same(load, was)]


def same(first: Load, second: Load) -> bool:
    return (first.step.concurrency, first.step.rate_per_s) == (second.step.concurrency, second.step.rate_per_s)


def sentence(offered: Candidate, base: BenchmarkRun, load: Load, was: Load) -> str:
    """The change against the baseline, whether it is certain and large enough, and whether it is confirmed."""
    found = regression.compare(was.point.rates_tok_per_s, load.point.rates_tok_per_s)
    named = {"load": load_words(load.step), "code": base.code}
    if found is None:
        return _("À %(load)s : trop peu de répétitions pour juger d’un écart avec %(code)s, publiée.") % named
    named |= {
        "change": formats.percent(found.change_ratio, 1, signed=True),
        "low": formats.percent(found.low_ratio, 1, signed=True),
        "high": formats.percent(found.high_ratio, 1, signed=True),
    }
    if not found.regressed:
        return _("À %(load)s : %(change)s par rapport à %(code)s, publiée (95 %% : %(low)s à %(high)s).") % named
    if confirmed(offered, base, was):
        return (
            _("À %(load)s, régression confirmée : %(change)s par rapport à %(code)s (95 %% : %(low)s à %(high)s).")
            % named
        )
    return (
        _(
            "À %(load)s, régression à confirmer par une autre série : %(change)s par rapport à %(code)s"
            " (95 %% : %(low)s à %(high)s)."
        )
        % named
    )


def confirmed(offered: Candidate, base: BenchmarkRun, was: Load) -> bool:
    """Whether another series since the baseline says the same."""
    return any(
        found is not None and found.regressed
        for other in series_between(base, offered.run)
        for found in comparisons(other, was)
    )


def comparisons(other: BenchmarkRun, was: Load) -> Iterable[Comparison | None]:
    for load in repeats.loads(repeats.members(other)):
        if same(load, was):
            yield regression.compare(was.point.rates_tok_per_s, load.point.rates_tok_per_s)
