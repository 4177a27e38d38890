"""What the pages about prices read: history, changes, what is stale. Re-exported by catalog.py."""

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from calculator import staleness
from calculator.models import ANY_REGION, CatalogItem, CatalogVersion, PriceRow
from calculator.snapshots import (
    KINDS,
    NAME_OF_KIND,
    PARIS,
    Snapshot,
    current_rows,
    is_retired,
    item_called,
    label_of,
    newest_number,
    note_of,
    snapshot,
    without_trailing_zeros,
)


@dataclass(frozen=True, slots=True)
class PricePoint:
    """One recorded price. `valid_until` = the next start of the same key; `amount` None = variable, or withdrawn from
    then on."""

    component: str
    mode: str
    context_over_tokens: int
    currency: str
    unit: str
    amount: Decimal | None
    is_free: bool
    valid_from: dt.datetime
    valid_until: dt.datetime | None
    in_force: bool
    version: int
    source_url: str
    checked_on: dt.date
    note: str
    region: str = ANY_REGION
    window: str = PriceRow.Window.ALL.value
    is_variable: bool = False

    @property
    def is_sold(self) -> bool:
        """Whether this is a price at all, a free or a variable one included, and no withdrawal."""
        return self.amount is not None or self.is_variable


@dataclass(frozen=True, slots=True)
class StalePrice:
    """A price in force that nobody has checked for a while."""

    kind: str
    code: str
    label: str
    component: str
    mode: str
    checked_on: dt.date
    age_days: int
    is_out_of_quotes: bool = False


@dataclass(frozen=True, slots=True)
class PriceChange:
    """What starts at one instant for one item, mode and context tier: (component, amount before, amount after).

    `varying` are the components whose price is not known beforehand from then on; without an amount after, the others
    are withdrawn.
    """

    kind: str
    code: str
    label: str
    mode: str
    context_over_tokens: int
    currency: str
    valid_from: dt.datetime
    version: int
    amounts: tuple[tuple[str, Decimal | None, Decimal | None], ...]
    varying: frozenset[str] = frozenset()


def key_of(row: PriceRow) -> tuple[str, str, str, int, str, str]:
    """What two rows share when the later one replaces the earlier."""
    return (row.component, row.mode, row.region, row.context_over, row.window, row.currency)


def amount_of(row: PriceRow | None) -> Decimal | None:
    """A row's amount as it would be written; None for a withdrawal or no row."""
    return None if row is None or row.amount is None else without_trailing_zeros(row.amount)


def successors(rows: Iterable[PriceRow]) -> Mapping[int, PriceRow]:
    """For each row the next start of the same key, by the row's id; `rows` in order of start."""
    latest: dict[tuple[str, str, str, int, str, str], PriceRow] = {}
    following: dict[int, PriceRow] = {}
    for row in rows:
        if (earlier := latest.get(key_of(row))) is not None:
            following[earlier.pk] = row
        latest[key_of(row)] = row
    return following


def point_of(row: PriceRow, following: PriceRow | None, at: dt.datetime) -> PricePoint:
    """One row of a history."""
    until = following.valid_from if following else None
    return PricePoint(
        component=row.component,
        mode=row.mode,
        context_over_tokens=row.context_over,
        currency=row.currency,
        unit=row.unit,
        amount=amount_of(row),
        is_free=row.kind == PriceRow.Kind.FREE,
        valid_from=row.valid_from,
        valid_until=until,
        in_force=row.valid_from <= at and (until is None or at < until),
        version=row.catalog_version_id,
        source_url=row.source_url,
        checked_on=row.checked_on,
        note=note_of(row),
        region=row.region,
        window=row.window,
        is_variable=row.kind == PriceRow.Kind.VARIABLE,
    )


def price_history(kind: str, code: str, version: int, at: dt.datetime) -> tuple[PricePoint, ...]:
    """Every price of one item that the version knows, newest start first; `kind` is one of KINDS, else NotFound."""
    known = snapshot(version)
    item = item_called(known, KINDS[kind], code, at)
    rows = known.rows.get(item.pk, ())
    following = successors(rows)
    newest_first = sorted(rows, key=lambda row: (row.valid_from, row.pk), reverse=True)
    return tuple(point_of(row, following.get(row.pk), at) for row in newest_first)


def prices_in_force(version: int, at: dt.datetime) -> tuple[tuple[str, str, PricePoint], ...]:
    """Kind, code and price of all that the version sells at the instant, in catalogue order; retired items sell
    nothing."""
    return tuple(
        (NAME_OF_KIND[item.kind], item.code, point)
        for item in snapshot(version).items
        if not is_retired(item, at)
        for point in price_history(NAME_OF_KIND[item.kind], item.code, version, at)
        if point.in_force and point.is_sold
    )


def snapshot_or_newest(version: int | None) -> Snapshot | None:
    """The content of `version`, or of the newest where none is named; None in an empty catalogue."""
    number = newest_number() if version is None else version
    return None if number is None else snapshot(number)


def stale_prices(now: dt.datetime, version: int | None = None) -> tuple[StalePrice, ...]:
    """Prices in force, of items not retired, not checked for longer than the settings allow; the oldest first."""
    known, today = snapshot_or_newest(version), now.astimezone(PARIS).date()
    if known is None:
        return ()
    found = [
        StalePrice(
            kind=NAME_OF_KIND[item.kind],
            code=item.code,
            label=label_of(item),
            component=row.component,
            mode=row.mode,
            checked_on=row.checked_on,
            age_days=(today - row.checked_on).days,
            is_out_of_quotes=staleness.is_out_of_quotes(row.checked_on, today),
        )
        for item in known.items
        if not is_retired(item, now)
        for row in current_rows(known, item, now).values()
    ]
    old = (price for price in found if staleness.is_stale_price(price.checked_on, today))
    return tuple(sorted(old, key=lambda price: price.checked_on))


def latest_changes(limit: int, version: int | None = None) -> tuple[PriceChange, ...]:
    """The newest starts that a version (the newest unless named) knows, each with what stood before; announced ones
    included."""
    known = snapshot_or_newest(version)
    if known is None:
        return ()
    groups: dict[tuple[int, str, int, str, dt.datetime], list[tuple[PriceRow | None, PriceRow]]] = {}
    for rows in known.rows.values():
        latest: dict[tuple[str, str, str, int, str, str], PriceRow] = {}
        for row in rows:
            group = (row.item_id, row.mode, row.context_over, row.currency, row.valid_from)
            groups.setdefault(group, []).append((latest.get(key_of(row)), row))
            latest[key_of(row)] = row
    newest = sorted(groups.values(), key=lambda pairs: (pairs[0][1].valid_from, pairs[0][1].pk), reverse=True)
    items = {item.pk: item for item in known.items}
    return tuple(change_of(pairs, items[pairs[0][1].item_id]) for pairs in newest[:limit])


def change_of(pairs: list[tuple[PriceRow | None, PriceRow]], item: CatalogItem) -> PriceChange:
    """One change from its rows, each with the row that stood before."""
    row = pairs[0][1]
    return PriceChange(
        kind=NAME_OF_KIND[item.kind],
        code=item.code,
        label=label_of(item),
        mode=row.mode,
        context_over_tokens=row.context_over,
        currency=row.currency,
        valid_from=row.valid_from,
        version=row.catalog_version_id,
        amounts=tuple((after.component, amount_of(before), amount_of(after)) for before, after in pairs),
        varying=frozenset(after.component for _before, after in pairs if after.kind == PriceRow.Kind.VARIABLE),
    )


def rate_mark(rate_date: dt.date, at: dt.datetime) -> str:
    """How old an exchange rate is on the day of `at` in Paris: "", "amber" or "red"."""
    return staleness.rate_mark(rate_date, at.astimezone(PARIS).date())


def versions() -> tuple[CatalogVersion, ...]:
    """The catalogue's versions, newest first."""
    return tuple(CatalogVersion.objects.order_by("-number"))
