"""Taking a version back as a new version. Nothing is deleted, and the days in between keep what was in force on them.

Prices of the version that have not begun are voided, planned ones that it had replaced are planned again; those in
force give way, from now on, to what held before the version. Rates of the version are voided. Columns of items and
data sheets go back to what the record says they were; items that the version brought are retired. Other names that it
brought stay: a name cannot point nowhere.
"""

import datetime as dt
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from calculator.models import CatalogItem, CatalogVersion, FxRate, PriceEvent, PriceRow, PriceUpload
from calculator.pricelist.columns import SHEETS
from calculator.pricelist.contract import FileKind
from calculator.pricelist.known import key_of
from calculator.pricelist.publish import Applied, announce, newest
from calculator.pricelist.refusals import ROLLBACK, VIEW_PRIVATE, Refused, reason_of, require
from calculator.pricelist.rowwriting import (
    ROWS_AT_ONCE,
    Change,
    amount_text,
    plain_amount,
    set_successor,
    stored,
    subject_of,
    void_rows,
)
from calculator.snapshots import PARIS, known_to

COPIED = (
    *("item", "component", "mode", "region", "context_over", "window", "audience", "kind", "amount", "currency"),
    *("unit", "tax_basis", "origin", "source_url", "checked_on", "note", "note_fr"),
)
RATE_COPIED = ("base", "quote", "rate", "rate_date", "source", "source_url", "published_at", "note", "note_fr")
NAMED_BY_SHEET = {kind.value for kind in SHEETS}
Place = tuple[int, str, str, str, int, str, str, str]


@dataclass(frozen=True, slots=True)
class Restored:
    """One price from now on: the row that gives way and the one that held before the version (None: nothing did)."""

    row: PriceRow
    earlier: PriceRow | None


@dataclass(frozen=True, slots=True)
class RollbackPlan:
    """What taking a version back would do. `touched` names what later versions changed too: to be confirmed by name."""

    version: CatalogVersion
    voided: tuple[PriceRow, ...]
    planned_again: tuple[PriceRow, ...]
    restored: tuple[Restored, ...]
    rates_voided: tuple[FxRate, ...]
    rates_again: tuple[FxRate, ...]
    items: tuple[PriceEvent, ...]
    touched: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to take back."""
        parts = (self.voided, self.planned_again, self.restored, self.rates_voided, self.rates_again, self.items)
        return not any(parts)

    @property
    def is_private(self) -> bool:
        """Whether private prices are concerned."""
        rows = (*self.voided, *self.planned_again, *(one.row for one in self.restored))
        return any(row.audience == "sales" for row in rows)


def place_of(row: PriceRow) -> Place:
    """What two rows share when one replaces the other."""
    return (
        row.item_id, row.component, row.mode, row.region, row.context_over, row.window, row.currency, row.audience
    )  # fmt: skip


def name_of(row: PriceRow) -> str:
    """A price as it is named to be confirmed, and in the record."""
    private = " (private)" if row.audience == "sales" else ""
    return f"{subject_of(key_of(row, row.item), row.item.code)}{private}"


def plan(version: CatalogVersion, now: dt.datetime | None = None) -> RollbackPlan:
    """What taking `version` back would do at `now`. Reads only."""
    now = now or timezone.now()
    rows = list(
        PriceRow.objects.filter(catalog_version=version, voided_in_version=None).select_related("item").order_by("id")
    )
    replaced = list(PriceRow.objects.filter(voided_in_version=version).select_related("item").order_by("id"))
    rates = list(FxRate.objects.filter(catalog_version=version, voided_in_version=None))
    items = _items(version)
    return RollbackPlan(
        version=version,
        voided=tuple(row for row in rows if row.valid_from > now),
        planned_again=tuple(row for row in replaced if row.valid_from > now and not _taken(row, version)),
        restored=_restored(version, rows, replaced, now),
        rates_voided=tuple(rates),
        rates_again=tuple(
            rate for rate in FxRate.objects.filter(voided_in_version=version) if not _given(rate, version)
        ),
        items=items,
        touched=_touched(version, [*rows, *replaced], rates, items),
    )


def _taken(row: PriceRow, version: CatalogVersion) -> bool:
    """Whether a later version planned the same price at the same start."""
    same = PriceRow.objects.filter(valid_from=row.valid_from, item=row.item_id, voided_in_version=None)
    return any(place_of(one) == place_of(row) for one in same.filter(catalog_version__gt=version))


def _given(rate: FxRate, version: CatalogVersion) -> bool:
    """Whether a later version gave the rate of the same day."""
    same = FxRate.objects.filter(quote=rate.quote, rate_date=rate.rate_date, source=rate.source)
    return same.filter(voided_in_version=None, catalog_version__gt=version).exists()


def _restored(
    version: CatalogVersion, rows: Sequence[PriceRow], replaced: Sequence[PriceRow], now: dt.datetime
) -> tuple[Restored, ...]:
    """For each price of the version that has begun, what held before it, where that is not in force anyway."""
    begun = {place_of(row) for row in (*rows, *replaced) if row.valid_from <= now}
    if not begun:
        return ()
    before = _in_force(begun, version.number - 1, now)
    current = _in_force(begun, newest(), now)
    return tuple(
        Restored(current[place], before.get(place))
        for place in sorted(begun & set(current))
        if not _same(current[place], before.get(place))
    )


def _in_force(places: Collection[Place], version: int, now: dt.datetime) -> dict[Place, PriceRow]:
    """The row in force at `now` of each price, as one version knows it."""
    items = {place[0] for place in places}
    found: dict[Place, PriceRow] = {}
    rows = known_to(PriceRow.objects.filter(item__in=items, valid_from__lte=now), version)
    for row in rows.select_related("item").order_by("valid_from", "id"):
        if place_of(row) in places:
            found[place_of(row)] = row
    return found


def _same(current: PriceRow, earlier: PriceRow | None) -> bool:
    if earlier is None:
        return current.kind == PriceRow.Kind.WITHDRAWN
    return (current.kind, current.amount) == (earlier.kind, earlier.amount)


def _items(version: CatalogVersion) -> tuple[PriceEvent, ...]:
    """What the record says of items and data sheets that the version changed or brought; other names are left out."""
    actions = (PriceEvent.Action.ITEM, PriceEvent.Action.SHEET)
    events = PriceEvent.objects.filter(version=version, action__in=actions).order_by("id")
    return tuple(event for event in events if not event.subject.endswith(" alias") and _goes_back(event))


def _goes_back(event: PriceEvent) -> bool:
    """Whether there is something to undo: a new data sheet stays, since nothing is deleted."""
    return event.action == PriceEvent.Action.ITEM or bool(event.before)


def _touched(
    version: CatalogVersion, rows: Iterable[PriceRow], rates: Iterable[FxRate], items: Iterable[PriceEvent]
) -> tuple[str, ...]:
    """What later versions changed too, by name and in order."""
    by_place = {place_of(row): name_of(row) for row in rows}
    later = Q(catalog_version__gt=version) | Q(voided_in_version__gt=version)
    found = {
        by_place[place_of(row)]
        for row in PriceRow.objects.filter(later, item__in={place[0] for place in by_place})
        if place_of(row) in by_place
    }
    days = {(rate.quote, rate.rate_date, rate.source): str(rate) for rate in rates}
    for rate in FxRate.objects.filter(later, rate_date__in={day for _quote, day, _source in days}):
        if (rate.quote, rate.rate_date, rate.source) in days:
            found.add(days[rate.quote, rate.rate_date, rate.source])
    subjects = {event.subject for event in items}
    changed = PriceEvent.objects.filter(version__gt=version, subject__in=subjects, action__in=("item", "sheet"))
    return tuple(sorted(found | set(changed.values_list("subject", flat=True))))


def rollback(
    version: CatalogVersion, by: User, reason: str, confirmed_keys: Collection[str] = (), request_id: str = ""
) -> Applied:
    """Take a version back as the next version. What later versions changed too must be named in `confirmed_keys`.

    A second request answers with the version of the first.
    """
    require(by, ROLLBACK)
    reason = reason_of(reason)
    if (done := _done(version)) is not None:
        return done
    base = newest()
    try:
        return Applied(_checked_and_written(version, by, reason, confirmed_keys, request_id, base))
    except (IntegrityError, Refused) as error:
        if (done := _done(version)) is not None:
            return done
        if isinstance(error, Refused):
            raise
        raise Refused("base_moved", base=base, version=newest()) from None


def _checked_and_written(
    version: CatalogVersion, by: User, reason: str, confirmed_keys: Collection[str], request_id: str, base: int
) -> CatalogVersion:
    if version.kind == CatalogVersion.Kind.SEED:
        raise Refused("seed_stays")
    now = timezone.now()
    planned = plan(version, now)
    if planned.is_private:
        require(by, VIEW_PRIVATE)
    if planned.is_empty:
        raise Refused("nothing_to_roll_back")
    if unconfirmed := tuple(sorted(set(planned.touched) - set(confirmed_keys))):
        raise Refused("touched_later", keys=unconfirmed)
    with transaction.atomic():
        if (current := newest()) != base:
            raise Refused("base_moved", base=base, version=current)
        return _written(planned, base + 1, by, now, reason, request_id)


def _done(version: CatalogVersion) -> Applied | None:
    later = CatalogVersion.objects.filter(rolls_back=version).first()
    return None if later is None else Applied(later, already=True)


def _written(
    planned: RollbackPlan, number: int, by: User, now: dt.datetime, reason: str, request_id: str
) -> CatalogVersion:
    made = CatalogVersion.objects.create(
        number=number,
        kind=CatalogVersion.Kind.ROLLBACK,
        created_by=by,
        rolls_back=planned.version,
        summary=f"rolls back v{planned.version.number}",
    )
    upload = PriceUpload.objects.filter(applied_version=planned.version).defer("content").first()
    audience = upload.audience if upload else "public"
    change = Change(by, made, now, audience, reason, request_id, upload)
    _prices(planned, change)
    _rates(planned, change)
    for event in planned.items:
        _undo(event, change)
    change.note(PriceEvent.Action.ROLLED_BACK, f"v{planned.version.number}")
    change.keep_events()
    PriceUpload.objects.filter(applied_version=planned.version).update(status=PriceUpload.Status.ROLLED_BACK)
    transaction.on_commit(lambda: announce(made))
    return made


def _prices(planned: RollbackPlan, change: Change) -> None:
    void_rows(PriceRow, [row.pk for row in planned.voided], change.version, change.reason)
    for row in planned.voided:
        _note_price(change, row, PriceEvent.Action.VOIDED, amount_text(row.kind, row.amount), "")
    rows = [copy(row, change.version, row.valid_from) for row in planned.planned_again]
    for one in planned.restored:
        rows.append(_restating(one, change))
        before = amount_text(one.row.kind, one.row.amount)
        _note_price(change, one.row, PriceEvent.Action.PRICE, before, amount_text(rows[-1].kind, rows[-1].amount))
    PriceRow.objects.bulk_create(rows, batch_size=ROWS_AT_ONCE)


def _note_price(change: Change, row: PriceRow, action: str, before: str, after: str) -> None:
    subject = subject_of(key_of(row, row.item), row.item.code)
    start = row.valid_from if action == PriceEvent.Action.VOIDED else change.at
    change.note(action, subject, before=before, after=after, valid_from=start, audience=row.audience)


def copy(row: PriceRow, version: CatalogVersion, start: dt.datetime, **values: Any) -> PriceRow:
    """A row like another, from `start` on, not stored yet."""
    same = {name: getattr(row, name) for name in COPIED}
    return PriceRow(**{**same, **values}, valid_from=start, catalog_version=version)


def _restating(one: Restored, change: Change) -> PriceRow:
    """What held before, from now on; a withdrawal where nothing did."""
    if one.earlier is not None:
        return copy(one.earlier, change.version, change.at)
    return copy(one.row, change.version, change.at, kind=PriceRow.Kind.WITHDRAWN.value, amount=None)


def _rates(planned: RollbackPlan, change: Change) -> None:
    void_rows(FxRate, [rate.pk for rate in planned.rates_voided], change.version, change.reason)
    for rate in planned.rates_voided:
        subject = f"EUR/{rate.quote} {rate.rate_date} {rate.source}"
        change.note(PriceEvent.Action.VOIDED, subject, before=plain_amount(rate.rate))
    again = [
        FxRate(**{name: getattr(rate, name) for name in RATE_COPIED}, catalog_version=change.version)
        for rate in planned.rates_again
    ]
    for rate in again:
        subject = f"EUR/{rate.quote} {rate.rate_date} {rate.source}"
        change.note(PriceEvent.Action.RATE, subject, after=plain_amount(rate.rate))
    FxRate.objects.bulk_create(again, batch_size=ROWS_AT_ONCE)


def _undo(event: PriceEvent, change: Change) -> None:
    """One item or data sheet back to what it was; an item that did not exist is retired today."""
    kind, _space, name = event.subject.partition(" ")
    before: Mapping[str, Any] | None = json.loads(event.before) if event.before else None
    if kind in NAMED_BY_SHEET:
        SHEETS[FileKind(kind)]._default_manager.filter(name=name).update(**(before or {}))
    elif before is None:
        today = change.at.astimezone(PARIS).date()
        CatalogItem.objects.filter(kind=kind, code=name).update(status=CatalogItem.Status.RETIRED, retired_on=today)
    else:
        _restore_item(kind, name, before)
    change.note(event.action, event.subject, before=event.after, after=event.before or "retired")


def _restore_item(kind: str, code: str, before: Mapping[str, Any]) -> None:
    columns = {name: value for name, value in before.items() if name != "replaced_by"}
    if columns:
        CatalogItem.objects.filter(kind=kind, code=code).update(**stored(columns))
    if "replaced_by" in before:
        set_successor(kind, code, before["replaced_by"])
