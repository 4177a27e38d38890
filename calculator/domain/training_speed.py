"""Training speed of a scenario: calibrated, published, or typed as a rate or a utilisation; and MFU by convention."""

from dataclasses import dataclass, replace

from calculator.domain.calibration import (
    TrainingConstants,
    architecture_class,
    band,
    chip_class,
    link_constants,
    training_classes,
    training_constants,
)
from calculator.domain.hardware import Gpu
from calculator.domain.inference import NotModelledError, link_bytes_per_s
from calculator.domain.llm import LanguageModel
from calculator.domain.parallelism import Topology, allreduce_s
from calculator.domain.precision import HALF_ELEMENT_BYTES, math_flop_per_s
from calculator.domain.provenance import Kind, Sourced
from calculator.domain.roofs import linked, trained
from calculator.domain.training import (
    MACHINE_GPUS,
    Method,
    TrainingJob,
    attention_flop_a_token,
    divided_pass_s,
    flop_factor,
    tok_per_s_per_gpu,
)
from calculator.domain.training_scenario import (
    Convention,
    FlopCount,
    Numbers,
    PublishedRun,
    Rate,
    Speed,
    TrainingFacts,
    TrainingScenario,
    Utilisation,
)
from calculator.domain.training_work import data_parallel, flop_count, trained_params

MATH = {Numbers.BF16: "fp16", Numbers.FP16: "fp16", Numbers.FP8: "fp8", Numbers.FP32: "fp32"}
"""Units that multiply; the data sheets call both 16-bit formats fp16."""
EXCHANGES_A_LAYER = 4
"""All-reduces of tensor parallelism in one layer: two forward, two backward; half as many more where recomputed."""
METRIC = "tok_s_per_gpu"
TOKENS_A_S = "tok/s"


@dataclass(frozen=True, slots=True)
class Setup:
    """A scenario brought together with its sheets: what speed, memory and cost all start from."""

    scenario: TrainingScenario
    facts: TrainingFacts
    gpu: Gpu
    model: LanguageModel
    gpu_count: int
    data_parallel: int
    trained_params: float | None
    flop: FlopCount

    @property
    def divided(self) -> bool:
        """Whether one copy of the model lies on several GPUs."""
        return self.scenario.tensor * self.scenario.stages > 1


def settle(scenario: TrainingScenario, facts: TrainingFacts) -> Setup:
    """The scenario and the facts brought together. The SKU's GPU must have a data sheet in `facts.gpus`."""
    gpu_count = facts.sku.gpu_count * scenario.instances
    return Setup(
        scenario=scenario,
        facts=facts,
        gpu=replace(facts.gpus[facts.sku.gpu], roofs=facts.roofs.get(facts.sku.code)),
        model=facts.model,
        gpu_count=gpu_count,
        data_parallel=data_parallel(gpu_count, scenario.tensor, scenario.stages),
        trained_params=trained_params(scenario, facts.model),
        flop=flop_count(scenario.method, facts.model, scenario.sequence_tokens, scenario.recomputed),
    )


def family(method: Method, numbers: Numbers) -> str:
    """The class of a job's number format whose constants and band apply.

    >>> family(Method.QLORA, Numbers.BF16), family(Method.FULL, Numbers.FP8)
    ('int4', 'fp8')
    """
    return "int4" if method is Method.QLORA else MATH[numbers]


def peak_flop_per_s(gpu: Gpu, numbers: Numbers) -> float | None:
    """Dense peak of the units that train; None where the sheet states none."""
    return math_flop_per_s(gpu, MATH[numbers])


def _job(setup: Setup, trained: float) -> TrainingJob:
    scenario = setup.scenario
    return TrainingJob(
        model=setup.model,
        gpu=setup.gpu,
        method=scenario.method,
        math=MATH[scenario.numbers],
        micro_batch=scenario.micro_batch,
        sequence_tokens=scenario.sequence_tokens,
        gpu_count=setup.gpu_count,
        accumulation=scenario.accumulation,
        recomputed=scenario.recomputed,
        trained_params=trained,
        sharded=setup.gpu_count > 1,
    )


def bubble_factor(stages: int, passes: int) -> float:
    """Time of a pipeline against one without waiting: (passes + stages − 1) ÷ passes.

    >>> bubble_factor(2, 4), bubble_factor(1, 4)
    (1.25, 1.0)
    """
    return (passes + stages - 1) / passes


def _exchange_s(setup: Setup) -> float:
    """Time of tensor parallelism's all-reduces in one micro-batch, none of it hidden."""
    scenario, tp = setup.scenario, setup.scenario.tensor
    if tp == 1:
        return 0.0
    rate, nvlink = link_bytes_per_s(setup.gpu, min(tp, MACHINE_GPUS))
    way = "switch" if nvlink else "PCIe"
    fitted = link_constants(setup.facts.calibration, (way, architecture_class(setup.gpu), "one machine"))
    constants = linked(fitted, setup.facts.calibration, setup.gpu)
    message = scenario.micro_batch * scenario.sequence_tokens * setup.model.hidden * HALF_ELEMENT_BYTES
    exchanges = EXCHANGES_A_LAYER * (1.5 if scenario.recomputed else 1.0) * setup.model.layers
    return exchanges * allreduce_s(Topology(tp, rate), message, constants)


def calibrated_rate(setup: Setup) -> float:
    """Tokens a second and GPU of the calibrated model. Where a copy is divided: `divided_pass_s`, plus the exchanges of
    tensor parallelism and the pipeline's bubble, by the textbook.

    Raises NotModelledError for 32-bit training, adapters that are not modelled, and sheets without a peak or link.
    """
    scenario = setup.scenario
    if scenario.numbers is Numbers.FP32:
        raise NotModelledError("fp32_not_calibrated", setup.gpu.name)
    if setup.trained_params is None:
        raise NotModelledError("adapters_not_modelled", setup.model.name)
    classes = training_classes(
        scenario.framework, scenario.method.value, family(scenario.method, scenario.numbers), setup.gpu
    )
    fitted = training_constants(setup.facts.calibration, classes)
    constants = trained(fitted, setup.facts.calibration, setup.gpu, MATH[scenario.numbers])
    job = _job(setup, setup.trained_params)
    return _divided_rate(setup, job, constants) if setup.divided else tok_per_s_per_gpu(job, constants)


def _divided_rate(setup: Setup, job: TrainingJob, constants: TrainingConstants) -> float:
    """Tokens a second and GPU of copies that lie on TP × PP GPUs each."""
    scenario = setup.scenario
    tensor, stages = scenario.tensor, scenario.stages
    pass_s = divided_pass_s(job, constants, tensor, stages) + _exchange_s(setup) / stages
    waited = pass_s * bubble_factor(stages, scenario.accumulation)
    return scenario.micro_batch * scenario.sequence_tokens / waited / (tensor * stages)


def published_run(scenario: TrainingScenario, facts: TrainingFacts) -> PublishedRun | None:
    """The vendor's run of this very model, configuration and method, or None."""
    typed = None if scenario.params_count is None else float(scenario.params_count)
    return next(
        (
            run
            for run in facts.published
            if run.sku == facts.sku.code
            and run.method is scenario.method
            and run.params_count == typed
            and (typed is not None or run.model == facts.model.name)
        ),
        None,
    )


def convention_flop(setup: Setup, convention: Convention) -> float:
    """FLOP a token that a typed utilisation counts: 6N, or what the method needs without attention."""
    factor = flop_factor(Method.FULL, False) if convention is Convention.SIX else setup.flop.factor
    return factor * setup.flop.params


def rate_of_mfu(mfu: float, peak_flop_per_s: float, flop_a_token: float) -> float:
    """Tokens a second that a utilisation means: MFU × peak ÷ FLOP a token.

    26.13 % of an A100 at 6 × 2.7 G:

    >>> round(rate_of_mfu(0.2613, 312e12, 6 * 2.7e9))
    5032
    """
    return mfu * peak_flop_per_s / flop_a_token


def _typed(value: float, label: str) -> Sourced[float]:
    return Sourced(value, TOKENS_A_S, Kind.INPUT, label, replaces=True)


def _of_mfu(setup: Setup) -> Sourced[float] | None:
    scenario, peak = setup.scenario, peak_flop_per_s(setup.gpu, setup.scenario.numbers)
    if scenario.mfu_ratio is None or peak is None:
        return None
    flop = convention_flop(setup, scenario.convention)
    return _typed(rate_of_mfu(float(scenario.mfu_ratio), peak, flop), "mfu_ratio")


def _estimated(setup: Setup) -> Sourced[float]:
    made = setup.facts.calibration
    value = calibrated_rate(setup)
    return Sourced(value, TOKENS_A_S, Kind.ESTIMATE, "calibrated_rate", date=made.date)


def per_gpu_rate(setup: Setup) -> Sourced[float] | None:
    """Tokens a second and GPU by the chosen source; None where that source has no value. Raises NotModelledError."""
    scenario = setup.scenario
    match scenario.speed:
        case Speed.RATE:
            typed = scenario.rate_tok_per_s
            return None if typed is None else _typed(float(typed), "train_rate")
        case Speed.MFU:
            return _of_mfu(setup)
        case Speed.PUBLISHED:
            run = published_run(scenario, setup.facts)
            return None if run is None else run.tok_per_s_per_gpu
    return _estimated(setup)


def rate_band(setup: Setup, value: float) -> tuple[float, float] | None:
    """Low and high end of a calibrated speed; none for another source, nor for a divided model, whose exchanges come
    from the textbook."""
    scenario = setup.scenario
    if scenario.speed is not Speed.CALIBRATED or setup.divided:
        return None
    kind, chip = family(scenario.method, scenario.numbers), chip_class(setup.gpu)
    found = band(setup.facts.calibration, METRIC, scenario.method.value, kind, chip)
    return None if found is None else (value * found.low_ratio, value * found.high_ratio)


def utilisations(setup: Setup, tok_per_s: float) -> tuple[tuple[Utilisation, float], ...]:
    """MFU by each convention, and HFU: FLOP a token × tokens a second ÷ peak. Empty where no peak is known.

    `SIX_ATTENTION` counts the whole attention matrix, as the published figure does; MFU and HFU its causal half.
    """
    peak = peak_flop_per_s(setup.gpu, setup.scenario.numbers)
    if peak is None:
        return ()
    six = flop_factor(Method.FULL, False) * setup.flop.params
    whole = 2 * attention_flop_a_token(setup.model, setup.scenario.sequence_tokens, False)
    counted = (
        (Utilisation.SIX, six),
        (Utilisation.SIX_ATTENTION, six + whole),
        (Utilisation.METHOD, setup.flop.linear),
        (Utilisation.HARDWARE, setup.flop.executed),
    )
    return tuple((name, flop * tok_per_s / peak) for name, flop in counted)


def rate(setup: Setup) -> Rate | None:
    """The speed with its total, band and utilisations. Raises NotModelledError where the model refuses."""
    found = per_gpu_rate(setup)
    if found is None:
        return None
    return Rate(found, found.value * setup.gpu_count, rate_band(setup, found.value), utilisations(setup, found.value))
