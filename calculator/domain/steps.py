"""The formulas of the answer with the visitor's numbers in them, in reading order: symbols, terms, results, trust."""

from collections.abc import Iterable, Iterator
from decimal import Decimal

from calculator.domain.comparison import Inputs
from calculator.domain.offers import Basis, Scope
from calculator.domain.provenance import Kind, Sourced, Step, Term, weakest
from calculator.domain.scenario import Comparison, GpuBill
from calculator.domain.units import to_decimal

AnySourced = Sourced[Decimal] | Sourced[float] | Sourced[int]


def derived(value: Decimal, unit: str, label: str, inputs: Iterable[AnySourced]) -> Sourced[Decimal]:
    """A computed value as a term: it is worth its weakest input, and does not rank if none of them does."""
    return Sourced(value, unit, weakest(inputs) or Kind.INPUT, label)


def _result(step: Step, label: str) -> Sourced[Decimal]:
    return derived(to_decimal(step.result), step.unit, label, (term.source for term in step.terms))


def _stated(value: Decimal, unit: str, label: str) -> Sourced[Decimal]:
    return Sourced(value, unit, Kind.INPUT, label)


def capacity_steps(inputs: Inputs, bill: GpuBill) -> list[Step]:
    """The instance's rate where it has several GPUs, then its planned capacity."""
    throughput, month = bill.throughput, inputs.terms.month
    if throughput is None or bill.capacity_tokens is None:
        return []
    steps: list[Step] = []
    rate: AnySourced = throughput.output_tok_per_s
    if throughput.scope is Scope.GPU and bill.sku.gpu_count > 1:
        count = Sourced(bill.sku.gpu_count, "GPU", Kind.DATA_SHEET, "gpu_count")
        value = to_decimal(rate.value) * bill.sku.gpu_count
        steps.append(Step("instance_rate", (Term("d", rate), Term("g", count)), value, "tok/s"))
        rate = _result(steps[0], "instance_rate")
    terms = [Term("d", rate), Term("h", inputs.terms.hours_h), Term("u", inputs.terms.utilisation)]
    code = "capacity"
    if month.prompt_tokens and throughput.prefill_tok_per_s is not None:
        code = "capacity_with_prompt"
        terms.append(Term("f", throughput.prefill_tok_per_s))
        terms.append(Term("i", _stated(month.prompt_tokens, "tok", "prompt_tokens")))
        terms.append(Term("o", _stated(month.output_tokens, "tok", "output_tokens")))
    steps.append(Step(code, tuple(terms), bill.capacity_tokens, "tok"))
    return steps


def _volume(inputs: Inputs) -> Sourced[Decimal]:
    label = "served_tokens" if inputs.terms.month.kept_ratio != 1 else "volume_tokens"
    return _stated(inputs.terms.month.served_tokens, "tok", label)


def bill_steps(inputs: Inputs, bill: GpuBill, sized: Step) -> list[Step]:
    """Whole instances or hours used, the rental, and the total where there are extra costs."""
    if bill.price is None or bill.bill_eur is None or bill.instances is None or bill.paid_h is None:
        return []
    volume = Term("V", _volume(inputs))
    capacity_term = Term("K", _result(sized, "capacity"))
    if inputs.chosen.is_hours_used:
        hours = Step("paid_hours", (volume, capacity_term, Term("h", inputs.terms.hours_h)), bill.paid_h, "h")
        terms = (Term("t", _result(hours, "paid_hours")), Term("P", bill.price))
        steps = [hours, Step("bill_hours_used", terms, bill.bill_eur, "EUR")]
    else:
        count = Step("instances", (volume, capacity_term), Decimal(bill.instances), "instance")
        by_hour = (Term("h", inputs.terms.hours_h),) if bill.basis is Basis.HOUR else ()
        terms = (Term("n", _result(count, "instances")), *by_hour, Term("P", bill.price))
        steps = [count, Step("bill", terms, bill.bill_eur, "EUR")]
    if inputs.terms.extras_eur and bill.total_eur is not None:
        extras = Term("F", _stated(inputs.terms.extras_eur, "EUR", "extra_costs"))
        steps.append(Step("total", (Term("B", _result(steps[-1], "bill")), extras), bill.total_eur, "EUR"))
    return steps


def price_steps(inputs: Inputs, bill: GpuBill, sized: Step, total: Step) -> Iterator[Step]:
    """€/1M at this volume and at full planned use, and the utilisation that this volume implies."""
    cost, volume = Term("B", _result(total, "total")), Term("V", _volume(inputs))
    if bill.eur_per_mtok is not None:
        yield Step("eur_per_mtok", (cost, volume), bill.eur_per_mtok, "EUR/Mtok")
    if bill.full_eur_per_mtok is not None and bill.price is not None and bill.instances is not None:
        count = _stated(Decimal(bill.instances), "instance", "instances")
        terms = [Term("n", count), Term("P", bill.price), Term("K", _result(sized, "capacity"))]
        if bill.basis is Basis.HOUR:
            terms.insert(2, Term("h", inputs.terms.hours_h))
        if inputs.terms.extras_eur:
            terms.append(Term("F", _stated(inputs.terms.extras_eur, "EUR", "extra_costs")))
        yield Step("full_eur_per_mtok", tuple(terms), bill.full_eur_per_mtok, "EUR/Mtok")
    if bill.implied_utilisation_ratio is not None and bill.productive_h is not None and bill.paid_h is not None:
        trusted = [term.source for term in sized.terms]
        productive = derived(bill.productive_h, "h", "productive_hours", trusted)
        paid = derived(bill.paid_h, "h", "paid_hours", trusted)
        yield Step(
            "implied_utilisation", (Term("t_p", productive), Term("t", paid)), bill.implied_utilisation_ratio, ""
        )


def api_steps(inputs: Inputs, reference: Comparison) -> list[Step]:
    """The reference API's month in dollars and in euros."""
    bill, quoted = reference.bill, inputs.reference
    if bill.usd is None or bill.usd_per_mtok is None or quoted is None:
        return []
    price = derived(bill.usd_per_mtok, "USD/Mtok", bill.api.code, quoted.sources)
    usd = Step("api_usd", (Term("V", _volume(inputs)), Term("p", price)), bill.usd, "USD")
    rate = inputs.terms.conversion.usd_per_eur
    if rate is None or bill.eur is None:
        return [usd]
    return [usd, Step("api_eur", (Term("A", _result(usd, bill.api.code)), Term("x", rate)), bill.eur, "EUR")]


def break_even_step(inputs: Inputs, bill: GpuBill, reference: Comparison) -> Iterator[Step]:
    """V_eq = (n × month + fixed) ÷ (p ÷ x), where the first interval begins inside a step of the staircase."""
    found, rate = reference.break_even, inputs.terms.conversion.usd_per_eur
    usd = reference.bill.usd_per_mtok
    if not found.intervals or rate is None or usd is None or bill.price is None or inputs.reference is None:
        return
    if inputs.chosen.is_hours_used or not found.intervals[0].start_tokens:
        return
    terms = [Term("n", _stated(Decimal(found.instances or 1), "instance", "instances")), Term("P", bill.price)]
    if bill.basis is Basis.HOUR:
        terms.append(Term("h", inputs.terms.hours_h))
    if inputs.terms.extras_eur:
        terms.append(Term("F", _stated(inputs.terms.extras_eur, "EUR", "extra_costs")))
    if inputs.terms.month.kept_ratio != 1:
        terms.append(Term("c", _stated(1 - inputs.terms.month.kept_ratio, "", "response_cache")))
    price = derived(usd, "USD/Mtok", reference.bill.api.code, inputs.reference.sources)
    terms += [Term("p", price), Term("x", rate)]
    yield Step("break_even", tuple(terms), found.intervals[0].start_tokens, "tok")


def steps(inputs: Inputs, bill: GpuBill, reference: Comparison | None) -> tuple[Step, ...]:
    """Every formula of the answer, in reading order, as far as its inputs are known."""
    found = capacity_steps(inputs, bill)
    if found:
        sized = found[-1]
        billed = bill_steps(inputs, bill, sized)
        found += billed
        if billed:
            found += price_steps(inputs, bill, sized, billed[-1])
    if reference is not None:
        found += api_steps(inputs, reference)
        found += break_even_step(inputs, bill, reference)
    return tuple(found)
