"""One row of a GPU or API file as a price, or as an item without one."""

import datetime as dt
from collections.abc import Mapping
from decimal import Decimal

from calculator.domain.units import TOKENS_A_PRICE, per_mtok
from calculator.models import ANY_REGION, MODES_OF_API, MODES_OF_GPU, UNIT_OF_COMPONENT, CatalogItem, PriceRow
from calculator.pricelist.cells import Cells, shown
from calculator.pricelist.columns import CODE_COLUMN
from calculator.pricelist.contract import ITEM_NOT_SAID, NOTHING_SAID, FileKind, Item, ItemFields, Price
from calculator.pricelist.limits import AMOUNT_BELOW, AMOUNT_DECIMALS
from calculator.pricelist.table import Cell

MACHINE = ("instance_hour", "instance_month")
COMPONENTS: Mapping[FileKind, tuple[str, ...]] = {
    FileKind.GPU: MACHINE,
    FileKind.LLM: tuple(name for name in UNIT_OF_COMPONENT if name not in MACHINE),
}
MODES: Mapping[FileKind, tuple[str, ...]] = {FileKind.GPU: MODES_OF_GPU, FileKind.LLM: MODES_OF_API}
DEFAULT_MODE = {"instance_hour": "on_demand", "instance_month": "reserved"}
"""The mode of a machine's price where the file has none; the rest is standard."""
CURRENCIES = ("EUR", "USD")
KINDS = tuple(PriceRow.Kind)
WITHOUT_AMOUNT = (PriceRow.Kind.WITHDRAWN, PriceRow.Kind.VARIABLE)
WINDOWS = tuple(PriceRow.Window)
STATUSES = tuple(CatalogItem.Status)
MODEL_KINDS = (CatalogItem.Kind.LLM_MODEL, CatalogItem.Kind.EMBEDDING)
SIGNIFICANT_DIGITS = 28
ALIASES_PARTED_BY = "|"
LENGTHS = {
    field.name: field.max_length or 0
    for table in (CatalogItem, PriceRow)
    for field in table._meta.fields
    if getattr(field, "max_length", None)
}
ALIAS_CHARACTERS, NOTE_CHARACTERS, GPU_CHARACTERS = 120, 1_000, 40
MOST_GPUS = 32_768
ITEM_COLUMNS = frozenset(ItemFields.__dataclass_fields__)


class PriceLines:
    """Reads rows of one GPU or API file."""

    def __init__(self, kind: FileKind, cells: Cells, origin: str, today: dt.date | None) -> None:
        self.kind, self.cells, self.origin, self.today = kind, cells, origin, today
        self.code_column = CODE_COLUMN[kind]
        self.components, self.modes = COMPONENTS[kind], MODES[kind]
        self.item_columns = sorted(ITEM_COLUMNS & set(cells.places))
        self.items: dict[tuple[Cell, ...], ItemFields] = {}

    def content(self) -> Price | Item | None:
        """The row as a price or an item; None where something in it is wrong."""
        code = self.cells.needed(self.code_column, LENGTHS["code"])
        item_kind = self._item_kind()
        fields = self._item_once() if self.item_columns else NOTHING_SAID
        if not self._says_no_price():
            return self._price(item_kind, code, fields)
        if fields == NOTHING_SAID and not self.cells.bad:
            self.cells.wrong("", "nothing_said")
        start = self.cells.instant("valid_from")
        return None if self.cells.bad else Item(item_kind, code, fields, start)

    def _item_kind(self) -> str:
        if self.kind is FileKind.GPU:
            return CatalogItem.Kind.GPU_SKU.value
        return str(self.cells.choice("item_kind", MODEL_KINDS, ITEM_NOT_SAID))

    def _says_no_price(self) -> bool:
        return all(self.cells.cell(column) == "" for column in ("component", "kind", "amount", "currency", "unit"))

    def _price(self, item_kind: str, code: str, fields: ItemFields) -> Price | None:
        cells = self.cells
        component = self._required("component", self.components)
        currency = self._required("currency", CURRENCIES)
        kind = cells.choice("kind", KINDS, PriceRow.Kind.PRICE.value)
        amount = self._amount(kind, component, currency)
        mode = cells.choice("mode", self.modes, DEFAULT_MODE.get(component, "standard"))
        start, end = cells.instant("valid_from"), cells.instant("valid_until")
        if start and end and end <= start:
            cells.wrong("valid_until", "ends_before_it_starts", text=shown(cells.cell("valid_until")))
        price = Price(
            item_kind=item_kind,
            code=code,
            component=component,
            mode=mode,
            region=cells.text("region", LENGTHS["region"]) or ANY_REGION,
            context_over=cells.whole("context_over") or 0,
            window=cells.choice("window", WINDOWS, PriceRow.Window.ALL.value),
            currency=currency,
            unit=UNIT_OF_COMPONENT.get(component, ""),
            kind=kind,
            amount=amount,
            valid_from=start,
            valid_until=end,
            origin=self.origin,
            source_url=cells.link("source_url", LENGTHS["source_url"]),
            checked_on=self._checked_on(),
            note=cells.text("note", NOTE_CHARACTERS),
            note_fr=cells.text("note_fr", NOTE_CHARACTERS),
            item=fields,
        )
        return None if cells.bad else price

    def _required(self, column: str, allowed: tuple[str, ...]) -> str:
        """A word that has no default. Where the whole column is absent, one problem of the header says so."""
        if self.cells.cell(column) == "":
            self._missing(column, "missing")
            return ""
        return str(self.cells.choice(column, allowed, ""))

    def _missing(self, column: str, code: str) -> None:
        if column in self.cells.places:
            self.cells.wrong(column, code)
        self.cells.bad = True

    def _amount(self, kind: str, component: str, currency: str) -> Decimal | None:
        """The amount in the component's own unit; None for a withdrawal, a variable price, and where something is
        wrong."""
        unit = self._unit(component)
        written = self.cells.number("amount", currency)
        blank = self.cells.cell("amount") == ""
        if kind in WITHOUT_AMOUNT:
            if not blank:
                is_variable = kind == PriceRow.Kind.VARIABLE
                self.cells.wrong("amount", "variable_with_amount" if is_variable else "withdrawn_with_amount")
            if kind == PriceRow.Kind.VARIABLE and component in MACHINE:
                self.cells.wrong("kind", "variable_machine")
            return None
        if blank:
            self._missing("amount", "amount_missing")
            return None
        if written is None or not unit:
            return None
        return self._checked(self._converted(written, unit, component), kind)

    def _unit(self, component: str) -> str:
        own = UNIT_OF_COMPONENT.get(component, "")
        allowed = tuple(TOKENS_A_PRICE) if own == "mtok" else (own,)
        if own:
            return self._required("unit", allowed)
        return self._required("unit", (*TOKENS_A_PRICE, *UNIT_OF_COMPONENT.values()))

    def _converted(self, amount: Decimal, unit: str, component: str) -> Decimal | None:
        if UNIT_OF_COMPONENT.get(component) != "mtok" or unit not in TOKENS_A_PRICE:
            return amount
        if len(amount.as_tuple().digits) > SIGNIFICANT_DIGITS:
            self.cells.wrong("amount", "too_many_digits", text=shown(self.cells.cell("amount")))
            return None
        return per_mtok(amount, unit)

    def _checked(self, amount: Decimal | None, kind: str) -> Decimal | None:
        if amount is None or not self.cells.limited("amount", amount, AMOUNT_BELOW, AMOUNT_DECIMALS):
            return None
        if kind == PriceRow.Kind.FREE and amount:
            self.cells.wrong("amount", "free_with_amount", text=shown(self.cells.cell("amount")))
        elif kind == PriceRow.Kind.PRICE and not amount:
            self.cells.wrong("amount", "zero_without_free")
        return amount

    def _checked_on(self) -> dt.date | None:
        day = self.cells.day("checked_on")
        if day and self.today and day > self.today:
            self.cells.wrong("checked_on", "checked_in_the_future", text=day.isoformat())
        return day

    def _item_once(self) -> ItemFields:
        """The columns of the item, read once for all rows that say them alike and rightly."""
        said = tuple(self.cells.cell(column) for column in self.item_columns)
        known = self.items.get(said)
        if known is not None:
            return known
        before, self.cells.bad = self.cells.bad, False
        fields = self._item_fields()
        if not self.cells.bad and all(isinstance(cell, str) for cell in said):
            self.items[said] = fields
        self.cells.bad = self.cells.bad or before
        return fields

    def _item_fields(self) -> ItemFields:
        cells = self.cells
        vram = cells.number("vram_gb")
        if vram is not None:
            cells.limited("vram_gb", vram, AMOUNT_BELOW, AMOUNT_DECIMALS)
        return ItemFields(
            provider=self._said("provider"),
            label_fr=self._said("label_fr"),
            label_en=self._said("label_en"),
            gpu=cells.text("gpu", GPU_CHARACTERS) or None,
            gpu_count=cells.whole("gpu_count", MOST_GPUS),
            vram_gb=None if vram is None else float(vram),
            interconnect=self._said("interconnect"),
            context_window=cells.whole("context_window"),
            status=cells.choice("status", STATUSES, "") or None,
            retired_on=cells.day("retired_on"),
            replaced_by=cells.text("replaced_by", LENGTHS["code"]) or None,
            aliases=self._aliases(),
        )

    def _said(self, column: str) -> str | None:
        return self.cells.text(column, LENGTHS[column]) or None

    def _aliases(self) -> tuple[str, ...]:
        """Other names, parted by “|”, in small letters, each once."""
        text = self.cells.text("aliases", NOTE_CHARACTERS)
        names = [name.strip().casefold() for name in text.split(ALIASES_PARTED_BY)]
        if any(len(name) > ALIAS_CHARACTERS for name in names):
            self.cells.wrong("aliases", "text_too_long", limit=ALIAS_CHARACTERS)
        return tuple(dict.fromkeys(name for name in names if name))
