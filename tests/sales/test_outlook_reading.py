"""What an outlook reads beside the prices: ten years of exchange rates, bands, latencies; how its link is written."""

import datetime as dt
from decimal import Decimal

import pytest
from django.http import QueryDict
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from calculator import catalog, permalinks
from calculator.domain.provenance import Kind
from calculator.models import ApiLatency, CatalogItem
from calculator.permalinks import economics
from sales.domain.outlook import SAID, OutlookScenario
from sales.outlook import notation, reading
from sales.outlook.forms import OutlookForm
from sales.outlook.tool import TOOL
from tests.domain import factories as offer
from tests.sales import outlookfactory as case


class TestExchangeRates:
    def test_ten_calendar_years_end_with_that_of_the_day(self) -> None:
        """2017 to 2026: 0.9565 on 28 September 2022, 1.2493 on 15 February 2018."""
        found = reading.fx_range(dt.date(2026, 11, 30))
        assert found is not None
        assert (found.low.value, found.low.date) == (Decimal("0.9565"), dt.date(2022, 9, 28))
        assert (found.high.value, found.high.date) == (Decimal("1.2493"), dt.date(2018, 2, 15))
        assert found.low.kind is Kind.LIST_PRICE
        assert found.low.reference.startswith("https://www.ecb.europa.eu/")

    def test_a_day_before_the_low_does_not_know_it(self) -> None:
        found = reading.fx_range(dt.date(2021, 6, 1))
        assert found is not None
        assert found.low.value == Decimal("1.0364")

    def test_a_day_out_of_reach_has_no_range(self) -> None:
        assert reading.fx_range(dt.date(2099, 1, 1)) is None
        assert reading.fx_range(dt.date(2010, 1, 1)) is None

    def test_each_year_holds_its_own_days(self) -> None:
        years = reading.fx_years()
        assert set(years) == set(range(2016, 2027))
        for number, year in years.items():
            assert year.low.value <= year.high.value
            assert year.low.date is not None and year.high.date is not None
            assert (year.low.date.year, year.high.date.year) == (number, number)


@pytest.mark.django_db
@pytest.mark.usefixtures("noon", "catalogue")
class TestCatalogue:
    def test_the_card_the_band_and_the_rates_of_the_default_offer(self) -> None:
        prices = catalog.for_economics(catalog.default_scenario())
        found = reading.facts(prices, "gpt-5.4")
        assert found.gpu is not None
        assert (found.gpu.name, found.gpu.tdp_w) == ("RTX 4090", 450)
        assert found.model is None
        assert found.rate_band is not None
        assert 0 < found.rate_band.low_ratio < 1 < found.rate_band.high_ratio
        assert found.fx is not None

    def test_a_claimed_latency_decides_nothing(self) -> None:
        """gpt-4.1 is claimed at 150 ms by a reseller."""
        assert reading.first_token("gpt-4.1", offer.NOW) is None

    def test_the_shortest_measured_latency_counts(self) -> None:
        item = CatalogItem.objects.get(code="gpt-5.4")
        for region, milliseconds in (("eu", 240.0), ("us", 310.0)):
            ApiLatency.objects.create(
                item=item,
                kind=ApiLatency.Kind.MEASURED,
                as_of=offer.NOW.date(),
                region=region,
                measured_at=offer.NOW - dt.timedelta(days=1),
                ttft_p50_ms=milliseconds,
                ttft_p95_ms=milliseconds * 2,
                requests_count=40,
                run="run-1",
                published_at=offer.NOW - dt.timedelta(hours=1),
            )
        found = reading.first_token("gpt-5.4", offer.NOW)
        assert found is not None
        assert (found.value, found.kind, found.reference) == (240.0, Kind.MEASURED, "run-1")


ratios = st.integers(1, 95).map(lambda percent: Decimal(percent) / 100)
amounts = st.integers(1, 10**6).map(lambda cents: Decimal(cents) / 100)
outlooks = st.builds(
    OutlookScenario,
    catalog_version=st.just(1),
    at=st.just(offer.NOW),
    said=st.lists(st.sampled_from(SAID), unique=True).map(tuple),
    latency_ms=st.one_of(st.none(), amounts.filter(lambda value: value >= 1)),
    growth_ratio=ratios,
    target_tokens=st.one_of(st.none(), st.integers(1, 10**12).map(Decimal)),
    utilisation_low_ratio=ratios,
    utilisation_high_ratio=ratios,
    price_span_ratio=ratios,
    rate_low_ratio=st.one_of(st.none(), ratios),
    usd_per_eur_low=st.one_of(st.none(), st.just(Decimal("1.05"))),
    floor_eur=st.one_of(st.none(), amounts),
    year_eur_per_month=st.one_of(st.none(), amounts),
    pue_ratio=st.one_of(st.none(), st.just(Decimal("1.25"))),
    grid_g_per_kwh=st.one_of(st.none(), amounts.filter(lambda value: value <= 2000)),
)


@given(asked=outlooks)
def test_what_is_written_reads_back_as_itself(asked: OutlookScenario) -> None:
    base = OutlookScenario(catalog_version=9, at=offer.NOW)
    again = permalinks.read(QueryDict(permalinks.write(asked)), base)
    assert again.scenario == asked
    assert again.defaults == again.unknown == ()


@given(asked=outlooks)
def test_the_way_back_holds_every_key_of_the_economics_and_no_other(asked: OutlookScenario) -> None:
    query = QueryDict(notation.economics_query(asked))
    assert set(query) - {"v"} <= {key.name for key in economics.KEYS}
    assert query["volume"] == "100000000"


def test_the_keys_of_the_economics_come_first_and_are_the_same() -> None:
    assert notation.KEYS[: len(economics.KEYS)] == economics.KEYS
    own = [key.name for key in notation.OWN]
    assert not set(own) & {key.name for key in economics.KEYS}


def test_every_key_of_the_link_has_its_field_but_the_state_of_the_catalogue_and_the_model() -> None:
    assert {key.name for key in notation.KEYS} - set(OutlookForm.names()) == {"catalog", "at", "model"}
    assert len(set(OutlookForm.names())) == len(OutlookForm.names())


def test_every_field_of_a_number_has_words_and_limits() -> None:
    with translation.override("fr"):
        for name, spec in OutlookForm.NUMBERS.items():
            assert str(spec.label), name
            assert spec.quantity.limits.low < spec.quantity.limits.high, name


def test_the_tool_names_itself_and_leads_nowhere_else() -> None:
    assert TOOL.name == "outlook"
    assert TOOL.form is OutlookForm
    assert TOOL.notation is permalinks.by_type(OutlookScenario)
    assert case.scenario().reference == "gpt-5.4"
