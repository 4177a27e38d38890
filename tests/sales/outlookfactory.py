"""The offer's own case as an outlook, without a database."""

from dataclasses import replace
from decimal import Decimal

from calculator.domain.calibration import Band
from calculator.domain.hardware import Gpu
from calculator.domain.llm import MISTRAL_7B
from calculator.domain.offers import EconomicsFacts
from calculator.domain.provenance import Kind, Sourced
from sales.domain.outlook import FxRange, OutlookFacts, OutlookScenario
from tests.domain import factories as offer

RTX_4090 = Gpu("RTX 4090", "NVIDIA", "Ada", 24, 1008, bf16_tflops_dense=165.2, bf16_native=True, tdp_w=450)
FX = FxRange(offer.rate_of("0.9565"), offer.rate_of("1.2493"))


def scenario(**fields: object) -> OutlookScenario:
    """GPU-PRO by the month at 100 M output tokens beside gpt-5.4, with the given fields changed."""
    return replace(OutlookScenario(catalog_version=1, at=offer.NOW), **fields)  # type: ignore[arg-type]


def facts(prices: EconomicsFacts | None = None, **fields: object) -> OutlookFacts:
    """What is known around it."""
    base = OutlookFacts(prices or offer.facts(), RTX_4090, MISTRAL_7B, Band(0.84, 1.12, 1412), FX)
    return replace(base, **fields)  # type: ignore[arg-type]


def first_token(milliseconds: float) -> Sourced[float]:
    """A measured first token of the reference API."""
    return Sourced(milliseconds, "ms", Kind.MEASURED, "first_token")


def money(text: str) -> Decimal:
    return Decimal(text)
