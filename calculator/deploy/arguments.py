"""The arguments of the vLLM version that we write for: fixtures/vllm_arguments.json, read once a process."""

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).resolve().parent.parent.parent / "fixtures" / "vllm_arguments.json"


@dataclass(frozen=True, slots=True)
class Arguments:
    """Flags of `vllm serve` without dashes, and the facts of that version which our notes state.

    `minimum_capability` is the compute capability a quantisation method needs, as two digits (75 is 7.5).
    """

    version: str
    flags: Mapping[str, Mapping[str, Any]]
    minimum_capability: Mapping[str, int]
    quantization: frozenset[str]
    float16_refused: frozenset[str]
    structured_outputs: tuple[str, ...]

    @property
    def image(self) -> str:
        """The public container image of that version."""
        return f"vllm/vllm-openai:v{self.version}"


@functools.cache
def arguments() -> Arguments:
    """The shipped list. Source: vLLM's own declarations, see docs/decisions/0041."""
    data = json.loads(SOURCE.read_text(encoding="utf-8"))
    return Arguments(
        version=data["version"],
        flags={item["flag"]: item for item in data["arguments"]},
        minimum_capability=data["minimum_capability"],
        quantization=frozenset(data["quantization"]),
        float16_refused=frozenset(data["float16_refused"]),
        structured_outputs=tuple(data["structured_outputs"]),
    )
