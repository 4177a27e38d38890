"""Each figure of the multi-GPU answer is worth what it rests on, as its own formula says."""

from decimal import Decimal

import pytest

from calculator.domain import parallel_trust
from calculator.domain.provenance import Kind

from .parallel_factories import NVLINK_4, answer, facts, sku
from .serving_factories import MISTRAL

SPLIT = {"layers_count": 32, "hidden_width": 2560}


def test_the_92_days_are_a_claim_and_the_days_on_eight_an_assumption() -> None:
    found = answer()
    assert found.chosen is not None
    assert parallel_trust.one_gpu(found) is Kind.CLAIM
    assert parallel_trust.run(found, found.chosen) is Kind.ASSUMPTION


def test_a_fitted_speed_is_an_estimate_and_a_typed_one_an_assumption() -> None:
    assert parallel_trust.one_gpu(answer(facts(model=MISTRAL))) is Kind.ESTIMATE
    assert parallel_trust.one_gpu(answer(mfu_ratio=Decimal("0.4"))) is Kind.ASSUMPTION


def test_one_gpu_exchanges_nothing_and_keeps_its_own_trust() -> None:
    found = answer(facts(model=MISTRAL, offer=sku(1, "5.40")), gpu_count=1)
    assert found.chosen is not None
    assert parallel_trust.of_point(found, found.chosen).run is Kind.ESTIMATE
    assert parallel_trust.of_point(found, found.chosen).bill is Kind.ESTIMATE
    assert parallel_trust.of_point(found, found.rows[-1]).run is Kind.ASSUMPTION


def test_a_single_copy_has_no_overlap_to_assume() -> None:
    found = answer(facts(model=MISTRAL), tensor_parallel=8)
    assert found.chosen is not None and found.chosen.data_parallel == 1
    assert parallel_trust.run(found, found.chosen) is Kind.ESTIMATE


@pytest.mark.parametrize(
    ("offered", "typed", "kind"), [(8, None, Kind.CLAIM), (1, None, Kind.ASSUMPTION), (1, 4, Kind.INPUT)]
)
def test_machines_are_claimed_by_the_offer_assumed_or_typed(offered: int, typed: int | None, kind: Kind) -> None:
    assert parallel_trust.machines(answer(facts(offer=sku(offered)), machine_gpus=typed)) is kind


def test_a_typed_price_makes_the_bill_an_assumption() -> None:
    found = answer(facts(model=MISTRAL), gpu_count=1, price_eur=Decimal(40))
    assert found.chosen is not None
    trust = parallel_trust.of_point(found, found.chosen)
    assert (trust.run, trust.bill) == (Kind.ESTIMATE, Kind.ASSUMPTION)


@pytest.mark.parametrize("count", [1, 2, 8, 16])
@pytest.mark.parametrize("changes", [{}, {"tensor_parallel": 2}, {"pipeline_parallel": 2}])
def test_figures_and_formulas_say_the_same(count: int, changes: dict[str, int]) -> None:
    found = answer(facts(offer=sku(8, "40.00")), gpu_count=count, **SPLIT, **changes)
    if found.chosen is None:
        assert count == 1
        return
    trusts = {step.code: step.trust for step in found.steps}
    told = parallel_trust.of_point(found, found.chosen)
    assert trusts["parallel_one_gpu"] is parallel_trust.one_gpu(found)
    assert trusts["parallel_days"] is trusts["parallel_speed_up"] is told.run
    assert trusts["parallel_bill"] is told.bill


def test_links_are_data_sheets_and_networks_assumptions() -> None:
    rows = {row.link.code: row for row in answer(gpu_count=16).links}
    assert parallel_trust.rate(rows["pcie4"]) is parallel_trust.textbook(rows["pcie4"]) is Kind.DATA_SHEET
    assert parallel_trust.exchange(rows["pcie4"]) is Kind.ESTIMATE
    assert parallel_trust.rate(rows["eth100"]) is parallel_trust.exchange(rows["eth100"]) is Kind.ASSUMPTION
    # NVLink 4 is held up by the network, whose cards are assumed.
    assert parallel_trust.textbook(rows[NVLINK_4.code]) is Kind.ASSUMPTION
