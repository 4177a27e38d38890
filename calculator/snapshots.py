"""What one catalogue version holds, kept in process memory, and how an item or a price is found in it.

A price is the latest start at or before the instant among the rows that the version knows; a withdrawal or no row is
"no price": never zero, never the nearest. What a version holds never changes, so it is kept under its number.
"""

import datetime as dt
import difflib
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Q, QuerySet, Subquery

from calculator import figures, language, sheets, state
from calculator.models import ANY_REGION, Audience, CatalogItem, CatalogVersion, FxRate, ItemAlias, PriceRow

PARIS = ZoneInfo("Europe/Paris")
VERSIONS_IN_MEMORY = 16
NEAREST_CUTOFF = 0.5
SKU = CatalogItem.Kind.GPU_SKU
API = CatalogItem.Kind.LLM_MODEL
EMBEDDING = CatalogItem.Kind.EMBEDDING
WITHDRAWN = PriceRow.Kind.WITHDRAWN
KINDS: Mapping[str, str] = {"sku": SKU, "api": API, "embedding": EMBEDDING}
"""How each kind of item is called in addresses and messages."""
NAME_OF_KIND: Mapping[str, str] = {kind: name for name, kind in KINDS.items()}

PriceKey = tuple[str, str, int, str]
"""Component, mode, context tier, currency."""


class NotFound(LookupError):  # noqa: N818  (a name of the contract between rooms)
    """What was asked for is not in the catalogue. `kind` is version, figure, model or one of KINDS."""

    def __init__(self, kind: str, code: str, nearest: str = "") -> None:
        super().__init__(f"{kind} {code!r} is not in the catalogue")
        self.kind, self.code, self.nearest = kind, code, nearest


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All that one version knows, whatever the instant: items in catalogue order, price rows by item, rates.

    `starts` are the instants at which some price begins; between two of them no price changes. `days` are those, in
    Paris, from which on an exchange rate counts or an item is retired.
    """

    number: int
    date: dt.date
    items: tuple[CatalogItem, ...]
    rows: Mapping[int, tuple[PriceRow, ...]]
    rates: tuple[FxRate, ...]
    starts: tuple[dt.datetime, ...] = ()
    days: tuple[dt.date, ...] = ()
    kept: dict[Hashable, Any] = field(default_factory=dict, compare=False, repr=False)

    def of_kind(self, kind: str) -> tuple[CatalogItem, ...]:
        """The SKUs or the API models."""
        found: tuple[CatalogItem, ...] = self.once(
            kind, lambda: tuple(item for item in self.items if item.kind == kind)
        )
        return found

    def period(self, at: dt.datetime) -> int:
        """Which of the periods without a price change `at` lies in."""
        return bisect_right(self.starts, at)

    def era(self, at: dt.datetime) -> tuple[int, int]:
        """Which of the spans of time in which nothing at all changes `at` lies in."""
        return self.period(at), bisect_right(self.days, at.astimezone(PARIS).date())

    def once(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """What `make` gives, made once for each key of this version: an item, a period, a language."""
        if key not in self.kept:
            self.kept[key] = make()
        return self.kept[key]


def known_to[M: PriceRow | FxRate](rows: "QuerySet[M]", version: int) -> "QuerySet[M]":
    """The rows recorded up to `version` and not voided as of it."""
    standing = Q(voided_in_version__isnull=True) | Q(voided_in_version__gt=version)
    return rows.filter(standing, catalog_version__lte=version)


def seen_by(audience: str) -> "QuerySet[PriceRow]":
    """The price rows that an audience may see: the sales group sees its private ones beside the public ones."""
    if audience == Audience.SALES:
        return PriceRow.objects.all()
    return PriceRow.objects.filter(audience=Audience.PUBLIC)


def snapshot(version: int, audience: str = Audience.PUBLIC) -> Snapshot:
    """One version's content as `audience` may see it. NotFound if there is none.

    Three queries the first time in a process, none afterwards. Private prices are asked for by name only: whoever says
    nothing reads what the public reads, and what is kept in memory is kept for each audience apart.
    """
    tried = _proposed.get()
    if tried is not None and tried.number == version:
        return tried
    return _stored(version, audience)


_proposed: ContextVar[Snapshot | None] = ContextVar("proposed", default=None)


@contextmanager
def proposed(known: Snapshot) -> Iterator[None]:
    """Within it `known` is read under its number: what a version would hold that does not exist yet."""
    before = _proposed.set(known)
    try:
        yield
    finally:
        _proposed.reset(before)


@lru_cache(maxsize=VERSIONS_IN_MEMORY)
def _stored(version: int, audience: str) -> Snapshot:
    created = CatalogVersion.objects.filter(number=version).values("created_at")
    items = tuple(
        CatalogItem.objects.filter(catalog_version__lte=version)
        .select_related("gpu")
        .annotate(version_created_at=Subquery(created[:1]))
        .order_by("kind", "position", "code")
    )
    # The first version may hold data sheets or rates alone.
    made_at = items[0].version_created_at if items else created.values_list("created_at", flat=True).first()
    if made_at is None:
        raise NotFound("version", str(version), str(newest_number() or ""))
    rows: dict[int, list[PriceRow]] = {}
    for row in known_to(seen_by(audience).order_by("valid_from", "id"), version):
        rows.setdefault(row.item_id, []).append(row)
    rates = tuple(known_to(FxRate.objects.order_by("rate_date", "id"), version))
    retired = (item.retired_on for item in items if item.retired_on is not None)
    return Snapshot(
        number=version,
        date=made_at.astimezone(PARIS).date(),
        items=items,
        rows={item: tuple(found) for item, found in rows.items()},
        rates=rates,
        starts=tuple(sorted({row.valid_from for found in rows.values() for row in found})),
        days=tuple(sorted({*(rate.rate_date for rate in rates), *retired})),
    )


def forget() -> None:
    """Drop what is kept in process memory (a restored database, another test)."""
    _stored.cache_clear()
    figures.forget()
    sheets.forget()


def newest_number() -> int | None:
    """The number of the newest version, None in an empty catalogue."""
    return state.current().newest_version


def latest_version() -> int:
    """The newest version's number. NotFound in an empty catalogue."""
    number = newest_number()
    if number is None:
        raise NotFound("version", "")
    return number


def nearest_code(asked: str, codes: Iterable[str]) -> str:
    """The code most like `asked`, "" when none is."""
    by_folded = {code.casefold(): code for code in codes}
    found = difflib.get_close_matches(asked.casefold(), by_folded, n=1, cutoff=NEAREST_CUTOFF)
    return by_folded[found[0]] if found else ""


def item_called(known: Snapshot, kind: str, asked: str, at: dt.datetime) -> CatalogItem:
    """The item whose code, or whose alias valid at `at`, is exactly `asked` in any case. Else NotFound."""
    folded = asked.casefold()
    items = known.of_kind(kind)
    for item in items:
        if item.code.casefold() == folded:
            return item
    alias = (
        ItemAlias.objects.filter(alias=folded, valid_from__lte=at, item__kind=kind, catalog_version__lte=known.number)
        .order_by("-valid_from")
        .first()
    )
    for item in items:
        if alias is not None and item.pk == alias.item_id:
            return item
    raise NotFound(NAME_OF_KIND[kind], asked, nearest_code(asked, (item.code for item in items)))


def canonical_code(kind: str, asked: str, version: int, at: dt.datetime) -> str:
    """The code as the offer writes it, for a code or alias in any case; `kind` is one of KINDS. NotFound otherwise."""
    return item_called(snapshot(version), KINDS[kind], asked, at).code


def current_rows(known: Snapshot, item: CatalogItem, at: dt.datetime) -> Mapping[PriceKey, PriceRow]:
    """The row in force of each component, mode, context tier and currency; what is withdrawn has none.

    Only prices without a region and without a time window are read: the scenario knows neither. A private price goes
    before the public one, and once it is withdrawn the public one holds again.
    """
    newest: dict[str, dict[PriceKey, PriceRow]] = {Audience.PUBLIC: {}, Audience.SALES: {}}
    for row in known.rows.get(item.pk, ()):
        if row.valid_from <= at and row.region == ANY_REGION and row.window == PriceRow.Window.ALL:
            newest[row.audience][(row.component, row.mode, row.context_over, row.currency)] = row
    found = [{key: row for key, row in rows.items() if row.kind != WITHDRAWN} for rows in newest.values()]
    return {**found[0], **found[1]}


def unread_modes(known: Snapshot, item: CatalogItem, at: dt.datetime) -> frozenset[str]:
    """The modes of a model with prices in force that no calculator reads: not in dollars, of one region, or of some
    hours."""
    newest: dict[tuple[str, ...], PriceRow] = {}
    for row in known.rows.get(item.pk, ()):
        if row.valid_from <= at:
            newest[(row.component, row.mode, row.region, str(row.context_over), row.window, row.currency)] = row
    return frozenset(row.mode for row in newest.values() if row.kind != WITHDRAWN and not is_read(row))


def is_read(row: PriceRow) -> bool:
    """Whether the calculators read a model's price: in dollars, everywhere, at any hour."""
    return row.currency == "USD" and row.region == ANY_REGION and row.window == PriceRow.Window.ALL


def is_retired(item: CatalogItem, at: dt.datetime) -> bool:
    """Retired from its day on, counted in Paris."""
    return item.retired_on is not None and item.retired_on <= at.astimezone(PARIS).date()


def label_of(item: CatalogItem) -> str:
    """The item's name in the active language."""
    return item.label_en if language.active().startswith("en") else item.label_fr


def note_of(row: PriceRow | FxRate) -> str:
    """The row's note in the active language; one that was written only once stands in both."""
    english = language.active().startswith("en")
    return (english and row.note) or row.note_fr or row.note


def without_trailing_zeros(value: Decimal) -> Decimal:
    """The same value as it would be written: columns pad with zeros, and not alike on all databases."""
    return value.normalize() + Decimal(0)
