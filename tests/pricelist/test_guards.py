"""Guards: which changes warn, which are kept back for a second person, and which relations between prices must hold."""

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest

from calculator.models import CatalogItem
from calculator.pricelist.contract import Content, FileKind
from calculator.pricelist.guards import Guard, Level, guards_of, needs_second_person
from calculator.pricelist.known import known_of
from tests import factories as make
from tests.pricelist import linefactory as given
from tests.pricelist.linefactory import diff, price, rate, sku_fields

pytestmark = pytest.mark.django_db


def guards(*contents: Content, audience: str = "public", **values: Any) -> tuple[Guard, ...]:
    found = diff(*contents, audience=audience, **values)
    return guards_of(found, known_of(found.version, audience))


def told(*contents: Content, **values: Any) -> list[tuple[int, str, str]]:
    return [(guard.line_no, guard.code, guard.level.value) for guard in guards(*contents, **values)]


@pytest.fixture
def pro() -> CatalogItem:
    sku = make.make_sku("GPU-PRO", gpu=make.make_gpu("RTX 4090"))
    make.make_price(sku, "instance_hour", "1.50")
    return sku


@pytest.fixture
def gpt() -> CatalogItem:
    model = make.make_api("gpt-5.4")
    make.make_rates(model, "2.50", "0.25", "15.00")
    make.make_rates(model, "5.00", "0.50", "22.50", context_over=272_000)
    make.make_rates(model, "1.25", "0.13", "7.50", mode="batch")
    return model


# --- size of a change


@pytest.mark.parametrize(
    ("amount", "code", "level"),
    [
        ("1.50", None, None),
        ("1.80", None, None),
        ("1.81", "changes_over_fifth", "warn"),
        ("1.20", None, None),
        ("1.19", "changes_over_fifth", "warn"),
        ("2.25", "changes_over_fifth", "warn"),
        ("2.26", "changes_over_half", "block"),
        ("0.75", "changes_over_fifth", "warn"),
        ("0.74", "changes_over_half", "block"),
        ("14.30", "factor_ten", "block"),
        ("15.00", "factor_ten", "block"),
        ("0.15", "factor_ten", "block"),
        ("1500", "factor_thousand", "block"),
        ("0.0015", "factor_thousand", "block"),
        ("1095", "factor_hours_of_a_month", "block"),
        ("1080", "factor_hours_of_a_month", "block"),
        ("0.0020548", "factor_hours_of_a_month", "block"),
        ("0.6667", "looks_inverted", "block"),
    ],
)
def test_a_change_is_judged_by_its_size_and_by_usual_slips(
    pro: CatalogItem, amount: str, code: str | None, level: str | None
) -> None:
    expected = [] if code is None else [(2, code, level)]
    assert told(price("GPU-PRO", "instance_hour", amount)) == expected


def test_a_small_change_around_one_is_not_taken_for_an_inverse() -> None:
    make.make_price(make.make_sku("GPU-ONE"), "instance_hour", "1.00")
    assert told(price("GPU-ONE", "instance_hour", "1.01")) == []


def test_percent_is_of_the_old_amount(pro: CatalogItem) -> None:
    (guard,) = guards(price("GPU-PRO", "instance_hour", "3.00"))
    assert (guard.level, guard.values["percent"]) == (Level.BLOCK, pytest.approx(100))
    assert needs_second_person([guard])


def test_warnings_alone_need_nobody_else(pro: CatalogItem) -> None:
    assert not needs_second_person(guards(price("GPU-PRO", "instance_hour", "1.90")))


def test_p31_an_hour_at_the_price_of_the_month_is_blocked(pro: CatalogItem) -> None:
    make.make_price(pro, "instance_month", "830.64")
    found = guards(price("GPU-PRO", "instance_hour", "830.64"))
    assert [(guard.code, guard.level) for guard in found] == [
        ("changes_over_half", Level.BLOCK),
        ("looks_like_instance_month", Level.BLOCK),
    ]
    assert found[0].values["percent"] == pytest.approx((553.76 - 1) * 100)
    assert found[1].values["amount"] == Decimal("830.64")


def test_p31_a_month_at_the_price_of_the_hour_is_blocked(pro: CatalogItem) -> None:
    assert told(price("GPU-PRO", "instance_month", "1.50")) == [(2, "looks_like_instance_hour", "block")]


def test_p30_a_price_a_million_times_too_large_is_blocked(gpt: CatalogItem) -> None:
    found = told(price("gpt-5.4", "output", "15000"), kind=FileKind.LLM)
    assert (2, "factor_thousand", "block") in found


def test_a_price_that_was_free_needs_a_second_person(pro: CatalogItem) -> None:
    make.make_price(pro, "instance_month", "0", kind="free")
    assert told(price("GPU-PRO", "instance_month", "800")) == [(2, "was_free", "block")]


def test_a_price_that_becomes_free_is_a_change_of_a_hundred_percent(pro: CatalogItem) -> None:
    assert told(price("GPU-PRO", "instance_hour", "0", kind="free")) == [(2, "changes_over_half", "block")]


def test_a_new_price_beyond_what_is_usual_is_pointed_out(pro: CatalogItem) -> None:
    assert told(price("GPU-PRO", "instance_hour", "501", mode="reserved")) == [(2, "unusual_amount", "warn")]
    assert told(price("GPU-PRO", "instance_hour", "499", mode="reserved")) == []


def test_a_withdrawal_is_no_change_of_amount(pro: CatalogItem) -> None:
    assert told(price("GPU-PRO", "instance_hour", None)) == []


def test_the_end_of_a_promotion_is_not_a_change_of_its_own(pro: CatalogItem) -> None:
    line = price("GPU-PRO", "instance_hour", "1.40", valid_until=given.instant("2027-01-01T00:00:00+01:00"))
    assert told(line) == []


def test_a_private_price_is_judged_against_the_public_one(pro: CatalogItem) -> None:
    assert told(price("GPU-PRO", "instance_hour", "0.70"), audience="sales") == [(2, "changes_over_half", "block")]


# --- relations


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ({"component": "cache_read", "amount": "0.25", "context_over": 0}, None),
        ({"component": "input", "amount": "2.40"}, None),
        ({"component": "output", "amount": "7.50", "mode": "batch"}, None),
    ],
)
def test_relations_that_hold_say_nothing(gpt: CatalogItem, line: dict[str, Any], code: None) -> None:
    assert told(price("gpt-5.4", **line), kind=FileKind.LLM) == []


def relation_codes(*contents: Content, **values: Any) -> list[tuple[str, str]]:
    named = ("cache_read", "batch", "long_context", "spot", "machine")
    return [(code, level) for _line, code, level in told(*contents, **values) if code.startswith(named)]


def test_a_cached_read_above_the_input_is_blocked(gpt: CatalogItem) -> None:
    found = relation_codes(price("gpt-5.4", "cache_read", "2.51"), kind=FileKind.LLM)
    assert ("cache_read_above_input", "block") in found


def test_an_input_under_the_cached_read_is_blocked_too(gpt: CatalogItem) -> None:
    found = relation_codes(price("gpt-5.4", "input", "0.24"), kind=FileKind.LLM)
    assert ("cache_read_above_input", "block") in found


def test_batch_above_standard_is_blocked(gpt: CatalogItem) -> None:
    found = relation_codes(price("gpt-5.4", "output", "15.01", mode="batch"), kind=FileKind.LLM)
    assert found == [("batch_above_standard", "block")]


def test_a_long_context_under_the_base_is_blocked(gpt: CatalogItem) -> None:
    found = relation_codes(price("gpt-5.4", "output", "14.99", context_over=272_000), kind=FileKind.LLM)
    assert found == [("long_context_below_base", "block")]


def test_spot_above_on_demand_is_blocked(pro: CatalogItem) -> None:
    found = relation_codes(price("GPU-PRO", "instance_hour", "1.51", mode="spot"))
    assert found == [("spot_above_on_demand", "block")]


def test_two_lines_that_rise_together_keep_their_relation(gpt: CatalogItem) -> None:
    found = relation_codes(price("gpt-5.4", "input", "3.00"), price("gpt-5.4", "cache_read", "0.30"), kind=FileKind.LLM)
    assert found == []


@pytest.mark.parametrize(
    ("amount", "code"),
    [
        ("12.00", None),
        ("6.00", None),
        ("18.00", None),
        ("5.99", "machine_too_cheap"),
        ("18.01", "machine_too_dear"),
        ("1.50", "machine_too_cheap"),
    ],
)
def test_p33_eight_gpus_cost_near_eight_times_one(pro: CatalogItem, amount: str, code: str | None) -> None:
    make.make_sku("GPU-PRO-8", gpu=pro.gpu, gpu_count=8)
    expected = [] if code is None else [(code, "block")]
    assert relation_codes(price("GPU-PRO-8", "instance_hour", amount)) == expected


def test_p33_a_single_price_that_leaves_its_machine_behind_is_blocked(pro: CatalogItem) -> None:
    make.make_price(make.make_sku("GPU-PRO-8", gpu=pro.gpu, gpu_count=8), "instance_hour", "12.00")
    assert relation_codes(price("GPU-PRO", "instance_hour", "3.01")) == [("machine_too_cheap", "block")]


def test_p33_a_new_machine_of_eight_is_compared_as_the_file_describes_it(pro: CatalogItem) -> None:
    line = price("GPU-8", "instance_hour", "1.50", item=sku_fields(gpu_count=8))
    assert relation_codes(line) == [("machine_too_cheap", "block")]


def test_a_relation_that_was_broken_before_is_only_shown(gpt: CatalogItem) -> None:
    make.make_price(gpt, "input", "3", mode="flex")
    make.make_price(gpt, "cache_read", "4", mode="flex")
    found = relation_codes(price("gpt-5.4", "cache_read", "4.10", mode="flex"), kind=FileKind.LLM)
    assert found == [("cache_read_above_input", "warn")]


def test_relations_are_judged_at_the_instant_of_the_line() -> None:
    later = given.instant("2027-01-01T00:00:00+01:00")
    plain = make.make_api("plain")
    make.make_rates(plain, "2.50", "0.25", "15.00")
    make.make_price(plain, "input", "2.00", valid_from=later)
    now = relation_codes(price("plain", "cache_read", "2.20"), kind=FileKind.LLM)
    then = relation_codes(price("plain", "cache_read", "2.20", valid_from=later), kind=FileKind.LLM)
    assert (now, then) == ([], [("cache_read_above_input", "block")])


# --- exchange rates


@pytest.fixture
def october(pro: CatalogItem) -> None:
    for day, value in (("2026-10-29", "1.1130"), ("2026-10-30", "1.1172")):
        make.make_fx(dt.date.fromisoformat(day), value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1.1172", []),
        ("1.1730", []),
        ("1.1731", ["rate_jumps"]),
        ("1.0614", []),
        ("1.0613", ["rate_jumps"]),
        ("0.8951", ["rate_inverted"]),
    ],
)
def test_a_rate_moves_by_five_percent_a_day_at_most(october: None, value: str, expected: list[str]) -> None:
    found = told(rate("2026-11-02", value), kind=FileKind.FX)
    assert [code for _line, code, _level in found] == expected
    assert all(level == "block" for _line, _code, level in found)


def test_p43_a_rate_upside_down_is_blocked_and_named(october: None) -> None:
    (guard,) = guards(rate("2026-10-30", "0.8951"), kind=FileKind.FX)
    assert (guard.code, guard.level, guard.values["before"]) == ("rate_inverted", Level.BLOCK, Decimal("1.1172"))


def test_rates_of_one_file_are_compared_with_each_other(october: None) -> None:
    found = told(rate("2026-11-03", "1.2400"), rate("2026-11-02", "1.1700"), kind=FileKind.FX)
    assert found == [(2, "rate_jumps", "block")]


def test_the_first_rate_of_all_has_nothing_to_be_compared_with(pro: CatalogItem) -> None:
    assert told(rate("2026-10-30", "0.8951"), kind=FileKind.FX) == []


def test_a_rate_before_the_first_recorded_one_is_compared_with_it(october: None) -> None:
    assert told(rate("2026-10-28", "1.30"), kind=FileKind.FX) == [(2, "rate_jumps", "block")]
