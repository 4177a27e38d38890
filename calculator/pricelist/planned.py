"""Prices that have not begun: cancelled, moved to another instant. Each step is a version of its own."""

import datetime as dt
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from calculator.models import CatalogVersion, PriceEvent, PriceRow
from calculator.pricelist.known import key_of
from calculator.pricelist.publish import announce, newest
from calculator.pricelist.refusals import APPLY, ROLLBACK, Refused, reason_of, require, rights_for
from calculator.pricelist.rollback import copy
from calculator.pricelist.rowwriting import Change, amount_text, subject_of, void_rows


def void(row: PriceRow, by: User, reason: str, request_id: str = "") -> CatalogVersion:
    """Cancel a planned price. Refused once it has begun or is cancelled already."""
    require(by, *rights_for(row.audience, ROLLBACK))
    return _replaced(row, None, by, reason_of(reason), request_id)


def move(row: PriceRow, start: dt.datetime, by: User, reason: str, request_id: str = "") -> CatalogVersion:
    """Let a planned price begin at another instant to come: voided and planned again in one step."""
    require(by, *rights_for(row.audience, APPLY))
    if start <= timezone.now():
        raise Refused("start_in_the_past")
    return _replaced(row, start, by, reason_of(reason), request_id)


def _replaced(row: PriceRow, start: dt.datetime | None, by: User, reason: str, request_id: str) -> CatalogVersion:
    """One version that voids the row and, with a start, plans it again."""
    base = newest()
    try:
        with transaction.atomic():
            fresh = PriceRow.objects.select_related("item").get(pk=row.pk)
            if fresh.voided_in_version_id is not None or fresh.valid_from <= timezone.now():
                raise Refused("not_planned")
            return _written(fresh, start, Step(by, reason, request_id, base))
    except IntegrityError:
        raise Refused("base_moved", base=base, version=newest()) from None


@dataclass(frozen=True, slots=True)
class Step:
    """Who, why, and on which version."""

    by: User
    reason: str
    request_id: str
    base: int


def _written(row: PriceRow, start: dt.datetime | None, step: Step) -> CatalogVersion:
    said = "1 planned price cancelled" if start is None else "1 planned price moved"
    version = CatalogVersion.objects.create(
        number=step.base + 1, kind=CatalogVersion.Kind.APPLY, created_by=step.by, summary=said
    )
    change = Change(step.by, version, timezone.now(), row.audience, step.reason, step.request_id)
    subject, amount = subject_of(key_of(row, row.item), row.item.code), amount_text(row.kind, row.amount)
    void_rows(PriceRow, [row.pk], version, step.reason)
    change.note(PriceEvent.Action.VOIDED, subject, before=amount, valid_from=row.valid_from)
    if start is not None:
        copy(row, version, start).save(force_insert=True)
        change.note(PriceEvent.Action.PRICE, subject, after=amount, valid_from=start)
    change.keep_events()
    transaction.on_commit(lambda: announce(version))
    return version
