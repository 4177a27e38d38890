"""Items and data sheets of a file against those of the catalogue: new ones with what they need, changed columns."""

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from django.core.exceptions import ValidationError

from calculator import snapshots
from calculator.codes import is_code
from calculator.models import CatalogItem
from calculator.pricelist.columns import CODE_COLUMN, SHEETS, needed_of_new_sheet
from calculator.pricelist.contract import (
    ITEM_NOT_SAID,
    NEEDED_OF_NEW_MODEL,
    NEEDED_OF_NEW_SKU,
    NOTHING_SAID,
    FileKind,
    Item,
    ItemFields,
    LineProblem,
    ParsedLine,
    Price,
    Sheet,
    Value,
)
from calculator.pricelist.known import TOKEN_KINDS, Known
from calculator.pricelist.plan import Entry, PlannedAlias, PlannedItem, PlannedSheet, Verdict, Write

SKU = CatalogItem.Kind.GPU_SKU.value
SAID = tuple(one.name for one in fields(ItemFields) if one.name != "aliases")


@dataclass(slots=True)
class Asked:
    """All that a file says about one item, over all of its lines."""

    line: ParsedLine
    kind: str
    code: str
    values: dict[str, Any] = field(default_factory=dict)
    aliases: dict[str, dt.datetime | None] = field(default_factory=dict)
    has_price: bool = False


@dataclass(slots=True)
class Items:
    """The items that a file speaks of, by kind and code in lower case."""

    known: Known
    at: dt.datetime
    asked: dict[tuple[str, str], Asked] = field(default_factory=dict)
    problems: list[LineProblem] = field(default_factory=list)

    def wrong(self, line: ParsedLine, column: str, problem: str, **values: Value) -> None:
        """Note a problem of one line."""
        self.problems.append(LineProblem(line.line_no, column, problem, values))

    def place(self, line: ParsedLine, content: Price | Item) -> tuple[str, str]:
        """The item that a line is about, as kind and code of the catalogue; what it says of it is gathered."""
        item = self.known.item(content.item_kind, content.code, self.at)
        kind, code = (item.kind, item.code) if item is not None else (_kind_of(content), content.code)
        place = (kind, code.casefold())
        asked = self.asked.setdefault(place, Asked(line, kind, code))
        asked.has_price |= isinstance(content, Price) and content.amount is not None
        if content.item is not NOTHING_SAID:
            self._gather(asked, line, content)
        return place

    def _gather(self, asked: Asked, line: ParsedLine, content: Price | Item) -> None:
        for name in SAID:
            value = getattr(content.item, name)
            if value is None:
                continue
            if asked.values.setdefault(name, value) != value:
                self.wrong(line, name, "item_said_twice", item=asked.code, first=str(asked.values[name]))
        for alias in content.item.aliases:
            asked.aliases.setdefault(alias, content.valid_from if isinstance(content, Item) else None)

    def entries(self) -> list[Entry]:
        """One entry for each item that is new or changes; problems of new ones that lack something."""
        found = []
        for place, asked in self.asked.items():
            item = self.known.items.get(place)
            writes = self._new(asked) if item is None else self._changed(asked, item)
            writes += self._aliases(asked, item)
            if writes:
                found.append(_entry(asked, writes, item is None))
        return found

    def _new(self, asked: Asked) -> tuple[Write, ...]:
        needed = NEEDED_OF_NEW_SKU if asked.kind == SKU else NEEDED_OF_NEW_MODEL
        missing = tuple(name for name in needed if name not in asked.values)
        if missing:
            codes = [item.code for (kind, _code), item in self.known.items.items() if kind == asked.kind]
            nearest = snapshots.nearest_code(asked.code, codes) or "–"
            self.wrong(asked.line, "", "new_item_needs", item=asked.code, missing=missing, nearest=nearest)
            return ()
        if not is_code(asked.code):
            column = CODE_COLUMN[FileKind.GPU if asked.kind == SKU else FileKind.LLM]
            self.wrong(asked.line, column, "not_a_code", text=asked.code)
            return ()
        labels = {"label_fr": asked.code, "label_en": asked.code}
        values = {**labels, **asked.values}
        return (PlannedItem(asked.kind, asked.code, values, None),) if self._refers(asked) else ()

    def _changed(self, asked: Asked, item: CatalogItem) -> tuple[Write, ...]:
        before = {name: _value(item, name) for name in asked.values}
        values = {name: value for name, value in asked.values.items() if value != before[name]}
        if not values or not self._refers(asked):
            return ()
        return (PlannedItem(asked.kind, item.code, values, {name: before[name] for name in values}),)

    def _refers(self, asked: Asked) -> bool:
        """Whether the GPU and the successor that are named exist, and what is retired has its day; else a problem."""
        if not self._says_when(asked):
            return False
        gpu, successor = asked.values.get("gpu"), asked.values.get("replaced_by")
        if gpu is not None and gpu not in self.known.gpus:
            nearest = snapshots.nearest_code(gpu, self.known.gpus) or "–"
            self.wrong(asked.line, "gpu", "unknown_gpu", gpu=gpu, nearest=nearest)
            return False
        if successor is not None and (asked.kind, successor.casefold()) not in {*self.known.items, *self.asked}:
            self.wrong(asked.line, "replaced_by", "unknown_successor", item=successor)
            return False
        return True

    def _says_when(self, asked: Asked) -> bool:
        """Whether the day is known from which a retired item is sold no more: only that day takes it off sale."""
        item = self.known.items.get((asked.kind, asked.code.casefold()))
        day = asked.values.get("retired_on") or (item.retired_on if item else None)
        if asked.values.get("status") != CatalogItem.Status.RETIRED or day:
            return True
        self.wrong(asked.line, "status", "retired_without_day", item=asked.code)
        return False

    def _aliases(self, asked: Asked, item: CatalogItem | None) -> tuple[Write, ...]:
        found = []
        for alias, start in asked.aliases.items():
            moment = start or self.at
            holder = self.known.item(asked.kind, alias, moment)
            if holder is not None and item is not None and holder.pk == item.pk:
                continue
            if (asked.kind, alias) in self.known.items or (asked.kind, alias) in self.asked:
                self.wrong(asked.line, "aliases", "alias_is_a_code", alias=alias)
                continue
            found.append(PlannedAlias(asked.kind, asked.code, alias, start))
        return tuple(found)


def _kind_of(content: Price | Item) -> str:
    """The kind of a new item: what is sold by the token is a language model unless the file says otherwise."""
    return TOKEN_KINDS[0].value if content.item_kind == ITEM_NOT_SAID else str(content.item_kind)


def _value(item: CatalogItem, name: str) -> Any:
    """An item's column as a file writes it: what it refers to by name."""
    if name == "gpu":
        return None if item.gpu is None else item.gpu.name
    if name == "replaced_by":
        return None if item.replaced_by is None else item.replaced_by.code
    return getattr(item, name)


def _entry(asked: Asked, writes: tuple[Write, ...], is_new: bool) -> Entry:
    return Entry(
        line_no=asked.line.line_no,
        raw=asked.line.raw,
        verdict=Verdict.NEW if is_new else Verdict.CHANGED,
        item=asked.code,
        component="item",
        before="; ".join(_told(write.before) for write in writes if isinstance(write, PlannedItem)),
        after="; ".join(_after(write) for write in writes),
        writes=writes,
    )


def _after(write: Write) -> str:
    if isinstance(write, PlannedItem):
        return _told(write.values)
    return f"alias={write.alias}" if isinstance(write, PlannedAlias) else ""


def _told(values: Mapping[str, Any] | None) -> str:
    """Columns as one text: `name=value` in the order of the file."""
    return ", ".join(f"{name}={value}" for name, value in (values or {}).items())


def sheet_entry(line: ParsedLine, sheet: Sheet, kind: FileKind, known: Known) -> tuple[Entry, list[LineProblem]]:
    """One data sheet against the recorded one of that name."""
    recorded = (known.gpus if kind is FileKind.GPU_SHEET else known.models).get(sheet.name)
    missing = () if recorded else tuple(name for name in needed_of_new_sheet(kind) if name not in _given(sheet))
    entry = Entry(line.line_no, line.raw, Verdict.ERROR, item=sheet.name, component="sheet")
    if missing:
        problem = LineProblem(line.line_no, "", "new_sheet_needs", {"name": sheet.name, "missing": missing})
        return entry, [problem]
    before = None if recorded is None else {name: getattr(recorded, name) for name in sheet.values}
    values = {name: value for name, value in sheet.values.items() if before is None or before[name] != value}
    if recorded is not None and not values:
        return replace(entry, verdict=Verdict.UNCHANGED), []
    if why := _refused(sheet, kind):
        return entry, [LineProblem(line.line_no, "", "sheet_refused", {"name": sheet.name, "why": why})]
    changed = None if before is None else {name: before[name] for name in values}
    write = PlannedSheet(kind.value, sheet.name, values, changed)
    verdict = Verdict.NEW if recorded is None else Verdict.CHANGED
    return replace(entry, verdict=verdict, before=_told(changed), after=_told(values), writes=(write,)), []


def _given(sheet: Sheet) -> Iterable[str]:
    return {"name", *sheet.values}


def _refused(sheet: Sheet, kind: FileKind) -> str:
    """What the table itself would refuse about the columns that the sheet gives; "" when nothing."""
    model = SHEETS[kind]
    given = set(_given(sheet))
    others = [column.name for column in model._meta.fields if column.name not in given]
    try:
        model(name=sheet.name, **sheet.values).clean_fields(exclude=others)
    except ValidationError as error:
        return "; ".join(error.messages)
    return ""
