"""The SKU table: prices, ratios and €/1M of every configuration for sale, from one estimate of the default scenario."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import NamedTuple

from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from calculator import formats, permalinks
from calculator.domain.hardware import Gpu
from calculator.domain.offers import Basis, Scope, Sku
from calculator.domain.provenance import Kind
from calculator.domain.ratios import dense_tflops, eur_per_gb_h, eur_per_tflops_h
from calculator.domain.scenario import EconomicsEstimate, EconomicsScenario, GpuBill
from calculator.listing.tables import Cell, Column, Head, Key, glyph, heads, order, ordered, unknown
from calculator.presenters import badges
from calculator.presenters.tables import has_single_stream

COLUMNS = (
    Column("code", gettext_lazy("Offre"), numeric=False),
    Column("memory", gettext_lazy("Mémoire"), gettext_lazy("Go")),
    Column("hour", gettext_lazy("€ / h")),
    Column("month", gettext_lazy("€ / mois")),
    Column("per_gb", gettext_lazy("€ / h / Go")),
    Column("per_tflops", gettext_lazy("€ / h / TFLOP/s"), gettext_lazy("16 bits, dense")),
    Column("rate", gettext_lazy("tok/s"), gettext_lazy("sortie")),
    Column("mtok_hour", gettext_lazy("€ / 1M"), gettext_lazy("à l’heure")),
    Column("mtok_month", gettext_lazy("€ / 1M"), gettext_lazy("au mois")),
)


class SkuRow(NamedTuple):
    """One SKU: its cells after the first column, and the links that fit its state."""

    code: str
    detail: str
    cells: tuple[Cell, ...]
    on_request: bool
    estimate_href: str


class Terms(NamedTuple):
    """What the €/1M columns assume."""

    utilisation: str
    hours: str
    single_stream: bool


LEGEND = (Kind.LIST_PRICE, Kind.DATA_SHEET, Kind.MEASURED, Kind.CLAIM, Kind.ASSUMPTION)


class SkuTable(NamedTuple):
    """The heads and rows as sorted, and the badges whose shapes stand in the cells."""

    heads: tuple[Head, ...]
    rows: tuple[SkuRow, ...]
    legend: tuple[SafeString, ...]


def table(estimate: EconomicsEstimate, sheets: Mapping[str, Gpu], sort: str) -> SkuTable:
    """Every SKU of the estimate's overview, once, in the order asked for."""
    bills: dict[str, dict[Basis, GpuBill]] = {}
    for row in estimate.overview:
        bills.setdefault(row.gpu.sku.code, {})[row.gpu.basis] = row.gpu
    rows, keys = [], []
    for found in bills.values():
        sku = next(iter(found.values())).sku
        rows.append(_row(sku, found, sheets.get(sku.gpu), estimate.scenario))
        keys.append(_keys(sku, found, sheets.get(sku.gpu)))
    current = order(sort, COLUMNS)
    return SkuTable(heads(COLUMNS, current), ordered(rows, keys, current), _legend())


def _legend() -> tuple[SafeString, ...]:
    return tuple(badges.html(badges.of_kind(kind)) for kind in LEGEND)


def terms(estimate: EconomicsEstimate) -> Terms:
    """The assumptions of the €/1M columns, as text."""
    return Terms(
        utilisation=formats.percent(estimate.utilisation.value),
        hours=formats.number(estimate.hours_per_month_h.value),
        single_stream=has_single_stream(estimate),
    )


def basis_sold(sku: Sku, wanted: Basis) -> Basis:
    """`wanted` where the SKU is sold so, else the basis it is sold at; by the hour where it has no price at all."""
    return wanted if wanted in sku.prices else next(iter(sku.prices), Basis.HOUR)


def estimate_href(scenario: EconomicsScenario, sku: Sku) -> str:
    """The economics page for this SKU, at the basis it is sold at, everything else as in `scenario`."""
    query = permalinks.write(replace(scenario, sku=sku.code, basis=basis_sold(sku, scenario.basis)))
    return f"{reverse('economics')}?{query}"


def _row(sku: Sku, bills: Mapping[Basis, GpuBill], sheet: Gpu | None, scenario: EconomicsScenario) -> SkuRow:
    return SkuRow(
        code=sku.code,
        detail=sku.label,
        cells=(
            Cell(formats.number(sku.vram_gb), badge=glyph(badges.of_kind(Kind.DATA_SHEET))),
            _price(sku, Basis.HOUR),
            _price(sku, Basis.MONTH),
            _ratio(_per_gb(sku)),
            _ratio(_per_tflops(sku, sheet)),
            _rate(sku),
            _per_mtok(sku, bills.get(Basis.HOUR)),
            _per_mtok(sku, bills.get(Basis.MONTH)),
        ),
        on_request=not sku.prices,
        estimate_href=estimate_href(scenario, sku),
    )


def _keys(sku: Sku, bills: Mapping[Basis, GpuBill], sheet: Gpu | None) -> dict[str, Key]:
    hour, month = sku.prices.get(Basis.HOUR), sku.prices.get(Basis.MONTH)
    return {
        "code": sku.code,
        "memory": sku.vram_gb,
        "hour": hour.value if hour else None,
        "month": month.value if month else None,
        "per_gb": _per_gb(sku),
        "per_tflops": _per_tflops(sku, sheet),
        "rate": sku.throughput.output_tok_per_s.value if sku.throughput else None,
        "mtok_hour": bills[Basis.HOUR].full_eur_per_mtok if Basis.HOUR in bills else None,
        "mtok_month": bills[Basis.MONTH].full_eur_per_mtok if Basis.MONTH in bills else None,
    }


def _per_gb(sku: Sku) -> Decimal | None:
    hour = sku.prices.get(Basis.HOUR)
    return eur_per_gb_h(hour.value, sku.vram_gb) if hour else None


def _per_tflops(sku: Sku, sheet: Gpu | None) -> Decimal | None:
    hour = sku.prices.get(Basis.HOUR)
    return eur_per_tflops_h(hour.value, dense_tflops(sheet, sku.gpu_count)) if hour and sheet else None


def _price(sku: Sku, basis: Basis) -> Cell:
    found = sku.prices.get(basis)
    if found is None:
        return unknown(_("non proposé") if sku.prices else _("sur devis"))
    return Cell(formats.number(found.value, 2), badge=glyph(badges.badge(found)))


def _ratio(value: Decimal | None) -> Cell:
    """A ratio is worth the list price above its line: the data sheet below it ranks as high."""
    if value is None:
        return unknown(_("inconnu"))
    return Cell(formats.number(formats.significant(value)), badge=glyph(badges.of_kind(Kind.LIST_PRICE)))


def _rate(sku: Sku) -> Cell:
    rate = sku.throughput
    if rate is None:
        return unknown(_("inconnu"))
    value = formats.significant(rate.output_tok_per_s.value)
    notes = [_("un seul flux") if rate.single_stream else rate.model]
    if sku.gpu_count > 1 and rate.scope is Scope.GPU:
        notes.append(_("par GPU"))
    note = ", ".join(filter(None, notes))
    return Cell(formats.number(value.normalize()), note, glyph(badges.badge(rate.output_tok_per_s)))


def _per_mtok(sku: Sku, bill: GpuBill | None) -> Cell:
    if bill is None or bill.full_eur_per_mtok is None:
        return unknown(_("non proposé") if sku.prices and bill is None else _("inconnu"))
    return Cell(formats.number(bill.full_eur_per_mtok, 2), badge=glyph(badges.of_kind(bill.trust)))
