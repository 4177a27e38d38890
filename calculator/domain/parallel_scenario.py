"""What a visitor may set on the multi-GPU page, what the catalogue adds, and the shape of the answer."""

import datetime as dt
import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from calculator.domain.calibration import Band, Calibration
from calculator.domain.collectives import Reduction
from calculator.domain.hardware import Gpu
from calculator.domain.interconnects import Interconnect
from calculator.domain.llm import LanguageModel
from calculator.domain.memory import MemoryEstimate
from calculator.domain.offers import Sku
from calculator.domain.provenance import Kind, Sourced, Step
from calculator.domain.scenario import Headline, Message

MOST_GPUS = 64


class Sharing(enum.StrEnum):
    """What the data-parallel GPUs hold: DATA = each a full copy, SHARDED = weights, gradients and states divided."""

    DATA = "data"
    SHARDED = "sharded"


class BatchBy(enum.StrEnum):
    """What `step_tokens` counts: the tokens of each GPU (the batch grows with the GPUs) or of the whole step."""

    GPU = "gpu"
    STEP = "step"


@dataclass(frozen=True, slots=True)
class ParallelismScenario:
    """Everything a visitor may set. Ratios are 0–1; None = unknown or "take the catalogue's".

    `sku` gives GPU, GPUs a machine and price; `gpu` names a data sheet instead, which has no price. `model` "" =
    `params_count` parameters of no stated shape, unless `layers_count` and `hidden_width` are given. `link` "" = the
    GPU's own. `machine_gpus` None = as many as the offer has, at least eight: smaller offers are taken as cards of one
    machine. `cards_count` None = a network card for each GPU of a machine, eight at most. `price_eur` is an hour of one
    instance of the offer, of one machine without an offer. `observed_days` is what somebody measured or quoted for
    this count: the answer then says what would explain it. A step is cut into `micro_batches` passes. `floor_ratio` is
    the least share of its ideal speed-up that an added GPU must bring; `day_eur` what a day saved is worth.
    """

    catalog_version: int
    at: dt.datetime
    sku: str = "GPU-SUPERCOMPUTE"
    gpu: str = ""
    price_eur: Decimal | None = None
    model: str = ""
    params_count: Decimal = Decimal("2.7e9")
    layers_count: int | None = None
    hidden_width: int | None = None
    tokens_count: Decimal = Decimal("40e9")
    gpu_count: int = 8
    machine_gpus: int | None = None
    sharing: Sharing = Sharing.DATA
    tensor_parallel: int = 1
    pipeline_parallel: int = 1
    link: str = ""
    network: str = "ib-hdr"
    cards_count: int | None = None
    reduction: Reduction = Reduction.RING
    gradient_bytes: int = 2
    batch_by: BatchBy = BatchBy.GPU
    step_tokens: Decimal = Decimal(16_384)
    sequence_tokens: int = 2048
    micro_batches: int = 8
    recomputed: bool = True
    mfu_ratio: Decimal | None = None
    overlap_ratio: Decimal = Decimal("0.5")
    floor_ratio: Decimal = Decimal("0.5")
    day_eur: Decimal | None = None
    observed_days: Decimal | None = None
    vat_ratio: Decimal = Decimal("0.20")
    calibration: str = ""


@dataclass(frozen=True, slots=True)
class PublishedRun:
    """A sizing that the offer publishes: days on one GPU and on several, for parameters and tokens."""

    params_count: float
    tokens_count: float
    gpu: str
    gpu_count: int
    one_days: float
    many_days: float
    peak_flop_per_s: float
    source: str = ""
    date: dt.date | None = None


@dataclass(frozen=True, slots=True)
class ParallelismFacts:
    """Everything that an estimate may use beside the scenario. `sku` None = a data sheet without an offer; `link` None
    = the GPU's own; `same_gpu` are offers of the same GPU, whose price may be carried over by the visitor."""

    catalog_version: int
    catalog_date: dt.date
    at: dt.datetime
    day: dt.date
    gpu: Gpu
    sku: Sku | None
    model: LanguageModel | None
    link: Interconnect | None
    network: Interconnect
    interconnects: tuple[Interconnect, ...]
    calibration: Calibration
    published: PublishedRun
    same_gpu: tuple[Sku, ...] = ()


@dataclass(frozen=True, slots=True)
class StepTime:
    """One optimizer step, in seconds. `data_s` is the traffic of the data-parallel group, `exposed_s` what computing
    does not hide of it; tensor and pipeline traffic hides behind nothing; `bubble_s` is a pipeline's idle time,
    `cluster_s` what jobs on several machines lose by waiting for one another."""

    compute_s: float
    data_s: float
    exposed_s: float
    tensor_s: float = 0.0
    pipeline_s: float = 0.0
    bubble_s: float = 0.0
    cluster_s: float = 0.0

    @property
    def step_s(self) -> float:
        """The whole step."""
        lost_s = self.exposed_s + self.tensor_s + self.pipeline_s + self.bubble_s + self.cluster_s
        return self.compute_s + lost_s

    @property
    def efficiency(self) -> float:
        """Share of ideal: computing ÷ step."""
        return self.compute_s / self.step_s


@dataclass(frozen=True, slots=True)
class Point:
    """The run on one number of GPUs. Money is EUR without VAT for the whole run; None without a price.

    `fits` says whether a GPU holds its share (None: the model's shape is not known); where it does not, the figures are
    what the run would take if it did. `added_ratio` is what each GPU added since the row before brings of its ideal
    speed-up, `eur_per_saved_day` what a day less costs since then; None in the first row, and where no day is saved.
    """

    gpu_count: int
    machines: int
    data_parallel: int
    tokens_a_gpu: float
    time: StepTime
    speed_up: float
    tok_per_s: float
    days: float
    gpu_hours_h: float
    instances: int
    eur: Decimal | None
    fits: bool | None = None
    added_ratio: float | None = None
    eur_per_saved_day: Decimal | None = None

    @property
    def efficiency(self) -> float:
        """Share of the ideal speed-up."""
        return self.time.efficiency


@dataclass(frozen=True, slots=True)
class LinkRow:
    """One interconnect in place of the chosen one, everything else alike. `hypothetical` = this GPU has no such link;
    `machines` and `cards` of each say how the GPUs were spread for the row. `rate_bytes_per_s` is that of `link` as the
    row has it, of all cards of a machine for a network, and `capped` says that the GPUs' slots bound it; `slowest` is
    the name of the way that holds the exchange up."""

    link: Interconnect
    machines: int
    cards: int
    rate_bytes_per_s: float
    slowest: str
    textbook_s: float
    allreduce_s: float
    point: Point
    hypothetical: bool = False
    capped: bool = False
    is_current: bool = False


@dataclass(frozen=True, slots=True)
class ReductionRow:
    """One all-reduce algorithm on the chosen topology: textbook, waits, and the time with measured efficiency."""

    reduction: Reduction
    textbook_s: float
    measured_s: float
    available: bool
    is_current: bool


@dataclass(frozen=True, slots=True)
class WayRow:
    """One way of sharing the chosen number of GPUs. `point` None = not valid, `faults` says why; `memory` None = the
    shape of the model is not known."""

    code: str
    sharing: Sharing
    tensor_parallel: int
    pipeline_parallel: int
    crossing_bytes: float | None
    point: Point | None
    memory: MemoryEstimate | None
    faults: tuple[Message, ...] = ()
    is_current: bool = False


class Plausibility(enum.StrEnum):
    """What speaks for one explanation of an observed run."""

    PLAUSIBLE = "plausible"
    UNLIKELY = "unlikely"
    IMPOSSIBLE = "impossible"


@dataclass(frozen=True, slots=True)
class Cause:
    """One explanation alone: the value that would lead to the observed days. `value` None = no value does."""

    code: str
    value: float | None
    plausibility: Plausibility
    values: Mapping[str, float | str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Explanation:
    """What an observed run means: its speed-up and efficiency, and each cause that would explain it by itself."""

    observed_days: float
    speed_up: float
    efficiency: float
    causes: tuple[Cause, ...]


@dataclass(frozen=True, slots=True)
class Stop:
    """Where adding GPUs stops paying: the last count worth its price, and which rule ended it; None = beyond the table.

    `reason` is added_ratio, day_eur or slower.
    """

    gpu_count: int | None
    reason: str = ""
    next_count: int | None = None


@dataclass(frozen=True, slots=True)
class ParallelismEstimate:
    """The whole answer; page, CSV, XLSX, JSON, print and CLI read this one object. Times s or days, money EUR."""

    scenario: ParallelismScenario
    gpu: Gpu
    sku: Sku | None
    model: LanguageModel | None
    link: Interconnect | None
    network: Interconnect
    machine_gpus: int
    instance_gpus: int
    cards_count: int
    network_bytes_per_s: float
    params_count: float
    price: Sourced[Decimal] | None
    headline: Headline
    faults: tuple[Message, ...] = ()
    peak: Sourced[float] | None = None
    mfu: Sourced[float] | None = None
    calibrated_mfu: float | None = None
    mfu_band: Band | None = None
    one_gpu_days: float | None = None
    chosen: Point | None = None
    memory: MemoryEstimate | None = None
    points: tuple[Point, ...] = ()
    rows: tuple[Point, ...] = ()
    links: tuple[LinkRow, ...] = ()
    reductions: tuple[ReductionRow, ...] = ()
    ways: tuple[WayRow, ...] = ()
    overlaps: tuple[tuple[float, Point], ...] = ()
    stop: Stop = Stop(None)
    cheapest: Point | None = None
    fastest: Point | None = None
    allreduce_band: Band | None = None
    explanation: Explanation | None = None
    steps: tuple[Step, ...] = ()
    trust: Kind | None = None
    warnings: tuple[Message, ...] = ()
    eur_ttc: Decimal | None = None
