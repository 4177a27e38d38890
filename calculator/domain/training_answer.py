"""What a training run takes and costs: tokens, FLOP, speed, time, money, energy, memory, checkpoints, payback.

`estimate` reads nothing but its two arguments and raises on no scenario that the form lets through. What cannot be
known stays None, with a message that names the input it waits for. Memory comes before speed: a run that does not fit
gets no calibrated speed, time or cost.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from calculator.domain.checkpoints import checkpoints
from calculator.domain.inference import NotModelledError
from calculator.domain.memory import MemoryEstimate, Sharding
from calculator.domain.payback import payback
from calculator.domain.provenance import Kind, with_defaults
from calculator.domain.scenario import Headline, Message, MessageValue
from calculator.domain.training_cost import bill, chosen_price, duration, energy_kwh
from calculator.domain.training_division import divided, is_open
from calculator.domain.training_fit import faults, memory_band, memory_of, state_bytes, unknown_lines, verdict
from calculator.domain.training_scenario import (
    Amount,
    Bill,
    Duration,
    Fit,
    Numbers,
    Optimizer,
    Rate,
    Speed,
    TrainingEstimate,
    TrainingFacts,
    TrainingScenario,
    Utilisation,
    Verdict,
    Work,
)
from calculator.domain.training_speed import Setup, published_run, rate, settle
from calculator.domain.training_steps import Parts, steps
from calculator.domain.training_ways import Start, anchor, by_count, by_method, ways_out
from calculator.domain.training_work import SHAPE_NAME, amount

MEMORY_BOUND = (Speed.CALIBRATED, Speed.MFU)
"""Sources of speed that say nothing of memory: without room there is no speed. A typed or published one was run."""


@dataclass(frozen=True, slots=True)
class Priced:
    """Speed, time and money as far as they are known, and why they are not."""

    rate: Rate | None = None
    duration: Duration | None = None
    bill: Bill | None = None
    energy_kwh: float | None = None
    refusal: Message | None = None


def _fit(start: Start, memory: MemoryEstimate) -> Fit:
    setup = start.setup
    states, found = state_bytes(setup), verdict(setup, memory)
    misfit = found is Verdict.MISFIT
    return Fit(
        memory=memory,
        unknown=unknown_lines(setup),
        verdict=found,
        band=memory_band(setup, memory.needed_bytes),
        state_bytes_a_param=None if states is None else states / setup.model.params_total,
        faults=faults(setup),
        ways=ways_out(start) if misfit else (),
        offload_bytes=max(0.0, memory.needed_bytes - memory.usable_bytes) * setup.gpu_count if misfit else 0.0,
    )


def _priced(setup: Setup, work: Amount | None, fit: Fit) -> Priced:
    """Speed, time and cost; a refusal where the model does not cover the run or it does not fit."""
    if fit.forbids and setup.scenario.speed in MEMORY_BOUND:
        return Priced()
    try:
        found = rate(setup)
    except NotModelledError as error:
        return Priced(refusal=Message(error.code, {"gpu": setup.gpu.name, "model": setup.model.name}, "speed"))
    if found is None:
        return Priced(refusal=_missing_speed(setup))
    if work is None:
        return Priced(rate=found)
    took = duration(setup, work, found)
    return Priced(found, took, bill(setup, found, took), energy_kwh(setup, took))


def _missing_speed(setup: Setup) -> Message:
    match setup.scenario.speed:
        case Speed.RATE:
            return Message("rate_needed", field="rate_tok_per_s")
        case Speed.PUBLISHED:
            return Message("no_published_run", field="speed")
    if setup.scenario.mfu_ratio is None:
        return Message("mfu_needed", field="mfu_ratio")
    return Message("unknown_peak", {"gpu": setup.gpu.name, "model": setup.model.name}, "speed")


def _code(fit: Fit, work: Amount | None, priced: Priced) -> str:
    """What the headline says: the answer, or the first thing that stands in its way."""
    if priced.rate is None:
        found = {Verdict.IMPOSSIBLE: "division_invalid", Verdict.MISFIT: "does_not_fit"}
        return found.get(fit.verdict, "no_speed")
    if work is None:
        return "no_work"
    return "price_on_request" if priced.bill is None or priced.bill.eur is None else "takes_and_costs"


def _headline(setup: Setup, fit: Fit, work: Amount | None, priced: Priced) -> Headline:
    took, failing = priced.duration, fit.memory.failing
    values: dict[str, MessageValue] = {
        "sku": setup.facts.sku.code,
        "instances": setup.scenario.instances,
        "gpus": setup.gpu_count,
        "model": setup.model.name,
        "method": setup.scenario.method.value,
        "tokens": work.tokens if work else None,
        "seconds": took.with_retries_s if took else None,
        "eur": priced.bill.eur if priced.bill else None,
        "needed_bytes": None if fit.unknown else fit.memory.needed_bytes,
        "usable_bytes": fit.memory.usable_bytes,
        "failing": failing.value if failing else None,
    }
    return Headline(_code(fit, work, priced), values)


def _work_warnings(setup: Setup, work: Amount | None) -> Iterator[Message]:
    scenario = setup.scenario
    if work is None and scenario.work is Work.TOKENS:
        yield Message("tokens_needed", field="total_tokens")
    elif work is None:
        missing = "data_rows" if scenario.data_rows is None else "mean_tokens"
        yield Message("data_needed", field=missing)
    if scenario.work is Work.DATASET and scenario.mean_tokens and scenario.mean_tokens > scenario.sequence_tokens:
        yield Message("rows_cut", {"mean": scenario.mean_tokens, "sequence": scenario.sequence_tokens}, "mean_tokens")
    if work is not None and work.steps < 1:
        yield Message("less_than_a_step", {"batch": work.global_batch}, "accumulation")


def _model_warnings(setup: Setup) -> Iterator[Message]:
    scenario, gpu = setup.scenario, setup.gpu
    if setup.model.name == SHAPE_NAME:
        yield Message("shape_assumed", {"layers": setup.model.layers, "hidden": setup.model.hidden}, "params_count")
    if setup.trained_params is None:
        yield Message("adapters_not_modelled", {"gpu": gpu.name, "model": setup.model.name}, "method")
    if setup.model.max_context and scenario.sequence_tokens > setup.model.max_context:
        yield Message("beyond_context", {"context": setup.model.max_context}, "sequence_tokens")
    if scenario.numbers in (Numbers.BF16, Numbers.FP8) and not gpu.bf16_native:
        yield Message("no_bf16", {"gpu": gpu.name}, "numbers")
    if scenario.numbers is Numbers.FP8 and not gpu.fp8_native:
        yield Message("no_fp8", {"gpu": gpu.name}, "numbers")
    if scenario.optimizer is Optimizer.FUSED:
        yield Message("fused_same_states", field="optimizer")


def _division_warnings(setup: Setup, fit: Fit) -> Iterator[Message]:
    scenario, sku = setup.scenario, setup.facts.sku
    for fault in fit.faults:
        values = {"tp": scenario.tensor, "pp": scenario.stages, "gpus": setup.gpu_count}
        yield Message(f"fault_{fault}", values, "pipeline_parallel" if fault == "layers" else "tensor_parallel")
    modelled = setup.trained_params is not None
    if scenario.instances > 1 and modelled:
        yield Message("network_unknown", {"sku": sku.code}, "instances")
    if setup.divided and scenario.speed is Speed.CALIBRATED and modelled:
        yield Message("division_textbook", field="tensor_parallel")
    if scenario.tensor > sku.gpu_count and not fit.faults:
        yield Message("tensor_across_instances", {"sku": sku.code}, "tensor_parallel")
    if scenario.sharding > Sharding.NONE and setup.data_parallel == 1:
        yield Message("nothing_to_shard", field="sharding")


def _fit_warnings(setup: Setup, fit: Fit) -> Iterator[Message]:
    memory = fit.memory
    values = {"needed": memory.needed_bytes, "usable": memory.usable_bytes}
    if not memory.fits and memory.failing is not None:
        named = {**values, "line": memory.failing.value}
        yield Message("known_does_not_fit", named) if fit.unknown else Message("does_not_fit", named)
        if setup.scenario.speed not in MEMORY_BOUND:
            yield Message("speed_despite_misfit", values)
    elif fit.band is not None and fit.band[1] > memory.usable_bytes:
        yield Message("tight_memory", {"high": fit.band[1], **values})


def _price_warnings(setup: Setup, priced: Priced) -> Iterator[Message]:
    if priced.refusal is not None:
        yield priced.refusal
    if chosen_price(setup) is None:
        yield Message("price_on_request", {"sku": setup.facts.sku.code}, "price_eur")
    if priced.duration is not None and priced.energy_kwh is None:
        yield Message("no_power", {"gpu": setup.gpu.name})
    used = dict(priced.rate.utilisations).get(Utilisation.METHOD) if priced.rate else None
    if used is not None and used > 1:
        yield Message("above_peak", {"ratio": used}, "rate_tok_per_s")


def _once(messages: Iterator[Message]) -> tuple[Message, ...]:
    """Each code once, in order."""
    return tuple({message.code: message for message in messages}.values())


def _warnings(setup: Setup, fit: Fit, work: Amount | None, priced: Priced) -> Iterator[Message]:
    yield from _fit_warnings(setup, fit)
    yield from _division_warnings(setup, fit)
    yield from _work_warnings(setup, work)
    yield from _model_warnings(setup)
    yield from _price_warnings(setup, priced)


def estimate(asked: TrainingScenario, facts: TrainingFacts) -> TrainingEstimate:
    """The whole answer of the training calculator, unrounded; EUR without VAT. Formulas: docs/methodology.md.

    The published run of Mistral-7B by QLoRA at 1 350 tok/s on a GPU-PRO: 3 072 000 tokens, 37.9 min, 0.948 €.
    """
    scenario = divided(asked, facts)
    setup = settle(scenario, facts)
    work, memory = amount(scenario, setup.data_parallel), memory_of(setup)
    start = Start(setup, work, anchor(setup))
    fit = _fit(start, memory)
    priced = _priced(setup, work, fit)
    cost = priced.bill.eur if priced.bill else None
    kept, back = checkpoints(setup, work), payback(setup, cost)
    parts = Parts(setup, work, priced.rate, priced.duration, priced.bill, priced.energy_kwh, memory, kept, back)
    answer = _whole(start, fit, priced, parts)
    return replace(answer, warnings=(*_chosen(asked, answer), *answer.warnings), is_divided=is_open(asked))


def _chosen(asked: TrainingScenario, answer: TrainingEstimate) -> Iterator[Message]:
    """The division that was chosen where the visitor left it open and a copy needs several GPUs; where the adapters are
    not modelled, only the known lines are known to fit on it."""
    scenario = answer.scenario
    if is_open(asked) and scenario.tensor * scenario.stages > 1:
        values = {"tp": scenario.tensor, "pp": scenario.stages, "copies": answer.data_parallel}
        code = "division_of_known" if answer.fit.unknown else "division_chosen"
        yield Message(code, values, "tensor_parallel")


WORK = ("work", "micro_batch", "accumulation", "sequence_tokens", "steps_count", "epochs", "sku", "instances")
INPUTS_BEHIND = {
    "params_count": ("params_count",),
    "gpu_count": ("sku", "instances"),
    "micro_batch": ("micro_batch",),
    "sequence": ("sequence_tokens",),
    "accumulation": ("accumulation",),
    "data_parallel": ("sku", "instances"),
    "steps": ("steps_count",),
    "data_rows": ("data_rows",),
    "mean_tokens": ("mean_tokens",),
    "epochs": ("epochs",),
    "lora_rank": ("lora_rank",),
    "tokens": (*WORK, "data_rows", "mean_tokens", "total_tokens"),
    "retry": ("retry_ratio",),
    "instances": ("instances",),
    "kept_count": ("kept_count",),
    "kept_months": ("kept_months",),
    "saved_tokens": ("saved_tokens",),
}
"""The visitor's inputs behind the terms of the formulas, by the term's label."""


def _whole(start: Start, fit: Fit, priced: Priced, parts: Parts) -> TrainingEstimate:
    """The parts of the answer brought together, with its alternatives, formulas and warnings."""
    setup, work = start.setup, start.work
    run = published_run(setup.scenario, setup.facts)
    return TrainingEstimate(
        scenario=setup.scenario,
        model=setup.model,
        gpu=setup.gpu,
        sku=setup.facts.sku,
        skus=setup.facts.skus,
        gpu_count=setup.gpu_count,
        data_parallel=setup.data_parallel,
        amount=work,
        trained_params=setup.trained_params,
        flop=setup.flop,
        total_flop=setup.flop.executed * work.tokens if work else None,
        rate=priced.rate,
        duration=priced.duration,
        bill=priced.bill,
        energy_kwh=priced.energy_kwh,
        fit=fit,
        checkpoints=parts.checkpoints,
        payback=parts.payback,
        counts=by_count(start),
        methods=by_method(start),
        published=(run,) if run else (),
        headline=_headline(setup, fit, work, priced),
        steps=with_defaults(steps(parts), setup.scenario, INPUTS_BEHIND),
        trust=_trust(priced),
        warnings=_once(_warnings(setup, fit, work, priced)),
    )


def _trust(priced: Priced) -> Kind | None:
    if priced.bill is not None:
        return priced.bill.trust
    return priced.rate.per_gpu.rank_kind if priced.rate else None
