"""What the outlook asks beside an economics scenario, and the two sides that every part of its answer compares.

An outlook *is* an economics scenario with a few questions more: the same estimate prices both, and a link of one is
read as a link of the other. Option A is the chosen GPU, option B the reference API.
"""

from dataclasses import dataclass, replace
from decimal import Decimal

from calculator.domain.calibration import Band
from calculator.domain.comparison import Inputs, comparable_total
from calculator.domain.economics import core, settled
from calculator.domain.hardware import Gpu
from calculator.domain.llm import LanguageModel
from calculator.domain.offers import EconomicsFacts
from calculator.domain.provenance import Sourced
from calculator.domain.scenario import Comparison, EconomicsScenario, GpuBill, TrafficBy

STRATEGIC = ("eu", "weights", "capacity", "no_training")
"""Reasons that are not of price: kept apart from it, never mixed into it."""
SAID = (
    *STRATEGIC,
    *("daily", "sensitive", "outside", "large", "audited", "mlops"),
    *("prototype", "several", "small_team", "saas", "payment"),
)
"""What a visitor may say of himself; what he does not say stays a question."""


@dataclass(frozen=True, slots=True)
class OutlookScenario(EconomicsScenario):
    """An economics scenario and the outlook's own questions. Ratios are 0–1; None = unknown, or the catalogue's own.

    `said` are codes of SAID. `latency_ms` is the longest first token that is accepted. The volume is that of the first
    month and grows by `growth_ratio` a month, or to `target_tokens` in the twelfth. `*_span_ratio` move a value by ±;
    utilisation, rate and exchange rate move between their own two ends (`rate_*_ratio` are factors). `floor_eur` is the
    lowest price of an instance that is worth offering, at the chosen billing. The three prices stand in place of list
    prices that do not exist: €/h, €/month, €/month with a year's commitment. `pue_ratio` is what a data centre draws
    for each kWh of its machines, `grid_g_per_kwh` the grid's g CO2e a kWh.
    """

    said: tuple[str, ...] = ()
    latency_ms: Decimal | None = None
    growth_ratio: Decimal = Decimal("0.10")
    target_tokens: Decimal | None = None
    utilisation_low_ratio: Decimal = Decimal("0.24")
    utilisation_high_ratio: Decimal = Decimal("0.90")
    volume_span_ratio: Decimal = Decimal("0.25")
    price_span_ratio: Decimal = Decimal("0.10")
    api_span_ratio: Decimal = Decimal("0.10")
    rate_low_ratio: Decimal | None = None
    rate_high_ratio: Decimal | None = None
    usd_per_eur_low: Decimal | None = None
    usd_per_eur_high: Decimal | None = None
    floor_eur: Decimal | None = None
    hour_eur: Decimal | None = None
    month_eur: Decimal | None = None
    year_eur_per_month: Decimal | None = None
    pue_ratio: Decimal | None = None
    grid_g_per_kwh: Decimal | None = None


@dataclass(frozen=True, slots=True)
class FxRange:
    """Lowest and highest reference rate of a period."""

    low: Sourced[Decimal]
    high: Sourced[Decimal]


@dataclass(frozen=True, slots=True)
class OutlookFacts:
    """What the outlook reads beside the catalogue's prices; None where it is not known.

    `rate_band` is the band of measured ÷ estimated throughputs, `fx` the exchange rates of the last ten years,
    `model` the open-weights model behind the throughput, `api_first_token_ms` what a run measured of the reference API.
    """

    prices: EconomicsFacts
    gpu: Gpu | None = None
    model: LanguageModel | None = None
    rate_band: Band | None = None
    fx: FxRange | None = None
    api_first_token_ms: Sourced[float] | None = None


@dataclass(frozen=True, slots=True)
class Sides:
    """One month on both sides, as the economics estimate prices it. None = a price or a rate is missing."""

    scenario: OutlookScenario
    inputs: Inputs
    gpu: GpuBill
    api: Comparison | None

    @property
    def gpu_eur(self) -> Decimal | None:
        """Option A: what may stand in a verdict."""
        return comparable_total(self.inputs.chosen, self.gpu)

    @property
    def api_eur(self) -> Decimal | None:
        """Option B."""
        return self.api.bill.eur if self.api else None

    @property
    def gap_eur(self) -> Decimal | None:
        """A − B: negative where the GPU costs less."""
        gpu, api = self.gpu_eur, self.api_eur
        return None if gpu is None or api is None else gpu - api


def reference_alone(scenario: EconomicsScenario, facts: EconomicsFacts) -> EconomicsFacts:
    """The facts with option B as the only API: what is asked many times prices no other."""
    named = tuple(api for api in facts.apis if api.code == scenario.reference)
    return replace(facts, apis=named or facts.apis[:1])


def sides(scenario: OutlookScenario, facts: EconomicsFacts) -> Sides:
    """Both options of a scenario: the economics answer without its tables."""
    inputs = settled(scenario, reference_alone(scenario, facts))
    bill, compared = core(inputs)
    return Sides(scenario, inputs, bill, compared[0] if compared else None)


def at_volume[S: EconomicsScenario](scenario: S, volume_tokens: Decimal) -> S:
    """`scenario` with another month of output, however its traffic is stated."""
    if scenario.traffic is TrafficBy.REQUESTS:
        return replace(scenario, requests_count=volume_tokens / scenario.output_tokens)
    return replace(scenario, volume_tokens=volume_tokens)
