"""What a measurement's words mean: the engine's class and age, the precision of weights and cache, numbers."""

import re

from calculator.domain.calibration import Engine, Era
from calculator.domain.hardware import Gpu
from calculator.domain.llm import LanguageModel
from calculator.domain.precision import PRECISIONS, Precision

NEW_FROM_YEAR = 2025
NEW_FROM_VERSION = {Engine.VLLM: (0, 8), Engine.TENSORRT_LLM: (0, 20), Engine.SGLANG: (0, 4)}
MODELS_OF_2025 = ("Qwen3", "gpt-oss", "DeepSeek-V3", "DeepSeek-R1", "Kimi", "Llama-4", "Gemma-3")
"""Families released at the end of 2024 or later: an engine that serves one is no older than it."""
CACHE_BYTES = {"fp8": 1.0, "int8": 1.0, "fp16": 2.0, "bf16": 2.0}
EIGHT_BIT_CACHE_BY_DEFAULT = (Engine.TENSORRT_LLM, Engine.VLLM)
PREFIXES = {
    "vllm": Engine.VLLM,
    "sglang": Engine.SGLANG,
    "tensorrt-llm": Engine.TENSORRT_LLM,
    "llama.cpp": Engine.LLAMA_CPP,
}


def engine_class(text: str) -> Engine | None:
    """The modelled class that an engine's name begins with, or None."""
    lowered = text.lower()
    return next((engine for prefix, engine in PREFIXES.items() if lowered.startswith(prefix)), None)


def engine_era(text: str, engine: Engine, gpu: Gpu, model: LanguageModel, precision: str, note: str) -> Era:
    """The engine's age: its own year or version, else the year of the measurement, else the youngest thing it runs."""
    stated = re.search(r"\((20\d\d)", text)
    version = re.search(r" (\d+)\.(\d+)", text)
    measured = re.search(r"measured (20\d\d)", note)
    if stated:
        return _of_year(int(stated.group(1)))
    if version and engine in NEW_FROM_VERSION:
        return _new_if((int(version.group(1)), int(version.group(2))) >= NEW_FROM_VERSION[engine])
    if gpu.architecture.startswith("Blackwell") or precision in ("nvfp4", "mxfp4"):
        return Era.NEW
    if model.name.startswith(MODELS_OF_2025):
        return Era.NEW
    return _of_year(int(measured.group(1))) if measured else Era.OLD


def _of_year(year: int) -> Era:
    return _new_if(year >= NEW_FROM_YEAR)


def _new_if(new: bool) -> Era:
    return Era.NEW if new else Era.OLD


def precision_of(text: str) -> Precision | None:
    """The precision of that code, or None."""
    return PRECISIONS.get(text)


def cache_bytes(text: str, engine: Engine, precision: Precision, gpu: Gpu) -> float:
    """Bytes of one cache element: as stated; else 8 bits where quantised checkpoints bring an 8-bit cache along."""
    if text in CACHE_BYTES:
        return CACHE_BYTES[text]
    quantised = precision.family in ("fp8", "fp4") and gpu.fp8_native
    if engine is Engine.TENSORRT_LLM and precision.code != "mxfp4" and quantised:
        return 1.0
    if text == "" and quantised and (engine in EIGHT_BIT_CACHE_BY_DEFAULT or precision.code == "nvfp4"):
        return 1.0
    return 2.0


def number(text: str | None) -> float | None:
    """A number, or None for anything else."""
    try:
        return float(text or "")
    except ValueError:
        return None
