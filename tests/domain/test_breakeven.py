"""Break-even: closed forms against the staircase itself, point by point, and the named outcomes."""

from decimal import Decimal

from hypothesis import assume, given
from hypothesis import strategies as st

from calculator.domain.breakeven import (
    LISTED_INTERVALS_COUNT,
    Staircase,
    break_even_utilisation,
    linear_break_even,
    staircase_break_even,
)
from calculator.domain.scenario import BreakEven, Outcome

PRO = Staircase(Decimal("830.64"), Decimal("107.8272"))
"""GPU-PRO by the month, capacity in millions of tokens; prices below are then € per million."""

money = st.integers(1, 500_000).map(lambda cents: Decimal(cents) / 100)
fixed_costs = st.one_of(st.just(Decimal(0)), money)
capacities = st.integers(1, 100_000).map(lambda count: Decimal(count) / 10)
volumes = st.integers(1, 10**8).map(lambda count: Decimal(count) / 1000)


def starts(found: BreakEven) -> list[float]:
    return [round(float(part.start_tokens), 3) for part in found.intervals]


def staircase_cost(stairs: Staircase, volume: Decimal) -> Decimal:
    """The bill counted instance by instance, with none of the formulas under test."""
    count = 1
    carried = stairs.capacity_tokens
    if volume > carried:
        count = int(volume // stairs.capacity_tokens)
        while count * stairs.capacity_tokens < volume:
            count += 1
    return count * stairs.step_eur + stairs.fixed_eur


def wins(found: BreakEven, volume: Decimal) -> bool:
    return any(
        part.start_tokens < volume and (part.end_tokens is None or volume <= part.end_tokens)
        for part in found.intervals
    )


@given(money, capacities, fixed_costs, money, volumes)
def test_intervals_say_what_the_staircase_costs(
    step: Decimal, capacity: Decimal, fixed: Decimal, price: Decimal, volume: Decimal
) -> None:
    stairs = Staircase(step, capacity, fixed)
    found = staircase_break_even(stairs, price)
    gpu, api = staircase_cost(stairs, volume), price * volume
    assume(abs(gpu - api) > api * Decimal("1e-15"))
    if found.omitted_count and found.intervals[-2].end_tokens is not None:
        assume(not found.intervals[-2].end_tokens < volume <= found.intervals[-1].start_tokens)
    assert wins(found, volume) == (gpu < api)


@given(money, capacities, fixed_costs, money, st.integers(1, 60), st.integers(0, 100))
def test_intervals_hold_at_and_around_each_step(
    step: Decimal, capacity: Decimal, fixed: Decimal, price: Decimal, count: int, percent: int
) -> None:
    """Volumes chosen on the steps themselves, where a mistake by one instance would show."""
    stairs = Staircase(step, capacity, fixed)
    volume = (count - 1 + Decimal(percent) / 100) * capacity
    assume(volume > 0)
    found = staircase_break_even(stairs, price)
    gpu, api = staircase_cost(stairs, volume), price * volume
    assume(abs(gpu - api) > api * Decimal("1e-15"))
    if found.omitted_count and found.intervals[-2].end_tokens is not None:
        assume(not found.intervals[-2].end_tokens < volume <= found.intervals[-1].start_tokens)
    assert wins(found, volume) == (gpu < api)


@given(money, capacities, fixed_costs, money)
def test_intervals_rise_are_apart_and_bounded_in_number(
    step: Decimal, capacity: Decimal, fixed: Decimal, price: Decimal
) -> None:
    found = staircase_break_even(Staircase(step, capacity, fixed), price)
    assert len(found.intervals) <= LISTED_INTERVALS_COUNT
    for before, after in zip(found.intervals, found.intervals[1:], strict=False):
        assert before.end_tokens is not None
        assert before.start_tokens < before.end_tokens < after.start_tokens
    assert not found.intervals or found.intervals[-1].end_tokens is None


def test_the_card_wins_then_the_second_card_is_not_yet_filled() -> None:
    found = staircase_break_even(PRO, Decimal("15.00") / Decimal("1.1172"))
    assert found.outcome is Outcome.REACHED
    assert starts(found) == [61.866, 123.732]
    assert found.intervals[0].end_tokens == Decimal("107.8272")


def test_an_api_below_the_price_of_a_full_card_is_never_reached() -> None:
    """A full card costs 7.70 € per million; at 7.50 the crossing of straight lines, 110.8 M, is beyond its capacity."""
    found = staircase_break_even(PRO, Decimal("7.50"))
    assert (found.outcome, found.intervals) == (Outcome.NEVER, ())


def test_an_api_at_exactly_the_price_of_a_full_card_is_never_beaten() -> None:
    assert staircase_break_even(PRO, PRO.step_eur / PRO.capacity_tokens).outcome is Outcome.NEVER


def test_fixed_costs_put_the_break_even_beyond_a_count() -> None:
    """Steps of 800 for 100 tokens, 450 fixed, price 10: each full step saves 200, so the third is the first to win:
    from (3 × 800 + 450) ÷ 10 = 285; 4th from 365, 5th from 445, 6th from 525, 7th from 605 and for good: the 8th
    costs 6 850 where the API costs 7 000, at its very beginning."""
    found = staircase_break_even(Staircase(Decimal(800), Decimal(100), Decimal(450)), Decimal(10))
    assert (found.outcome, found.instances) == (Outcome.BEYOND, 3)
    assert starts(found) == [285, 365, 445, 525, 605]
    assert [part.end_tokens for part in found.intervals] == [300, 400, 500, 600, None]


def test_beyond_starts_with_the_second_instance() -> None:
    """Fixed costs of 250: one full step saves 200, which is less; two save 400. From (1 600 + 250) ÷ 10 on."""
    found = staircase_break_even(Staircase(Decimal(800), Decimal(100), Decimal(250)), Decimal(10))
    assert (found.outcome, found.instances) == (Outcome.BEYOND, 2)
    assert starts(found)[0] == 185


@given(money, capacities, money)
def test_without_fixed_costs_it_is_never_only_beyond_a_count(step: Decimal, capacity: Decimal, price: Decimal) -> None:
    assert staircase_break_even(Staircase(step, capacity), price).outcome is not Outcome.BEYOND


def test_a_gpu_that_costs_nothing_always_wins() -> None:
    found = staircase_break_even(Staircase(Decimal(0), Decimal(100)), Decimal(10))
    assert (found.outcome, starts(found)) == (Outcome.ALWAYS, [0])


def test_a_free_api_is_never_beaten() -> None:
    assert staircase_break_even(PRO, Decimal(0)).outcome is Outcome.NEVER


def test_a_thin_margin_lists_a_bounded_number_of_intervals() -> None:
    """Step 999, price × capacity 1 000: saving 1, so the whole staircase is below only from the 1 000th on."""
    found = staircase_break_even(Staircase(Decimal(999), Decimal(100)), Decimal(10))
    assert len(found.intervals) == LISTED_INTERVALS_COUNT
    assert found.omitted_count == 999 - LISTED_INTERVALS_COUNT
    assert starts(found)[0] == 99.9
    assert starts(found)[-1] == 999 * 99.9


# Hours used


def test_hours_used_cross_once_and_only_through_fixed_costs() -> None:
    """0.01 against 0.015 a token: 100 fixed are earned back after 20 000."""
    stairs = Staircase(Decimal(10), Decimal(1000), Decimal(100))
    assert starts(linear_break_even(stairs, Decimal("0.015"))) == [20_000]


def test_hours_used_without_fixed_costs_always_or_never_win() -> None:
    stairs = Staircase(Decimal(10), Decimal(1000))
    assert linear_break_even(stairs, Decimal("0.015")).outcome is Outcome.ALWAYS
    assert linear_break_even(stairs, Decimal("0.01")).outcome is Outcome.NEVER
    assert linear_break_even(stairs, Decimal("0.005")).outcome is Outcome.NEVER


# Utilisation


def test_break_even_utilisation_may_exceed_one() -> None:
    """GPU-PRO at 100 % makes 165.888 M tokens; 0.60 $ at 1.1172 buy them for 89 €, so 932 % would be needed."""
    api_price = Decimal("0.60") / Decimal("1.1172")
    found = break_even_utilisation(PRO.step_eur, Decimal("165.888"), api_price)
    assert found is not None
    assert round(found, 4) == Decimal("9.3235")


@given(money, capacities, money)
def test_break_even_utilisation_makes_both_sides_equal(step: Decimal, full: Decimal, price: Decimal) -> None:
    ratio = break_even_utilisation(step, full, price)
    assert ratio is not None
    assert abs(step / (full * ratio) - price) <= price * Decimal("1e-20")


def test_no_utilisation_beats_a_free_api() -> None:
    assert break_even_utilisation(PRO.step_eur, PRO.capacity_tokens, Decimal(0)) is None
