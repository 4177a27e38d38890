"""What the inference calculator reads: offers with sheets, our runs under their conditions, nothing of test models."""

import datetime as dt
import io
from typing import Any

import openpyxl
import pytest
from django.test import Client

from benchmarks import publishing
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


def on_this_machine(**values: Any) -> Figure:
    """One of our runs of the test model, on this machine unless a SKU is given: 4 streams, 128 + 64 tokens."""
    model = publishing.language_model()
    given = {
        "sku": "CPU-LOCAL",
        "engine": "llama.cpp (0.3)",
        "language_model": model,
        "test_model": True,
        "value": 2500.0,
    }
    given |= {"concurrency": 4, "input_tokens": 128, "output_tokens": 64, "reference": "2026-0001", "run": "2026-0001"}
    return published(**{**given, **values})


HERE: dict[str, Any] = {"sku": "CPU-LOCAL", "model": "test-llama-1m"}


def test_a_test_model_shows_to_whoever_picks_its_sku_and_it(seeded: None) -> None:
    on_this_machine()
    found = facts(**HERE)
    assert (found.model.name, found.model.is_test) == ("test-llama-1m", True)
    (run,) = found.runs
    assert (run.engine, run.concurrency, run.output_tok_per_s.value) == (Engine.LLAMA_CPP, 4, 2500)


@pytest.mark.parametrize("values", [{"sku": "GPU-PRO", "model": "test-llama-1m"}, {"model": "test-llama-1m"}])
def test_a_test_model_does_not_exist_for_any_other_sku(seeded: None, values: dict[str, str]) -> None:
    on_this_machine()
    with pytest.raises(catalog.NotFound) as caught:
        facts(**values)
    assert caught.value.kind == "model"


def test_a_test_model_is_unknown_before_its_figure_and_after_its_withdrawal(seeded: None) -> None:
    publishing.language_model()
    for values in ({"published_at": factories.NOW + dt.timedelta(days=1)}, {"withdrawn_at": factories.NOW}):
        on_this_machine(**values)
        with pytest.raises(catalog.NotFound):
            facts(**HERE)


def test_a_real_model_has_none_of_a_test_models_runs(seeded: None) -> None:
    on_this_machine()
    assert facts(sku="CPU-LOCAL").runs == ()


def test_a_measurement_answers_where_there_is_no_sheet_to_estimate_from(seeded: None) -> None:
    """The nearest load answers with its own conditions: 4 streams and not 1 for 16 asked for."""
    on_this_machine()
    on_this_machine(concurrency=1, value=900.0, reference="2026-0002", run="2026-0002")
    catalog.forget()
    scenario = InferenceScenario(catalog.latest_version(), factories.NOW, **HERE)
    found = TOOL.answer(scenario, None).estimate
    assert (found.headline.code, found.headline.values["total_tok_per_s"]) == ("measured_only", 2500)
    assert found.headline.values["run"] == "2026-0001" and found.trust is Kind.MEASURED
    assert (found.speeds, found.cost, len(found.runs)) == (None, None, 2)


def test_without_a_measurement_a_machine_without_a_sheet_has_no_answer(seeded: None) -> None:
    catalog.forget()
    found = TOOL.answer(InferenceScenario(catalog.latest_version(), factories.NOW, sku="CPU-LOCAL"), None).estimate
    assert (found.headline.code, found.measured, found.trust) == ("not_modelled", None, None)


def test_a_measurement_does_not_answer_for_a_gpu_that_can_be_estimated(seeded: None) -> None:
    published(concurrency=64)
    catalog.forget()
    found = TOOL.answer(InferenceScenario(catalog.latest_version(), factories.NOW, sku="GPU-PRO"), None).estimate
    assert found.headline.code != "measured_only" and found.measured is None and len(found.runs) == 1


def test_both_pages_use_the_published_figure_of_this_machine_and_link_its_run(client: Client, seeded: None) -> None:
    """2 500 tok/s is 9 Mtok an hour: at 0.09 € an hour, 0.01 € per million at full use."""
    figure = on_this_machine()
    inference = client.get("/fr/inference", HERE).content.decode()
    assert "CPU-LOCAL</b> a produit 2\u202f500\u00a0tok/s avec test-llama-1m, à 4 flux" in inference
    assert "mesure 2026-0001" in inference and 'class="src measured" href="/fr/runs/2026-0001"' in inference
    asked = {**HERE, "price": "0.09", "fig": str(figure.pk)}
    economics = client.get("/fr/economics", asked).content.decode()
    assert 'class="src measured" href="/fr/runs/2026-0001"' in economics and "2\u202f500" in economics


def test_the_form_offers_the_machine_once_measured_and_its_test_model_once_chosen(client: Client, seeded: None) -> None:
    def options(**asked: str) -> tuple[bool, bool]:
        form = client.get("/fr/inference", asked).context["form"]
        return "CPU-LOCAL" in dict(form.options("sku")), "test-llama-1m" in dict(form.options("model"))

    assert options() == (False, False)
    on_this_machine()
    assert options() == (True, False)
    assert options(sku="CPU-LOCAL") == options(**HERE) == (True, True)


def test_each_run_is_a_line_that_asks_for_its_conditions(client: Client, seeded: None) -> None:
    on_this_machine()
    page = client.get("/en/inference", HERE).context["page"]
    (line,) = page.runs
    assert (line.run, line.load, line.lengths, line.rate) == ("2026-0001", "4 streams", "128 + 64", "2,500\u00a0tok/s")
    there = client.get(f"/en/inference?{line.query}").context["estimate"].scenario
    assert (there.concurrency, there.prompt_tokens, there.output_tokens) == (4, 128, 64)
    assert (there.engine, there.precision) == (Engine.LLAMA_CPP, "fp16")


def test_the_files_name_the_run_and_why_it_stands_by_exception(client: Client, seeded: None) -> None:
    on_this_machine(exception="approved for the demonstration")
    found = client.get("/en/inference.json", HERE).json()
    (run,) = found["runs"]
    assert (run["run"], run["output_tok_per_s"]["value"], run["output_tok_per_s"]["kind"]) == (
        "2026-0001",
        "2500",
        "measured",
    )
    assert run["output_tok_per_s"]["exception"] == "approved for the demonstration"
    rows = client.get("/en/inference.csv", HERE).content.decode()
    assert "2026-0001 · published by exception: approved for the demonstration" in rows


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("fr", "2026-0001 · publié par exception\u00a0: vu avec le client"),
        ("en", "2026-0001 · published by exception: vu"),
    ],
)
def test_the_economics_files_tell_why_a_figure_stands_by_exception(
    client: Client, seeded: None, language: str, said: str
) -> None:
    figure = on_this_machine(exception="vu avec le client")
    asked = {**HERE, "price": "0.09", "fig": str(figure.pk)}
    assert said in client.get(f"/{language}/economics.csv", asked).content.decode()
    assert '"exception": "vu avec le client"' in client.get(f"/{language}/economics.json", asked).content.decode()
    book = openpyxl.load_workbook(io.BytesIO(client.get(f"/{language}/economics.xlsx", asked).content))
    cells = [str(cell.value) for sheet in book for row in sheet for cell in row if cell.value is not None]
    assert any(said in cell for cell in cells)


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
