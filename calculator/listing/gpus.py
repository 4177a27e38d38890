"""The GPU data sheets as a table that sorts."""

import re
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from calculator import formats
from calculator.domain.hardware import Gpu
from calculator.listing.tables import Cell, Column, Head, Key, heads, order, ordered, unknown

COLUMNS = (
    Column("name", gettext_lazy("GPU"), numeric=False),
    Column("memory", gettext_lazy("Mémoire"), gettext_lazy("Go")),
    Column("driver", gettext_lazy("Pilote"), gettext_lazy("Mio")),
    Column("bandwidth", gettext_lazy("Bande passante"), gettext_lazy("Go/s")),
    Column("fp16", gettext_lazy("fp16"), gettext_lazy("TFLOP/s denses")),
    Column("bf16", gettext_lazy("bf16"), gettext_lazy("TFLOP/s denses")),
    Column("fp8", gettext_lazy("fp8"), gettext_lazy("TFLOP/s denses")),
    Column("link", gettext_lazy("Lien"), gettext_lazy("Go/s par sens")),
    Column("tdp", gettext_lazy("Puissance"), gettext_lazy("W")),
    Column("capability", gettext_lazy("Capacité"), gettext_lazy("de calcul"), numeric=False),
)
ADDRESS = re.compile(r"https?://[^\s;]+")


class Source(NamedTuple):
    """One address of a data sheet's source, by its host."""

    host: str
    href: str


class GpuRow(NamedTuple):
    """One data sheet: its cells after the first column, where it comes from, what to beware of."""

    name: str
    detail: str
    cells: tuple[Cell, ...]
    sources: tuple[Source, ...]
    note: str


class GpuTable(NamedTuple):
    """The heads and rows as sorted."""

    heads: tuple[Head, ...]
    rows: tuple[GpuRow, ...]


def table(sheets: Sequence[Gpu], sort: str) -> GpuTable:
    """Every data sheet, in the order asked for."""
    current = order(sort, COLUMNS)
    rows, keys = [_row(sheet) for sheet in sheets], [_keys(sheet) for sheet in sheets]
    return GpuTable(heads(COLUMNS, current), ordered(rows, keys, current))


def sources(text: str) -> tuple[Source, ...]:
    """The addresses named in a source, each host once."""
    found = {urlsplit(address).hostname or address: address for address in ADDRESS.findall(text)}
    return tuple(Source(host, address) for host, address in found.items())


def _row(sheet: Gpu) -> GpuRow:
    return GpuRow(
        name=sheet.name,
        detail=f"{sheet.vendor}, {sheet.architecture}, {sheet.mem_type}".removesuffix(", "),
        cells=(
            _number(sheet.vram_gb),
            _number(sheet.driver_mib),
            _number(sheet.mem_bw_gb_s),
            _peak(sheet.fp16_tflops_dense_fp32acc, native=True),
            _peak(sheet.bf16_tflops_dense, native=sheet.bf16_native),
            _peak(sheet.fp8_tflops_dense, native=sheet.fp8_native),
            _number(sheet.link_gb_s_per_direction, _("sans lien direct")),
            _number(sheet.tdp_w),
            Cell(sheet.compute_capability) if sheet.compute_capability else unknown(_("inconnue")),
        ),
        sources=sources(sheet.source),
        note=sheet.note,
    )


def _keys(sheet: Gpu) -> dict[str, Key]:
    return {
        "name": sheet.name,
        "memory": sheet.vram_gb,
        "driver": sheet.driver_mib,
        "bandwidth": sheet.mem_bw_gb_s,
        "fp16": sheet.fp16_tflops_dense_fp32acc,
        "bf16": sheet.bf16_tflops_dense if sheet.bf16_native else None,
        "fp8": sheet.fp8_tflops_dense if sheet.fp8_native else None,
        "link": sheet.link_gb_s_per_direction,
        "tdp": sheet.tdp_w,
        "capability": sheet.compute_capability or None,
    }


def _number(value: float | None, missing: str = "") -> Cell:
    return unknown(missing or _("inconnu")) if value is None else Cell(formats.number(value))


def _peak(value: float | None, *, native: bool) -> Cell:
    """A peak; a GPU without such units says so, whatever its sheet prints."""
    return _number(value) if native else unknown(_("non natif"))
