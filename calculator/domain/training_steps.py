"""The formulas of a training estimate with the visitor's numbers in them, in reading order."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from calculator.domain.memory import Line, MemoryEstimate
from calculator.domain.offers import Basis
from calculator.domain.provenance import Kind, Sourced, Step, Term, derived, stated
from calculator.domain.training_fit import STATE_LINES
from calculator.domain.training_scenario import (
    Amount,
    Bill,
    Checkpoints,
    Duration,
    Payback,
    Rate,
    Reads,
    Utilisation,
    Work,
)
from calculator.domain.training_speed import Setup, convention_flop, peak_flop_per_s
from calculator.domain.training_work import SHAPE_NAME, adapter_params
from calculator.domain.units import GIB, HOUR_S, to_decimal

AnySourced = Sourced[Decimal] | Sourced[float] | Sourced[int]

LINE_SYMBOLS = {
    Line.WEIGHTS: "W",
    Line.ADAPTERS: "W_a",
    Line.GRADIENTS: "G",
    Line.OPTIMIZER: "O",
    Line.ACTIVATIONS: "K",
    Line.LOGITS: "L",
    Line.RUNTIME: "X",
}


@dataclass(frozen=True, slots=True)
class Parts:
    """What the steps show: the pieces of the estimate that exist."""

    setup: Setup
    amount: Amount | None
    rate: Rate | None
    duration: Duration | None
    bill: Bill | None
    energy_kwh: float | None
    memory: MemoryEstimate
    checkpoints: Checkpoints
    payback: Payback | None


def _result(step: Step, label: str) -> Sourced[float]:
    return derived(float(step.result), step.unit, label, (term.source for term in step.terms))


def _params(setup: Setup) -> Sourced[float]:
    """Parameters that a token meets: the model's data sheet, or typed."""
    count = setup.flop.params
    if setup.model.name == SHAPE_NAME:
        return stated(count, "param", "params_count")
    return Sourced(count, "param", Kind.DATA_SHEET, setup.model.name, reference=setup.model.source)


def _shaped(setup: Setup) -> Kind:
    return Kind.ASSUMPTION if setup.model.name == SHAPE_NAME else Kind.DATA_SHEET


def _peak(setup: Setup) -> Sourced[float] | None:
    peak = peak_flop_per_s(setup.gpu, setup.scenario.numbers)
    if peak is None:
        return None
    return Sourced(peak, "FLOP/s", Kind.DATA_SHEET, setup.gpu.name, reference=setup.gpu.source)


def _gpus(setup: Setup) -> Sourced[int]:
    return stated(setup.gpu_count, "GPU", "gpu_count")


def work_steps(parts: Parts) -> Iterator[Step]:
    """Tokens by steps or from the data; nothing where they are typed as a total."""
    scenario, found = parts.setup.scenario, parts.amount
    if found is None or scenario.work is Work.TOKENS:
        return
    if scenario.work is Work.STEPS:
        terms = (
            Term("b", stated(scenario.micro_batch, "seq", "micro_batch")),
            Term("T", stated(scenario.sequence_tokens, "tok", "sequence")),
            Term("a", stated(scenario.accumulation, "", "accumulation")),
            Term("r", stated(parts.setup.data_parallel, "", "data_parallel")),
            Term("s", stated(scenario.steps_count, "", "steps")),
        )
        yield Step("train_tokens", terms, found.tokens, "tok")
        return
    rows = (
        Term("z", stated(scenario.data_rows or 0, "", "data_rows")),
        Term("T_m", stated(min(float(scenario.mean_tokens or 0), scenario.sequence_tokens), "tok", "mean_tokens")),
        Term("e", stated(scenario.epochs, "", "epochs")),
    )
    yield Step("train_tokens_data", rows, found.tokens, "tok")


def adapter_steps(parts: Parts) -> Iterator[Step]:
    """Trainable parameters of the adapters: rank × layers × Σ (inputs + outputs) of the targeted matrices."""
    setup = parts.setup
    scenario, count = setup.scenario, adapter_params(setup.scenario, setup.model)
    if not count:
        return
    kind = _shaped(setup)
    sides = count / scenario.lora_rank / setup.model.layers
    terms = (
        Term("k", stated(scenario.lora_rank, "", "lora_rank")),
        Term("l", Sourced(setup.model.layers, "", kind, setup.model.name, reference=setup.model.source)),
        Term("c", Sourced(sides, "", kind, setup.model.name, reference=setup.model.source)),
    )
    yield Step("lora_params", terms, count, "param")


def flop_steps(parts: Parts) -> Iterator[Step]:
    """FLOP of a token and of the run."""
    setup = parts.setup
    flop = setup.flop
    terms = [
        Term("f", Sourced(flop.factor, "", Kind.ASSUMPTION, "flop_factor")),
        Term("N", _params(setup)),
        Term("A", Sourced(flop.attention, "FLOP", _shaped(setup), "attention_flop")),
    ]
    if setup.scenario.recomputed:
        terms.append(Term("R", Sourced(flop.recomputation, "FLOP", _shaped(setup), "recomputation_flop")))
    one = Step("train_flop_token", tuple(terms), flop.executed, "FLOP")
    yield one
    if parts.amount is not None:
        whole = (Term("C", _result(one, "flop_token")), Term("D", stated(parts.amount.tokens, "tok", "tokens")))
        yield Step("train_flop", whole, flop.executed * parts.amount.tokens, "FLOP")


def speed_steps(parts: Parts) -> Iterator[Step]:
    """Speed of a typed utilisation, time, and the utilisation that a speed means."""
    setup, rate = parts.setup, parts.rate
    peak = _peak(setup)
    if rate is None:
        return
    if rate.per_gpu.label == "mfu_ratio" and peak is not None:
        mfu = Sourced(float(setup.scenario.mfu_ratio or 0), "", Kind.INPUT, "mfu_ratio", replaces=True)
        flop = convention_flop(setup, setup.scenario.convention)
        counted = derived(flop, "FLOP", "flop_counted", [_params(setup)])
        yield Step(
            "train_rate_mfu", (Term("m", mfu), Term("F", peak), Term("C_m", counted)), rate.per_gpu.value, "tok/s"
        )
    elif peak is not None:
        factor = Sourced(setup.flop.factor, "", Kind.ASSUMPTION, "flop_factor")
        terms = (Term("v", rate.per_gpu), Term("f", factor), Term("N", _params(setup)), Term("F", peak))
        yield Step("train_mfu", terms, dict(rate.utilisations)[Utilisation.METHOD], "")


def time_steps(parts: Parts) -> Iterator[Step]:
    """Time with retries, cost, energy."""
    setup, rate, took, work = parts.setup, parts.rate, parts.duration, parts.amount
    if rate is None or took is None or work is None:
        return
    terms = [
        Term("D", stated(work.tokens, "tok", "tokens")),
        Term("v", rate.per_gpu),
        Term("g", _gpus(setup)),
    ]
    if setup.scenario.retry_ratio:
        terms.append(Term("q", stated(setup.scenario.retry_ratio, "", "retry")))
    time = Step("train_time", tuple(terms), took.with_retries_s / HOUR_S, "h")
    yield time
    yield from _bill_steps(parts, _result(time, "train_time"))
    if parts.energy_kwh is not None and setup.gpu.tdp_w is not None:
        power = Sourced(setup.gpu.tdp_w, "W", Kind.DATA_SHEET, setup.gpu.name, reference=setup.gpu.source)
        energy = (Term("w", power), Term("g", _gpus(setup)), Term("t", _result(time, "train_time")))
        yield Step("train_energy", energy, parts.energy_kwh, "kWh")


def _bill_steps(parts: Parts, time: Sourced[float]) -> Iterator[Step]:
    bill, scenario = parts.bill, parts.setup.scenario
    if bill is None or bill.price is None or bill.eur is None:
        return
    instances = Term("n", stated(scenario.instances, "instance", "instances"))
    if scenario.basis is Basis.MONTH and bill.months is not None:
        months = derived(float(bill.months), "", "months", [time])
        yield Step("train_bill_month", (Term("j", months), Term("P", bill.price), instances), bill.eur, "EUR")
        return
    hours = derived(float(bill.paid_h / scenario.instances), "h", "paid_hours", [time])
    yield Step("train_bill", (Term("t_p", hours), Term("P", bill.price), instances), bill.eur, "EUR")


def memory_steps(parts: Parts) -> Iterator[Step]:
    """Weights and states of one GPU, the sum of all its lines, and the size of a checkpoint; none of them where what is
    trained is not modelled."""
    if parts.setup.trained_params is None:
        return
    held = tuple(_line_terms(parts, STATE_LINES, _shaped(parts.setup)))
    states = Step("train_states", held, sum(float(term.source.value) for term in held), "GiB")
    yield states
    working = tuple(line for line in LINE_SYMBOLS if line not in STATE_LINES)
    terms = (Term("Z", _result(states, "train_states")), *_line_terms(parts, working, Kind.ESTIMATE))
    yield Step("train_memory", terms, parts.memory.needed_bytes / GIB, "GiB")
    yield from _checkpoint_steps(parts)


def _line_terms(parts: Parts, wanted: tuple[Line, ...], kind: Kind) -> Iterator[Term]:
    """The lines of `wanted` that take room, in GiB as the memory table has them."""
    for line, size in parts.memory.lines:
        if size and line in wanted:
            yield Term(LINE_SYMBOLS[line], Sourced(size / GIB, "GiB", kind, line.value))


def _checkpoint_steps(parts: Parts) -> Iterator[Step]:
    found, scenario, setup = parts.checkpoints, parts.setup.scenario, parts.setup
    size = found.restart_bytes if scenario.keeps_optimizer else found.weight_bytes
    if not setup.trained_params or size is None:
        return
    trained = Sourced(setup.trained_params, "param", _shaped(setup), "trained_params")
    bytes_each = Sourced(size / setup.trained_params, "B", Kind.ASSUMPTION, "bytes_a_param")
    one = Step("checkpoint_size", (Term("N_t", trained), Term("o", bytes_each)), size, "B")
    yield one
    price = scenario.storage_eur_per_gb_month
    if price is None or found.total_eur is None:
        return
    terms = (
        Term("S", _result(one, "checkpoint")),
        Term("h", stated(found.kept_count, "", "kept_count")),
        Term("y", stated(scenario.kept_months, "", "kept_months")),
        Term("P_s", Sourced(price, "EUR/GB", Kind.INPUT, "storage_price", replaces=True)),
    )
    yield Step("checkpoint_storage", terms, found.total_eur, "EUR")


def payback_steps(parts: Parts) -> Iterator[Step]:
    """What a request saves, and after how many the training is paid."""
    found, bill = parts.payback, parts.bill
    if found is None or found.saved_eur is None or found.rate is None:
        return
    saved = _saving_step(parts, found)
    yield saved
    if found.requests_count is not None and bill is not None and bill.eur is not None:
        cost = Sourced(bill.eur, "EUR", bill.trust or Kind.INPUT, "train_bill")
        terms = (Term("B", cost), Term("E", _result(saved, "saved_eur")))
        yield Step("prompt_payback", terms, found.requests_count, "request")


def _saving_step(parts: Parts, found: Payback) -> Step:
    setup = parts.setup
    tokens = Term("u", stated(found.saved_tokens, "tok", "saved_tokens"))
    rate, eur = found.rate, found.saved_eur or Decimal(0)
    if rate is None:
        return Step("saved_on_gpu", (tokens,), eur, "EUR")
    if found.reads is Reads.API:
        typed, listed = setup.scenario.usd_per_eur, setup.facts.usd_per_eur
        own = Sourced(typed, "USD/EUR", Kind.INPUT, "usd_per_eur", replaces=True) if typed is not None else listed
        exchange = (Term("x", own),) if own is not None else ()
        return Step("saved_on_api", (tokens, Term("p", rate), *exchange), eur, "EUR")
    price, gpus = parts.bill.price if parts.bill else None, setup.facts.sku.gpu_count
    hour = () if price is None else (Term("P", price.scaled(to_decimal(price.value) / gpus)),)
    return Step("saved_on_gpu", (tokens, Term("f_p", rate), *hour), eur, "EUR")


def steps(parts: Parts) -> tuple[Step, ...]:
    """Every formula of the answer."""
    return (
        *work_steps(parts),
        *adapter_steps(parts),
        *flop_steps(parts),
        *speed_steps(parts),
        *time_steps(parts),
        *memory_steps(parts),
        *payback_steps(parts),
    )
