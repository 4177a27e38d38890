"""Writes what a diff plans, and a record of each change, inside the transaction of the caller."""

import datetime as dt
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import User
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Max

from calculator import requestid
from calculator.models import CatalogItem, CatalogVersion, FxRate, Gpu, ItemAlias, PriceEvent, PriceRow, PriceUpload
from calculator.pricelist.columns import SHEETS
from calculator.pricelist.contract import FileKind
from calculator.pricelist.plan import (
    Diff,
    Entry,
    PlannedAlias,
    PlannedItem,
    PlannedPrice,
    PlannedRate,
    PlannedSheet,
    PriceKey,
)

ROWS_AT_ONCE = 1_000
LAST_POSITION = 32_767
REPLACED = "replaced by a later price list"


@dataclass(slots=True)
class Change:
    """Who changes what, why and from when on: shared by every row and every event of one step."""

    by: User
    version: CatalogVersion
    at: dt.datetime
    audience: str
    reason: str = ""
    request_id: str = ""
    upload: PriceUpload | None = None
    events: list[PriceEvent] = field(default_factory=list)

    def note(self, action: str, subject: str, **values: Any) -> None:
        """One line of the record, stored with the others by `keep_events`."""
        shared = {
            "audience": self.audience,
            "reason": self.reason,
            "request_id": self.request_id or requestid.current(),
        }
        self.events.append(
            PriceEvent(
                actor=self.by,
                action=action,
                upload=self.upload,
                version=self.version,
                subject=subject[:300],
                **{**shared, **values},
            )
        )

    def keep_events(self) -> None:
        """Store the record."""
        PriceEvent.objects.bulk_create(self.events, batch_size=ROWS_AT_ONCE)


def subject_of(key: PriceKey, code: str) -> str:
    """A price in words of the catalogue: code, component and conditions; the usual ones are left out."""
    over = f" over {key.context_over}" if key.context_over else ""
    region = "" if key.region == "*" else f" {key.region}"
    window = "" if key.window == PriceRow.Window.ALL else f" {key.window}"
    return f"{code} {key.component} {key.mode}{over}{region}{window} {key.currency}"


def plain_amount(amount: Decimal | None) -> str:
    """An amount as the record writes it: a plain number, "" for none."""
    return "" if amount is None else f"{amount.normalize():f}"


def amount_text(kind: str, amount: Decimal | None) -> str:
    """A price as the record writes it: a plain number, "free", "variable" or "withdrawn"."""
    return plain_amount(amount) if kind == PriceRow.Kind.PRICE else kind


def write(diff: Diff, change: Change) -> None:
    """Everything that the diff plans: items first, then what refers to them, then the record."""
    writes = [(entry, planned) for entry in diff.entries for planned in entry.writes]
    _sheets([planned for _entry, planned in writes if isinstance(planned, PlannedSheet)], change)
    _items([planned for _entry, planned in writes if isinstance(planned, PlannedItem)], change)
    items = {(item.kind, item.code.casefold()): item for item in CatalogItem.objects.all()}
    _aliases([planned for _entry, planned in writes if isinstance(planned, PlannedAlias)], items, change)
    _void(diff.entries, change)
    _prices([(entry, one) for entry, one in writes if isinstance(one, PlannedPrice)], items, change)
    _rates([(entry, one) for entry, one in writes if isinstance(one, PlannedRate)], change)


def told(values: Mapping[str, Any] | None) -> str:
    """Columns as the record keeps them: JSON, from which a rollback restores them."""
    return "" if values is None else json.dumps(dict(values), cls=DjangoJSONEncoder, ensure_ascii=False)


def _sheets(planned: Iterable[PlannedSheet], change: Change) -> None:
    listed = list(planned)
    for kind, model in SHEETS.items():
        rows: list[Any] = [
            model(name=one.name, **one.values) for one in listed if one.kind == kind and one.before is None
        ]
        if rows:
            model._default_manager.bulk_create(rows, batch_size=ROWS_AT_ONCE)
    for sheet in listed:
        if sheet.before is not None:
            SHEETS[FileKind(sheet.kind)]._default_manager.filter(name=sheet.name).update(**sheet.values)
        subject = f"{sheet.kind} {sheet.name}"
        change.note(PriceEvent.Action.SHEET, subject, before=told(sheet.before), after=told(sheet.values))


def _items(planned: Iterable[PlannedItem], change: Change) -> None:
    """Items without their successors, then the successors: a file may name one that it brings itself."""
    listed = list(planned)
    CatalogItem.objects.bulk_create(
        _new_items((one for one in listed if one.before is None), change.version), batch_size=ROWS_AT_ONCE
    )
    for one in listed:
        values = without_successor(one.values)
        if one.before is not None and values:
            CatalogItem.objects.filter(kind=one.item_kind, code=one.code).update(**stored(values))
        subject = f"{one.item_kind} {one.code}"
        change.note(PriceEvent.Action.ITEM, subject, before=told(one.before), after=told(one.values))
    for one in listed:
        if "replaced_by" in one.values:
            set_successor(one.item_kind, one.code, one.values["replaced_by"])


def without_successor(values: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of an item that name no other one."""
    return {name: value for name, value in values.items() if name != "replaced_by"}


def stored(values: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of an item as its table takes them: a GPU by its sheet."""
    found = dict(values)
    if "gpu" in found:
        found["gpu"] = None if found["gpu"] is None else Gpu.objects.get(name=found["gpu"])
    return found


def set_successor(kind: str, code: str, successor: str | None) -> None:
    """Name what replaces an item, by its code in any case."""
    found = None if successor is None else CatalogItem.objects.get(kind=kind, code__iexact=successor)
    CatalogItem.objects.filter(kind=kind, code=code).update(replaced_by=found)


def _new_items(planned: Iterable[PlannedItem], version: CatalogVersion) -> Iterator[CatalogItem]:
    """The items that a file brings, each behind the last one of its kind; no query for each."""
    last = dict(CatalogItem.objects.order_by().values_list("kind").annotate(Max("position")))
    gpus = Gpu.objects.in_bulk(field_name="name")
    for one in planned:
        last[one.item_kind] = min(last.get(one.item_kind, 0) + 1, LAST_POSITION)
        values = without_successor(one.values)
        if values.get("gpu") is not None:
            values["gpu"] = gpus[values["gpu"]]
        yield CatalogItem(
            kind=one.item_kind, code=one.code, position=last[one.item_kind], catalog_version=version, **values
        )


def _aliases(planned: Iterable[PlannedAlias], items: Mapping[tuple[str, str], CatalogItem], change: Change) -> None:
    rows = []
    for one in planned:
        item = items[one.item_kind, one.code.casefold()]
        start = one.valid_from or change.at
        rows.append(ItemAlias(item=item, alias=one.alias, valid_from=start, catalog_version=change.version))
        change.note(PriceEvent.Action.ITEM, f"{item.kind} {item.code} alias", after=one.alias, valid_from=start)
    ItemAlias.objects.bulk_create(rows, batch_size=ROWS_AT_ONCE)


def _void(entries: Iterable[Entry], change: Change) -> None:
    """The planned prices (and the rates) that give way to lines of the file."""
    listed = list(entries)
    rates = [row for entry in listed if entry.component == "rate" for row in entry.voids]
    prices = [row for entry in listed if entry.component != "rate" for row in entry.voids]
    void_rows(PriceRow, prices, change.version, REPLACED)
    void_rows(FxRate, rates, change.version, REPLACED)


def void_rows(model: type[PriceRow] | type[FxRate], ids: list[int], version: CatalogVersion, reason: str) -> None:
    """Mark rows as voided from a version on."""
    for start in range(0, len(ids), ROWS_AT_ONCE):
        model._default_manager.filter(pk__in=ids[start : start + ROWS_AT_ONCE]).update(
            voided_in_version=version, void_reason=reason[:300]
        )


def _prices(
    planned: list[tuple[Entry, PlannedPrice]], items: Mapping[tuple[str, str], CatalogItem], change: Change
) -> None:
    rows = []
    for entry, one in planned:
        item = items[one.key.item_kind, one.key.code]
        row = price_row(one, item, change.version, change.at, change.audience)
        rows.append(row)
        change.note(
            PriceEvent.Action.PRICE,
            subject_of(one.key, item.code),
            before="" if one.restores else plain_amount(entry.old),
            after=amount_text(one.kind, one.amount),
            valid_from=row.valid_from,
        )
    PriceRow.objects.bulk_create(rows, batch_size=ROWS_AT_ONCE)


def price_row(
    one: PlannedPrice, item: CatalogItem, version: CatalogVersion, at: dt.datetime, audience: str
) -> PriceRow:
    """A planned price as a row that is not stored yet; without a start of its own it begins at `at`."""
    price, private = one.price, audience == "sales"
    return PriceRow(
        item=item,
        component=one.key.component,
        mode=one.key.mode,
        region=one.key.region,
        context_over=one.key.context_over,
        window=one.key.window,
        audience=audience,
        kind=one.kind,
        amount=one.amount,
        currency=one.key.currency,
        unit=price.unit,
        valid_from=one.valid_from or at,
        origin=PriceRow.Origin.NEGOTIATED if private else price.origin,
        source_url=price.source_url,
        checked_on=price.checked_on or at.date(),
        note=price.note,
        note_fr=price.note_fr,
        catalog_version=version,
    )


def _rates(planned: list[tuple[Entry, PlannedRate]], change: Change) -> None:
    rows = []
    for entry, one in planned:
        rate = one.rate
        rows.append(
            FxRate(
                quote=rate.quote,
                rate=rate.rate,
                rate_date=rate.rate_date,
                source=rate.source,
                source_url=rate.source_url,
                note=rate.note,
                note_fr=rate.note_fr,
                catalog_version=change.version,
            )
        )
        subject = f"EUR/{rate.quote} {rate.rate_date} {rate.source}"
        change.note(PriceEvent.Action.RATE, subject, before=plain_amount(entry.old), after=plain_amount(rate.rate))
    FxRate.objects.bulk_create(rows, batch_size=ROWS_AT_ONCE)
