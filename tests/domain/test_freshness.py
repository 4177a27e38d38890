"""When an exchange rate or a checked price counts as old. 30 October 2026 is a Friday."""

import datetime as dt

import pytest

from calculator.domain import freshness

FRIDAY = "2026-10-30"


def day(text: str) -> dt.date:
    return dt.date.fromisoformat(text)


@pytest.mark.parametrize(
    ("start", "end", "days"),
    [
        (FRIDAY, FRIDAY, 0),
        (FRIDAY, "2026-11-01", 0),
        (FRIDAY, "2026-11-02", 1),
        (FRIDAY, "2026-11-06", 5),
        (FRIDAY, "2026-11-13", 10),
        ("2026-10-31", "2026-11-02", 1),
        (FRIDAY, "2026-10-01", 0),
    ],
)
def test_working_days_leave_out_the_week_end(start: str, end: str, days: int) -> None:
    assert freshness.working_days(day(start), day(end)) == days


@pytest.mark.parametrize(
    ("today", "mark"),
    [
        (FRIDAY, ""),
        ("2026-11-05", ""),
        ("2026-11-06", "amber"),
        ("2026-11-13", "amber"),
        ("2026-11-15", "amber"),
        ("2026-11-16", "red"),
        ("2026-10-01", ""),
    ],
)
def test_a_rate_turns_amber_after_four_working_days_and_red_after_ten(today: str, mark: str) -> None:
    assert freshness.rate_mark(day(FRIDAY), day(today), 4, 10) == mark


def test_a_price_is_stale_from_its_ninety_first_day_on() -> None:
    """1 September + 90 days = 30 November."""
    assert not freshness.is_older(day("2026-09-01"), day("2026-11-30"), 90)
    assert freshness.is_older(day("2026-09-01"), day("2026-12-01"), 90)
