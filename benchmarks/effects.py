"""What a publication would change, computed by the calculators themselves with figures that are nowhere stored."""

import dataclasses
import datetime as dt
from collections.abc import Sequence
from decimal import Decimal

from django.utils import timezone

from benchmarks import publishing
from benchmarks.publishing import Candidate
from calculator import catalog, figures
from calculator.domain import economics
from calculator.domain.offers import Basis
from calculator.domain.scenario import EconomicsScenario, GpuBill
from calculator.models import Figure


@dataclasses.dataclass(frozen=True, slots=True)
class Change:
    """One number before and after. None = not known, for want of a rate or of a price."""

    before: float | Decimal | None
    after: float | Decimal | None

    @property
    def ratio(self) -> float | None:
        """After ÷ before − 1; None where either is not known."""
        if self.before is None or self.after is None or not self.before:
            return None
        return float(self.after) / float(self.before) - 1


@dataclasses.dataclass(frozen=True, slots=True)
class Effect:
    """One SKU at one price basis: output rate, € per million tokens of the usual month, and at full planned use."""

    sku: str
    model: str
    basis: Basis
    rate: Change
    eur_per_mtok: Change
    full_eur_per_mtok: Change


def of(offered: Candidate, at: dt.datetime | None = None) -> list[Effect]:
    """Each basis of the SKU for the model's default workload, before and after; empty when nothing can be published."""
    sku, model = publishing.sku_of(offered.run), publishing.language_model_of(offered.run)
    if not sku or not model or not offered.loads:
        return []
    now = (at or timezone.now()).astimezone(dt.UTC).replace(microsecond=0)
    rows = [Figure(**values) for values in publishing.figures_of(offered, sku, model, now)]
    known, then = figures.current(), with_rows(figures.current(), rows)
    scenario = dataclasses.replace(catalog.default_scenario(now), sku=sku.code, model=model.name)
    before, after = bills(scenario, known), bills(scenario, then)
    return [effect(before[basis], after[basis], model.name) for basis in Basis]


def with_rows(known: figures.Figures, rows: Sequence[Figure]) -> figures.Figures:
    """The figures as they would stand with `rows` published last, under numbers that no stored figure has."""
    for number, row in enumerate(rows, start=known.stamp[0] + 1):
        row.pk = number
    return figures.Figures(
        stamp=known.stamp,
        rows=(*reversed(rows), *known.rows),
        changes=tuple(sorted({*known.changes, *(row.published_at for row in rows)})),
    )


def bills(scenario: EconomicsScenario, known: figures.Figures) -> dict[Basis, GpuBill]:
    """The month on the SKU at each basis, as the economics page computes it."""
    return dict(economics.estimate(scenario, catalog.for_economics(scenario, known)).bases)


def effect(before: GpuBill, after: GpuBill, model: str) -> Effect:
    return Effect(
        sku=after.sku.code,
        model=model,
        basis=after.basis,
        rate=Change(rate(before), rate(after)),
        eur_per_mtok=Change(before.eur_per_mtok, after.eur_per_mtok),
        full_eur_per_mtok=Change(before.full_eur_per_mtok, after.full_eur_per_mtok),
    )


def rate(bill: GpuBill) -> float | None:
    return bill.throughput.output_tok_per_s.value if bill.throughput else None
