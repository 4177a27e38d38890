"""When a sweep ends, and how the highest carried rate is found; servers are formulas."""

from collections.abc import Callable

import pytest

from benchmarks.load import search
from benchmarks.load.search import Bracket, Outcome, bracket, knee_end, next_rate, reason_to_stop


def outcome(load: float = 1, rate: float | None = 100, ttft_ms: float | None = 10, **values: object) -> Outcome:
    known: dict[str, object] = {"error_ratio": 0.0}
    return Outcome(load, rate, ttft_ms, **(known | values))  # type: ignore[arg-type]


def test_a_sweep_goes_on_while_the_rate_rises() -> None:
    assert reason_to_stop(None, outcome()) == ""
    assert reason_to_stop(outcome(rate=100), outcome(rate=150, ttft_ms=50)) == ""


def test_a_sweep_ends_when_the_first_token_waits_and_nothing_is_gained() -> None:
    """4 % more tokens for 2.5 times the wait."""
    assert reason_to_stop(outcome(rate=100, ttft_ms=10), outcome(rate=104, ttft_ms=25)) == "no_gain"
    assert reason_to_stop(outcome(rate=100, ttft_ms=10), outcome(rate=104, ttft_ms=20)) == ""
    assert reason_to_stop(outcome(rate=100, ttft_ms=10), outcome(rate=105, ttft_ms=25)) == ""


@pytest.mark.parametrize(("ratio", "reason"), [(0.05, ""), (0.051, "errors"), (None, "errors")])
def test_a_sweep_ends_when_too_many_fail(ratio: float | None, reason: str) -> None:
    assert reason_to_stop(None, outcome(error_ratio=ratio)) == reason


@pytest.mark.parametrize(("attainment", "reason"), [(0.95, ""), (0.94, "targets"), (None, "")])
def test_a_sweep_ends_when_targets_are_missed(attainment: float | None, reason: str) -> None:
    assert reason_to_stop(None, outcome(attainment_ratio=attainment)) == reason


def test_unknown_rates_are_no_reason_to_stop() -> None:
    assert reason_to_stop(outcome(rate=None), outcome(rate=None, ttft_ms=99)) == ""


def hunt(carries: Callable[[float], bool], first: float) -> list[Outcome]:
    """A whole search against a server that carries some rates."""
    tried: list[Outcome] = []
    while (rate := next_rate(tried, first)) is not None:
        tried.append(outcome(rate, saturated=not carries(rate)))
        assert len(tried) <= search.KNEE_STEPS_MAX_COUNT
    return tried


def test_the_knee_is_found_from_below() -> None:
    """A server for 37 a second, from 4: 4, 8, 16, 32 carried, 64 not, then halves of the bracket."""
    tried = hunt(lambda rate: rate <= 37, 4)
    assert [one.load for one in tried][:5] == [4, 8, 16, 32, 64]
    assert tried[5].load == pytest.approx((32 * 64) ** 0.5)
    found = bracket(tried)
    assert (found.carried_per_s or 0) <= 37 < (found.missed_per_s or 0)
    assert found.narrow and knee_end(tried) == "found"


def test_the_knee_is_found_from_above() -> None:
    tried = hunt(lambda rate: rate <= 3, 100)
    assert [one.load for one in tried][:6] == [100, 50, 25, 12.5, 6.25, 3.125]
    found = bracket(tried)
    assert (found.carried_per_s or 0) <= 3 < (found.missed_per_s or 0)


def test_a_server_that_carries_nothing_has_no_knee() -> None:
    tried = hunt(lambda _: False, 8)
    assert len(tried) == search.KNEE_STEPS_MAX_COUNT
    assert knee_end(tried) == "none"


def test_a_server_that_carries_everything_leaves_the_search_open() -> None:
    tried = hunt(lambda _: True, 1)
    assert tried[-1].load == 2**9
    assert knee_end(tried) == "open"


def test_a_carried_rate_above_a_missed_one_is_luck() -> None:
    tried = [outcome(10), outcome(20, saturated=True), outcome(40)]
    assert bracket(tried) == Bracket(10, 20)
    assert knee_end(tried) == "wide"


@pytest.mark.parametrize(
    "missed", [{"saturated": True}, {"error_ratio": 0.2}, {"attainment_ratio": 0.9}, {"error_ratio": None}]
)
def test_a_rate_is_carried_at_its_pace_within_targets_and_without_failures(missed: dict[str, object]) -> None:
    assert outcome().met
    assert not outcome(**missed).met


def test_a_bracket_within_a_tenth_is_narrow() -> None:
    assert Bracket(10.0, 11.0).narrow
    assert not Bracket(10.0, 11.1).narrow
    assert not Bracket(None, 5.0).narrow and not Bracket(5.0, None).narrow
