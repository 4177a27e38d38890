"""What holds for any requests whatever: counts add up, unknown stays unknown, nothing that is stored is NaN."""

import dataclasses
import json
import math

from hypothesis import given
from hypothesis import strategies as st

from benchmarks import metrics, statistics
from benchmarks.load import records
from benchmarks.load.records import Request
from tests.benchmarks import loadfactory as make

GAPS = st.lists(st.floats(0, 500), max_size=8)


@st.composite
def requests(draw: st.DrawFn) -> Request:
    """A request that was answered, or that failed before or after its first token."""
    gaps = draw(GAPS)
    values = {
        "number": draw(st.integers(0, 10_000)),
        "warm_up": draw(st.booleans()),
        "output_tokens": draw(st.none() | st.integers(0, 600)),
        "prompt_tokens": draw(st.none() | st.integers(1, 600)),
        "cached_tokens": draw(st.none() | st.integers(0, 1)),
        "error_kind": draw(st.sampled_from(["", "", "", "timeout", "http_503", "truncated"])),
    }
    if draw(st.booleans()):
        return make.spoken(draw(st.floats(0, 1000)), gaps, **values)
    return make.request(**values | {"sent_ns": None, "end_ns": None})


LEAVES = st.floats() | st.none() | st.booleans() | st.text(max_size=4)
ANYTHING = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)
SOME = st.lists(requests(), max_size=12)
WINDOW = st.none() | st.tuples(st.integers(0, 500 * make.MS), st.integers(501 * make.MS, 2000 * make.MS))


@given(SOME, WINDOW)
def test_every_measured_request_either_succeeded_or_failed(some: list[Request], window: tuple[int, int] | None) -> None:
    found = metrics.step_metrics(some, window)
    assert found.ok_count + found.error_count == found.measured_count
    assert found.warm_up_count + found.measured_count == len(some)
    assert sum(metrics.error_kinds(some).values()) == found.error_count


@given(SOME, WINDOW)
def test_no_figure_is_ever_nan_or_infinite(some: list[Request], window: tuple[int, int] | None) -> None:
    values = dataclasses.asdict(metrics.step_metrics(some, window)).values()
    assert all(value is None or math.isfinite(value) for value in values)


@given(SOME, WINDOW)
def test_without_a_success_no_latency_and_no_rate_is_known(some: list[Request], window: tuple[int, int] | None) -> None:
    failed = [dataclasses.replace(request, error_kind="timeout") for request in some]
    found = metrics.step_metrics(failed, window)
    known = {name for name, value in dataclasses.asdict(found).items() if value is not None}
    assert not {name for name in known if name.startswith(("ttft", "tpot", "e2e", "gap")) or "tok_per_s" in name}


@given(SOME)
def test_percentiles_of_one_step_are_in_order(some: list[Request]) -> None:
    found = metrics.step_metrics(some, None)
    for low, high in ((found.ttft_p50_ms, found.ttft_p95_ms), (found.tpot_p50_ms, found.tpot_p95_ms)):
        assert (low is None) == (high is None)
        assert low is None or high is None or low <= high + 1e-9
    if found.gap_p99_ms is not None and found.gap_max_ms is not None:
        assert found.gap_p99_ms <= found.gap_max_ms + 1e-9


@given(SOME, st.integers(0, 3000))
def test_two_windows_side_by_side_count_each_token_once(some: list[Request], cut_ms: int) -> None:
    end = 10_000 * make.MS
    cut = cut_ms * make.MS
    whole = metrics.tokens_between(some, -1, end)
    parts = metrics.tokens_between(some, -1, cut) + metrics.tokens_between(some, cut, end)
    assert math.isclose(whole, parts, rel_tol=1e-9, abs_tol=1e-9)
    answered = [request for request in some if request.ok and request.arrivals_ns]
    assert math.isclose(whole, sum(request.output_tokens or 0 for request in answered), rel_tol=1e-9, abs_tol=1e-9)


@given(requests())
def test_gaps_and_time_to_first_token_add_up_to_the_whole(request: Request) -> None:
    whole, first = metrics.e2e_ms(request), metrics.ttft_ms(request)
    if whole is not None and first is not None:
        assert math.isclose(first + sum(metrics.gaps_ms(request)), whole, abs_tol=1e-6)


@given(requests())
def test_a_request_survives_the_samples_file(request: Request) -> None:
    line = records.dump(request)
    assert b"\n" not in line
    fields = json.loads(line)
    assert Request(**fields) == request


@given(ANYTHING)
def test_anything_becomes_strict_json(value: object) -> None:
    reasons: dict[str, str] = {}
    text = json.dumps(statistics.strict(value, "v", reasons), allow_nan=False)
    json.loads(text)
    assert set(reasons.values()) <= {"not a number", "infinite"}
