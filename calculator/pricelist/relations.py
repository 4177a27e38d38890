"""Prices that belong together: cached reads under input, batch under standard, long context over the base, spot under
on demand, and a machine of several GPUs near as many times the single one. Compared before and after a file."""

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from calculator.models import CatalogItem
from calculator.pricelist.known import Known, Start
from calculator.pricelist.plan import Diff, Entry, PlannedItem, PlannedPrice, PriceKey
from calculator.pricelist.timeline import latest

Place = tuple[str, str]
Amounts = Mapping[PriceKey, Decimal]
SKU = CatalogItem.Kind.GPU_SKU.value
LEAST_SHARE, MOST_SHARE = Decimal("0.5"), Decimal("1.5")
"""A machine of n GPUs costs between these shares of n times the machine of one."""
MOST_MACHINES = 20
"""Machines of one GPU that are compared with each other: more would make a large file slow."""


@dataclass(frozen=True, slots=True)
class Broken:
    """One relation that does not hold: `low` should be at most `high`. `keys` are the two prices."""

    code: str
    item: str
    component: str
    low: Decimal
    high: Decimal
    keys: tuple[PriceKey, PriceKey]


class Tables:
    """The prices of the items that a file touches, before and after it, at any instant."""

    def __init__(self, known: Known, diff: Diff) -> None:
        self.diff = diff
        self.at = diff.at
        self.entries = [entry for entry in diff.entries if any(isinstance(one, PlannedPrice) for one in entry.writes)]
        self.machines = _machines(known, diff)
        self.of_gpu: dict[str, list[Place]] = {}
        for place, (gpu, _count) in self.machines.items():
            self.of_gpu.setdefault(gpu, []).append(place)
        touched = {key_place(key) for entry in self.entries for key in _keys(entry)}
        self.places = touched | self._related(touched)
        self.before = {key: starts for key, starts in known.starts.items() if key_place(key) in self.places}
        for key, starts in known.public.items():
            if key_place(key) in self.places:
                self.before.setdefault(key, starts)
        self.after = self._after()
        self.keys_of = _by_place({*self.before, *self.after})

    def _related(self, touched: Iterable[Place]) -> set[Place]:
        """The machines with the same GPU as one that is touched, not more than a few of each GPU."""
        gpus = {self.machines[place][0] for place in touched if place in self.machines}
        return {place for gpu in gpus for place in self.of_gpu[gpu][:MOST_MACHINES]}

    def _after(self) -> dict[PriceKey, list[Start]]:
        gone = {row for entry in self.entries for row in entry.voids}
        after = {key: [one for one in starts if one.row not in gone] for key, starts in self.before.items()}
        for entry in self.entries:
            for write in entry.writes:
                if isinstance(write, PlannedPrice):
                    start = Start(write.valid_from or self.at, write.kind, write.amount, None)
                    after.setdefault(write.key, []).append(start)
        return {key: sorted(starts, key=lambda one: one.valid_from) for key, starts in after.items()}

    def amounts_of(self, key: PriceKey, component: str) -> list[Decimal]:
        """What the same item costs by another component, before the file, at its instant."""
        found = [one for one in self.keys_of.get(key_place(key), ()) if one.component == component]
        starts = [latest(self.before.get(one, ()), self.at) for one in found]
        return [start.amount for start in starts if start is not None and start.amount]

    def broken(self) -> Iterator[tuple[int, Broken, bool]]:
        """Line, relation and whether it was broken before, for each relation that a line of the file is part of."""
        told: set[tuple[str, tuple[PriceKey, PriceKey]]] = set()
        judged: dict[tuple[Place, dt.datetime], list[tuple[Broken, bool]]] = {}
        for entry in self.entries:
            start = entry.valid_from or self.at
            touched = set(_keys(entry))
            for place in self._places_of(touched):
                if (place, start) not in judged:
                    judged[place, start] = self._judged(place, start)
                for one, was_broken in judged[place, start]:
                    if touched & set(one.keys) and (one.code, one.keys) not in told:
                        told.add((one.code, one.keys))
                        yield entry.line_no, one, was_broken

    def _judged(self, place: Place, start: dt.datetime) -> list[tuple[Broken, bool]]:
        """The relations of one item that do not hold after the file, and whether they held before."""
        broken = self._relations(place, self.after, start)
        if not broken:
            return []
        before = {(one.code, one.keys) for one in self._relations(place, self.before, start)}
        return [(one, (one.code, one.keys) in before) for one in broken]

    def _places_of(self, keys: Iterable[PriceKey]) -> set[Place]:
        places = {key_place(key) for key in keys}
        return places | {place for place in self._related(places) if place in self.keys_of}

    def _relations(self, place: Place, starts: Mapping[PriceKey, list[Start]], at: dt.datetime) -> list[Broken]:
        amounts = self._amounts(place, starts, at)
        return [*within_item(amounts), *self._of_machines(place, amounts, starts, at)]

    def _amounts(self, place: Place, starts: Mapping[PriceKey, list[Start]], at: dt.datetime) -> Amounts:
        found = {key: latest(starts.get(key, ()), at) for key in self.keys_of.get(place, ())}
        return {key: one.amount for key, one in found.items() if one is not None and one.amount is not None}

    def _of_machines(
        self, place: Place, amounts: Amounts, starts: Mapping[PriceKey, list[Start]], at: dt.datetime
    ) -> Iterator[Broken]:
        """A machine of several GPUs against the machines of one with the same GPU."""
        gpu, count = self.machines.get(place, ("", 1))
        if count < 2 or not gpu:
            return
        singles = [one for one in self.of_gpu[gpu] if self.machines[one][1] == 1][:MOST_MACHINES]
        for single in singles:
            for key, amount in self._amounts(single, starts, at).items():
                twin = key._replace(item_kind=place[0], code=place[1])
                if twin in amounts:
                    yield from of_count(amounts[twin], amount * count, twin, key)


def of_count(whole: Decimal, parts: Decimal, twin: PriceKey, single: PriceKey) -> Iterator[Broken]:
    """The price of a machine of several GPUs against as many single ones."""
    if whole < parts * LEAST_SHARE:
        yield Broken("machine_too_cheap", twin.code, twin.component, parts * LEAST_SHARE, whole, (twin, single))
    elif whole > parts * MOST_SHARE:
        yield Broken("machine_too_dear", twin.code, twin.component, whole, parts * MOST_SHARE, (twin, single))


def within_item(amounts: Amounts) -> Iterator[Broken]:
    """The relations between prices of one item that do not hold."""
    for key, amount in amounts.items():
        for code, other in _not_above(key):
            limit = amounts.get(other)
            if limit is not None and amount > limit:
                yield Broken(code, key.code, key.component, amount, limit, (key, other))
        if key.context_over:
            base = key._replace(context_over=0)
            if (low := amounts.get(base)) is not None and low > amount:
                yield Broken("long_context_below_base", key.code, key.component, low, amount, (base, key))


def _not_above(key: PriceKey) -> Iterator[tuple[str, PriceKey]]:
    """The prices that this one should not be above."""
    if key.component == "cache_read":
        yield "cache_read_above_input", key._replace(component="input")
    if key.mode == "batch":
        yield "batch_above_standard", key._replace(mode="standard")
    if key.mode == "spot":
        yield "spot_above_on_demand", key._replace(mode="on_demand")


def key_place(key: PriceKey) -> Place:
    """The item of a price."""
    return key.item_kind, key.code


def _keys(entry: Entry) -> list[PriceKey]:
    return [write.key for write in entry.writes if isinstance(write, PlannedPrice)]


def _by_place(keys: Iterable[PriceKey]) -> dict[Place, list[PriceKey]]:
    found: dict[Place, list[PriceKey]] = {}
    for key in sorted(keys):
        found.setdefault(key_place(key), []).append(key)
    return found


def _machines(known: Known, diff: Diff) -> dict[Place, tuple[str, int]]:
    """GPU and count of each SKU, with what the file changes about them."""
    found = {
        place: (item.gpu.name, item.gpu_count or 1)
        for place, item in known.items.items()
        if place[0] == SKU and item.gpu is not None
    }
    for entry in diff.entries:
        for write in entry.writes:
            if isinstance(write, PlannedItem) and write.item_kind == SKU:
                place = (SKU, write.code.casefold())
                gpu, count = found.get(place, ("", 1))
                found[place] = (write.values.get("gpu", gpu), write.values.get("gpu_count", count))
    return found
