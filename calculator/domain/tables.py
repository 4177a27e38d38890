"""The same question for other SKUs, volumes and utilisations, and over a year."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from decimal import Decimal

from calculator.domain.comparison import Inputs, comparable_total, difference_ratio, verdict
from calculator.domain.gpubill import gpu_bill, plan
from calculator.domain.offers import Basis, Sku
from calculator.domain.scenario import Comparison, GpuBill, OverviewRow, UtilisationCell, VolumeRow, YearRow
from calculator.domain.units import MONTHS_A_YEAR, MTOK

MATRIX_VOLUMES_TOKENS = tuple(count * MTOK for count in (10, 50, 100, 300, 500))
"""Stated output volumes of the volume matrix; the visitor's own is put among them."""

GRID_VOLUMES_TOKENS = tuple(count * MTOK for count in (10, 25, 40, 60, 80, 100, 120, 150, 200, 300))
"""Columns of the utilisation × volume table."""

GRID_UTILISATIONS_RATIO = tuple(Decimal(percent) / 100 for percent in (15, 24, 40, 50, 65, 75, 85, 95))
"""Rows of the utilisation × volume table; 24 % is office hours, five days of eight in a week of 168."""

GPU = "gpu"
"""What a table calls the chosen GPU where it would name an API."""


def _sold(sku: Sku, fallback: Basis) -> Iterator[Basis]:
    sold = [basis for basis in Basis if basis in sku.prices]
    yield from sold or [fallback]


def _shown_sku(sku: Sku, chosen: Sku) -> Sku:
    shown = chosen if sku.code == chosen.code else sku
    if shown.throughput is not None and shown.throughput.test_model:
        return replace(sku, throughput=None if sku.throughput is None or sku.throughput.test_model else sku.throughput)
    return shown


def overview(inputs: Inputs, skus: tuple[Sku, ...]) -> tuple[OverviewRow, ...]:
    """Each SKU at each basis it is sold at against each API; a SKU without a price keeps one row, without verdicts."""
    units = inputs.terms.month.units
    eur = _api_months(inputs, units)
    rows = []
    for sku in skus:
        if sku.is_test_host:
            continue
        shown = _shown_sku(sku, inputs.chosen.sku)
        for basis in _sold(shown, inputs.chosen.basis):
            planned = plan(shown, basis, inputs.terms)
            bill = gpu_bill(planned, inputs.terms, units)
            verdicts = tuple(
                (code, verdict(bill.total_eur, api, inputs.tie_ratio), difference_ratio(bill.total_eur, api))
                for code, api in eur
            )
            rows.append(OverviewRow(bill, verdicts, planned.omits_prompt_time))
    return tuple(rows)


def _api_months(inputs: Inputs, stated_units: Decimal) -> list[tuple[str, Decimal | None]]:
    """Code and month of each API at a stated volume."""
    units = inputs.served(stated_units)
    return [(quoted.api.code, inputs.served_eur(quoted, units)) for quoted in inputs.quotes]


def _with_own(fixed: tuple[Decimal, ...], own: Decimal) -> list[Decimal]:
    return sorted({*fixed, own})


def cheapest(amounts: Iterable[tuple[str, Decimal | None]]) -> str:
    """The code of the smallest known amount; empty when fewer than two are known, as one alone beats nobody."""
    known = [(code, amount) for code, amount in amounts if amount is not None]
    return min(known, key=lambda pair: pair[1])[0] if len(known) > 1 else ""


def volume_rows(inputs: Inputs) -> tuple[VolumeRow, ...]:
    """The volume matrix; empty when nothing is output, as there is no volume to vary."""
    month = inputs.terms.month
    if not month.output_tokens:
        return ()
    return tuple(_volume_row(inputs, volume) for volume in _with_own(MATRIX_VOLUMES_TOKENS, month.volume_tokens))


def _volume_row(inputs: Inputs, volume_tokens: Decimal) -> VolumeRow:
    bill = gpu_bill(inputs.chosen, inputs.terms, volume_tokens)
    total = comparable_total(inputs.chosen, bill)
    amounts = _api_months(inputs, volume_tokens)
    return VolumeRow(
        volume_tokens=volume_tokens,
        gpu=bill,
        cells=tuple((code, eur, verdict(total, eur, inputs.tie_ratio)) for code, eur in amounts),
        cheapest=cheapest([(GPU, total), *amounts]),
        is_current=volume_tokens == inputs.terms.month.volume_tokens,
        incomplete=inputs.chosen.omits_prompt_time,
    )


def utilisation_cells(inputs: Inputs) -> tuple[UtilisationCell, ...]:
    """The utilisation × volume table against the reference API, row by row."""
    month, own = inputs.terms.month, inputs.terms.utilisation.value
    if not month.output_tokens:
        return ()
    volumes = _with_own(GRID_VOLUMES_TOKENS, month.volume_tokens)
    columns = [(volume, inputs.served(volume), inputs.api_eur(inputs.reference, volume)) for volume in volumes]
    return tuple(
        cell for ratio in _with_own(GRID_UTILISATIONS_RATIO, own) for cell in _utilisation_row(inputs, ratio, columns)
    )


def _utilisation_row(
    inputs: Inputs, ratio: Decimal, columns: list[tuple[Decimal, Decimal, Decimal | None]]
) -> Iterator[UtilisationCell]:
    chosen, terms, tie = inputs.chosen, inputs.terms, inputs.tie_ratio
    own_volume = terms.month.volume_tokens if ratio == terms.utilisation.value else None
    total_eur = chosen.totals_at(ratio) if chosen.comparable else None
    incomplete = chosen.omits_prompt_time
    for volume, served, api_eur in columns:
        total = total_eur(served) if total_eur else None
        found, difference = verdict(total, api_eur, tie), difference_ratio(total, api_eur)
        yield UtilisationCell(ratio, volume, found, difference, volume == own_volume, incomplete)


def year_row(code: str, month_eur: Decimal | None, reference_eur: Decimal | None) -> YearRow:
    """Twelve months and what they save against the reference's twelve; negative where it costs more.

    >>> year_row("gpt-4.1", Decimal(80), Decimal(150)).saving_year_eur
    Decimal('840')
    """
    if month_eur is None:
        return YearRow(code, None, None, None, None)
    year = month_eur * MONTHS_A_YEAR
    if reference_eur is None:
        return YearRow(code, month_eur, year, None, None)
    saving = reference_eur * MONTHS_A_YEAR - year
    return YearRow(code, month_eur, year, saving, 1 - month_eur / reference_eur if reference_eur else None)


def years(inputs: Inputs, chosen_bill: GpuBill, compared: tuple[Comparison, ...]) -> tuple[YearRow, ...]:
    """The GPU first, then each API. A test host has a year of its own, but saves against nobody."""
    reference = inputs.api_eur(inputs.reference, inputs.terms.month.units)
    rows = [year_row(GPU, chosen_bill.total_eur, reference if inputs.chosen.comparable else None)]
    rows += [year_row(item.bill.api.code, item.bill.eur, reference) for item in compared]
    return tuple(rows)
