"""The shapes of the answers, as the OpenAPI document describes them. Decimals are strings, unrounded; null = unknown.

What stands as a frozen dataclass in the calculators is described from its very fields.
"""

import dataclasses
import types
from typing import Any, Union, get_args, get_origin, get_type_hints

from ninja import Schema
from pydantic import ConfigDict, Field, create_model

from calculator.domain.hardware import Gpu
from calculator.domain.llm import LanguageModel
from calculator.ledger import PricePoint
from calculator.sheets import MEASURED

WRITTEN = {int: int, str: str, bool: bool}
"""Types that stand in JSON as they are; decimals, floats, days and instants are strings."""


def written(kind: Any) -> Any:
    """The type that a field has in JSON."""
    if get_origin(kind) in (Union, types.UnionType):
        inner = next(one for one in get_args(kind) if one is not type(None))
        return written(inner) | None
    return WRITTEN.get(kind, str)


def described(title: str, shape: type, left_out: frozenset[str] = frozenset(), **more: Any) -> type[Schema]:
    """The schema of a dataclass; `more` are fields before its own."""
    hints = get_type_hints(shape)
    own = {one.name: (written(hints[one.name]), ...) for one in dataclasses.fields(shape) if one.name not in left_out}
    found: type[Schema] = create_model(title, __base__=Schema, **{**more, **own})
    return found


class Fault(Schema):
    """One key that is at fault."""

    key: str
    code: str = Field(description="unreadable, unknown, together, missing or impossible")
    message: str


class ProblemDocument(Schema):
    """An error (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
    errors: list[Fault]


class Catalogue(Schema):
    """The version of the catalogue, with its day."""

    version: int
    date: str


class Part(Schema):
    """One part of a list: how many items there are in all, and the address of the next part."""

    count: int
    next: str | None


class CataloguePart(Part):
    """One part of a list at a version of the catalogue and an instant."""

    catalog: Catalogue
    at: str


class Number(Schema):
    """A number with its origin."""

    value: str | None
    unit: str
    kind: str = Field(
        description="measured, published measurement, data sheet, list price, estimate, claim, assumption"
    )
    source: str
    note: str
    date: str | None


class SkuPrices(Schema):
    """Prices of the whole instance without VAT; null = on request."""

    hour: Number | None
    month: Number | None


class Sku(Schema):
    """A dedicated GPU configuration."""

    code: str
    label: str
    gpu: str
    gpu_count: int
    vram_gb: str
    is_test_host: bool
    prices: SkuPrices


class Skus(CataloguePart):
    items: list[Sku]


class Tier(Schema):
    """USD per million tokens where a request's input is above `context_over_tokens`; null = not sold or not known."""

    context_over_tokens: int
    input: Number | None
    cache_read: Number | None
    cache_write_5m: Number | None
    cache_write_1h: Number | None
    output: Number | None


class ApiModel(Schema):
    """A model sold by the token; `modes` are its service levels with their context tiers in rising order."""

    code: str
    label: str
    provider: str
    aliases: list[str]
    retired_on: str | None
    context_window_tokens: int | None
    modes: dict[str, list[Tier]]


class ApiModels(CataloguePart):
    items: list[ApiModel]


GpuSheet = described("GpuSheet", Gpu, frozenset({MEASURED}))
ModelSheet = described("ModelSheet", LanguageModel)
Price = described("Price", PricePoint, kind=(str, ...), code=(str, ...))


class Gpus(Part):
    items: list[GpuSheet]  # type: ignore[valid-type]


class LanguageModels(Part):
    items: list[ModelSheet]  # type: ignore[valid-type]


class Prices(CataloguePart):
    usd_per_eur: Number | None
    items: list[Price]  # type: ignore[valid-type]


class History(CataloguePart):
    kind: str
    code: str
    items: list[Price]  # type: ignore[valid-type]


class Version(Schema):
    """A numbered state of the catalogue."""

    number: int
    kind: str
    created_at: str


class Versions(Part):
    items: list[Version]


class Figure(Schema):
    """A published figure with the conditions it holds under."""

    id: int
    sku: str
    model: str
    metric: str
    value: str
    unit: str
    scope: str
    kind: str
    label: str
    source: str
    date: str
    conditions: str
    precision: str
    engine: str
    input_tokens: int | None
    output_tokens: int | None
    concurrency: int | None
    single_stream: bool
    test_model: bool
    run: str
    exception: str
    published_at: str


class Figures(Part):
    at: str
    items: list[Figure]


class Notice(Schema):
    """A sentence above the result."""

    code: str
    text: str


class Row(Schema):
    """One row as every file of the answer has it; a value that is no number is a word."""

    section: str
    label: str
    value: str | None
    is_number: bool
    unit: str
    kind: str
    source: str
    date: str | None


class Estimate(Schema):
    """An answer. `scenario` has every key of the link; each calculator adds its own sections, described by `rows`."""

    model_config = ConfigDict(extra="allow")

    calculator: str
    schema_: int = Field(alias="schema")
    created_at: str
    permalink: str
    catalog: Catalogue
    at: str
    tax: str
    rounding: str
    defaults: dict[str, str | list[str] | None]
    notices: list[Notice]
    scenario: dict[str, str | list[str] | None]
    rows: list[Row]


class Preset(Schema):
    """A named case."""

    code: str
    title: str
    query: str


class Calculator(Schema):
    """A calculator and its worked cases; `query` is what to append to the address of its estimate."""

    name: str
    title: str
    presets: list[Preset]


class Calculators(Part):
    items: list[Calculator]
