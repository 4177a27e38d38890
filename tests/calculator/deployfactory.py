"""Serving points for tests: the published set-ups on the GPUs they were published for, and a vLLM that parses them."""

import argparse
import json
from dataclasses import replace
from functools import cache
from typing import Any

import yaml

from calculator.deploy.arguments import arguments
from calculator.deploy.point import ServingPoint
from calculator.domain.hardware import Gpu
from calculator.domain.llm import MISTRAL_7B, LanguageModel

A100 = Gpu("A100-SXM-40GB", "NVIDIA", "Ampere", 40, 1555, compute_capability="8.0", bf16_native=True)
A10G = Gpu("A10G", "NVIDIA", "Ampere", 24, 600, compute_capability="8.6", bf16_native=True)
H100 = Gpu("H100-SXM", "NVIDIA", "Hopper", 80, 3350, compute_capability="9.0", bf16_native=True, fp8_native=True)
T4 = Gpu("T4", "NVIDIA", "Turing", 16, 320, compute_capability="7.5")
V100 = Gpu("V100", "NVIDIA", "Volta", 32, 900, compute_capability="7.0")
MI300X = Gpu("MI300X", "AMD", "CDNA 3", 192, 5300, compute_capability="gfx942", bf16_native=True, fp8_native=True)
MISTRAL = replace(
    MISTRAL_7B, name="Mistral-7B-v0.3", hf_id="mistralai/Mistral-7B-Instruct-v0.3", max_context=32_768,
    native_dtype="bf16",
)  # fmt: skip
GEMMA_2 = replace(MISTRAL, name="Gemma-2-9B", hf_id="google/gemma-2-9b", max_context=8192)
DEEPSEEK = replace(MISTRAL, name="DeepSeek-V3", hf_id="deepseek-ai/DeepSeek-V3", attention="MLA", native_dtype="fp8")


def point(gpu: Gpu = H100, model: LanguageModel = MISTRAL, **changes: Any) -> ServingPoint:
    """A serving point with everything at its default but what the test is about."""
    return replace(ServingPoint(model, gpu), **changes)


def published() -> ServingPoint:
    """The published example: Mistral on an A100, fp8 cache, 16 sequences, 8192 batched tokens, guided decoding."""
    return point(
        A100, kv_precision="fp8", max_sequences=16, structured_outputs="outlines", published_example=True
    )  # fmt: skip


@cache
def parser() -> argparse.ArgumentParser:
    """An argument parser as vLLM builds it from its declarations, made from the shipped list."""
    made = argparse.ArgumentParser(exit_on_error=False)
    made.add_argument("model_tag", nargs="?")
    for flag, item in arguments().flags.items():
        made.add_argument(f"--{flag}", **_keywords(item))
    return made


def _keywords(item: Any) -> dict[str, Any]:
    if item["type"] == "bool":
        return {"action": argparse.BooleanOptionalAction}
    types = {"int": int, "float": float, "json": json.loads, "str": str}
    keywords: dict[str, Any] = {"type": types[item["type"]], "nargs": "+" if item.get("many") else None}
    return keywords | ({"choices": item["choices"]} if "choices" in item else {})


def options_of(config: str) -> list[str]:
    """A configuration file flattened into options, as `vllm serve --config` does before parsing."""
    found: list[str] = []
    for key, value in yaml.safe_load(config).items():
        if isinstance(value, bool):
            found.append(f"--{key}" if value else f"--no-{key}")
        else:
            found += [f"--{key}", json.dumps(value) if isinstance(value, dict) else str(value)]
    return found


def parsed(config: str) -> argparse.Namespace:
    """What vLLM would start with; fails the test on an unknown key or a value that is not a choice."""
    namespace, unknown = parser().parse_known_args(options_of(config))
    assert unknown == []
    return namespace
