"""What the tokens calculator takes from the catalogue: our own prompt rates, what is for sale, what has vanished."""

import datetime as dt
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from django.http import QueryDict

from calculator import catalog, figures, sheets
from calculator.domain.provenance import Kind
from calculator.domain.tokens_scenario import TokensScenario
from calculator.models import CatalogItem, Figure, LanguageModel
from calculator.reading.tokens import for_tokens, machines, measured_rates, model_named
from calculator.tools import tokens as tool
from tests import factories

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon", "seeded")]


def default(**fields: Any) -> TokensScenario:
    return replace(tool.default_scenario(), **fields)


def measure(value: float, **fields: Any) -> None:
    """A published run of ours on GPU-PRO: an output rate and the prompt rate under the same conditions."""
    sku = CatalogItem.objects.get(code="GPU-PRO")
    model = LanguageModel.objects.get(name="Mistral-7B-v0.3")
    shared = {
        "language_model": model,
        "precision": "fp16",
        "engine": "vLLM 0.32",
        "kind": "measured",
        "concurrency": 1,
        "input_tokens": 512,
        "output_tokens": 128,
        "scope": "gpu",
        "run": "r1",
        **fields,
    }
    factories.make_figure(sku, 60.0, metric=Figure.Metric.OUTPUT, **shared)
    factories.make_figure(sku, value, metric=Figure.Metric.PREFILL, **shared)
    figures.forget()


def rate_on_pro(**fields: Any) -> Any:
    facts = for_tokens(default(**fields))
    return facts.measured.get("GPU-PRO")


def test_our_own_prompt_rate_of_the_model_is_taken() -> None:
    measure(9000.0)
    found = rate_on_pro()
    assert found is not None and (found.value, found.kind) == (9000.0, Kind.MEASURED)
    answer = tool.answer(default())
    assert answer.estimate.gpu.rate is not None and answer.estimate.gpu.rate.kind is Kind.MEASURED


@pytest.mark.parametrize("fields", [{"model": "Llama-3.1-8B"}, {"precision": "fp8"}])
def test_a_rate_of_another_model_or_precision_is_not(fields: dict[str, str]) -> None:
    measure(9000.0)
    assert rate_on_pro(**fields) is None


def test_a_claim_is_no_measurement() -> None:
    measure(9000.0, kind="claim")
    assert rate_on_pro() is None


def test_without_a_run_of_ours_nothing_is_measured() -> None:
    assert for_tokens(default()).measured == {}
    skus = catalog.sku_choices(1, factories.NOW)
    assert measured_rates(skus, default(), model_named("Mistral-7B-v0.3"), None) == {}


def test_test_hosts_are_no_machines_to_read_with() -> None:
    facts = for_tokens(default())
    assert not [offer for offer in facts.offers if offer.sku.is_test_host]
    assert {offer.sku.code for offer in facts.offers} >= {"GPU-STARTER", "GPU-PRO", "GPU-SUPERCOMPUTE"}


def test_a_host_without_a_gpu_is_not_found_and_the_usual_machine_is_proposed() -> None:
    host = next(sku for sku in catalog.sku_choices(1, factories.NOW) if not sku.gpu)
    with pytest.raises(catalog.NotFound) as caught:
        for_tokens(default(sku=host.code))
    assert (caught.value.kind, caught.value.nearest) == ("sku", "GPU-PRO")


def test_the_machine_asked_for_is_always_among_those_compared() -> None:
    asked = catalog.sku_choices(1, factories.NOW)[0]
    elsewhere = replace(asked, code="GPU-OTHER")
    assert machines(1, default(), elsewhere)[-1].code == "GPU-OTHER"


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"sku": "GPU-NOPE"}, "sku"),
        ({"model": "Nope-7B"}, "model"),
        ({"apis": ("nope",)}, "api"),
        ({"embedding": "nope"}, "embedding"),
        ({"embedding": "gpt-5.4"}, "embedding"),
        ({"apis": ("mistral-embed",)}, "api"),
        ({"catalog_version": 99}, "version"),
    ],
)
def test_what_vanished_is_named_by_kind_and_repaired(fields: dict[str, Any], kind: str) -> None:
    asked = default(**fields)
    with pytest.raises(catalog.NotFound) as caught:
        tool.answer(asked)
    assert caught.value.kind == kind
    assert tool.answer(tool.repaired(asked, caught.value)).estimate.total.value == 8e9


def test_the_link_writes_the_rate_and_the_calibration_that_were_used() -> None:
    found = tool.answer(default())
    assert found.scenario.usd_per_eur == Decimal("1.1172") and len(found.scenario.calibration) == 12
    assert found.estimate.usd_per_eur is not None and not found.estimate.usd_per_eur.replaces
    assert tool.released(found) == tool.default_scenario()
    again = tool.answer(found.scenario)
    assert again.scenario == found.scenario and again.estimate.embedding.eur == found.estimate.embedding.eur


def test_a_retired_api_is_offered_only_where_it_is_chosen() -> None:
    late = dt.datetime(2099, 1, 1, tzinfo=dt.UTC)
    asked = default(at=late, apis=("gpt-5.4",))
    retired = {api.code for api in catalog.api_choices(1, late, include_retired=True)} - {
        api.code for api in catalog.api_choices(1, late)
    }
    assert retired
    chosen = min(retired)
    assert chosen not in {api.code for api in tool.choices(asked, None).apis}
    ticked = tool.choices(asked, None, None, QueryDict(f"api={chosen}"))
    assert chosen in {api.code for api in ticked.apis}


def test_a_saved_estimate_keeps_the_rate_and_every_offer_behind_it() -> None:
    kept = tool.kept(tool.answer(default()))
    assert kept.usd_per_eur == Decimal("1.1172") and kept.rate_date == dt.date(2026, 10, 30)
    assert {"GPU-PRO", "gpt-5.4", "mistral-embed"} <= kept.codes


def test_the_form_offers_models_embeddings_and_machines_of_the_catalogue() -> None:
    offered = tool.choices(default(), None)
    assert {model.name for model in offered.models} == {model.name for model in sheets.models()}
    assert [item.code for item in offered.embeddings][:2] == ["text-embedding-3-small", "text-embedding-3-large"]
    assert all(sku.gpu for sku in offered.skus)


def test_the_file_s_name_tells_scenarios_apart() -> None:
    assert tool.file_stem(tool.answer(default(documents_count=12))) == "vmcloud-tokens-12-20261130"


@pytest.mark.parametrize("target", ["training", "inference", "economics"])
def test_a_handover_s_numbers_are_those_of_the_answer(target: str) -> None:
    found = tool.answer(default(documents_count=1000, mean_tokens=Decimal("512.4")))
    link = next(item for item in tool.handovers(found) if item.target == target)
    query = QueryDict(link.query)
    if target == "training":
        assert query["tokens"] == "512400"
    else:
        assert query["in"] == "512"
