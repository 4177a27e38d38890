"""A finished run becomes figures of the calculator, or stops being them: the only writes into its tables from here."""

from django.db import transaction
from django.utils import timezone

from benchmarks.load import testmodel
from benchmarks.models import BenchmarkRun, BenchmarkStep
from calculator.models import CatalogItem, Figure, LanguageModel

TEST_HOST_CODE = "CPU-LOCAL"


class NotPublishableError(Exception):
    """The run cannot be published; `code` says why: withdrawn, no_rate, no_sku, or what `obstacle` found."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def obstacle(run: BenchmarkRun) -> str:
    """Why a run may never be a figure; empty when nothing stands against it.

    A run whose client was late measured the client; a run answered from a prefix cache measured the cache; a run of
    somebody else's server says nothing about a machine of this catalogue; a run at a rate has no number of streams
    that its tokens a second could be stated for.
    """
    against = {
        "not_succeeded": run.status != BenchmarkRun.Status.SUCCEEDED,
        "target": bool(run.target_url),
        "open_loop": run.pattern != BenchmarkRun.Pattern.CLOSED,
        "client_bound": run.flag_client_bound,
        "prefix_cache_warm": run.flag_prefix_cache_warm,
    }
    return next((code for code, stands in against.items() if stands), "")


@transaction.atomic
def publish(run_id: int) -> list[Figure]:
    """One measured figure for each step that has a rate. A second call returns the same figures and adds none."""
    now = timezone.now()
    run = BenchmarkRun.objects.select_for_update().get(pk=run_id)
    if run.withdrawn_at:
        raise NotPublishableError("withdrawn")
    if run.published_at:
        return list(Figure.objects.filter(run=run.code).order_by("concurrency"))
    if code := obstacle(run):
        raise NotPublishableError(code)
    steps = list(run.steps.filter(complete=True, output_tok_per_s__gt=0))
    if not steps:
        raise NotPublishableError("no_rate")
    sku = CatalogItem.objects.filter(code=TEST_HOST_CODE, is_test_host=True).first()
    if sku is None:
        raise NotPublishableError("no_sku")
    run.published_at = now
    run.save(update_fields=["published_at"])
    model = language_model()
    return [Figure.objects.create(**figure_values(run, step, sku, model)) for step in steps]


def figure_values(run: BenchmarkRun, step: BenchmarkStep, sku: CatalogItem, model: LanguageModel) -> dict[str, object]:
    """The figure of one step: what was measured and every condition that belongs to it."""
    return {
        "sku": sku,
        "language_model": model,
        "conditions": conditions(run),
        "precision": run.precision,
        "engine": f"{run.engine} ({run.engine_version})"[:60],
        "input_tokens": run.prompt_tokens,
        "output_tokens": run.output_tokens,
        "concurrency": step.concurrency,
        "metric": Figure.Metric.OUTPUT,
        "value": step.output_tok_per_s,
        "unit": "tok/s",
        "scope": Figure.Scope.INSTANCE,
        "kind": "measured",
        "label": "benchmark_run",
        "reference": run.code,
        "as_of": timezone.localtime(run.finished_at).date(),
        "single_stream": step.concurrency == 1,
        "test_model": True,
        "run": run.code,
        "published_at": run.published_at,
    }


def conditions(run: BenchmarkRun) -> str:
    """How it was measured, in the words of the catalogue."""
    prompts = "fresh random prompts"
    if run.shared_prefix_tokens:
        prompts += f" with {run.shared_prefix_tokens} shared tokens"
    return f"closed loop, {prompts}, random weights, one run"


@transaction.atomic
def withdraw(run_id: int) -> int:
    """Withdraw the figures of a published run; how many. Once withdrawn, a run stays so: measure again instead."""
    now = timezone.now()
    published = BenchmarkRun.objects.filter(pk=run_id, published_at__isnull=False, withdrawn_at__isnull=True)
    if not published.update(withdrawn_at=now):
        return 0
    code = BenchmarkRun.objects.values_list("code", flat=True).get(pk=run_id)
    return Figure.objects.filter(run=code, withdrawn_at__isnull=True).update(withdrawn_at=now)


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
