"""How a scenario's GPUs hold a model: replicas, the deployment of one, its constants, and what speaks against it."""

from dataclasses import dataclass, replace
from decimal import Decimal

from calculator.domain.calibration import (
    Calibration,
    Engine,
    Era,
    ServingConstants,
    serving_classes,
    serving_constants,
)
from calculator.domain.hardware import Gpu
from calculator.domain.inference import Deployment
from calculator.domain.llm import LanguageModel
from calculator.domain.memory import parallel_faults
from calculator.domain.precision import PRECISIONS, Precision
from calculator.domain.roofs import served
from calculator.domain.scenario import Message
from calculator.domain.serving_scenario import (
    CACHE_ELEMENT_BYTES,
    CachePrecision,
    InferenceFacts,
    InferenceScenario,
    Offer,
)

CALIBRATED_VENDOR = "NVIDIA"
GGUF = "gguf-"
HALF = "fp16"
MINIMUM_CAPABILITY = {
    **{"fp8": (7, 5), "int8": (7, 0), "nvfp4": (7, 5), "mxfp4": (8, 0)},
    **{"awq-int4": (7, 5), "gptq-int4": (6, 0), "gptq-int8": (6, 0)},
}
"""Compute capability from which vLLM runs a weight format; a test holds it against the facts of the deploy room."""
EIGHT_BIT_CACHE_FROM = (8, 0)
"""Compute capability from which vLLM reads an 8-bit cache at all, with or without units for it."""


@dataclass(frozen=True, slots=True)
class Layout:
    """`replicas` copies of one deployment on the rented GPUs; `idle_gpus` hold nothing."""

    offer: Offer
    deployment: Deployment
    engine: Engine
    constants: ServingConstants
    replicas: int
    gpus: int

    @property
    def idle_gpus(self) -> int:
        """Rented GPUs that no replica uses."""
        return self.gpus - self.replicas * self.deployment.gpu_count


def engine_precision(engine: Engine, precision: Precision) -> Precision:
    """The precision as an engine multiplies it: llama.cpp adds in 16 bits, twice as fast on GeForce.

    >>> engine_precision(Engine.LLAMA_CPP, PRECISIONS["gguf-q8_0"]).math
    'fp16acc'
    """
    if engine is Engine.LLAMA_CPP and precision.math == "fp16":
        return replace(precision, math="fp16acc")
    return precision


def capability(gpu: Gpu) -> tuple[int, int] | None:
    """Compute capability as two numbers; None where the sheet states none.

    >>> capability(Gpu("T4", "NVIDIA", "Turing", 16, 320, compute_capability="7.5"))
    (7, 5)
    """
    major, dot, minor = gpu.compute_capability.partition(".")
    return (int(major), int(minor)) if dot and major.isdecimal() and minor.isdecimal() else None


def computed_precision(code: str, gpu: Gpu) -> str:
    """The weight format that the GPU multiplies: bf16 becomes fp16 where it has no such units."""
    return HALF if code == "bf16" and not gpu.bf16_native else code


def is_older(gpu: Gpu, needed: tuple[int, int]) -> bool:
    """Whether a GPU's stated capability is below what is needed."""
    have = capability(gpu)
    return have is not None and have < needed


def computed_cache(scenario: InferenceScenario, gpu: Gpu) -> CachePrecision:
    """The cache that is estimated: 16 bits where vLLM refuses 8 on that GPU."""
    refused = scenario.engine is Engine.VLLM and is_older(gpu, EIGHT_BIT_CACHE_FROM)
    return CachePrecision.FP16 if refused else scenario.cache


def written_cache(scenario: InferenceScenario, gpu: Gpu | None) -> CachePrecision:
    """The cache that vLLM's configuration asks for: 8 bits only where the GPU has units for them."""
    if scenario.engine is Engine.VLLM and gpu is not None and not gpu.fp8_native:
        return CachePrecision.FP16
    return scenario.cache


def capability_faults(scenario: InferenceScenario, gpu: Gpu | None) -> tuple[Message, ...]:
    """vLLM does not start with that weight format on a GPU so old."""
    needed = MINIMUM_CAPABILITY.get(scenario.precision)
    if scenario.engine is not Engine.VLLM or gpu is None or needed is None or not is_older(gpu, needed):
        return ()
    values = {
        "precision": scenario.precision,
        "gpu": gpu.name,
        "capability": gpu.compute_capability,
        "needed": ".".join(map(str, needed)),
    }
    return (Message("capability_too_low", values, "precision"),)


def runs_precision(engine: Engine, code: str) -> bool:
    """Whether an engine class was calibrated with that format: GGUF files are llama.cpp's, other quantisations not.

    >>> runs_precision(Engine.VLLM, "gguf-q8_0"), runs_precision(Engine.LLAMA_CPP, "fp16")
    (False, True)
    """
    if engine is Engine.LLAMA_CPP:
        return code.startswith(GGUF) or PRECISIONS[code].family == "fp16"
    return not code.startswith(GGUF)


def constants_of(
    calibration: Calibration, engine: Engine, era: Era, precision: Precision, gpu: Gpu
) -> ServingConstants:
    """The calibrated constants of a server, re-anchored where the GPU's roofs were measured."""
    found = serving_constants(calibration, serving_classes(engine, era, precision.family, gpu))
    return served(found, calibration, gpu, precision.math)


def tuned(constants: ServingConstants, memory_ratio: Decimal | None, max_sequences: int | None) -> ServingConstants:
    """The constants with the visitor's own memory share and limit of sequences, where he set them."""
    if memory_ratio is not None:
        constants = replace(constants, memory_ratio=float(memory_ratio))
    return constants if max_sequences is None else replace(constants, max_sequences=float(max_sequences))


def gpu_faults(gpu: Gpu | None, name: str) -> tuple[Message, ...]:
    """Why a GPU is not modelled: no data sheet, another vendor, no stated peak."""
    if gpu is None:
        return (Message("no_data_sheet", {"name": name}, "sku"),)
    if gpu.vendor != CALIBRATED_VENDOR:
        return (Message("vendor_not_calibrated", {"name": gpu.name, "vendor": gpu.vendor}, "sku"),)
    if not (gpu.fp16_tflops_dense_fp32acc or gpu.bf16_tflops_dense):
        return (Message("unknown_peak", {"name": gpu.name}, "sku"),)
    return ()


def division_faults(model: LanguageModel, engine: Engine, tensor: int, pipeline: int) -> tuple[Message, ...]:
    """Why a division of the model is not valid; llama.cpp splits layers only."""
    if engine is Engine.LLAMA_CPP and tensor > 1:
        return (Message("tensor_parallel_llama_cpp", {"tp": tensor}, "tensor_parallel"),)
    codes = parallel_faults(model, tensor, pipeline)
    values = {
        "heads": model.heads,
        "kv_heads": model.kv_heads,
        "vocabulary": model.vocab,
        "layers": model.layers,
    }
    return tuple(
        Message(
            f"division_{code}",
            {"tp": tensor, "pp": pipeline, "count": values[code]},
            "pipeline_parallel" if code == "layers" else "tensor_parallel",
        )
        for code in codes
    )


def faults(scenario: InferenceScenario, facts: InferenceFacts) -> tuple[Message, ...]:
    """Everything for which a scenario has no answer, before memory is looked at; empty when it has one."""
    offer = facts.offer
    gpus = scenario.instances * offer.sku.gpu_count
    found = gpu_faults(offer.gpu, scenario.gpu or offer.sku.code)
    found += division_faults(facts.model, scenario.engine, scenario.tensor, scenario.stages)
    if not runs_precision(scenario.engine, scenario.precision):
        values = {"engine": scenario.engine.value, "precision": scenario.precision}
        found += (Message("precision_not_for_engine", values, "precision"),)
    found += capability_faults(scenario, offer.gpu)
    one = scenario.replica_gpus
    wanted = one * (scenario.replicas or 1)
    if wanted > gpus:
        found += (Message("not_enough_gpus", {"wanted": wanted, "gpus": gpus}, "instances"),)
    return found


def layout(scenario: InferenceScenario, facts: InferenceFacts) -> Layout:
    """The replicas of a scenario without `faults`. Raises ValueError when its GPU has no data sheet."""
    gpu = facts.offer.gpu
    if gpu is None:
        raise ValueError("no data sheet")
    precision = engine_precision(scenario.engine, PRECISIONS[computed_precision(scenario.precision, gpu)])
    deployment = Deployment(
        model=facts.model,
        gpu=gpu,
        precision=precision,
        kv_element_bytes=CACHE_ELEMENT_BYTES[computed_cache(scenario, gpu)],
        tensor_parallel=scenario.tensor,
        pipeline_parallel=scenario.stages,
    )
    gpus = scenario.instances * facts.offer.sku.gpu_count
    return Layout(
        offer=facts.offer,
        deployment=deployment,
        engine=scenario.engine,
        constants=tuned(
            constants_of(facts.calibration, scenario.engine, scenario.era, precision, gpu),
            scenario.memory_ratio,
            scenario.max_sequences,
        ),
        replicas=scenario.replicas or gpus // deployment.gpu_count,
        gpus=gpus,
    )
