"""The division of a training that the visitor leaves open.

Worked by hand: an A100 80 GB holds 80 GiB = 85.9 GB; Llama-3.1-70B in 16 bits takes 2 × 70.55 = 141.1 GB, so one is
too small and two hold 70.6 GB each. LoRA of rank 16 adds some 0.2 G adapters at 12 B, 1.2 GB on each of two; with
recomputation 256 tokens × 80 layers × 8192 × 2 B = 0.3 GB are kept.
"""

from typing import Any

from calculator.domain.training import Method
from calculator.domain.training_division import divided, divisions
from calculator.domain.training_scenario import TrainingScenario

from .serving_factories import LLAMA_70B, MIXTRAL
from .training_factories import TITAN, answer, codes, facts, scenario

SEVENTY = facts(LLAMA_70B, sku=TITAN)
LORA: dict[str, Any] = {
    "model": LLAMA_70B.name,
    "sku": "GPU-TITAN",
    "method": Method.LORA,
    "micro_batch": 1,
    "recomputed": True,
}


def degrees(found: TrainingScenario) -> tuple[int | None, int | None]:
    return found.tensor_parallel, found.pipeline_parallel


def test_what_fits_one_gpu_is_not_divided() -> None:
    assert degrees(divided(scenario(), facts())) == (1, 1)
    assert "division_chosen" not in codes(answer())


def test_seventy_billion_by_lora_take_two_cards_a_copy() -> None:
    """Four cards then hold two copies, which share the batch."""
    found = answer(SEVENTY, instances=4, **LORA)
    assert degrees(found.scenario) == (2, 1)
    assert found.data_parallel == 2
    assert found.fit.memory.fits
    told = next(message for message in found.warnings if message.code == "division_chosen")
    assert dict(told.values) == {"tp": 2, "pp": 1, "copies": 2}


def test_three_cards_share_the_layers() -> None:
    """64 heads do not divide by three; 141.1 ÷ 3 = 47 GB a card."""
    assert degrees(divided(scenario(instances=3, **LORA), SEVENTY)) == (1, 3)


def test_a_typed_division_stays() -> None:
    found = answer(SEVENTY, instances=4, tensor_parallel=4, **LORA)
    assert degrees(found.scenario) == (4, 1)
    assert not found.is_divided
    assert "division_chosen" not in codes(found)


def test_where_no_division_fits_nothing_is_divided() -> None:
    """16 B a parameter make 1 129 GB: four cards have 344 GB."""
    found = answer(SEVENTY, instances=4, **{**LORA, "method": Method.FULL})
    assert degrees(found.scenario) == (1, 1)
    assert "does_not_fit" in codes(found)


def test_degrees_divide_the_gpus_the_fewest_first() -> None:
    assert list(divisions(4, None)) == [(1, 1), (2, 1), (1, 2), (4, 1), (2, 2), (1, 4)]
    assert list(divisions(4, 2)) == [(1, 2), (2, 2)]


def test_adapters_on_experts_claim_neither_a_division_that_fits_nor_links() -> None:
    """46.7 G parameters at 2 B are 93.4 GB: two cards of 85.9 GB hold them, but what the adapters add is not known."""
    found = answer(facts(MIXTRAL, sku=TITAN), instances=2, **{**LORA, "model": MIXTRAL.name})
    assert degrees(found.scenario) == (2, 1)
    assert found.rate is None
    assert {"adapters_not_modelled", "division_of_known"} <= set(codes(found))
    assert set(codes(found)).isdisjoint({"division_chosen", "division_textbook", "network_unknown"})


def test_the_same_machine_claims_them_where_the_adapters_are_modelled() -> None:
    found = answer(SEVENTY, instances=2, **LORA)
    assert {"division_chosen", "division_textbook", "network_unknown"} <= set(codes(found))
    assert "division_of_known" not in codes(found)
