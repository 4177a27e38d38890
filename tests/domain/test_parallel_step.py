"""One step on several GPUs: where groups lie, what tensor and pipeline sharing cost, all-reduce algorithms."""

from dataclasses import replace

import pytest

from calculator.domain.collectives import Reduction, measured_s, sent_ratio, textbook_s, tree_ratio
from calculator.domain.interconnects import own_link, reduces
from calculator.domain.parallel_step import (
    Layout,
    bubble_s,
    data_topology,
    group_topology,
    pipeline_s,
    step_time,
    tensor_s,
)
from calculator.domain.parallelism import Topology

from .parallel_factories import facts, settled
from .serving_factories import A100_80, LINK, MISTRAL, RTX_4090


def test_a_group_inside_a_machine_uses_its_link() -> None:
    found = group_topology(8, 1, settled().cluster)
    assert (found.machines, found.link_bytes_per_s) == (1, 300e9)


def test_a_group_over_two_machines_uses_all_cards() -> None:
    found = group_topology(16, 1, settled().cluster)
    assert (found.machines, found.link_bytes_per_s, found.machine_bytes_per_s) == (2, 300e9, 8 * 25e9)


def test_groups_side_by_side_share_the_cards() -> None:
    # Tensor groups of 8 fill a machine: each of the 8 copies' groups has one card's worth and one GPU a machine.
    found = group_topology(2, 8, settled().cluster)
    assert (found.gpu_count, found.machines) == (2, 2)
    assert found.link_bytes_per_s == found.machine_bytes_per_s == 25e9


def test_copies_of_tensor_pairs_lie_two_apart() -> None:
    found = data_topology(Layout(16, tensor=2), settled().cluster)
    assert (found.gpu_count, found.machines, found.machine_bytes_per_s) == (8, 2, 100e9)


def test_a_pipeline_waits_p_minus_one_of_m_plus_p_minus_one() -> None:
    busy = 7.0
    waiting = bubble_s(busy, 4, 8)
    assert waiting / (busy + waiting) == pytest.approx(3 / 11)
    assert bubble_s(busy, 1, 8) == 0


def test_tensor_sharing_sums_activations_four_times_a_layer() -> None:
    inputs = settled(facts(model=MISTRAL), tensor_parallel=8, recomputed=False)
    layout = inputs.layout(8)
    # 16 384 tokens × 8 GPUs of one copy × 4 096 × 2 bytes over a ring of 8 at 300 GB/s, four times in 32 layers.
    one = 1.75 * 16_384 * 8 * 4096 * 2 / 300e9
    assert tensor_s(inputs.work(8), layout, inputs.cluster) == pytest.approx(4 * 32 * one)


def test_recomputation_repeats_the_two_forward_sums() -> None:
    plain, again = (settled(facts(model=MISTRAL), tensor_parallel=8, recomputed=way) for way in (False, True))
    layout = plain.layout(8)
    ratio = tensor_s(again.work(8), layout, again.cluster) / tensor_s(plain.work(8), layout, plain.cluster)
    assert ratio == pytest.approx(6 / 4)


def test_stages_hand_on_each_micro_batch_and_its_gradient() -> None:
    inputs = settled(facts(model=MISTRAL), pipeline_parallel=2, micro_batches=4)
    # Copies lie next to each other, so the two stages of 16 GPUs are 8 apart, in two machines.
    layout = inputs.layout(16)
    message = 16_384 * 2 / 4 * 4096 * 2
    expected = 2 * 4 * message / 25e9
    assert pipeline_s(inputs.work(16), layout, inputs.cluster) == pytest.approx(expected)


def test_a_single_gpu_only_computes() -> None:
    inputs = settled(gpu_count=1)
    found = step_time(inputs.work(1), inputs.layout(1), inputs.cluster)
    # 6 × 2.7 G × 16 384 ÷ (312 T × 0.26129).
    assert found.step_s == found.compute_s == pytest.approx(3.2558, rel=1e-4)


def test_a_tree_sends_twice_the_message_a_ring_less() -> None:
    assert [round(tree_ratio(count), 3) for count in (2, 4, 8, 64)] == [1.0, 2.0, 2.0, 2.0]
    ring = Topology(8, 300e9)
    assert textbook_s(ring, 3e9, Reduction.TREE) == pytest.approx(2 * 3e9 / 300e9)
    assert textbook_s(ring, 3e9, Reduction.RING) == pytest.approx(1.75 * 3e9 / 300e9)


def test_the_switch_takes_each_message_once() -> None:
    switch = Topology(8, 450e9, reducing_switch=True)
    assert textbook_s(switch, 4.5e9, Reduction.SWITCH) == pytest.approx(0.010)
    assert sent_ratio(8, Reduction.SWITCH, False) == 1.75


def test_pitfall_44_a_tree_beats_the_ring_for_small_messages() -> None:
    waiting = replace(LINK, start_s=1e-5, hop_s=2e-6)
    node = Topology(64, 300e9)
    small = {way: measured_s(node, 1024, way, waiting) for way in (Reduction.RING, Reduction.TREE)}
    large = {way: measured_s(node, 5e9, way, waiting) for way in (Reduction.RING, Reduction.TREE)}
    # Hops: 2 × 63 on the ring, 2 × 6 in the tree.
    assert small[Reduction.RING] - small[Reduction.TREE] == pytest.approx((126 - 12) * 2e-6, rel=1e-3)
    assert large[Reduction.TREE] > large[Reduction.RING]


def test_a_tree_between_machines_waits_for_each_level() -> None:
    waiting = replace(LINK, node_start_s=1e-4)
    spread = Topology(32, 300e9, machines=4, machine_bytes_per_s=200e9)
    # Two levels of four machines, and 2 × 2 GB over 200 GB/s.
    assert measured_s(spread, 2e9, Reduction.TREE, waiting) == pytest.approx(2e-4 + 4e9 / 200e9)


def test_one_gpu_reduces_nothing() -> None:
    for way in Reduction:
        assert measured_s(Topology(1, 300e9), 1e9, way, LINK) == textbook_s(Topology(1, 300e9), 1e9, way) == 0.0


def test_a_ring_stays_a_ring_where_the_switch_could_add() -> None:
    switch = Topology(8, 450e9, reducing_switch=True)
    assert measured_s(switch, 4.5e9, Reduction.RING, LINK) == pytest.approx(0.0175)
    assert measured_s(switch, 4.5e9, Reduction.SWITCH, LINK) == pytest.approx(0.0175 / 1.3)


def test_pitfall_47_a_4090_has_pcie_only() -> None:
    found = own_link(replace(RTX_4090, pcie_gen=4), 8)
    assert (found.name, found.way.value, found.bytes_per_s) == ("PCIe 4.0 ×16", "PCIe", 32e9)


def test_pitfall_43_an_a100_gives_300_gb_one_way() -> None:
    found = own_link(A100_80, 8)
    assert (found.bytes_per_s, found.reducing, found.most_gpus) == (300e9, False, None)


def test_a_bridge_is_used_for_two_cards_and_pcie_beyond() -> None:
    pair = replace(A100_80, nvlink_gen="NVLink3 bridge (pair)", pcie_gen=4)
    assert own_link(pair, 2).most_gpus == 2
    assert own_link(pair, 8).way.value == "PCIe"


@pytest.mark.parametrize(
    ("generation", "adds"),
    [
        ("NVLink4 + NVSwitch", True),
        ("NVLink5 NVL72", True),
        ("NVLink3 + NVSwitch", False),
        ("NVLink4 reduced", False),
        ("", False),
    ],
)
def test_switches_add_from_nvlink_4_on(generation: str, adds: bool) -> None:
    assert reduces(generation) is adds
