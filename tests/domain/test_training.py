"""Training: tokens, FLOP by convention, utilisation, the published run, and speed worked out by hand."""

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from calculator.domain import training
from calculator.domain.inference import NotModelledError
from calculator.domain.training import Method, TrainingJob

from .serving_factories import A100_80, MISTRAL, MIXTRAL, RTX_4090, TRAINER

PARAMS = 7.2417e9
PLAIN = TrainingJob(MISTRAL, A100_80, Method.FULL, "fp16", 8, 512, 1, 1, False, MISTRAL.params_total, False)
MULTIPLIED = 6_979_588_096 + 32_768 * 4096


def golden(name: str) -> tuple[dict[str, float], float, float]:
    """Inputs, expected value and tolerance of a row of golden_sizing.csv."""
    lines = (Path(__file__).parent / "golden_sizing.csv").read_text(encoding="utf-8").splitlines()
    row = next(r for r in csv.DictReader(line for line in lines if not line.startswith("#")) if r["id"] == name)
    given = (part.strip().split("=") for part in row["inputs"].split(";"))
    return {key: float(value) for key, value in given}, float(row["expected"]), float(row["rel_tolerance"])


def test_golden_tokens_of_the_published_run() -> None:
    given, expected, _ = golden("qlora_tokens")
    found = training.training_tokens(
        *(int(given[key]) for key in ("micro_batch", "seq", "grad_accum", "gpus", "steps"))
    )
    assert found == expected


def test_golden_minutes_of_the_published_run() -> None:
    given, expected, tolerance = golden("qlora_minutes")
    assert training.run_s(given["tokens"], given["tok_s"]) / 60 == pytest.approx(expected, rel=tolerance)


def test_golden_cost_of_the_published_run() -> None:
    given, expected, tolerance = golden("qlora_cost")
    cost = training.run_h(given["tokens"], given["tok_s"]) * given["eur_per_hour"]
    assert cost == pytest.approx(expected, rel=tolerance)


def test_golden_flop_of_a_pretraining() -> None:
    given, expected, tolerance = golden("pretrain_flops")
    found = training.training_flop(given["params"], given["tokens"], Method.PRETRAIN, False)
    assert found == pytest.approx(expected, rel=tolerance)


def test_golden_days_on_one_a100() -> None:
    given, expected, tolerance = golden("pretrain_days_1xa100")
    flop = training.training_flop(given["params"], given["tokens"], Method.PRETRAIN, False)
    assert training.training_s(flop, given["peak"], given["mfu"]) / 86_400 == pytest.approx(expected, rel=tolerance)


def test_pitfall_38_both_readings_of_the_accumulation() -> None:
    assert training.training_tokens(2, 512, 4, 1, 750) == 3_072_000
    assert training.training_tokens(8, 512, 4, 1, 750) == 12_288_000


@pytest.mark.parametrize(
    ("method", "recomputed", "gflop"),
    [(Method.FULL, False, 43.5), (Method.QLORA, False, 29.0), (Method.LORA, True, 43.5), (Method.PRETRAIN, True, 58.0)],
)
def test_pitfall_39_a_frozen_base_saves_a_third_and_recomputing_adds_a_third(
    method: Method, recomputed: bool, gflop: float
) -> None:
    assert training.training_flop(7.25e9, 1, method, recomputed) / 1e9 == pytest.approx(gflop, abs=0.05)


@pytest.mark.parametrize(("method", "percent"), [(Method.QLORA, 23.7), (Method.FULL, 35.5)])
def test_pitfall_40_utilisation_depends_on_the_convention(method: Method, percent: float) -> None:
    assert training.model_flop_utilisation(1350, PARAMS, method, 165.2e12) * 100 == pytest.approx(percent, abs=0.05)


def test_pitfall_40_with_attention_the_published_run_reaches_36_2_percent() -> None:
    attention = training.attention_flop_a_token(MISTRAL, 512, False)
    assert attention == 3 * 2 * 32 * 512 * 4096
    full_matrix = 6 * PARAMS + 2 * attention
    assert 1350 * full_matrix / 165.2e12 * 100 == pytest.approx(36.2, abs=0.05)


def test_speed_at_half_of_the_peak_follows_from_the_flop() -> None:
    flop = 6 * MULTIPLIED + 3 * 2 * 32 * 512 * 4096
    assert training.tok_per_s_per_gpu(PLAIN, TRAINER) == pytest.approx(
        1 / (flop / 156e12 + 28 * 7_248_023_552 / 2039e9 / 4096)
    )


def test_pitfall_42_a_mixture_multiplies_its_active_parameters() -> None:
    sparse = replace(PLAIN, model=MIXTRAL, trained_params=0)
    flop = 6 * (12_879_925_248 - 32_000 * 4096) + 3 * 2 * 32 * 512 * 4096
    assert training.tok_per_s_per_gpu(sparse, TRAINER) == pytest.approx(156e12 / flop)


def test_a_four_bit_base_is_unpacked_in_every_pass() -> None:
    constants = replace(TRAINER, dequantised_bytes=4.5)
    adapters = replace(PLAIN, method=Method.QLORA, trained_params=0)
    lost = 1 / training.tok_per_s_per_gpu(adapters, constants) - 1 / training.tok_per_s_per_gpu(adapters, TRAINER)
    assert lost == pytest.approx(2 * 4.5 * 6_979_588_096 / 2039e9 / 4096)


def test_launches_cost_less_a_token_the_larger_the_micro_batch() -> None:
    constants = replace(TRAINER, layer_s=1e-3, step_s=1e-2)
    speeds = [training.tok_per_s_per_gpu(replace(PLAIN, micro_batch=size), constants) for size in (1, 2, 8, 32)]
    assert speeds == sorted(speeds)


def test_accumulation_spreads_the_optimizer_step() -> None:
    speeds = [training.tok_per_s_per_gpu(replace(PLAIN, accumulation=count), TRAINER) for count in (1, 4, 64)]
    assert speeds == sorted(speeds)


def test_pitfall_46_sharded_weights_cross_the_links_three_times_a_pass() -> None:
    constants = replace(TRAINER, exposed_ratio=1.0)
    sharded = replace(PLAIN, gpu_count=8, sharded=True, trained_params=0)
    lost = 1 / training.tok_per_s_per_gpu(sharded, constants) - 1 / training.tok_per_s_per_gpu(sharded, TRAINER)
    assert lost == pytest.approx(3 * 7_248_023_552 * 2 * 7 / 8 / 300e9 / 4096)


def test_many_machines_lose_a_power_of_their_number() -> None:
    constants = replace(TRAINER, cluster_exponent=0.05)
    one, many = replace(PLAIN, gpu_count=8), replace(PLAIN, gpu_count=64)
    ratio = training.tok_per_s_per_gpu(many, constants) / training.tok_per_s_per_gpu(one, constants)
    assert ratio == pytest.approx(8**-0.05)


def test_pitfall_20_22_a_gpu_without_a_stated_peak_is_refused() -> None:
    bare = replace(RTX_4090, fp16_tflops_dense_fp32acc=None)
    with pytest.raises(NotModelledError, match="unknown_peak"):
        training.tok_per_s_per_gpu(replace(PLAIN, gpu=bare), TRAINER)
