"""The chosen GPU against each API: what each side costs, the verdict, and where the break-even lies."""

from dataclasses import dataclass
from decimal import Decimal

from calculator.domain.apibill import Quote, api_bill, month_usd
from calculator.domain.breakeven import (
    Staircase,
    break_even_utilisation,
    hourly_break_even,
    linear_break_even,
    staircase_break_even,
)
from calculator.domain.gpubill import Plan, Terms, capacity
from calculator.domain.scenario import ApiBill, BillingStep, BreakEven, Comparison, GpuBill, Outcome, Verdict


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
        return None if quoted is None else self.served_eur(quoted, self.served(stated_units))

    def served_eur(self, quoted: Quote, units: Decimal) -> Decimal | None:
        """One API's month for the units that reach it."""
        return self.terms.conversion.eur(month_usd(quoted, units, self.terms.month.unit_tokens))


def verdict(gpu_eur: Decimal | None, api_eur: Decimal | None, tie_ratio: Decimal) -> Verdict:
    """Which side costs less; equivalent where the difference is at most `tie_ratio` of the smaller amount.

    >>> verdict(Decimal(105), Decimal(100), Decimal("0.05")).value
    'equivalent'
    """
    if gpu_eur is None or api_eur is None:
        return Verdict.UNKNOWN
    if gpu_eur < api_eur:
        return Verdict.EQUIVALENT if api_eur - gpu_eur <= tie_ratio * gpu_eur else Verdict.GPU
    return Verdict.EQUIVALENT if gpu_eur - api_eur <= tie_ratio * api_eur else Verdict.API


def difference_ratio(gpu_eur: Decimal | None, api_eur: Decimal | None) -> Decimal | None:
    """GPU ÷ API − 1; None where a side is unknown or the API is free.

    >>> difference_ratio(Decimal(62), Decimal(100))
    Decimal('-0.38')
    """
    return gpu_eur / api_eur - 1 if gpu_eur is not None and api_eur else None


def _api_eur_per_token(quoted: Quote, inputs: Inputs) -> Decimal | None:
    """What one stated output token costs on the API, its share of the prompt included, cached answers free."""
    month = inputs.terms.month
    request_eur = inputs.terms.conversion.eur(quoted.request_usd)
    if request_eur is None or not month.output_tokens:
        return None
    return request_eur * month.kept_ratio / month.output_tokens


def break_even(planned: Plan, quoted: Quote, inputs: Inputs) -> BreakEven:
    """Where the plan beats the API, on the axis of stated output tokens; UNKNOWN when a price, a rate or the
    exchange rate is missing, or nothing is output. NEVER against an API that costs nothing."""
    eur_per_token = _api_eur_per_token(quoted, inputs)
    if eur_per_token is None or not planned.comparable or planned.full is None or planned.month_eur is None:
        return BreakEven(Outcome.UNKNOWN)
    if not eur_per_token:
        return BreakEven(Outcome.NEVER)
    full = planned.full / inputs.terms.month.kept_ratio
    ratio = break_even_utilisation(planned.month_eur + planned.extras_eur, full, eur_per_token)
    stairs = Staircase(planned.month_eur, capacity(full, inputs.terms.utilisation.value), planned.extras_eur)
    if not planned.is_hours_used:
        return staircase_break_even(stairs, eur_per_token, ratio)
    if planned.billing_step is BillingStep.HOUR:
        return hourly_break_even(_of_an_hour(stairs, planned.hours_h.value), eur_per_token, ratio)
    return linear_break_even(stairs, eur_per_token, ratio)


def _of_an_hour(stairs: Staircase, hours_h: Decimal) -> Staircase:
    """The month's staircase with a step for each of its hours."""
    return Staircase(stairs.step_eur / hours_h, stairs.capacity_tokens / hours_h, stairs.fixed_eur)


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
