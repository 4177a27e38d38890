"""Embedding models: seeded with their source, sold by the input, and never among the models that write."""

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from genai_prices import Usage, calc_price
from pytest_django import DjangoDbBlocker

from calculator import catalog, seeding
from calculator.domain.offers import ApiModel, Mode
from calculator.domain.provenance import Kind
from calculator.models import CatalogItem

NOW = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)
PROVIDERS = {"Mistral": "mistral", "OpenAI": "openai", "Cohere": "cohere", "Google": "google"}

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module", autouse=True)
def as_seeded(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The catalogue as seeded, loaded once for all tests of this module and taken back after them."""
    with django_db_blocker.unblock(), transaction.atomic():
        seeding.seed()
        yield
        transaction.set_rollback(True)


def embeddings(at: dt.datetime = NOW) -> tuple[ApiModel, ...]:
    return catalog.embedding_choices(1, at)


def test_each_embedding_price_is_the_librarys_at_its_instant() -> None:
    assert len(embeddings()) == 5
    for model in embeddings():
        ((mode, (rates,)),) = model.modes.items()
        found = calc_price(
            Usage(input_tokens=1), model.code, provider_id=PROVIDERS[model.provider], genai_request_timestamp=NOW
        )
        assert mode is Mode.STANDARD and rates.input is not None
        assert rates.input.value == found.model_price.input_mtok
        assert rates.input.kind is Kind.LIST_PRICE and rates.input.reference.startswith("https://")
        assert rates.output is None


def test_the_cheapest_and_the_dearest_embedding_are_the_known_ones() -> None:
    prices = {model.code: model.modes[Mode.STANDARD][0].input for model in embeddings()}
    assert prices["text-embedding-3-small"] is not None and prices["gemini-embedding-001"] is not None
    assert prices["text-embedding-3-small"].value == Decimal("0.02")
    assert prices["gemini-embedding-001"].value == Decimal("0.15")


def test_an_embedding_model_has_no_price_before_its_release() -> None:
    early = {model.code: model.modes for model in embeddings(dt.datetime(2024, 6, 1, tzinfo=dt.UTC))}
    assert early["text-embedding-3-small"] and not early["embed-v4.0"]


def test_embedding_models_are_no_apis_to_compare_and_keep_their_own_history() -> None:
    chat = {api.code for api in catalog.api_choices(1, NOW, include_retired=True)}
    assert not chat & {model.code for model in embeddings()}
    with pytest.raises(catalog.NotFound):
        catalog.canonical_code("api", "mistral-embed", 1, NOW)
    assert catalog.canonical_code("embedding", "MISTRAL-EMBED", 1, NOW) == "mistral-embed"
    (point,) = catalog.price_history("embedding", "mistral-embed", 1, NOW)
    assert (point.component, point.amount, point.in_force) == ("input", Decimal("0.1"), True)


def test_the_history_of_an_embedding_price_has_its_page(client: Client) -> None:
    page = client.get("/fr/prices/embedding/embed-v4.0/")
    assert page.status_code == 200
    assert "0,12" in page.content.decode()


def test_a_gpu_still_counts_its_gpus() -> None:
    version = catalog.versions()[0]
    with pytest.raises(IntegrityError), transaction.atomic():
        CatalogItem.objects.create(kind="gpu_sku", code="X", provider="V", catalog_version=version)
