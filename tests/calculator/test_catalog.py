"""Prices, rates and names as one catalogue version and one instant know them."""

import datetime as dt
from decimal import Decimal

import pytest
from django.utils import timezone, translation

from calculator import catalog, snapshots
from calculator.domain.offers import ApiModel, Basis, Mode, Sku
from calculator.domain.provenance import Kind
from calculator.models import PriceRow
from tests import factories as make

pytestmark = pytest.mark.django_db


def utc(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text).replace(tzinfo=dt.UTC)


def sku_at(at: dt.datetime, version: int | None = None, code: str = "GPU-PRO") -> Sku:
    found = catalog.sku_choices(version or catalog.latest_version(), at)
    return next(sku for sku in found if sku.code == code)


def api_at(at: dt.datetime, version: int | None = None, code: str = "gpt-5.4") -> ApiModel:
    found = catalog.api_choices(version or catalog.latest_version(), at, include_retired=True)
    return next(api for api in found if api.code == code)


def hour_price(at: dt.datetime, version: int | None = None) -> Decimal | None:
    price = sku_at(at, version).prices.get(Basis.HOUR)
    return None if price is None else price.value


def output_price(at: dt.datetime, version: int | None = None) -> Decimal | None:
    tiers = api_at(at, version).modes.get(Mode.STANDARD, ())
    return tiers[0].output.value if tiers and tiers[0].output else None


# --- versions


def test_an_empty_catalogue_has_no_version() -> None:
    with pytest.raises(catalog.NotFound) as caught:
        catalog.latest_version()
    assert (caught.value.kind, caught.value.code) == ("version", "")


def test_the_latest_version_is_the_highest_number() -> None:
    make.make_version()
    make.make_version()
    assert catalog.latest_version() == 2


def test_a_version_that_does_not_exist_names_the_newest() -> None:
    make.make_sku()
    with pytest.raises(catalog.NotFound) as caught:
        catalog.sku_choices(7, make.NOW)
    assert (caught.value.kind, caught.value.code, caught.value.nearest) == ("version", "7", "1")


def test_the_default_scenario_is_of_the_newest_version_and_to_the_second() -> None:
    make.make_version()
    scenario = catalog.default_scenario(dt.datetime(2026, 11, 30, 13, 0, 5, 987_654, tzinfo=catalog_zone()))
    assert scenario.catalog_version == 1
    assert scenario.at == utc("2026-11-30T12:00:05")
    assert scenario.at.utcoffset() == dt.timedelta(0)


def catalog_zone() -> dt.tzinfo:
    return timezone.get_default_timezone()


def test_without_an_instant_the_default_scenario_is_of_now() -> None:
    make.make_version()
    before = timezone.now().replace(microsecond=0)
    assert before <= catalog.default_scenario().at <= timezone.now()


# --- prices by instant


def test_p25_a_price_is_the_latest_start_not_after_the_instant() -> None:
    api = make.make_api()
    make.make_price(api, "output", "7.50", valid_from=utc("2026-01-01"))
    make.make_price(api, "output", "4.60", valid_from=utc("2026-02-01"))
    assert output_price(utc("2026-01-15")) == Decimal("7.50")
    assert output_price(utc("2026-02-15")) == Decimal("4.60")


def test_p25_before_the_first_start_there_is_no_price() -> None:
    api = make.make_api()
    make.make_price(api, "output", "7.50", valid_from=utc("2026-01-01"))
    assert output_price(utc("2025-12-31")) is None


def test_p25_the_order_in_which_starts_were_recorded_does_not_matter() -> None:
    api = make.make_api()
    make.make_price(api, "output", "4.60", valid_from=utc("2026-02-01"))
    make.make_price(api, "output", "7.50", valid_from=utc("2026-01-01"))
    assert output_price(utc("2026-02-15")) == Decimal("4.60")


def test_p27_a_price_without_a_later_start_stays_open() -> None:
    make.make_price(make.make_sku(), "instance_hour", "1.50")
    assert hour_price(utc("2030-06-01")) == Decimal("1.50")


def test_p29_a_day_in_paris_starts_an_hour_before_utc_midnight_in_winter() -> None:
    sku = make.make_sku()
    make.make_price(sku, "instance_hour", "1.50")
    make.make_price(sku, "instance_hour", "1.60", valid_from=utc("2026-11-30T23:00:00"))
    assert hour_price(utc("2026-11-30T22:59:59")) == Decimal("1.50")
    assert hour_price(utc("2026-11-30T23:00:00")) == Decimal("1.60")


def test_a_withdrawn_price_is_no_price_and_not_the_one_before() -> None:
    sku = make.make_sku()
    make.make_price(sku, "instance_hour", "1.50")
    make.make_price(sku, "instance_hour", None, valid_from=utc("2026-06-01"))
    assert hour_price(utc("2026-05-31")) == Decimal("1.50")
    assert hour_price(utc("2026-06-02")) is None


def test_a_price_may_come_back_after_a_withdrawal() -> None:
    sku = make.make_sku()
    make.make_price(sku, "instance_hour", None, valid_from=utc("2026-06-01"))
    make.make_price(sku, "instance_hour", "1.40", valid_from=utc("2026-07-01"))
    assert hour_price(utc("2026-07-02")) == Decimal("1.40")


def test_p14_a_free_component_is_zero_and_a_missing_one_is_unknown() -> None:
    api = make.make_api()
    make.make_price(api, "cache_read", "0", kind="free")
    make.make_price(api, "output", "15.00")
    rates = api_at(make.NOW).modes[Mode.STANDARD][0]
    assert rates.cache_read is not None
    assert rates.cache_read.value == 0
    assert rates.input is None


def test_a_sku_without_any_price_is_listed_without_one() -> None:
    make.make_sku("GPU-SUPERCOMPUTE", gpu_count=8, vram_gb=640)
    assert dict(sku_at(make.NOW, code="GPU-SUPERCOMPUTE").prices) == {}


# --- prices by version


def test_p28_an_old_version_does_not_know_later_prices() -> None:
    api = make.make_api()
    make.make_price(api, "output", "30.00")
    later = make.make_version()
    make.make_price(api, "output", "20.00", valid_from=utc("2026-08-21"), catalog_version=later)
    assert output_price(make.NOW, version=1) == Decimal("30.00")
    assert output_price(make.NOW, version=2) == Decimal("20.00")


def test_an_old_version_does_not_know_later_items() -> None:
    make.make_sku("GPU-PRO")
    make.make_sku("GPU-NEW", catalog_version=make.make_version())
    assert [sku.code for sku in catalog.sku_choices(1, make.NOW)] == ["GPU-PRO"]
    assert [sku.code for sku in catalog.sku_choices(2, make.NOW)] == ["GPU-NEW", "GPU-PRO"]


def test_p26_a_planned_change_can_be_moved_and_no_instant_has_two_prices_or_none() -> None:
    sku = make.make_sku()
    make.make_price(sku, "instance_hour", "1.50")
    planned = make.make_price(sku, "instance_hour", "1.60", valid_from=timezone.now() + dt.timedelta(days=16))
    moved = make.make_version()
    PriceRow.objects.filter(pk=planned.pk).update(voided_in_version=moved, void_reason="moved")
    month_later = planned.valid_from + dt.timedelta(days=31)
    make.make_price(sku, "instance_hour", "1.60", valid_from=month_later, catalog_version=moved)
    assert hour_price(planned.valid_from, version=1) == Decimal("1.60")
    assert hour_price(planned.valid_from, version=2) == Decimal("1.50")
    assert hour_price(month_later - dt.timedelta(seconds=1), version=2) == Decimal("1.50")
    assert hour_price(month_later, version=2) == Decimal("1.60")


def test_p22_a_new_version_is_seen_at_once_by_a_process_that_was_warm() -> None:
    sku = make.make_sku()
    make.make_price(sku, "instance_hour", "1.50")
    assert hour_price(make.NOW) == Decimal("1.50")
    later = make.CatalogVersion.objects.create(number=2, kind="apply")
    row = make.price_values(sku, "instance_hour", "1.60", valid_from=utc("2026-06-01"), catalog_version=later)
    PriceRow.objects.create(**row)
    assert hour_price(make.NOW) == Decimal("1.60")
    assert hour_price(make.NOW, version=1) == Decimal("1.50")


# --- what a price says about itself


def test_a_price_carries_its_origin() -> None:
    make.make_price(make.make_sku(), "instance_month", "830.64", source_url="the offer", note="taken as HT")
    price = sku_at(make.NOW).prices[Basis.MONTH]
    assert (price.value, price.unit, price.kind) == (Decimal("830.64"), "EUR/month", Kind.LIST_PRICE)
    assert (price.reference, price.date, price.note) == ("the offer", make.CHECKED, "taken as HT")
    assert price.label == "sku_price_month"


@pytest.mark.parametrize("text", ["1.5", "830.64", "100", "0.0028", "0.000000001", "999999.999999999"])
def test_a_price_is_written_without_the_zeros_that_a_column_pads(text: str) -> None:
    make.make_price(make.make_sku(), "instance_hour", text)
    assert str(hour_price(make.NOW)).upper() == str(Decimal(text)).upper()


def test_p31_hour_and_month_are_two_prices_and_neither_stands_in_for_the_other() -> None:
    sku = make.make_sku()
    make.make_price(sku, "instance_month", "830.64")
    assert set(sku_at(make.NOW).prices) == {Basis.MONTH}


def test_p33_a_configuration_of_eight_gpus_has_one_price_and_its_count() -> None:
    sku = make.make_sku("GPU-EIGHT", gpu_count=8, vram_gb=640, gpu=make.make_gpu("A100-SXM-80GB", vram_gb=80))
    make.make_price(sku, "instance_hour", "42.00")
    eight = sku_at(make.NOW, code="GPU-EIGHT")
    assert (eight.prices[Basis.HOUR].value, eight.gpu_count, eight.vram_gb, eight.gpu) == (
        Decimal("42.00"),
        8,
        640,
        "A100-SXM-80GB",
    )


def test_a_spot_price_is_not_the_price_on_demand() -> None:
    make.make_price(make.make_sku(), "instance_hour", "0.50", mode="spot")
    assert hour_price(make.NOW) is None


def test_a_price_in_another_currency_or_region_or_hour_of_day_is_not_taken() -> None:
    sku = make.make_sku()
    make.make_price(sku, "instance_hour", "1.70", currency="USD")
    make.make_price(sku, "instance_hour", "1.80", region="eu-west")
    make.make_price(sku, "instance_hour", "0.90", window="offpeak")
    assert hour_price(make.NOW) is None


# --- API models


@pytest.mark.parametrize(
    ("note", "note_fr", "language", "shown"),
    [
        ("said", "dit", "fr", "dit"),
        ("said", "dit", "en", "said"),
        ("typed once", "", "fr", "typed once"),
        ("", "saisie une fois", "en", "saisie une fois"),
        ("", "", "fr", ""),
    ],
)
def test_a_note_is_in_the_readers_language_and_one_written_once_in_both(
    note: str, note_fr: str, language: str, shown: str
) -> None:
    row = PriceRow(note=note, note_fr=note_fr)
    with translation.override(language):
        assert snapshots.note_of(row) == shown


def test_p41_standard_and_batch_are_two_modes() -> None:
    api = make.make_api()
    make.make_price(api, "output", "15.00")
    make.make_price(api, "output", "7.50", mode="batch")
    modes = api_at(make.NOW).modes
    assert {mode: tiers[0].output.value for mode, tiers in modes.items() if tiers[0].output} == {
        Mode.STANDARD: Decimal("15.00"),
        Mode.BATCH: Decimal("7.50"),
    }


def test_context_tiers_rise() -> None:
    api = make.make_api()
    make.make_rates(api, "5.00", "0.50", "22.50", context_over=272_000)
    make.make_rates(api, "2.50", "0.25", "15.00")
    tiers = api_at(make.NOW).modes[Mode.STANDARD]
    assert [tier.context_over_tokens for tier in tiers] == [0, 272_000]
    assert [tier.input.value for tier in tiers if tier.input] == [Decimal("2.50"), Decimal("5.00")]


def test_a_withdrawn_tier_is_gone() -> None:
    api = make.make_api()
    make.make_price(api, "input", "3.00")
    make.make_price(api, "input", "6.00", context_over=200_000)
    make.make_price(api, "input", None, context_over=200_000, valid_from=utc("2026-03-13"))
    assert len(api_at(utc("2026-03-12")).modes[Mode.STANDARD]) == 2
    assert len(api_at(utc("2026-03-14")).modes[Mode.STANDARD]) == 1


def test_every_component_of_an_api_is_read() -> None:
    api = make.make_api()
    amounts = {"input": "1", "cache_read": "0.1", "cache_write_5m": "1.25", "cache_write_1h": "2", "output": "5"}
    for component, amount in amounts.items():
        make.make_price(api, component, amount)
    rates = api_at(make.NOW).modes[Mode.STANDARD][0]
    found = {component: getattr(rates, component) for component in amounts}
    assert {name: rate.value for name, rate in found.items()} == {name: Decimal(text) for name, text in amounts.items()}
    assert {rate.unit for rate in found.values()} == {"USD/Mtok"}
    assert found["cache_read"].label == "api_rate_cache_read"


def test_retired_models_are_offered_only_when_asked_for() -> None:
    make.make_api("claude-sonnet-4-5", retired_on=dt.date(2026, 11, 30))
    make.make_api("gemini-2.5-flash", retired_on=dt.date(2026, 12, 1))
    offered = [api.code for api in catalog.api_choices(1, make.NOW)]
    kept = [api.code for api in catalog.api_choices(1, make.NOW, include_retired=True)]
    assert offered == ["gemini-2.5-flash"]
    assert kept == ["claude-sonnet-4-5", "gemini-2.5-flash"]


def test_a_model_retires_at_midnight_in_paris() -> None:
    make.make_api(retired_on=dt.date(2026, 12, 1))
    assert len(catalog.api_choices(1, utc("2026-11-30T22:59:59"))) == 1
    assert len(catalog.api_choices(1, utc("2026-11-30T23:00:00"))) == 0


def test_items_come_in_catalogue_order() -> None:
    for position, code in ((30, "a"), (10, "c"), (20, "b")):
        make.make_api(code, position=position)
    assert [api.code for api in catalog.api_choices(1, make.NOW)] == ["c", "b", "a"]


@pytest.mark.parametrize(("language", "label"), [("fr", "cette machine (CPU)"), ("en", "this machine (CPU)")])
def test_a_label_is_in_the_language_of_the_page(language: str, label: str) -> None:
    make.make_sku("CPU-LOCAL", label_fr="cette machine (CPU)", label_en="this machine (CPU)", is_test_host=True)
    with translation.override(language):
        assert sku_at(make.NOW, code="CPU-LOCAL").label == label


def test_a_test_host_is_offered_as_such() -> None:
    make.make_sku("CPU-LOCAL", is_test_host=True, vram_gb=0)
    assert sku_at(make.NOW, code="CPU-LOCAL").is_test_host
