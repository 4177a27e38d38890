"""History, changes, staleness and data sheets, as the pages about prices read them."""

import datetime as dt
from decimal import Decimal

import pytest
from pytest_django import DjangoAssertNumQueries

from calculator import catalog
from calculator.domain import hardware, llm
from calculator.models import CatalogItem
from tests import factories as make

pytestmark = pytest.mark.django_db


def utc(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text).replace(tzinfo=dt.UTC)


@pytest.fixture
def sonnet() -> CatalogItem:
    """A model whose long-context price was dropped on 13 March."""
    item = make.make_api("claude-sonnet-4-6")
    make.make_price(item, "output", "15.00", valid_from=utc("2026-02-17"))
    make.make_price(item, "output", "22.50", context_over=200_000, valid_from=utc("2026-02-17"))
    make.make_price(item, "output", None, context_over=200_000, valid_from=utc("2026-03-13"))
    return item


# --- history


def test_a_history_is_told_from_the_newest_start_back(sonnet: CatalogItem) -> None:
    found = catalog.price_history("api", "claude-sonnet-4-6", 1, make.NOW)
    told = [(point.valid_from.date().isoformat(), point.context_over_tokens, point.amount) for point in found]
    assert told == [
        ("2026-03-13", 200_000, None),
        ("2026-02-17", 200_000, Decimal("22.50")),
        ("2026-02-17", 0, Decimal("15.00")),
    ]


def test_a_price_holds_until_the_next_start_of_the_same_key(sonnet: CatalogItem) -> None:
    withdrawn, tier, base = catalog.price_history("api", "claude-sonnet-4-6", 1, make.NOW)
    assert (base.valid_until, base.in_force) == (None, True)
    assert (tier.valid_until, tier.in_force) == (utc("2026-03-13"), False)
    assert (withdrawn.valid_until, withdrawn.in_force, withdrawn.amount) == (None, True, None)


def test_what_is_in_force_depends_on_the_instant_asked_for(sonnet: CatalogItem) -> None:
    at_the_start = catalog.price_history("api", "claude-sonnet-4-6", 1, utc("2026-02-17"))
    assert [point.in_force for point in at_the_start] == [False, True, True]
    before = catalog.price_history("api", "claude-sonnet-4-6", 1, utc("2026-02-16"))
    assert [point.in_force for point in before] == [False, False, False]


def test_a_history_names_the_source_of_each_price() -> None:
    make.make_price(make.make_sku(), "instance_hour", "1.50", source_url="the offer", note="HT")
    (point,) = catalog.price_history("sku", "gpu-pro", 1, make.NOW)
    assert (point.component, point.mode, point.currency, point.unit) == (
        "instance_hour",
        "on_demand",
        "EUR",
        "instance_hour",
    )
    assert (point.source_url, point.checked_on, point.note, point.version) == ("the offer", make.CHECKED, "HT", 1)
    assert not point.is_free


def test_a_free_price_says_so() -> None:
    make.make_price(make.make_api(), "cache_read", "0", kind="free")
    (point,) = catalog.price_history("api", "gpt-5.4", 1, make.NOW)
    assert point.is_free
    assert point.amount == 0


def test_a_history_is_that_of_its_version(sonnet: CatalogItem) -> None:
    make.make_price(sonnet, "output", "14.00", valid_from=make.NOW, catalog_version=make.make_version())
    assert len(catalog.price_history("api", "claude-sonnet-4-6", 1, make.NOW)) == 3
    newest = catalog.price_history("api", "claude-sonnet-4-6", 2, make.NOW)[0]
    assert (newest.amount, newest.version) == (Decimal("14.00"), 2)


def test_an_item_without_prices_has_an_empty_history() -> None:
    make.make_sku("GPU-SUPERCOMPUTE")
    assert catalog.price_history("sku", "GPU-SUPERCOMPUTE", 1, make.NOW) == ()


@pytest.mark.parametrize(("kind", "code"), [("sku", "claude-sonnet-4-6"), ("api", "claude-sonnet-4-7")])
def test_a_history_of_nothing_is_not_found(sonnet: CatalogItem, kind: str, code: str) -> None:
    with pytest.raises(catalog.NotFound) as caught:
        catalog.price_history(kind, code, 1, make.NOW)
    assert caught.value.code == code


# --- changes


def test_a_change_shows_what_stood_before() -> None:
    sku = make.make_sku()
    make.make_price(sku, "instance_hour", "1.50")
    make.make_price(sku, "instance_hour", "1.60", valid_from=utc("2026-11-01"), catalog_version=make.make_version())
    change = catalog.latest_changes(5)[0]
    assert change.amounts == (("instance_hour", Decimal("1.5"), Decimal("1.6")),)
    assert (change.kind, change.code, change.mode, change.version) == ("sku", "GPU-PRO", "on_demand", 2)
    assert change.valid_from == utc("2026-11-01")


def test_the_changes_and_what_is_stale_can_be_those_of_an_older_version() -> None:
    sku = make.make_sku()
    make.make_price(sku, "instance_hour", "1.50", checked_on=dt.date(2026, 1, 1))
    make.make_price(sku, "instance_hour", "1.60", valid_from=utc("2026-11-01"), catalog_version=make.make_version())
    assert catalog.latest_changes(1)[0].amounts == (("instance_hour", Decimal("1.5"), Decimal("1.6")),)
    assert catalog.latest_changes(1, version=1)[0].amounts == (("instance_hour", None, Decimal("1.5")),)
    assert len(catalog.stale_prices(make.NOW, version=1)) == 1
    assert catalog.stale_prices(make.NOW, version=2) == ()


def test_a_first_price_has_nothing_before_it() -> None:
    make.make_price(make.make_sku(), "instance_hour", "1.50")
    assert catalog.latest_changes(5)[0].amounts == (("instance_hour", None, Decimal("1.5")),)


def test_a_withdrawal_leaves_nothing_after_it(sonnet: CatalogItem) -> None:
    change = catalog.latest_changes(1)[0]
    assert change.amounts == (("output", Decimal("22.5"), None),)
    assert change.context_over_tokens == 200_000


def test_components_that_change_together_are_one_change() -> None:
    api = make.make_api()
    make.make_rates(api, "2.50", "0.25", "15.00")
    make.make_rates(api, "1.25", "0.13", "7.50", mode="batch")
    changes = catalog.latest_changes(5)
    assert [(change.mode, len(change.amounts)) for change in changes] == [("batch", 3), ("standard", 3)]


def test_the_newest_starts_come_first_up_to_the_limit() -> None:
    for month in (3, 5, 4):
        make.make_price(make.make_api(f"model-{month}"), "output", "1.00", valid_from=utc(f"2026-0{month}-01"))
    assert [change.code for change in catalog.latest_changes(2)] == ["model-5", "model-4"]


def test_an_announced_price_is_a_change_too() -> None:
    make.make_price(make.make_sku(), "instance_hour", "1.50", valid_from=utc("2027-01-01"))
    assert catalog.latest_changes(1)[0].valid_from == utc("2027-01-01")


def test_an_empty_catalogue_has_no_changes_and_nothing_stale() -> None:
    assert catalog.latest_changes(5) == ()
    assert catalog.stale_prices(make.NOW) == ()
    assert catalog.versions() == ()


# --- what is stale


@pytest.mark.parametrize(("checked_on", "stale"), [("2026-09-01", False), ("2026-08-31", True), ("2025-01-01", True)])
def test_a_price_is_stale_more_than_ninety_days_after_its_check(checked_on: str, stale: bool) -> None:
    """From 1 September to 30 November 2026 are 90 days."""
    make.make_price(make.make_sku(), "instance_hour", "1.50", checked_on=dt.date.fromisoformat(checked_on))
    assert bool(catalog.stale_prices(make.NOW)) is stale


def test_a_stale_price_says_whose_it_is_and_how_old() -> None:
    make.make_price(make.make_sku(), "instance_hour", "1.50", checked_on=dt.date(2026, 8, 22))
    (price,) = catalog.stale_prices(make.NOW)
    assert (price.kind, price.code, price.component, price.mode) == ("sku", "GPU-PRO", "instance_hour", "on_demand")
    assert (price.checked_on, price.age_days) == (dt.date(2026, 8, 22), 100)


def test_the_oldest_check_comes_first() -> None:
    for month in (5, 3, 4):
        make.make_price(make.make_api(f"model-{month}"), "output", "1.00", checked_on=dt.date(2026, month, 1))
    assert [price.code for price in catalog.stale_prices(make.NOW)] == ["model-3", "model-4", "model-5"]


def test_a_price_no_longer_in_force_is_not_stale() -> None:
    sku = make.make_sku()
    make.make_price(sku, "instance_hour", "1.50", checked_on=dt.date(2026, 1, 1))
    make.make_price(sku, "instance_hour", "1.60", valid_from=utc("2026-11-01"))
    assert catalog.stale_prices(make.NOW) == ()


def test_a_retired_models_price_is_not_stale() -> None:
    retired = make.make_api(retired_on=dt.date(2026, 11, 30))
    make.make_price(retired, "output", "15.00", checked_on=dt.date(2026, 1, 1))
    assert catalog.stale_prices(make.NOW) == ()


@pytest.mark.parametrize(("at", "mark"), [("2026-11-05T22:59:59", ""), ("2026-11-05T23:00:00", "amber")])
def test_the_age_of_a_rate_is_counted_in_days_of_paris(at: str, mark: str) -> None:
    """30 October 2026 is a Friday; the fifth working day on, 6 November, begins at 23:00 UTC of the 5th."""
    assert catalog.rate_mark(dt.date(2026, 10, 30), utc(at)) == mark


# --- versions and data sheets


def test_versions_come_newest_first() -> None:
    make.make_version(summary="first")
    make.make_version(summary="second")
    assert [(version.number, version.summary) for version in catalog.versions()] == [(2, "second"), (1, "first")]


def test_a_gpu_sheet_is_what_the_formulas_take() -> None:
    make.make_gpu("A100-SXM-80GB", vram_gb=80, mem_bw_gb_s=2039, driver_mib=81_920, bf16_tflops_dense=312)
    make.make_gpu("A10", fp16_tflops_dense_fp32acc=125)
    first, second = catalog.gpu_sheets()
    assert (first.name, second.name) == ("A10", "A100-SXM-80GB")
    assert isinstance(second, hardware.Gpu)
    assert hardware.memory_bytes(second) == 80 * 2**30
    assert second.fp8_tflops_dense is None


def test_language_models_leave_random_weights_out_unless_asked_for() -> None:
    make.make_language_model("Mistral-7B-v0.3")
    make.make_language_model("random-tiny", is_test=True)
    assert [model.name for model in catalog.language_models()] == ["Mistral-7B-v0.3"]
    assert [model.name for model in catalog.language_models(include_test=True)] == ["Mistral-7B-v0.3", "random-tiny"]


def test_a_language_model_is_what_the_formulas_take() -> None:
    make.make_language_model()
    (model,) = catalog.language_models()
    assert isinstance(model, llm.LanguageModel)
    assert llm.kv_bytes_per_token(model, 2) == 131_072


def test_each_page_read_needs_one_query(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    make.make_price(make.make_sku(), "instance_hour", "1.50")
    catalog.latest_changes(5)
    for read in (catalog.versions, catalog.gpu_sheets, catalog.language_models):
        with django_assert_num_queries(1):
            read()
    with django_assert_num_queries(1):
        catalog.latest_changes(5)
    with django_assert_num_queries(1):
        catalog.stale_prices(make.NOW)
