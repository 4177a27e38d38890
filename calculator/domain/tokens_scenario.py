"""The inputs of the tokens calculator, what it may use of the catalogue, and the shape of its answer."""

import datetime as dt
import enum
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from calculator.domain.calibration import Calibration
from calculator.domain.llm import LanguageModel
from calculator.domain.offers import ApiModel, Mode
from calculator.domain.provenance import Kind, Sourced, Step
from calculator.domain.scenario import BillingStep, Headline, Message
from calculator.domain.serving_scenario import Offer, Ranged

APIS = ("mistral-small-2603", "gpt-5.4-mini", "claude-haiku-4-5", "gpt-5.4", "claude-sonnet-4-6")


class Work(enum.StrEnum):
    """What the chosen machine does with the corpus: read every document once, or embed every chunk."""

    READ = "read"
    INDEX = "index"


@dataclass(frozen=True, slots=True)
class TokensScenario:
    """A corpus and what is done with it. Numbers only: the text itself is never part of a scenario.

    `documents_count` documents of `mean_tokens` tokens as `tokenizer` counts them. A sample of `sample_count` documents
    gave the mean, the standard deviation and the quantiles; None = not known, and then no interval is stated.
    `read_tok_per_s` is a throughput that the visitor knows, None = the chosen SKU's is estimated. `work` is what the
    chosen machine does, and so what its time, its bill and a quote of it are for.
    """

    catalog_version: int
    at: dt.datetime
    documents_count: int = 2_000_000
    mean_tokens: Decimal = Decimal(4000)
    tokenizer: str = "cl100k_base"
    sample_count: int | None = None
    sd_tokens: Decimal | None = None
    p50_tokens: Decimal | None = None
    p95_tokens: Decimal | None = None
    confidence_ratio: Decimal = Decimal("0.95")
    chunk_tokens: int = 512
    overlap_tokens: int = 64
    embedding: str = "text-embedding-3-small"
    apis: tuple[str, ...] = APIS
    mode: Mode = Mode.STANDARD
    work: Work = Work.READ
    sku: str = "GPU-PRO"
    instances: int = 1
    model: str = "Mistral-7B-v0.3"
    precision: str = "fp16"
    billing_step: BillingStep = BillingStep.HOUR
    price_eur: Decimal | None = None
    read_tok_per_s: Decimal | None = None
    usd_per_eur: Decimal | None = None
    calibration: str = ""


@dataclass(frozen=True, slots=True)
class TokensFacts:
    """Everything from the catalogue and the calibration that a tokens estimate may use.

    `offers` = SKUs with their data sheets in catalogue order, the asked one among them; `measured` = prompt tokens a
    second of one instance by SKU, from our own runs of the asked model.
    """

    catalog_version: int
    catalog_date: dt.date
    at: dt.datetime
    day: dt.date
    offers: tuple[Offer, ...]
    model: LanguageModel
    apis: tuple[ApiModel, ...]
    embedding: ApiModel
    embeddings: tuple[ApiModel, ...]
    calibration: Calibration
    usd_per_eur: Sourced[Decimal] | None
    measured: Mapping[str, Sourced[float]]


@dataclass(frozen=True, slots=True)
class Spread:
    """A number of tokens with the ends of its interval; None where no interval can be stated."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class PaidReading:
    """The corpus read once by a model that is paid by the token. Money is unrounded; None = not known, see `reasons`.

    `counts_alike` True or False = whether the model counts with the scenario's tokenizer; None = its vendor does not
    say.
    """

    model: ApiModel
    tokens_count: float
    rate: Sourced[Decimal] | None = None
    usd: Decimal | None = None
    eur: Decimal | None = None
    counts_alike: bool | None = None
    reasons: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class GpuReading:
    """The corpus read once by an open model on a SKU: one prompt at a time on each replica.

    `rate` = prompt tokens a second of all instances, `time_s` and `eur` follow; the band is the rate's.
    """

    offer: Offer
    instances: int
    rate: Ranged | None = None
    time_s: Ranged | None = None
    price: Sourced[Decimal] | None = None
    eur: Decimal | None = None
    eur_low: Decimal | None = None
    eur_high: Decimal | None = None
    gpus_a_replica: int = 1
    reasons: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class TokensEstimate:
    """The whole answer of the tokens calculator; page, CSV, XLSX, JSON, print and CLI all read this one object.

    `margin_ratio` = half the interval ÷ the total. `chunks_a_document` is a mean. `gpus` = the documents read once on
    each SKU; `indexing` = the chunks read once by the open model on each SKU, one at a time: what an embedding model
    of its size takes. `gpu` = the chosen SKU at the work asked for; `typed_time_s` = that work at the throughput that
    the visitor typed.
    """

    scenario: TokensScenario
    headline: Headline
    total: Spread
    margin_ratio: float | None
    chunks_a_document: float
    chunks_count: float
    embedded: Spread
    repeated_ratio: float
    embeddings: tuple[PaidReading, ...]
    embedding: PaidReading
    apis: tuple[PaidReading, ...]
    gpus: tuple[GpuReading, ...]
    gpu: GpuReading
    typed_time_s: float | None
    usd_per_eur: Sourced[Decimal] | None
    steps: tuple[Step, ...]
    trust: Kind | None
    warnings: tuple[Message, ...]
    indexing: tuple[GpuReading, ...] = ()
