"""A finished measurement becomes figures of the calculator, or stops being them: the only writes into its tables here.

What is published is a series, by its first run. A figure is the median of the repeats at one load.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from benchmarks import eligibility, fleet, gates, repeats
from benchmarks.eligibility import Weight
from benchmarks.load import testmodel
from benchmarks.models import BenchmarkRun
from benchmarks.repeats import Load
from calculator.models import ApiLatency, CatalogItem, Figure, LanguageModel


class NotPublishableError(Exception):
    """The run cannot be published; `code` says why: withdrawn, no_rate, no_sku, no_model, gates, or an obstacle."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True)
class Approval:
    """Somebody with the right answers for the closed gates, with a reason that stays with the figures."""

    by_id: int
    by_name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """A series with what its publication would write. `closed` are its closed gates, which a test model has none of."""

    run: BenchmarkRun
    runs: tuple[BenchmarkRun, ...]
    loads: tuple[Load, ...]
    found: tuple[gates.Gate, ...]

    @property
    def test_model(self) -> bool:
        return is_test_model(self.run)

    @property
    def closed(self) -> tuple[str, ...]:
        return () if self.test_model else gates.failed(self.found)


def candidate(run: BenchmarkRun) -> Candidate:
    """The series of a first run as it stands now."""
    runs = tuple(repeats.members(run))
    return Candidate(run, runs, tuple(repeats.loads(runs)), repeats.gates_of(run, runs))


def is_test_model(run: BenchmarkRun) -> bool:
    """Whether the model is the one with random weights that stands for none: its figures enter no comparison."""
    return run.model_name == testmodel.TEST_MODEL.name


def obstacle(run: BenchmarkRun) -> str:
    """Why a run may never be a figure; empty when nothing stands against it.

    A run whose client was late measured the client; a run answered from a prefix cache measured the cache; a run of
    somebody else's server says nothing about a machine of this catalogue; a run at a rate has no number of streams
    that its tokens a second could be stated for; a result of another tool is not ours; a repeat speaks through the
    first run of its series.
    """
    against = {
        "not_succeeded": run.status != BenchmarkRun.Status.SUCCEEDED,
        "probe": run.kind != BenchmarkRun.Kind.SERVING,
        "imported": run.origin == BenchmarkRun.Origin.IMPORTED,
        "repeat": run.parent_id is not None,
        "target": bool(run.target_url),
        "open_loop": run.pattern != BenchmarkRun.Pattern.CLOSED,
    }
    barred = eligibility.raised(run, Weight.BARRING)
    return next((code for code, stands in against.items() if stands), next(iter(barred), ""))


@transaction.atomic
def publish(run_id: int, approval: Approval | None = None) -> list[Figure]:
    """One measured figure for each load that has a rate. A second call returns the same figures and adds none."""
    run = BenchmarkRun.objects.select_for_update(of=("self",)).get(pk=run_id)
    if run.withdrawn_at:
        raise NotPublishableError("withdrawn")
    if run.published_at:
        return list(Figure.objects.filter(run=run.code).order_by("concurrency"))
    offered = candidate(run)
    if code := refusal_of(offered, approval):
        raise NotPublishableError(code)
    sku, model = sku_of(run), language_model() if offered.test_model else language_model_of(run)
    if not sku or not model:
        raise NotPublishableError("no_sku" if not sku else "no_model")
    run.published_at = timezone.now()
    mark_passed(run, offered.closed, approval)
    return [Figure.objects.create(**values) for values in figures_of(offered, sku, model, run.published_at)]


def refusal_of(offered: Candidate, approval: Approval | None) -> str:
    """Why a series is not published now; empty when it may be."""
    if code := obstacle(offered.run):
        return code
    if any(run.status in ("queued", "running") for run in offered.runs):
        return "repeats_live"
    if not offered.loads:
        return "no_rate"
    return "gates" if offered.closed and not (approval and approval.reason) else ""


def mark_passed(run: BenchmarkRun, closed: Sequence[str], approval: Approval | None) -> None:
    """Note the publication, and who answered for which closed gate."""
    if closed and approval:
        run.gates_failed, run.gates_reason = ",".join(closed), approval.reason
        run.gates_passed_by_id = approval.by_id
    run.save(update_fields=["published_at", "gates_failed", "gates_reason", "gates_passed_by"])


def sku_of(run: BenchmarkRun) -> CatalogItem | None:
    """What was measured: the SKU that the run names, else this host."""
    if not run.sku_code:
        return fleet.own_host()
    return CatalogItem.objects.filter(kind=CatalogItem.Kind.GPU_SKU, code__iexact=run.sku_code).first()


def language_model_of(run: BenchmarkRun) -> LanguageModel | None:
    """The calculator's model of that name, by its own name or that of its repository; nothing is added by looking."""
    if not run.model_name:
        return None
    return LanguageModel.objects.filter(Q(name__iexact=run.model_name) | Q(hf_id__iexact=run.model_name)).first()


def figures_of(
    offered: Candidate, sku: CatalogItem, model: LanguageModel, published_at: dt.datetime
) -> list[dict[str, object]]:
    """The columns of every figure that the series gives, the lowest concurrency first."""
    shared = {
        "sku": sku,
        "language_model": model,
        "test_model": offered.test_model,
        "published_at": published_at,
        "exception": exception(offered.run),
    }
    return [figure_values(offered.run, load) | shared for load in offered.loads]


def figure_values(run: BenchmarkRun, load: Load) -> dict[str, object]:
    """The figure of one load: what was measured and every condition that belongs to it."""
    found = load.point.spread
    return {
        "conditions": conditions(run, len(load.steps)),
        "precision": run.precision,
        "engine": f"{run.engine} ({run.engine_version})"[:60],
        "input_tokens": run.prompt_tokens,
        "output_tokens": run.output_tokens,
        "concurrency": load.step.concurrency,
        "metric": Figure.Metric.OUTPUT,
        "value": found.median if found else None,
        "unit": "tok/s",
        "scope": Figure.Scope.INSTANCE,
        "kind": "measured",
        "label": "benchmark_run",
        "reference": run.code,
        "as_of": timezone.localtime(run.finished_at).date(),
        "single_stream": load.step.concurrency == 1,
        "run": run.code,
    }


def conditions(run: BenchmarkRun, count: int = 1) -> str:
    """How it was measured, in the words of the catalogue."""
    prompts = "fresh random prompts"
    if run.shared_prefix_tokens:
        prompts += f" with {run.shared_prefix_tokens} shared tokens"
    weights = ["random weights"] if is_test_model(run) or run.flag_dummy_weights else []
    return ", ".join(["closed loop", prompts, *weights, "one run" if count == 1 else f"median of {count} runs"])


def exception(run: BenchmarkRun) -> str:
    """Why the figures stand although a gate was closed; empty where none was. Who says so is kept with the run."""
    return run.gates_reason if run.gates_failed else ""


@transaction.atomic
def withdraw(run_id: int) -> int:
    """Withdraw what a run published; how many rows. Once withdrawn, a run stays so: measure again instead."""
    now = timezone.now()
    published = BenchmarkRun.objects.filter(pk=run_id, published_at__isnull=False, withdrawn_at__isnull=True)
    if not published.update(withdrawn_at=now):
        return 0
    code = BenchmarkRun.objects.values_list("code", flat=True).get(pk=run_id)
    standing = (table.objects.filter(run=code, withdrawn_at__isnull=True) for table in (Figure, ApiLatency))
    return sum(rows.update(withdrawn_at=now) for rows in standing)


def language_model() -> LanguageModel:
    """The test model among the calculator's models, added with its first figure."""
    recipe = testmodel.TEST_MODEL
    parameters = testmodel.parameter_count(recipe)
    embeddings = 2 * recipe.vocabulary_size * recipe.width
    model, _created = LanguageModel.objects.get_or_create(
        name=recipe.name,
        defaults={
            "is_test": True,
            "params_total": parameters,
            "params_active": parameters,
            "params_non_embedding": parameters - embeddings,
            "layers": recipe.layer_count,
            "hidden": recipe.width,
            "heads": recipe.head_count,
            "kv_heads": recipe.kv_head_count,
            "head_dim": recipe.head_width,
            "intermediate": recipe.feed_forward_width,
            "vocab": recipe.vocabulary_size,
            "tied_embeddings": False,
            "gated_mlp": True,
            "max_context": recipe.context_tokens,
            "attention": "GQA",
            "kv_bytes_per_token_16bit": 4 * recipe.layer_count * recipe.kv_head_count * recipe.head_width,
            "native_dtype": "fp16",
            "source": "benchmarks/load/testmodel.py",
            "note": "Seeded random weights made on the spot: a load to measure with, no language model to use.",
        },
    )
    return model
