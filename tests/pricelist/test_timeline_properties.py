"""Laying lines over the life of one price, against a plain day-by-day account of the same lines."""

import datetime as dt
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from calculator.models import CatalogItem
from calculator.pricelist.diff import price_key
from calculator.pricelist.known import Start
from calculator.pricelist.plan import Verdict
from calculator.pricelist.timeline import Timeline
from tests.pricelist.linefactory import file, price

NOW = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)
DAYS = 40


def day(number: int) -> dt.datetime:
    return NOW + dt.timedelta(days=number)


# Day, amount in cents, and the days that a promotion lasts (None: for good); one line a day at most.
LINES = st.lists(
    st.tuples(st.integers(1, DAYS), st.integers(1, 9), st.none() | st.integers(1, 5)),
    max_size=12,
    unique_by=lambda line: line[0],
)
RECORDED = st.dictionaries(st.integers(-3, DAYS), st.integers(1, 9), max_size=6)


@given(RECORDED, LINES)
def test_after_a_line_each_day_has_the_price_that_a_calendar_would_show(
    recorded: dict[int, int], lines: list[tuple[int, int, int | None]]
) -> None:
    starts = [Start(day(at), "price", Decimal(cents), row) for row, (at, cents) in enumerate(sorted(recorded.items()))]
    sample = price("GPU-PRO", "instance_hour", "1")
    timeline = Timeline(price_key((CatalogItem.Kind.GPU_SKU, "gpu-pro"), sample), starts, NOW, NOW)
    calendar = {number: _calendar(recorded, number) for number in range(-3, DAYS + 10)}
    for at, cents, lasts in sorted(lines):
        until = None if lasts is None else day(at + lasts)
        content = price("GPU-PRO", "instance_hour", str(cents), valid_from=day(at), valid_until=until)
        [line] = file(content).lines
        before = list(timeline.starts)
        told = timeline.lay(line, content)
        assert timeline.starts == sorted(timeline.starts, key=lambda one: one.valid_from)
        if told.verdict in (Verdict.ERROR, Verdict.UNCHANGED):
            assert timeline.starts == before
            continue
        next_start = min((_number(one) for one in before if _number(one) > at), default=DAYS + 10)
        end = next_start if lasts is None else at + lasts
        calendar.update({number: Decimal(cents) for number in range(at, min(end, DAYS + 10))})
        found = {number: timeline.in_force(day(number)) for number in calendar}
        assert {number: one and one.amount for number, one in found.items()} == calendar


def _number(start: Start) -> int:
    return (start.valid_from - NOW).days


def _calendar(recorded: dict[int, int], number: int) -> Decimal | None:
    begun = [at for at in recorded if at <= number]
    return Decimal(recorded[max(begun)]) if begun else None
