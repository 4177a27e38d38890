"""Ways out: each one really helps, is recomputed by the same functions, and the cheapest comes first."""

from decimal import Decimal

import pytest

from calculator.domain.calibration import Engine
from calculator.domain.memory import Line
from calculator.domain.misfit import WayOut, ways_out
from calculator.domain.ranking import ranking
from calculator.domain.serving_outcome import outcome
from calculator.domain.serving_scenario import CachePrecision, InferenceFacts, InferenceScenario, LoadBy, Offer

from .inference_factories import ENTERPRISE, PRO, STARTER, TITAN, facts, scenario
from .serving_factories import LLAMA_70B


def ways(asked: InferenceScenario, known: InferenceFacts) -> dict[str, WayOut]:
    found = ways_out(outcome(asked, known), known, ranking(asked, known))
    return {way.code: way for way in found}


def tight(chosen: Offer = ENTERPRISE, **values: object) -> dict[str, WayOut]:
    return ways(scenario(**values), facts(chosen))


def test_failure_1_70b_on_one_80_gb_card_does_not_fit_and_the_ways_out_do() -> None:
    asked, known = scenario(concurrency=4), facts(TITAN, LLAMA_70B)
    found = outcome(asked, known)
    assert (found.fits, found.failing) == (False, Line.WEIGHTS)
    listed = ways(asked, known)
    assert "weights_awq-int4" in listed
    eight_bit = listed["weights_fp8"].outcome.memory
    budget = 81_920 * 2**20 * 0.9 - (68_452_360_192 + 2_101_346_304 * 2) - 3e9
    assert eight_bit is not None
    assert eight_bit.mean_sequences == pytest.approx(budget / (1152 * 327_680))
    assert all(way.outcome.fits for way in listed.values())


def test_what_does_not_fit_names_the_memory_that_lacks() -> None:
    found = outcome(scenario(), facts(STARTER))
    assert found.memory is not None
    assert found.memory.lacking_bytes > 0
    assert found.served is None


def test_pitfall_21_fp8_on_a_gpu_without_such_units_is_not_claimed_in_hardware() -> None:
    listed = tight(STARTER)
    assert not listed["weights_fp8"].hardware_support
    assert listed["weights_awq-int4"].hardware_support


def test_a_gpu_with_fp8_units_gains_in_hardware() -> None:
    listed = tight(PRO, concurrency=1, token_ms=Decimal(14), first_token_ms=Decimal(0))
    assert listed["weights_fp8"].hardware_support
    assert listed["weights_fp8"].outcome.meets


def test_failure_2_a_slow_first_token_is_helped_by_a_shorter_prompt() -> None:
    asked = {"concurrency": 32, "first_token_ms": Decimal(200), "token_ms": Decimal(0)}
    listed = tight(**asked)
    way = listed["shorter_prompt"]
    assert way.outcome.meets
    longer = outcome(scenario(**{**asked, "prompt_tokens": way.scenario.prompt_tokens + 1}), facts())
    assert not longer.meets


def test_fewer_sequences_are_as_many_as_hold_the_targets() -> None:
    asked = {"concurrency": 64, "token_ms": Decimal(25), "first_token_ms": Decimal(0)}
    way = tight(**asked)["fewer_sequences"]
    assert way.outcome.meets
    assert not outcome(scenario(**{**asked, "concurrency": way.scenario.concurrency + 1}), facts()).meets


def test_a_rate_cannot_be_helped_by_fewer_clients() -> None:
    asked = {"load": LoadBy.RATE, "requests_per_s": Decimal(12), "token_ms": Decimal(0), "first_token_ms": Decimal(0)}
    listed = tight(**asked)
    assert "fewer_sequences" not in listed
    assert listed["more_instances"].scenario.instances > 1


def test_two_gpus_a_replica_are_rented_when_one_is_not_enough() -> None:
    way = tight(STARTER)["tensor_parallel"]
    assert (way.scenario.instances, way.scenario.tensor_parallel) == (2, 2)
    assert way.added_eur_per_h == Decimal("0.85")


def test_an_eight_bit_cache_halves_the_cache_and_nothing_else() -> None:
    asked = scenario(prompt_tokens=60_000, first_token_ms=Decimal(0), token_ms=Decimal(0))
    known = facts(PRO)
    assert not outcome(asked, known).fits
    way = ways(asked, known)["cache_fp8"]
    assert way.scenario.cache is CachePrecision.FP8
    assert way.hardware_support


def test_an_eight_bit_cache_that_the_configuration_would_drop_is_not_offered() -> None:
    asked = scenario(prompt_tokens=200_000, first_token_ms=Decimal(0), token_ms=Decimal(0))
    assert not outcome(asked, facts()).fits
    assert "cache_fp8" not in ways(asked, facts())


def test_another_offer_is_the_cheapest_that_meets() -> None:
    listed = tight(STARTER)
    assert listed["other_offer"].scenario.sku == "GPU-PRO"
    assert next(iter(listed)) == "other_offer" or next(iter(listed.values())).outcome.meets


def test_ways_out_that_meet_come_first_then_the_cheaper() -> None:
    found = list(tight(STARTER).values())
    keys = [(not way.outcome.meets, way.outcome.eur_per_h or Decimal(0)) for way in found]
    assert keys == sorted(keys)
    assert len(found) <= 6


def test_a_setup_that_meets_its_targets_needs_no_way_out() -> None:
    assert tight() == {}


def test_what_is_not_modelled_has_no_way_out() -> None:
    assert tight(precision="gguf-q8_0") == {}


def test_llama_cpp_is_offered_its_own_formats_and_a_split_of_layers() -> None:
    asked = {"engine": Engine.LLAMA_CPP, "first_token_ms": Decimal(0), "token_ms": Decimal(0)}
    listed = tight(STARTER, **asked)
    assert {"weights_gguf-q8_0", "weights_gguf-q4_k_m"} <= set(listed)
    assert "weights_fp8" not in listed
    assert listed["tensor_parallel"].scenario.pipeline_parallel == 2


def test_a_shared_prompt_is_proposed_where_the_first_token_is_late() -> None:
    listed = tight(prompt_tokens=2048, concurrency=16, first_token_ms=Decimal(300), token_ms=Decimal(0))
    way = listed.get("prefix_cache")
    assert way is None or (way.outcome.meets and way.scenario.prefix_hit_ratio == Decimal("0.5"))


def test_a_cache_that_is_only_emulated_goes_back_to_16_bits_alone_or_beside_another_change() -> None:
    asked = {"cache": CachePrecision.FP8, "first_token_ms": Decimal(0)}
    listed = tight(**asked, token_ms=Decimal(25))
    assert not outcome(scenario(**asked, token_ms=Decimal(25)), facts()).meets
    assert listed["cache_fp16"].scenario.cache is CachePrecision.FP16
    both = ways(scenario(**asked, concurrency=64, token_ms=Decimal(16)), facts())
    way = both["fewer_sequences"]
    assert (way.with_wide_cache, way.scenario.cache) == (True, CachePrecision.FP16)
    assert way.outcome.meets


def test_a_native_eight_bit_cache_is_left_alone() -> None:
    listed = tight(PRO, cache=CachePrecision.FP8, concurrency=64, token_ms=Decimal(20), first_token_ms=Decimal(0))
    assert "cache_fp16" not in listed
    assert not any(way.with_wide_cache for way in listed.values())
