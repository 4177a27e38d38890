"""GPUs and models by the names that measurements use: the catalogue's fixtures, shapes that only measurements need
(measured_gpus.json, measured_models.json), and what gpus.csv and models.csv beside the measurements add to them.
"""

import csv
import json
import types
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, get_args

from calculator.accuracy.names import GpuNames, ModelNames
from calculator.domain.hardware import Gpu
from calculator.domain.llm import LanguageModel

SAME_SHAPE = {
    "DeepSeek-R1-Distill-Llama-8B": "Llama-3.1-8B",
    "DeepSeek-R1-Distill-Llama-70B": "Llama-3.3-70B",
    "DeepSeek-R1-Distill-Qwen-1.5B": "Qwen2.5-1.5B",
    "DeepSeek-R1-Distill-Qwen-7B": "Qwen2.5-7B",
    "DeepSeek-R1-Distill-Qwen-14B": "Qwen2.5-14B",
    "DeepSeek-R1-Distill-Qwen-32B": "Qwen2.5-32B",
    "DeepSeek-V3.1": "DeepSeek-V3",
    "QwQ-32B": "Qwen2.5-32B",
    "Qwen2.5-Coder-7B": "Qwen2.5-7B",
    "Qwen2.5-Coder-14B": "Qwen2.5-14B",
    "Qwen2.5-Coder-32B": "Qwen2.5-32B",
    "Qwen2.5-Math-7B": "Qwen2.5-7B",
    "Qwen2.5-Math-72B": "Qwen2.5-72B",
    "Qwen2-0.5B": "Qwen2.5-0.5B",
    "Qwen2-1.5B": "Qwen2.5-1.5B",
    "Qwen3-Coder-30B-A3B": "Qwen3-30B-A3B",
    "CodeLlama-7B": "Llama-2-7B",
    "CodeLlama-13B": "Llama-2-13B",
    "CodeLlama-34B-arch": "CodeLlama-34B",
    "CodeLlama-70B": "Llama-2-70B",
    "Llama-1-7B": "Llama-2-7B",
    "Llama-1-13B": "Llama-2-13B",
    "LLaMA-7B": "Llama-2-7B",
    "LLaMA-13B": "Llama-2-13B",
    "LLaMA-30B": "Llama-1-33B",
    "LLaMA-33B": "Llama-1-33B",
    "LLaMA-65B": "Llama-1-65B",
    "Llama-3.1-Nemotron-70B": "Llama-3.1-70B",
    "Vicuna-7B": "Llama-2-7B",
    "Vicuna-13B": "Llama-2-13B",
    "Vicuna-33B": "Llama-1-33B",
    "Zephyr-7B-beta": "Mistral-7B",
    "CodeGemma-7B": "Gemma-7B",
    "Codestral-22B": "Mistral-Small-2409",
    "Mistral-Small-24B": "Mistral-Small-2501",
    "Mistral-Small-3.1-24B": "Mistral-Small-2501",
    "Mistral-Small-3.2-24B": "Mistral-Small-2501",
}
"""Checkpoints that bear another name on the very same dimensions."""


class Sheets:
    """Data sheets by name, by alias, and by the many ways in which publications write a name."""

    def __init__(self, gpus: dict[str, Gpu], models: dict[str, LanguageModel]) -> None:
        self.gpus = gpus
        self.models = models
        self._gpu_names = GpuNames(gpus)
        self._model_names = ModelNames(_model_names(models))
        self._found_gpus: dict[str, Gpu | None] = dict(gpus)
        self._found_models: dict[str, LanguageModel | None] = dict(models)

    def gpu(self, name: str) -> Gpu | None:
        """The GPU of that name or alias, however written."""
        if name not in self._found_gpus:
            self._found_gpus[name] = self._gpu_names.find(name)
        return self._found_gpus[name]

    def model(self, name: str) -> LanguageModel | None:
        """The model of that name, however written, or of the name whose dimensions it shares."""
        if name not in self._found_models:
            self._found_models[name] = self._model_names.find(name)
        return self._found_models[name]


def _model_names(models: Mapping[str, LanguageModel]) -> Iterator[tuple[str, LanguageModel]]:
    yield from models.items()
    yield from ((model.hf_id, model) for model in models.values() if model.hf_id)
    yield from ((twin, models[name]) for twin, name in SAME_SHAPE.items() if name in models)


def load_sheets(fixtures: Path, folder: Path | None = None) -> Sheets:
    """Sheets of the fixtures, then those that `folder` adds. The first sheet of a name holds."""
    measured, beside = fixtures / "measurements", folder or fixtures / "measurements"
    gpu_rows = [
        *_rows(fixtures / "gpus.json"),
        *_rows(measured / "measured_gpus.json"),
        *_table(beside / "gpus.csv", Gpu),
    ]
    model_rows = [
        *_rows(fixtures / "models.json"),
        *_rows(measured / "measured_models.json"),
        *_table(beside / "models.csv", LanguageModel),
    ]
    gpus: dict[str, Gpu] = {}
    for gpu in _made(gpu_rows, Gpu):
        for name in (gpu.name, *gpu.aliases.split(";")):
            gpus.setdefault(name.strip(), gpu)
    models: dict[str, LanguageModel] = {}
    for model in _made(model_rows, LanguageModel):
        models.setdefault(model.name, model)
    return Sheets({name: gpu for name, gpu in gpus.items() if name}, models)


def _rows(path: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return rows


def _made[S: (Gpu, LanguageModel)](rows: Iterable[dict[str, Any]], kind: type[S]) -> Iterator[S]:
    """Sheets of rows; an entry that is no field is left out, an absent value keeps the field's own default."""
    names = {field.name for field in fields(kind)}
    for row in rows:
        yield kind(**{key: value for key, value in row.items() if key in names and value is not None})


def _table(path: Path, kind: type[Gpu] | type[LanguageModel]) -> list[dict[str, Any]]:
    """Rows of a CSV of data sheets as the fields' types; a row that lacks a needed value is left out."""
    if not path.exists():
        return []
    needed = {field.name for field in fields(kind) if field.default is MISSING}
    with path.open(encoding="utf-8-sig", newline="", errors="replace") as stream:
        rows = [_typed(row, kind) for row in csv.DictReader(stream)]
    return [row for row in rows if all(row.get(name) is not None for name in needed)]


def _typed(row: Mapping[str | None, str | None], kind: type[Gpu] | type[LanguageModel]) -> dict[str, Any]:
    texts = {str(key).strip().casefold(): (value or "").strip() for key, value in row.items() if isinstance(value, str)}
    texts["name"] = texts.get("gpu") or texts.get("model") or ""
    return {field.name: _value(texts.get(field.name, ""), field.type) for field in fields(kind)}


def _value(text: str, kind: Any) -> Any:
    """The cell as the field's type; None for a cell that is empty or cannot be read."""
    if not text:
        return None
    allowed = get_args(kind) if isinstance(kind, types.UnionType) else (kind,)
    if bool in allowed:
        return text.casefold() in ("yes", "true", "1")
    if str in allowed:
        return text
    try:
        return float(text) if float in allowed else int(float(text))
    except (ValueError, OverflowError):
        return None
