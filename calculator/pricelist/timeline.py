"""The lines of one price against its recorded starts: what is in force, what a promotion restores, what gives way.

A line is a patch: whatever it does not mention stays. A start that lies in the future and is planned again gives way
to the line; one that has begun cannot, whoever asks.
"""

import datetime as dt
from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from operator import attrgetter

from calculator.models import PriceRow
from calculator.pricelist.contract import LineProblem, ParsedLine, Price, Severity
from calculator.pricelist.known import Start
from calculator.pricelist.plan import Entry, PlannedPrice, PriceKey, Verdict, percent_of

WITHDRAWN = PriceRow.Kind.WITHDRAWN.value
BY_START = attrgetter("valid_from")


@dataclass(slots=True)
class Timeline:
    """The life of one price while the lines of a file are laid over it. `reference` = the public price, if private.

    Lines without a start begin at `at`; whatever begins before `now` is the past. `starts` stay in order of their
    instants, so that each line is placed by halving: a file may hold tens of thousands of starts of one price.
    """

    key: PriceKey
    starts: list[Start]
    at: dt.datetime
    now: dt.datetime
    reference: Sequence[Start] = ()
    problems: list[LineProblem] = field(default_factory=list)

    def in_force(self, moment: dt.datetime) -> Start | None:
        """The latest start not after `moment`; a withdrawal counts as a start."""
        return latest(self.starts, moment)

    def wrong(
        self, line: ParsedLine, column: str, code: str, severity: Severity = Severity.ERROR, **values: str
    ) -> None:
        """Note a problem of one line."""
        self.problems.append(LineProblem(line.line_no, column, code, values, severity))

    def lay(self, line: ParsedLine, price: Price) -> Entry:
        """Compare one line, lay it over the starts, and say what it would write."""
        start = price.valid_from or self.at
        current = self.in_force(start)
        between = self._between(start, price.valid_until)
        if not between and (current is None or current.kind == WITHDRAWN) and price.kind == WITHDRAWN:
            self.wrong(line, "kind", "nothing_to_withdraw", Severity.WARNING)
            return self._entry(line, price, Verdict.UNCHANGED, current)
        if not between and current is not None and (current.kind, current.amount) == (price.kind, price.amount):
            return self._entry(line, price, Verdict.UNCHANGED, current)
        giving_way = [*self._same_start(start), *between]
        if self._cannot(line, price, start, giving_way):
            return self._entry(line, price, Verdict.ERROR, current)
        writes = self._writes(price, start)
        self._replace(giving_way, writes)
        verdict = _verdict(current, price)
        voids = tuple(one.row for one in giving_way if one.row is not None)
        return self._entry(line, price, verdict, current, writes, voids)

    def _same_start(self, start: dt.datetime) -> list[Start]:
        first, end = bisect_left(self.starts, start, key=BY_START), bisect_right(self.starts, start, key=BY_START)
        return self.starts[first:end]

    def _between(self, start: dt.datetime, until: dt.datetime | None) -> list[Start]:
        """What begins while the line's own price is to hold."""
        if until is None:
            return []
        first, end = bisect_right(self.starts, start, key=BY_START), bisect_left(self.starts, until, key=BY_START)
        return self.starts[first:end]

    def _cannot(self, line: ParsedLine, price: Price, start: dt.datetime, giving_way: Sequence[Start]) -> bool:
        """Note what stands in the way of the line; True where something does."""
        if price.valid_until is not None and price.valid_until <= start:
            self.wrong(line, "valid_until", "ends_before_application")
            return True
        begun = [one for one in giving_way if one.row is not None and one.valid_from <= self.now]
        own = [one for one in giving_way if one.row is None]
        if begun or own:
            code = "start_taken" if any(one.valid_from == start for one in (*begun, *own)) else "price_inside_period"
            self.wrong(line, "valid_from", code, start=(*begun, *own)[0].valid_from.isoformat())
            return True
        return False

    def _writes(self, price: Price, start: dt.datetime) -> tuple[PlannedPrice, ...]:
        """The line's own row, and after a promotion the one that restores what stood there before."""
        own = PlannedPrice(self.key, price.kind, price.amount, price.valid_from, price)
        until = price.valid_until
        if until is None or self._same_start(until):
            return (own,)
        before = self.in_force(until)
        kind, amount = (WITHDRAWN, None) if before is None else (before.kind, before.amount)
        return own, PlannedPrice(self.key, kind, amount, until, price, restores=True)

    def _replace(self, giving_way: Sequence[Start], writes: Sequence[PlannedPrice]) -> None:
        if giving_way:
            first = bisect_left(self.starts, giving_way[0].valid_from, key=BY_START)
            del self.starts[first : first + len(giving_way)]
        for one in writes:
            insort(self.starts, Start(one.valid_from or self.at, one.kind, one.amount, None), key=BY_START)

    def _entry(
        self,
        line: ParsedLine,
        price: Price,
        verdict: Verdict,
        current: Start | None,
        writes: tuple[PlannedPrice, ...] = (),
        voids: tuple[int, ...] = (),
    ) -> Entry:
        start = price.valid_from or self.at
        old = current or latest(self.reference, start)
        amount: Decimal | None = None if old is None else old.amount
        return Entry(
            line_no=line.line_no,
            raw=line.raw,
            verdict=verdict,
            item=price.code,
            component=price.component,
            mode=price.mode,
            context_over=price.context_over,
            currency=price.currency,
            unit=price.unit,
            valid_from=price.valid_from,
            old=amount,
            new=price.amount,
            percent=percent_of(amount, price.amount),
            current_row=None if current is None else current.row,
            is_backdated=bool(writes) and start < self.now,
            writes=writes,
            voids=voids,
            old_kind="" if old is None else old.kind,
            new_kind=price.kind,
        )


def latest(starts: Sequence[Start], moment: dt.datetime) -> Start | None:
    """The latest start not after `moment`, of starts in order."""
    place = bisect_right(starts, moment, key=BY_START)
    return starts[place - 1] if place else None


def _verdict(current: Start | None, price: Price) -> Verdict:
    if price.kind == WITHDRAWN:
        return Verdict.WITHDRAWN
    return Verdict.NEW if current is None or current.kind == WITHDRAWN else Verdict.CHANGED
