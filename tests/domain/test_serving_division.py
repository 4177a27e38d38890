"""The division chosen where the visitor leaves it open.

Worked by hand with `IDEAL` (0.9 of the card for the engine, no runtime): 0.9 × 80 GiB = 77.3 GB a GPU. Llama-3.1-70B in
16 bits holds 2 × 70.55 = 141.1 GB of weights and 2 × 80 × 8 × 128 × 2 = 327 680 B of cache a token.
"""

import datetime as dt
from dataclasses import replace
from typing import Any

import pytest

from calculator.domain.calibration import Engine
from calculator.domain.serving_answer import InferenceEstimate, estimate
from calculator.domain.serving_division import divided, divisions, sizes, splits
from calculator.domain.serving_scenario import InferenceFacts, InferenceScenario

from .inference_factories import TITAN, facts, scenario
from .serving_factories import IDEAL, LLAMA_70B

SEVENTY = facts(TITAN, LLAMA_70B, IDEAL)
OPEN = InferenceScenario(1, dt.datetime(2026, 11, 30, tzinfo=dt.UTC))


def asked(**fields: Any) -> InferenceScenario:
    return replace(scenario(sku="GPU-TITAN", model=LLAMA_70B.name), **fields)


def degrees(found: InferenceScenario) -> tuple[int | None, int | None]:
    return found.tensor_parallel, found.pipeline_parallel


def answer(known: InferenceFacts = SEVENTY, **fields: Any) -> InferenceEstimate:
    return estimate(asked(**fields), known)


def test_a_first_visit_leaves_the_division_open() -> None:
    assert degrees(OPEN) == (None, None)


def test_a_model_that_fits_one_gpu_is_not_divided() -> None:
    assert degrees(divided(scenario(instances=4), facts(TITAN))) == (1, 1)


def test_seventy_billion_on_four_cards_take_two_each() -> None:
    """70.55 GB a GPU on two leave 6.7 GB: 41 000 tokens of cache; one card lacks 63.8 GB."""
    found = answer(instances=4)
    assert degrees(found.scenario) == (2, 1)
    assert found.chosen.layout is not None
    assert (found.chosen.layout.replicas, found.chosen.layout.idle_gpus) == (2, 0)
    assert found.is_divided


def test_a_prompt_too_long_for_two_cards_takes_four() -> None:
    """60 000 tokens × 163 840 B = 9.8 GB do not lie in the 6.7 GB that two cards leave each."""
    assert degrees(divided(asked(instances=4, prompt_tokens=60_000), SEVENTY)) == (4, 1)


def test_a_card_more_than_whole_replicas_take_stands_idle() -> None:
    """Three does not divide 64 heads: two cards serve as before, and the third is said to be idle."""
    found = answer(instances=3)
    assert degrees(found.scenario) == (2, 1)
    assert found.chosen.layout is not None
    assert (found.chosen.layout.replicas, found.chosen.layout.idle_gpus) == (1, 1)
    assert "idle_gpus" in {message.code for message in found.warnings}


@pytest.mark.parametrize("gpus", [3, 5, 7])
def test_one_gpu_more_is_never_slower(gpus: int) -> None:
    more, fewer = answer(instances=gpus).speeds, answer(instances=gpus - 1).speeds
    assert more is not None and fewer is not None
    assert more.total_tok_per_s.value >= fewer.total_tok_per_s.value


def test_heads_that_three_does_not_divide_go_in_stages_where_two_are_too_few() -> None:
    """20 000 tokens × 163 840 B = 3.3 GB fit the 6.7 GB that two leave each; 60 000 take 9.8 GB: layers by three."""
    assert degrees(divided(asked(instances=3, prompt_tokens=20_000), SEVENTY)) == (2, 1)
    assert degrees(divided(asked(instances=3, prompt_tokens=60_000), SEVENTY)) == (1, 3)


def test_llama_cpp_has_stages_alone() -> None:
    assert degrees(divided(asked(instances=4, engine=Engine.LLAMA_CPP), SEVENTY)) == (1, 2)


def test_replicas_that_were_asked_for_keep_their_gpus() -> None:
    """Four copies on four cards leave one each, which is not enough: that is said, not silently overruled."""
    found = answer(instances=4, replicas=4)
    assert degrees(found.scenario) == (1, 1)
    assert found.headline.code == "does_not_fit"


def test_where_nothing_fits_the_widest_division_is_told() -> None:
    found = answer(instances=2, prompt_tokens=200_000)
    assert degrees(found.scenario) == (2, 1)
    assert found.headline.code == "does_not_fit"
    told = [message for message in found.warnings if message.code == "division_widest"]
    assert [dict(message.values) for message in told] == [{"tp": 2, "pp": 1, "replicas": 1, "gpus": 2}]


def test_a_typed_division_stays_whatever_it_gives() -> None:
    found = answer(instances=4, tensor_parallel=4)
    assert degrees(found.scenario) == (4, 1)
    assert not found.is_divided
    assert "division_chosen" not in {message.code for message in found.warnings}
    assert answer(instances=4, tensor_parallel=1, pipeline_parallel=1).headline.code == "does_not_fit"


def test_typed_stages_stay_beside_a_chosen_tensor_degree() -> None:
    assert degrees(divided(asked(instances=4, pipeline_parallel=2), SEVENTY)) == (1, 2)


def test_what_cannot_be_computed_is_not_divided() -> None:
    """999 stages are more than the layers: the fault speaks first."""
    found = answer(instances=4, pipeline_parallel=999)
    assert found.headline.code == "not_modelled"
    assert degrees(found.scenario) == (1, 999)


def test_the_choice_is_said_with_what_it_makes() -> None:
    told = next(message for message in answer(instances=4).warnings if message.code == "division_chosen")
    assert dict(told.values) == {"tp": 2, "pp": 1, "replicas": 2, "gpus": 4}
    assert told.field == "tensor_parallel"


def test_the_chosen_division_answers_as_the_typed_one() -> None:
    """The same numbers as `tp=2&pp=1`: choosing for the visitor is no second way to compute."""
    chosen, typed = answer(instances=4), answer(instances=4, tensor_parallel=2, pipeline_parallel=1)
    assert chosen.speeds == typed.speeds
    assert chosen.cost == typed.cost


@pytest.mark.parametrize(("gpus", "order"), [(1, [1]), (8, [1, 2, 4, 8, 3, 5, 6, 7]), (3, [1, 3, 2])])
def test_sizes_that_use_every_gpu_come_first(gpus: int, order: list[int]) -> None:
    assert sizes(gpus) == order


def test_beyond_one_machine_stages_are_added() -> None:
    assert next(splits(16, OPEN)) == (8, 2)


def test_every_division_tried_is_valid() -> None:
    """No head, vocabulary row or layer is cut: 64 heads by 1, 2, 4 or 8."""
    tried = [degrees(one) for one in divisions(asked(instances=8), SEVENTY)]
    assert tried[:4] == [(1, 1), (2, 1), (4, 1), (8, 1)]
    assert all(tensor in (1, 2, 4, 8) for tensor, _stages in tried)


def test_the_worked_numbers_rest_on_the_ideal_server() -> None:
    assert (IDEAL.memory_ratio, IDEAL.runtime_bytes) == (0.9, 0.0)
