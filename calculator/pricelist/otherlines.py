"""One row of a file of exchange rates or of data sheets."""

import datetime as dt
from decimal import Decimal

from django.db import models

from calculator.models import FxRate
from calculator.pricelist.cells import Cells, shown
from calculator.pricelist.columns import SHEETS
from calculator.pricelist.contract import FileKind, Rate, Sheet, SheetValue
from calculator.pricelist.limits import AMOUNT_BELOW, CELL_CHARACTERS, RATE_DECIMALS

BASE = "EUR"
QUOTES = ("USD",)
SOURCES = tuple(FxRate.Source)
URL_CHARACTERS, NOTE_CHARACTERS = 500, 1_000
SHEET_BELOW = Decimal(10) ** 15
SHEET_DECIMALS = 6
COUNT_BELOW = 2**53
"""Counts of parameters: what a workbook still writes without rounding."""


class RateLines:
    """Reads rows of one file of exchange rates: units of a currency for one euro."""

    def __init__(self, cells: Cells, today: dt.date | None) -> None:
        self.cells, self.today = cells, today

    def content(self) -> Rate | None:
        """The row as a rate; None where something in it is wrong."""
        cells = self.cells
        base, quote = cells.needed("base", 3).upper(), cells.needed("quote", 3).upper()
        if base and quote and base != BASE:
            cells.wrong("base", "base_is_not_euro", base=base, quote=quote)
        elif quote and quote not in QUOTES:
            cells.wrong("quote", "not_one_of", text=quote, allowed=QUOTES)
        rate = Rate(
            quote=quote,
            rate=self._rate(),
            rate_date=self._day(),
            source=self._source(),
            source_url=cells.link("source_url", URL_CHARACTERS),
            note=cells.text("note", NOTE_CHARACTERS),
            note_fr=cells.text("note_fr", NOTE_CHARACTERS),
        )
        return None if cells.bad else rate

    def _rate(self) -> Decimal:
        rate = self.cells.number("rate")
        if self.cells.cell("rate") == "":
            self.cells.wrong("rate", "missing")
        if rate is None:
            return Decimal(0)
        if not rate:
            self.cells.wrong("rate", "not_above_zero", text=shown(self.cells.cell("rate")))
        self.cells.limited("rate", rate, AMOUNT_BELOW, RATE_DECIMALS)
        return rate

    def _day(self) -> dt.date:
        day = self.cells.day("rate_date")
        if self.cells.cell("rate_date") == "":
            self.cells.wrong("rate_date", "missing")
        if day and self.today and day > self.today:
            self.cells.wrong("rate_date", "rate_in_the_future", text=day.isoformat())
        return day or dt.date.min

    def _source(self) -> str:
        if self.cells.cell("source") == "":
            self.cells.wrong("source", "missing")
            return ""
        return str(self.cells.choice("source", SOURCES, ""))


class SheetLines:
    """Reads rows of one file of data sheets: each cell as the column of the table is typed, blank ones left out."""

    def __init__(self, kind: FileKind, cells: Cells) -> None:
        self.cells = cells
        self.name_characters = SHEETS[kind]._meta.get_field("name").max_length or 0
        self.fields = [
            field for field in SHEETS[kind]._meta.fields if field.name in cells.places and field.name != "name"
        ]

    def content(self) -> Sheet | None:
        """The row as a sheet; None where something in it is wrong."""
        name = self.cells.needed("name", self.name_characters)
        values = {
            field.name: value
            for field in self.fields
            if self.cells.cell(field.name) != "" and (value := self._value(field)) is not None
        }
        return None if self.cells.bad else Sheet(name, values)

    def _value(self, field: "models.Field[object, object]") -> SheetValue | None:
        if isinstance(field, models.BooleanField):
            return self.cells.flag(field.name)
        if isinstance(field, models.FloatField):
            return self._float(field.name)
        if isinstance(field, models.IntegerField):
            most = {"PositiveSmallIntegerField": 2**15, "PositiveBigIntegerField": COUNT_BELOW}
            return self.cells.whole(field.name, most.get(type(field).__name__, 2**31))
        if field.name == "source":
            return self.cells.text(field.name, CELL_CHARACTERS)
        return self.cells.text(field.name, field.max_length or CELL_CHARACTERS)

    def _float(self, column: str) -> float | None:
        value = self.cells.number(column)
        if value is None or not self.cells.limited(column, value, SHEET_BELOW, SHEET_DECIMALS):
            return None
        if not value:
            self.cells.wrong(column, "not_above_zero", text=shown(self.cells.cell(column)))
        return float(value)
