"""What must hold before a probe's number is believed; every limit from the text of the method, worked out by hand."""

import pytest

from benchmarks.probes import guards
from benchmarks.probes.guards import Name, Verdict

H100_BF16 = 989e12
H100_BYTES_PER_S = 3350e9


def test_l42_a_rate_above_the_peak_is_refused() -> None:
    """1,200 TFLOP/s on an H100 is 121 % of 989."""
    found = guards.plausible(1200e12, H100_BF16)
    assert found.verdict is Verdict.FAILED and found.refuses
    assert found.facts["ratio"] == pytest.approx(1.2133, abs=1e-4)


def test_l42_a_copy_faster_than_the_memory_is_refused() -> None:
    assert guards.plausible(3600e9, H100_BYTES_PER_S).refuses


@pytest.mark.parametrize(("value", "verdict"), [(1050.0, "passed"), (1050.1, "failed"), (10.0, "passed")])
def test_five_percent_above_the_sheet_is_the_limit(value: float, verdict: str) -> None:
    assert guards.plausible(value, 1000.0).verdict.value == verdict


def test_without_a_data_sheet_plausibility_cannot_be_told() -> None:
    found = guards.plausible(1e20, None)
    assert found.verdict is Verdict.UNKNOWN and not found.refuses


@pytest.mark.parametrize(
    ("times", "agreed"),
    [
        ([], False),
        ([1.0, 1.0], False),
        ([5.0, 1.0, 1.01, 1.02], True),
        ([1.0, 1.0, 1.0, 1.03], False),
        ([1.02, 1.0, 1.01], True),
        ([1.03, 1.0, 1.0], False),
    ],
)
def test_warm_means_three_times_in_a_row_within_two_percent(times: list[float], agreed: bool) -> None:
    assert guards.agree(times) is agreed
    assert (guards.steady(times).verdict is Verdict.PASSED) is agreed


@pytest.mark.parametrize(("span_s", "verdict"), [(29.9, "failed"), (30.0, "passed"), (0.0, "failed")])
def test_sustained_means_thirty_seconds(span_s: float, verdict: str) -> None:
    found = guards.sustained(span_s)
    assert found.verdict.value == verdict
    assert not found.refuses, "a short run is labelled, not refused"


@pytest.mark.parametrize(
    ("cache", "flushed"), [(None, 256 * 2**20), (50 * 2**20, 256 * 2**20), (400 * 2**20, 400 * 2**20)]
)
def test_at_least_the_cache_and_256_mib_are_written_between_runs(cache: int | None, flushed: int) -> None:
    assert guards.flush_bytes(cache) == flushed


def test_arrays_must_be_four_times_the_cache() -> None:
    assert guards.beyond_cache(200, 50).verdict is Verdict.PASSED
    assert guards.beyond_cache(199, 50).verdict is Verdict.FAILED
    assert guards.beyond_cache(200, None).verdict is Verdict.UNKNOWN


def test_a_run_cut_short_is_refused() -> None:
    assert guards.complete(stopped=True, samples_count=100).refuses
    assert guards.complete(stopped=False, samples_count=0).refuses
    assert guards.complete(stopped=False, samples_count=1).verdict is Verdict.PASSED


@pytest.mark.parametrize(
    ("bits", "ratio"),
    [
        ([0, 1, 2, 256], 0.0),  # idle, application clocks and display are no throttling
        ([4, 0, 0, 0], 0.25),  # power cap
        ([8, 32, 64, 128], 1.0),  # slowdown, thermal twice, power brake
        ([None, None, 4, 0], 0.5),
    ],
)
def test_only_bits_that_hold_the_clock_down_count(bits: list[int | None], ratio: float) -> None:
    assert guards.throttle_ratio(bits) == pytest.approx(ratio)


def test_throttling_in_more_than_five_percent_of_the_samples_is_flagged() -> None:
    assert guards.not_throttled([4] + [0] * 19).verdict is Verdict.PASSED
    assert guards.not_throttled([4] * 2 + [0] * 18).verdict is Verdict.FAILED
    assert guards.not_throttled([None]).verdict is Verdict.UNKNOWN
    assert not guards.not_throttled([4]).refuses


def test_clocks_are_to_be_seen_five_times_a_second() -> None:
    assert guards.sampled_often(150, 30.0).verdict is Verdict.PASSED
    assert guards.sampled_often(60, 30.0).verdict is Verdict.FAILED
    assert guards.sampled_often(0, 30.0).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(
    ("own", "seen", "verdict"),
    [
        ([10, 11], [10], "passed"),
        ([10, 11], [10, 12], "failed"),
        ([10, 11], None, "unknown"),
        ([10, 11], [], "passed"),
        ([10, 11], [4071], "passed"),  # in a container: ourselves under the host's number
        ([10, 11], [4071, 4072], "failed"),
    ],
)
def test_a_process_of_somebody_else_makes_a_figure_invalid(own: list[int], seen: list[int], verdict: str) -> None:
    found = guards.no_foreign_process(own, seen)
    assert found.verdict.value == verdict
    assert found.refuses is (verdict == "failed")


def test_a_slice_is_no_whole_gpu() -> None:
    assert guards.whole_gpu("NVIDIA H100 80GB HBM3 MIG 1g.10gb").verdict is Verdict.FAILED
    assert guards.whole_gpu("NVIDIA H100 80GB HBM3").verdict is Verdict.PASSED


def test_a_link_below_its_most_is_flagged() -> None:
    assert guards.link_trained(4, 4, 16, 16).verdict is Verdict.PASSED
    assert guards.link_trained(1, 4, 16, 16).verdict is Verdict.FAILED
    assert guards.link_trained(4, 4, 8, 16).verdict is Verdict.FAILED
    assert guards.link_trained(None, 4, 16, 16).verdict is Verdict.UNKNOWN


def test_a_new_memory_error_is_flagged_and_an_old_one_is_not() -> None:
    assert guards.no_ecc_errors(3, 3).verdict is Verdict.PASSED
    assert guards.no_ecc_errors(0, 1).verdict is Verdict.FAILED
    assert guards.no_ecc_errors(None, 1).verdict is Verdict.UNKNOWN


def test_memory_that_grows_while_times_are_taken_is_flagged() -> None:
    assert guards.no_new_memory(100, 100).verdict is Verdict.PASSED
    assert guards.no_new_memory(100, 101).verdict is Verdict.FAILED
    assert guards.no_new_memory(None, 1).verdict is Verdict.UNKNOWN


def test_a_wrong_sum_is_refused() -> None:
    assert guards.result_correct(False).refuses
    assert not guards.result_correct(True).refuses


def test_only_what_makes_a_figure_meaningless_refuses_it() -> None:
    assert {name.value for name in guards.REFUSING} == {
        "plausible",
        "complete",
        "no_foreign_process",
        "result_correct",
    }
    assert set(Name) > guards.REFUSING
