"""Exact names of items, and the exchange rate of a day, as one catalogue version knows them."""

import datetime as dt
from decimal import Decimal

import pytest

from calculator import catalog
from calculator.domain.provenance import Kind
from calculator.models import CatalogItem
from tests import factories as make

pytestmark = pytest.mark.django_db


def utc(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text).replace(tzinfo=dt.UTC)


# --- names


@pytest.fixture
def p42() -> dict[str, CatalogItem]:
    table = {"gpt-4": "60", "gpt-4o": "10", "gpt-4o-mini": "0.60", "gpt-4.1": "8"}
    items = {code: make.make_api(code) for code in table}
    for code, output in table.items():
        make.make_price(items[code], "output", output)
    make.make_alias(items["gpt-4o-mini"], "gpt-4o-mini-2024-07-18")
    make.make_alias(items["gpt-4.1"], "gpt-4.1-2025-04-14")
    return items


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ("gpt-4o-mini-2024-07-18", "gpt-4o-mini"),
        ("gpt-4.1-2025-04-14", "gpt-4.1"),
        ("GPT-4.1-2025-04-14", "gpt-4.1"),
        ("gpt-4", "gpt-4"),
        ("GPT-4O", "gpt-4o"),
    ],
)
def test_p42_a_name_matches_exactly_whatever_its_case(p42: dict[str, CatalogItem], asked: str, code: str) -> None:
    assert catalog.canonical_code("api", asked, 1, make.NOW) == code


@pytest.mark.parametrize("asked", ["gpt-4.1-mini", "gpt-5.6", "gpt-4o-mini-2024-07", "gpt", "gpt-4.1-2025-04-14-x"])
def test_p42_no_name_matches_by_its_beginning(p42: dict[str, CatalogItem], asked: str) -> None:
    with pytest.raises(catalog.NotFound) as caught:
        catalog.canonical_code("api", asked, 1, make.NOW)
    assert (caught.value.kind, caught.value.code) == ("api", asked)


def test_what_is_not_found_names_the_code_most_like_it(p42: dict[str, CatalogItem]) -> None:
    with pytest.raises(catalog.NotFound) as caught:
        catalog.canonical_code("api", "GPT-4.1-mini", 1, make.NOW)
    assert caught.value.nearest in {"gpt-4.1", "gpt-4o-mini"}
    with pytest.raises(catalog.NotFound) as caught:
        catalog.canonical_code("api", "zzzzzzzz", 1, make.NOW)
    assert caught.value.nearest == ""


def test_an_alias_moves_from_its_instant_on() -> None:
    old, new = make.make_api("mistral-small-3.2"), make.make_api("mistral-small-2603")
    make.make_alias(old, "mistral-small-latest", utc("2025-06-01"))
    make.make_alias(new, "mistral-small-latest", utc("2026-03-16"))
    assert catalog.canonical_code("api", "mistral-small-latest", 1, utc("2026-03-15")) == "mistral-small-3.2"
    assert catalog.canonical_code("api", "Mistral-Small-Latest", 1, utc("2026-03-17")) == "mistral-small-2603"


def test_an_alias_does_not_hold_before_its_start() -> None:
    make.make_alias(make.make_api(), "gpt-5-4", utc("2026-03-05"))
    with pytest.raises(catalog.NotFound):
        catalog.canonical_code("api", "gpt-5-4", 1, utc("2026-03-04"))


def test_a_sku_and_an_api_do_not_answer_to_each_other() -> None:
    make.make_api("GPU-PRO")
    with pytest.raises(catalog.NotFound) as caught:
        catalog.canonical_code("sku", "GPU-PRO", 1, make.NOW)
    assert caught.value.kind == "sku"


# --- exchange rates


@pytest.fixture
def ecb() -> None:
    make.make_sku()
    for day, rate in (
        ("2026-10-02", "1.1225"),
        ("2026-10-05", "1.1204"),
        ("2026-10-29", "1.1130"),
        ("2026-10-30", "1.1172"),
    ):
        make.make_fx(dt.date.fromisoformat(day), rate)


@pytest.mark.usefixtures("ecb")
@pytest.mark.parametrize(
    ("at", "rate", "day"),
    [
        ("2026-10-02T12:00:00", "1.1225", "2026-10-02"),
        ("2026-10-03T12:00:00", "1.1225", "2026-10-02"),
        ("2026-10-04T23:00:00", "1.1204", "2026-10-05"),
        ("2026-10-04T21:59:59", "1.1225", "2026-10-02"),
        ("2026-10-05T12:00:00", "1.1204", "2026-10-05"),
        ("2026-11-30T12:00:00", "1.1172", "2026-10-30"),
    ],
)
def test_p45_the_rate_is_the_last_one_dated_on_or_before_the_day(at: str, rate: str, day: str) -> None:
    found = catalog.latest_rate(1, utc(at))
    assert found is not None
    assert (found.value, found.date) == (Decimal(rate), dt.date.fromisoformat(day))


@pytest.mark.usefixtures("ecb")
def test_p46_an_old_rate_keeps_its_own_date() -> None:
    found = catalog.latest_rate(1, make.NOW)
    assert found is not None
    assert (found.date, found.reference, found.unit) == (dt.date(2026, 10, 30), "ECB", "USD/EUR")
    assert found.kind is Kind.LIST_PRICE
    assert catalog.rate_mark(dt.date(2026, 10, 30), make.NOW) == "red"


@pytest.mark.usefixtures("ecb")
def test_p44_no_rate_before_the_first_one() -> None:
    assert catalog.latest_rate(1, utc("2026-10-01T12:00:00")) is None


def test_p44_no_rate_at_all_is_none_and_never_one() -> None:
    make.make_sku()
    assert catalog.latest_rate(1, make.NOW) is None


@pytest.mark.usefixtures("ecb")
def test_a_manual_rate_is_kept_apart() -> None:
    make.make_fx(dt.date(2026, 11, 27), "1.20", source="manual")
    ecb_rate, manual = catalog.latest_rate(1, make.NOW), catalog.latest_rate(1, make.NOW, source="manual")
    assert ecb_rate is not None and ecb_rate.value == Decimal("1.1172")
    assert manual is not None and (manual.value, manual.kind) == (Decimal("1.2"), Kind.ASSUMPTION)


@pytest.mark.usefixtures("ecb")
def test_a_rate_of_another_currency_is_not_taken() -> None:
    make.make_fx(dt.date(2026, 11, 27), "0.83", quote="GBP")
    found = catalog.latest_rate(1, make.NOW)
    assert found is not None and found.value == Decimal("1.1172")


@pytest.mark.usefixtures("ecb")
def test_an_old_version_does_not_know_later_rates_and_still_knows_those_voided_since() -> None:
    later = make.make_version()
    make.FxRate.objects.filter(rate_date=dt.date(2026, 10, 30)).update(voided_in_version=later, void_reason="typo")
    make.make_fx(dt.date(2026, 10, 30), "1.1182", catalog_version=later)
    first, second = catalog.latest_rate(1, make.NOW), catalog.latest_rate(2, make.NOW)
    assert first is not None and first.value == Decimal("1.1172")
    assert second is not None and second.value == Decimal("1.1182")
