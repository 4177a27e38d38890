"""What a measurement's words mean: the engine's class and age, the precision of weights and cache, numbers."""

import re
from math import isfinite

from calculator.accuracy.cases import RefusedError
from calculator.domain.calibration import Engine, Era
from calculator.domain.hardware import Gpu
from calculator.domain.llm import LanguageModel
from calculator.domain.precision import PRECISIONS, Precision

NEW_FROM_YEAR = 2025
NEW_FROM_VERSION = {Engine.VLLM: (0, 8), Engine.TENSORRT_LLM: (0, 20), Engine.SGLANG: (0, 4)}
MODELS_OF_2025 = (
    *("Qwen3", "gpt-oss", "DeepSeek-V3", "DeepSeek-R1", "Kimi", "Llama-4", "Gemma-3"),
    *("GLM-4.5", "MiniMax-M2", "Mistral-Small-2501"),
)
"""Families released at the end of 2024 or later: an engine that serves one is no older than it."""
CACHE_BYTES = {"fp8": 1.0, "int8": 1.0, "fp16": 2.0, "bf16": 2.0, "float16": 2.0, "bfloat16": 2.0}
EIGHT_BIT_CACHE_BY_DEFAULT = (Engine.TENSORRT_LLM, Engine.VLLM)
PREFIXES = {
    "vllm": Engine.VLLM,
    "sglang": Engine.SGLANG,
    "tensorrtllm": Engine.TENSORRT_LLM,
    "nvidiatensorrtllm": Engine.TENSORRT_LLM,
    "trtllm": Engine.TENSORRT_LLM,
    "llamacpp": Engine.LLAMA_CPP,
}
"""How an engine's name begins, in letters only: TensorRT-LLM, TRT-LLM and trtllm are one."""
VERSION = re.compile(r"(?:^|[^\d.])v?(\d+)\.(\d+)")
REWRITTEN = re.compile(r"\bv1\b", re.IGNORECASE)
"""vLLM calls its scheduler of 2025 V1."""
MEASURED = re.compile(r"(?:measured|tested|benchmarked|run|dated?|as of)\W{0,3}(?:on |in )?(20\d\d)", re.IGNORECASE)
DATED_ADDRESS = re.compile(r"[/_-](20\d\d)[/_-](?:0[1-9]|1[0-2])\b")
GROUPED = re.compile(r"\d{1,3}(,\d{3})+(\.\d+)?")
PRECISION_WORDS = {
    "float16": "fp16",
    "half": "fp16",
    "16bit": "fp16",
    "bfloat16": "bf16",
    "float32": "fp32",
    "fp8e4m3": "fp8",
    "fp8w8a8": "fp8",
    "w8a8fp8": "fp8",
    "w8a8": "int8",
    "w8a8int8": "int8",
    "int8w8a8": "int8",
    "smoothquant": "int8",
    "w8a16": "gptq-int8",
    "int8weightonly": "gptq-int8",
    "fp4": "nvfp4",
    "w4a16": "gptq-int4",
    "int4": "gptq-int4",
    "gptq": "gptq-int4",
    "awq": "awq-int4",
    "awqmarlin": "awq-marlin-int4",
    "q4km": "gguf-q4_k_m",
    "q40": "gguf-q4_0",
    "q50": "gguf-q5_0",
    "q80": "gguf-q8_0",
}
"""Other words for the precisions that are modelled, in letters and digits only."""


def engine_class(text: str) -> Engine | None:
    """The modelled class that an engine's name begins with, or None."""
    letters = re.sub(r"[^a-z]", "", text.casefold())
    return next((engine for prefix, engine in PREFIXES.items() if letters.startswith(prefix)), None)


def engine_era(text: str, engine: Engine, gpu: Gpu, model: LanguageModel, precision: str, note: str) -> Era:
    """The engine's age: its own year or version, else the year of the measurement, else the youngest thing it runs."""
    stated = re.search(r"\((20\d\d)", text)
    version = VERSION.search(text)
    measured = MEASURED.search(note)
    if stated:
        return _of_year(int(stated.group(1)))
    if version and engine in NEW_FROM_VERSION:
        return _new_if((int(version.group(1)), int(version.group(2))) >= NEW_FROM_VERSION[engine])
    if engine is Engine.VLLM and REWRITTEN.search(text):
        return Era.NEW
    if gpu.architecture.startswith("Blackwell") or precision in ("nvfp4", "mxfp4"):
        return Era.NEW
    if model.name.startswith(MODELS_OF_2025):
        return Era.NEW
    return _of_year(int(measured.group(1))) if measured else Era.OLD


def dated(note: str, source: str) -> str:
    """The note, with the year that the source's address bears where the note has none.

    >>> dated("batch 8", "https://example.org/blog/2025/03/vllm")
    'batch 8; measured 2025'
    """
    address = DATED_ADDRESS.search(source)
    return f"{note}; measured {address.group(1)}" if address and not MEASURED.search(note) else note


def _of_year(year: int) -> Era:
    return _new_if(year >= NEW_FROM_YEAR)


def _new_if(new: bool) -> Era:
    return Era.NEW if new else Era.OLD


def precision_of(text: str) -> Precision | None:
    """The precision of that code, or of another word for it; None for one that is not modelled."""
    short = re.sub(r"[^a-z0-9]", "", text.casefold()).removeprefix("gguf")
    known = {re.sub(r"[^a-z0-9]", "", code): code for code in PRECISIONS}
    return PRECISIONS.get(text) or PRECISIONS.get(PRECISION_WORDS.get(short) or known.get(short, ""))


def cache_bytes(text: str, engine: Engine, precision: Precision, gpu: Gpu) -> float:
    """Bytes of one cache element: as stated; else 8 bits where quantised checkpoints bring an 8-bit cache along."""
    stated = CACHE_BYTES.get(re.split(r"[^a-z0-9]", text.casefold())[0])
    if stated is not None:
        return stated
    quantised = precision.family in ("fp8", "fp4") and gpu.fp8_native
    if engine is Engine.TENSORRT_LLM and precision.code != "mxfp4" and quantised:
        return 1.0
    if text == "" and quantised and (engine in EIGHT_BIT_CACHE_BY_DEFAULT or precision.code == "nvfp4"):
        return 1.0
    return 2.0


def number(text: str | None) -> float | None:
    """A number of 0 or more, thousands grouped by commas or not; None for anything else.

    >>> number("1,024"), number("12.5"), number("-3"), number("nan"), number("about 5"), number(None)
    (1024.0, 12.5, None, None, None, None)
    """
    plain = (text or "").strip()
    try:
        found = float(plain.replace(",", "") if GROUPED.fullmatch(plain) else plain)
    except ValueError:
        return None
    return found if isfinite(found) and found >= 0 else None


MOST_GPUS = 10**6


def count(text: str | None, unstated: int) -> int:
    """A number of GPUs; `unstated` where the cell is empty. Raises RefusedError for anything that counts no GPUs.

    >>> count("8", 1), count("", 1), count("4.0", 1)
    (8, 1, 4)
    """
    found = number(text) if text else float(unstated)
    if found is None or not 1 <= found <= MOST_GPUS:
        raise RefusedError("GPU count not readable")
    return int(found)
