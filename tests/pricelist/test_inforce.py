"""What a version holds at an instant: the newest start of each key, the planned ones, names that move, rates by day."""

import datetime as dt
from decimal import Decimal

import pytest

from calculator.models import CatalogItem, ItemAlias
from calculator.pricelist.inforce import aliases_at, current_at, prices_at, rates_of
from calculator.snapshots import snapshot
from tests import factories as make

NOON = make.NOW
DAY = dt.timedelta(days=1)

pytestmark = pytest.mark.django_db


@pytest.fixture
def item() -> CatalogItem:
    return make.make_api("m")


def amounts(item: CatalogItem, at: dt.datetime = NOON) -> list[Decimal | None]:
    return [row.amount for row in prices_at(snapshot(make.newest_version().number), item, at)]


def test_p25_the_newest_start_that_is_not_after_the_instant_holds(item: CatalogItem) -> None:
    make.make_price(item, "output", "15", valid_from=NOON - 9 * DAY)
    make.make_price(item, "output", "12", valid_from=NOON - DAY)
    assert amounts(item) == [Decimal(12)]
    assert amounts(item, NOON - 5 * DAY) == [Decimal(15), Decimal(12)]  # the second is planned then
    assert amounts(item, NOON - 10 * DAY) == [Decimal(15), Decimal(12)]  # both are


def test_each_key_has_its_own_price(item: CatalogItem) -> None:
    make.make_price(item, "output", "15", valid_from=NOON - DAY)
    make.make_price(item, "output", "7.5", mode="batch", valid_from=NOON - DAY)
    make.make_price(item, "output", "22.5", context_over=272_000, valid_from=NOON - DAY)
    make.make_price(item, "output", "9", window="offpeak", valid_from=NOON - DAY)
    make.make_price(item, "output", "14", region="eu", valid_from=NOON - DAY)
    assert sorted(amounts(item), key=lambda amount: amount or 0) == [
        Decimal("7.5"), Decimal(9), Decimal(14), Decimal(15), Decimal("22.5"),
    ]  # fmt: skip


def test_p15_a_withdrawal_ends_a_price_and_is_known_as_the_current_row(item: CatalogItem) -> None:
    make.make_price(item, "output", "15", valid_from=NOON - 9 * DAY)
    make.make_price(item, "output", None, kind="withdrawn", valid_from=NOON - DAY)
    assert amounts(item) == []
    (row,) = current_at(snapshot(make.newest_version().number), item, NOON).values()
    assert row.kind == "withdrawn"


def test_planned_prices_follow_those_in_force_in_order_of_start(item: CatalogItem) -> None:
    make.make_price(item, "output", "11", valid_from=NOON + 9 * DAY)
    make.make_price(item, "output", "12", valid_from=NOON + DAY)
    make.make_price(item, "output", "15", valid_from=NOON - DAY)
    assert amounts(item) == [Decimal(15), Decimal(12), Decimal(11)]


def test_an_item_without_a_price_has_none(item: CatalogItem) -> None:
    make.newest_version()
    assert amounts(item) == []


def alias(item: CatalogItem, name: str, start: dt.datetime) -> None:
    ItemAlias.objects.create(item=item, alias=name, valid_from=start, catalog_version=make.newest_version())


def test_a_name_that_moved_belongs_to_the_later_item(item: CatalogItem) -> None:
    newer = make.make_api("m2")
    alias(item, "latest", NOON - 9 * DAY)
    alias(item, "old-name", NOON - 9 * DAY)
    alias(newer, "latest", NOON - DAY)
    alias(newer, "soon", NOON + DAY)
    version = make.newest_version().number
    assert aliases_at(version, NOON) == {item.pk: ("old-name",), newer.pk: ("latest",)}
    assert aliases_at(version, NOON - 5 * DAY) == {item.pk: ("latest", "old-name")}
    assert aliases_at(version, NOON - 20 * DAY) == {}


def test_rates_come_with_the_newest_day_first() -> None:
    make.make_api("m")
    for day, rate in ((28, "1.11"), (30, "1.1172"), (29, "1.113")):
        make.make_fx(dt.date(2026, 10, day), rate)
    found = rates_of(make.newest_version().number)
    assert [(rate.rate_date.day, rate.rate) for rate in found] == [
        (30, Decimal("1.1172")),
        (29, Decimal("1.113")),
        (28, Decimal("1.11")),
    ]
