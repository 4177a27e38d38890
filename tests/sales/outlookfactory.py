"""The offer's own case as an outlook, without a database."""

from dataclasses import replace
from decimal import Decimal

from hypothesis import strategies as st

from calculator.domain.calibration import Band
from calculator.domain.hardware import Gpu
from calculator.domain.llm import MISTRAL_7B
from calculator.domain.offers import Basis, EconomicsFacts
from calculator.domain.provenance import Kind, Sourced
from calculator.domain.scenario import TrafficBy
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


positive = st.integers(1, 10**6).map(lambda cents: Decimal(cents) / 100)
READS = Sourced(2500.0, "tok/s", Kind.MEASURED, "prefill_rate")
machines = st.sampled_from(
    [
        replace(offer.PRO, throughput=offer.claim(64.0, prefill_tok_per_s=READS)),
        replace(offer.TITAN, prices=offer.prices("5.40", "3000.00")),
        replace(offer.SUPERCOMPUTE, prices=offer.prices("42.00", "25000"), throughput=offer.claim(124.0)),
    ]
)
scenarios = st.builds(
    OutlookScenario,
    catalog_version=st.just(1),
    at=st.just(offer.NOW),
    basis=st.sampled_from(Basis),
    price_eur=st.one_of(st.none(), positive),
    utilisation_ratio=st.integers(1, 100).map(lambda percent: Decimal(percent) / 100),
    hours_per_month_h=st.integers(1, 744).map(Decimal),
    traffic=st.sampled_from(TrafficBy),
    volume_tokens=st.integers(1, 10**11).map(Decimal),
    requests_count=st.integers(1, 10**8).map(Decimal),
    input_tokens=st.sampled_from([Decimal(0), Decimal(1500), Decimal(40_000)]),
    output_tokens=st.integers(1, 4000).map(Decimal),
    prefix_hit_ratio=st.sampled_from([Decimal(0), Decimal("0.4")]),
    response_cache_ratio=st.sampled_from([Decimal(0), Decimal("0.25")]),
    api_uplift_ratio=st.sampled_from([Decimal(0), Decimal("0.10")]),
    reference=st.sampled_from([api.code for api in offer.APIS]),
    usd_per_eur=st.one_of(st.none(), st.integers(50, 200).map(lambda cents: Decimal(cents) / 100)),
    operations_eur_per_month=st.one_of(st.just(Decimal(0)), positive),
    instances_per_set=st.sampled_from([None, 1, 3]),
)
