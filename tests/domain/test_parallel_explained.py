"""What explains an observed run: each solved value, put back, gives the observed efficiency; verdicts by rule."""

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculator.domain.parallel_explained import Observed, explained, rate_where, tokens_for
from calculator.domain.parallel_scenario import Cause, Explanation, Plausibility, Sharing
from calculator.domain.parallel_settled import Settled
from calculator.domain.parallel_step import step_time

from .parallel_factories import PCIE_4, calibrated, facts, settled, sku
from .serving_factories import LINK, MISTRAL, TRAINER


def found(inputs: Settled, days: float, sequence: int = 2048) -> Explanation:
    count = inputs.scenario.gpu_count
    observed = Observed(inputs.one_gpu_days, days, sequence)
    return explained(inputs.work(count), inputs.layout(count), inputs.cluster, observed)


def cause(answer: Explanation, code: str) -> Cause:
    return next(item for item in answer.causes if item.code == code)


def test_the_published_speed_up_and_share() -> None:
    answer = found(settled(), 14)
    assert answer.speed_up == pytest.approx(92 / 14, rel=1e-4)
    assert answer.efficiency == pytest.approx(92 / 14 / 8, rel=1e-4)


@given(st.floats(11.6, 90))
def test_the_tokens_that_explain_it_give_back_the_days(days: float) -> None:
    inputs = settled(overlap_ratio=Decimal("0.1"))
    tokens = cause(found(inputs, days), "tokens_measured").value
    assert tokens is not None
    work = replace(inputs.work(8), tokens_a_gpu=tokens)
    efficiency = step_time(work, inputs.layout(8), inputs.cluster).efficiency
    assert inputs.one_gpu_days / (8 * efficiency) == pytest.approx(days, rel=1e-6)


@given(st.floats(11.7, 90))
def test_the_link_that_explains_it_gives_back_the_days(days: float) -> None:
    inputs = settled()
    rate = cause(found(inputs, days), "link").value
    assert rate is not None
    cluster = replace(inputs.cluster, link=replace(inputs.cluster.link, bytes_per_s=rate))
    efficiency = step_time(inputs.work(8), inputs.layout(8), cluster).efficiency
    assert inputs.one_gpu_days / (8 * efficiency) == pytest.approx(days, rel=1e-6)


def test_the_overlap_that_explains_it_gives_back_the_days() -> None:
    # PCIe 4.0: 295 ms of 3.256 s; with nothing hidden 12.54 days, with all of it 11.5.
    inputs = settled(facts(link=PCIE_4))
    ratio = cause(found(inputs, 12), "overlap")
    assert ratio.value is not None and 0 < ratio.value < 1
    assert ratio.plausibility is Plausibility.PLAUSIBLE
    work = replace(inputs.work(8), overlap_ratio=ratio.value)
    efficiency = step_time(work, inputs.layout(8), inputs.cluster).efficiency
    assert inputs.one_gpu_days / (8 * efficiency) == pytest.approx(12, rel=1e-6)


def test_more_than_the_whole_backward_pass_cannot_hide_anything() -> None:
    # 25 GB/s and 730 tokens: 378 ms of traffic beside 97 ms of backward pass.
    slow = settled(facts(link=replace(PCIE_4, bytes_per_s=25e9)), step_tokens=Decimal(730))
    ratio = cause(found(slow, 12), "overlap")
    assert ratio.value is not None and ratio.value > 1
    assert ratio.plausibility is Plausibility.IMPOSSIBLE


def test_a_link_already_too_slow_explains_nothing_by_being_slower() -> None:
    slow = settled(facts(link=replace(PCIE_4, bytes_per_s=25e9)), step_tokens=Decimal(730))
    assert cause(found(slow, 14), "link").value is None


def test_half_of_the_sheet_is_still_plausible() -> None:
    # 8 × PCIe 4.0 at 4 096 tokens: 295 ms of 814 ms. Half of the rate: 591 ms, 73 % more.
    inputs = settled(facts(link=PCIE_4), step_tokens=Decimal(4096))
    slower = step_time(
        inputs.work(8), inputs.layout(8), replace(inputs.cluster, link=replace(PCIE_4, bytes_per_s=20e9))
    )
    days = inputs.one_gpu_days / (8 * slower.efficiency)
    link = cause(found(inputs, days), "link")
    assert link.value == pytest.approx(20e9, rel=1e-6)
    assert link.plausibility is Plausibility.PLAUSIBLE
    assert link.values["ratio"] == pytest.approx(20 / 32)


def test_between_machines_the_network_is_what_may_be_slower() -> None:
    inputs = settled(facts(offer=sku(1)), machine_gpus=1)
    link = cause(found(inputs, 20), "link")
    assert link.values["stated"] == 25e9
    assert link.value is not None and link.value < 25e9


def test_a_sequence_a_gpu_is_where_few_tokens_become_plausible() -> None:
    inputs = settled()
    assert cause(found(inputs, 14, sequence=512), "tokens_textbook").plausibility is Plausibility.PLAUSIBLE
    assert cause(found(inputs, 14, sequence=1024), "tokens_textbook").plausibility is Plausibility.UNLIKELY


def test_the_whole_step_has_as_many_tokens_as_all_gpus_together() -> None:
    tokens = cause(found(settled(), 14), "tokens_textbook")
    assert tokens.values["global"] == pytest.approx(8 * (tokens.value or 0))


@pytest.mark.parametrize(("days", "plausibility"), [(14.0, Plausibility.PLAUSIBLE), (20.0, Plausibility.UNLIKELY)])
def test_lost_days_are_plausible_up_to_a_quarter(days: float, plausibility: Plausibility) -> None:
    lost = cause(found(settled(), days), "lost_time")
    assert lost.plausibility is plausibility
    assert lost.value == pytest.approx(days - 11.611, abs=0.01)


def test_steps_that_take_longer_than_observed_leave_no_lost_time() -> None:
    slow = settled(facts(link=replace(PCIE_4, bytes_per_s=5e9)))
    assert cause(found(slow, 14), "lost_time").value is None


def test_gpus_would_have_to_be_faster_than_alone() -> None:
    slow = settled(facts(link=replace(PCIE_4, bytes_per_s=5e9)))
    speed = cause(found(slow, 14), "gpu_speed")
    assert speed.value is not None and speed.value > 1
    assert speed.plausibility is Plausibility.IMPOSSIBLE


def test_each_gpu_slower_explains_what_the_exchange_does_not() -> None:
    # 6.571 ÷ 8 ÷ 0.9904 (31.5 ms of 3.287 s).
    speed = cause(found(settled(), 14), "gpu_speed")
    assert speed.value == pytest.approx(6.571 / 8 / (3.2558 / (3.2558 + 0.0315)), rel=1e-3)


def test_a_split_model_is_explained_by_time_and_speed_only() -> None:
    inputs = settled(facts(model=MISTRAL), tensor_parallel=2)
    assert {item.code for item in found(inputs, inputs.one_gpu_days / 4).causes} == {"lost_time", "gpu_speed"}


def test_one_copy_has_no_exchange_to_explain() -> None:
    inputs = settled(facts(model=MISTRAL), tensor_parallel=8)
    assert found(inputs, inputs.one_gpu_days / 4).causes == ()


def test_shards_hide_behind_the_whole_step() -> None:
    inputs = settled(sharing=Sharing.SHARDED)
    ratio = cause(found(inputs, 11.55), "overlap")
    assert ratio.value is not None
    work = replace(inputs.work(8), overlap_ratio=ratio.value)
    efficiency = step_time(work, inputs.layout(8), inputs.cluster).efficiency
    assert inputs.one_gpu_days / (8 * efficiency) == pytest.approx(11.55, rel=1e-6)


def test_traffic_that_jobs_never_hide_does_not_change_what_the_textbook_says() -> None:
    plain, seen = settled(), settled(facts(known=calibrated(LINK, replace(TRAINER, exposed_ratio=0.04))))
    codes = [cause(found(inputs, 14), "tokens_textbook").value for inputs in (plain, seen)]
    assert codes[0] == codes[1]


def test_halving_finds_a_rate_within_a_millionth() -> None:
    assert rate_where(lambda rate: 5.4e9 / rate, 0.2, 300e9) == pytest.approx(27e9, rel=1e-6)


@given(st.floats(0.01, 10), st.floats(1e-4, 1.0), st.floats(0, 1), st.floats(1e-6, 1e-2))
def test_fewer_tokens_lose_more(lost: float, traffic: float, hidden: float, token: float) -> None:
    assert tokens_for(lost, traffic, hidden, token) > tokens_for(2 * lost, traffic, hidden, token)
