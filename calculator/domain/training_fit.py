"""Memory of a training scenario on each GPU: which bytes a parameter takes, how TP, PP and ZeRO divide them, faults."""

from dataclasses import replace

from calculator.domain.calibration import MemoryConstants, band, memory_constants
from calculator.domain.hardware import memory_bytes
from calculator.domain.memory import Line, MemoryEstimate, Sharding, TrainingMemory, parallel_faults, training_memory
from calculator.domain.precision import PRECISIONS, Precision, model_weight_bytes
from calculator.domain.training import Method
from calculator.domain.training_scenario import Numbers, Optimizer, TrainingScenario, Verdict
from calculator.domain.training_speed import Setup
from calculator.domain.training_work import adapter_params

FULL_BYTES = 4
HALF_BYTES = 2
MASTER_BYTES = 4
MOMENTS_BYTES = {Optimizer.ADAMW: 8, Optimizer.FUSED: 8, Optimizer.EIGHT_BIT: 2, Optimizer.HALF: 4}
"""Adam's two moments, bytes a trained parameter: 2 × 4, 2 × 1, 2 × 2."""
MEMORY_METRIC = "measured_gb"
GPUS_FAULT = "gpus"


def element_bytes(numbers: Numbers) -> int:
    """Bytes of weights, gradients and activations: 4 in FP32, 2 otherwise (FP8 multiplies what is kept in 16 bits)."""
    return FULL_BYTES if numbers is Numbers.FP32 else HALF_BYTES


def optimizer_bytes(optimizer: Optimizer, numbers: Numbers) -> float:
    """Optimizer states of one trained parameter: master copy and two moments.

    AdamW takes 12 B beside the 2 + 2 B of weight and gradient, 16 in all; 8-bit moments 6, 10 in all. A fused AdamW
    takes the same 12: it saves temporaries, not the states. In FP32 the weight is its own master copy.

    >>> [optimizer_bytes(kind, Numbers.BF16) for kind in Optimizer]
    [12, 12, 6, 4]
    """
    kept = 0 if optimizer is Optimizer.HALF or numbers is Numbers.FP32 else MASTER_BYTES
    return kept + MOMENTS_BYTES[optimizer]


def base_precision(scenario: TrainingScenario) -> Precision:
    """How the weights lie in memory: 4 bits (4.5 with scales) for QLoRA, else 16 or 32."""
    if scenario.method is Method.QLORA:
        return PRECISIONS["nf4"]
    return PRECISIONS["fp32" if scenario.numbers is Numbers.FP32 else "bf16"]


def weight_bytes(setup: Setup) -> float:
    """All weights as they lie in memory while training; FP32 keeps its embeddings in 32 bits too."""
    precision = base_precision(setup.scenario)
    if setup.scenario.numbers is Numbers.FP32 and setup.scenario.method is not Method.QLORA:
        precision = replace(precision, embedding_bits=precision.weight_bits)
    return model_weight_bytes(setup.model, precision)


def constants_of(setup: Setup) -> MemoryConstants:
    """The calibrated constants of the method, with the optimizer's bytes as the visitor chose them."""
    scenario = setup.scenario
    method = Method.FULL if scenario.method is Method.PRETRAIN else scenario.method
    classes = ("training", method.value, base_precision(scenario).family, "allocated")
    found = memory_constants(setup.facts.calibration, classes)
    return replace(found, optimizer_bytes=optimizer_bytes(scenario.optimizer, scenario.numbers))


def _process(setup: Setup) -> TrainingMemory:
    """One GPU's part before ZeRO: weights and states ÷ (TP × PP). Activations and logits ÷ TP (sequence parallel); a
    pipeline's first stage keeps as many micro-batches in flight as there are stages, so PP does not divide them."""
    scenario = setup.scenario
    parts = scenario.tensor * scenario.stages
    return TrainingMemory(
        model=setup.model,
        base_bytes=weight_bytes(setup) / parts,
        trained_params=(setup.trained_params or 0.0) / parts,
        adapter_params=(adapter_params(scenario, setup.model) or 0.0) / parts,
        tokens=scenario.micro_batch * scenario.sequence_tokens / scenario.tensor,
        recomputed=scenario.recomputed,
        sharding=scenario.sharding,
        shards=setup.data_parallel,
        element_bytes=element_bytes(scenario.numbers),
    )


def memory_of(setup: Setup) -> MemoryEstimate:
    """Lines of one GPU in training, against the whole memory that the driver reports."""
    return training_memory(_process(setup), memory_bytes(setup.gpu), constants_of(setup))


def faults(setup: Setup) -> tuple[str, ...]:
    """Why a division is not valid, as codes: those of `parallel_faults`, and `gpus` where TP × PP does not divide the
    GPUs (a published topology asks for 16 ranks on 8)."""
    scenario = setup.scenario
    found = parallel_faults(setup.model, scenario.tensor, scenario.stages)
    parts = scenario.tensor * scenario.stages
    return (*found, GPUS_FAULT) if setup.gpu_count % parts else found


STATE_LINES = (Line.WEIGHTS, Line.ADAPTERS, Line.GRADIENTS, Line.OPTIMIZER)
TRAINED_LINES = (Line.ADAPTERS, Line.GRADIENTS, Line.OPTIMIZER)


def unknown_lines(setup: Setup) -> tuple[Line, ...]:
    """Lines whose size is not known: those of adapters that are not modelled."""
    return TRAINED_LINES if setup.trained_params is None else ()


def verdict(setup: Setup, memory: MemoryEstimate) -> Verdict:
    """Whether the run starts. Known lines that are too much do not fit, whatever the unknown ones add."""
    if faults(setup):
        return Verdict.IMPOSSIBLE
    if not memory.fits:
        return Verdict.MISFIT
    return Verdict.UNKNOWN if unknown_lines(setup) else Verdict.FITS


def state_bytes(setup: Setup) -> float | None:
    """Weights, adapters, gradients and optimizer states of the whole model, before any division; None where one of them
    is not known."""
    if unknown_lines(setup):
        return None
    alone = replace(setup.scenario, tensor_parallel=1, pipeline_parallel=1, sharding=Sharding.NONE)
    lines = dict(memory_of(replace(setup, scenario=alone, data_parallel=1)).lines)
    return sum(lines[line] for line in STATE_LINES)


def memory_band(setup: Setup, needed_bytes: float) -> tuple[float, float] | None:
    """Band of the total. Given for adapters only: where all weights are trained, the published rows mix optimizers,
    and here the optimizer is known."""
    if not setup.scenario.method.frozen_base or unknown_lines(setup):
        return None
    found = band(
        setup.facts.calibration, MEMORY_METRIC, setup.scenario.method.value, base_precision(setup.scenario).family
    )
    return None if found is None else (needed_bytes * found.low_ratio, needed_bytes * found.high_ratio)
