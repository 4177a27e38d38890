"""The inputs of the training calculator, what it may use of the catalogue, and the shape of its answer."""

import datetime as dt
import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from calculator.domain.calibration import Calibration, Framework
from calculator.domain.hardware import Gpu, Roofs
from calculator.domain.llm import LanguageModel
from calculator.domain.memory import Line, MemoryEstimate, Sharding
from calculator.domain.offers import ApiModel, Basis, Sku
from calculator.domain.provenance import Kind, Sourced, Step
from calculator.domain.scenario import BillingStep, Headline, Message
from calculator.domain.training import Method

TARGETS = ("q", "k", "v", "o", "gate", "up", "down")


class Work(enum.StrEnum):
    """How the visitor states the amount of work."""

    STEPS = "steps"
    DATASET = "dataset"
    TOKENS = "tokens"


class Numbers(enum.StrEnum):
    """The number format that trains. FP8 multiplies in 8 bits and keeps 16-bit weights; FP32 keeps 32 bits."""

    BF16 = "bf16"
    FP16 = "fp16"
    FP8 = "fp8"
    FP32 = "fp32"


class Optimizer(enum.StrEnum):
    """AdamW with 32-bit states, the same fused, with 8-bit moments, or all in 16 bits without a master copy."""

    ADAMW = "adamw"
    FUSED = "adamw_fused"
    EIGHT_BIT = "adamw_8bit"
    HALF = "adamw_16bit"


class Speed(enum.StrEnum):
    """Where the training speed comes from."""

    CALIBRATED = "calibrated"
    PUBLISHED = "published"
    RATE = "rate"
    MFU = "mfu"


class Convention(enum.StrEnum):
    """FLOP that a utilisation counts: 6N whatever is trained, or what the method needs (4N on a frozen base)."""

    SIX = "6n"
    METHOD = "method"


class Reads(enum.StrEnum):
    """Who reads the prompts that fine-tuning makes shorter."""

    NOBODY = "none"
    GPU = "gpu"
    ALWAYS_ON = "always_on"
    API = "api"


@dataclass(frozen=True, slots=True)
class TrainingScenario:
    """Everything a visitor may set. Ratios are 0–1, tokens are counts.

    None = unknown, or "the catalogue's"; of `tensor_parallel` and `pipeline_parallel`, the smallest division that fits
    (`training_division`). `params_count` stands for a model outside the catalogue and then replaces
    `model`. The batch of one step is `micro_batch` × `accumulation` × data-parallel GPUs; `data_rows` and
    `mean_tokens` describe the data set (`Work.DATASET`), `total_tokens` the whole run (`Work.TOKENS`). Checkpoints are
    written every `save_steps` (None = once, at the end), the `kept_count` last ones are kept. `saved_tokens` is what
    fine-tuning takes off each prompt.
    """

    catalog_version: int
    at: dt.datetime
    model: str = "Mistral-7B"
    params_count: Decimal | None = None
    sku: str = "GPU-PRO"
    instances: int = 1
    method: Method = Method.QLORA
    numbers: Numbers = Numbers.BF16
    optimizer: Optimizer = Optimizer.ADAMW
    lora_rank: int = 16
    targets: tuple[str, ...] = TARGETS
    work: Work = Work.STEPS
    micro_batch: int = 2
    sequence_tokens: int = 512
    accumulation: int = 4
    steps_count: int = 750
    data_rows: int | None = None
    mean_tokens: Decimal | None = None
    epochs: Decimal = Decimal(1)
    total_tokens: Decimal | None = None
    recomputed: bool = False
    sharding: Sharding = Sharding.NONE
    tensor_parallel: int | None = None
    pipeline_parallel: int | None = None
    framework: Framework = Framework.TRANSFORMERS
    speed: Speed = Speed.CALIBRATED
    rate_tok_per_s: Decimal | None = None
    mfu_ratio: Decimal | None = None
    convention: Convention = Convention.SIX
    basis: Basis = Basis.HOUR
    billing_step: BillingStep = BillingStep.SECOND
    price_eur: Decimal | None = None
    hours_per_month_h: Decimal = Decimal(720)
    retry_ratio: Decimal = Decimal(0)
    save_steps: int | None = None
    kept_count: int = 1
    keeps_optimizer: bool = False
    kept_months: Decimal = Decimal(1)
    storage_eur_per_gb_month: Decimal | None = None
    reads: Reads = Reads.NOBODY
    saved_tokens: Decimal | None = None
    requests_count: Decimal | None = None
    prefill_tok_per_s: Decimal | None = None
    reference: str = "gpt-5.4-mini"
    usd_per_eur: Decimal | None = None
    vat_ratio: Decimal = Decimal("0.20")
    calibration: str = ""

    @property
    def tensor(self) -> int:
        """GPUs that share every matrix; 1 as long as none is chosen."""
        return self.tensor_parallel or 1

    @property
    def stages(self) -> int:
        """Stages that share the layers; 1 as long as none is chosen."""
        return self.pipeline_parallel or 1


@dataclass(frozen=True, slots=True)
class PublishedReading:
    """One way to read a published batch: sequences a pass, passes a step, steps, and the rows of the data set."""

    micro_batch: int
    accumulation: int
    sequence_tokens: int
    steps: int
    rows: int


@dataclass(frozen=True, slots=True)
class PublishedRun:
    """A run that the vendor publishes: a claim. `minutes` and `eur` are as printed, None where not printed; `readings`
    are the ways to read a batch that is not stated clearly."""

    code: str
    sku: str
    model: str
    method: Method
    tok_per_s_per_gpu: Sourced[float]
    tokens: float
    mfu_ratio: float | None = None
    minutes: float | None = None
    eur: Decimal | None = None
    params_count: float | None = None
    readings: tuple[PublishedReading, ...] = ()


@dataclass(frozen=True, slots=True)
class TrainingFacts:
    """Everything from the catalogue that a training estimate may use.

    `gpus` holds the data sheet of every SKU's GPU, `model` the catalogue's model or the assumed shape of a typed
    parameter count, `api` the reference API (None where it is not asked for), `published` the vendor's runs; `roofs`
    what our own probes measured of an offer's GPU, by the offer's code.
    """

    catalog_version: int
    catalog_date: dt.date
    at: dt.datetime
    day: dt.date
    sku: Sku
    skus: tuple[Sku, ...]
    gpus: Mapping[str, Gpu]
    model: LanguageModel
    calibration: Calibration
    published: tuple[PublishedRun, ...] = ()
    api: ApiModel | None = None
    usd_per_eur: Sourced[Decimal] | None = None
    roofs: Mapping[str, Roofs] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Amount:
    """The work of a run. `steps` is fractional where tokens do not fill whole steps; `epochs` None = data unknown."""

    tokens: float
    step_tokens: int
    global_batch: int
    steps: float
    sequences: float
    epochs: float | None


@dataclass(frozen=True, slots=True)
class FlopCount:
    """FLOP of one token by part; `factor` × `params` is the part without attention and recomputation."""

    factor: int
    params: float
    linear: float
    attention: float
    recomputation: float

    @property
    def needed(self) -> float:
        """What MFU counts: weights and causal attention, nothing twice."""
        return self.linear + self.attention

    @property
    def executed(self) -> float:
        """What HFU counts: the recomputed forward pass too."""
        return self.needed + self.recomputation


class Utilisation(enum.StrEnum):
    """The conventions in which a utilisation is shown."""

    SIX = "mfu_6n"
    SIX_ATTENTION = "mfu_6n_attention"
    METHOD = "mfu_method"
    HARDWARE = "hfu"


@dataclass(frozen=True, slots=True)
class Rate:
    """Tokens a second and GPU, and of all GPUs; `band` = low and high end for one GPU where residuals are known."""

    per_gpu: Sourced[float]
    total_tok_per_s: float
    band: tuple[float, float] | None
    utilisations: tuple[tuple[Utilisation, float], ...]


@dataclass(frozen=True, slots=True)
class Range:
    """A value with the low and high end of its band; equal ends are no band."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Duration:
    """Seconds of the run, and of what is paid with the retry allowance."""

    run_s: Range
    with_retries_s: float


@dataclass(frozen=True, slots=True)
class Bill:
    """What a run costs, EUR without VAT, unrounded; None where the price is unknown. `months` for monthly prices."""

    price: Sourced[Decimal] | None
    paid_h: Decimal
    gpu_h: Decimal
    months: int | None
    eur: Decimal | None
    low_eur: Decimal | None
    high_eur: Decimal | None
    gross_eur: Decimal | None
    trust: Kind | None


class Verdict(enum.StrEnum):
    """Whether a set-up runs, in the order in which it is asked: the global batch does not go into whole passes of the
    copies; a division breaks a rule; a memory line does not fit; the adapters are not modelled; it fits."""

    BATCH = "batch"
    IMPOSSIBLE = "impossible"
    MISFIT = "does_not_fit"
    UNKNOWN = "not_modelled"
    FITS = "fits"


@dataclass(frozen=True, slots=True)
class Way:
    """One way out of a memory misfit, recomputed: what it changes, what it then needs, and what it costs.

    `changes` maps scenario attributes to their new values, with the work and the speed that keep the tokens and the
    promise: `scenario` with them, and nothing else, gives these figures. `eur` and `seconds` None where it does not fit
    or they are unknown; `sku` the configuration; `batch` its sequences a step. `code` names the sentence.
    """

    code: str
    changes: Mapping[str, object]
    needed_bytes: float
    usable_bytes: float
    verdict: Verdict
    sku: str
    instances: int
    batch: int
    seconds: float | None
    eur: Decimal | None

    @property
    def fits(self) -> bool:
        """Whether it is enough by itself."""
        return self.verdict is Verdict.FITS


@dataclass(frozen=True, slots=True)
class Fit:
    """Memory of one GPU: lines, what is usable, and where it does not fit the ways out, cheapest first.

    `unknown` are lines whose size is not modelled: they stand in `memory` as 0 and are shown as unknown.
    `state_bytes_a_param` = weights + gradients + optimizer states ÷ parameters, before it is divided; None with an
    unknown line. `band` is that of the total. `offload_bytes` is what would have to lie in the host's memory: its speed
    is not modelled.
    """

    memory: MemoryEstimate
    unknown: tuple[Line, ...]
    verdict: Verdict
    band: tuple[float, float] | None
    state_bytes_a_param: float | None
    faults: tuple[str, ...]
    ways: tuple[Way, ...]
    offload_bytes: float

    @property
    def fits(self) -> bool:
        """Whether the run is known to start: a valid division, and every line known and within the memory."""
        return self.verdict is Verdict.FITS

    @property
    def forbids(self) -> bool:
        """Whether the run is known not to start."""
        return self.verdict in (Verdict.IMPOSSIBLE, Verdict.MISFIT)


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """Bytes of one checkpoint, without and with what a restart needs, how many are written and kept, and storage; None
    where what is trained is not modelled, or storage has no price."""

    weight_bytes: float | None
    restart_bytes: float | None
    written_count: int
    kept_count: int
    stored_bytes: float | None
    month_eur: Decimal | None
    total_eur: Decimal | None


@dataclass(frozen=True, slots=True)
class Payback:
    """A shorter prompt: what each request saves and after how many the training is paid; None where unknown.

    `saved_gpu_s` is GPU time a request where the prompts are read on the GPU; `cash` False = the card is paid anyway.
    """

    reads: Reads
    saved_tokens: Decimal
    rate: Sourced[float] | Sourced[Decimal] | None
    saved_gpu_s: float | None
    saved_eur: Decimal | None
    requests_count: Decimal | None
    months: Decimal | None
    cash: bool
    reasons: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class Alternative:
    """The same tokens and global batch with another number of GPUs or method: None where it does not run or is unknown.

    `changes` are those of the scenario that gives these figures; `copies` of the model share the batch.
    """

    code: str
    gpu_count: int
    copies: int
    changes: Mapping[str, object]
    verdict: Verdict
    seconds: float | None
    eur: Decimal | None
    is_current: bool = False

    @property
    def fits(self) -> bool:
        """Whether it runs."""
        return self.verdict is Verdict.FITS


@dataclass(frozen=True, slots=True)
class TrainingEstimate:
    """The whole answer; page, CSV, XLSX, JSON, print and CLI all read this one object. `skus` are the offers that its
    ways out may name; `is_divided` = the visitor left TP and PP open, and `scenario` has those chosen for him."""

    scenario: TrainingScenario
    model: LanguageModel
    gpu: Gpu
    sku: Sku
    skus: tuple[Sku, ...]
    gpu_count: int
    data_parallel: int
    amount: Amount | None
    trained_params: float | None
    flop: FlopCount
    total_flop: float | None
    rate: Rate | None
    duration: Duration | None
    bill: Bill | None
    energy_kwh: float | None
    fit: Fit
    checkpoints: Checkpoints
    payback: Payback | None
    counts: tuple[Alternative, ...]
    methods: tuple[Alternative, ...]
    published: tuple[PublishedRun, ...]
    headline: Headline
    steps: tuple[Step, ...]
    trust: Kind | None
    warnings: tuple[Message, ...] = ()
    is_divided: bool = False
