"""How GPUs lie in machines: small offers as cards of one machine, network cards, and what no machine can send."""

from dataclasses import replace
from decimal import Decimal

import pytest

from calculator.domain.collectives import Reduction, slowest_way
from calculator.domain.interconnects import Interconnect, Reach
from calculator.domain.offers import Sku
from calculator.domain.parallel_scenario import ParallelismEstimate, ParallelismFacts
from calculator.domain.parallel_settled import slot_bytes_per_s
from calculator.domain.parallel_step import data_topology, group_topology, pipeline_s
from calculator.domain.parallelism import Topology

from .parallel_factories import ETHERNET, HDR, answer, facts, settled, sku
from .serving_factories import A100_80, MISTRAL, RTX_4090

FAST = Interconnect("eth400", "Ethernet 400 Gb/s", Reach.NETWORK, 50e9)
CARD = Sku("GPU-PRO", "RTX 4090", "RTX 4090", 1, 24, {})
PCIE_FLOOR_S = 1.75 * 5.4e9 / 32e9
"""Gradients of 2.7 G parameters in 16 bits on a ring of eight cards, each with a PCIe 4 slot: 295 ms."""


def cards() -> ParallelismFacts:
    """Offers of one RTX 4090, joined by PCIe 4."""
    return replace(facts(gpu=RTX_4090), sku=CARD)


def exchange_s(found: ParallelismEstimate) -> float:
    assert found.chosen is not None
    return found.chosen.time.data_s


def codes(found: ParallelismEstimate) -> set[str]:
    return {message.code for message in found.warnings}


def test_eight_instances_of_one_gpu_are_cards_of_one_machine_and_said_to_be() -> None:
    found = answer(facts(offer=sku(1, "5.40")))
    assert found.chosen is not None
    assert (found.machine_gpus, found.chosen.machines, found.chosen.instances) == (8, 1, 8)
    assert exchange_s(found) == pytest.approx(0.0315)
    (told,) = [message for message in found.warnings if message.code == "one_machine_assumed"]
    assert (told.values["instances"], told.field) == (8, "machine_gpus")


def test_beyond_eight_there_are_several_machines_of_eight() -> None:
    found = answer(facts(offer=sku(1)), gpu_count=20)
    assert found.chosen is not None
    assert (found.chosen.machines, found.chosen.instances) == (3, 20)
    (told,) = [message for message in found.warnings if message.code == "one_machine_assumed"]
    assert told.values["instances"] == 8


def test_an_offer_of_more_than_eight_keeps_its_own_count() -> None:
    assert answer(facts(offer=sku(72)), gpu_count=64).machine_gpus == 72
    assert answer(facts(offer=sku(2))).machine_gpus == 8


@pytest.mark.parametrize(("offered", "changes"), [(8, {}), (1, {"gpu_count": 1}), (1, {"machine_gpus": 8})])
def test_nothing_is_assumed_of_machines_that_are_known(offered: int, changes: dict[str, int]) -> None:
    assert "one_machine_assumed" not in codes(answer(facts(offer=sku(offered)), **changes))


@pytest.mark.parametrize("machine", [None, 1, 4, 8])
def test_the_bill_counts_instances_whatever_the_machines(machine: int | None) -> None:
    """Eight instances at 5.40 € an hour: 43.20 €."""
    found = answer(facts(offer=sku(1, "5.40")), machine_gpus=machine)
    assert found.chosen is not None and found.chosen.eur is not None
    hours = Decimal(repr(found.chosen.days)) * 24
    assert found.chosen.eur == pytest.approx(hours * Decimal("43.20"), rel=Decimal("1e-6"))


def test_a_data_sheet_is_billed_by_the_machine() -> None:
    known = replace(facts(), sku=None)
    found = answer(known, gpu_count=12, price_eur=Decimal(40))
    assert found.chosen is not None and (found.instance_gpus, found.chosen.instances) == (8, 2)


@pytest.mark.parametrize(("machine", "network_cards"), [(8, 8), (16, 8), (4, 4), (1, 1)])
def test_a_network_card_beside_each_gpu_eight_at_most(machine: int, network_cards: int) -> None:
    found = answer(machine_gpus=machine, gpu_count=32)
    assert found.cards_count == network_cards
    assert answer(machine_gpus=machine, gpu_count=32, cards_count=2).cards_count == 2


def test_eight_cards_in_one_box_take_295_ms_at_best() -> None:
    assert exchange_s(answer(cards())) == pytest.approx(PCIE_FLOOR_S)


@pytest.mark.parametrize("network_cards", [1, 2, 8, 32])
@pytest.mark.parametrize("network", [HDR, FAST])
def test_no_number_of_network_cards_beats_the_slot_of_the_gpu(network: Interconnect, network_cards: int) -> None:
    known = replace(cards(), network=network)
    apart = answer(known, machine_gpus=1, cards_count=network_cards)
    assert exchange_s(apart) >= PCIE_FLOOR_S * (1 - 1e-9)
    assert apart.network_bytes_per_s == min(network_cards * network.bytes_per_s, 32e9)
    assert ("network_capped" in codes(apart)) is (network_cards * network.bytes_per_s > 32e9)


def test_one_hdr_card_carries_25_of_the_32_gb_a_second() -> None:
    apart = answer(cards(), machine_gpus=1)
    assert exchange_s(apart) == pytest.approx(1.75 * 5.4e9 / 25e9)
    assert "network_capped" not in codes(apart)


def test_the_cap_is_what_all_slots_of_the_machine_carry() -> None:
    # Eight cards of 50 GB/s against eight slots of 32: 256 GB/s.
    found = answer(facts(network=FAST), gpu_count=16)
    assert found.network_bytes_per_s == 256e9
    (told,) = [message for message in found.warnings if message.code == "network_capped"]
    assert dict(told.values) == {"rate": 256e9, "gpus": 8, "slot": 32e9}


def test_members_alone_in_their_machines_send_through_one_slot() -> None:
    cluster = settled(facts(network=FAST), gpu_count=64).cluster
    # Groups of tensor pairs: four copies a machine share 256 GB/s among two groups.
    assert group_topology(32, 2, cluster).machine_bytes_per_s == 128e9
    # Two GPUs spread over machines of eight cannot feed eight cards.
    wide = replace(cluster, machine_gpus=2, cards=8)
    assert group_topology(3, 1, wide).machine_bytes_per_s == 32e9


def test_a_pipeline_stage_hands_on_through_its_own_slot() -> None:
    inputs = settled(facts(model=MISTRAL, network=FAST), machine_gpus=2, pipeline_parallel=4, gpu_count=4)
    layout = inputs.layout(4)
    message = 16_384 * 4 * 4096 * 2
    assert pipeline_s(inputs.work(4), layout, inputs.cluster) == pytest.approx(2 * message / 32e9)


def test_a_sheet_without_pcie_caps_nothing() -> None:
    bare = replace(A100_80, pcie_gb_s_per_direction=None)
    assert slot_bytes_per_s(bare) == float("inf")
    assert answer(facts(gpu=bare, network=FAST), gpu_count=16).network_bytes_per_s == 400e9


@pytest.mark.parametrize(
    ("topology", "ratio", "rate", "between"),
    [
        (Topology(8, 300e9), 1.75, 300e9, False),
        # 1.875 ÷ 300 against 1 ÷ 200, 1 ÷ 25: NVLink, then the network.
        (Topology(16, 300e9, 2, 200e9), 1.875, 300e9, False),
        (Topology(16, 300e9, 2, 25e9), 1.0, 25e9, True),
        (Topology(8, 32e9, 8, 32e9), 1.75, 32e9, True),
    ],
)
def test_the_slowest_way_is_the_one_that_takes_longest(
    topology: Topology, ratio: float, rate: float, between: bool
) -> None:
    way = slowest_way(topology, Reduction.RING)
    assert (way.sent_ratio, way.bytes_per_s, way.between) == (ratio, rate, between)


@pytest.mark.parametrize("changes", [{}, {"gpu_count": 16}, {"gpu_count": 16, "cards_count": 1}, {"machine_gpus": 1}])
def test_the_current_link_is_the_one_that_the_formula_computes_with(changes: dict[str, int]) -> None:
    found = answer(**changes)
    (current,) = [row for row in found.links if row.is_current]
    (bound,) = [step for step in found.steps if step.code == "parallel_allreduce_bound"]
    terms = {term.symbol: term.source for term in bound.terms}
    assert (terms["B"].value, terms["B"].label) == (current.rate_bytes_per_s, current.link.name)
    computed = float(terms["r"].value) * float(terms["P_g"].value) * float(terms["g"].value) / float(terms["B"].value)
    assert computed == pytest.approx(current.textbook_s) == pytest.approx(float(bound.result))
    assert current.slowest == current.link.name


def test_a_job_over_two_machines_on_pcie_is_held_up_inside_them() -> None:
    # 1.875 × 5.4 GB at 32 GB/s inside, against 1 × 5.4 GB at 200 GB/s between.
    found = answer(cards(), gpu_count=16)
    (bound,) = [step for step in found.steps if step.code == "parallel_allreduce_bound"]
    assert bound.result == pytest.approx(1.875 * 5.4e9 / 32e9)
    assert {term.symbol: term.source.value for term in bound.terms}["B"] == 32e9


def test_rows_of_one_card_each_are_computed_with_one_card_each() -> None:
    for row in answer().links:
        if row.link.reach is Reach.NETWORK:
            assert (row.machines, row.cards) == (8, 1)
            assert row.textbook_s == pytest.approx(1.75 * 5.4e9 / row.rate_bytes_per_s)
    apart = {row.link.code: row for row in answer(machine_gpus=1, cards_count=2).links}
    # Two cards of 12.5 GB/s in each of eight machines.
    assert (apart[ETHERNET.code].cards, apart[ETHERNET.code].rate_bytes_per_s) == (2, 25e9)


def test_a_faster_link_inside_says_that_the_network_holds_it_up() -> None:
    rows = {row.link.code: row for row in answer(gpu_count=16).links}
    # NVLink 4: 22.5 ms inside, 27 ms between. PCIe 4: 316 ms inside.
    assert rows["nvlink4"].slowest == HDR.name
    assert rows["nvlink4"].textbook_s == pytest.approx(0.027)
    assert rows["pcie4"].slowest == rows["pcie4"].link.name


def test_a_link_inside_is_compared_in_machines_of_eight_where_each_gpu_has_its_own() -> None:
    rows = {row.link.code: row for row in answer(facts(gpu=A100_80), machine_gpus=1).links}
    # Eight GPUs in one machine: 1.75 × 5.4 GB at 32 GB/s, and at 450 GB/s.
    assert (rows["pcie4"].machines, rows["nvlink4"].machines) == (1, 1)
    assert rows["pcie4"].textbook_s == pytest.approx(PCIE_FLOOR_S)
    assert rows["nvlink4"].textbook_s == pytest.approx(1.75 * 5.4e9 / 450e9)


def test_copies_inside_one_machine_leave_the_network_its_whole_rate() -> None:
    found = answer(facts(model=MISTRAL), gpu_count=16, pipeline_parallel=2)
    rates = {row.link.code: row.rate_bytes_per_s for row in found.links}
    assert rates[ETHERNET.code] == 8 * 12.5e9
    inputs = settled(facts(model=MISTRAL), gpu_count=16, pipeline_parallel=2)
    assert data_topology(inputs.layout(16), inputs.cluster).machines == 1


@pytest.mark.parametrize("changes", [{"machine_gpus": 1}, {"gpu_count": 1}])
def test_one_gpu_a_machine_has_no_tensor_or_pipeline_of_one(changes: dict[str, int]) -> None:
    assert [row.code for row in answer(**changes).ways] == ["data", "sharded"]
