"""What the pages of price lists read. Whoever may not see private prices is not told that there are any."""

import datetime as dt
from collections.abc import Iterator, Sequence

from django.db.models import OuterRef, QuerySet, Subquery

from calculator.ledger import key_of
from calculator.models import Audience, CatalogVersion, PriceEvent, PriceRow, PriceUpload, PriceUploadLine

UPLOADS_SHOWN = 20
LINES_A_PAGE = 200
EVENTS_AT_ONCE = 2_000
BYTES = "content"


def uploads(audiences: Sequence[str], limit: int = UPLOADS_SHOWN) -> list[PriceUpload]:
    """The newest files that are not applied yet, then rejected ones; without their bytes."""
    open_ones = (PriceUpload.Status.DRAFT, PriceUpload.Status.VALIDATED, PriceUpload.Status.REJECTED)
    found = PriceUpload.objects.filter(audience__in=audiences, status__in=open_ones).defer(BYTES)
    return list(found.select_related("uploaded_by", "approved_by")[:limit])


def upload(pk: int, audiences: Sequence[str]) -> PriceUpload | None:
    """One file that may be seen; None otherwise."""
    people = ("uploaded_by", "approved_by", "applied_by", "applied_version", "base_version")
    return PriceUpload.objects.filter(pk=pk, audience__in=audiences).select_related(*people).first()


def lines(shown: PriceUpload) -> "QuerySet[PriceUploadLine]":
    """The lines of a file that change something or are wrong, in the order of the file."""
    return shown.lines.select_related("current_row").order_by("line_no", "id")


def versions(audiences: Sequence[str], limit: int | None = None) -> list[CatalogVersion]:
    """Catalogue versions, the newest first, with who made them, from which file, and why (`recorded_reason`)."""
    why = PriceEvent.objects.filter(version=OuterRef("pk"), audience__in=audiences).exclude(reason="").order_by("id")
    found = CatalogVersion.objects.select_related("created_by", "upload", "upload__uploaded_by", "upload__approved_by")
    found = found.annotate(recorded_reason=Subquery(why.values("reason")[:1]))
    return list(found.prefetch_related("rolled_back_by").defer(f"upload__{BYTES}").order_by("-number")[:limit])


def version(number: int) -> CatalogVersion | None:
    """One version with its file; None where there is none."""
    found = CatalogVersion.objects.select_related("created_by", "upload").defer(f"upload__{BYTES}")
    return found.filter(number=number).first()


def planned(now: dt.datetime, audiences: Sequence[str]) -> list[PriceRow]:
    """Prices that begin later than `now` and were not cancelled, the next first."""
    found = PriceRow.objects.filter(valid_from__gt=now, voided_in_version__isnull=True, audience__in=audiences)
    return list(found.select_related("item", "catalog_version").order_by("valid_from", "item__code", "component"))


def planned_row(pk: int, now: dt.datetime, audiences: Sequence[str]) -> PriceRow | None:
    """One of them; None for any other row."""
    return next((row for row in planned(now, audiences) if row.pk == pk), None)


def private_rows(now: dt.datetime) -> list[PriceRow]:
    """Private prices in force at `now` or planned, by item; those that newer ones took the place of are left out."""
    found = PriceRow.objects.filter(audience=Audience.SALES, voided_in_version__isnull=True).select_related("item")
    standing: dict[tuple[object, ...], PriceRow] = {}
    for row in found.order_by("item__kind", "item__code", "component", "mode", "context_over", "valid_from", "id"):
        planned = row.valid_from > now
        standing[(row.pk,) if planned else (row.item_id, *key_of(row))] = row
    return [row for row in standing.values() if row.valid_from > now or row.kind != PriceRow.Kind.WITHDRAWN]


def events(audiences: Sequence[str]) -> Iterator[PriceEvent]:
    """The whole record, the oldest first, without holding it in memory."""
    found = (
        PriceEvent.objects.filter(audience__in=audiences).select_related("actor", "upload").defer(f"upload__{BYTES}")
    )
    return found.order_by("id").iterator(chunk_size=EVENTS_AT_ONCE)


def events_of(shown: PriceUpload) -> list[PriceEvent]:
    """What was done to one file, without its single prices."""
    singles = (PriceEvent.Action.PRICE, PriceEvent.Action.RATE, PriceEvent.Action.ITEM, PriceEvent.Action.SHEET)
    return list(shown.events.exclude(action__in=singles).select_related("actor").order_by("id"))
