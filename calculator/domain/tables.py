"""The tables of the economics answer: one verdict per API, and the same question at other volumes and utilisations."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from calculator.domain.apibill import Quote, api_bill, month_usd
from calculator.domain.breakeven import Staircase, break_even_utilisation, linear_break_even, staircase_break_even
from calculator.domain.gpubill import Plan, Terms, capacity, gpu_bill, plan
from calculator.domain.offers import Basis, Sku
from calculator.domain.scenario import (
    ApiBill,
    BreakEven,
    Comparison,
    GpuBill,
    Outcome,
    OverviewRow,
    UtilisationCell,
    Verdict,
    VolumeRow,
    YearRow,
)
from calculator.domain.units import MONTHS_A_YEAR, MTOK

MATRIX_VOLUMES_TOKENS = tuple(count * MTOK for count in (10, 50, 100, 300, 500))
"""Stated output volumes of the volume matrix; the visitor's own is put among them."""

GRID_VOLUMES_TOKENS = tuple(count * MTOK for count in (10, 25, 40, 60, 80, 100, 120, 150, 200, 300))
"""Columns of the utilisation × volume table."""

GRID_UTILISATIONS_RATIO = tuple(Decimal(percent) / 100 for percent in (15, 24, 40, 50, 65, 75, 85, 95))
"""Rows of the utilisation × volume table; 24 % is office hours, five days of eight in a week of 168."""

GPU = "gpu"
"""What a table calls the chosen GPU where it would name an API."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """Everything that an estimate has settled before it fills tables: terms, the chosen plan, a quote per API."""

    terms: Terms
    chosen: Plan
    quotes: tuple[Quote, ...]
    reference: Quote | None
    tie_ratio: Decimal

    def served(self, stated_units: Decimal) -> Decimal:
        """Units that reach GPU or API once the response cache has answered its share."""
        return stated_units * self.terms.month.kept_ratio

    def api_eur(self, quoted: Quote | None, stated_units: Decimal) -> Decimal | None:
        """One API's month at a stated volume."""
        if quoted is None:
            return None
        usd = month_usd(quoted, self.served(stated_units), self.terms.month.unit_tokens)
        return self.terms.conversion.eur(usd)


def verdict(gpu_eur: Decimal | None, api_eur: Decimal | None, tie_ratio: Decimal) -> Verdict:
    """Which side costs less; equivalent where the difference is at most `tie_ratio` of the smaller amount.

    >>> verdict(Decimal(105), Decimal(100), Decimal("0.05")).value
    'equivalent'
    """
    if gpu_eur is None or api_eur is None:
        return Verdict.UNKNOWN
    if abs(gpu_eur - api_eur) <= tie_ratio * min(gpu_eur, api_eur):
        return Verdict.EQUIVALENT
    return Verdict.GPU if gpu_eur < api_eur else Verdict.API


def difference_ratio(gpu_eur: Decimal | None, api_eur: Decimal | None) -> Decimal | None:
    """GPU ÷ API − 1; None where a side is unknown or the API is free.

    >>> difference_ratio(Decimal(62), Decimal(100))
    Decimal('-0.38')
    """
    return gpu_eur / api_eur - 1 if gpu_eur is not None and api_eur else None


def break_even(planned: Plan, quoted: Quote, inputs: Inputs) -> BreakEven:
    """Where the plan beats the API, on the axis of stated output tokens; UNKNOWN when a price, a rate or the
    exchange rate is missing, or nothing is output."""
    month = inputs.terms.month
    request_eur = inputs.terms.conversion.eur(quoted.request_usd)
    if request_eur is None or not month.output_tokens or not planned.comparable:
        return BreakEven(Outcome.UNKNOWN)
    if planned.full is None or planned.month_eur is None or planned.price is None:
        return BreakEven(Outcome.UNKNOWN)
    eur_per_token = request_eur / month.output_tokens
    ratio = break_even_utilisation(planned.month_eur + planned.extras_eur, planned.full, eur_per_token)
    if not month.kept_ratio:
        return BreakEven(Outcome.NEVER, utilisation_ratio=ratio)
    planned_tokens = capacity(planned.full, inputs.terms.utilisation.value)
    if planned.is_hours_used:
        gpu_eur_per_token = planned.month_eur / planned_tokens * month.kept_ratio
        return linear_break_even(gpu_eur_per_token, planned.extras_eur, eur_per_token * month.kept_ratio, ratio)
    stairs = Staircase(planned.month_eur, planned_tokens / month.kept_ratio, planned.extras_eur)
    return staircase_break_even(stairs, eur_per_token * month.kept_ratio, ratio)


def _api_bill(quoted: Quote, inputs: Inputs) -> ApiBill:
    month = inputs.terms.month
    served = inputs.served(month.units)
    return api_bill(quoted, served, month.unit_tokens, month.served_tokens, inputs.terms.conversion)


def comparable_total(planned: Plan, bill: GpuBill) -> Decimal | None:
    """The GPU amount that may stand in a verdict: None for test hosts and test models."""
    return bill.total_eur if planned.comparable else None


def is_incomplete(planned: Plan, bill: ApiBill) -> bool:
    """A cost is missing on one side: prompt time not counted, a price unknown."""
    return bool(planned.reasons) or bill.usd is None


def comparisons(inputs: Inputs, chosen_bill: GpuBill) -> tuple[Comparison, ...]:
    """The chosen GPU against each API, in catalogue order."""
    total = comparable_total(inputs.chosen, chosen_bill)
    found = []
    for quoted in inputs.quotes:
        bill = _api_bill(quoted, inputs)
        found.append(
            Comparison(
                bill=bill,
                verdict=verdict(total, bill.eur, inputs.tie_ratio),
                difference_ratio=difference_ratio(total, bill.eur),
                break_even=break_even(inputs.chosen, quoted, inputs),
                incomplete=is_incomplete(inputs.chosen, bill),
            )
        )
    return tuple(found)


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
    eur = [(quoted.api.code, inputs.api_eur(quoted, units)) for quoted in inputs.quotes]
    rows = []
    for sku in skus:
        if sku.is_test_host:
            continue
        shown = _shown_sku(sku, inputs.chosen.sku)
        for basis in _sold(shown, inputs.chosen.basis):
            bill = gpu_bill(plan(shown, basis, inputs.terms), inputs.terms, units)
            verdicts = tuple(
                (code, verdict(bill.total_eur, api, inputs.tie_ratio), difference_ratio(bill.total_eur, api))
                for code, api in eur
            )
            rows.append(OverviewRow(bill, verdicts))
    return tuple(rows)


def _with_own(fixed: tuple[Decimal, ...], own: Decimal) -> list[Decimal]:
    return sorted({*fixed, own})


def volume_rows(inputs: Inputs) -> tuple[VolumeRow, ...]:
    """The volume matrix; empty when nothing is output, as there is no volume to vary."""
    month = inputs.terms.month
    if not month.output_tokens:
        return ()
    return tuple(_volume_row(inputs, volume) for volume in _with_own(MATRIX_VOLUMES_TOKENS, month.volume_tokens))


def _volume_row(inputs: Inputs, volume_tokens: Decimal) -> VolumeRow:
    bill = gpu_bill(inputs.chosen, inputs.terms, volume_tokens)
    total = comparable_total(inputs.chosen, bill)
    amounts = [(quoted.api.code, inputs.api_eur(quoted, volume_tokens)) for quoted in inputs.quotes]
    known = [(code, eur) for code, eur in ((GPU, total), *amounts) if eur is not None]
    return VolumeRow(
        volume_tokens=volume_tokens,
        gpu=bill,
        cells=tuple((code, eur, verdict(total, eur, inputs.tie_ratio)) for code, eur in amounts),
        cheapest=min(known, key=lambda pair: pair[1])[0] if known else "",
        is_current=volume_tokens == inputs.terms.month.volume_tokens,
    )


def utilisation_cells(inputs: Inputs) -> tuple[UtilisationCell, ...]:
    """The utilisation × volume table against the reference API, row by row."""
    month, own = inputs.terms.month, inputs.terms.utilisation.value
    if not month.output_tokens:
        return ()
    volumes = _with_own(GRID_VOLUMES_TOKENS, month.volume_tokens)
    amounts = [(volume, inputs.api_eur(inputs.reference, volume)) for volume in volumes]
    return tuple(
        _utilisation_cell(inputs, ratio, volume, eur)
        for ratio in _with_own(GRID_UTILISATIONS_RATIO, own)
        for volume, eur in amounts
    )


def _utilisation_cell(inputs: Inputs, ratio: Decimal, volume: Decimal, api_eur: Decimal | None) -> UtilisationCell:
    chosen = inputs.chosen
    total = chosen.total_eur(inputs.served(volume), ratio) if chosen.comparable else None
    terms = inputs.terms
    return UtilisationCell(
        utilisation_ratio=ratio,
        volume_tokens=volume,
        verdict=verdict(total, api_eur, inputs.tie_ratio),
        difference_ratio=difference_ratio(total, api_eur),
        is_current=ratio == terms.utilisation.value and volume == terms.month.volume_tokens,
    )


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
    """The GPU first, then each API."""
    reference = inputs.api_eur(inputs.reference, inputs.terms.month.units)
    rows = [year_row(GPU, comparable_total(inputs.chosen, chosen_bill), reference)]
    rows += [year_row(item.bill.api.code, item.bill.eur, reference) for item in compared]
    return tuple(rows)
