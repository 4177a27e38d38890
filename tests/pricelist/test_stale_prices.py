"""The policy on old prices and rates: settings, system check, and the command for cron with its exit status."""

import datetime as dt
import io
import json
from typing import Any

import pytest
from django.core.checks import run_checks
from django.core.management import CommandError, call_command

from calculator import catalog, checks, staleness
from tests import factories as make

TODAY = dt.date(2026, 11, 30)


def days_ago(days: int) -> dt.date:
    return TODAY - dt.timedelta(days=days)


@pytest.mark.parametrize(
    ("age", "stale", "out"), [(90, False, False), (91, True, False), (180, True, False), (181, True, True)]
)
def test_a_price_is_pointed_out_after_90_days_and_leaves_quotes_after_180(age: int, stale: bool, out: bool) -> None:
    assert staleness.is_stale_price(days_ago(age), TODAY) is stale
    assert staleness.is_out_of_quotes(days_ago(age), TODAY) is out


def test_the_limits_are_settings(settings: Any) -> None:
    settings.PRICE_AMBER_DAYS, settings.PRICE_OUT_OF_QUOTES_DAYS = 10, 20
    settings.RATE_AMBER_WORKING_DAYS, settings.RATE_RED_WORKING_DAYS = 1, 2
    assert (staleness.price_days(), staleness.is_stale_price(days_ago(11), TODAY)) == (10, True)
    assert staleness.is_out_of_quotes(days_ago(21), TODAY)
    assert staleness.rate_mark(dt.date(2026, 11, 26), TODAY) == "amber"
    assert staleness.rate_mark(dt.date(2026, 11, 25), TODAY) == "red"


# Django's own checks of the models ask the database what it can do.
@pytest.mark.django_db
@pytest.mark.parametrize(
    "values",
    [
        {"PRICE_AMBER_DAYS": 200},
        {"PRICE_OUT_OF_QUOTES_DAYS": 89},
        {"RATE_AMBER_WORKING_DAYS": 11},
        {"RATE_RED_WORKING_DAYS": 3},
    ],
)
def test_limits_that_contradict_each_other_are_an_error_of_the_system_check(
    settings: Any, values: dict[str, int]
) -> None:
    assert [message.id for message in run_checks() if message.id == "calculator.E001"] == []
    for name, value in values.items():
        setattr(settings, name, value)
    assert [message.id for message in run_checks() if message.id == "calculator.E001"] == ["calculator.E001"]


# --- the command


@pytest.fixture
def prices(db: None) -> None:
    sku = make.make_sku()
    make.make_price(sku, "instance_hour", "1.50", checked_on=days_ago(5))
    make.make_fx(dt.date(2026, 11, 27), "1.1172")


def run(*arguments: str, day: str = "2026-11-30") -> tuple[int, str]:
    output = io.StringIO()
    try:
        call_command("stale_prices", "--on", day, *arguments, stdout=output)
    except SystemExit as status:
        return int(status.code or 0), output.getvalue()
    return 0, output.getvalue()


def old(age: int, **values: Any) -> None:
    make.make_price(make.make_api("gpt-5.4"), "output", "15", checked_on=days_ago(age), **values)


def test_fresh_prices_end_with_status_0(prices: None) -> None:
    assert run() == (0, "Exchange rate of 2026-11-27: fresh.\nNo price is old.\n")


def test_an_old_price_ends_with_status_1_and_is_named(prices: None) -> None:
    old(91)
    status, text = run()
    assert status == 1
    assert "gpt-5.4 output standard: checked on 2026-08-31, 91 days ago." in text


def test_a_price_out_of_quotes_ends_with_status_3(prices: None) -> None:
    old(181)
    status, text = run("--json")
    assert (status, json.loads(text)["prices"][0]["out_of_quotes"]) == (3, True)


@pytest.mark.parametrize(
    ("day", "status"), [("2026-12-03", 0), ("2026-12-04", 1), ("2026-12-11", 1), ("2026-12-14", 3)]
)
def test_p46_the_age_of_the_rate_decides_too(prices: None, day: str, status: int) -> None:
    """The rate is of Friday 27 November: four working days later is Thursday 3 December."""
    assert run(day=day)[0] == status


def test_without_any_rate_the_status_is_3(db: None) -> None:
    make.make_price(make.make_sku(), "instance_hour", "1.50", checked_on=TODAY)
    assert run() == (3, "Exchange rate of no day: too old.\nNo price is old.\n")


def test_private_prices_are_not_listed(prices: None) -> None:
    old(300, audience="sales")
    assert run()[0] == 0


def test_bad_input_and_an_empty_catalogue_are_said(db: None) -> None:
    for arguments in (["--on", "yesterday"], []):
        with pytest.raises(CommandError) as caught:
            call_command("stale_prices", *arguments)
        assert caught.value.returncode == 2


def test_the_system_check_names_prices_out_of_quotes(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django.utils.timezone.now", lambda: make.NOW)
    make.make_fx(dt.date(2026, 11, 27), "1.1172")
    old(181)
    messages = {message.id: message.msg for message in checks.check_catalogue(databases=["default"])}
    assert set(messages) == {"calculator.W002", "calculator.W003"}
    assert messages["calculator.W003"] == "1 prices are too old to enter a quote: gpt-5.4 output (2026-06-02)."
    assert [price.is_out_of_quotes for price in catalog.stale_prices(make.NOW)] == [True]
