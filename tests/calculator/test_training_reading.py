"""What training reads of the catalogue: offers with sheets, models and their stand-ins, the vendor's runs."""

from dataclasses import replace
from decimal import Decimal

import pytest

from calculator import catalog, sheets
from calculator.domain.provenance import Kind
from calculator.domain.training import Method
from calculator.domain.training_scenario import TrainingScenario
from calculator.domain.training_work import SHAPE_NAME
from calculator.reading import training as reading
from calculator.tools import training as tool

pytestmark = pytest.mark.django_db


def asked(**changes: object) -> TrainingScenario:
    return replace(tool.default_scenario(), **changes)  # type: ignore[arg-type]


def test_every_offer_has_the_sheet_of_its_gpu(seeded: None) -> None:
    facts = reading.for_training(asked())
    assert [sku.code for sku in facts.skus] == [
        "GPU-STARTER",
        "GPU-PRO",
        "GPU-ENTERPRISE",
        "GPU-TITAN",
        "GPU-SUPERCOMPUTE",
    ]
    assert {sku.gpu for sku in facts.skus} == set(facts.gpus)


def test_a_host_without_a_gpu_is_no_machine_to_train_on(seeded: None) -> None:
    assert all(sku.code != "CPU-LOCAL" for sku in reading.for_training(asked()).skus)
    with pytest.raises(catalog.NotFound) as missing:
        reading.for_training(asked(sku="CPU-LOCAL"))
    assert (missing.value.kind, missing.value.nearest) == ("sku", "GPU-PRO")


@pytest.mark.parametrize(
    ("changes", "kind", "nearest"),
    [
        ({"sku": "GPU-TITANE"}, "sku", "GPU-TITAN"),
        ({"model": "Mistral-7C"}, "model", "Mistral-7B"),
        ({"reference": "gpt-5.4-mino"}, "api", "gpt-5.4-mini"),
        ({"catalog_version": 99}, "version", "1"),
    ],
)
def test_what_does_not_exist_is_named_with_the_nearest(
    seeded: None, changes: dict[str, object], kind: str, nearest: str
) -> None:
    with pytest.raises(catalog.NotFound) as missing:
        reading.for_training(asked(**changes))
    assert (missing.value.kind, missing.value.nearest) == (kind, nearest)


def test_a_typed_parameter_count_stands_for_the_model(seeded: None) -> None:
    facts = reading.for_training(asked(params_count=Decimal(2_700_000_000), model="no-such-model"))
    assert (facts.model.name, facts.model.params_total) == (SHAPE_NAME, 2_700_000_000)


def test_every_model_of_the_catalogue_can_be_asked_for(seeded: None) -> None:
    for model in sheets.models():
        for method in Method:
            found = tool.answer(asked(model=model.name, method=method, sku="GPU-SUPERCOMPUTE")).estimate
            assert found.flop.params == model.params_active


def test_the_vendors_runs_are_claims_with_the_published_figures(seeded: None) -> None:
    """40 G tokens in 92 days on one card, in 14 on eight."""
    runs = {run.code: run for run in reading.published_runs()}
    assert {run.tok_per_s_per_gpu.kind for run in runs.values()} == {Kind.CLAIM}
    qlora = runs["qlora"]
    assert (qlora.tok_per_s_per_gpu.value, qlora.mfu_ratio, qlora.minutes, qlora.eur) == (
        1350.0,
        0.38,
        38,
        Decimal("0.95"),
    )
    assert runs["encoder_1"].tok_per_s_per_gpu.value == pytest.approx(40e9 / (92 * 86_400))
    assert runs["encoder_8"].tok_per_s_per_gpu.value == pytest.approx(40e9 / (14 * 86_400) / 8)
    assert [reading_.micro_batch for reading_ in qlora.readings] == [2, 8]


def test_each_published_run_names_an_offer_and_a_model_of_the_catalogue(seeded: None) -> None:
    codes = {sku.code for sku in reading.for_training(asked()).skus}
    for run in reading.published_runs():
        assert run.sku in codes
        assert run.params_count or sheets.language_model(run.model)
