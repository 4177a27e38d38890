"""A step's figures from its requests, worked out by hand."""

import pytest

from benchmarks import metrics, statistics
from benchmarks.load.records import Request
from tests.benchmarks import loadfactory as make


def test_l15_short_answers_are_counted_and_flagged_above_two_percent() -> None:
    full = [make.spoken(10, [1] * 127, number=index, requested_output_tokens=128) for index in range(97)]
    short = [make.spoken(10, [1] * 39, number=index, requested_output_tokens=128) for index in range(97, 100)]
    found = metrics.step_metrics([*full, *short], None)
    assert found.short_output_count == 3
    assert metrics.outputs_short(found)
    assert found.output_tokens_mean == pytest.approx((97 * 128 + 3 * 40) / 100)
    assert not metrics.outputs_short(metrics.step_metrics([*full, *short[:1]], None))


def test_l16_achieved_prompt_length_is_what_counts() -> None:
    found = metrics.step_metrics([make.spoken(10, [10], prompt_tokens=140, end_ms=1000)], None)
    assert found.prompt_tokens_mean == 140
    assert found.total_tok_per_s == 142


def test_l17_http_errors_are_counted_by_kind_and_stay_out_of_latency() -> None:
    failed = [make.request(number=7, error_kind="http_429"), make.request(number=8, error_kind="http_429")]
    failed.append(make.request(number=9, error_kind="http_503"))
    requests = [*(make.spoken(100 + index, number=index) for index in range(7)), *failed]
    found = metrics.step_metrics(requests, None)
    assert (found.ok_count, found.error_count) == (7, 3)
    assert found.error_count / found.measured_count == pytest.approx(0.30)
    assert found.ttft_p50_ms == 103
    assert metrics.error_kinds(requests) == {"http_429": 2, "http_503": 1}


def test_l18_one_stall_shows_in_the_tail_of_the_gaps() -> None:
    gaps = [20.0] * 62 + [520.0]
    found = metrics.step_metrics([make.spoken(100, gaps)], None)
    assert found.tpot_p50_ms == pytest.approx(1760 / 63)
    assert round(found.tpot_p50_ms or 0, 2) == 27.94
    assert found.gap_p95_ms == pytest.approx(20)
    assert found.gap_p99_ms == pytest.approx(210.0)
    assert found.gap_max_ms == 520


def test_l24_warm_up_requests_are_counted_but_not_measured() -> None:
    warm = [make.spoken(50_000, number=index, warm_up=True) for index in range(10)]
    measured = [make.spoken(700, number=10 + index) for index in range(90)]
    found = metrics.step_metrics([*warm, *measured], None)
    assert (found.warm_up_count, found.measured_count) == (10, 90)
    assert (found.ttft_p50_ms, found.ttft_p95_ms) == (700, 700)
    assert found.ttft_p99_ms is None
    seen = [value for request in measured if (value := metrics.ttft_ms(request)) is not None]
    assert (statistics.mean(seen), statistics.percentile(seen, 99)) == (700, 700)
    with_warm_up = [50_000.0] * 10 + seen
    assert statistics.mean(with_warm_up) == pytest.approx(5630)
    assert statistics.percentile(with_warm_up, 95) == 50_000


def ten_a_second(start_s: float, number: int) -> Request:
    """One second of ten tokens, the first a tenth of a second after sending."""
    times = [1000 * start_s + 100 * (index + 1) for index in range(10)]
    return make.request(
        number=number,
        sent_ms=1000 * start_s,
        end_ms=times[-1],
        arrivals_ms=times,
        output_tokens=10,
        finish_reason="length",
    )


def test_l25_the_window_counts_tokens_while_every_slot_is_busy() -> None:
    requests = [ten_a_second(start, index) for index, start in enumerate([0, 0, 1, 1, 2])]
    found = metrics.step_metrics(requests, (0, 2000 * make.MS))
    assert found.output_tok_per_s == pytest.approx(20.0)
    assert found.whole_output_tok_per_s == pytest.approx(50 / 3)
    assert found.window_s == 2.0


def test_tokens_in_the_window_count_whatever_request_they_belong_to() -> None:
    warm = ten_a_second(0, 0)
    warm.warm_up = True
    assert metrics.step_metrics([warm, ten_a_second(1, 1)], (500 * make.MS, 1500 * make.MS)).output_tok_per_s == 10


def test_tokens_are_spread_over_events_where_the_server_does_not_count_by_event() -> None:
    answer = make.spoken(100, [100, 100], output_tokens=6)
    assert metrics.tokens_between([answer], 150 * make.MS, 1000 * make.MS) == pytest.approx(4.0)
    answer.arrival_tokens = [4, 1, 1]
    assert metrics.tokens_between([answer], 150 * make.MS, 1000 * make.MS) == 2


def test_l31_total_failure_gives_unknown_not_zero() -> None:
    requests = [make.request(number=index, error_kind="connect_failed", sent_ns=None) for index in range(20)]
    found = metrics.step_metrics(requests, (0, 1000 * make.MS))
    assert (found.ok_count, found.error_count) == (0, 20)
    unknown = [found.output_tok_per_s, found.whole_output_tok_per_s, found.total_tok_per_s, found.requests_per_s]
    unknown += [found.ttft_p50_ms, found.tpot_p50_ms, found.e2e_p50_ms, found.gap_max_ms, found.output_tokens_mean]
    assert unknown == [None] * 9
    assert metrics.error_kinds(requests) == {"connect_failed": 20}


def test_l35_four_rates_have_four_names() -> None:
    requests = [make.spoken(1, number=index, output_tokens=256, prompt_tokens=128) for index in range(100)]
    found = metrics.rates(requests, 40, gpu_count=2)
    assert found.output_tok_per_s == 640
    assert found.total_tok_per_s == 960
    assert found.output_tok_per_s_per_gpu == 320
    assert found.requests_per_s == 2.5


def test_l37_percentiles_of_few_requests_leave_p99_out() -> None:
    found = metrics.step_metrics([make.spoken(index, number=index) for index in range(1, 41)], None)
    assert found.ttft_p99_ms is None
    assert found.ttft_p50_ms == 20.5


@pytest.mark.parametrize(
    ("end", "bound"),
    [
        (make.step_end(), False),
        (make.step_end(loop_lag_p99_ms=30.0), True),
        (make.step_end(client_cpu_ratio=0.9), True),
        (make.step_end(loop_lag_p99_ms=10.0, client_cpu_ratio=0.85), False),
    ],
)
def test_l28_a_late_or_busy_client_is_flagged(end: object, bound: bool) -> None:
    found = metrics.step_metrics([make.spoken(100, [20] * 15)], None)
    assert metrics.client_bound(found, end) is bound  # type: ignore[arg-type]


def test_l28_events_read_together_betray_a_late_client() -> None:
    coalesced = metrics.step_metrics([make.spoken(100, [0.02] * 4 + [40.0] * 6)], None)
    assert coalesced.near_zero_gap_ratio == 0.4
    assert metrics.client_bound(coalesced, make.step_end())
    fast = metrics.step_metrics([make.spoken(100, [0.05] * 10)], None)
    assert not metrics.client_bound(fast, make.step_end())


def test_l28_waiting_to_send_is_the_clients_doing() -> None:
    late = metrics.step_metrics([make.spoken(100, sent_ms=12, planned_ms=0)], None)
    assert late.dispatch_lag_p99_ms == 12
    assert metrics.client_bound(late, make.step_end())


def test_l28_the_reasons_are_named() -> None:
    calm = metrics.step_metrics([make.spoken(100, [20] * 15)], None)
    late = make.step_end(loop_lag_p99_ms=30.0, client_cpu_ratio=0.9)
    assert metrics.client_reasons(calm, late) == ("loop_lag", "cpu")
    assert metrics.client_reasons(calm, make.step_end()) == ()
    coalesced = metrics.step_metrics([make.spoken(100, [0.02] * 4 + [40.0] * 6, planned_ms=-12)], None)
    assert metrics.client_reasons(coalesced, make.step_end()) == ("dispatch_lag", "near_zero_gaps")


def test_l27_a_prefix_cache_that_answers_for_the_prompts_is_flagged() -> None:
    """95 of 100 prompt tokens cached on every request of the second run; none on the first."""
    first = [make.spoken(10, [10], number=n, prompt_tokens=100, cached_tokens=0) for n in range(20)]
    second = [make.spoken(10, [10], number=n, prompt_tokens=100, cached_tokens=95) for n in range(20)]
    assert not metrics.prefix_cache_warm(metrics.step_metrics(first, None))
    found = metrics.step_metrics(second, None)
    assert found.cached_prompt_ratio == pytest.approx(0.95)
    assert metrics.prefix_cache_warm(found)


def test_a_warm_prefix_cache_is_seen_in_cached_tokens() -> None:
    cold = metrics.step_metrics([make.spoken(1, cached_tokens=0)], None)
    warm = metrics.step_metrics([make.spoken(1, cached_tokens=122)], None)
    assert not metrics.prefix_cache_warm(cold)
    assert warm.cached_prompt_ratio == pytest.approx(122 / 128)
    assert metrics.prefix_cache_warm(warm)


def test_an_untold_cache_is_unknown() -> None:
    assert metrics.step_metrics([make.spoken(1)], None).cached_prompt_ratio is None
