"""What the inference calculator reads: offers with sheets, our runs under their conditions, nothing of test models."""

import datetime as dt
from typing import Any

import pytest

from calculator import catalog
from calculator.domain.calibration import Engine
from calculator.domain.provenance import Kind
from calculator.domain.serving_scenario import InferenceFacts, InferenceScenario
from calculator.models import CatalogItem, Figure, LanguageModel
from calculator.reading.inference import for_inference, precision_code
from calculator.tools.inference import TOOL
from tests import factories

pytestmark = pytest.mark.django_db


def published(sku: str = "GPU-PRO", **values: Any) -> Figure:
    """One of our runs of Mistral-7B-v0.3 on a SKU."""
    defaults: dict[str, Any] = {
        "metric": "output_tok_per_s",
        "value": 480.0,
        "unit": "tok/s",
        "scope": "instance",
        "kind": "measured",
        "label": "run",
        "reference": "run-7",
        "run": "run-7",
        "as_of": dt.date(2026, 11, 30),
        "precision": "fp16",
        "engine": "vLLM 0.32",
        "concurrency": 16,
        "input_tokens": 1024,
        "output_tokens": 256,
        "published_at": factories.START,
    }
    given = {**defaults, **values}
    given.setdefault("language_model", LanguageModel.objects.get(name="Mistral-7B-v0.3"))
    return Figure.objects.create(sku=CatalogItem.objects.get(code=sku), **given)


def facts(**values: Any) -> InferenceFacts:
    catalog.forget()
    scenario = InferenceScenario(catalog.latest_version(), factories.NOW, **{"sku": "GPU-PRO", **values})
    return for_inference(scenario)


def test_every_sku_for_sale_comes_with_its_sheet(seeded: None) -> None:
    found = facts()
    listed = {offer.sku.code: offer.gpu.name if offer.gpu else "" for offer in found.offers}
    assert listed == {
        "GPU-STARTER": "T4",
        "GPU-PRO": "RTX 4090",
        "GPU-ENTERPRISE": "A100-SXM-40GB",
        "GPU-TITAN": "A100-SXM-80GB",
        "GPU-SUPERCOMPUTE": "A100-SXM-80GB",
    }


def test_a_gpu_by_its_sheet_stands_beside_the_offers_without_a_price(seeded: None) -> None:
    found = facts(gpu="l40s")
    assert (found.offer.sku.code, found.offer.sku.prices) == ("L40S", {})
    assert found.offers[-1] == found.offer


def test_the_vendors_claim_is_kept_apart(seeded: None) -> None:
    claim = facts().claim_tok_per_s
    assert claim is not None
    assert (claim.value, claim.kind) == (64, Kind.CLAIM)
    assert facts().runs == ()


def test_our_run_is_read_with_its_conditions(seeded: None) -> None:
    published()
    (run,) = facts().runs
    assert (run.engine, run.precision, run.concurrency) == (Engine.VLLM, "fp16", 16)
    assert (run.prompt_tokens, run.output_tokens, run.run) == (1024, 256, "run-7")
    assert run.output_tok_per_s.value == 480


def test_a_rate_of_one_gpu_counts_for_all_of_the_machine(seeded: None) -> None:
    published("GPU-SUPERCOMPUTE", scope="gpu", value=100.0)
    (run,) = facts(sku="GPU-SUPERCOMPUTE").runs
    assert (run.output_tok_per_s.value, run.concurrency) == (800, 128)


@pytest.mark.parametrize(
    "values",
    [
        {"engine": "exllama"},
        {"precision": "FP9"},
        {"concurrency": None},
        {"input_tokens": None},
        {"kind": "published"},
        {"test_model": True},
        {"published_at": factories.NOW + dt.timedelta(days=1)},
    ],
)
def test_a_run_whose_conditions_are_unknown_or_foreign_is_no_run(seeded: None, values: dict[str, Any]) -> None:
    published(**values)
    assert facts().runs == ()


def test_a_run_of_another_model_is_no_run_of_this_one(seeded: None) -> None:
    published(language_model=LanguageModel.objects.get(name="Llama-3-8B"))
    assert facts().runs == ()
    assert len(facts(model="Llama-3-8B").runs) == 1


@pytest.mark.parametrize(
    ("text", "code"),
    [("Q4_K_M", "gguf-q4_k_m"), ("FP16", "fp16"), ("gguf-q8_0", "gguf-q8_0"), ("awq-int4", "awq-int4")],
)
def test_precisions_are_read_as_runs_write_them(text: str, code: str) -> None:
    assert precision_code(text) == code


def test_the_page_shows_the_measured_value_itself(seeded: None) -> None:
    published()
    catalog.forget()
    scenario = InferenceScenario(catalog.latest_version(), factories.NOW, sku="GPU-PRO")
    found = TOOL.answer(scenario, None).estimate
    assert (found.speeds.total_tok_per_s.value, found.speeds.total_tok_per_s.kind) == (480, Kind.MEASURED)
    assert "measured_here" in {message.code for message in found.warnings}


@pytest.mark.parametrize(("field", "value"), [("sku", "GPU-X"), ("gpu", "GPU-X"), ("model", "Model-X")])
def test_what_does_not_exist_is_named(seeded: None, field: str, value: str) -> None:
    with pytest.raises(catalog.NotFound) as caught:
        facts(**{field: value})
    assert (caught.value.kind, caught.value.code) == (field, value)
