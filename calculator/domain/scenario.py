"""The frozen inputs of a calculator and the shape of its answer."""

import datetime as dt
import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple

from calculator.domain.offers import ApiModel, Basis, Mode, Sku, Throughput
from calculator.domain.provenance import Kind, Sourced, Step

MessageValue = str | int | float | Decimal | dt.date | None


@dataclass(frozen=True, slots=True)
class Message:
    """A warning or note as code and values; presenters turn it into a sentence. `field` is the input it belongs to."""

    code: str
    values: Mapping[str, MessageValue] = field(default_factory=dict)
    field: str = ""


class Rental(enum.StrEnum):
    """ALWAYS_ON: whole instances × hours a month × €/h. HOURS_USED: volume ÷ output an hour × €/h."""

    ALWAYS_ON = "always_on"
    HOURS_USED = "hours_used"


class BillingStep(enum.StrEnum):
    """What paid time is rounded up to, once, on the total."""

    HOUR = "hour"
    SECOND = "second"


class TrafficBy(enum.StrEnum):
    """How the visitor states the month's traffic."""

    TOKENS = "tokens"
    REQUESTS = "requests"


class RateOrigin(enum.StrEnum):
    """Where typed rates come from: the visitor's own word, or a point that the inference calculator estimated."""

    INPUT = "input"
    ESTIMATE = "estimate"


@dataclass(frozen=True, slots=True)
class EconomicsScenario:
    """Everything a visitor may set on the economics page. Ratios are 0–1; tokens are counts, not millions.

    None = unknown or "take the catalogue's". In TOKENS mode `volume_tokens` (output a month) counts and the requests
    follow from `output_tokens`; in REQUESTS mode `requests_count` counts and the volume follows.
    `input_tokens` and `output_tokens` are a request's; `input_tokens` includes cached ones. `prefix_hit_ratio` is the
    share of the input read from a prefix cache, `cache_write_ratio` the share of the rest that is written to it.
    `api_token_ratio` = tokens that an API counts for one token counted here (another tokenizer); `api_uplift_ratio` =
    what an API adds to its list price, for processing within a region for example. `instances_per_set` are rented
    together because one model lies over all of them: bills and capacities count whole sets; None = one.
    """

    catalog_version: int
    at: dt.datetime
    sku: str = "GPU-PRO"
    basis: Basis = Basis.MONTH
    rental: Rental = Rental.ALWAYS_ON
    billing_step: BillingStep = BillingStep.HOUR
    price_eur: Decimal | None = None
    model: str = ""
    figure_id: int | None = None
    rate_tok_per_s: Decimal | None = None
    rate_concurrency: int | None = None
    prefill_tok_per_s: Decimal | None = None
    rate_origin: RateOrigin | None = None
    instances_per_set: int | None = None
    utilisation_ratio: Decimal = Decimal("0.65")
    hours_per_month_h: Decimal = Decimal(720)
    traffic: TrafficBy = TrafficBy.TOKENS
    volume_tokens: Decimal = Decimal(100_000_000)
    requests_count: Decimal | None = None
    input_tokens: Decimal = Decimal(0)
    output_tokens: Decimal = Decimal(500)
    prefix_hit_ratio: Decimal = Decimal(0)
    cache_write_ratio: Decimal = Decimal(0)
    cache_write_ttl: str = "5m"
    response_cache_ratio: Decimal = Decimal(0)
    mode: Mode = Mode.STANDARD
    batch_share_ratio: Decimal = Decimal(0)
    api_token_ratio: Decimal = Decimal(1)
    api_uplift_ratio: Decimal = Decimal(0)
    apis: tuple[str, ...] = ("mistral-small-2603", "gpt-5.4-mini", "claude-haiku-4-5", "gpt-5.4", "claude-sonnet-4-6")
    reference: str = "gpt-5.4"
    usd_per_eur: Decimal | None = None
    operations_eur_per_month: Decimal = Decimal(0)
    storage_eur_per_month: Decimal = Decimal(0)
    network_eur_per_month: Decimal = Decimal(0)
    vat_ratio: Decimal = Decimal("0.20")
    tie_ratio: Decimal = Decimal("0.05")


class Verdict(enum.StrEnum):
    """Which side costs less for the same traffic; UNKNOWN when a price is missing."""

    GPU = "gpu"
    API = "api"
    EQUIVALENT = "equivalent"
    UNKNOWN = "unknown"


class Outcome(enum.StrEnum):
    """Break-even outcomes. BEYOND = only from a higher instance count on (possible only with fixed costs)."""

    REACHED = "reached"
    NEVER = "never"
    ALWAYS = "always"
    BEYOND = "beyond"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Interval:
    """Monthly output tokens between which the GPU costs less; `end_tokens` None = from there on."""

    start_tokens: Decimal
    end_tokens: Decimal | None


@dataclass(frozen=True, slots=True)
class BreakEven:
    """Volumes at which the GPU becomes and stays cheaper than one API, and the utilisation that a full GPU needs.

    `utilisation_ratio` above 1 means that no load makes the GPU cheaper. `instances` is the count behind BEYOND.
    `omitted_count` = intervals left out between the last two listed. Volumes are stated, before the response cache.
    """

    outcome: Outcome
    intervals: tuple[Interval, ...] = ()
    utilisation_ratio: Decimal | None = None
    instances: int | None = None
    omitted_count: int = 0


@dataclass(frozen=True, slots=True)
class GpuBill:
    """A month on one SKU at one price basis. Money is EUR without VAT, unrounded; None where it cannot be known.

    `bill_eur` is rental alone, `total_eur` adds the extra costs; `eur_per_mtok` = total ÷ served output volume (the
    headline), `full_eur_per_mtok` the same at full planned use. `capacity_tokens` is what one instance produces in its
    planned month; `step_tokens` the stated volume this carries (the same unless a response cache answers a share).
    """

    sku: Sku
    basis: Basis
    price: Sourced[Decimal] | None
    throughput: Throughput | None
    capacity_tokens: Decimal | None = None
    instances: int | None = None
    paid_h: Decimal | None = None
    productive_h: Decimal | None = None
    implied_utilisation_ratio: Decimal | None = None
    bill_eur: Decimal | None = None
    total_eur: Decimal | None = None
    total_ttc_eur: Decimal | None = None
    eur_per_mtok: Decimal | None = None
    full_eur_per_mtok: Decimal | None = None
    trust: Kind | None = None
    reasons: tuple[Message, ...] = ()
    step_tokens: Decimal | None = None


@dataclass(frozen=True, slots=True)
class ApiBill:
    """The same month on one API. `usd` None when a needed component has no price (named in `reasons`)."""

    api: ApiModel
    mode: Mode
    usd: Decimal | None
    eur: Decimal | None
    eur_ttc: Decimal | None = None
    eur_per_mtok: Decimal | None = None
    usd_per_mtok: Decimal | None = None
    tier_over_tokens: int = 0
    trust: Kind | None = None
    reasons: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class Comparison:
    """One API against the chosen GPU. `difference_ratio` = GPU ÷ API − 1 (negative: the GPU costs less).

    `incomplete` = a cost is missing on one side (prompt time not counted, unknown rate): said beside the verdict.
    """

    bill: ApiBill
    verdict: Verdict
    difference_ratio: Decimal | None
    break_even: BreakEven
    incomplete: bool = False


@dataclass(frozen=True, slots=True)
class OverviewRow:
    """One SKU × basis against every API: for the table "each GPU against each API".

    `incomplete` here and in the rows below = the time to read the prompt is not counted on the GPU's side.
    """

    gpu: GpuBill
    verdicts: tuple[tuple[str, Verdict, Decimal | None], ...]
    incomplete: bool = False


@dataclass(frozen=True, slots=True)
class VolumeRow:
    """One line of the volume matrix: the GPU bill and each API's bill with its verdict at that volume.

    `cells` = (API code, EUR or None, verdict); `cheapest` is "gpu" or an API code.
    """

    volume_tokens: Decimal
    gpu: GpuBill
    cells: tuple[tuple[str, Decimal | None, Verdict], ...]
    cheapest: str
    is_current: bool = False
    incomplete: bool = False


class UtilisationCell(NamedTuple):
    """One cell of the utilisation × volume table, against the reference API."""

    utilisation_ratio: Decimal
    volume_tokens: Decimal
    verdict: Verdict
    difference_ratio: Decimal | None
    is_current: bool = False
    incomplete: bool = False


@dataclass(frozen=True, slots=True)
class YearRow:
    """Monthly and yearly cost of one alternative and its saving against the reference (positive = saves)."""

    code: str
    month_eur: Decimal | None
    year_eur: Decimal | None
    saving_year_eur: Decimal | None
    saving_ratio: Decimal | None


@dataclass(frozen=True, slots=True)
class Headline:
    """The one-sentence answer as code and values."""

    code: str
    values: Mapping[str, MessageValue]


@dataclass(frozen=True, slots=True)
class EconomicsEstimate:
    """The whole answer of the economics calculator; page, CSV, XLSX, JSON, print and CLI all read this one object.

    `gpu` is the chosen basis, `bases` both bases of the chosen SKU (what the JSON's four figures come from).
    `served_tokens` is the output volume after the response cache; `volume_tokens` before it.
    """

    scenario: EconomicsScenario
    volume_tokens: Decimal
    served_tokens: Decimal
    requests_count: Decimal
    headline: Headline
    gpu: GpuBill
    bases: Mapping[Basis, GpuBill]
    comparisons: tuple[Comparison, ...]
    overview: tuple[OverviewRow, ...]
    volumes: tuple[VolumeRow, ...]
    utilisations: tuple[UtilisationCell, ...]
    years: tuple[YearRow, ...]
    usd_per_eur: Sourced[Decimal] | None
    hours_per_month_h: Sourced[Decimal]
    utilisation: Sourced[Decimal]
    steps: tuple[Step, ...]
    trust: Kind | None
    warnings: tuple[Message, ...] = ()
