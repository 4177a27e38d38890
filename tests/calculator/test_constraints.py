"""What the database refuses, whichever it is, when somebody writes past every form and parser."""

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import models

from calculator.models import (
    CatalogItem,
    EstimateSnapshot,
    Gpu,
    ItemAlias,
    PriceRow,
)
from tests import factories as make
from tests.append_only import refused

pytestmark = pytest.mark.django_db


@pytest.fixture
def sku() -> CatalogItem:
    return make.make_sku()


@pytest.fixture
def api() -> CatalogItem:
    return make.make_api()


# --- amounts


@pytest.mark.parametrize(
    "text",
    [
        "999999.999999999",
        "0.000000001",
        "0.0028",
        "0.003625",
        "35000.00",
        "830.64",
        "123456.789012345",
        "0.1",
        "100000",
    ],
)
def test_p34_an_amount_of_fifteen_digits_comes_back_exactly(api: CatalogItem, text: str) -> None:
    row = make.make_price(api, "cache_read", text)
    assert PriceRow.objects.get(pk=row.pk).amount == Decimal(text)


def test_p34_twenty_million_cached_tokens_at_a_small_price_cost_what_they_should(api: CatalogItem) -> None:
    make.make_price(api, "cache_read", "0.0028")
    amount = PriceRow.objects.get().amount
    assert amount is not None
    assert amount * 20 == Decimal("0.056")


def test_an_amount_of_seven_integer_digits_is_refused(api: CatalogItem) -> None:
    refused(PriceRow.objects.bulk_create, [PriceRow(**stored_price(api, amount=1_000_000))])


def stored_price(item: CatalogItem, **values: Any) -> dict[str, Any]:
    return {
        **make.price_values(item, "input", "1.00"),
        "catalog_version": make.newest_version(),
        **values,
    }


@pytest.mark.parametrize("text", ["1000000", "0.0000000001", "1.1234567891", "12345678.9"])
def test_an_amount_that_does_not_fit_is_refused_before_it_is_rounded(api: CatalogItem, text: str) -> None:
    with pytest.raises(ValidationError):
        PriceRow(**stored_price(api, amount=Decimal(text))).clean_fields()


@pytest.mark.parametrize(
    ("kind", "amount"),
    [
        ("price", "0"),
        ("price", "-1"),
        ("price", None),
        ("free", "0.01"),
        ("free", None),
        ("withdrawn", "1.00"),
        ("withdrawn", "0"),
        ("promise", "1.00"),
    ],
)
def test_an_amount_that_contradicts_its_kind_is_refused(api: CatalogItem, kind: str, amount: str | None) -> None:
    refused(make.make_price, api, "input", amount, kind=kind)


@pytest.mark.parametrize(("kind", "amount"), [("price", "0.000000001"), ("free", "0"), ("withdrawn", None)])
def test_an_amount_that_agrees_with_its_kind_is_taken(api: CatalogItem, kind: str, amount: str | None) -> None:
    assert make.make_price(api, "input", amount, kind=kind).pk


# --- units, modes, currencies


@pytest.mark.parametrize(
    ("component", "unit", "mode"),
    [
        ("input", "token", "standard"),
        ("input", "instance_hour", "standard"),
        ("output", "", "standard"),
        ("cache_write_5m", "ktok", "standard"),
        ("request", "mtok", "standard"),
        ("image", "mtok", "batch"),
        ("instance_hour", "mtok", "on_demand"),
        ("instance_month", "instance_hour", "reserved"),
        ("gpu_hour", "instance_hour", "on_demand"),
    ],
)
def test_a_component_has_exactly_one_unit(api: CatalogItem, component: str, unit: str, mode: str) -> None:
    refused(make.make_price, api, component, "1.00", unit=unit, mode=mode)


@pytest.mark.parametrize(
    ("component", "unit"),
    [
        ("input", "mtok"),
        ("output", "mtok"),
        ("cache_read", "mtok"),
        ("cache_write_5m", "mtok"),
        ("cache_write_1h", "mtok"),
        ("audio_in", "mtok"),
        ("image", "image"),
        ("request", "request"),
    ],
)
def test_each_component_of_an_api_is_taken_in_its_unit(api: CatalogItem, component: str, unit: str) -> None:
    assert make.make_price(api, component, "1.00", unit=unit).pk


@pytest.mark.parametrize(
    ("component", "mode"),
    [("input", "on_demand"), ("output", "spot"), ("instance_hour", "batch"), ("instance_month", "standard")],
)
def test_a_machine_and_a_token_are_sold_in_modes_of_their_own(
    sku: CatalogItem, api: CatalogItem, component: str, mode: str
) -> None:
    refused(make.make_price, sku if component.startswith("instance") else api, component, "1.00", mode=mode)


@pytest.mark.parametrize("currency", ["eur", "Eur", "EU", "", "E1R", "€", "ÉUR"])
def test_a_currency_is_three_capital_letters(sku: CatalogItem, currency: str) -> None:
    refused(make.make_price, sku, "instance_hour", "1.50", currency=currency)


def test_a_price_is_without_tax(sku: CatalogItem) -> None:
    refused(make.make_price, sku, "instance_hour", "1.50", tax_basis="TTC")


# --- one price a start


@pytest.mark.parametrize(
    "other",
    [
        {"mode": "batch"},
        {"context_over": 272_000},
        {"region": "eu-west"},
        {"window": "peak"},
        {"currency": "EUR"},
        {"valid_from": make.START + dt.timedelta(seconds=1)},
    ],
)
def test_two_prices_may_share_a_start_only_when_their_conditions_differ(
    api: CatalogItem, other: dict[str, Any]
) -> None:
    make.make_price(api, "input", "2.50")
    refused(make.make_price, api, "input", "2.60")
    assert make.make_price(api, "input", "2.60", **other).pk


# --- items, aliases, sheets, snapshots


def test_a_code_is_unique_in_any_case_within_its_kind() -> None:
    make.make_sku("GPU-PRO")
    refused(make.make_sku, "gpu-pro")
    assert make.make_api("gpu-pro").pk


@pytest.mark.parametrize("values", [{"gpu_count": None}, {"gpu_count": 0}, {"vram_gb": None}])
def test_a_configuration_counts_its_gpus_and_its_memory(values: dict[str, None]) -> None:
    refused(make.make_sku, "GPU-ODD", **values)


def test_an_alias_is_stored_in_lower_case_once_an_instant(api: CatalogItem) -> None:
    refused(make.make_alias, api, "GPT-5-4")
    make.make_alias(api, "gpt-5-4")
    refused(make.make_alias, make.make_api("gpt-5.4-mini"), "gpt-5-4")
    assert make.make_alias(api, "gpt-5-4", make.NOW).pk


def test_a_gpu_has_memory_and_bandwidth() -> None:
    refused(make.make_gpu, "Nothing", vram_gb=0)
    refused(make.make_gpu, "Stopped", mem_bw_gb_s=0)


def test_a_language_model_is_unique_in_any_case() -> None:
    make.make_language_model("Mistral-7B-v0.3")
    refused(make.make_language_model, "mistral-7b-v0.3")


@pytest.mark.parametrize("model", [Gpu, CatalogItem, ItemAlias, EstimateSnapshot])
def test_the_catalogue_is_empty_before_seeding(model: type[models.Model]) -> None:
    assert not model._default_manager.exists()


def test_what_prices_stand_on_is_protected(api: CatalogItem) -> None:
    make.make_price(api, "input", "2.50")
    with pytest.raises(models.ProtectedError):
        api.delete()


def test_p28_a_saved_estimate_keeps_its_results_whatever_the_prices_become(api: CatalogItem) -> None:
    """Saved at 30 $ per million on 20 August for 10 M tokens; 20 $ from the 21st on."""
    saved_on = dt.datetime(2026, 8, 20, 12, tzinfo=dt.UTC)
    old = make.make_price(api, "output", "30.00")
    snapshot = make.make_snapshot(
        results={"usd": "300.00", "at": saved_on.isoformat()}, catalog_version=old.catalog_version
    )
    snapshot.prices.add(old)
    make.make_price(
        api,
        "output",
        "20.00",
        valid_from=dt.datetime(2026, 8, 21, tzinfo=dt.UTC),
        catalog_version=make.make_version(),
    )
    reopened = EstimateSnapshot.objects.get(slug="saved")
    assert reopened.results["usd"] == "300.00"
    assert reopened.catalog_version_id == 1
    assert [row.amount for row in reopened.prices.all()] == [Decimal("30.00")]
