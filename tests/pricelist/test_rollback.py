"""A version taken back as a new one, planned prices cancelled and moved: nothing deleted, the past as it was."""

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from calculator import catalog
from calculator.models import CatalogItem, CatalogVersion, FxRate, Gpu, PriceEvent, PriceRow, PriceUpload
from calculator.pricelist import planned, publish, rollback
from calculator.pricelist.refusals import Refused
from calculator.pricing import queries
from tests import factories as make

pytestmark = pytest.mark.django_db
HEAD = "sku;component;amount;currency;unit;valid_from"
RIGHTS = ("upload_prices", "apply_prices", "rollback_prices")
BASE = "GPU-PRO instance_hour on_demand EUR"


@pytest.fixture
def pro() -> CatalogItem:
    sku = make.make_sku("GPU-PRO", gpu=make.make_gpu("RTX 4090"))
    make.make_price(sku, "instance_hour", "1.50")
    return sku


@pytest.fixture
def alice(pro: CatalogItem) -> User:
    return make.make_user("alice", *RIGHTS)


def soon(days: int = 30) -> dt.datetime:
    return timezone.now().replace(microsecond=0) + dt.timedelta(days=days)


def applied(by: User, *rows: str, head: str = HEAD, **values: Any) -> CatalogVersion:
    upload = publish.receive("\n".join([head, *rows]).encode(), "prices.csv", by, **values)
    publish.validate(upload)
    return publish.apply(upload, by).version


def hour(amount: str, start: dt.datetime | None = None) -> str:
    return f"GPU-PRO;instance_hour;{amount};EUR;instance_hour;{start.isoformat() if start else ''}"


def price_at(moment: dt.datetime | None = None, version: int | None = None) -> Decimal | None:
    moment, version = moment or timezone.now(), version or catalog.latest_version()
    (sku,) = [one for one in catalog.sku_choices(version, moment) if one.code == "GPU-PRO"]
    return next((price.value for price in sku.prices.values()), None)


def refused(code: str, step: Callable[..., Any], *args: Any, **values: Any) -> Refused:
    before = (CatalogVersion.objects.count(), PriceRow.objects.count(), PriceEvent.objects.count())
    with pytest.raises(Refused) as caught:
        step(*args, **values)
    assert caught.value.code == code
    assert (CatalogVersion.objects.count(), PriceRow.objects.count(), PriceEvent.objects.count()) == before
    return caught.value


# --- prices in force


def test_a_price_in_force_goes_back_from_now_on_and_the_days_between_stay(alice: User) -> None:
    version = applied(alice, hour("1,60"))
    between = timezone.now()
    done = rollback.rollback(version, alice, "wrong list")
    assert (done.version.number, done.version.kind, done.version.rolls_back) == (3, "rollback", version)
    assert price_at() == Decimal("1.50")
    assert price_at(between) == Decimal("1.60")
    assert price_at(version=2) == Decimal("1.60")
    assert PriceRow.objects.filter(voided_in_version=None).count() == 3


def test_what_was_not_sold_before_is_withdrawn(alice: User) -> None:
    version = applied(alice, "GPU-PRO;instance_month;830,64;EUR;instance_month;")
    rollback.rollback(version, alice, "wrong list")
    assert PriceRow.objects.get(catalog_version=3).kind == "withdrawn"
    (sku,) = catalog.sku_choices(3, timezone.now())
    assert [price.value for price in sku.prices.values()] == [Decimal("1.50")]


def test_what_was_withdrawn_is_sold_again(alice: User) -> None:
    head = "sku;component;kind;amount;currency;unit"
    version = applied(alice, "GPU-PRO;instance_hour;withdrawn;;EUR;instance_hour", head=head)
    assert price_at() is None
    rollback.rollback(version, alice, "sold after all")
    assert price_at() == Decimal("1.50")


def test_the_same_file_is_applicable_again_after_a_rollback(alice: User) -> None:
    rollback.rollback(applied(alice, hour("1,60")), alice, "too early")
    assert applied(alice, hour("1,60")).number == 4
    assert price_at() == Decimal("1.60")


def test_a_rollback_is_rolled_back_like_any_version(alice: User) -> None:
    first = rollback.rollback(applied(alice, hour("1,60")), alice, "wrong").version
    rollback.rollback(first, alice, "right after all")
    assert price_at() == Decimal("1.60")


def test_the_upload_is_marked_and_the_record_says_who_and_why(alice: User) -> None:
    rollback.rollback(applied(alice, hour("1,60")), alice, "wrong list", request_id="r9")
    assert PriceUpload.objects.get().status == "rolled_back"
    found = PriceEvent.objects.filter(version=3).order_by("id")
    assert list(found.values_list("action", "subject", "before", "after", "actor__username", "reason")) == [
        ("price", BASE, "1.6", "1.5", "alice", "wrong list"),
        ("rolled_back", "v2", "", "", "alice", "wrong list"),
    ]
    assert set(found.values_list("request_id", flat=True)) == {"r9"}


# --- planned prices


def test_planned_prices_of_the_version_are_voided_and_nothing_else_is_written(alice: User) -> None:
    start = soon()
    rollback.rollback(applied(alice, hour("1,60", start)), alice, "not yet")
    row = PriceRow.objects.get(valid_from=start)
    assert (row.voided_in_version_id, row.void_reason) == (3, "not yet")
    assert price_at(start, version=3) == Decimal("1.50")
    assert price_at(start, version=2) == Decimal("1.60")


def test_a_planned_price_that_was_replaced_is_planned_again(alice: User) -> None:
    start = soon()
    applied(alice, hour("1,60", start))
    version = applied(alice, hour("1,70", start))
    rollback.rollback(version, alice, "back to the first plan")
    assert [price_at(start, version=number) for number in (2, 3, 4)] == [
        Decimal("1.60"),
        Decimal("1.70"),
        Decimal("1.60"),
    ]


def test_p27_both_ends_of_a_promotion_go(alice: User) -> None:
    start, end = soon(10), soon(20)
    row = f"GPU-PRO;instance_hour;1,40;EUR;instance_hour;{start.isoformat()};{end.isoformat()}"
    version = applied(alice, row, head=f"{HEAD};valid_until")
    rollback.rollback(version, alice, "no promotion")
    assert [price_at(moment) for moment in (start, end)] == [Decimal("1.50"), Decimal("1.50")]
    assert PriceRow.objects.filter(voided_in_version=3).count() == 2


# --- later versions


def test_a_price_that_a_later_version_changed_too_has_to_be_named(alice: User) -> None:
    version = applied(alice, hour("1,60"))
    applied(alice, hour("1,70"))
    error = refused("touched_later", rollback.rollback, version, alice, "wrong")
    assert error.values == {"keys": (BASE,)}
    refused("touched_later", rollback.rollback, version, alice, "wrong", ["GPU-TITAN instance_hour on_demand EUR"])
    rollback.rollback(version, alice, "wrong", [BASE])
    assert price_at() == Decimal("1.50")


def test_later_changes_of_other_prices_are_left_alone(alice: User) -> None:
    version = applied(alice, hour("1,60"))
    applied(alice, "GPU-PRO;instance_month;800;EUR;instance_month;")
    rollback.rollback(version, alice, "wrong")
    (sku,) = catalog.sku_choices(4, timezone.now())
    assert sorted(price.value for price in sku.prices.values()) == [Decimal("1.50"), Decimal("800")]


# --- rates, items, data sheets


def test_rates_of_the_version_are_voided_and_corrected_ones_come_back(alice: User) -> None:
    make.make_fx(dt.date(2026, 10, 30), "1.1172")
    head = "rate_date;base;quote;rate;source"
    rows = ["2026-10-30;EUR;USD;1,1200;ECB", "2026-11-02;EUR;USD;1,1250;ECB"]
    rollback.rollback(applied(alice, *rows, head=head), alice, "typed by hand")
    standing = FxRate.objects.filter(voided_in_version=None).values_list("rate_date", "rate")
    assert list(standing) == [(dt.date(2026, 10, 30), Decimal("1.1172"))]


def test_a_new_sku_is_retired_and_a_changed_one_is_as_before(alice: User) -> None:
    head = "sku;component;amount;currency;unit;provider;label_fr;label_en;gpu;gpu_count;vram_gb"
    new = "GPU-NEW;instance_hour;2,00;EUR;instance_hour;VMCloud;Neuve;New;RTX 4090;1;24"
    old = "GPU-PRO;instance_hour;1,50;EUR;instance_hour;VMCloud;Dédiée;Dedicated;RTX 4090;1;24"
    rollback.rollback(applied(alice, new, old, head=head), alice, "not offered")
    assert [sku.code for sku in catalog.sku_choices(3, timezone.now())] == ["GPU-PRO"]
    assert CatalogItem.objects.get(code="GPU-PRO").label_fr == "GPU-PRO"
    assert CatalogItem.objects.get(code="GPU-NEW").status == "retired"


def test_a_successor_goes_back_too(alice: User, pro: CatalogItem) -> None:
    make.make_sku("GPU-TWO")
    version = applied(alice, "GPU-PRO;GPU-TWO", head="sku;replaced_by")
    pro.refresh_from_db()
    assert pro.replaced_by and pro.replaced_by.code == "GPU-TWO"
    rollback.rollback(version, alice, "not replaced")
    pro.refresh_from_db()
    assert pro.replaced_by is None


def test_a_changed_data_sheet_is_as_before(alice: User) -> None:
    version = applied(alice, "RTX 4090;1010", head="name;mem_bw_gb_s")
    assert Gpu.objects.get().mem_bw_gb_s == 1010
    rollback.rollback(version, alice, "measured wrongly")
    assert Gpu.objects.get().mem_bw_gb_s == 1008


# --- private prices


def test_a_private_price_taken_back_leaves_the_public_one(alice: User) -> None:
    seller = make.make_user("seller", "view_private_prices", *RIGHTS)
    version = applied(seller, hour("1,30"), audience="sales")
    refused("right_missing", rollback.rollback, version, alice, "wrong")
    rollback.rollback(version, seller, "contract ended")
    row = PriceRow.objects.get(catalog_version=3)
    assert (row.kind, row.audience) == ("withdrawn", "sales")
    assert set(PriceEvent.objects.filter(version=3).values_list("audience", flat=True)) == {"sales"}


# --- refusals


def test_a_rollback_needs_its_right_and_a_reason(alice: User) -> None:
    version = applied(alice, hour("1,60"))
    refused("right_missing", rollback.rollback, version, make.make_user("bob", "apply_prices"), "wrong")
    refused("reason_missing", rollback.rollback, version, alice, " ")


def test_p20_a_second_rollback_answers_with_the_first(alice: User) -> None:
    version = applied(alice, hour("1,60"))
    first = rollback.rollback(version, alice, "wrong")
    again = rollback.rollback(version, alice, "wrong")
    assert (again.version, again.already, CatalogVersion.objects.count()) == (first.version, True, 3)


def test_the_fixtures_stay(alice: User) -> None:
    refused("seed_stays", rollback.rollback, make.make_version(kind="seed"), alice, "all of it")


def test_a_version_that_changed_nothing_has_nothing_to_take_back(alice: User) -> None:
    refused("nothing_to_roll_back", rollback.rollback, make.make_version(), alice, "why not")


def test_a_plan_only_reads(alice: User, django_assert_max_num_queries: Any) -> None:
    version = applied(alice, hour("1,60"))
    before = PriceRow.objects.count()
    with django_assert_max_num_queries(12):
        found = rollback.plan(version)
    assert ([one.row.amount for one in found.restored], PriceRow.objects.count()) == ([Decimal("1.6")], before)


# --- cancelling and moving


def listed(*audiences: str) -> list[PriceRow]:
    """The planned prices that somebody of these audiences sees."""
    return queries.planned(timezone.now(), audiences or ("public",))


def test_a_planned_price_is_cancelled_as_a_version_of_its_own(alice: User, pro: CatalogItem) -> None:
    row = make.make_price(pro, "instance_hour", "1.60", valid_from=soon())
    assert listed() == [row]
    version = planned.void(row, alice, "called off")
    assert (version.number, version.kind, listed()) == (2, "apply", [])
    assert price_at(soon(40)) == Decimal("1.50")
    event = PriceEvent.objects.get()
    assert (event.action, event.subject, event.before, event.reason) == ("voided", BASE, "1.6", "called off")


def test_p26_a_planned_price_is_moved_in_one_step(alice: User, pro: CatalogItem) -> None:
    first, second = soon(10), soon(40)
    row = make.make_price(pro, "instance_hour", "1.60", valid_from=first)
    planned.move(row, second, alice, "a month later")
    assert [price_at(moment) for moment in (first, second)] == [Decimal("1.50"), Decimal("1.60")]
    assert CatalogVersion.objects.count() == 2


@pytest.mark.parametrize("step", [planned.void, lambda row, by, why: planned.move(row, soon(50), by, why)])
def test_only_a_price_to_come_is_cancelled_or_moved_and_once(
    alice: User, pro: CatalogItem, step: Callable[..., Any]
) -> None:
    refused("not_planned", step, PriceRow.objects.get(), alice, "too late")
    row = make.make_price(pro, "instance_hour", "1.60", valid_from=soon())
    step(row, alice, "once")
    refused("not_planned", step, row, alice, "twice")


def test_a_planned_price_does_not_move_into_the_past(alice: User, pro: CatalogItem) -> None:
    row = make.make_price(pro, "instance_hour", "1.60", valid_from=soon())
    refused("start_in_the_past", planned.move, row, timezone.now() - dt.timedelta(days=1), alice, "earlier")


def test_cancelling_and_moving_need_their_rights(pro: CatalogItem) -> None:
    row = make.make_price(pro, "instance_hour", "1.60", valid_from=soon())
    nobody = make.make_user("nobody", "upload_prices")
    refused("right_missing", planned.void, row, nobody, "why")
    refused("right_missing", planned.move, row, soon(50), nobody, "why")


def test_planned_private_prices_are_listed_for_the_sales_group_only(alice: User, pro: CatalogItem) -> None:
    row = make.make_price(pro, "instance_hour", "1.30", valid_from=soon(), audience="sales")
    assert (listed(), listed("public", "sales")) == ([], [row])
    refused("right_missing", planned.void, row, alice, "why")
