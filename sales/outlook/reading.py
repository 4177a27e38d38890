"""What an outlook reads beside the catalogue's prices: the card's data sheet, bands, exchange rates of ten years."""

import datetime as dt
import json
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any

from django.conf import settings

from calculator import published, sheets
from calculator.calibrated import calibration
from calculator.domain.offers import EconomicsFacts
from calculator.domain.provenance import Kind, Sourced
from sales.domain.outlook import FxRange, OutlookFacts

YEARS = 10
RATES_FILE = "fx_years.json"
RATE_BAND = "total_output_tok_s||"
"""The band over every engine and precision: a throughput of the catalogue names neither."""


@dataclass(frozen=True, slots=True)
class FxYear:
    """The lowest and the highest reference rate of a year."""

    low: Sourced[Decimal]
    high: Sourced[Decimal]


def _rate(value: str, day: str, source: str) -> Sourced[Decimal]:
    on = dt.date.fromisoformat(day)
    return Sourced(Decimal(value), "USD/EUR", Kind.LIST_PRICE, "usd_per_eur", reference=source, date=on)


@lru_cache(maxsize=1)
def fx_years() -> dict[int, FxYear]:
    """Each year's extremes, from fixtures/fx_years.json."""
    record: dict[str, Any] = json.loads((settings.BASE_DIR / "fixtures" / RATES_FILE).read_text(encoding="utf-8"))
    source = record["source_url"]
    return {
        row["year"]: FxYear(_rate(row["low"], row["low_on"], source), _rate(row["high"], row["high_on"], source))
        for row in record["years"]
    }


def fx_range(day: dt.date) -> FxRange | None:
    """Lowest and highest rate of the ten calendar years that end with that of `day`; None where none is known."""
    known = [year for number, year in fx_years().items() if day.year - YEARS < number <= day.year]
    if not known:
        return None
    return FxRange(
        min((year.low for year in known), key=lambda rate: rate.value),
        max((year.high for year in known), key=lambda rate: rate.value),
    )


def first_token(code: str, at: dt.datetime) -> Sourced[float] | None:
    """The median first token our runs measured of an API; of several regions the shortest. Claims decide nothing."""
    known = published.latencies(at).get(code)
    if known is None or not known.measured:
        return None
    best = min(known.measured, key=lambda one: one.ttft_p50_ms)
    return Sourced(
        best.ttft_p50_ms, "ms", Kind.MEASURED, "first_token", reference=best.run, date=best.measured_at.date()
    )


def facts(prices: EconomicsFacts, reference: str) -> OutlookFacts:
    """Everything that an outlook of these prices may use."""
    throughput = prices.sku.throughput
    return OutlookFacts(
        prices=prices,
        gpu=sheets.gpu(prices.sku.gpu) if prices.sku.gpu else None,
        model=sheets.language_model(throughput.model) if throughput and throughput.model else None,
        rate_band=calibration().bands.get(RATE_BAND),
        fx=fx_range(prices.day),
        api_first_token_ms=first_token(reference, prices.at),
    )
