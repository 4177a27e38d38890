"""The whole answer: headline, memory, warnings, steps that repeat the numbers, and what must hold whatever is asked."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculator.domain.calibration import Engine
from calculator.domain.memory import Line
from calculator.domain.provenance import Kind, Sourced, Step
from calculator.domain.serving_answer import InferenceEstimate, estimate
from calculator.domain.serving_outcome import Target
from calculator.domain.serving_scenario import CachePrecision, LoadBy

from .inference_factories import PRO, STARTER, SUPERCOMPUTE, TITAN, facts, offer, run, scenario
from .serving_factories import A100_80, DEEPSEEK, IDEAL, MISTRAL, REAL

OLD = offer("OLD", replace(A100_80, compute_capability="7.5", fp8_native=False, bf16_native=False), "1")
VOLTA = offer("VOLTA", replace(A100_80, compute_capability="7.0", fp8_native=False, bf16_native=False), "1")
PRO_WITHOUT = OLD


def answer(chosen: Any = None, **values: Any) -> InferenceEstimate:
    return estimate(scenario(**values), facts() if chosen is None else facts(chosen))


def codes(found: InferenceEstimate) -> list[str]:
    return [message.code for message in found.warnings]


def step(found: InferenceEstimate, code: str) -> Step:
    return next(one for one in found.steps if one.code == code)


def term(found: Step, symbol: str) -> float:
    return float(next(one.source.value for one in found.terms if one.symbol == symbol))


def test_the_headline_says_whether_the_targets_are_held() -> None:
    assert answer().headline.code == "meets"
    missed = answer(token_ms=Decimal(1)).headline
    assert (missed.code, missed.values["missed"]) == ("misses", Target.TPOT)
    assert answer(STARTER).headline.code == "does_not_fit"
    assert answer(precision="gguf-q8_0").headline.code == "not_modelled"
    assert answer(load=LoadBy.RATE, requests_per_s=Decimal(500)).headline.code == "beyond_capacity"


def test_pitfall_15_capacity_counts_the_mean_context_and_admission_the_whole() -> None:
    """Mistral fp16 on an A100 40 GB at 0.90 with 3 GB of runtime: 38.655 − 14.496 − 3 GB over 131 072 B a token."""
    memory = answer().chosen.memory
    assert memory is not None
    budget = 40_960 * 2**20 * 0.9 - 14_496_047_104 - 3e9
    assert memory.mean_sequences == pytest.approx(budget / (1152 * 131_072))
    assert memory.full_sequences == pytest.approx(budget / (1280 * 131_072))
    assert memory.room_tokens == pytest.approx(budget / 131_072)


def test_pitfall_16_the_line_that_fails_is_named_with_what_lacks() -> None:
    found = answer(STARTER)
    memory = found.chosen.memory
    assert memory is not None
    assert found.chosen.failing is Line.WEIGHTS
    lacking = 14_496_047_104 + 3e9 + 1152 * 131_072 - 15_360 * 2**20 * 0.9
    assert memory.lacking_bytes == pytest.approx(lacking)
    assert step(found, "serve_room").result < 0


def test_nothing_is_said_of_speed_or_cost_where_it_does_not_fit() -> None:
    found = answer(STARTER)
    assert (found.speeds, found.best, found.cost, found.goodput, found.roofline) == (None,) * 5
    assert found.curve == ()
    assert found.trust is None


def test_the_best_point_has_more_clients_and_costs_less() -> None:
    found = answer()
    assert found.best is not None and found.cost is not None and found.best.cost is not None
    assert found.best.served.concurrency > 16
    assert found.best.cost.output.value < found.cost.output.value
    assert {16.0, found.best.served.concurrency} <= {one.concurrency for one in found.curve}


def test_goodput_is_nothing_where_the_queue_grows_without_end() -> None:
    found = answer(load=LoadBy.RATE, requests_per_s=Decimal(500))
    assert found.goodput is not None
    assert found.goodput.high_per_s == 0


def test_steps_tell_the_numbers_of_the_answer() -> None:
    found = answer()
    assert found.speeds is not None and found.cost is not None and found.cost.input_share is not None
    assert step(found, "serve_weights").result == 14_496_047_104
    assert step(found, "kv_bytes").result == 131_072
    first = step(found, "serve_first_token")
    assert first.result == pytest.approx(sum(term(first, symbol) for symbol in "qfs"))
    assert first.result == pytest.approx(found.speeds.first_token_s.value)
    rate = step(found, "serve_output_rate")
    running, output, one, prompt = (term(rate, symbol) for symbol in "ROsf")
    assert rate.result == pytest.approx(running * output / (output * one + running * prompt))
    assert rate.result == pytest.approx(found.speeds.total_tok_per_s.value)
    assert step(found, "serve_step").result == pytest.approx(one)
    assert step(found, "serve_requests").result == pytest.approx(rate.result / 256)
    bill = step(found, "serve_bill")
    assert bill.result == Decimal("4.20") * 720
    cost = step(found, "serve_eur_output")
    assert float(cost.result) == pytest.approx(float(bill.result) / term(cost, "V") * 1e6)


def test_golden_prefill_2048_mistral_a100_is_a_step_and_a_ceiling() -> None:
    shape = replace(MISTRAL, params_total=7_241_600_000, params_active=7_241_600_000)
    found = estimate(scenario(prompt_tokens=2048), facts(model=shape))
    bound = step(found, "prefill_bound")
    assert float(bound.result) * 1000 == pytest.approx(102.12, rel=5e-4)
    assert found.speeds is not None
    assert found.speeds.first_token_s.value > float(bound.result)


@pytest.mark.parametrize(("chosen", "golden"), [(PRO, 69.60), (TITAN, 140.78)])
def test_golden_decode_bounds_are_ceilings_that_no_estimate_passes(chosen: Any, golden: float) -> None:
    """The golden rows read 7.2416 G parameters; here the input embedding is not read, and a little cache is."""
    found = answer(chosen, prompt_tokens=1, output_tokens=2, concurrency=1)
    bound = float(step(found, "serve_decode_bound").result)
    assert bound == pytest.approx(golden * 7.2416e9 / (6_979_588_096 + 32_768 * 4096), rel=1e-3)
    assert found.speeds is not None and found.speeds.user_tok_per_s.value < bound


def test_a_latent_cache_has_its_own_formula() -> None:
    eight = offer("BIG", replace(A100_80, vram_gb=800, driver_mib=819_200), "80", gpu_count=8)
    found = estimate(scenario(tensor_parallel=8), facts(eight, DEEPSEEK))
    assert step(found, "serve_latent").result == 61 * (512 + 64) * 2


def test_a_rate_is_told_by_littles_law() -> None:
    found = answer(load=LoadBy.RATE, requests_per_s=Decimal("1.5"))
    little = step(found, "serve_little")
    assert little.result == pytest.approx(1.5 * term(little, "t"))
    assert "serve_requests" not in [one.code for one in found.steps]


def test_an_estimate_scaled_to_a_run_shows_the_factor() -> None:
    found = estimate(scenario(concurrency=32), facts(runs=(run(500.0),)))
    assert found.speeds is not None
    anchored = step(found, "serve_anchored")
    assert anchored.result == pytest.approx(found.speeds.total_tok_per_s.value)
    assert term(anchored, "a") == pytest.approx(found.speeds.factor)
    assert anchored.trust is Kind.ESTIMATE
    (message,) = (one for one in found.warnings if one.code == "scaled_from_run")
    assert message.values["factor"] == found.speeds.factor


def test_a_measured_point_says_so() -> None:
    found = estimate(scenario(), facts(runs=(run(500.0),)))
    assert "measured_here" in codes(found)


@pytest.mark.parametrize(
    ("values", "chosen", "code"),
    [
        ({"precision": "fp8"}, TITAN, "fp8_weights_emulated"),
        ({"precision": "nvfp4"}, TITAN, "fp4_weights_emulated"),
        ({"cache": CachePrecision.FP8}, TITAN, "fp8_cache_not_written"),
        ({"cache": CachePrecision.FP8, "engine": Engine.SGLANG}, TITAN, "fp8_cache_emulated"),
        ({"cache": CachePrecision.FP8}, OLD, "fp8_cache_refused"),
        ({"precision": "mxfp4"}, OLD, "capability_too_low"),
        ({"precision": "fp8"}, VOLTA, "capability_too_low"),
        ({"precision": "nvfp4"}, PRO, "few_measurements"),
        ({"precision": "bf16"}, PRO, "bf16_not_native"),
        ({"tensor_parallel": 2, "instances": 2}, TITAN, "replica_across_instances"),
        ({"tensor_parallel": 2, "instances": 3}, TITAN, "idle_gpus"),
        ({"concurrency": 4000}, TITAN, "queueing"),
        ({"load": LoadBy.RATE}, TITAN, "no_rate"),
        ({"load": LoadBy.RATE, "requests_per_s": Decimal(500)}, TITAN, "beyond_capacity"),
        ({"calibration": "ffff"}, TITAN, "calibration_changed"),
        ({}, SUPERCOMPUTE, "price_on_request"),
        ({"engine": Engine.LLAMA_CPP}, TITAN, "batch_not_calibrated"),
    ],
)
def test_what_the_reader_must_know_is_said(values: dict[str, Any], chosen: Any, code: str) -> None:
    assert code in codes(answer(chosen, **values))


def test_nothing_is_said_without_a_reason() -> None:
    assert codes(answer(TITAN)) == []
    assert codes(answer(TITAN, calibration="0123")) == []


def test_the_vendors_single_stream_stands_beside_the_estimate_of_one() -> None:
    claim = Sourced(96.0, "tok/s", Kind.CLAIM, "vendor_single_stream")
    found = estimate(scenario(concurrency=64), facts(claim_tok_per_s=claim))
    (message,) = (one for one in found.warnings if one.code == "vendor_claim")
    alone = estimate(scenario(concurrency=1), facts()).speeds
    assert alone is not None
    assert message.values["claim"] == 96
    assert message.values["alone"] == pytest.approx(alone.user_tok_per_s.value)
    assert "vendor_claim" not in codes(estimate(scenario(prompt_tokens=900_000), facts(claim_tok_per_s=claim)))


def test_lengths_beyond_the_models_context_are_said() -> None:
    found = estimate(scenario(prompt_tokens=9000), facts(model=replace(MISTRAL, max_context=8192)))
    assert "context_beyond_model" in codes(found)


def test_a_margin_smaller_than_the_band_is_said() -> None:
    plain = answer()
    assert plain.speeds is not None
    limit = Decimal(str(round(plain.speeds.first_token_s.value * 1000 * 1.1, 3)))
    found = answer(first_token_ms=limit)
    assert found.headline.code == "meets"
    assert "margin_within_band" in codes(found)


def test_the_answer_is_worth_its_weakest_part() -> None:
    """A cost rests on assumed hours and utilisation; without a price only estimated speeds are left."""
    assert answer().trust is Kind.ASSUMPTION
    assert answer(price_eur=Decimal(1)).trust is Kind.ASSUMPTION
    assert answer(SUPERCOMPUTE).trust is Kind.ESTIMATE


def test_bf16_is_computed_as_fp16_where_the_gpu_has_no_such_units() -> None:
    brain, half = (answer(PRO_WITHOUT, precision=code) for code in ("bf16", "fp16"))
    assert brain.speeds == half.speeds
    assert brain.speeds is not None


def test_a_cache_that_vllm_refuses_is_counted_in_16_bits() -> None:
    narrow, wide = (answer(OLD, cache=cache).chosen for cache in (CachePrecision.FP8, CachePrecision.FP16))
    assert narrow.memory is not None and wide.memory is not None
    assert narrow.memory.room_tokens == wide.memory.room_tokens


def test_a_link_that_the_sheet_does_not_state_gives_no_number() -> None:
    lone = offer("X", replace(A100_80, link_gb_s_per_direction=None, pcie_gb_s_per_direction=None), "1")
    found = answer(lone, instances=2, tensor_parallel=2)
    assert found.headline.code == "not_modelled"
    assert "unknown_link" in codes(found)


LOADS = st.fixed_dictionaries(
    {"prompt_tokens": st.integers(1, 8192), "output_tokens": st.integers(1, 2048), "concurrency": st.integers(1, 200)}
)


@given(asked=LOADS, more=st.integers(1, 100))
def test_more_clients_never_wait_less_nor_stream_faster(asked: dict[str, int], more: int) -> None:
    few = answer(TITAN, **asked).speeds
    many = answer(TITAN, **{**asked, "concurrency": asked["concurrency"] + more}).speeds
    assert few is not None and many is not None
    assert many.first_token_s.value >= few.first_token_s.value * (1 - 1e-9)
    assert many.token_s.value >= few.token_s.value * (1 - 1e-9)
    assert many.total_tok_per_s.value >= few.total_tok_per_s.value * (1 - 1e-9)


@given(asked=LOADS)
def test_more_room_for_the_cache_never_lowers_the_clients(asked: dict[str, int]) -> None:
    small, large = (
        estimate(scenario(**asked), facts(TITAN, constants=replace(REAL, memory_ratio=ratio))) for ratio in (0.7, 0.95)
    )
    assert (large.most_clients or 0) >= (small.most_clients or 0)
    assert (large.best.served.concurrency if large.best else 0) >= (small.best.served.concurrency if small.best else 0)


@given(asked=LOADS)
def test_every_point_that_fits_is_a_whole_answer(asked: dict[str, int]) -> None:
    found = answer(TITAN, **asked)
    served = found.chosen.served
    assert served is not None and found.cost is not None and found.roofline is not None
    point = served.point
    assert point.queue_s + point.prefill_s + point.first_step_s == pytest.approx(point.first_token_s)
    assert served.output_tok_per_s == pytest.approx(point.output_tok_per_s)
    assert found.cost.output.low <= found.cost.output.value <= found.cost.output.high  # type: ignore[operator]
    assert found.goodput is not None and 0 <= found.goodput.low_ratio <= found.goodput.high_ratio <= 1


def test_an_ideal_server_reaches_its_ceiling_but_never_passes_it() -> None:
    found = estimate(scenario(concurrency=1), facts(constants=IDEAL))
    assert found.speeds is not None
    assert found.speeds.user_tok_per_s.value <= float(step(found, "serve_decode_bound").result)
