"""The ranking: every offer × count × valid division, the cheapest that meets, the front, why the others fail."""

from dataclasses import replace
from decimal import Decimal

import pytest

from calculator.domain.calibration import Engine
from calculator.domain.memory import Line
from calculator.domain.ranking import Candidate, Ranking, ranking
from calculator.domain.serving_outcome import Target, outcome
from calculator.domain.serving_scenario import CachePrecision

from .inference_factories import SUPERCOMPUTE, TITAN, facts, offer, scenario
from .serving_factories import H100, LLAMA_70B


def ranked(**values: object) -> Ranking:
    return ranking(scenario(**values), facts())


def setup(candidate: Candidate) -> tuple[str, int, int]:
    return candidate.offer.sku.code, candidate.scenario.instances, candidate.scenario.tensor_parallel


def test_every_count_is_tried_with_every_division_of_its_gpus() -> None:
    """One GPU: 1 + 2 + 3 + 4 ways for 1, 2, 4 and 8 of them; eight GPUs: 4 ways for each count."""
    tried = [setup(one) for one in ranked().candidates]
    assert len(tried) == len(set(tried))
    assert len([one for one in tried if one[1] in (1, 2, 4, 8)]) == 4 * 10 + 4 * 4
    assert ("GPU-PRO", 4, 8) not in tried


def test_divisions_that_the_model_does_not_allow_are_not_tried() -> None:
    odd = replace(LLAMA_70B, heads=2, kv_heads=2)
    found = ranking(scenario(), facts(model=odd))
    assert {one.scenario.tensor_parallel for one in found.candidates} == {1, 2}


def test_llama_cpp_splits_layers_instead_of_matrices() -> None:
    found = ranking(scenario(engine=Engine.LLAMA_CPP, precision="gguf-q4_k_m"), facts())
    assert {one.scenario.tensor_parallel for one in found.candidates} == {1}
    assert {one.scenario.pipeline_parallel for one in found.candidates} == {1, 2, 4, 8}


def test_the_cheapest_that_meets_the_targets_is_first() -> None:
    found = ranked()
    assert found.cheapest is not None
    hourly = [one.eur_per_h for one in found.candidates if one.outcome.meets and one.eur_per_h is not None]
    assert found.cheapest.eur_per_h == min(hourly)
    assert found.candidates[0] == found.cheapest


def test_each_sku_has_one_line_its_best() -> None:
    codes = [one.offer.sku.code for one in ranked().by_sku]
    assert sorted(codes) == ["GPU-ENTERPRISE", "GPU-PRO", "GPU-STARTER", "GPU-SUPERCOMPUTE", "GPU-TITAN"]


def test_a_price_on_request_is_never_the_cheapest_and_stands_after_the_priced() -> None:
    found = ranking(scenario(), facts(offers=(SUPERCOMPUTE,)))
    assert found.cheapest is None
    assert found.by_sku[0].eur_per_h is None
    assert setup(found.by_sku[0])[1] == 1


def test_the_failing_line_is_named_where_it_does_not_fit() -> None:
    found = ranked()
    starter = next(one for one in found.candidates if setup(one) == ("GPU-STARTER", 1, 1))
    assert not starter.outcome.fits
    assert starter.outcome.failing in (Line.WEIGHTS, Line.RUNTIME)
    assert starter.worst_excess == float("inf")


def test_a_missed_target_is_told_with_value_and_limit() -> None:
    found = ranked(token_ms=Decimal(1))
    pro = next(one for one in found.candidates if setup(one) == ("GPU-PRO", 1, 1))
    (miss,) = (miss for miss in pro.outcome.misses if miss.target is Target.TPOT)
    assert miss.limit == 0.001
    assert miss.excess_ratio == pytest.approx(miss.value / 0.001 - 1)
    assert found.cheapest is None


def test_nobody_undercuts_the_front_in_both_cost_and_latency() -> None:
    found = ranked()
    known = [(one.eur_per_h, one.latency_s, one.on_front) for one in found.candidates]
    priced = [(cost, wait, front) for cost, wait, front in known if cost is not None and wait is not None]
    for cost, wait, front in priced:
        assert front == (not any(c <= cost and w <= wait and (c, w) != (cost, wait) for c, w, _ in priced))
    assert any(front for *_, front in priced)


def test_a_typed_price_counts_for_the_chosen_offer_alone() -> None:
    found = ranking(scenario(sku="GPU-TITAN", price_eur=Decimal("0.10")), facts(TITAN))
    by_code = {one.offer.sku.code: one.eur_per_h for one in found.by_sku}
    assert setup(found.candidates[0])[:2] == ("GPU-TITAN", 1)
    assert by_code["GPU-ENTERPRISE"] == Decimal("4.20")


def test_a_gpu_chosen_by_its_sheet_stands_beside_the_skus() -> None:
    own = offer("H100-SXM-80GB", H100, None)
    asked = scenario(gpu="H100-SXM-80GB", price_eur=Decimal(3))
    known = facts(own)
    found = ranking(asked, replace(known, offers=(*known.offers, own)))
    line = next(one for one in found.by_sku if one.offer.sku.code == "H100-SXM-80GB")
    assert (line.scenario.gpu, line.eur_per_h) == ("H100-SXM-80GB", Decimal(3))
    assert all(one.scenario.gpu == "" for one in found.by_sku if one is not line)


def test_several_precisions_are_ranked_together_when_asked_for() -> None:
    found = ranking(scenario(also_ranked=("fp8", "fp16")), facts())
    assert len([one for one in found.candidates if one.scenario.instances in (1, 2, 4, 8)]) == 2 * 56
    assert {one.scenario.precision for one in found.candidates} == {"fp16", "fp8"}


@pytest.mark.parametrize("clients", [24, 48, 96])
@pytest.mark.parametrize("wait", [300, 450, 900])
def test_the_cheapest_is_the_cheapest_of_every_count_by_brute_force(clients: int, wait: int) -> None:
    asked = scenario(concurrency=clients, first_token_ms=Decimal(wait), token_ms=Decimal(33))
    known, priced = facts(), []
    for one, tensor in ((one, size) for one in known.offers if one.sku.prices for size in (1, 2, 4, 8)):
        for count in range(tensor, 17, tensor):
            setting = replace(asked, sku=one.sku.code, instances=count, tensor_parallel=tensor)
            found = outcome(setting, replace(known, offer=one))
            if found.meets and found.eur_per_h is not None:
                priced.append(found.eur_per_h)
    cheapest = ranking(asked, known).cheapest
    assert (cheapest.eur_per_h if cheapest else None) == min(priced, default=None)


def test_a_cache_that_the_configuration_writes_in_16_bits_is_ranked_so() -> None:
    """Only the RTX 4090 of these offers has 8-bit units."""
    found = ranking(scenario(cache=CachePrecision.FP8), facts())
    kept = {one.offer.sku.code for one in found.candidates if one.scenario.cache is CachePrecision.FP8}
    assert kept == {"GPU-PRO"}
    assert all(one.with_wide_cache == (one.offer.sku.code != "GPU-PRO") for one in found.candidates)


def test_a_replica_over_several_instances_needs_one_machine() -> None:
    for one in ranked().candidates:
        assert one.needs_one_machine == (one.scenario.tensor_parallel > one.offer.sku.gpu_count)
