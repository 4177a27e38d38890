"""The scenario and the facts brought together: machines, work of a step, speed of one GPU, price; or why not.

Every number keeps its origin. The speed of one GPU is the visitor's; else that of the fitted calibration where the
model's shape is known; else the utilisation that the offer's published run means, a claim and named as one.
"""

from dataclasses import dataclass, replace
from decimal import Decimal
from math import inf

from calculator.domain.calibration import (
    Band,
    Framework,
    TrainingConstants,
    architecture_class,
    band,
    chip_class,
    link_constants,
    training_classes,
    training_constants,
)
from calculator.domain.hardware import Gpu
from calculator.domain.inference import NotModelledError
from calculator.domain.interconnects import OWN, Interconnect, own_link
from calculator.domain.llm import LanguageModel
from calculator.domain.memory import parallel_faults
from calculator.domain.offers import Basis
from calculator.domain.parallel_scenario import (
    BatchBy,
    ParallelismFacts,
    ParallelismScenario,
    PublishedRun,
    Sharing,
)
from calculator.domain.parallel_step import Cluster, Layout, Work
from calculator.domain.precision import math_flop_per_s
from calculator.domain.provenance import Kind, Sourced
from calculator.domain.roofs import linked, trained
from calculator.domain.scenario import Message
from calculator.domain.training import MACHINE_GPUS, Method, TrainingJob, tok_per_s_per_gpu, training_s
from calculator.domain.units import GB, HOUR_S

DAY_H = 24
DAY_S = DAY_H * HOUR_S
NVIDIA = "NVIDIA"
FLOP_A_PARAM_TRAINED = 6
MOST_CARDS = 8
"""A reference server of eight GPUs has a network card beside each."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What an answer computes with. `speed` None = the speed of one GPU is not known."""

    scenario: ParallelismScenario
    facts: ParallelismFacts
    machine_gpus: int
    instance_gpus: int
    cluster: Cluster
    params: float
    active_params: float
    peak: Sourced[float]
    mfu: Sourced[float]
    calibrated_mfu: float | None
    mfu_band: Band | None
    price: Sourced[Decimal] | None

    @property
    def flop_per_s(self) -> float:
        """What one GPU reaches."""
        return self.peak.value * self.mfu.value

    @property
    def one_gpu_days(self) -> float:
        """Days of the run on one GPU: 6·P·D ÷ (peak × MFU)."""
        flop = FLOP_A_PARAM_TRAINED * self.active_params * float(self.scenario.tokens_count)
        return training_s(flop, self.peak.value, self.mfu.value) / DAY_S

    def layout(self, gpu_count: int) -> Layout:
        """The chosen degrees on that many GPUs."""
        return Layout(gpu_count, self.scenario.tensor_parallel, self.scenario.pipeline_parallel)

    def work(self, gpu_count: int) -> Work:
        """One step on that many GPUs."""
        scenario, model = self.scenario, self.facts.model
        shared = gpu_count if scenario.batch_by is BatchBy.STEP else 1
        return Work(
            params=self.params,
            active_params=self.active_params,
            layers=model.layers if model else scenario.layers_count,
            hidden=model.hidden if model else scenario.hidden_width,
            gradient_bytes=float(scenario.gradient_bytes),
            tokens_a_gpu=float(scenario.step_tokens) / shared,
            micro_batches=scenario.micro_batches,
            recomputed=scenario.recomputed,
            flop_per_s=self.flop_per_s,
            overlap_ratio=float(scenario.overlap_ratio),
            sharded=scenario.sharing is Sharing.SHARDED,
            reduction=scenario.reduction,
        )


def published_mfu(run: PublishedRun) -> Sourced[float]:
    """The utilisation that a published run on one GPU means: 6·P·D ÷ (peak × time).

    >>> round(published_mfu(PublishedRun(2.7e9, 40e9, "A100", 8, 92, 14, 312e12)).value, 4)
    0.2613
    """
    flop = FLOP_A_PARAM_TRAINED * run.params_count * run.tokens_count
    value = flop / (run.peak_flop_per_s * run.one_days * DAY_S)
    return Sourced(value, "", Kind.CLAIM, "mfu_published", reference=run.source, date=run.date)


def single_job(scenario: ParallelismScenario, facts: ParallelismFacts, model: LanguageModel) -> TrainingJob:
    """Pre-training on one GPU: passes of one micro-batch, states not shared."""
    return TrainingJob(
        model=model,
        gpu=facts.gpu,
        method=Method.PRETRAIN,
        math="fp16",
        micro_batch=micro_batch(scenario),
        sequence_tokens=float(scenario.sequence_tokens),
        gpu_count=1,
        accumulation=float(scenario.micro_batches),
        recomputed=scenario.recomputed,
        trained_params=float(model.params_total),
        sharded=False,
    )


def framework_of(scenario: ParallelismScenario) -> Framework:
    """The class of training software that shares this way."""
    return Framework.FSDP if scenario.sharing is Sharing.SHARDED else Framework.MEGATRON


def micro_batch(scenario: ParallelismScenario) -> float:
    """Sequences of one pass on one GPU, at least one."""
    shared = scenario.gpu_count if scenario.batch_by is BatchBy.STEP else 1
    tokens = float(scenario.step_tokens) / shared / scenario.micro_batches
    return max(1.0, tokens / scenario.sequence_tokens)


def fitted_training(scenario: ParallelismScenario, facts: ParallelismFacts) -> TrainingConstants:
    """The training constants of the framework that shares this way: FSDP for shards, Megatron for copies."""
    classes = training_classes(framework_of(scenario), Method.PRETRAIN.value, "fp16", facts.gpu)
    return trained(training_constants(facts.calibration, classes), facts.calibration, facts.gpu, "fp16")


def calibrated_mfu(scenario: ParallelismScenario, facts: ParallelismFacts, peak: float) -> float | None:
    """The utilisation that the fitted calibration gives one GPU, recomputation left out; None without a shape."""
    if facts.model is None:
        return None
    speed = tok_per_s_per_gpu(single_job(scenario, facts, facts.model), fitted_training(scenario, facts))
    return speed * FLOP_A_PARAM_TRAINED * facts.model.params_active / peak


def chosen_mfu(scenario: ParallelismScenario, facts: ParallelismFacts, fitted: float | None) -> Sourced[float]:
    """Typed, else calibrated, else what the published run means."""
    if scenario.mfu_ratio is not None:
        return Sourced(float(scenario.mfu_ratio), "", Kind.INPUT, "mfu", replaces=True)
    if fitted is not None:
        reference = facts.calibration.data_hash
        return Sourced(fitted, "", Kind.ESTIMATE, "mfu_calibrated", reference, facts.calibration.date)
    return published_mfu(facts.published)


def machine_price(scenario: ParallelismScenario, facts: ParallelismFacts) -> Sourced[Decimal] | None:
    """An hour of one instance: typed, else the offer's; None on request or for a GPU that is not on offer."""
    if scenario.price_eur is not None:
        return Sourced(scenario.price_eur, "EUR/hour", Kind.INPUT, "price_eur", replaces=True)
    return facts.sku.prices.get(Basis.HOUR) if facts.sku else None


def machine_gpus(scenario: ParallelismScenario, facts: ParallelismFacts) -> int:
    """GPUs in a machine: typed, else eight, as reference servers have, or more where the offer has more. Smaller
    instances are so taken as cards of one machine, as the inference and training pages do."""
    if scenario.machine_gpus is not None:
        return scenario.machine_gpus
    return max(MACHINE_GPUS, facts.sku.gpu_count if facts.sku else 1)


def instance_gpus(scenario: ParallelismScenario, facts: ParallelismFacts) -> int:
    """GPUs of what is rented and priced: one instance of the offer, or one machine where there is no offer."""
    return facts.sku.gpu_count if facts.sku else machine_gpus(scenario, facts)


def cards_count(scenario: ParallelismScenario, machine_count: int) -> int:
    """Network cards of a machine of `machine_count` GPUs: typed, else one for each GPU, eight at most."""
    return scenario.cards_count if scenario.cards_count is not None else min(MOST_CARDS, machine_count)


def slot_bytes_per_s(gpu: Gpu) -> float:
    """What the slot of one GPU carries one way; infinite where the data sheet states none.

    >>> slot_bytes_per_s(Gpu("RTX 4090", "NVIDIA", "Ada", 24, 1008, pcie_gb_s_per_direction=32))
    32000000000.0
    """
    return inf if gpu.pcie_gb_s_per_direction is None else float(gpu.pcie_gb_s_per_direction * GB)


def cluster_of(scenario: ParallelismScenario, facts: ParallelismFacts, link: Interconnect, gpus: int) -> Cluster:
    """Machines with that link and the chosen network, and the measured efficiency of both."""
    chip, training = architecture_class(facts.gpu), fitted_training(scenario, facts)
    inside = link_constants(facts.calibration, (link.way.value, chip, "one machine"))
    return Cluster(
        machine_gpus=gpus,
        link=link,
        network=facts.network,
        cards=cards_count(scenario, gpus),
        inside=linked(inside, facts.calibration, facts.gpu) if link.code == OWN else inside,
        between=link_constants(facts.calibration, (link.way.value, chip, "many machines")),
        exposed_ratio=training.exposed_ratio,
        loss_exponent=training.cluster_exponent,
        gpu_bytes_per_s=slot_bytes_per_s(facts.gpu),
    )


def gpu_fault(gpu: Gpu) -> Message | None:
    """Why a GPU cannot be computed with."""
    if gpu.vendor != NVIDIA:
        return Message("vendor_not_modelled", {"gpu": gpu.name, "vendor": gpu.vendor}, "gpu")
    if math_flop_per_s(gpu, "fp16") is None:
        return Message("unknown_peak", {"gpu": gpu.name}, "gpu")
    return None


def layout_faults(settled: Settled, layout: Layout) -> tuple[Message, ...]:
    """Why a layout is not valid: ranks that do not divide the GPUs, heads, KV heads, vocabulary or layers that the
    degrees do not divide, a shape that is not known, a bridge asked to join more than it can."""
    found = []
    ranks = layout.tensor * layout.pipeline
    if layout.gpu_count % ranks:
        values = {"tensor": layout.tensor, "pipeline": layout.pipeline, "ranks": ranks, "gpus": layout.gpu_count}
        found.append(Message("ranks", values, "gpu_count"))
    work = settled.work(layout.gpu_count)
    if ranks > 1 and (work.layers is None or work.hidden is None):
        found.append(Message("shape_unknown", {}, "layers_count"))
    model = settled.facts.model
    if model is not None:
        codes = parallel_faults(model, layout.tensor, layout.pipeline)
        found += [Message(f"parallel_{code}", {"model": model.name, **_degrees(layout)}) for code in codes]
    elif work.layers is not None and layout.pipeline > work.layers:
        found.append(Message("parallel_layers", {"model": "", **_degrees(layout)}))
    most = settled.cluster.link.most_gpus
    if most is not None and min(layout.gpu_count, settled.machine_gpus) > most:
        found.append(Message("link_too_small", {"link": settled.cluster.link.name, "most": most}, "link"))
    return tuple(found)


def _degrees(layout: Layout) -> dict[str, int]:
    return {"tensor": layout.tensor, "pipeline": layout.pipeline}


def _mfu_band(facts: ParallelismFacts) -> Band | None:
    """The band of pre-training in 16 bits on chips of this class."""
    return band(facts.calibration, "tok_s_per_gpu", "pretrain", "fp16", chip_class(facts.gpu))


def settle(scenario: ParallelismScenario, facts: ParallelismFacts) -> Settled | Message:
    """Everything that the answer computes with, or the first thing that forbids one."""
    fault = gpu_fault(facts.gpu)
    if fault is not None:
        return fault
    gpus = machine_gpus(scenario, facts)
    try:
        link = facts.link or own_link(facts.gpu, gpus)
    except NotModelledError:
        return Message("unknown_link", {"gpu": facts.gpu.name}, "gpu")
    peak = Sourced(
        math_flop_per_s(facts.gpu, "fp16") or 0.0, "FLOP/s", Kind.DATA_SHEET, facts.gpu.name, facts.gpu.source
    )
    fitted, model = calibrated_mfu(scenario, facts, peak.value), facts.model
    mfu = chosen_mfu(scenario, facts, fitted)
    calibrated = mfu.label == "mfu_calibrated"
    return Settled(
        scenario=scenario,
        facts=facts,
        machine_gpus=gpus,
        instance_gpus=instance_gpus(scenario, facts),
        cluster=cluster_of(scenario, facts, link, gpus),
        params=float(model.params_total) if model else float(scenario.params_count),
        active_params=float(model.params_active) if model else float(scenario.params_count),
        peak=peak,
        mfu=mfu,
        calibrated_mfu=fitted,
        mfu_band=_mfu_band(facts) if calibrated else None,
        price=machine_price(scenario, facts),
    )


def with_link(settled: Settled, link: Interconnect, machine_count: int) -> Settled:
    """The same with another link inside the machines, `machine_count` GPUs in each."""
    cluster = cluster_of(settled.scenario, settled.facts, link, machine_count)
    return replace(settled, cluster=cluster, machine_gpus=machine_count)


def with_network(settled: Settled, network: Interconnect, cards: int, machine_count: int) -> Settled:
    """The same with another network between machines of `machine_count` GPUs, `cards` cards in each."""
    cluster = replace(settled.cluster, network=network, cards=cards, machine_gpus=machine_count)
    return replace(settled, cluster=cluster, machine_gpus=machine_count)
