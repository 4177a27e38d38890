"""Parsed files for tests, built by hand: what the readers hand over, without any file."""

import datetime as dt
from decimal import Decimal
from typing import Any

from calculator.models import UNIT_OF_COMPONENT, Audience, CatalogItem
from calculator.pricelist.contract import (
    Content,
    FileFormat,
    FileKind,
    Item,
    ItemFields,
    LineProblem,
    ParsedFile,
    ParsedLine,
    Price,
    Rate,
    Sheet,
)
from calculator.pricelist.diff import compare
from calculator.pricelist.known import known_of
from calculator.pricelist.plan import Diff, Entry
from tests import factories as make

MODES = {"instance_hour": "on_demand", "instance_month": "reserved"}


def price(code: str, component: str, amount: str | None, **values: Any) -> Price:
    """A price of a SKU (a machine's component) or of an API model."""
    is_machine = component.startswith("instance")
    defaults = {
        "item_kind": CatalogItem.Kind.GPU_SKU.value if is_machine else "",
        "mode": MODES.get(component, "standard"),
        "region": "*",
        "context_over": 0,
        "window": "all",
        "currency": "EUR" if is_machine else "USD",
        "unit": UNIT_OF_COMPONENT[component],
        "kind": "withdrawn" if amount is None else "price",
    }
    return Price(
        code=code,
        component=component,
        amount=None if amount is None else Decimal(amount),
        **{**defaults, **values},
    )


def rate(day: str, value: str, **values: Any) -> Rate:
    """Dollars for one euro on a day."""
    return Rate(**{"quote": "USD", "rate": Decimal(value), "rate_date": day_of(day), "source": "ECB", **values})


def sku(code: str, **values: Any) -> Item:
    """A SKU without a price."""
    return Item("gpu_sku", code, sku_fields(**values))


def sku_fields(**values: Any) -> ItemFields:
    """The columns that a new SKU needs."""
    defaults = {
        "provider": "VMCloud",
        "label_fr": "Une carte",
        "label_en": "One card",
        "gpu": "RTX 4090",
        "gpu_count": 1,
        "vram_gb": 24.0,
    }
    return ItemFields(**{**defaults, **values})


def sheet(name: str, **values: Any) -> Sheet:
    """A data sheet."""
    return Sheet(name, values)


def day_of(text: str) -> dt.date:
    return dt.date.fromisoformat(text)


def instant(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text).astimezone(dt.UTC)


def file(*contents: Content, kind: FileKind = FileKind.GPU, problems: tuple[LineProblem, ...] = ()) -> ParsedFile:
    """A file whose lines count from 2, below a header."""
    lines = tuple(ParsedLine(number, f"line {number}", one) for number, one in enumerate(contents, start=2))
    return ParsedFile(kind, FileFormat.CSV, "utf-8", ";", ",", lines, problems, rows_count=len(lines))


def diff(*contents: Content, at: dt.datetime | None = None, audience: str = Audience.PUBLIC, **values: Any) -> Diff:
    """The lines against the newest version."""
    at = at or make.NOW
    return compare(file(*contents, **values), known_of(make.newest_version().number, audience), at)


def entry(*contents: Content, **values: Any) -> Entry:
    """The only entry of a diff."""
    found = diff(*contents, **values)
    assert len(found.entries) == 1, found.entries
    return found.entries[0]


def codes(found: Diff) -> list[tuple[int, str]]:
    """Line and code of every problem."""
    return [(problem.line_no, problem.code) for problem in found.problems]
