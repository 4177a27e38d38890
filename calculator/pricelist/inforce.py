"""What a version holds at an instant, read for files and comparisons: prices by their whole key, names, rates."""

import datetime as dt
from collections.abc import Mapping

from calculator.ledger import key_of
from calculator.models import CatalogItem, FxRate, ItemAlias, PriceRow
from calculator.snapshots import Snapshot, snapshot

RowKey = tuple[str, str, str, int, str, str]
"""Component, mode, region, context tier, window, currency."""


def current_at(known: Snapshot, item: CatalogItem, at: dt.datetime) -> Mapping[RowKey, PriceRow]:
    """The newest started row of each key, withdrawals included."""
    newest: dict[RowKey, PriceRow] = {}
    for row in known.rows.get(item.pk, ()):
        if row.valid_from <= at:
            newest[key_of(row)] = row
    return newest


def prices_at(known: Snapshot, item: CatalogItem, at: dt.datetime) -> tuple[PriceRow, ...]:
    """The prices in force, then the planned ones in order of start; what is withdrawn is left out."""
    standing = [row for row in current_at(known, item, at).values() if row.kind != PriceRow.Kind.WITHDRAWN]
    planned = [row for row in known.rows.get(item.pk, ()) if row.valid_from > at]
    return (*standing, *planned)


def aliases_at(version: int, at: dt.datetime) -> Mapping[int, tuple[str, ...]]:
    """The other names of each item that hold at an instant."""
    holder: dict[str, int] = {}
    started = ItemAlias.objects.filter(catalog_version__lte=version, valid_from__lte=at)
    for alias in started.order_by("valid_from", "id"):
        holder[alias.alias] = alias.item_id
    names: dict[int, tuple[str, ...]] = {}
    for name, item in sorted(holder.items()):
        names[item] = (*names.get(item, ()), name)
    return names


def rates_of(version: int) -> tuple[FxRate, ...]:
    """Every exchange rate that a version knows, the newest day first."""
    return tuple(sorted(snapshot(version).rates, key=lambda rate: (rate.rate_date, rate.source), reverse=True))
