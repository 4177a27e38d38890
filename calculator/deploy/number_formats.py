"""Number formats as vLLM takes them: of the weights, of the arithmetic, of the KV cache, on one GPU.

What a GPU refuses was read from vLLM's source of the version in fixtures/vllm_arguments.json (docs/decisions/0041).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from calculator.deploy.arguments import arguments
from calculator.deploy.point import FP8, HALF, NVIDIA, DeployError, Note, ServingPoint, capability
from calculator.domain.llm import MLA

FLASHINFER_FROM = (8, 0)
"""The oldest GPU on which vLLM's FlashInfer kernels read an 8-bit cache that the GPU itself cannot multiply with."""
HALF_DTYPES = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32"}
HALF_REFUSED_NAMES = {"gemma2": "gemma-2-", "gemma3": "gemma-3-", "gemma3_text": "gemma-3-", "glm4": "glm-4-"}
"""How checkpoints of the model types that vLLM will not run in float16 are called."""


@dataclass(frozen=True, slots=True)
class WeightFormat:
    """How one precision reaches vLLM.

    `online` is the value of `quantization` that converts a 16-bit checkpoint while loading; without it the checkpoint
    must be stored in that format, and vLLM finds out by itself. `method` is the name that vLLM knows the format by.
    """

    method: str
    online: str | None = None


WEIGHTS: dict[str, WeightFormat] = {
    "fp8": WeightFormat("fp8", online="fp8_per_tensor"),
    "int8": WeightFormat("compressed-tensors"),
    "gptq-int8": WeightFormat("auto_gptq"),
    "gptq-int4": WeightFormat("auto_gptq"),
    "awq-int4": WeightFormat("auto_awq"),
    "awq-marlin-int4": WeightFormat("auto_awq"),
    "nvfp4": WeightFormat("modelopt_fp4"),
    "mxfp4": WeightFormat("mxfp4"),
}
"""Formats of `domain.precision` that this vLLM serves beside plain 16 and 32 bits; bitsandbytes and GGUF left it."""


@dataclass(frozen=True, slots=True)
class Formats:
    """What goes into the configuration, None where vLLM's own choice is right, and what must be said about it."""

    dtype: str | None
    quantization: str | None
    kv_cache_dtype: str | None
    notes: tuple[Note, ...]


def formats(point: ServingPoint) -> Formats:
    """The three formats on this GPU. Raises DeployError where vLLM would refuse to start."""
    notes: list[Note] = []
    quantization = _quantization(point, notes)
    return Formats(
        dtype=_dtype(point, notes),
        quantization=quantization,
        kv_cache_dtype=_kv_cache(point, notes),
        notes=tuple(notes),
    )


def _quantization(point: ServingPoint, notes: list[Note]) -> str | None:
    if point.precision in HALF_DTYPES:
        return None
    wanted = WEIGHTS.get(point.precision)
    if wanted is None:
        raise DeployError("precision_not_served", precision=point.precision)
    _require_capability(point, wanted.method)
    notes.extend(_weight_only(point))
    stored = point.model.native_dtype.startswith(point.precision)
    if stored:
        return None
    if wanted.online is None:
        notes.append(Note("checkpoint_format", {"precision": point.precision}))
        return None
    notes.append(Note("converted_while_loading", {"precision": point.precision}))
    return wanted.online


def _require_capability(point: ServingPoint, method: str) -> None:
    have, needed = capability(point.gpu), arguments().minimum_capability.get(method)
    if have is not None and needed is not None and have < divmod(needed, 10):
        raise DeployError(
            "capability_too_low",
            precision=point.precision,
            gpu=point.gpu.name,
            capability=point.gpu.compute_capability,
            needed=".".join(map(str, divmod(needed, 10))),
        )


def _weight_only(point: ServingPoint) -> Iterator[Note]:
    """fp8 on a GPU without such units: the weights are stored in 8 bits and multiplied in 16 (Marlin)."""
    if point.precision == FP8 and not point.gpu.fp8_native:
        yield Note("fp8_weight_only", {"gpu": point.gpu.name, "capability": point.gpu.compute_capability})


def half_refused(name: str) -> bool:
    """Whether the name is one of a model family that vLLM does not run in float16.

    >>> half_refused("google/gemma-2-9b"), half_refused("google/gemma-2b")
    (True, False)
    """
    lowered = name.casefold()
    return any(part in lowered for part in HALF_REFUSED_NAMES.values())


def _dtype(point: ServingPoint, notes: list[Note]) -> str | None:
    """Type of the arithmetic: as asked, but bfloat16 where float16 is refused, float16 where there is no bfloat16."""
    asked = HALF_DTYPES.get(point.precision)
    if asked == HALF_DTYPES["fp32"]:
        return asked
    refuses = half_refused(point.model.hf_id or point.model.name)
    if not point.gpu.bf16_native:
        return _without_bfloat16(point, refuses, notes)
    if asked == HALF_DTYPES[HALF] and refuses:
        notes.append(Note("float16_refused", {"model": point.model.name}))
        return HALF_DTYPES["bf16"]
    return asked


def _without_bfloat16(point: ServingPoint, refuses: bool, notes: list[Note]) -> str:
    values = {"gpu": point.gpu.name, "capability": point.gpu.compute_capability, "model": point.model.name}
    if refuses:
        raise DeployError("no_sixteen_bit_type", **values)
    if point.precision == "bf16" or point.model.native_dtype.startswith("bf16"):
        notes.append(Note("bf16_not_native", values))
    return HALF_DTYPES[HALF]


def _kv_cache(point: ServingPoint, notes: list[Note]) -> str | None:
    """Type of the cache: fp8 where the GPU has such units, else the model's own type with a note."""
    if point.kv_precision != FP8:
        return None
    if point.gpu.fp8_native:
        notes.append(Note("kv_fp8_check_quality"))
        return "fp8_e4m3"
    have = capability(point.gpu)
    stored = (
        point.gpu.vendor == NVIDIA and have is not None and have >= FLASHINFER_FROM and point.model.attention != MLA
    )
    values = {"gpu": point.gpu.name, "capability": point.gpu.compute_capability}
    notes.append(Note("kv_fp8_emulated" if stored else "kv_fp8_refused", values))
    return None
