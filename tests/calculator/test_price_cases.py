"""The price cases as a visitor meets them: a link goes in, and the page and its JSON hold the right figure."""

import datetime as dt
import re
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.utils.html import strip_tags

from calculator.models import FxRate
from tests import factories as make

pytestmark = pytest.mark.usefixtures("seeded")
NOON = "at=2026-11-30T12:00:00Z"
NARROW, NBSP = "\u202f", "\u00a0"


def answer(client: Client, query: str) -> dict[str, Any]:
    response = client.get(f"/fr/economics.json?{query}")
    assert response.status_code == 200
    found: dict[str, Any] = response.json()
    return found


def api(found: dict[str, Any], code: str) -> dict[str, Any]:
    bill: dict[str, Any] = next(row for row in found["apis"] if row["code"] == code)["bill"]
    return bill


def usd(client: Client, code: str, query: str, at: str = NOON) -> Decimal | None:
    """What the requests of `query` cost on one API."""
    bill = api(answer(client, f"{at}&api={code}&ref={code}&traffic=requests&{query}"), code)
    return None if bill["usd"] is None else Decimal(bill["usd"])


def cents(amount: str) -> Decimal:
    return Decimal(amount).quantize(Decimal("0.01"), rounding="ROUND_HALF_UP")


def text(client: Client, query: str, language: str = "fr") -> str:
    """The page's words; narrow and plain no-break spaces are kept, tags and line ends are one space."""
    shown = client.get(f"/{language}/economics?{query}").content.decode()
    return re.sub(r"[ \t\n]+", " ", strip_tags(re.sub(r"<script.*?</script>", " ", shown, flags=re.DOTALL)))


def test_p25_a_link_takes_the_price_of_its_own_instant(client: Client) -> None:
    item = make.make_api("dated")
    make.make_price(item, "output", "7.50", valid_from=dt.datetime(2026, 1, 1, tzinfo=dt.UTC))
    make.make_price(item, "output", "4.60", valid_from=dt.datetime(2026, 2, 1, tzinfo=dt.UTC))
    instants = ("2026-01-15T12:00:00Z", "2026-02-15T12:00:00Z", "2025-12-31T12:00:00Z")
    found = [usd(client, "dated", "requests=1&in=0&out=1000000", f"at={instant}") for instant in instants]
    assert found == [Decimal("7.50"), Decimal("4.60"), None]


def test_p33_a_typed_price_for_eight_gpus_is_the_machines(client: Client) -> None:
    """42.00 ÷ (8 × 124 × 3 600 × 0.65 ÷ 10⁶) = 18.09; 144.75 forgets the eight, 2.26 counts them twice."""
    found = answer(client, f"{NOON}&sku=GPU-SUPERCOMPUTE&basis=hour&price=42&rate=124")
    assert cents(found["eur_per_mtok"]["hour"]["full_use"]) == Decimal("18.09")
    assert found["gpu"]["hour"]["bill_eur"] == "30240"  # 720 h × 42.00


def test_p35_the_cached_share_of_a_link_is_not_billed_as_input_too(client: Client) -> None:
    """20 000 in, 90 % cached: 2 000 × 2.50 + 18 000 × 0.25 + 500 × 15.00, per million."""
    assert usd(client, "gpt-5.4", "requests=1&in=20000&hit=0.9&out=500") == Decimal("0.017")


@pytest.mark.parametrize(("ttl", "right"), [("5m", "0.01700"), ("1h", "0.02375")])
def test_p36_the_written_share_of_a_link_is_not_billed_as_input_too(client: Client, ttl: str, right: str) -> None:
    """12 000 in, 75 % written: 3 000 × 1.00 + 9 000 × 1.25 (or 2.00) + 550 × 5.00, per million."""
    found = usd(client, "claude-haiku-4-5", f"requests=1&in=12000&write=0.75&ttl={ttl}&out=550")
    assert found == Decimal(right)


def test_p38_a_tier_of_the_catalogue_is_a_step(client: Client) -> None:
    """300 000 × 6.00 + 1 000 × 22.50, per million."""
    item = make.make_api("two-tiers")
    make.make_rates(item, "3.00", "0.30", "15.00")
    make.make_rates(item, "6.00", "0.60", "22.50", context_over=200_000)
    assert usd(client, "two-tiers", "requests=1&in=300000&out=1000") == Decimal("1.8225")


@pytest.mark.parametrize(
    ("query", "right"),
    [
        ("requests=1000&in=100000&out=10000", "400"),
        ("requests=1&in=250000&out=1000", "0.640"),
        ("requests=1&in=272000&out=1000", "0.695"),
        ("requests=1&in=272001&out=1000", "1.382505"),
    ],
)
def test_p39_p40_the_tier_is_chosen_per_request_above_the_vendors_threshold(
    client: Client, query: str, right: str
) -> None:
    assert usd(client, "gpt-5.4", query) == Decimal(right)


@pytest.mark.parametrize(
    ("query", "mode", "dollars", "euros"),
    [("", "standard", "1500", "1342.64"), ("&mode=batch", "batch", "750", "671.32")],
)
def test_p41_the_comparator_is_standard_unless_batch_is_asked_for_and_says_which(
    client: Client, query: str, mode: str, dollars: str, euros: str
) -> None:
    bill = api(answer(client, NOON + query), "gpt-5.4")
    assert (bill["mode"], bill["usd"], cents(bill["eur"])) == (mode, dollars, Decimal(euros))
    assert f"API au tarif {mode}" in text(client, NOON + query)


def test_p44_without_a_rate_a_page_shows_dollars_no_euros_and_no_line(client: Client) -> None:
    FxRate.objects.update(voided_in_version=make.make_version(), void_reason="test")
    query = f"{NOON}&volume=1000000&api=gpt-5.4"
    shown = text(client, query)
    assert f"15,00{NBSP}$, taux indisponible" in shown
    assert f"15,00{NBSP}€" not in shown
    assert "plot-data" not in client.get(f"/fr/economics?{query}").content.decode()
    assert api(answer(client, query), "gpt-5.4")["eur"] is None


def test_p45_on_a_saturday_the_page_converts_at_fridays_rate_and_dates_it(client: Client) -> None:
    query = "at=2026-10-03T12:00:00Z&volume=1000000&api=gpt-5.4&price=830.64&rate=64"
    assert cents(api(answer(client, query), "gpt-5.4")["eur"]) == Decimal("13.36")
    assert f"1{NBSP}€ = 1,1225{NBSP}$ (BCE, 02/10/2026)" in text(client, query)


def test_p47_a_saving_is_the_difference_of_two_amounts_in_euros(client: Client) -> None:
    """830.64 € against 750 $ = 671.3212 €: 159.3188 € a month too much, 1 911.83 € a year; never 80.64 × 12."""
    years = {row["code"]: row for row in answer(client, f"{NOON}&mode=batch")["years"]}
    assert cents(years["gpu"]["saving_year_eur"]) == Decimal("-1911.83")


@pytest.mark.parametrize(("language", "shown"), [("fr", f"2{NARROW}953,13{NBSP}€ HT/mois"), ("en", "€2,953.13 /month")])
def test_p48_a_half_cent_is_shown_rounded_up(client: Client, language: str, shown: str) -> None:
    """830.64 + 2 122.485 = 2 953.125."""
    query = f"{NOON}&storage=2122.485"
    assert answer(client, query)["gpu"]["month"]["total_eur"] == "2953.125"
    assert shown in text(client, query, language)


@pytest.mark.parametrize(
    ("query", "count", "gross"),
    [("volume=300000000", 3, "2990.30"), ("volume=2000000000&price=103.93&vat=0.23", 19, "2428.84")],
)
def test_p49_tax_is_added_once_on_the_sum_of_all_instances(client: Client, query: str, count: int, gross: str) -> None:
    bill = answer(client, f"{NOON}&{query}")["gpu"]["month"]
    assert (bill["instances"], Decimal(bill["total_ttc_eur"])) == (count, Decimal(gross))
