"""From an option to a quote: who may make one finds the way on every option that a calculator answers."""

import re
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests import pagetext

pytestmark = pytest.mark.django_db
CASES = (
    "",
    "use=index&load=none",
    "use=tune&load=none&model=Mistral-7B",
    "use=pretrain&load=none",
    "use=rag&users=2000",
)
INDEX = "use=index&load=none&docs=2000000&doc=4000"
INDEXED_FR = "2 M de documents font 8 Md de tokens en 18 M de morceaux"
INDEXED_EN = "2M documents make 8B tokens in 18M chunks"
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
    shown = seller.get(f"/fr/advice/?{INDEX}").content.decode()
    links = [unescape(link) for link in LINK.findall(shown)]
    assert len(links) == 1 and "sku=GPU-ENTERPRISE" in links[0] and "docs=2000000" in links[0]
    assert "2\u00a0M de documents de 4\u202f000 tokens" in shown
    data = {"name": "Ateliers Durand", "valid_until": "2027-01-15", "language": "fr", "vat_ratio": "20"}
    made = pagetext.words(seller.post(links[0], data, follow=True).content.decode())
    assert "1\u202f306,20" in shown and "1 306,20" in made


@pytest.mark.parametrize(
    ("language", "sold", "chunks", "told"),
    [
        ("fr", "les indexer sur GPU-ENTERPRISE coûte 1 306,20 € HT", "Morceaux à indexer 18 000 000", INDEXED_FR),
        ("en", "indexing them on GPU-ENTERPRISE costs €1,306.20 excl. VAT", "Chunks to embed 18,000,000", INDEXED_EN),
    ],
)
def test_the_quote_of_an_indexing_names_the_gpu_the_documents_and_the_chunks(
    seller: Client, language: str, sold: str, chunks: str, told: str
) -> None:
    link = next(unescape(found) for found in LINK.findall(seller.get(f"/fr/advice/?{INDEX}").content.decode()))
    data = {"name": "Ateliers Durand", "valid_until": "2027-01-15", "language": language, "vat_ratio": "20"}
    made = seller.post(link, data, follow=True)
    document = pagetext.words(str(made.context["document"]))
    assert told in document and sold in document and chunks in document
    assert "avec text-embedding" not in document and "with text-embedding" not in document


@pytest.mark.parametrize(("language", "words"), [("fr", "Pas de devis"), ("en", "No quote: we rent out GPUs")])
def test_an_api_has_no_quote_and_the_seller_reads_why(
    seller: Client, client: Client, language: str, words: str
) -> None:
    """Of the ways to index, all but one GPU are APIs; of the ways to serve 100 M tokens, some."""
    for query in (INDEX, "load=tokens&volume=100000000&range=small"):
        answer = seller.get(f"/{language}/advice/?{query}")
        page = answer.context["page"]
        lines = (*page.indexing, *page.options)
        unsold = [line for line in lines if not line.is_sold]
        assert unsold and pagetext.words(answer.content.decode()).count(words) == len(unsold)
        assert len(re.findall(f'href="/{language}/quotes/new/', answer.content.decode())) == len(lines) - len(unsold)


def test_a_visitor_reads_nothing_about_quotes(seeded: None, noon: Any) -> None:
    assert "Pas de devis" not in Client().get(f"/fr/advice/?{INDEX}").content.decode()
