"""Memory of a training run: bytes a parameter by optimizer and format, divisions, faults, and the ways out."""

from dataclasses import replace
from decimal import Decimal

import pytest

from calculator.domain import training_fit
from calculator.domain.memory import Line, Sharding
from calculator.domain.training import Method
from calculator.domain.training_scenario import Numbers, Optimizer, Speed, TrainingEstimate, Way
from calculator.domain.training_speed import Setup, settle
from calculator.domain.units import GIB

from .serving_factories import LLAMA_70B
from .training_factories import CALIBRATION, GPUS, MISTRAL_V1, PRO, SUPERCOMPUTE, TITAN, answer, codes, facts, scenario

PARAMS = 7_241_732_096
PLAIN = {"method": Method.FULL, "micro_batch": 1, "accumulation": 8}
LARGE = facts(LLAMA_70B, sku=TITAN)


def setup(**fields: object) -> Setup:
    return settle(scenario(**fields), facts(sku=TITAN))


def lines(**fields: object) -> dict[Line, float]:
    return dict(training_fit.memory_of(setup(**fields)).lines)


def way(found: TrainingEstimate, code: str) -> Way:
    return next(item for item in found.fit.ways if item.code == code)


@pytest.mark.parametrize(
    ("optimizer", "numbers", "a_param"),
    [
        (Optimizer.ADAMW, Numbers.BF16, 16),
        (Optimizer.FUSED, Numbers.BF16, 16),
        (Optimizer.EIGHT_BIT, Numbers.BF16, 10),
        (Optimizer.HALF, Numbers.BF16, 8),
        (Optimizer.ADAMW, Numbers.FP8, 16),
        (Optimizer.ADAMW, Numbers.FP32, 16),
        (Optimizer.EIGHT_BIT, Numbers.FP32, 10),
    ],
)
def test_pitfall_41_bytes_a_trained_parameter(optimizer: Optimizer, numbers: Numbers, a_param: int) -> None:
    """2 + 2 + 4 + 4 + 4 = 16 in mixed precision, and 4 + 4 + 8 = 16 in 32 bits; 10 with 8-bit moments."""
    found = answer(facts(sku=TITAN), **PLAIN, optimizer=optimizer, numbers=numbers)
    assert found.fit.state_bytes_a_param == pytest.approx(a_param)


def test_failure_1_a_fused_adamw_saves_no_state() -> None:
    plain, fused = lines(**PLAIN), lines(**PLAIN, optimizer=Optimizer.FUSED)
    assert plain == fused
    assert "fused_same_states" in codes(answer(optimizer=Optimizer.FUSED))


def test_pitfall_41_adapters_state_0_67_gb_not_116() -> None:
    found = lines()
    states = found[Line.ADAPTERS] + found[Line.GRADIENTS] + found[Line.OPTIMIZER]
    assert states == 41_943_040 * 16
    assert states / 1e9 == pytest.approx(0.67, abs=0.005)


def test_a_four_bit_base_takes_4_5_bits_and_keeps_its_embeddings() -> None:
    assert lines()[Line.WEIGHTS] == 6_979_588_096 * 4.5 / 8 + (PARAMS - 6_979_588_096) * 2


@pytest.mark.parametrize(
    ("numbers", "size"), [(Numbers.BF16, 2), (Numbers.FP16, 2), (Numbers.FP8, 2), (Numbers.FP32, 4)]
)
def test_weights_and_gradients_by_number_format(numbers: Numbers, size: int) -> None:
    found = lines(**PLAIN, numbers=numbers)
    assert found[Line.WEIGHTS] == found[Line.GRADIENTS] == size * PARAMS


def test_32_bits_double_the_activations_and_not_the_logits() -> None:
    half, whole = lines(**PLAIN), lines(**PLAIN, numbers=Numbers.FP32)
    assert whole[Line.ACTIVATIONS] == 2 * half[Line.ACTIVATIONS]
    assert whole[Line.LOGITS] == half[Line.LOGITS]


def test_tensor_parallel_divides_everything_and_pipelines_leave_activations() -> None:
    """Eight A100: TP 2 halves weights and activations; PP 2 halves weights, with a micro-batch in flight a stage."""
    eight = facts(sku=SUPERCOMPUTE)
    alone, tensor, stages = (
        dict(training_fit.memory_of(settle(scenario(**PLAIN, **more), eight)).lines)
        for more in ({}, {"tensor_parallel": 2}, {"pipeline_parallel": 2})
    )
    assert tensor[Line.WEIGHTS] == stages[Line.WEIGHTS] == alone[Line.WEIGHTS] / 2
    assert tensor[Line.OPTIMIZER] == stages[Line.OPTIMIZER] == alone[Line.OPTIMIZER] / 2
    assert tensor[Line.ACTIVATIONS] == alone[Line.ACTIVATIONS] / 2
    assert stages[Line.ACTIVATIONS] == alone[Line.ACTIVATIONS]


@pytest.mark.parametrize(
    ("stage", "divided"),
    [
        (Sharding.NONE, set()),
        (Sharding.OPTIMIZER, {Line.OPTIMIZER}),
        (Sharding.GRADIENTS, {Line.OPTIMIZER, Line.GRADIENTS}),
        (Sharding.WEIGHTS, {Line.OPTIMIZER, Line.GRADIENTS, Line.WEIGHTS}),
    ],
)
def test_each_stage_shares_one_thing_more_among_the_copies(stage: Sharding, divided: set[Line]) -> None:
    eight = facts(sku=SUPERCOMPUTE)
    whole = dict(training_fit.memory_of(settle(scenario(**PLAIN), eight)).lines)
    shared = dict(training_fit.memory_of(settle(scenario(**PLAIN, sharding=stage), eight)).lines)
    assert {line for line, size in whole.items() if size and shared[line] == size / 8} == divided


def test_states_are_those_of_the_whole_model_however_divided() -> None:
    eight = facts(sku=SUPERCOMPUTE)
    found = answer(eight, **PLAIN, tensor_parallel=2, sharding=Sharding.WEIGHTS)
    assert found.fit.state_bytes_a_param == pytest.approx(16)


@pytest.mark.parametrize(
    ("tensor", "stages", "expected"),
    [
        (8, 2, ("gpus",)),
        (3, 1, ("heads", "kv_heads", "vocabulary", "gpus")),
        (1, 40, ("layers", "gpus")),
        (8, 1, ()),
    ],
)
def test_a_division_names_every_rule_it_breaks(tensor: int, stages: int, expected: tuple[str, ...]) -> None:
    """TP 8 × PP 2, published for 8 × H100, needs 16 GPUs."""
    found = answer(facts(sku=SUPERCOMPUTE), tensor_parallel=tensor, pipeline_parallel=stages)
    assert found.fit.faults == expected
    assert {f"fault_{code}" for code in expected} <= set(codes(found))


def test_an_invalid_division_gets_no_speed_and_no_price() -> None:
    found = answer(facts(sku=SUPERCOMPUTE), tensor_parallel=8, pipeline_parallel=2)
    assert found.headline.code == "division_invalid"
    assert (found.rate, found.bill) == (None, None)


def test_the_published_topology_is_valid_on_sixteen_gpus() -> None:
    sixteen = facts(LLAMA_70B, sku=SUPERCOMPUTE)
    found = answer(sixteen, **PLAIN, instances=2, tensor_parallel=8, pipeline_parallel=2, recomputed=True)
    assert (found.gpu_count, found.data_parallel, found.fit.faults) == (16, 1, ())


def test_failure_1_a_70b_does_not_fit_an_80_gb_card_and_says_which_line() -> None:
    found = answer(LARGE, **PLAIN)
    assert found.headline.code == "does_not_fit"
    assert found.fit.memory.failing is Line.WEIGHTS
    assert found.fit.state_bytes_a_param == pytest.approx(16)
    assert found.fit.offload_bytes == pytest.approx(found.fit.memory.needed_bytes - 80 * GIB)


def test_pitfall_37_no_speed_is_shown_for_what_does_not_fit() -> None:
    found = answer(LARGE, **PLAIN)
    assert (found.rate, found.duration, found.bill, found.energy_kwh) == (None, None, None, None)


def test_a_typed_speed_is_kept_beside_a_warning_that_it_cannot_be() -> None:
    found = answer(LARGE, **PLAIN, speed=Speed.RATE, rate_tok_per_s=Decimal(100))
    assert found.rate is not None
    assert {"does_not_fit", "speed_despite_misfit"} <= set(codes(found))


def test_failure_1_ways_out_are_recomputed_and_the_cheapest_that_fits_comes_first() -> None:
    found = answer(LARGE, **PLAIN)
    fitting = [item for item in found.fit.ways if item.fits]
    assert fitting
    assert list(found.fit.ways[: len(fitting)]) == fitting
    for alone in (True, False):
        priced = [item.eur for item in fitting if item.eur is not None and (item.instances == 1) is alone]
        assert priced == sorted(priced)
    assert [item.instances > 1 for item in fitting] == sorted(item.instances > 1 for item in fitting)


def test_failure_1_the_ways_that_the_offer_names_are_there() -> None:
    found = answer(LARGE, method=Method.FULL, micro_batch=4, numbers=Numbers.FP32)
    named = {item.code for item in found.fit.ways}
    assert {"one_sequence", "recomputation", "both", "sixteen_bits", "qlora", "lora", "more_instances"} <= named


def test_qlora_of_a_70b_fits_an_80_gb_card() -> None:
    """68.45 G at 4.5 bits and 2.1 G embeddings at 16 take 39.8 GiB."""
    found = answer(LARGE, method=Method.FULL, micro_batch=1)
    assert way(found, "qlora").fits
    assert way(found, "qlora").needed_bytes > 39.7 * GIB


def test_sharing_is_offered_only_where_copies_exist() -> None:
    assert "sharding" not in {item.code for item in answer(LARGE, **PLAIN).fit.ways}
    eight = answer(facts(LLAMA_70B, sku=SUPERCOMPUTE), **PLAIN)
    assert "sharding" in {item.code for item in eight.fit.ways}


def test_one_sequence_at_a_time_keeps_the_global_batch() -> None:
    """4 × 4 becomes 1 × 16: the published way of 1 × 128 in small."""
    changes = way(answer(LARGE, method=Method.FULL, micro_batch=4), "one_sequence").changes
    assert (changes["micro_batch"], changes["accumulation"]) == (1, 16)


@pytest.mark.parametrize("given", [{"micro_batch": 1, "recomputed": True}, {"micro_batch": 4}, {"micro_batch": 1}])
def test_no_way_out_is_listed_twice_under_two_names(given: dict[str, object]) -> None:
    found = answer(LARGE, method=Method.FULL, **given)
    changed = [replace(found.scenario, **dict(item.changes)) for item in found.fit.ways]  # type: ignore[arg-type]
    assert len(set(changed)) == len(changed)


def test_a_pretraining_cannot_become_an_adapter() -> None:
    found = answer(LARGE, method=Method.PRETRAIN, micro_batch=1)
    assert not {"lora", "qlora", "qlora_saving"} & {item.code for item in found.fit.ways}


def test_a_way_onto_a_card_without_bf16_trains_in_fp16() -> None:
    small = facts(sku=replace(PRO, gpu="T4"))
    found = answer(small, method=Method.QLORA, micro_batch=64, sequence_tokens=4096)
    starter = [item for item in found.fit.ways if item.sku == "GPU-STARTER" and item.code == "other_sku"]
    assert all(item.changes["numbers"] is Numbers.FP16 for item in starter)


def test_a_way_on_another_configuration_takes_its_list_price() -> None:
    found = answer(LARGE, **PLAIN, price_eur=Decimal(1))
    other = next(item for item in found.fit.ways if item.code == "other_sku" and item.sku == "GPU-ENTERPRISE")
    assert other.eur is not None
    assert other.seconds is not None
    hours = Decimal(str(other.seconds)) / 3600
    assert float(other.eur) == pytest.approx(float(hours * Decimal("4.20") * other.instances), abs=64 * 4.2 / 3600)


def test_a_fit_within_the_band_only_is_said_to_be_tight() -> None:
    """Micro-batch 4 of 512 tokens without recomputation: under 24 GiB, and above it at the band's high end."""
    tight = replace(CALIBRATION, bands={"measured_gb|qlora|int4": CALIBRATION.bands["measured_gb|qlora|int4"]})
    found = answer(facts(calibration=tight), micro_batch=4)
    assert found.fit.fits
    assert found.fit.band is not None
    assert found.fit.band[1] > found.fit.memory.usable_bytes
    assert "tight_memory" in codes(found)


def test_whole_training_has_no_memory_band() -> None:
    assert answer(facts(sku=TITAN), **PLAIN).fit.band is None


def test_a_run_that_fits_needs_no_way_out() -> None:
    found = answer()
    assert (found.fit.fits, found.fit.ways, found.fit.offload_bytes) == (True, (), 0.0)


def test_every_sku_of_the_tests_has_a_sheet() -> None:
    assert {sku.gpu for sku in facts().skus} <= set(GPUS)
    assert facts().model is MISTRAL_V1
