"""What must hold of any training scenario: nothing breaks, saving memory saves memory, ways out lead out."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calculator.domain.calibration import Framework
from calculator.domain.memory import Sharding
from calculator.domain.offers import Basis, Sku
from calculator.domain.scenario import BillingStep
from calculator.domain.training import Method
from calculator.domain.training_answer import estimate
from calculator.domain.training_fit import memory_of
from calculator.domain.training_scenario import (
    Alternative,
    Convention,
    Numbers,
    Optimizer,
    Reads,
    Speed,
    TrainingEstimate,
    TrainingFacts,
    TrainingScenario,
    Utilisation,
    Verdict,
    Way,
    Work,
)
from calculator.domain.training_speed import settle
from calculator.domain.training_work import assumed_shape

from .serving_factories import DEEPSEEK, LLAMA_70B, MISTRAL, MIXTRAL
from .training_factories import MISTRAL_V1, PRO, SKUS, SUPERCOMPUTE, TITAN, facts, scenario

MODELS = (MISTRAL_V1, MISTRAL, LLAMA_70B, MIXTRAL, DEEPSEEK, assumed_shape(1.3e8), assumed_shape(2.7e9))
COUNTS = st.sampled_from([1, 2, 3, 4, 8, 16])
PRICES = st.decimals("0.01", "100", places=2)
RATES = st.decimals("0.1", "100000", places=1)
SHARES = st.decimals("0.01", "1", places=2)


@st.composite
def cases(draw: Any) -> tuple[TrainingScenario, TrainingFacts]:
    """Any scenario that the form lets through, with any model on any configuration."""
    sku: Sku = draw(st.sampled_from(SKUS))
    given_ = scenario(
        sku=sku.code,
        instances=draw(COUNTS),
        method=draw(st.sampled_from(Method)),
        numbers=draw(st.sampled_from(Numbers)),
        optimizer=draw(st.sampled_from(Optimizer)),
        lora_rank=draw(st.sampled_from([1, 8, 64, 4096])),
        work=draw(st.sampled_from(Work)),
        micro_batch=draw(COUNTS),
        sequence_tokens=draw(st.sampled_from([1, 128, 512, 8192, 1_000_000])),
        accumulation=draw(COUNTS),
        steps_count=draw(st.sampled_from([1, 750, 10**8])),
        data_rows=draw(st.none() | st.sampled_from([1, 10**11])),
        mean_tokens=draw(st.none() | st.sampled_from([Decimal(1), Decimal("350.5"), Decimal(10**6)])),
        epochs=draw(st.sampled_from([Decimal("0.001"), Decimal(3)])),
        total_tokens=draw(st.none() | st.sampled_from([Decimal(1), Decimal(10**15)])),
        recomputed=draw(st.booleans()),
        sharding=draw(st.sampled_from(Sharding)),
        tensor_parallel=draw(COUNTS),
        pipeline_parallel=draw(COUNTS),
        framework=draw(st.sampled_from(Framework)),
        speed=draw(st.sampled_from(Speed)),
        rate_tok_per_s=draw(st.none() | RATES),
        mfu_ratio=draw(st.none() | SHARES),
        convention=draw(st.sampled_from(Convention)),
        basis=draw(st.sampled_from(Basis)),
        billing_step=draw(st.sampled_from(BillingStep)),
        price_eur=draw(st.none() | PRICES),
        retry_ratio=draw(st.sampled_from([Decimal(0), Decimal("0.1"), Decimal(10)])),
        save_steps=draw(st.none() | st.sampled_from([1, 100])),
        kept_count=draw(COUNTS),
        storage_eur_per_gb_month=draw(st.none() | PRICES),
        reads=draw(st.sampled_from(Reads)),
        saved_tokens=draw(st.none() | st.sampled_from([Decimal(0), Decimal(1500)])),
        requests_count=draw(st.none() | st.just(Decimal(1000))),
    )
    return given_, facts(draw(st.sampled_from(MODELS)), sku=sku)


@given(case=cases())
def test_no_scenario_breaks_and_unknown_is_never_zero(case: tuple[TrainingScenario, TrainingFacts]) -> None:
    found = estimate(*case)
    assert found.fit.memory.needed_bytes > 0
    assert found.duration is None or found.duration.with_retries_s > 0
    assert found.bill is None or found.bill.eur is None or found.bill.eur > 0
    assert found.energy_kwh is None or found.energy_kwh > 0
    assert all(step.result > 0 for step in found.steps)
    assert len({step.code for step in found.steps}) == len(found.steps)


@given(case=cases())
def test_pitfall_37_no_calibrated_time_without_room(case: tuple[TrainingScenario, TrainingFacts]) -> None:
    found = estimate(*case)
    if case[0].speed in (Speed.CALIBRATED, Speed.MFU) and found.fit.forbids:
        assert (found.rate, found.duration, found.bill) == (None, None, None)


@given(case=cases())
def test_each_saving_of_memory_saves_memory_or_changes_nothing(case: tuple[TrainingScenario, TrainingFacts]) -> None:
    given_, known = case

    def needed(**changes: object) -> float:
        return memory_of(settle(replace(given_, **changes), known)).needed_bytes  # type: ignore[arg-type]

    assert needed(recomputed=True) <= needed(recomputed=False) * (1 + 1e-9) or known.model.layers < 2
    stages = [needed(sharding=stage) for stage in Sharding]
    assert stages == sorted(stages, reverse=True)
    optimizers = [needed(optimizer=kind) for kind in (Optimizer.ADAMW, Optimizer.EIGHT_BIT)]
    assert optimizers[0] >= optimizers[1]
    assert needed(micro_batch=1) <= needed()
    alone = {"pipeline_parallel": 1, "sharding": Sharding.NONE}
    assert needed(tensor_parallel=2, **alone) <= needed(tensor_parallel=1, **alone)


@given(case=cases())
def test_hfu_is_never_below_mfu(case: tuple[TrainingScenario, TrainingFacts]) -> None:
    found = estimate(*case)
    if found.rate is not None and found.rate.utilisations:
        shares = dict(found.rate.utilisations)
        assert shares[Utilisation.HARDWARE] >= shares[Utilisation.METHOD]
        assert shares[Utilisation.SIX_ATTENTION] > shares[Utilisation.SIX] >= shares[Utilisation.METHOD]


@given(case=cases())
def test_the_band_holds_the_value(case: tuple[TrainingScenario, TrainingFacts]) -> None:
    found = estimate(*case)
    if found.rate is not None and found.rate.band is not None:
        low, high = found.rate.band
        assert low <= found.rate.per_gpu.value <= high
    if found.bill is not None and found.bill.low_eur is not None and found.bill.high_eur is not None:
        assert found.bill.eur is not None
        assert found.bill.low_eur <= found.bill.eur <= found.bill.high_eur


@given(case=cases())
def test_a_result_is_worth_no_more_than_its_weakest_term(case: tuple[TrainingScenario, TrainingFacts]) -> None:
    found = estimate(*case)
    if found.rate is not None and found.bill is not None and found.bill.price is not None:
        kinds = {found.rate.per_gpu.rank_kind, found.bill.price.rank_kind}
        assert found.bill.trust in kinds


def followed(found: TrainingEstimate, known: TrainingFacts, changes: Mapping[str, Any]) -> TrainingEstimate:
    """The estimate of a way's changes, as its link would give it."""
    sku = next((one for one in known.skus if one.code == changes.get("sku")), known.sku)
    return estimate(replace(found.scenario, **changes), replace(known, sku=sku))


def check_promise(there: TrainingEstimate, promise: Way | Alternative) -> None:
    """The estimate has the promised verdict and, where it runs, time and cost."""
    assert there.fit.verdict is promise.verdict
    if promise.seconds is None:
        assert promise.eur is None
        return
    assert there.duration is not None and there.bill is not None
    assert there.duration.with_retries_s == pytest.approx(promise.seconds, rel=1e-9)
    assert there.bill.eur == promise.eur


SPEEDS = (
    {"speed": Speed.CALIBRATED},
    {"speed": Speed.RATE, "rate_tok_per_s": Decimal(1000)},
    {"speed": Speed.MFU, "mfu_ratio": Decimal("0.3")},
)


@pytest.mark.parametrize("speed", SPEEDS, ids=lambda speed: speed["speed"].value)
@pytest.mark.parametrize("model", [MISTRAL_V1, LLAMA_70B, assumed_shape(1.3e10)], ids=lambda model: model.name)
@pytest.mark.parametrize("sku", [PRO, TITAN, SUPERCOMPUTE], ids=lambda sku: sku.code)
@pytest.mark.parametrize("method", [Method.PRETRAIN, Method.FULL, Method.LORA])
def test_every_way_out_gives_what_it_promises_when_it_is_followed(
    model: Any, sku: Sku, method: Method, speed: dict[str, Any]
) -> None:
    """The link of a way gives the memory, the time and the cost that the table showed, for the same tokens."""
    known = facts(model, sku=sku)
    found = estimate(scenario(sku=sku.code, method=method, micro_batch=8, sequence_tokens=4096, **speed), known)
    assert found.amount is not None
    for way in found.fit.ways:
        there = followed(found, known, way.changes)
        assert there.fit.memory.needed_bytes == pytest.approx(way.needed_bytes)
        assert there.amount is not None
        assert (there.amount.tokens, there.amount.global_batch) == (found.amount.tokens, way.batch)
        check_promise(there, way)
        assert way.fits or (way.seconds, way.eur) == (None, None)


@given(case=cases())
def test_every_variant_gives_what_it_promises_for_the_same_tokens_and_batch(
    case: tuple[TrainingScenario, TrainingFacts],
) -> None:
    found = estimate(*case)
    for row in (*found.counts, *found.methods):
        if row.verdict is Verdict.BATCH:
            assert (row.seconds, row.eur) == (None, None)
            continue
        there = followed(found, case[1], row.changes)
        if found.amount is not None:
            assert there.amount is not None
            assert there.amount.tokens == pytest.approx(found.amount.tokens)
            assert there.amount.global_batch == found.amount.global_batch
        check_promise(there, row)


@pytest.mark.parametrize("steps", [1, 10, 1000])
def test_time_and_cost_are_linear_in_the_work(steps: int) -> None:
    one, many = (estimate(scenario(steps_count=count, speed=Speed.PUBLISHED), facts()) for count in (750, 750 * steps))
    assert one.duration is not None
    assert many.duration is not None
    assert many.duration.run_s.value == pytest.approx(steps * one.duration.run_s.value)


@settings(max_examples=30)
@given(rate=RATES, price=PRICES)
def test_cost_is_time_times_price_to_the_second(rate: Decimal, price: Decimal) -> None:
    found = estimate(scenario(speed=Speed.RATE, rate_tok_per_s=rate, price_eur=price), facts())
    assert found.bill is not None
    assert found.bill.eur is not None
    seconds = 3_072_000 / float(rate)
    assert float(found.bill.eur) == pytest.approx(seconds / 3600 * float(price), abs=float(price) / 3600 + 1e-9)
