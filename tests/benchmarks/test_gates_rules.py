"""The gates for publishing, each at, within and beyond its limit."""

import pytest

from benchmarks import gates
from benchmarks.gates import Gate, Point

STEADY = (98.0, 99.0, 100.0, 101.0, 102.0)


def point(rates: tuple[float, ...] = STEADY, prompt: float = 128.0, output: float = 64.0) -> Point:
    return Point(rates, (prompt,) * len(rates), (output,) * len(rates))


def gate(code: str, *points: Point, flags: tuple[str, ...] = ()) -> Gate:
    found = gates.gates(points or (point(),), 128, 64, flags)
    return next(each for each in found if each.code == code)


def test_a_steady_series_of_five_passes_every_gate() -> None:
    assert gates.failed(gates.gates([point()], 128, 64, [])) == ()


def test_four_repeats_are_too_few() -> None:
    found = gate("repeats", point(STEADY[:4]))
    assert (found.passed, found.seen, found.limit) == (False, 4.0, 5.0)


def test_the_load_with_the_fewest_repeats_decides() -> None:
    assert gate("repeats", point(), point(STEADY[:3])).seen == 3.0


def test_nothing_measured_passes_nothing_but_the_flags() -> None:
    assert gates.failed(gates.gates([], 128, 64, [])) == ("repeats", "spread", "prompt_length", "output_length")


def test_a_variation_of_exactly_three_percent_passes() -> None:
    """Mean 100; squares 9 + 9 + 0 + 9 + 9 = 36, ÷ 4 = 9, root 3: exactly 3 % of 100."""
    found = gate("spread", point((97.0, 97.0, 100.0, 103.0, 103.0)))
    assert found.seen == pytest.approx(0.03)
    assert found.passed


def test_more_than_three_percent_is_noise() -> None:
    found = gate("spread", point((96.9, 97.0, 100.0, 103.0, 103.0)))
    assert found.seen is not None and found.seen > 0.03
    assert not found.passed


def test_the_noisiest_load_decides() -> None:
    assert not gate("spread", point(), point((50.0, 100.0, 100.0, 100.0, 150.0))).passed


def test_a_single_run_has_no_known_variation_and_does_not_pass() -> None:
    found = gate("spread", point((100.0,)))
    assert (found.passed, found.seen) == (False, None)


@pytest.mark.parametrize(
    ("mean", "passes"), [(128.0, True), (130.56, True), (125.44, True), (130.7, False), (125.0, False)]
)
def test_prompts_stay_within_two_percent_of_what_was_asked(mean: float, passes: bool) -> None:
    """128 · 1.02 = 130.56 and 128 · 0.98 = 125.44."""
    assert gate("prompt_length", point(prompt=mean)).passed is passes


def test_answers_shorter_than_asked_close_their_own_gate() -> None:
    found = gates.gates([point(output=62.0)], 128, 64, [])
    assert gates.failed(found) == ("output_length",)
    assert gate("output_length", point(output=62.0)).seen == pytest.approx(2 / 64)


def test_lengths_that_nobody_counted_do_not_pass() -> None:
    assert gates.failed(gates.gates([Point(STEADY)], 128, 64, [])) == ("prompt_length", "output_length")


def test_a_blocking_flag_closes_the_gate_and_is_named() -> None:
    found = gate("flags", flags=("throttled", "noisy"))
    assert (found.passed, found.names, found.seen) == (False, ("throttled", "noisy"), 2.0)
