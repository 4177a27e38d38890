"""What the tests of the calculators share: the catalogue as `make run` loads it."""

import datetime as dt
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection, transaction

from calculator import catalog
from tests import factories


@pytest.fixture
def catalogue(db: None) -> Iterator[None]:
    """The seeded catalogue, and nothing kept in memory of another test's."""
    catalog.forget()
    call_command("seed", verbosity=0)
    yield
    catalog.forget()


@pytest.fixture
def noon(monkeypatch: pytest.MonkeyPatch) -> dt.datetime:
    """Now is 2026-11-30 at noon UTC, whenever the tests run: what is retired, stale or announced does not move."""
    monkeypatch.setattr("django.utils.timezone.now", lambda: factories.NOW)
    return factories.NOW


@pytest.fixture(scope="module")
def seeded_once(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """The seed, loaded once for a module and rolled back after it."""
    catalog.forget()
    with django_db_blocker.unblock(), transaction.atomic():
        call_command("seed", verbosity=0)
        yield
        transaction.set_rollback(True)
    catalog.forget()


@pytest.fixture
def seeded(seeded_once: None, db: None) -> Iterator[None]:
    """The seeded catalogue for a test of a module in which every test wants it; much faster than `catalogue`.

    What was read of it stays in memory for the next test of the module, unless this one writes to the database.
    """
    written: list[str] = []

    def noting(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        if sql.startswith(("INSERT", "UPDATE", "DELETE")):
            written.append(sql)
        return execute(sql, *rest)

    with connection.execute_wrapper(noting):
        yield
    if written:
        catalog.forget()
