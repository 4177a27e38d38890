"""Codes of items are what their vendors write, slashes and signs included: every page that names one opens."""

import html
import re
from decimal import Decimal
from urllib.parse import urlsplit

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation

from tests import factories as make

CODES = (
    "openrouter/auto",
    "meta-llama/Llama-3.3-70B-Instruct:free",
    "a/b/c",
    "ends/",
    "a//b",
    "plus+sign",
    "at@sign",
    "dots..",
    "x" * 80,
)
PAGES = ("home", "prices", "tokens", "api", "economics", "compare", "advice", "outlook", "methodology")

pytestmark = pytest.mark.usefixtures("seeded")


def links_to(page: str, code: str) -> list[str]:
    """Addresses of links in a page whose words are the code."""
    found = re.findall(r'<a [^>]*?href="([^"]+)"[^>]*>([^<]*)', page)
    return [html.unescape(href) for href, words in found if html.unescape(words).strip() == code]


@pytest.mark.parametrize("language", ["fr", "en"])
def test_models_of_any_name_are_on_every_page_that_lists_them(client: Client, language: str) -> None:
    for code in CODES:
        make.make_rates(make.make_api(code), "2.00", "0.20", "8.00")
    with translation.override(language):
        for name in PAGES:
            assert client.get(reverse(name)).status_code == 200, name
        page = client.get(reverse("prices")).text
    for code in CODES:
        assert len(links_to(page, code)) == 1, code


@pytest.mark.parametrize("kind", ["api", "sku"])
def test_history_examples_and_interface_of_any_name_answer(client: Client, kind: str) -> None:
    for code in CODES:
        if kind == "api":
            make.make_rates(make.make_api(code), "2.00", "0.20", "8.00")
        else:
            make.make_price(make.make_sku(code), "instance_hour", "1.50")
    for code in CODES:
        for name in ("price-history", "api-request", "api-price-history"):
            address = reverse(name, args=[kind, code])
            assert not urlsplit(address).query and not urlsplit(address).fragment
            answer = client.get(address)
            assert answer.status_code == 200, (name, address)
            assert code in html.unescape(answer.json()["code"] if "api/v1" in address else answer.text)


@pytest.mark.parametrize("code", CODES)
def test_a_link_keeps_the_name_of_its_api(client: Client, code: str) -> None:
    make.make_rates(make.make_api(code), "2.00", "0.20", "8.00")
    found = client.get("/fr/economics.json", {"api": code, "ref": code, "volume": "1000000"}).json()
    assert [row["code"] for row in found["apis"]] == [code]
    assert found["scenario"]["ref"] == code
    # Ten times 100 000 output tokens at 8.00 a million.
    assert Decimal(found["apis"][0]["bill"]["usd"]) == 8
