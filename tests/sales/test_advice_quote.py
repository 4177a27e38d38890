"""From an option to a quote: who may make one finds the way on every option that a calculator answers."""

import re
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

pytestmark = pytest.mark.django_db
CASES = (
    "",
    "use=index&load=none",
    "use=tune&load=none&model=Mistral-7B",
    "use=pretrain&load=none",
    "use=rag&users=2000",
)
LINK = re.compile(r'href="(/fr/quotes/new/[^"]+)"')


@pytest.fixture
def seller(seeded: None, noon: Any, client: Client) -> Client:
    client.force_login(User.objects.create_superuser("seller", password="a-long-password"))
    return client


@pytest.mark.parametrize("query", CASES)
def test_every_option_leads_to_a_quote_of_its_scenario(seller: Client, query: str) -> None:
    links = [unescape(link) for link in LINK.findall(seller.get(f"/fr/advice/?{query}").content.decode())]
    assert links
    assert all(seller.get(link).status_code == 200 for link in (links[0], links[-1]))


def test_a_visitor_finds_no_way_to_a_quote(seeded: None, noon: Any, client: Client) -> None:
    assert not LINK.search(client.get("/fr/advice/").content.decode())


def test_every_option_leads_on_to_what_if_and_comparing(seeded: None, noon: Any, client: Client) -> None:
    shown = client.get("/fr/advice/").content.decode()
    for address in (r"/fr/outlook/\?[^\"]+", r"/fr/compare/\?add=economics[^\"]+"):
        found = re.search(f'href="({address})"', shown)
        assert found is not None
        assert client.get(unescape(found[1]), follow=True).status_code == 200


def test_indexing_is_quoted_at_the_advised_amount_and_only_on_a_gpu(seller: Client) -> None:
    """311 hours of GPU-ENTERPRISE at 4.20 €: 1 306.20 €; an embedding API is nothing that we sell."""
    shown = seller.get("/fr/advice/?use=index&load=none&docs=2000000&doc=4000").content.decode()
    links = [unescape(link) for link in LINK.findall(shown)]
    assert len(links) == 1 and "sku=GPU-ENTERPRISE" in links[0]
    assert "2\u00a0M de documents de 4\u202f000 tokens" in shown
    data = {"name": "Ateliers Durand", "valid_until": "2027-01-15", "language": "fr", "vat_ratio": "20"}
    made = seller.post(links[0], data, follow=True).content.decode()
    assert "1\u202f306,20" in shown and "1\u202f306,20" in made
