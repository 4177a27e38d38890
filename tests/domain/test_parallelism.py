"""All-reduce and speed-up: the ring of the data sheet, switches, networks, and the published 6.57 of 8."""

from dataclasses import replace

import pytest

from calculator.domain import parallelism
from calculator.domain.parallelism import Topology, allreduce_s

from .serving_factories import LINK

GRADIENTS = 2.7e9 * 2


def test_golden_p43_p44_a_ring_of_eight_a100() -> None:
    assert allreduce_s(Topology(8, 300e9), GRADIENTS, LINK) == pytest.approx(0.0315, rel=5e-4)


@pytest.mark.parametrize(("rate", "milliseconds"), [(300e9, 31.5), (32e9, 295), (25e9, 378), (12.5e9, 756)])
def test_pitfall_44_slower_links_take_in_proportion(rate: float, milliseconds: float) -> None:
    assert allreduce_s(Topology(8, rate), GRADIENTS, LINK) * 1000 == pytest.approx(milliseconds, rel=2e-3)


def test_pitfall_44_small_messages_are_all_latency() -> None:
    waiting = replace(LINK, start_s=3e-5, hop_s=2e-6)
    assert allreduce_s(Topology(8, 300e9), 1024, waiting) == pytest.approx(3e-5 + 14 * 2e-6, rel=1e-3)


def test_pitfall_46_32_bit_gradients_take_twice_as_long() -> None:
    half, full = (allreduce_s(Topology(8, 300e9), 2.7e9 * size, LINK) for size in (2, 4))
    assert full == pytest.approx(2 * half)


def test_pitfall_48_network_rates_are_bits() -> None:
    assert parallelism.bytes_per_s_of_gbit(200) == 25e9


def test_pitfall_49_all_gpus_of_a_machine_share_its_network() -> None:
    shared = Topology(16, 300e9, machines=2, machine_bytes_per_s=25e9)
    assert allreduce_s(shared, 1e9, LINK) == pytest.approx(2 * 1 / 2 * 1e9 / 25e9)


def test_a_fast_network_leaves_the_links_as_the_limit() -> None:
    wide = Topology(16, 300e9, machines=2, machine_bytes_per_s=10_000e9)
    assert allreduce_s(wide, 1e9, LINK) == pytest.approx(2 * 15 / 16 * 1e9 / 300e9)


def test_a_reducing_switch_helps_five_gpus_and_more() -> None:
    for count, gain in ((4, 1.0), (8, 1.3)):
        plain = allreduce_s(Topology(count, 450e9), 1e9, LINK)
        assert allreduce_s(Topology(count, 450e9, reducing_switch=True), 1e9, LINK) == pytest.approx(plain / gain)


def test_one_gpu_reduces_nothing() -> None:
    assert allreduce_s(Topology(1, 300e9), GRADIENTS, replace(LINK, start_s=1.0)) == 0


def test_bus_bandwidth_rises_with_the_message() -> None:
    waiting = replace(LINK, start_s=3e-5, hop_s=2e-6, pipeline_s=2e-5)
    node = Topology(8, 300e9)
    found = [
        parallelism.bus_bytes_per_s(node, size, allreduce_s(node, size, waiting)) for size in (1e4, 1e6, 1e8, 1e10)
    ]
    assert found == sorted(found)
    assert found[-1] < 300e9


def test_hidden_communication_costs_nothing_and_never_pays_back() -> None:
    assert parallelism.exposed_s(0.3, 0.5) == 0
    assert parallelism.efficiency(1.0, 0.3, 0.5) == 1


@pytest.mark.parametrize(("tokens", "rate", "percent"), [(16_384, 300e9, 99), (16_384, 25e9, 90), (730, 300e9, 82)])
def test_pitfall_45_efficiency_grows_with_the_tokens_a_gpu(tokens: float, rate: float, percent: float) -> None:
    compute = parallelism.step_compute_s(2.7e9, tokens, 312e12 * 0.2613)
    reduced = allreduce_s(Topology(8, rate), GRADIENTS, LINK)
    assert parallelism.efficiency(compute, reduced, 0.0) * 100 == pytest.approx(percent, abs=0.6)


def test_the_published_92_to_14_days_is_a_speed_up_of_6_57() -> None:
    compute = parallelism.step_compute_s(2.7e9, 730, 312e12 * 0.2613)
    assert parallelism.speed_up(8, compute, 0.0315, 0.0) == pytest.approx(92 / 14, rel=2e-3)


def test_speed_up_never_exceeds_the_number_of_gpus() -> None:
    assert parallelism.speed_up(64, 1.0, 0.2, 0.1) < 64
