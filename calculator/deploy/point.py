"""The deployment to write down, and why one cannot be."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from calculator.domain.hardware import Gpu
from calculator.domain.llm import LanguageModel

FP8 = "fp8"
HALF = "fp16"
LONGEST_NAME = 200
NVIDIA = "NVIDIA"
OPTION_DASH = "-"
HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)


class DeployError(ValueError):
    """No valid configuration exists; `code` names the reason for a presenter, `values` what it speaks of."""

    def __init__(self, code: str, **values: str) -> None:
        super().__init__(f"{code}: {values}")
        self.code = code
        self.values: Mapping[str, str] = values


@dataclass(frozen=True, slots=True)
class Note:
    """Something that the reader of a configuration must know, as a code with its values."""

    code: str
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ServingPoint:
    """One chosen deployment.

    `precision` is a code of `domain.precision`, `kv_precision` one of `fp16`, `bf16`, `auto`, `fp8`. `memory_ratio` is
    the share of the GPU's total memory that the engine takes. `model_path` is a hub name or a folder as typed by the
    visitor; empty means the catalogue's. `cpu_cache_gib` moves idle cache blocks to the host's memory.
    `published_example` asks for the notes on keys that the published set-up shows and vLLM no longer has.
    """

    model: LanguageModel
    gpu: Gpu
    precision: str = HALF
    kv_precision: str = HALF
    tensor_parallel: int = 1
    pipeline_parallel: int = 1
    replicas: int = 1
    max_sequences: int = 256
    batched_tokens: int = 8192
    context_tokens: int = 8192
    memory_ratio: float = 0.90
    prefix_caching: bool = True
    chunked_prefill: bool = True
    structured_outputs: str = ""
    model_path: str = ""
    cpu_cache_gib: float | None = None
    published_example: bool = False

    @property
    def gpus_a_replica(self) -> int:
        """GPUs of one server process."""
        return self.tensor_parallel * self.pipeline_parallel


def model_name(point: ServingPoint) -> str:
    """The name or folder that vLLM loads, as it will stand in the configuration.

    Everything that could be read as something else is refused: a leading dash would be an option, a control character
    ends a line. Raises DeployError.
    """
    name = (point.model_path or point.model.hf_id or point.model.name).strip()
    if not name:
        raise DeployError("name_missing")
    if len(name) > LONGEST_NAME:
        raise DeployError("name_too_long", limit=str(LONGEST_NAME))
    if name.startswith(OPTION_DASH):
        raise DeployError("name_dash")
    if not name.isprintable():
        raise DeployError("name_control")
    return name


def is_folder(name: str) -> bool:
    """Whether a name is a path of the machine and not a name on a model hub."""
    return name.startswith(("/", "./", "../", "~"))


def is_loadable(name: str) -> bool:
    """Whether a name says where weights are: a folder, or owner/model on a hub. Any other is only what a visitor calls
    his model.

    >>> is_loadable("mistralai/Mistral-7B-v0.3"), is_loadable("our model")
    (True, False)
    """
    return is_folder(name) or HUB_NAME.fullmatch(name) is not None


def capability(gpu: Gpu) -> tuple[int, int] | None:
    """Compute capability as two numbers; None for another vendor's GPU.

    >>> capability(Gpu("A100", "NVIDIA", "Ampere", 80, 2039, compute_capability="8.0"))
    (8, 0)
    """
    major, dot, minor = gpu.compute_capability.partition(".")
    if not (dot and major.isdecimal() and minor.isdecimal()):
        return None
    return int(major), int(minor)
