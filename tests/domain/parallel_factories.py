"""Scenarios and facts of the multi-GPU answer for tests: links at 100 % of their data sheet unless told otherwise."""

import datetime as dt
from dataclasses import asdict, replace
from decimal import Decimal

from calculator.domain.calibration import Calibration, Factored, LinkConstants, TrainingConstants
from calculator.domain.hardware import Gpu
from calculator.domain.interconnects import Interconnect, Reach, Way
from calculator.domain.llm import LanguageModel
from calculator.domain.offers import Basis, Sku
from calculator.domain.parallel_answer import estimate
from calculator.domain.parallel_scenario import (
    ParallelismEstimate,
    ParallelismFacts,
    ParallelismScenario,
    PublishedRun,
)
from calculator.domain.parallel_settled import Settled, settle
from calculator.domain.provenance import Kind, Sourced

from .serving_factories import A100_80, LINK, PROCESS, TRAINER

NOW = dt.datetime(2026, 11, 30, 12, 0, tzinfo=dt.UTC)
PUBLISHED = PublishedRun(2.7e9, 40e9, "A100-SXM-80GB", 8, 92, 14, 312e12)
HDR = Interconnect("ib-hdr", "InfiniBand HDR 200 Gb/s", Reach.NETWORK, 25e9)
ETHERNET = Interconnect("eth100", "Ethernet 100 Gb/s", Reach.NETWORK, 12.5e9)
PCIE_4 = Interconnect("pcie4", "PCIe 4.0 ×16", Reach.MACHINE, 32e9, Way.PCIE)
NVLINK_4 = Interconnect("nvlink4", "NVLink 4 + NVSwitch (H100)", Reach.MACHINE, 450e9, reducing=True)
BRIDGE = Interconnect("nvlink-bridge", "NVLink 3 bridge (pair)", Reach.MACHINE, 56.25e9, Way.BRIDGE, most_gpus=2)


def calibrated(link: LinkConstants = LINK, trainer: TrainingConstants = TRAINER) -> Calibration:
    """A calibration of these constants, the same for every class."""
    return Calibration(
        serving=Factored({}, {}),
        training=Factored(asdict(trainer), {}),
        links=Factored(asdict(link), {}),
        memory=Factored(asdict(PROCESS), {}),
        bands={},
        data_hash="0" * 64,
        date=dt.date(2026, 11, 30),
    )


def sku(gpu_count: int = 8, eur_per_h: str | None = None) -> Sku:
    """Machines of `gpu_count` A100 80 GB, on request unless priced."""
    price = Sourced(Decimal(eur_per_h), "EUR/hour", Kind.LIST_PRICE, "sku_price_hour") if eur_per_h else None
    return Sku("GPU-SUPERCOMPUTE", "8 × A100", "A100-SXM-80GB", gpu_count, 640, {Basis.HOUR: price} if price else {})


def facts(
    *,
    gpu: Gpu = A100_80,
    offer: Sku | None = None,
    model: LanguageModel | None = None,
    link: Interconnect | None = None,
    network: Interconnect = HDR,
    known: Calibration | None = None,
) -> ParallelismFacts:
    """The published machine, links at 100 % of their sheet."""
    return ParallelismFacts(
        catalog_version=1,
        catalog_date=NOW.date(),
        at=NOW,
        day=NOW.date(),
        gpu=gpu,
        sku=offer or sku(),
        model=model,
        link=link,
        network=network,
        interconnects=(PCIE_4, NVLINK_4, BRIDGE, HDR, ETHERNET),
        calibration=known or calibrated(),
        published=PUBLISHED,
    )


def scenario(**changes: object) -> ParallelismScenario:
    """The published run with nothing hidden, in one pass a step."""
    plain = ParallelismScenario(1, NOW, overlap_ratio=Decimal(0), micro_batches=1)
    return replace(plain, **changes)  # type: ignore[arg-type]


def answer(known: ParallelismFacts | None = None, **changes: object) -> ParallelismEstimate:
    """The estimate of `scenario(**changes)`."""
    return estimate(scenario(**changes), known or facts())


def settled(known: ParallelismFacts | None = None, **changes: object) -> Settled:
    """The same as settled inputs; they must be valid."""
    found = settle(scenario(**changes), known or facts())
    assert isinstance(found, Settled)
    return found
