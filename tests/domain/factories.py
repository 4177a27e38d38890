"""Facts of the offer as domain objects, for tests that need no database. Amounts are those of the price list."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal

from calculator.domain.offers import ApiModel, Basis, EconomicsFacts, Mode, Rates, Sku, Throughput
from calculator.domain.provenance import Kind, Sourced
from calculator.domain.scenario import EconomicsScenario

NOW = dt.datetime(2026, 11, 30, 12, 0, tzinfo=dt.UTC)
TODAY = NOW.date()
RATE_DAY = dt.date(2026, 10, 30)
ECB = Decimal("1.1172")


def usd(amount: str | None) -> Sourced[Decimal] | None:
    """A list price per million tokens; None = not sold."""
    if amount is None:
        return None
    return Sourced(Decimal(amount), "USD/Mtok", Kind.LIST_PRICE, "api_rate", "https://vendor.example/prices", TODAY)


def rates(
    input_: str | None = None,
    cache_read: str | None = None,
    output: str | None = None,
    *,
    over: int = 0,
    write_5m: str | None = None,
    write_1h: str | None = None,
) -> Rates:
    """One tier of an API's rates, amounts as text."""
    return Rates(over, usd(input_), usd(cache_read), usd(write_5m), usd(write_1h), usd(output))


def api(code: str, *standard: Rates, batch: tuple[Rates, ...] = (), **fields: object) -> ApiModel:
    """An API with its standard tiers and, where given, its batch tiers."""
    modes: dict[Mode, tuple[Rates, ...]] = {Mode.STANDARD: standard}
    if batch:
        modes[Mode.BATCH] = batch
    return replace(ApiModel(code, code, "vendor", modes), **fields)  # type: ignore[arg-type]


GPT_54 = api(
    "gpt-5.4",
    rates("2.50", "0.25", "15.00"),
    rates("5.00", "0.50", "22.50", over=272_000),
    batch=(rates("1.25", "0.13", "7.50"),),
)
GPT_54_MINI = api("gpt-5.4-mini", rates("0.75", "0.075", "4.50"), batch=(rates("0.375", "0.0375", "2.25"),))
HAIKU = api(
    "claude-haiku-4-5",
    rates("1.00", "0.10", "5.00", write_5m="1.25", write_1h="2.00"),
    batch=(rates("0.50", None, "2.50"),),
)
SONNET = api(
    "claude-sonnet-4-6",
    rates("3.00", "0.30", "15.00", write_5m="3.75", write_1h="6.00"),
    batch=(rates("1.50", None, "7.50"),),
)
MISTRAL_SMALL = api("mistral-small-2603", rates("0.15", "0.015", "0.60"), batch=(rates("0.075", None, "0.30"),))
APIS = (MISTRAL_SMALL, GPT_54_MINI, HAIKU, GPT_54, SONNET)


def flat_api(usd_per_mtok: str, code: str = "gpt-5.4") -> ApiModel:
    """An API that bills output only, at one price."""
    return api(code, rates("0.01", "0.01", usd_per_mtok))


def claim(tok_per_s: float, **fields: object) -> Throughput:
    """A published single-stream rate, conditions unstated."""
    rate = Sourced(tok_per_s, "tok/s", Kind.CLAIM, "single_stream_rate")
    return replace(Throughput(rate, single_stream=True, figure_id=1), **fields)  # type: ignore[arg-type]


def prices(hour: str | None = None, month: str | None = None) -> Mapping[Basis, Sourced[Decimal]]:
    """List prices of an instance, EUR without VAT."""
    found = {}
    if hour is not None:
        found[Basis.HOUR] = Sourced(Decimal(hour), "EUR/hour", Kind.LIST_PRICE, "sku_price_hour")
    if month is not None:
        found[Basis.MONTH] = Sourced(Decimal(month), "EUR/month", Kind.LIST_PRICE, "sku_price_month")
    return found


STARTER = Sku("GPU-STARTER", "GPU-STARTER", "T4", 1, 16.0, prices("0.85"), claim(22.0))
PRO = Sku("GPU-PRO", "GPU-PRO", "RTX 4090", 1, 24.0, prices("1.50", "830.64"), claim(64.0))
ENTERPRISE = Sku("GPU-ENTERPRISE", "GPU-ENTERPRISE", "A100-SXM-40GB", 1, 40.0, prices("4.20"), claim(96.0))
TITAN = Sku("GPU-TITAN", "GPU-TITAN", "A100-SXM-80GB", 1, 80.0, prices("5.40"), claim(124.0))
SUPERCOMPUTE = Sku("GPU-SUPERCOMPUTE", "GPU-SUPERCOMPUTE", "A100-SXM-80GB", 8, 640.0)
SKUS = (STARTER, PRO, ENTERPRISE, TITAN, SUPERCOMPUTE)

ECB_RATE = Sourced(ECB, "USD/EUR", Kind.LIST_PRICE, "ecb_rate", "ECB", RATE_DAY)


def facts(**fields: object) -> EconomicsFacts:
    """The whole catalogue around GPU-PRO, with the ECB rate of 30 October 2026."""
    base = EconomicsFacts(
        catalog_version=1, catalog_date=TODAY, at=NOW, sku=PRO, skus=SKUS, apis=APIS, usd_per_eur=ECB_RATE, day=TODAY
    )
    return replace(base, **fields)  # type: ignore[arg-type]


def scenario(**fields: object) -> EconomicsScenario:
    """The default scenario with the given fields changed."""
    return replace(EconomicsScenario(catalog_version=1, at=NOW), **fields)  # type: ignore[arg-type]


def rate_of(usd_per_eur: str) -> Sourced[Decimal]:
    """An exchange rate of one's own."""
    return replace(ECB_RATE, value=Decimal(usd_per_eur))
