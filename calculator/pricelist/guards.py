"""What is odd about the changes of a file: shown beside the line, or kept back until a second person agrees.

Thresholds are proposals of the design, all named here. A guard never changes a diff; it only speaks about it. Codes and
values are worded by presenters/pricelist_guards.py.
"""

import enum
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from calculator.models import ANY_REGION, CatalogItem, PriceRow
from calculator.pricelist.contract import Rate
from calculator.pricelist.known import Known
from calculator.pricelist.plan import Diff, Entry, PlannedPrice, PlannedRate
from calculator.pricelist.relations import Broken, Tables

WARN_PERCENT, BLOCK_PERCENT = 20, 50
FX_PERCENT = 5
NEAR = Decimal("0.05")
NEAR_INVERSE = Decimal("0.01")
INVERSE_FROM_PERCENT = 5
FACTORS = {"ten": Decimal(10), "thousand": Decimal(1000), "hours_of_a_month": Decimal(730)}
"""Slips of the unit: a shifted mark, tokens by the thousand, an hour for a month. Both directions count."""
UNUSUAL_ABOVE = {"mtok": Decimal(1_000), "instance_hour": Decimal(500), "instance_month": Decimal(300_000)}
"""Above this a price that has nothing to be compared with is pointed out."""


class Level(enum.StrEnum):
    """A block needs a second person and a reason; a warning is only shown."""

    BLOCK = "block"
    WARN = "warn"


Value = str | int | Decimal | float


@dataclass(frozen=True, slots=True)
class Guard:
    """One remark about one line."""

    line_no: int
    code: str
    level: Level
    values: Mapping[str, Value] = field(default_factory=dict)


def guards_of(diff: Diff, known: Known) -> tuple[Guard, ...]:
    """Every remark on a diff, in the order of its lines."""
    found: list[Guard] = []
    tables, rates = Tables(known, diff), RateDays(known, diff)
    for entry in diff.entries:
        for write in entry.writes:
            if isinstance(write, PlannedRate):
                found += rate_guards(entry, write.rate, rates)
            elif isinstance(write, PlannedPrice) and not write.restores and write.kind != PriceRow.Kind.WITHDRAWN:
                found += amount_guards(entry)
                found += twin_guards(entry, write, tables)
                found += unread_guards(entry, write)
    found += relation_guards(tables)
    return tuple(sorted(found, key=lambda guard: guard.line_no))


def needs_second_person(guards: Iterable[Guard]) -> bool:
    """Whether some line is kept back until somebody else has agreed and said why."""
    return any(guard.level is Level.BLOCK for guard in guards)


def amount_guards(entry: Entry) -> list[Guard]:
    """The change of one amount: too large, or the size of a usual slip."""
    old, new = entry.old, entry.new
    if new is None:
        return [] if old is None else [Guard(entry.line_no, "becomes_variable", Level.WARN)]
    if old is None:
        limit = UNUSUAL_ABOVE.get(entry.unit)
        values: Mapping[str, Value] = {"limit": limit or 0, "unit": entry.unit}
        return [Guard(entry.line_no, "unusual_amount", Level.WARN, values)] if limit and new > limit else []
    if not old:
        return [Guard(entry.line_no, "was_free", Level.BLOCK)]
    return slips(entry, old, new) or by_size(entry)


def by_size(entry: Entry) -> list[Guard]:
    """±20 % warns, ±50 % blocks."""
    percent = entry.percent or 0.0
    if abs(percent) > BLOCK_PERCENT:
        return [Guard(entry.line_no, "changes_over_half", Level.BLOCK, {"percent": percent})]
    if abs(percent) > WARN_PERCENT:
        return [Guard(entry.line_no, "changes_over_fifth", Level.WARN, {"percent": percent})]
    return []


def slips(entry: Entry, old: Decimal, new: Decimal) -> list[Guard]:
    """A factor of ten, a thousand or the hours of a month in either direction, or the inverse of the old amount."""
    if not new:
        return []
    ratio = max(new / old, old / new)
    for name, factor in FACTORS.items():
        if is_near(ratio, factor, NEAR):
            values: dict[str, Value] = {"factor": ratio, "direction": "up" if new > old else "down"}
            return [Guard(entry.line_no, f"factor_{name}", Level.BLOCK, values)]
    if abs(entry.percent or 0.0) > INVERSE_FROM_PERCENT and is_near(old * new, Decimal(1), NEAR_INVERSE):
        return [Guard(entry.line_no, "looks_inverted", Level.BLOCK, {"old": old, "new": new})]
    return []


def is_near(value: Decimal, goal: Decimal, tolerance: Decimal) -> bool:
    """Whether `value` is within `tolerance` (a ratio) of `goal`."""
    return abs(value / goal - 1) <= tolerance


def twin_guards(entry: Entry, write: PlannedPrice, tables: Tables) -> list[Guard]:
    """An hour at the price of the month, or a month at the price of the hour."""
    other = {"instance_hour": "instance_month", "instance_month": "instance_hour"}.get(entry.component)
    if other is None or not entry.new:
        return []
    amounts = [amount for amount in tables.amounts_of(write.key, other) if is_near(entry.new, amount, NEAR)]
    return [Guard(entry.line_no, f"looks_like_{other}", Level.BLOCK, {"amount": amount}) for amount in amounts[:1]]


def unread_guards(entry: Entry, write: PlannedPrice) -> list[Guard]:
    """A price that no calculator reads: in another currency than its like, of one region, or of some hours."""
    own = "EUR" if write.key.item_kind == CatalogItem.Kind.GPU_SKU else "USD"
    is_read = write.key.currency == own and write.key.region == ANY_REGION and write.key.window == PriceRow.Window.ALL
    return [] if is_read else [Guard(entry.line_no, "not_read", Level.WARN, {"currency": own})]


class RateDays:
    """The rates of each currency and source by day: those recorded, and those that the file adds."""

    def __init__(self, known: Known, diff: Diff) -> None:
        self.recorded = {place: {one.rate_date: one.rate for one in rates} for place, rates in known.rates.items()}
        self.all = {place: dict(days) for place, days in self.recorded.items()}
        for entry in diff.entries:
            for write in entry.writes:
                if isinstance(write, PlannedRate):
                    days = self.all.setdefault((write.rate.quote, write.rate.source), {})
                    days.setdefault(write.rate.rate_date, write.rate.rate)
        self.days = {place: sorted(days) for place, days in self.all.items()}

    def nearest(self, rate: Rate) -> Decimal | None:
        """The rate to compare with: of the same day as recorded, else of the last day before, else the first after."""
        place = (rate.quote, rate.source)
        if (same := self.recorded.get(place, {}).get(rate.rate_date)) is not None:
            return same
        days, index = self.days[place], bisect_left(self.days[place], rate.rate_date)
        if index:
            return self.all[place][days[index - 1]]
        return self.all[place][days[1]] if len(days) > 1 else None


def rate_guards(entry: Entry, rate: Rate, rates: RateDays) -> list[Guard]:
    """A rate upside down, or more than ±5 % from the rate of the day before (the day itself, where it is corrected)."""
    near = rates.nearest(rate)
    if near is None:
        return []
    percent = float((rate.rate - near) / near * 100)
    values: dict[str, Value] = {"quote": rate.quote, "rate": rate.rate, "before": near, "percent": percent}
    if abs(percent) > INVERSE_FROM_PERCENT and is_near(rate.rate * near, Decimal(1), 5 * NEAR_INVERSE):
        return [Guard(entry.line_no, "rate_inverted", Level.BLOCK, values)]
    if abs(percent) > FX_PERCENT:
        return [Guard(entry.line_no, "rate_jumps", Level.BLOCK, values)]
    return []


def relation_guards(tables: Tables) -> list[Guard]:
    """Relations between prices that the file breaks block; those that were broken before are only shown."""
    return [
        Guard(line_no, broken.code, Level.WARN if was_broken else Level.BLOCK, values_of(broken))
        for line_no, broken, was_broken in tables.broken()
    ]


def values_of(broken: Broken) -> Mapping[str, Value]:
    """What the sentence of a broken relation says."""
    return {"item": broken.item, "low": broken.low, "high": broken.high, "component": broken.component}
