"""What our probes measured of each offer's GPU, beside its data sheet: one line a roof, with badge and run."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from django.utils.translation import gettext as _

from calculator import catalog, figures, formats
from calculator.domain.hardware import Gpu, Roofs, bandwidth_bytes_per_s, peak_flop_per_s
from calculator.domain.inference import NotModelledError, link_bytes_per_s
from calculator.domain.provenance import Sourced
from calculator.domain.scenario import EconomicsScenario
from calculator.figures import Figures
from calculator.presenters import quantities
from calculator.presenters.badges import Badge, badge

HALF, EIGHT_BIT = "half_flop_per_s", "fp8_flop_per_s"
COPY, BUS = "copy_bytes_per_s", "bus_bytes_per_s"


class RoofLine(NamedTuple):
    """One measured roof of an offer; `share` is its part of the data sheet, a word where that states none."""

    sku: str
    gpu: str
    name: str
    value: str
    badge: Badge | None
    run: str
    share: str


def table(sheets: Sequence[Gpu]) -> tuple[RoofLine, ...]:
    """The roofs as of now; none while there is no catalogue."""
    try:
        scenario = catalog.default_scenario()
    except catalog.NotFound:
        return ()
    return of_offers(scenario, figures.current(), sheets)


def of_offers(scenario: EconomicsScenario, known: Figures, sheets: Sequence[Gpu]) -> tuple[RoofLine, ...]:
    """The roofs that stand at the scenario's instant, by offer."""
    sold = catalog.sku_choices(scenario.catalog_version, scenario.at)
    gpu_of, by_name = {sku.code: sku.gpu for sku in sold}, {sheet.name: sheet for sheet in sheets}
    found = known.roofs(scenario.at)
    return tuple(
        line for code in sorted(found) for line in of_sku(code, found[code], by_name.get(gpu_of.get(code, "")))
    )


def of_sku(code: str, roofs: Roofs, sheet: Gpu | None) -> Iterator[RoofLine]:
    """The lines of one offer: memory, products, link."""
    for name in (COPY, HALF, EIGHT_BIT, BUS):
        one: Sourced[float] | None = getattr(roofs, name)
        if one is None:
            continue
        peak = None if sheet is None else sheet_value(name, sheet, roofs.bus_members)
        yield RoofLine(
            sku=code,
            gpu=sheet.name if sheet else "",
            name=roof_name(name, roofs.bus_members),
            value=quantities.scaled(one.value, one.unit),
            badge=badge(one),
            run=one.reference,
            share=formats.percent(one.value / peak, 1) if peak else _("inconnu"),
        )


def roof_name(name: str, members: int) -> str:
    """What was measured, in words."""
    known = {
        COPY: _("Copie en mémoire"),
        HALF: _("Produits en 16 bits"),
        EIGHT_BIT: _("Produits en fp8"),
        BUS: _("Échange entre %(count)s GPU") % {"count": formats.number(members)},
    }
    return known[name]


def sheet_value(name: str, sheet: Gpu, members: int) -> float | None:
    """What the data sheet states of the same; a link's is one way's, as the bus bandwidth counts it."""
    match name:
        case "copy_bytes_per_s":
            return bandwidth_bytes_per_s(sheet)
        case "half_flop_per_s":
            return peak_flop_per_s(sheet, "bf16" if sheet.bf16_native else "fp16")
        case "fp8_flop_per_s":
            return peak_flop_per_s(sheet, "fp8")
    try:
        return link_bytes_per_s(sheet, max(2, members))[0]
    except NotModelledError:
        return None
