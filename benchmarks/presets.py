"""Ready-made measurements, one an offer: what is asked of each GPU so that results can be set side by side."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from benchmarks import engineform
from calculator import catalog
from calculator.domain.llm import LanguageModel
from calculator.domain.offers import Sku

CONCURRENCIES = "1, 4, 16, 32"
REQUESTS, PROMPT_TOKENS, OUTPUT_TOKENS, REPEATS = Decimal(128), Decimal(1024), Decimal(256), Decimal(5)
WEIGHTS_RATIO = 0.7
"""The share of the memory that weights may take in a preset: the rest is the cache of 32 streams."""
BYTES_PER_PARAMETER, BYTES_PER_GB = 2, 10**9


def offers() -> list[dict[str, str]]:
    """Every offer of the catalogue: with an address where a live worker can measure it, else with the reason."""
    served = engineform.hosts()
    return [
        {
            "code": sku.code,
            "href": f"{reverse('run-new')}?sku={sku.code}" if sku.code in served else "",
            "words": "" if sku.code in served else _("aucun worker"),
        }
        for sku in skus()
        if not sku.is_test_host
    ]


def skus() -> tuple[Sku, ...]:
    """What is offered now; nothing before a catalogue is loaded."""
    try:
        return catalog.sku_choices(catalog.latest_version(), timezone.now())
    except catalog.NotFound:
        return ()


def initial(code: str, usual: Mapping[str, Any]) -> dict[str, Any]:
    """The form's first values for an offer; the usual ones for a code that no live worker serves."""
    if not code or code not in engineform.hosts():
        return dict(usual)
    sku = next((each for each in skus() if each.code == code), None)
    if sku is None:
        return dict(usual)
    return {
        "engine": engineform.VLLM,
        "sku": code,
        "config": config_of(sku),
        "concurrencies": CONCURRENCIES,
        "requests": REQUESTS,
        "prompt": PROMPT_TOKENS,
        "output": OUTPUT_TOKENS,
        "repeats": REPEATS,
    }


def config_of(sku: Sku) -> str:
    """A vLLM configuration for the largest dense model whose weights leave room on the offer's GPUs."""
    model = largest(sku.vram_gb * BYTES_PER_GB * WEIGHTS_RATIO)
    lines = [f"model: {model.hf_id}" if model else "model: ", "max-model-len: 2048"]
    if sku.gpu_count > 1:
        lines.append(f"tensor-parallel-size: {sku.gpu_count}")
    return "\n".join([*lines, ""])


def largest(limit_bytes: float) -> LanguageModel | None:
    """The model with the most parameters that fits at 16 bits; those with experts and test models are left out."""
    found = [
        model
        for model in catalog.language_models()
        if model.hf_id and model.n_experts is None and model.params_total * BYTES_PER_PARAMETER <= limit_bytes
    ]
    return max(found, key=lambda model: model.params_total, default=None)
