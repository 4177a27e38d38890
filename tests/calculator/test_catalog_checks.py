"""What `manage.py check --database default` says about the catalogue."""

import datetime as dt
from typing import Any

import pytest
from django.core.checks import CheckMessage, run_checks
from django.db import DatabaseError
from django.utils import timezone

from calculator import catalog, checks
from tests import factories as make

pytestmark = pytest.mark.django_db


def said() -> dict[str | None, CheckMessage]:
    return {message.id: message for message in checks.check_catalogue(databases=["default"])}


def today() -> dt.date:
    return timezone.localdate()


def test_an_empty_catalogue_asks_to_be_seeded() -> None:
    message = said()["calculator.W001"]
    assert message.hint is not None and "manage.py seed" in message.hint


def test_a_fresh_catalogue_is_silent() -> None:
    make.make_price(make.make_sku(), "instance_hour", "1.50", checked_on=today())
    make.make_fx(today(), "1.1172")
    assert said() == {}


def test_stale_prices_are_counted_and_the_oldest_named() -> None:
    old = today() - dt.timedelta(days=91)
    for number in range(5):
        checked = old - dt.timedelta(days=number)
        make.make_price(make.make_api(f"model-{number}"), "output", "1.00", checked_on=checked)
    text = said()["calculator.W002"].msg
    assert text.startswith("5 prices in force")
    assert "model-4 output" in text and "model-2 output" in text
    assert "model-1" not in text and text.endswith("….")


def test_an_old_rate_is_a_note_not_a_warning() -> None:
    make.make_sku()
    make.make_fx(today() - dt.timedelta(days=21), "1.1172")
    message = said()["calculator.I001"]
    assert "21 days old" in message.msg
    assert not message.is_serious()


def test_a_rate_of_ten_days_is_not_old() -> None:
    make.make_sku()
    make.make_fx(today() - dt.timedelta(days=10), "1.1172")
    assert said() == {}


def test_no_rate_is_said() -> None:
    make.make_sku()
    assert set(said()) == {"calculator.I002"}


@pytest.mark.parametrize("databases", [None, [], ["other"]])
def test_nothing_is_read_unless_the_database_is_asked_for(databases: Any) -> None:
    assert checks.check_catalogue(databases=databases) == []


def test_a_database_that_cannot_be_read_is_left_to_other_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> int:
        raise DatabaseError("no such table")

    monkeypatch.setattr(catalog, "latest_version", fails)
    assert said() == {}


def test_the_check_runs_with_the_database_checks_only() -> None:
    with_database = {message.id for message in run_checks(databases=["default"], tags=["database"])}
    assert "calculator.W001" in with_database
    assert "calculator.W001" not in {message.id for message in run_checks(tags=["models"])}
