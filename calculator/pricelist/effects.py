"""What a file would change for customers: verdicts and break-evens of the economics presets, and saved estimates.

The calculators' own functions answer twice, from the catalogue as it is and from the catalogue as the file would make
it, which exists in memory only. Nothing is written. Work is bounded: so many touched offers, so many saved estimates.
"""

import copy
import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import islice
from typing import Any

from django.db.models import Q, QuerySet
from django.http import QueryDict

from calculator import answers, catalog, registry, snapshots
from calculator.domain.offers import Basis
from calculator.domain.scenario import BreakEven, Comparison, EconomicsEstimate, EconomicsScenario, Verdict
from calculator.models import Audience, CatalogItem, CatalogVersion, EstimateSnapshot, FxRate, Gpu, PriceRow
from calculator.pricelist.plan import Diff, PlannedItem, PlannedPrice, PlannedRate
from calculator.pricelist.rowwriting import price_row
from calculator.snapshots import API, PARIS, SKU, Snapshot
from calculator.tool import Answer, Calculator

MOST_OFFERS = 4
"""Touched SKUs, and touched APIs, that are looked at beside the presets' own."""
MOST_APIS = 8
MOST_SAVED = 30
MOST_PAST = 200
"""Saved estimates that a back-dated price names."""
ROWS_TOLD = 4
"""Numbers of a saved estimate that are told."""


@dataclass(frozen=True, slots=True)
class VerdictMove:
    """One case against one API, before and after. `preset` is a preset's code, or "" for a SKU's default case."""

    preset: str
    sku: str
    api: str
    before: Verdict
    after: Verdict
    gpu_eur: tuple[Decimal | None, Decimal | None]
    api_eur: tuple[Decimal | None, Decimal | None]
    break_even: tuple[BreakEven, BreakEven]

    @property
    def turns(self) -> bool:
        """Whether the verdict itself changes, and not only its numbers."""
        return self.before is not self.after


@dataclass(frozen=True, slots=True)
class NumberMove:
    """One number of a saved estimate, before and after; None where it is unknown."""

    label: str
    unit: str
    before: Decimal | str | None
    after: Decimal | str | None


@dataclass(frozen=True, slots=True)
class SavedMove:
    """A saved estimate that would come out otherwise if it were recalculated. What was saved stays as it is."""

    slug: str
    calculator: str
    saved_at: dt.datetime
    sentence: tuple[str, str]
    numbers: tuple[NumberMove, ...]


@dataclass(frozen=True, slots=True)
class Effects:
    """Everything that would move at `at`. `saved_concerned` of the saved estimates use what changes; `saved_looked_at`
    of them, the newest, were recalculated. `from_rates` tells a change of exchange rates from one of prices."""

    at: dt.datetime
    verdicts: tuple[VerdictMove, ...] = ()
    saved: tuple[SavedMove, ...] = ()
    saved_looked_at: int = 0
    saved_concerned: int = 0
    from_rates: bool = False

    @property
    def turned(self) -> tuple[VerdictMove, ...]:
        """The cases whose verdict changes."""
        return tuple(move for move in self.verdicts if move.turns)


def effects_of(diff: Diff) -> Effects:
    """What a diff would move. Private prices move nothing that the public sees."""
    at = moment_of(diff)
    if diff.audience != Audience.PUBLIC or diff.errors or diff.is_empty or not diff.version:
        return Effects(at)
    known = snapshots.snapshot(diff.version)
    after = as_if_applied(known, diff)
    saved = concerned(diff, known)
    listed = list(saved[:MOST_SAVED])
    return Effects(
        at=at,
        verdicts=tuple(verdict_moves(diff, known.number, after, at)),
        saved=tuple(move for one in listed if (move := saved_move(one, known.number, after, at)) is not None),
        saved_looked_at=len(listed),
        saved_concerned=saved.count(),
        from_rates=any(isinstance(write, PlannedRate) for entry in diff.entries for write in entry.writes),
    )


def moment_of(diff: Diff) -> dt.datetime:
    """The instant at which all that the file says has begun."""
    starts = [
        write.valid_from
        for entry in diff.entries
        for write in entry.writes
        if isinstance(write, PlannedPrice) and write.valid_from is not None and not write.restores
    ]
    return max([diff.at, *starts]).astimezone(dt.UTC).replace(microsecond=0) + dt.timedelta(seconds=1)


# --- the catalogue as it would be


def as_if_applied(known: Snapshot, diff: Diff) -> Snapshot:
    """The next version as the file would make it, in memory."""
    version = CatalogVersion(number=known.number + 1)
    items = {(item.kind, item.code.casefold()): item for item in _items(known, diff)}
    prices, rates = _gone(diff)
    rows = {pk: [row for row in found if row.pk not in prices] for pk, found in known.rows.items()}
    kept_rates = [rate for rate in known.rates if rate.pk not in rates]
    for entry in diff.entries:
        for write in entry.writes:
            if isinstance(write, PlannedPrice):
                item = items[write.key.item_kind, write.key.code]
                rows.setdefault(item.pk, []).append(price_row(write, item, version, diff.at, diff.audience))
            elif isinstance(write, PlannedRate):
                kept_rates.append(FxRate(quote=write.rate.quote, rate=write.rate.rate, rate_date=write.rate.rate_date,
                                         source=write.rate.source, catalog_version=version))  # fmt: skip
    return Snapshot(
        number=version.number,
        date=diff.at.astimezone(PARIS).date(),
        items=tuple(sorted(items.values(), key=lambda item: (item.kind, item.position, item.code))),
        rows={pk: tuple(sorted(found, key=_in_time)) for pk, found in rows.items()},
        rates=tuple(sorted(kept_rates, key=lambda rate: rate.rate_date)),
        starts=tuple(sorted({row.valid_from for found in rows.values() for row in found})),
        days=tuple(sorted({rate.rate_date for rate in kept_rates})),
    )


def _in_time(row: PriceRow) -> tuple[dt.datetime, bool]:
    """By start; a row of the file after a recorded one of the same start."""
    return row.valid_from, row.pk is None


def _gone(diff: Diff) -> tuple[set[int], set[int]]:
    """The ids of prices, and of rates, that give way."""
    rates = {row for entry in diff.entries if entry.component == "rate" for row in entry.voids}
    prices = {row for entry in diff.entries if entry.component != "rate" for row in entry.voids}
    return prices, rates


def _items(known: Snapshot, diff: Diff) -> Iterator[CatalogItem]:
    """The items with what the file changes about them, and those that it brings."""
    planned = [write for entry in diff.entries for write in entry.writes if isinstance(write, PlannedItem)]
    changed = {(one.item_kind, one.code.casefold()): one for one in planned if one.before is not None}
    for item in known.items:
        one = changed.get((item.kind, item.code.casefold()))
        yield item if one is None else _with(copy.copy(item), one.values)
    new = [one for one in planned if one.before is None]
    for number, one in enumerate(new, start=1):
        yield _with(CatalogItem(pk=-number, kind=one.item_kind, code=one.code, position=32_767), one.values)


def _with(item: CatalogItem, values: Mapping[str, Any]) -> CatalogItem:
    for name, value in values.items():
        if name == "gpu":
            item.gpu = Gpu.objects.filter(name=value).first()
        elif name != "replaced_by":
            setattr(item, name, value)
    return item


# --- verdicts


def touched(diff: Diff, kind: str) -> list[str]:
    """The codes of the items of one kind whose prices or columns change, as the file writes them."""
    found: dict[str, str] = {}
    for entry in diff.entries:
        for write in entry.writes:
            if isinstance(write, PlannedPrice) and write.key.item_kind == kind:
                found.setdefault(write.key.code, entry.item)
            elif isinstance(write, PlannedItem) and write.item_kind == kind:
                found.setdefault(write.code.casefold(), write.code)
    return list(found.values())


def cases(diff: Diff, version: int, at: dt.datetime) -> Iterator[tuple[str, EconomicsScenario]]:
    """The presets of economics, and both bases of each touched SKU, against the usual and the touched APIs."""
    default = EconomicsScenario(catalog_version=version, at=at)
    apis = tuple(dict.fromkeys((*touched(diff, API)[:MOST_OFFERS], *default.apis)))[:MOST_APIS]
    base = replace(default, apis=apis)
    for preset in registry.CALCULATORS["economics"].presets:
        yield preset.code, preset.applied(base)
    for code in touched(diff, SKU)[:MOST_OFFERS]:
        for basis in Basis:
            yield "", replace(base, sku=code, basis=basis)


def verdict_moves(diff: Diff, version: int, after: Snapshot, at: dt.datetime) -> Iterator[VerdictMove]:
    """The cases and APIs whose numbers move."""
    tool = registry.CALCULATORS["economics"]
    for preset, scenario in cases(diff, version, at):
        first, second = both(tool, scenario, version, after)
        if second is None:
            continue
        estimates = (None if first is None else first.estimate, second.estimate)
        yield from _moves(preset, estimates)


def _moves(preset: str, estimates: tuple[EconomicsEstimate | None, EconomicsEstimate]) -> Iterator[VerdictMove]:
    before = {} if estimates[0] is None else {one.bill.api.code: one for one in estimates[0].comparisons}
    for new in estimates[1].comparisons:
        old = before.get(new.bill.api.code)
        if old is None or estimates[0] is None:
            continue
        bills = (estimates[0].gpu.total_eur, estimates[1].gpu.total_eur)
        if _numbers(old, bills[0]) != _numbers(new, bills[1]):
            yield VerdictMove(
                preset=preset,
                sku=estimates[1].gpu.sku.code,
                api=new.bill.api.code,
                before=old.verdict,
                after=new.verdict,
                gpu_eur=bills,
                api_eur=(old.bill.eur, new.bill.eur),
                break_even=(old.break_even, new.break_even),
            )


def _numbers(one: Comparison, gpu_eur: Decimal | None) -> tuple[Any, ...]:
    return gpu_eur, one.bill.eur, one.verdict, one.break_even


def both(tool: Calculator, scenario: Any, version: int, after: Snapshot) -> tuple[Answer | None, Answer | None]:
    """The same question to the catalogue as it is and as it would be; None where a code is not in it."""
    with snapshots.proposed(after):
        then = answered(tool, replace(scenario, catalog_version=after.number))
    return answered(tool, replace(scenario, catalog_version=version)), then


def answered(tool: Calculator, scenario: Any) -> Answer | None:
    """The answer, or None for a question that the catalogue cannot answer."""
    try:
        return tool.answer(scenario, tool.reads())
    except catalog.NotFound:
        return None


# --- saved estimates


def concerned(diff: Diff, known: Snapshot) -> "QuerySet[EstimateSnapshot]":
    """The saved estimates that used a price of a touched item, or a rate where rates change; the newest first."""
    keys = {write.key for entry in diff.entries for write in entry.writes if isinstance(write, PlannedPrice)}
    places = {(key.item_kind, key.code) for key in keys}
    items = [item.pk for item in known.items if (item.kind, item.code.casefold()) in places]
    found = Q(prices__item__in=items)
    if any(isinstance(write, PlannedRate) for entry in diff.entries for write in entry.writes):
        found |= Q(usd_per_eur__isnull=False)
    return EstimateSnapshot.objects.filter(found).distinct().order_by("-created_at", "-id")


def saved_move(saved: EstimateSnapshot, version: int, after: Snapshot, at: dt.datetime) -> SavedMove | None:
    """What recalculating one saved estimate would give before and after; None where nothing moves."""
    tool = registry.CALCULATORS.get(saved.calculator)
    scenario = None if tool is None else asked_again(tool, saved, version, at)
    if tool is None or scenario is None:
        return None
    first, second = both(tool, scenario, version, after)
    if first is None or second is None:
        return None
    numbers = moved_numbers(tool, first, second)
    if not numbers:
        return None
    sentences = tool.sentence(first.estimate), tool.sentence(second.estimate)
    return SavedMove(saved.slug, saved.calculator, saved.created_at, sentences, numbers[:ROWS_TOLD])


def asked_again(tool: Calculator, saved: EstimateSnapshot, version: int, at: dt.datetime) -> Any:
    """The question of a saved estimate at another version and instant; None where it can no longer be read."""
    try:
        then = answers.from_link(tool, QueryDict(saved.query))
    except catalog.NotFound:
        return None
    if then.answer is None:
        return None
    return replace(tool.released(then.answer), catalog_version=version, at=at)


def moved_numbers(tool: Calculator, first: Answer, second: Answer) -> tuple[NumberMove, ...]:
    """The rows of the export that differ, in its order; sentences and dates are left out."""
    before, after = _rows(tool, first), _rows(tool, second)
    return tuple(
        NumberMove(label, unit, before.get((label, unit)), value)
        for (label, unit), value in after.items()
        if isinstance(value, Decimal) and before.get((label, unit)) != value
    )


def _rows(tool: Calculator, found: Answer) -> dict[tuple[str, str], Decimal | str | None]:
    kept: dict[tuple[str, str], Decimal | str | None] = {}
    for row in tool.rows(found.estimate):
        value = row.value
        kept.setdefault((row.label, row.unit), value if isinstance(value, (Decimal, str)) else None)
    return kept


# --- the past


def would_have_changed(diff: Diff, most: int = MOST_PAST) -> list[EstimateSnapshot]:
    """The newest saved estimates made since a back-dated price begins, of the items concerned: they stay as saved."""
    since: dict[str, dt.datetime] = {}
    for entry in diff.entries:
        if entry.is_backdated:
            start = entry.valid_from or diff.at
            since[entry.item.casefold()] = min(start, since.get(entry.item.casefold(), start))
    if not since:
        return []
    made = EstimateSnapshot.objects.filter(created_at__gte=min(since.values())).order_by("-created_at", "-id")
    used = made.values_list("pk", "created_at", "prices__item__code").iterator(chunk_size=2_000)
    found = (pk for pk, at, code in used if code and code.casefold() in since and at >= since[code.casefold()])
    first = list(islice(dict.fromkeys(found), most))
    by_pk = EstimateSnapshot.objects.in_bulk(first)
    return [by_pk[pk] for pk in first]
