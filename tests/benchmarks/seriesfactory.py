"""Series of runs in the database: repeats of one measurement with the rates that a test names."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from benchmarks import series, services
from benchmarks.models import BenchmarkRun
from calculator.models import CatalogItem, LanguageModel
from tests import factories
from tests.benchmarks import runfactory as runs

STEADY = (98.0, 99.0, 100.0, 101.0, 102.0)
"""Median 100, sample deviation 1.5811."""


def measured(
    rates: Sequence[float] = STEADY, concurrencies: tuple[int, ...] = (4,), prompt: float = 128.0, **values: Any
) -> BenchmarkRun:
    """The first run of a series of a known model on GPU-PRO that has ended; every load has the same rates."""
    config = replace(runs.CONFIG, concurrencies=concurrencies, sku_code="GPU-PRO")
    known = {"model_name": "Mistral-7B-v0.3", "engine": "vLLM", "engine_version": "0.14", "precision": "fp16"}
    for run, rate in zip(made := series.create(config, None, len(rates)), rates, strict=True):
        runs.change(run, flag_random_weights=False, **(known | values))
        end(run, rate, prompt)
    made[0].refresh_from_db()
    return made[0]


def end(run: BenchmarkRun, rate: float, prompt: float = 128.0) -> None:
    """Let one run of a series be claimed and succeed with `rate` at each of its loads, answers as long as asked."""
    assert services.claim(run.pk, "celery@here")
    for step in run.steps.all():
        made = runs.with_step(run, step.position, rate, prompt_tokens_mean=prompt, output_tokens_mean=16.0)
        runs.sample(made)
    services.finish(run.pk, "succeeded")


def offer(month: str = "830.64", hour: str = "1.50") -> tuple[CatalogItem, LanguageModel]:
    """GPU-PRO with its two prices and a vendor's claim of 64 tok/s, a model, and what the default comparison needs."""
    sku = factories.make_sku("GPU-PRO")
    factories.make_price(sku, "instance_month", month)
    factories.make_price(sku, "instance_hour", hour)
    for code in ("mistral-small-2603", "gpt-5.4-mini", "claude-haiku-4-5", "gpt-5.4", "claude-sonnet-4-6"):
        factories.make_rates(factories.make_api(code), "1", "0.1", "5")
    return sku, factories.make_language_model()
