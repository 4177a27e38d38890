"""What the pages of price lists show: statuses, versions, planned and private prices, the record, in words."""

import datetime as dt
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy

from calculator import formats
from calculator.fields import Text, decimals
from calculator.language import gettext as _
from calculator.language import ngettext
from calculator.listing.history import MODE_NAMES
from calculator.models import Audience, CatalogVersion, PriceEvent, PriceRow, PriceUpload
from calculator.presenters.labels import component_name
from calculator.snapshots import NAME_OF_KIND

STATUSES: Mapping[str, Text] = {
    "draft": gettext_lazy("à lire"),
    "validated": gettext_lazy("comparé"),
    "applied": gettext_lazy("appliqué"),
    "rejected": gettext_lazy("rejeté"),
    "rolled_back": gettext_lazy("annulé"),
}
STATUS_TAGS: Mapping[str, str] = {
    "draft": "idle",
    "validated": "gpu",
    "applied": "good",
    "rejected": "idle",
    "rolled_back": "warn",
}
VERSION_KINDS: Mapping[str, Text] = {
    "seed": gettext_lazy("liste d’origine"),
    "apply": gettext_lazy("application"),
    "rollback": gettext_lazy("annulation"),
}
ACTIONS: Mapping[str, Text] = {
    "received": gettext_lazy("déposé"),
    "configured": gettext_lazy("lecture précisée"),
    "validated": gettext_lazy("comparé"),
    "approved": gettext_lazy("approuvé"),
    "rejected": gettext_lazy("rejeté"),
    "refused": gettext_lazy("refusé"),
    "applied": gettext_lazy("appliqué"),
    "rolled_back": gettext_lazy("annulé"),
    "price": gettext_lazy("prix"),
    "rate": gettext_lazy("cours"),
    "item": gettext_lazy("article"),
    "sheet": gettext_lazy("fiche"),
    "voided": gettext_lazy("prix prévu annulé"),
}
COUNTED: Mapping[str, Callable[[int], str]] = {
    "new": lambda count: ngettext("%(count)s nouveau", "%(count)s nouveaux", count),
    "changed": lambda count: ngettext("%(count)s modifié", "%(count)s modifiés", count),
    "withdrawn": lambda count: ngettext("%(count)s retiré", "%(count)s retirés", count),
    "error": lambda count: ngettext("%(count)s illisible", "%(count)s illisibles", count),
    "blocked": lambda count: ngettext("%(count)s bloqué", "%(count)s bloqués", count),
}
"""What the lines of a file are counted as; the names are those of the counts of an upload."""


class Status(NamedTuple):
    """A word with the class of its mark."""

    word: str
    tag: str


class UploadRow(NamedTuple):
    """One file in the list."""

    pk: int
    name: str
    status: Status
    is_private: bool
    by: str
    at: str
    counts: str


class VersionRow(NamedTuple):
    """One version of the catalogue: which, when, who, why, from which file."""

    number: int
    kind: str
    at: str
    by: str
    summary: str
    reason: str
    upload: int | None
    file: str
    approved_by: str
    undone_by: int | None
    undoes: int | None
    is_newest: bool
    may_undo: bool


class PlannedRow(NamedTuple):
    """A price that has not begun yet."""

    pk: int
    code: str
    kind: str
    what: str
    amount: str
    start: str
    version: int
    is_private: bool


class EventRow(NamedTuple):
    """One thing that was done to a file."""

    at: str
    by: str
    what: str
    reason: str


def status_of(upload: PriceUpload) -> Status:
    """Where a file stands."""
    return Status(str(STATUSES[upload.status]), STATUS_TAGS[upload.status])


def person(user: User | None) -> str:
    """A person by name; what nobody did, the product did itself."""
    return user.get_username() if user else _("VMCloud calculator")


def counts_of(upload: PriceUpload) -> str:
    """How many lines do what; nothing of a file that was not compared."""
    if upload.status == PriceUpload.Status.DRAFT:
        return ""
    told = [(name, getattr(upload, f"{name}_count")) for name in COUNTED]
    return ", ".join(counted(name, count) for name, count in told if count) or _("aucun changement")


def counted(name: str, count: int) -> str:
    """How many lines are new, changed and so on."""
    return COUNTED[name](count) % {"count": formats.number(count)}


def upload_rows(found: Iterable[PriceUpload]) -> tuple[UploadRow, ...]:
    """The files of the list."""
    return tuple(
        UploadRow(
            pk=upload.pk,
            name=upload.original_name,
            status=status_of(upload),
            is_private=upload.audience == Audience.SALES,
            by=person(upload.uploaded_by),
            at=formats.instant(upload.uploaded_at),
            counts=counts_of(upload),
        )
        for upload in found
    )


def version_rows(found: Sequence[CatalogVersion], audiences: Sequence[str]) -> tuple[VersionRow, ...]:
    """Every version; a private file keeps its name and reason to those who may see it."""
    newest = found[0].number if found else 0
    return tuple(_version_row(version, audiences, version.number == newest) for version in found)


def _version_row(version: CatalogVersion, audiences: Sequence[str], is_newest: bool) -> VersionRow:
    upload: PriceUpload | None = getattr(version, "upload", None)
    shown = upload if upload is not None and upload.audience in audiences else None
    undone: CatalogVersion | None = getattr(version, "rolled_back_by", None)
    return VersionRow(
        number=version.number,
        kind=str(VERSION_KINDS[version.kind]),
        at=formats.instant(version.created_at),
        by=person(version.created_by),
        summary=summary_of(version.summary),
        reason=(shown.reason if shown else "") or getattr(version, "recorded_reason", "") or "",
        upload=shown.pk if shown else None,
        file=shown.original_name if shown else "",
        approved_by=shown.approved_by.get_username() if shown and shown.approved_by else "",
        undone_by=undone.number if undone else None,
        undoes=version.rolls_back_id,
        is_newest=is_newest,
        may_undo=undone is None and version.kind != CatalogVersion.Kind.SEED,
    )


def summary_of(text: str) -> str:
    """What a version says of itself, counted: “new 2, changed 1” in the reader's words; other texts as they stand."""
    whole = {
        "1 planned price cancelled": _("1 prix prévu annulé"),
        "1 planned price moved": _("1 prix prévu déplacé"),
        "Fixtures loaded": _("données livrées chargées"),
    }
    if text.startswith("rolls back v"):
        return _("prix précédents rétablis")
    parts = [part.partition(" ") for part in text.split(", ")]
    if all(name in COUNTED and count.isdecimal() for name, _space, count in parts):
        return ", ".join(counted(name, int(count)) for name, _space, count in parts)
    return whole.get(text, text)


def amount_of(kind: str, amount: Decimal | None, currency: str) -> str:
    """A price with its currency; free, variable and withdrawn are words."""
    if kind == PriceRow.Kind.FREE:
        return _("gratuit")
    if kind == PriceRow.Kind.VARIABLE:
        return _("prix variable")
    if amount is None:
        return _("retiré de la vente")
    return formats.money(amount, currency, max(2, decimals(amount)))


def what_of(component: str, mode: str, context_over: int) -> str:
    """Component, service level and context tier in one line."""
    parts = [component_name(component), str(MODE_NAMES.get(mode, mode))]
    if context_over:
        parts.append(_("entrée > %(count)s tokens") % {"count": formats.number(context_over)})
    return ", ".join(part for part in parts if part)


def planned_rows(found: Iterable[PriceRow]) -> tuple[PlannedRow, ...]:
    """Rows of prices, planned or private."""
    return tuple(
        PlannedRow(
            pk=row.pk,
            code=row.item.code,
            kind=NAME_OF_KIND[row.item.kind],
            what=what_of(row.component, row.mode, row.context_over),
            amount=amount_of(row.kind, row.amount, row.currency),
            start=formats.instant(row.valid_from),
            version=row.catalog_version_id,
            is_private=row.audience == Audience.SALES,
        )
        for row in found
    )


def event_rows(found: Iterable[PriceEvent]) -> tuple[EventRow, ...]:
    """What was done to one file, the oldest first."""
    return tuple(
        EventRow(formats.instant(event.at), person(event.actor), str(ACTIONS[event.action]), event.reason)
        for event in found
    )


def audit_header() -> list[str]:
    """The head of the record as a file."""
    return [
        _("instant (UTC)"),
        _("qui"),
        _("action"),
        _("fichier"),
        _("liste"),
        _("objet"),
        _("à partir du (UTC)"),
        _("avant"),
        _("après"),
        _("raison"),
        _("requête"),
    ]


def audit_cells(event: PriceEvent) -> list[str]:
    """One line of the record; instants in UTC, as a machine sorts them."""
    return [
        _utc(event.at),
        person(event.actor),
        event.action,
        event.upload.original_name if event.upload else "",
        str(event.version_id or ""),
        event.subject,
        _utc(event.valid_from),
        event.before,
        event.after,
        event.reason,
        event.request_id,
    ]


def _utc(at: dt.datetime | None) -> str:
    return at.astimezone(dt.UTC).isoformat(timespec="seconds") if at else ""
