"""Where an estimate comes from: our own run, one nearby with its factor, else the calibration with its band."""

from decimal import Decimal

import pytest

from calculator.domain.calibration import Band, Engine, Era
from calculator.domain.provenance import Kind
from calculator.domain.serving import end_to_end_s
from calculator.domain.serving_answer import estimate
from calculator.domain.serving_scenario import CachePrecision, InferenceScenario, KnownRun, LoadBy
from calculator.domain.serving_speed import Speeds, distance, nearest

from .inference_factories import BANDS, calibrated, facts, run, scenario


def speeds_of(*runs: KnownRun, **values: object) -> Speeds:
    found = estimate(scenario(**values), facts(runs=runs)).speeds
    assert found is not None
    return found


def test_the_band_of_the_class_surrounds_each_speed() -> None:
    found = speeds_of()
    assert found.total_tok_per_s.low == pytest.approx(0.8 * found.total_tok_per_s.value)
    assert found.first_token_s.high == pytest.approx(1.25 * found.first_token_s.value)
    assert found.user_tok_per_s.value == pytest.approx(1 / found.token_s.value)
    assert found.user_tok_per_s.high == pytest.approx(1 / (0.9 * found.token_s.value))


def test_the_band_is_that_of_the_gpus_chip() -> None:
    """An A100 40 GB: Ampere with HBM. A band of Hopper, or of another metric, leaves the figure alone."""
    bands = BANDS | {
        "ttft_ms|vLLM|fp16|Ampere/HBM": Band(0.5, 2.0, 40),
        "tpot_ms|vLLM|fp16|Hopper/HBM": Band(0.1, 9.0, 40),
    }
    found = estimate(scenario(), facts(calibration=calibrated(bands=bands))).speeds
    assert found is not None
    assert found.first_token_s.low == pytest.approx(0.5 * found.first_token_s.value)
    assert found.first_token_s.high == pytest.approx(2.0 * found.first_token_s.value)
    assert found.token_s.high == pytest.approx(1.1 * found.token_s.value)


def test_end_to_end_adds_the_ends_of_both_bands() -> None:
    answer = estimate(scenario(), facts())
    found, served = answer.speeds, answer.chosen.served
    assert found is not None and served is not None
    assert found.end_to_end_s.value == pytest.approx(end_to_end_s(served.point, 256))
    low = 0.8 * found.first_token_s.value + 255 * 0.9 * found.token_s.value
    assert found.end_to_end_s.low == pytest.approx(low)


def test_our_own_run_of_this_very_setup_is_the_value_itself() -> None:
    found = speeds_of(run(612.0))
    assert (found.total_tok_per_s.value, found.total_tok_per_s.kind) == (612.0, Kind.MEASURED)
    assert found.total_tok_per_s.low is None
    assert found.requests_per_s.value == pytest.approx(612 / 256)


def test_pitfall_35_a_run_nearby_scales_the_estimate_and_is_no_longer_measured() -> None:
    plain = speeds_of(concurrency=32)
    at_run = speeds_of()
    found = speeds_of(run(0.75 * at_run.total_tok_per_s.value), concurrency=32)
    assert found.factor == pytest.approx(0.75)
    assert found.total_tok_per_s.value == pytest.approx(0.75 * plain.total_tok_per_s.value)
    assert found.token_s.value == pytest.approx(plain.token_s.value / 0.75)
    assert found.total_tok_per_s.kind is Kind.ESTIMATE
    assert found.first_token_s == plain.first_token_s


@pytest.mark.parametrize(
    "other",
    [
        {"engine": Engine.SGLANG},
        {"precision": "fp8"},
        {"concurrency": 16 * 5},
        {"prompt_tokens": 1024 * 5},
        {"output_tokens": 256 // 5},
    ],
)
def test_a_run_of_another_engine_format_or_load_says_nothing(other: dict[str, object]) -> None:
    assert nearest(scenario(), (run(600.0, **other),), 16) is None
    assert speeds_of(run(600.0, **other)).factor == 1.0


def test_the_nearest_of_several_runs_is_taken() -> None:
    far, near = run(1.0, concurrency=48, run="far"), run(2.0, concurrency=24, run="near")
    found = nearest(scenario(), (far, near), 16)
    assert found is not None and found.run == "near"
    assert distance(near, scenario(), 16) < distance(far, scenario(), 16)


def test_two_instances_are_compared_with_a_run_of_one_at_the_same_load_each() -> None:
    asked: InferenceScenario = scenario(instances=2, concurrency=32)
    assert distance(run(600.0), asked, 32) == 0
    found = speeds_of(run(600.0), instances=2, concurrency=32)
    assert found.total_tok_per_s.kind is Kind.ESTIMATE
    assert found.total_tok_per_s.value == pytest.approx(1200.0)


def test_arrivals_that_are_carried_fix_the_throughput() -> None:
    found = speeds_of(load=LoadBy.RATE, requests_per_s=Decimal("1.5"))
    assert (found.total_tok_per_s.value, found.total_tok_per_s.low) == (1.5 * 256, None)
    assert found.total_tok_per_s.kind is Kind.INPUT


def test_a_run_of_another_gpu_is_not_read_for_a_gpu_chosen_by_its_sheet() -> None:
    assert speeds_of(run(600.0), gpu="H100-SXM-80GB").run is None


@pytest.mark.parametrize(
    "other",
    [
        {"cache": CachePrecision.FP8},
        {"era": Era.OLD},
        {"max_sequences": 64},
        {"memory_ratio": Decimal("0.8")},
        {"replicas": 1},
        {"instances": 2, "tensor_parallel": 2},
        {"prefix_hit_ratio": Decimal("0.5")},
    ],
)
def test_a_condition_that_the_run_does_not_state_makes_it_an_estimate(other: dict[str, object]) -> None:
    assert speeds_of(run(900.0)).total_tok_per_s.kind is Kind.MEASURED
    assert speeds_of(run(900.0), **other).total_tok_per_s.kind is Kind.ESTIMATE


def test_another_cache_is_scaled_by_the_run_at_its_own() -> None:
    """Measured ÷ predicted is that of the 16-bit run, whatever cache is asked for."""
    factor = speeds_of(run(900.0)).factor
    assert speeds_of(run(900.0), cache=CachePrecision.FP8).factor == pytest.approx(factor)
