"""Goodput, timed stops and the four latencies of an open loop, worked out by hand."""

import pytest

from benchmarks import metrics
from benchmarks.goodput import goodput, meets
from benchmarks.load.records import INCOMPLETE, Limits, Request
from tests.benchmarks import loadfactory as make

TARGETS = Limits(ttft_ms=200, tpot_ms=50)


def ten_requests() -> list[Request]:
    """Six meet both targets, two miss TPOT, one misses TTFT, one failed."""
    good = [make.spoken(150, [40] * 4, number=n) for n in range(6)]
    slow = [make.spoken(150, [60] * 4, number=n) for n in (6, 7)]
    late = make.spoken(250, [40] * 4, number=8)
    return [*good, *slow, late, make.request(number=9, error_kind="timeout")]


def test_l34_goodput_counts_what_meets_every_target() -> None:
    found = goodput(ten_requests(), TARGETS, 5.0)
    assert found.met_count == 6
    assert found.goodput_per_s == pytest.approx(1.2)
    assert found.attainment_ratio == pytest.approx(0.60)
    assert found.without_tpot_count == 0


def test_l34_one_token_meets_a_tpot_target_and_is_counted_apart() -> None:
    found = goodput([*ten_requests(), make.spoken(100, number=10)], TARGETS, 5.0)
    assert (found.met_count, found.without_tpot_count) == (7, 1)
    assert found.attainment_ratio == pytest.approx(7 / 11)


def test_a_request_exactly_at_its_limits_meets_them() -> None:
    assert meets(make.spoken(200, [50, 50]), TARGETS)
    assert not meets(make.spoken(200.001, [50, 50]), TARGETS)


def test_the_whole_answer_may_have_a_target_of_its_own() -> None:
    answer = make.spoken(100, [100] * 4)
    assert meets(answer, Limits(e2e_ms=500))
    assert not meets(answer, Limits(e2e_ms=499))


def test_an_answer_without_any_token_has_no_first_one_in_time() -> None:
    assert not meets(make.request(output_tokens=0, finish_reason="stop"), TARGETS)


def test_targets_may_count_from_the_plan() -> None:
    waited = make.spoken(150, [40] * 4, sent_ms=0, planned_ms=-100)
    assert meets(waited, TARGETS)
    assert not meets(waited, Limits(ttft_ms=200, tpot_ms=50, from_plan=True))


def test_warm_up_and_cut_off_requests_are_in_no_share() -> None:
    aside = [make.spoken(1, warm_up=True), make.request(error_kind=INCOMPLETE)]
    found = goodput(aside, TARGETS, 5.0)
    assert (found.met_count, found.goodput_per_s, found.attainment_ratio) == (0, None, None)


def test_no_target_is_said_as_such() -> None:
    assert not Limits().asked and not Limits(from_plan=True).asked
    assert Limits(tpot_ms=1).asked


def timed_stop() -> list[Request]:
    """Ten seconds: 40 answers of 100 tokens ended, 8 more had 60 tokens each when time was up."""
    ended = [make.spoken(10, number=n, output_tokens=100, end_ms=9000) for n in range(40)]
    cut = [
        make.spoken(10, number=40 + n, output_tokens=60, end_ms=10_000, finish_reason="", error_kind=INCOMPLETE)
        for n in range(8)
    ]
    return [*ended, *cut]


def test_l26_tokens_of_unfinished_requests_were_delivered() -> None:
    found = metrics.step_metrics(timed_stop(), None)
    assert found.delivered_tok_per_s == pytest.approx(448)
    assert found.whole_output_tok_per_s == pytest.approx(400)
    assert found.incomplete_count == 8


def test_l26_what_time_cut_off_is_no_failure_and_its_absence_is_flagged() -> None:
    found = metrics.step_metrics(timed_stop(), None)
    assert (found.measured_count, found.ok_count, found.error_count) == (40, 40, 0)
    assert found.tokens_from_failed == 0
    assert metrics.error_kinds(timed_stop()) == {}
    assert metrics.latencies_censored(found)
    assert not metrics.latencies_censored(metrics.step_metrics(timed_stop()[:40], None))


def test_l26_tokens_of_a_cut_off_answer_count_in_the_window() -> None:
    cut = make.spoken(100, [100, 100, 100], error_kind=INCOMPLETE)
    failed = make.spoken(100, [100, 100, 100], error_kind="truncated")
    assert metrics.tokens_between([cut, failed], 150 * make.MS, 1000 * make.MS) == 3


def test_nothing_delivered_is_unknown() -> None:
    assert metrics.step_metrics([make.request(error_kind="timeout", end_ms=5)], None).delivered_tok_per_s is None


def test_a_pace_needs_two_instants_apart() -> None:
    assert metrics.pace_per_s([]) is None
    assert metrics.pace_per_s([5]) is None
    assert metrics.pace_per_s([5, 5]) is None
    assert metrics.pace_per_s([0, 10**9, 5 * 10**8]) == 2.0
