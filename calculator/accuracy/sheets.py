"""GPUs and models by the names that measurements use, from the fixtures that the catalogue is seeded with."""

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

from calculator.domain.hardware import Gpu
from calculator.domain.llm import LanguageModel

SAME_SHAPE = {
    "DeepSeek-R1-Distill-Llama-8B": "Llama-3.1-8B",
    "DeepSeek-R1-Distill-Qwen-14B": "Qwen2.5-14B",
    "Qwen2.5-Coder-32B": "Qwen2.5-32B",
    "CodeLlama-34B-arch": "CodeLlama-34B",
    "Llama-1-7B": "Llama-2-7B",
    "Vicuna-7B": "Llama-2-7B",
}
"""Checkpoints that bear another name on the very same dimensions."""


class Sheets:
    """Data sheets by name and alias."""

    def __init__(self, gpus: dict[str, Gpu], models: dict[str, LanguageModel]) -> None:
        self.gpus = gpus
        self.models = models

    def gpu(self, name: str) -> Gpu | None:
        """The GPU of that name or alias."""
        return self.gpus.get(name)

    def model(self, name: str) -> LanguageModel | None:
        """The model of that name, or of the name whose dimensions it shares."""
        return self.models.get(SAME_SHAPE.get(name, name))


def load_sheets(fixtures: Path) -> Sheets:
    """Sheets of gpus.json, models.json and the shapes that only measurements need (measured_models.json)."""
    gpus: dict[str, Gpu] = {}
    for row in _rows(fixtures / "gpus.json"):
        gpu = Gpu(**_known(row, Gpu))
        names = [gpu.name, *(alias.strip() for alias in gpu.aliases.split(";"))]
        gpus |= {name: gpu for name in names if name}
    shapes = [*_rows(fixtures / "models.json"), *_rows(fixtures / "measurements" / "measured_models.json")]
    models = [LanguageModel(**_known(row, LanguageModel)) for row in shapes]
    return Sheets(gpus, {model.name: model for model in models})


def _rows(path: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return rows


def _known(row: dict[str, Any], kind: type[Gpu] | type[LanguageModel]) -> dict[str, Any]:
    """The row's entries that are fields of the sheet; an absent value keeps the field's own default."""
    names = {field.name for field in fields(kind)}
    return {key: value for key, value in row.items() if key in names and value is not None}
