"""The columns of each kind of file: their names, which are needed, and how a header tells the kind."""

from collections.abc import Iterable, Mapping

from django.db import models

from calculator.models import Gpu, LanguageModel
from calculator.pricelist.contract import FileKind, PriceFileError

CHECKED = ("source_url", "checked_on", "note", "note_fr")
ITEM = ("provider", "label_fr", "label_en")
COLUMNS: Mapping[FileKind, tuple[str, ...]] = {
    FileKind.GPU: (
        *("sku", "component", "kind", "amount", "currency", "unit", "mode", "region", "window"),
        *("valid_from", "valid_until", *ITEM, "gpu", "gpu_count", "vram_gb", "interconnect", "status", "retired_on"),
        *("replaced_by", "aliases", *CHECKED),
    ),
    FileKind.LLM: (
        *("model", "item_kind", "component", "kind", "mode", "context_over", "amount", "currency", "unit"),
        *("region", "window", "valid_from", "valid_until", *ITEM, "aliases", "context_window", "status"),
        *("retired_on", "replaced_by", *CHECKED),
    ),
    FileKind.FX: ("rate_date", "base", "quote", "rate", "source", "source_url", "note", "note_fr"),
    FileKind.GPU_SHEET: tuple(field.name for field in Gpu._meta.fields if not field.primary_key),
    FileKind.MODEL_SHEET: tuple(field.name for field in LanguageModel._meta.fields if not field.primary_key),
}
CODE_COLUMN: Mapping[FileKind, str] = {FileKind.GPU: "sku", FileKind.LLM: "model"}
NEEDED: Mapping[FileKind, tuple[str, ...]] = {
    FileKind.GPU: ("sku", "component", "amount", "currency", "unit"),
    FileKind.LLM: ("model", "component", "amount", "currency", "unit"),
    FileKind.FX: ("rate_date", "base", "quote", "rate", "source"),
    FileKind.GPU_SHEET: ("name",),
    FileKind.MODEL_SHEET: ("name",),
}
"""Columns that a file of the kind must have; one that states items only needs none of the columns of a price."""
OF_A_PRICE = ("component", "kind", "mode", "context_over", "amount", "currency", "unit", "window", "valid_until")
NUMBERS: Mapping[FileKind, tuple[str, ...]] = {
    FileKind.GPU: ("amount", "vram_gb"),
    FileKind.LLM: ("amount",),
    FileKind.FX: ("rate",),
    FileKind.GPU_SHEET: tuple(field.name for field in Gpu._meta.fields if isinstance(field, models.FloatField)),
    FileKind.MODEL_SHEET: (),
}
"""The columns whose cells decide the decimal mark."""
SHEETS: Mapping[FileKind, type[Gpu] | type[LanguageModel]] = {
    FileKind.GPU_SHEET: Gpu,
    FileKind.MODEL_SHEET: LanguageModel,
}
HEADER_CHARACTERS, HEADERS_SHOWN = 60, 20
LEAST_OWN = 2
"""Columns that only one kind has: so many of them in a header tell the kind."""


def needed_of_new_sheet(kind: FileKind) -> tuple[str, ...]:
    """The columns without which a new data sheet cannot be recorded."""
    return tuple(
        field.name
        for field in SHEETS[kind]._meta.fields
        if not (field.primary_key or field.null or field.blank or field.has_default())
    )


def folded(header: str) -> str:
    """A header as columns are named: small letters, no spaces around."""
    return header.strip().casefold()


def named(header: Iterable[str], mapping: Mapping[str, str]) -> tuple[str, ...]:
    """Each header's column: as mapped, else its own name. "" = left out by the mapping, or no header."""
    by_folded = {folded(name): column for name, column in mapping.items()}
    return tuple(by_folded.get(folded(name), folded(name)) for name in header)


def recognised(columns: Iterable[str]) -> Mapping[FileKind, int]:
    """How many of the columns each kind knows."""
    found = [column for column in columns if column]
    return {kind: sum(column in known for column in found) for kind, known in COLUMNS.items()}


def kind_of(columns: Iterable[str]) -> FileKind:
    """The kind that the columns tell by what only it has. PriceFileError: kind_unknown."""
    found = {column for column in columns if column}
    if "sku" in found:
        return FileKind.GPU
    if "model" in found:
        return FileKind.LLM
    if {"rate", "quote"} & found:
        return FileKind.FX
    if "name" in found:
        own = {kind: len(found & set(COLUMNS[kind])) for kind in SHEETS}
        best = max(own, key=lambda kind: own[kind])
        if own[best] >= LEAST_OWN and len(set(own.values())) > 1:
            return best
    shown = tuple(column[:HEADER_CHARACTERS] for column in sorted(found))
    raise PriceFileError("kind_unknown", columns=shown[:HEADERS_SHOWN])
