"""The formulas of the answer with the visitor's numbers in them, in reading order: symbols, terms, results, trust."""

from collections.abc import Iterator
from decimal import Decimal

from calculator.domain.comparison import Inputs
from calculator.domain.offers import Basis, Scope
from calculator.domain.provenance import Kind, Sourced, Step, Term, derived, stated
from calculator.domain.scenario import BreakEven, Comparison, GpuBill
from calculator.domain.units import MTOK, to_decimal

AnySourced = Sourced[Decimal] | Sourced[float] | Sourced[int]


def _result(step: Step, label: str) -> Sourced[Decimal]:
    return derived(to_decimal(step.result), step.unit, label, (term.source for term in step.terms))


def _instance_steps(bill: GpuBill, rate: AnySourced) -> list[Step]:
    """The rate of a machine with several GPUs, where the throughput is stated for one of them."""
    if bill.throughput is None or bill.throughput.scope is not Scope.GPU or bill.sku.gpu_count == 1:
        return []
    count = Sourced(bill.sku.gpu_count, "GPU", Kind.DATA_SHEET, "gpu_count")
    return [Step("instance_rate", (Term("d_1", rate), Term("g", count)), to_decimal(rate.value) * count.value, "tok/s")]


def _prompt_terms(inputs: Inputs, prefill: Sourced[float], gpu_count: int) -> list[Term]:
    month = inputs.terms.month
    return [
        Term("f", prefill if gpu_count == 1 else prefill.scaled(prefill.value * gpu_count)),
        Term("i", stated(month.prompt_tokens, "tok", "prompt_tokens")),
        Term("o", stated(month.output_tokens, "tok", "output_tokens")),
    ]


def capacity_steps(inputs: Inputs, bill: GpuBill) -> list[Step]:
    """The machine's rate where it has several GPUs, then the planned capacity of one instance."""
    throughput = bill.throughput
    if throughput is None or bill.capacity_tokens is None:
        return []
    steps = _instance_steps(bill, throughput.output_tok_per_s)
    rate = _result(steps[0], "instance_rate") if steps else throughput.output_tok_per_s
    terms = [Term("d", rate), Term("h", inputs.terms.hours_h), Term("u", inputs.terms.utilisation)]
    code, prefill = "capacity", throughput.prefill_tok_per_s
    if inputs.terms.month.prompt_tokens and prefill is not None:
        code = "capacity_with_prompt"
        terms += _prompt_terms(inputs, prefill, bill.sku.gpu_count if steps else 1)
    return [*steps, Step(code, tuple(terms), bill.capacity_tokens, "tok")]


def _volume(inputs: Inputs) -> Term:
    label = "served_tokens" if inputs.terms.month.kept_ratio != 1 else "volume_tokens"
    return Term("V", stated(inputs.terms.month.served_tokens, "tok", label))


def _month_terms(inputs: Inputs, bill: GpuBill, price: Sourced[Decimal]) -> list[Term]:
    """What one instance's month is made of: its price, and the hours where that is a price per hour."""
    hours = [Term("h", inputs.terms.hours_h)] if bill.basis is Basis.HOUR else []
    return [*hours, Term("P", price)]


def _extras(inputs: Inputs) -> list[Term]:
    extras = inputs.terms.extras_eur
    return [Term("F", stated(extras, "EUR", "extra_costs"))] if extras else []


def _used_steps(inputs: Inputs, bill_eur: Decimal, paid_h: Decimal, price: Sourced[Decimal], sized: Step) -> list[Step]:
    terms = (_volume(inputs), Term("K", _result(sized, "capacity")), Term("h", inputs.terms.hours_h))
    hours = Step("paid_hours", terms, paid_h, "h")
    return [
        hours,
        Step("bill_hours_used", (Term("t", _result(hours, "paid_hours")), Term("P", price)), bill_eur, "EUR"),
    ]


def bill_steps(inputs: Inputs, bill: GpuBill, sized: Step) -> list[Step]:
    """Whole instances or hours used, the rental, and the total where there are extra costs."""
    if bill.price is None or bill.bill_eur is None or bill.instances is None or bill.paid_h is None:
        return []
    if inputs.chosen.is_hours_used:
        steps = _used_steps(inputs, bill.bill_eur, bill.paid_h, bill.price, sized)
    else:
        terms = (_volume(inputs), Term("K", _result(sized, "capacity")))
        count = Step("instances", terms, Decimal(bill.instances), "instance")
        month = _month_terms(inputs, bill, bill.price)
        steps = [count, Step("bill", (Term("n", _result(count, "instances")), *month), bill.bill_eur, "EUR")]
    extras = _extras(inputs)
    if extras and bill.total_eur is not None:
        steps.append(Step("total", (Term("B", _result(steps[-1], "bill")), *extras), bill.total_eur, "EUR"))
    return steps


def price_steps(inputs: Inputs, bill: GpuBill, sized: Step, total: Step) -> Iterator[Step]:
    """€/1M at this volume and at full planned use."""
    if bill.eur_per_mtok is not None:
        whole = Term("C" if total.code == "total" else "B", _result(total, "total"))
        yield Step("eur_per_mtok", (whole, _volume(inputs)), bill.eur_per_mtok, "EUR/Mtok")
    if bill.full_eur_per_mtok is not None and bill.price is not None and bill.instances is not None:
        trusted = [term.source for term in sized.terms]
        count = Term("n", derived(Decimal(bill.instances), "instance", "instances", trusted))
        month, capacity = _month_terms(inputs, bill, bill.price), Term("K", _result(sized, "capacity"))
        terms = (count, *month, *_extras(inputs), capacity)
        yield Step("full_eur_per_mtok", terms, bill.full_eur_per_mtok, "EUR/Mtok")


def utilisation_step(bill: GpuBill, sized: Step) -> Iterator[Step]:
    """The share of paid hours that the volume really needs."""
    ratio, productive, paid = bill.implied_utilisation_ratio, bill.productive_h, bill.paid_h
    if ratio is None or productive is None or paid is None:
        return
    trusted = [term.source for term in sized.terms]
    terms = (
        Term("t_p", derived(productive, "h", "productive_hours", trusted)),
        Term("t", derived(paid, "h", "paid_hours", trusted)),
    )
    yield Step("implied_utilisation", terms, ratio, "")


def _api_price(inputs: Inputs) -> Sourced[Decimal] | None:
    """The reference API's price per million output tokens, with the prompts that come with them."""
    quoted, output = inputs.reference, inputs.terms.month.output_tokens
    if quoted is None or quoted.request_usd is None or not output:
        return None
    return derived(quoted.request_usd * MTOK / output, "USD/Mtok", quoted.api.code, quoted.sources)


def api_steps(inputs: Inputs, reference: Comparison, price: Sourced[Decimal]) -> Iterator[Step]:
    """The reference API's month in dollars and in euros."""
    bill, rate = reference.bill, inputs.terms.conversion.usd_per_eur
    if bill.usd is None:
        return
    usd = Step("api_usd", (_volume(inputs), Term("p", price)), bill.usd, "USD")
    yield usd
    if rate is not None and bill.eur is not None:
        yield Step("api_eur", (Term("A", _result(usd, bill.api.code)), Term("x", rate)), bill.eur, "EUR")


def break_even_step(
    inputs: Inputs, bill: GpuBill, found: BreakEven, price: Sourced[Decimal], sized: Step | None
) -> Iterator[Step]:
    """V_min = (n × month + fixed) ÷ (p ÷ x) ÷ (1 − q): where the first interval begins, on the n-th instance.

    Which instance that is follows from what one carries, so n is worth no more than the capacity of `sized`.
    """
    rate = inputs.terms.conversion.usd_per_eur
    sizing = [term.source for term in sized.terms] if sized else []
    if rate is None or bill.price is None or inputs.chosen.is_hours_used:
        return
    if not found.intervals or not found.intervals[0].start_tokens:
        return
    answered = 1 - inputs.terms.month.kept_ratio
    terms = (
        Term("n", derived(Decimal(found.instances or 1), "instance", "instances", sizing)),
        *_month_terms(inputs, bill, bill.price),
        *_extras(inputs),
        *([Term("q", stated(answered, "", "response_cache"))] if answered else []),
        Term("p", price),
        Term("x", rate),
    )
    yield Step("break_even", terms, found.intervals[0].start_tokens, "tok")


def steps(inputs: Inputs, bill: GpuBill, reference: Comparison | None) -> tuple[Step, ...]:
    """Every formula of the answer, in reading order, as far as its inputs are known."""
    found = capacity_steps(inputs, bill)
    sized = found[-1] if found else None
    if sized:
        billed = bill_steps(inputs, bill, sized)
        found += billed
        if billed:
            found += price_steps(inputs, bill, sized, billed[-1])
            found += utilisation_step(bill, sized)
    price = _api_price(inputs)
    if reference is not None and price is not None:
        found += api_steps(inputs, reference, price)
        found += break_even_step(inputs, bill, reference.break_even, price, sized)
    return tuple(found)
