"""Scenarios, offers and facts for the tests of the inference calculator: constants chosen by hand, none fitted."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import asdict, replace
from decimal import Decimal
from typing import Any

from calculator.domain.calibration import Band, Calibration, Engine, Factored, ServingConstants
from calculator.domain.hardware import Gpu
from calculator.domain.llm import LanguageModel
from calculator.domain.offers import Basis, Sku
from calculator.domain.provenance import Kind, Sourced
from calculator.domain.serving_scenario import InferenceFacts, InferenceScenario, KnownRun, Offer

from .serving_factories import A100_40, A100_80, IDEAL, MISTRAL, REAL, RTX_4090, T4

NOW = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)
BANDS = {
    "total_output_tok_s||": Band(0.8, 1.25, 100),
    "tpot_ms||": Band(0.9, 1.1, 100),
    "ttft_ms||": Band(0.8, 1.25, 100),
    "total_output_tok_s|vLLM|fp16|Ampere/HBM": Band(0.8, 1.25, 100),
}


def price(amount: str, basis: Basis) -> Sourced[Decimal]:
    return Sourced(Decimal(amount), f"EUR/{basis.value}", Kind.LIST_PRICE, f"sku_price_{basis.value}")


def offer(code: str, gpu: Gpu | None, hour: str | None, month: str | None = None, gpu_count: int = 1) -> Offer:
    """A SKU with its sheet and prices."""
    prices = {Basis.HOUR: hour, Basis.MONTH: month}
    return Offer(
        Sku(
            code=code,
            label=code,
            gpu=gpu.name if gpu else "",
            gpu_count=gpu_count,
            vram_gb=gpu.vram_gb if gpu else 0.0,
            prices={basis: price(amount, basis) for basis, amount in prices.items() if amount is not None},
        ),
        gpu,
    )


STARTER = offer("GPU-STARTER", T4, "0.85")
PRO = offer("GPU-PRO", RTX_4090, "1.50", "830.64")
ENTERPRISE = offer("GPU-ENTERPRISE", A100_40, "4.20")
TITAN = offer("GPU-TITAN", A100_80, "5.40")
SUPERCOMPUTE = offer("GPU-SUPERCOMPUTE", A100_80, None, gpu_count=8)
OFFERS = (STARTER, PRO, ENTERPRISE, TITAN, SUPERCOMPUTE)


def calibrated(constants: ServingConstants = REAL, bands: Mapping[str, Band] | None = None) -> Calibration:
    """A calibration whose every class has the same constants."""
    empty = Factored({}, {})
    return Calibration(
        serving=Factored(asdict(constants), {}),
        training=empty,
        links=empty,
        memory=empty,
        bands=BANDS if bands is None else bands,
        data_hash="0123456789abcdef",
        date=dt.date(2026, 11, 30),
    )


def scenario(**values: Any) -> InferenceScenario:
    """A scenario of catalogue version 1."""
    return InferenceScenario(1, NOW, **values)


def facts(
    chosen: Offer = ENTERPRISE,
    model: LanguageModel = MISTRAL,
    constants: ServingConstants = REAL,
    **values: Any,
) -> InferenceFacts:
    """Facts with the five offers and a calibration of those constants."""
    known = InferenceFacts(
        catalog_version=1,
        catalog_date=NOW.date(),
        at=NOW,
        day=NOW.date(),
        model=model,
        offer=chosen,
        offers=OFFERS,
        calibration=calibrated(constants),
    )
    return replace(known, **values)


def run(tok_per_s: float, **values: Any) -> KnownRun:
    """One of our runs of Mistral in fp16 on vLLM: 16 clients, 1 024 tokens in, 256 out."""
    known = KnownRun(
        model="Mistral-7B-v0.3",
        precision="fp16",
        engine=Engine.VLLM,
        concurrency=16,
        prompt_tokens=1024,
        output_tokens=256,
        output_tok_per_s=Sourced(tok_per_s, "tok/s", Kind.MEASURED, "run", "run-7"),
        run="run-7",
    )
    return replace(known, **values)


TEXTBOOK = replace(IDEAL, norm=50.0)
"""The textbook with reading and multiplying side by side: the longer decides."""
