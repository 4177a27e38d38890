"""The latency column of the price page: the newest measurement of each region beside the vendor's claim."""

import datetime as dt

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation

from calculator import published
from calculator.listing import latencies
from calculator.models import ApiLatency, CatalogItem
from tests import factories as make
from tests.factories import NOW

HOUR = dt.timedelta(hours=1)


@pytest.fixture
def api(catalogue: None, noon: dt.datetime) -> CatalogItem:
    """An API without a claim of its own."""
    return CatalogItem.objects.get(code="gpt-5.4")


def lines(language: str = "fr") -> dict[str, tuple[latencies.LatencyLine, ...]]:
    with translation.override(language):
        return latencies.by_code(published.latencies(NOW))


def test_a_measurement_says_where_when_and_at_which_lengths(api: CatalogItem) -> None:
    make.make_latency(api, input_tokens=1000, output_tokens=200, requests_count=64, tpot_p50_ms=12.345)
    (line,) = lines()["gpt-5.4"]
    assert line.text == "210\u00a0ms, p95 480\u00a0ms"
    # Noon in UTC is one o'clock in Paris in November.
    assert line.detail == "eu-west-3, le 30/11/2026 à 13:00"
    assert "64 réponses" in line.note and "1\u202f000 tokens" in line.note and "12,3\u00a0ms" in line.note
    assert (line.run, str(line.badge.kind if line.badge else "")) == ("2026-0007", "measured")


def test_the_newest_of_each_region_stands_and_a_withdrawn_one_does_not(api: CatalogItem) -> None:
    make.make_latency(api, published_at=NOW - 3 * HOUR, run="2026-0001")
    make.make_latency(api, published_at=NOW - 2 * HOUR, run="2026-0002")
    make.make_latency(api, published_at=NOW - 2 * HOUR, run="2026-0003", region="us-east-1")
    make.make_latency(api, published_at=NOW - HOUR, run="2026-0004", withdrawn_at=NOW - HOUR / 2)
    make.make_latency(api, published_at=NOW + HOUR, run="2026-0005")
    assert {line.run for line in lines()["gpt-5.4"]} == {"2026-0002", "2026-0003"}


def test_an_old_link_sees_what_stood_then(api: CatalogItem) -> None:
    make.make_latency(api, published_at=NOW - 2 * HOUR, withdrawn_at=NOW - HOUR)
    assert "gpt-5.4" not in lines()
    then = published.latencies(NOW - 1.5 * HOUR)
    assert then["gpt-5.4"].measured[0].run == "2026-0007"


def test_a_claim_is_shown_as_one_with_what_it_leaves_open(api: CatalogItem) -> None:
    (line,) = lines()["gpt-4.1"]
    assert (line.text, line.detail) == ("environ 150\u00a0ms", "annonce du 01/03/2026")
    assert "non précisés" in line.note and line.run == ""
    assert lines()["gemini-2.5-flash"][0].text == "environ 80\u00a0ms"
    (english,) = lines("en")["gpt-4.1"]
    assert "not stated" in english.note and english.text == "about 150\u00a0ms"


def test_measurement_and_claim_stand_side_by_side_on_the_page(api: CatalogItem, client: Client) -> None:
    ApiLatency.objects.create(
        item=CatalogItem.objects.get(code="gpt-4.1"),
        kind="measured", region="eu-west-3", measured_at=NOW, as_of=NOW.date(), ttft_p50_ms=912.0, ttft_p95_ms=1700.0,
        run="2026-0009", published_at=NOW,
    )  # fmt: skip
    page = client.get(reverse("prices"), {"retired": "1"}).text
    row = page[page.index("/gpt-4.1") :].partition("</tr>")[0]
    assert row.index("912\u00a0ms") < row.index("environ 150\u00a0ms")
    assert "runs/2026-0009" in row and "annoncé" in row
    assert "non mesuré" in page


def test_what_nobody_measured_is_said_in_words() -> None:
    assert latencies.ms(None) == "inconnu"
