"""Training speed: the four sources, what each ranks as, utilisation by convention, divided models, refusals."""

from dataclasses import replace
from decimal import Decimal

import pytest

from calculator.domain import training_speed
from calculator.domain.calibration import Band
from calculator.domain.inference import NotModelledError
from calculator.domain.provenance import Kind
from calculator.domain.training import Method, divided_pass_s, tok_per_s_per_gpu
from calculator.domain.training_scenario import Convention, Numbers, Speed, Utilisation
from calculator.domain.training_speed import Setup, settle
from calculator.domain.training_work import assumed_shape

from .serving_factories import LLAMA_70B, MIXTRAL, TRAINER
from .training_factories import CALIBRATION, GPUS, MISTRAL_V1, SUPERCOMPUTE, TITAN, answer, codes, facts, scenario

PARAMS = 7_241_732_096
PEAK = 165.2e12
PUBLISHED = {"speed": Speed.RATE, "rate_tok_per_s": Decimal(1350)}
ENCODER = {
    "params_count": Decimal(2_700_000_000),
    "method": Method.PRETRAIN,
    "speed": Speed.MFU,
    "mfu_ratio": Decimal("0.2613"),
}


def setup(**fields: object) -> Setup:
    return settle(scenario(**fields), facts())


def shares(**fields: object) -> dict[Utilisation, float]:
    found = answer(**fields).rate
    assert found is not None
    return dict(found.utilisations)


def test_a_calibrated_speed_is_an_estimate_with_the_band_of_its_class() -> None:
    found = answer().rate
    assert found is not None
    assert found.per_gpu.kind is Kind.ESTIMATE
    assert found.band == pytest.approx((found.per_gpu.value * 0.8, found.per_gpu.value * 1.25))


def test_the_band_is_that_of_the_gpus_chip() -> None:
    """QLoRA on an RTX 4090, which is Ada with GDDR."""
    bands = {**CALIBRATION.bands, "tok_s_per_gpu|qlora|int4|Ada/GDDR": Band(0.6, 1.5, 22)}
    known = facts(calibration=replace(CALIBRATION, bands=bands))
    assert training_speed.rate_band(settle(scenario(), known), 1000.0) == (600.0, 1500.0)


def test_a_calibrated_speed_is_the_very_function_that_the_accuracy_check_calls() -> None:
    found = training_speed.calibrated_rate(setup())
    job = training_speed._job(setup(), 41_943_040)
    assert found == tok_per_s_per_gpu(job, TRAINER)


@pytest.mark.parametrize(
    ("convention", "percent"),
    [
        (Utilisation.SIX, 35.5),
        (Utilisation.SIX_ATTENTION, 36.2),
        (Utilisation.METHOD, 23.7),
    ],
)
def test_pitfall_40_the_published_speed_is_three_utilisations(convention: Utilisation, percent: float) -> None:
    assert shares(**PUBLISHED)[convention] * 100 == pytest.approx(percent, abs=0.05)


def test_pitfall_40_hfu_counts_what_is_recomputed_and_mfu_does_not() -> None:
    without, recomputed = shares(**PUBLISHED), shares(**PUBLISHED, recomputed=True)
    assert recomputed[Utilisation.METHOD] == without[Utilisation.METHOD]
    attention = 2 * 32 * 512 * 4096
    more = (2 * PARAMS + attention) * 1350 / PEAK
    assert recomputed[Utilisation.HARDWARE] - without[Utilisation.HARDWARE] == pytest.approx(more)


def test_whole_training_has_one_mfu_in_both_conventions() -> None:
    found = shares(**PUBLISHED, method=Method.FULL)
    assert found[Utilisation.SIX] == found[Utilisation.METHOD]


@pytest.mark.parametrize(("convention", "factor"), [(Convention.SIX, 6), (Convention.METHOD, 4)])
def test_a_typed_utilisation_is_read_by_its_convention(convention: Convention, factor: int) -> None:
    found = answer(speed=Speed.MFU, mfu_ratio=Decimal("0.30"), convention=convention).rate
    assert found is not None
    assert found.per_gpu.value == pytest.approx(0.30 * PEAK / (factor * PARAMS))


@pytest.mark.parametrize("typed", [PUBLISHED, {"speed": Speed.MFU, "mfu_ratio": Decimal("0.3")}], ids=["rate", "mfu"])
def test_what_is_typed_in_place_of_a_speed_ranks_as_an_assumption(typed: dict[str, object]) -> None:
    found = answer(**typed)
    assert found.rate is not None
    assert (found.rate.per_gpu.kind, found.rate.per_gpu.rank_kind) == (Kind.INPUT, Kind.ASSUMPTION)
    assert found.trust is Kind.ASSUMPTION
    assert found.rate.band is None


def test_the_vendors_run_is_a_claim_and_belongs_to_its_model_sku_and_method() -> None:
    found = answer(speed=Speed.PUBLISHED)
    assert found.rate is not None
    assert (found.rate.per_gpu.value, found.trust) == (1350.0, Kind.CLAIM)
    for other in ({"method": Method.LORA}, {"params_count": Decimal(10**9)}):
        refused = answer(facts(sku=TITAN), speed=Speed.PUBLISHED, **other)
        assert refused.rate is None
        assert "no_published_run" in codes(refused)


def test_a_published_pretraining_is_found_by_its_typed_parameters() -> None:
    shape = assumed_shape(2.7e9)
    found = answer(facts(shape, sku=TITAN), **{**ENCODER, "speed": Speed.PUBLISHED})
    assert [run.code for run in found.published] == ["encoder"]


@pytest.mark.parametrize(
    ("speed", "code"),
    [(Speed.RATE, "rate_needed"), (Speed.MFU, "mfu_needed")],
)
def test_a_source_without_a_value_names_the_input(speed: Speed, code: str) -> None:
    found = answer(speed=speed)
    assert found.rate is None
    assert found.headline.code == "no_speed"
    assert code in codes(found)


def test_pitfall_20_a_typed_utilisation_needs_a_peak() -> None:
    bare = {**GPUS, "RTX 4090": replace(GPUS["RTX 4090"], fp16_tflops_dense_fp32acc=None)}
    found = answer(facts(gpus=bare), speed=Speed.MFU, mfu_ratio=Decimal("0.3"))
    assert found.rate is None
    assert "unknown_peak" in codes(found)


def test_a_typed_speed_needs_no_peak_and_then_has_no_utilisation() -> None:
    bare = {**GPUS, "RTX 4090": replace(GPUS["RTX 4090"], fp16_tflops_dense_fp32acc=None)}
    found = answer(facts(gpus=bare), **PUBLISHED)
    assert found.rate is not None
    assert (found.rate.utilisations, found.rate.total_tok_per_s) == ((), 1350.0)


def test_32_bit_training_is_not_calibrated() -> None:
    found = answer(numbers=Numbers.FP32)
    assert found.rate is None
    assert "fp32_not_calibrated" in codes(found)


def test_adapters_on_experts_have_no_speed_and_say_why() -> None:
    found = answer(facts(MIXTRAL, sku=replace(SUPERCOMPUTE)), micro_batch=1)
    assert found.trained_params is None
    assert found.rate is None
    assert "adapters_not_modelled" in codes(found)


def test_pitfall_22_a_t4_multiplies_no_bf16() -> None:
    found = answer(facts(sku=replace(facts().skus[0])), micro_batch=1)
    assert found.gpu.name == "T4"
    assert "no_bf16" in codes(found)


def test_pitfall_21_fp8_on_ampere_is_said_to_be_16_bits() -> None:
    found = answer(facts(sku=TITAN), numbers=Numbers.FP8)
    assert "no_fp8" in codes(found)


def test_a_speed_above_the_peak_is_doubted() -> None:
    found = answer(speed=Speed.RATE, rate_tok_per_s=Decimal(10_000))
    assert 10_000 * 4 * PARAMS > PEAK
    assert "above_peak" in codes(found)


@pytest.mark.parametrize(("stages", "passes", "factor"), [(1, 4, 1.0), (2, 4, 1.25), (4, 1, 4.0), (8, 64, 71 / 64)])
def test_a_pipeline_waits_for_its_stages_once_a_step(stages: int, passes: int, factor: float) -> None:
    assert training_speed.bubble_factor(stages, passes) == factor


STATES_S = 28 * LLAMA_70B.params_total / 8 / (2039 * 1e9)
"""An optimizer step on eight A100: 28 B a parameter, an eighth of them each, however copies and shards divide them."""


def rate_of(**fields: object) -> float:
    given = scenario(method=Method.FULL, micro_batch=1, accumulation=4, **fields)
    return training_speed.calibrated_rate(settle(given, facts(LLAMA_70B, sku=SUPERCOMPUTE)))


def test_a_pipeline_of_two_over_four_passes_waits_a_quarter_longer() -> None:
    """Computing is halved, a step's states stay an eighth each, and all of it takes 5/4."""
    computing = 512 / rate_of() - STATES_S / 4
    assert 512 / rate_of(pipeline_parallel=2) / 2 == pytest.approx(1.25 * (computing / 2 + STATES_S / 4))


def test_tensor_parallelism_adds_four_exchanges_a_layer() -> None:
    """2(N−1)/N of micro-batch × sequence × hidden × 2 B over 300 GB/s, four times in each of 80 layers."""
    computing = 512 / rate_of() - STATES_S / 4
    exchanges = 4 * 80 * (1.0 * 512 * 8192 * 2) / 300e9
    assert 512 / rate_of(tensor_parallel=2) / 2 == pytest.approx(computing / 2 + STATES_S / 4 + exchanges)


@pytest.mark.parametrize(("tensor", "stages", "part"), [(1, 1, 1), (8, 1, 1), (4, 2, 2), (1, 8, 8)])
def test_each_gpu_launches_every_layer_that_it_holds(tensor: int, stages: int, part: int) -> None:
    """80 layers forward and backward at 1 ms: 160 ms a pass, divided by the stages alone."""
    job = training_speed._job(settle(scenario(method=Method.FULL), facts(LLAMA_70B, sku=SUPERCOMPUTE)), 70e9)
    with_launches = divided_pass_s(job, replace(TRAINER, layer_s=0.001), tensor, stages)
    assert with_launches - divided_pass_s(job, TRAINER, tensor, stages) == pytest.approx(0.160 / part)


def test_a_copy_on_one_gpu_takes_what_the_undivided_model_takes() -> None:
    """With every constant of the model at work."""
    rough = replace(
        TRAINER, small_pass_tokens=500.0, layer_s=0.001, step_s=0.04, exposed_ratio=0.1, cluster_exponent=0.02
    )
    job = training_speed._job(setup(), 41_943_040)
    for gpus in (1, 16):
        given = replace(job, gpu_count=gpus, sharded=gpus > 1)
        assert divided_pass_s(given, rough, 1, 1) == pytest.approx(2 * 512 / tok_per_s_per_gpu(given, rough))


def test_shards_travel_among_the_copies_and_not_inside_one() -> None:
    """Eight GPUs that hold one copy have nobody to gather weights from."""
    eight = training_speed._job(settle(scenario(method=Method.FULL), facts(LLAMA_70B, sku=SUPERCOMPUTE)), 70e9)
    shown = replace(TRAINER, exposed_ratio=0.5)
    assert divided_pass_s(eight, shown, 8, 1) == divided_pass_s(eight, TRAINER, 8, 1)
    assert divided_pass_s(eight, shown, 4, 1) > divided_pass_s(eight, TRAINER, 4, 1)


def test_a_divided_model_has_no_band_and_says_so() -> None:
    eight = facts(sku=SUPERCOMPUTE)
    found = answer(eight, tensor_parallel=8, method=Method.FULL)
    assert found.rate is not None
    assert found.rate.band is None
    assert "division_textbook" in codes(found)


def test_all_gpus_together_are_the_speed_of_one_times_their_number() -> None:
    found = answer(facts(sku=SUPERCOMPUTE), instances=2).rate
    assert found is not None
    assert found.total_tok_per_s == pytest.approx(16 * found.per_gpu.value)


def test_a_sheet_without_a_link_has_no_divided_speed() -> None:
    bare = replace(GPUS["A100-SXM-80GB"], link_gb_s_per_direction=None, pcie_gb_s_per_direction=None)
    eight = facts(sku=SUPERCOMPUTE, gpus={**GPUS, "A100-SXM-80GB": bare})
    with pytest.raises(NotModelledError, match="unknown_link"):
        training_speed.calibrated_rate(settle(scenario(tensor_parallel=2), eight))


def test_the_sheet_of_the_skus_gpu_is_used() -> None:
    assert setup().gpu.name == "RTX 4090"
    assert setup().model is MISTRAL_V1
