"""Training scenarios and facts for tests that need no database; every constant is chosen by hand, none is fitted."""

import datetime as dt
from dataclasses import asdict, replace
from decimal import Decimal

from calculator.domain.calibration import Band, Calibration, Factored
from calculator.domain.hardware import Gpu
from calculator.domain.llm import LanguageModel
from calculator.domain.offers import Basis
from calculator.domain.provenance import Kind, Sourced
from calculator.domain.training import Method
from calculator.domain.training_answer import estimate
from calculator.domain.training_scenario import PublishedRun, TrainingEstimate, TrainingFacts, TrainingScenario

from .factories import ECB_RATE, ENTERPRISE, GPT_54_MINI, NOW, PRO, STARTER, SUPERCOMPUTE, TITAN, TODAY
from .serving_factories import A100_40, A100_80, IDEAL, LINK, MISTRAL, PROCESS, RTX_4090, T4, TRAINER

GPUS: dict[str, Gpu] = {gpu.name: gpu for gpu in (T4, A100_40)} | {
    "RTX 4090": replace(RTX_4090, bf16_native=True),
    "A100-SXM-80GB": A100_80,
}
SKUS = (STARTER, PRO, ENTERPRISE, TITAN, SUPERCOMPUTE)
MISTRAL_V1 = replace(
    MISTRAL,
    name="Mistral-7B",
    params_total=7_241_732_096,
    params_active=7_241_732_096,
    vocab=32_000,
    source="https://m",
)

CALIBRATION = Calibration(
    serving=Factored(asdict(IDEAL), {}),
    training=Factored(asdict(TRAINER), {}),
    links=Factored(asdict(LINK), {}),
    memory=Factored(asdict(PROCESS), {}),
    bands={
        "tok_s_per_gpu|qlora|int4": Band(0.8, 1.25, 95),
        "tok_s_per_gpu|full|fp16": Band(0.9, 1.2, 40),
        "measured_gb|qlora|int4": Band(0.9, 1.3, 62),
    },
    data_hash="abc",
    date=dt.date(2026, 11, 30),
)
"""Kernels at half of the peak and no overhead; memory as the textbook has it."""


def claim_of(rate: float) -> Sourced[float]:
    """A published training rate, conditions stated by the vendor alone."""
    return Sourced(rate, "tok/s", Kind.CLAIM, "vendor_training_rate")


QLORA_RUN = PublishedRun(
    "qlora", "GPU-PRO", "Mistral-7B", Method.QLORA, claim_of(1350.0), 3.1e6, 0.38, 38.0, Decimal("0.95")
)
ENCODER_RUN = PublishedRun(
    "encoder", "GPU-TITAN", "", Method.PRETRAIN, claim_of(5032.0), 40e9, minutes=92 * 1440.0, params_count=2.7e9
)


def facts(model: LanguageModel = MISTRAL_V1, **fields: object) -> TrainingFacts:
    """GPU-PRO and the other four configurations with their sheets."""
    base = TrainingFacts(
        catalog_version=1,
        catalog_date=TODAY,
        at=NOW,
        day=TODAY,
        sku=PRO,
        skus=SKUS,
        gpus=GPUS,
        model=model,
        calibration=CALIBRATION,
        published=(QLORA_RUN, ENCODER_RUN),
        api=GPT_54_MINI,
        usd_per_eur=ECB_RATE,
    )
    return replace(base, **fields)  # type: ignore[arg-type]


def scenario(**fields: object) -> TrainingScenario:
    """The default scenario with the given fields changed."""
    return replace(TrainingScenario(catalog_version=1, at=NOW), **fields)  # type: ignore[arg-type]


def answer(given: TrainingFacts | None = None, **fields: object) -> TrainingEstimate:
    """The estimate of a changed default scenario."""
    return estimate(scenario(**fields), given or facts())


def codes(found: TrainingEstimate) -> tuple[str, ...]:
    """The codes of an estimate's warnings."""
    return tuple(message.code for message in found.warnings)


__all__ = [
    "CALIBRATION",
    "ENTERPRISE",
    "GPUS",
    "MISTRAL_V1",
    "PRO",
    "SKUS",
    "STARTER",
    "SUPERCOMPUTE",
    "TITAN",
    "Basis",
    "answer",
    "claim_of",
    "codes",
    "facts",
    "scenario",
]
