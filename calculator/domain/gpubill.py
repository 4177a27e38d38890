"""What a month of traffic costs on dedicated GPUs: capacity, whole instances, paid hours, the bill.

Utilisation is the share of paid hours in which the GPU produces at the stated throughput. It sets what an instance
can carry; it is never multiplied into the bill, because an idle GPU is paid all the same.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from typing import NamedTuple

from calculator.domain.apibill import Conversion
from calculator.domain.offers import Basis, Scope, Sku, Throughput
from calculator.domain.provenance import Kind, Sourced, weakest
from calculator.domain.scenario import BillingStep, GpuBill, Message, Rental
from calculator.domain.units import HOUR_S, MTOK, to_decimal
from calculator.domain.workload import Demand

PROMPT_TIME_NOT_COUNTED = "prompt_time_not_counted"
"""Code of the message that there is a prompt and no rate to read it at."""

SAME_COUNT_RATIO = Decimal("1e-18")
"""A ratio this little above a whole number is that number: a division of 28 digits may leave a last-digit remainder."""


@dataclass(frozen=True, slots=True)
class Speed:
    """Tokens a second of one whole instance; prefill None = prompt time unknown."""

    output_tok_per_s: Decimal
    prefill_tok_per_s: Decimal | None


def instance_speed(throughput: Throughput, gpu_count: int) -> Speed:
    """The throughput of a whole instance: figures stated for one GPU × the number of GPUs."""
    gpus = gpu_count if throughput.scope is Scope.GPU else 1
    prefill = throughput.prefill_tok_per_s
    return Speed(
        output_tok_per_s=to_decimal(throughput.output_tok_per_s.value) * gpus,
        prefill_tok_per_s=None if prefill is None else to_decimal(prefill.value) * gpus,
    )


def request_seconds(prompt_tokens: Decimal, output_tokens: Decimal, speed: Speed) -> tuple[Decimal, Decimal]:
    """GPU time of one request, prompt ÷ prefill rate + output ÷ decode rate, as numerator and denominator in seconds.

    A fraction, so that capacities of round rates come out round. An unknown prefill rate leaves the prompt out; the
    caller says so.

    >>> request_seconds(Decimal(2000), Decimal(500), Speed(Decimal(50), Decimal(1000)))
    (Decimal('600000'), Decimal('50000'))
    """
    decode = speed.output_tok_per_s
    prefill = speed.prefill_tok_per_s
    if not prompt_tokens or prefill is None:
        return output_tokens, decode
    return prompt_tokens * decode + output_tokens * prefill, prefill * decode


def full_units(month: Demand, speed: Speed, hours_h: Decimal) -> Decimal | None:
    """Units of traffic that one instance serves in `hours_h` without a pause; None when the GPU time is unknown or nil.

    For GPU-PRO in 720 h, output only: 64 tok/s × 3 600 × 720 = 165.888 M tokens.

    >>> month = Demand(Decimal(1), Decimal(500), Decimal(0), Decimal(500), Decimal(0), Decimal(1))
    >>> full_units(month, Speed(Decimal(64), None), Decimal(720))
    Decimal('165888000')
    """
    seconds, per = request_seconds(month.prompt_tokens, month.output_tokens, speed)
    return HOUR_S * hours_h * month.unit_tokens * per / seconds if seconds else None


def capacity(full: Decimal, utilisation_ratio: Decimal) -> Decimal:
    """Planned capacity of one instance: what it could serve without a pause × the planned utilisation.

    >>> capacity(Decimal(165_888_000), Decimal("0.65")) / 10**6
    Decimal('107.8272')
    """
    return full * utilisation_ratio


def rounded_up(ratio: Decimal) -> Decimal:
    """The next whole number, with the last digit of a division forgiven.

    >>> rounded_up(Decimal(300) / Decimal("107.8272"))
    Decimal('3')
    """
    below = ratio.to_integral_value(ROUND_FLOOR)
    return below if ratio - below <= below * SAME_COUNT_RATIO else below + 1


def instances_for(units: Decimal, capacity_units: Decimal) -> int:
    """Whole instances that carry `units` a month; a rented service keeps at least one.

    >>> instances_for(Decimal(100_000_000), Decimal(37_065_600 * 65) / 65)
    3
    """
    return int(rounded_up(units / capacity_units)) or 1


def billed_hours(hours_h: Decimal, step: BillingStep) -> Decimal:
    """Used hours rounded up to the billing step, once, on the month's total.

    >>> billed_hours(Decimal("344.6306"), BillingStep.HOUR)
    Decimal('345')
    """
    if step is BillingStep.HOUR:
        return rounded_up(hours_h)
    return rounded_up(hours_h * HOUR_S) / HOUR_S


@dataclass(frozen=True, slots=True)
class Plan:
    """One SKU at one price basis under the scenario's assumptions: everything about it that volume does not change.

    `full` is one instance's month at 100 % in units of traffic; `month_eur` that instance's rental for the month.
    """

    sku: Sku
    basis: Basis
    rental: Rental
    billing_step: BillingStep
    hours_h: Sourced[Decimal]
    extras_eur: Decimal
    price: Sourced[Decimal] | None
    throughput: Throughput | None
    full: Decimal | None
    month_eur: Decimal | None
    reasons: tuple[Message, ...]
    trust: Kind | None

    @property
    def is_hours_used(self) -> bool:
        """Monthly prices are always on, whatever the rental asked for."""
        return self.rental is Rental.HOURS_USED and self.basis is Basis.HOUR

    @property
    def is_test(self) -> bool:
        """Figures of test hosts and test models are shown, never compared."""
        return self.sku.is_test_host or (self.throughput is not None and self.throughput.test_model)

    @property
    def omits_prompt_time(self) -> bool:
        """There is a prompt and no rate to read it at: the GPU looks faster than it will be."""
        return any(reason.code == PROMPT_TIME_NOT_COUNTED for reason in self.reasons)

    @property
    def comparable(self) -> bool:
        """A bill exists and may stand in a verdict."""
        return self.month_eur is not None and self.full is not None and not self.is_test

    def rented(self, full: Decimal, units: Decimal, utilisation_ratio: Decimal) -> "Rented":
        """What `units` served take and cost. An always-on month is its stated hours × instances: there is nothing to
        round up. `full` is the plan's own, known."""
        carried = capacity(full, utilisation_ratio)
        count = instances_for(units, carried)
        if self.is_hours_used:
            paid_h = billed_hours(units * self.hours_h.value / carried, self.billing_step)
            bill = None if self.price is None else paid_h * self.price.value
        else:
            paid_h = count * self.hours_h.value
            bill = None if self.month_eur is None else count * self.month_eur
        return Rented(carried, count, paid_h, bill, None if bill is None else bill + self.extras_eur)

    def totals_at(self, utilisation_ratio: Decimal) -> Callable[[Decimal], Decimal | None]:
        """The total of any volume at one utilisation, with all that the volume does not change worked out once."""
        full, month_eur, extras_eur = self.full, self.month_eur, self.extras_eur
        if full is None or month_eur is None:
            return lambda units: None
        if self.is_hours_used:
            return lambda units: self.rented(full, units, utilisation_ratio).total_eur
        carried = capacity(full, utilisation_ratio)
        return lambda units: instances_for(units, carried) * month_eur + extras_eur


class Rented(NamedTuple):
    """What a volume takes of one SKU: units that an instance carries as planned, whole instances, hours on the bill,
    the rental, and the rental with the extra costs; money None where there is no price."""

    carried_units: Decimal
    instances: int
    paid_h: Decimal
    bill_eur: Decimal | None
    total_eur: Decimal | None


@dataclass(frozen=True, slots=True)
class Terms:
    """What the scenario fixes for every SKU alike."""

    month: Demand
    rental: Rental
    billing_step: BillingStep
    hours_h: Sourced[Decimal]
    utilisation: Sourced[Decimal]
    extras_eur: Decimal
    conversion: Conversion


def _reasons(month: Demand, sku: Sku, price: Sourced[Decimal] | None, full: Decimal | None) -> tuple[Message, ...]:
    found = []
    if price is None:
        found.append(Message("price_on_request", field="price_eur"))
    if sku.throughput is None:
        found.append(Message("no_throughput", field="rate_tok_per_s"))
    elif month.prompt_tokens and sku.throughput.prefill_tok_per_s is None:
        found.append(Message(PROMPT_TIME_NOT_COUNTED, field="prefill_tok_per_s"))
    elif full is None:
        found.append(Message("no_gpu_time", field="output_tokens"))
    return tuple(found)


def plan(sku: Sku, basis: Basis, terms: Terms) -> Plan:
    """The volume-independent part of a SKU's bill."""
    price = sku.prices.get(basis)
    full = None
    if sku.throughput is not None:
        full = full_units(terms.month, instance_speed(sku.throughput, sku.gpu_count), terms.hours_h.value)
    hours = terms.hours_h.value if basis is Basis.HOUR else 1
    return Plan(
        sku=sku,
        basis=basis,
        rental=terms.rental,
        billing_step=terms.billing_step,
        hours_h=terms.hours_h,
        extras_eur=terms.extras_eur,
        price=price,
        throughput=sku.throughput,
        full=full,
        month_eur=None if price is None else price.value * hours,
        reasons=_reasons(terms.month, sku, price, full),
        trust=weakest(_trust_inputs(price, sku.throughput, terms)),
    )


def _trust_inputs(
    price: Sourced[Decimal] | None, throughput: Throughput | None, terms: Terms
) -> list[Sourced[Decimal] | Sourced[float]]:
    inputs: list[Sourced[Decimal] | Sourced[float]] = [terms.hours_h, terms.utilisation]
    if price is not None:
        inputs.append(price)
    if throughput is not None:
        inputs.append(throughput.output_tok_per_s)
        if terms.month.prompt_tokens and throughput.prefill_tok_per_s is not None:
            inputs.append(throughput.prefill_tok_per_s)
    return inputs


def eur_per_mtok(total_eur: Decimal | None, tokens: Decimal) -> Decimal | None:
    """A cost ÷ the output it bought, per million tokens; None when nothing was output.

    GPU-PRO by the month at 100 M tokens:

    >>> eur_per_mtok(Decimal("830.64"), Decimal(100_000_000))
    Decimal('8.3064')
    """
    return None if total_eur is None or not tokens else total_eur * MTOK / tokens


def _sized(planned: Plan, terms: Terms, stated_units: Decimal, full: Decimal) -> GpuBill:
    kept_ratio, outputs = terms.month.kept_ratio, bool(terms.month.output_tokens)
    units = stated_units * kept_ratio
    carried, count, paid_h, bill, total = planned.rented(full, units, terms.utilisation.value)
    productive_h = units * planned.hours_h.value / full
    filled = None if planned.month_eur is None else count * planned.month_eur + planned.extras_eur
    return GpuBill(
        sku=planned.sku,
        basis=planned.basis,
        price=planned.price,
        throughput=planned.throughput,
        capacity_tokens=carried if outputs else None,
        step_tokens=carried / kept_ratio if outputs and kept_ratio else None,
        instances=count,
        paid_h=paid_h,
        productive_h=productive_h,
        implied_utilisation_ratio=productive_h / paid_h if paid_h else None,
        bill_eur=bill,
        total_eur=total,
        total_ttc_eur=terms.conversion.with_tax(total),
        eur_per_mtok=eur_per_mtok(total, units) if outputs else None,
        full_eur_per_mtok=eur_per_mtok(filled, count * carried) if outputs else None,
        trust=planned.trust,
        reasons=planned.reasons,
    )


def gpu_bill(planned: Plan, terms: Terms, stated_units: Decimal) -> GpuBill:
    """The month at a stated volume (before the response cache), or a bill whose unknown parts are None."""
    if planned.full is None:
        return GpuBill(planned.sku, planned.basis, planned.price, planned.throughput, reasons=planned.reasons)
    return _sized(planned, terms, stated_units, planned.full)
