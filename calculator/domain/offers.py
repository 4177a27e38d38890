"""What is for sale: dedicated GPU configurations and API models, with sourced prices.

`catalog.py` builds these from the database for one catalogue version and one instant; the formulas only read them.
None always means "not known": a price on request, a rate nobody published, a component the vendor does not sell.
"""

import datetime as dt
import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from calculator.domain.provenance import Sourced


class Basis(enum.StrEnum):
    """How a GPU is billed."""

    HOUR = "hour"
    MONTH = "month"


class Mode(enum.StrEnum):
    """Service level of an API price; prices of different modes are never compared without saying so."""

    STANDARD = "standard"
    BATCH = "batch"
    FLEX = "flex"
    PRIORITY = "priority"


class Scope(enum.StrEnum):
    """What a throughput is counted for."""

    GPU = "gpu"
    INSTANCE = "instance"


@dataclass(frozen=True, slots=True)
class Throughput:
    """Output tokens a second that a SKU delivers, with the conditions they were obtained under.

    `figure_id` is the catalogue's figure (None when the visitor typed the rate). `concurrency` None = not stated;
    1 = single stream. `prefill_tok_per_s` None = prompt time unknown. `test_model` = random weights: shown only
    when the visitor picked this SKU and this model.
    """

    output_tok_per_s: Sourced[float]
    scope: Scope = Scope.GPU
    figure_id: int | None = None
    prefill_tok_per_s: Sourced[float] | None = None
    model: str = ""
    precision: str = ""
    engine: str = ""
    concurrency: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    single_stream: bool = False
    test_model: bool = False
    run: str = ""


@dataclass(frozen=True, slots=True)
class Sku:
    """One configuration. Prices are EUR without VAT for the whole instance; None = on request.

    `set_of` above 1 = that many instances rented together as one: prices and `gpu_count` are then those of all.
    """

    code: str
    label: str
    gpu: str
    gpu_count: int
    vram_gb: float
    prices: Mapping[Basis, Sourced[Decimal]] = field(default_factory=dict)
    throughput: Throughput | None = None
    is_test_host: bool = False
    set_of: int = 1

    @property
    def name(self) -> str:
        """The code; of a set, with the number of its instances.

        >>> Sku("GPU-TITAN", "", "A100", 4, 320, set_of=4).name.split()
        ['4', '×', 'GPU-TITAN']
        """
        return self.code if self.set_of == 1 else f"{self.set_of}\u00a0×\u00a0{self.code}"


@dataclass(frozen=True, slots=True)
class Varies:
    """Where it is said, and when that was checked, that a price is not known before a request is answered."""

    reference: str = ""
    date: dt.date | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Rates:
    """API rates in USD per million tokens that apply when a request's input is strictly above `context_over_tokens`.

    `varying` has the components that are sold at no price known beforehand, with where that is said: their rate is
    None.
    """

    context_over_tokens: int = 0
    input: Sourced[Decimal] | None = None
    cache_read: Sourced[Decimal] | None = None
    cache_write_5m: Sourced[Decimal] | None = None
    cache_write_1h: Sourced[Decimal] | None = None
    output: Sourced[Decimal] | None = None
    varying: Mapping[str, Varies] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ApiModel:
    """A model sold by the token. `modes` maps each sold mode to its tiers in rising order of threshold.

    `unread` are modes with prices that no formula reads: in another currency than dollars, for one region or one time
    of the day.
    """

    code: str
    label: str
    provider: str
    modes: Mapping[Mode, tuple[Rates, ...]]
    retired_on: dt.date | None = None
    context_window_tokens: int | None = None
    unread: frozenset[Mode] = frozenset()


@dataclass(frozen=True, slots=True)
class EconomicsFacts:
    """Everything from the catalogue that an economics estimate may use.

    `sku` is the SKU asked for (with the throughput that the chosen model or figure gives), `skus` all that enter the
    overview table, `apis` those asked for, in catalogue order. `usd_per_eur` None = no exchange rate: no € figure.
    `day` is the day of `at` where the catalogue counts its days; retirements are compared with it.
    """

    catalog_version: int
    catalog_date: dt.date
    at: dt.datetime
    sku: Sku
    skus: tuple[Sku, ...]
    apis: tuple[ApiModel, ...]
    usd_per_eur: Sourced[Decimal] | None
    day: dt.date
