"""A file against the catalogue: what is new, changed, unchanged, withdrawn; what gives way; and nothing written."""

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.apps import apps
from django.core import mail
from django.core.cache import cache
from django.db import connection

from calculator.models import CatalogItem, PriceRow
from calculator.pricelist.contract import FileKind, Price
from calculator.pricelist.plan import PlannedPrice, Verdict
from tests import factories as make
from tests.pricelist import linefactory as given
from tests.pricelist.linefactory import codes, diff, entry, instant, price

pytestmark = pytest.mark.django_db
DECEMBER, JANUARY, FEBRUARY = (
    instant("2026-12-16T00:00:00+01:00"),
    instant("2027-01-16T00:00:00+01:00"),
    instant("2027-02-01T00:00:00+01:00"),
)


@pytest.fixture
def pro() -> CatalogItem:
    sku = make.make_sku("GPU-PRO")
    make.make_price(sku, "instance_hour", "1.50")
    return sku


def planned(found: Any) -> list[tuple[str, str | None, dt.datetime | None]]:
    return [
        (write.kind, None if write.amount is None else f"{write.amount.normalize():f}", write.valid_from)
        for write in found.writes
        if isinstance(write, PlannedPrice)
    ]


# --- verdicts


def test_a_higher_price_is_a_change_with_both_amounts_and_percent(pro: CatalogItem) -> None:
    found = entry(price("GPU-PRO", "instance_hour", "1.80"))
    assert (found.verdict, found.old, found.new) == (Verdict.CHANGED, Decimal("1.50"), Decimal("1.80"))
    assert found.percent == pytest.approx(20)
    assert found.current_row == PriceRow.objects.get().pk
    assert planned(found) == [("price", "1.8", None)]


def test_a_component_without_a_price_is_new(pro: CatalogItem) -> None:
    found = entry(price("GPU-PRO", "instance_month", "830.64"))
    assert (found.verdict, found.old, found.percent) == (Verdict.NEW, None, None)


def test_p08_the_same_amount_written_otherwise_changes_nothing() -> None:
    make.make_price(make.make_sku("GPU-PRO"), "instance_hour", "1.4")
    found = diff(price("GPU-PRO", "instance_hour", "1.40"))
    assert (found.entries[0].verdict, found.is_empty) == (Verdict.UNCHANGED, True)


def test_codes_match_in_any_case_and_never_by_their_beginning(pro: CatalogItem) -> None:
    assert entry(price("gpu-pro", "instance_hour", "1.50")).verdict is Verdict.UNCHANGED
    found = diff(price("GPU-PR", "instance_hour", "1.50"))
    assert codes(found) == [(2, "new_item_needs")]
    assert found.problems[0].values["nearest"] == "GPU-PRO"


def test_another_name_that_holds_leads_to_the_item() -> None:
    model = make.make_api("gpt-5.4")
    make.make_price(model, "output", "15.00")
    make.make_alias(model, "gpt-latest", valid_from=make.START)
    assert entry(price("GPT-Latest", "output", "15"), kind=FileKind.LLM).verdict is Verdict.UNCHANGED


def test_p15_a_file_of_one_gpu_leaves_the_others_alone(pro: CatalogItem) -> None:
    for code, amount in (("GPU-STARTER", "0.85"), ("GPU-ENTERPRISE", "4.20"), ("GPU-TITAN", "5.40")):
        make.make_price(make.make_sku(code), "instance_hour", amount)
    found = diff(price("GPU-PRO", "instance_hour", "1.60"))
    assert [(one.item, one.verdict) for one in found.entries] == [("GPU-PRO", Verdict.CHANGED)]
    assert found.counts == {"changed": 1, "warning": 0, "error": 0}


def test_p15_only_an_explicit_line_withdraws(pro: CatalogItem) -> None:
    found = entry(price("GPU-PRO", "instance_hour", None))
    assert (found.verdict, found.old, found.new) == (Verdict.WITHDRAWN, Decimal("1.50"), None)
    assert planned(found) == [("withdrawn", None, None)]


def test_withdrawing_what_is_not_sold_is_said_and_writes_nothing(pro: CatalogItem) -> None:
    found = diff(price("GPU-PRO", "instance_month", None))
    assert codes(found) == [(2, "nothing_to_withdraw")]
    assert (found.is_empty, found.errors) == (True, ())


def test_a_price_after_a_withdrawal_is_new_again(pro: CatalogItem) -> None:
    make.make_price(pro, "instance_hour", None, valid_from=make.NOW - dt.timedelta(days=2))
    assert entry(price("GPU-PRO", "instance_hour", "1.50")).verdict is Verdict.NEW


def test_p14_free_is_an_amount_of_its_own(pro: CatalogItem) -> None:
    found = entry(price("GPU-PRO", "instance_hour", "0", kind="free"))
    assert (found.verdict, found.new) == (Verdict.CHANGED, Decimal(0))
    assert found.percent == -100


def test_p31_the_month_is_a_component_of_its_own(pro: CatalogItem) -> None:
    found = diff(price("GPU-PRO", "instance_month", "830.64"), price("GPU-PRO", "instance_hour", "1.50"))
    assert [one.verdict for one in found.entries] == [Verdict.NEW, Verdict.UNCHANGED]


@pytest.mark.parametrize(
    "other", [{"mode": "spot"}, {"region": "eu-west"}, {"window": "peak"}, {"currency": "USD"}, {"mode": "reserved"}]
)
def test_each_condition_is_a_price_of_its_own(pro: CatalogItem, other: dict[str, str]) -> None:
    assert entry(price("GPU-PRO", "instance_hour", "1.50", **other)).verdict is Verdict.NEW


def test_entries_keep_the_order_and_text_of_the_file(pro: CatalogItem) -> None:
    make.make_price(make.make_sku("GPU-TITAN"), "instance_hour", "5.40")
    found = diff(
        price("GPU-TITAN", "instance_hour", "5.50"),
        price("GPU-PRO", "instance_month", "800"),
        price("GPU-TITAN", "instance_month", "3000"),
    )
    assert [(one.line_no, one.raw) for one in found.entries] == [(2, "line 2"), (3, "line 3"), (4, "line 4")]


# --- time


def test_p26_a_planned_change_planned_again_at_its_start_gives_way(pro: CatalogItem) -> None:
    row = make.make_price(pro, "instance_hour", "1.60", valid_from=DECEMBER)
    found = entry(price("GPU-PRO", "instance_hour", "1.65", valid_from=DECEMBER))
    assert (found.verdict, found.old, found.voids) == (Verdict.CHANGED, Decimal("1.60"), (row.pk,))
    assert planned(found) == [("price", "1.65", DECEMBER)]


def test_a_start_that_has_passed_cannot_be_given_another_amount(pro: CatalogItem) -> None:
    found = diff(price("GPU-PRO", "instance_hour", "1.60", valid_from=make.START))
    assert codes(found) == [(2, "start_taken")]
    assert (found.entries[0].verdict, found.is_empty) == (Verdict.ERROR, True)


def test_a_start_in_the_past_is_marked(pro: CatalogItem) -> None:
    found = diff(price("GPU-PRO", "instance_hour", "1.60", valid_from=make.NOW - dt.timedelta(days=30)))
    assert found.is_backdated
    assert not diff(price("GPU-PRO", "instance_hour", "1.60", valid_from=DECEMBER)).is_backdated
    assert not diff(price("GPU-PRO", "instance_hour", "1.60")).is_backdated


def test_a_past_start_that_changes_nothing_is_not_marked(pro: CatalogItem) -> None:
    assert not diff(price("GPU-PRO", "instance_hour", "1.50", valid_from=make.START)).is_backdated


def test_p27_a_promotion_is_two_rows_the_second_restores_what_stood_before(pro: CatalogItem) -> None:
    found = entry(price("GPU-PRO", "instance_hour", "1.20", valid_from=DECEMBER, valid_until=JANUARY))
    assert planned(found) == [("price", "1.2", DECEMBER), ("price", "1.5", JANUARY)]


def test_p27_a_promotion_of_what_was_not_sold_ends_in_a_withdrawal(pro: CatalogItem) -> None:
    found = entry(price("GPU-PRO", "instance_month", "500", valid_until=JANUARY))
    assert planned(found) == [("price", "500", None), ("withdrawn", None, JANUARY)]


def test_p27_a_planned_price_inside_a_promotion_gives_way_and_holds_after_it(pro: CatalogItem) -> None:
    row = make.make_price(pro, "instance_hour", "1.60", valid_from=JANUARY)
    found = entry(price("GPU-PRO", "instance_hour", "1.20", valid_from=DECEMBER, valid_until=FEBRUARY))
    assert found.voids == (row.pk,)
    assert planned(found) == [("price", "1.2", DECEMBER), ("price", "1.6", FEBRUARY)]


def test_p27_a_promotion_ends_where_a_planned_price_begins_anyway(pro: CatalogItem) -> None:
    make.make_price(pro, "instance_hour", "1.60", valid_from=JANUARY)
    found = entry(price("GPU-PRO", "instance_hour", "1.20", valid_from=DECEMBER, valid_until=JANUARY))
    assert (planned(found), found.voids) == ([("price", "1.2", DECEMBER)], ())


def test_p27_an_end_before_the_application_is_an_error(pro: CatalogItem) -> None:
    found = diff(price("GPU-PRO", "instance_hour", "1.20", valid_until=make.NOW - dt.timedelta(days=1)))
    assert codes(found) == [(2, "ends_before_application")]


def test_p27_a_period_over_prices_that_were_in_force_is_an_error(pro: CatalogItem) -> None:
    make.make_price(pro, "instance_hour", "1.55", valid_from=make.NOW - dt.timedelta(days=10))
    past = make.NOW - dt.timedelta(days=20)
    found = diff(price("GPU-PRO", "instance_hour", "1.20", valid_from=past, valid_until=DECEMBER))
    assert codes(found) == [(2, "price_inside_period")]


def test_lines_of_one_price_follow_each_other_in_time_whatever_their_order(pro: CatalogItem) -> None:
    found = diff(
        price("GPU-PRO", "instance_hour", "1.70", valid_from=JANUARY),
        price("GPU-PRO", "instance_hour", "1.60", valid_from=DECEMBER),
    )
    assert [(one.old, one.new) for one in found.entries] == [
        (Decimal("1.60"), Decimal("1.70")),
        (Decimal("1.50"), Decimal("1.60")),
    ]


def test_p29_a_price_is_compared_with_the_one_in_force_at_its_own_start(pro: CatalogItem) -> None:
    make.make_price(pro, "instance_hour", "1.60", valid_from=DECEMBER)
    before = entry(price("GPU-PRO", "instance_hour", "1.55", valid_from=DECEMBER - dt.timedelta(seconds=1)))
    after = entry(price("GPU-PRO", "instance_hour", "1.55", valid_from=DECEMBER + dt.timedelta(seconds=1)))
    assert (before.old, after.old) == (Decimal("1.50"), Decimal("1.60"))


# --- exchange rates


def test_a_rate_of_a_new_day_is_new_and_a_recorded_one_unchanged(pro: CatalogItem) -> None:
    make.make_fx(dt.date(2026, 10, 30), "1.1172")
    found = diff(given.rate("2026-10-30", "1.11720"), given.rate("2026-11-02", "1.12"), kind=FileKind.FX)
    assert [one.verdict for one in found.entries] == [Verdict.UNCHANGED, Verdict.NEW]


def test_another_rate_of_a_recorded_day_corrects_it_and_says_so(pro: CatalogItem) -> None:
    row = make.make_fx(dt.date(2026, 10, 30), "1.1172")
    found = diff(given.rate("2026-10-30", "1.1173"), kind=FileKind.FX)
    assert codes(found) == [(2, "rate_corrected")]
    assert (found.entries[0].verdict, found.entries[0].voids, found.errors) == (Verdict.CHANGED, (row.pk,), ())


def test_rates_of_two_sources_are_two_rates(pro: CatalogItem) -> None:
    make.make_fx(dt.date(2026, 10, 30), "1.1172")
    assert entry(given.rate("2026-10-30", "1.12", source="manual"), kind=FileKind.FX).verdict is Verdict.NEW


# --- private prices


def test_a_private_price_is_compared_with_the_public_one_and_stands_beside_it(pro: CatalogItem) -> None:
    found = entry(price("GPU-PRO", "instance_hour", "1.20"), audience="sales")
    assert (found.verdict, found.old, found.current_row) == (Verdict.NEW, Decimal("1.50"), None)
    assert found.percent == pytest.approx(-20)


def test_a_public_file_sees_no_private_price(pro: CatalogItem) -> None:
    make.make_price(pro, "instance_hour", "1.20", audience="sales")
    assert entry(price("GPU-PRO", "instance_hour", "1.20")).old == Decimal("1.50")
    assert entry(price("GPU-PRO", "instance_hour", "1.20"), audience="sales").verdict is Verdict.UNCHANGED


# --- nothing is written


def counts() -> dict[str, int]:
    return {model.__name__: model._default_manager.count() for model in apps.get_app_config("calculator").get_models()}


def test_p17_comparing_three_times_writes_nothing_at_all(
    pro: CatalogItem, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    make.make_price(pro, "instance_hour", "1.60", valid_from=DECEMBER)
    cache.set("kept", 1)
    before, statements = counts(), []

    def only_reads(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        statements.append(sql)
        assert sql.startswith("SELECT"), sql
        return execute(sql, *rest)

    with connection.execute_wrapper(only_reads), django_capture_on_commit_callbacks() as callbacks:
        for _again in range(3):
            diff(price("GPU-PRO", "instance_hour", "1.70"), price("GPU-NEW", "instance_hour", "1"), at=make.NOW)
    assert statements and not callbacks
    assert counts() == before
    assert (mail.outbox, cache.get("kept")) == ([], 1)


def test_the_digest_depends_on_what_is_written_and_not_on_the_moment(pro: CatalogItem) -> None:
    def digest(line: Price, **values: Any) -> str:
        return diff(line, **values).digest

    one = digest(price("GPU-PRO", "instance_hour", "1.70"))
    assert digest(price("GPU-PRO", "instance_hour", "1.70"), at=make.NOW + dt.timedelta(hours=3)) == one
    assert digest(price("GPU-PRO", "instance_hour", "1.71")) != one
    assert digest(price("GPU-PRO", "instance_hour", "1.70", valid_from=DECEMBER)) != one
    assert digest(price("GPU-PRO", "instance_hour", "1.70"), audience="sales") != one
    make.make_version()
    assert digest(price("GPU-PRO", "instance_hour", "1.70")) != one
