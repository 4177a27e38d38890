"""Tests that really commit empty all tables afterwards; on SQLite that is a DELETE, which append-only tables refuse.

For the length of that one flush the triggers are taken away, and put back. PostgreSQL truncates, which no row trigger
sees.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import DataError, IntegrityError, transaction
from django.db.backends.sqlite3.base import DatabaseWrapper

from calculator import triggers
from sales import triggers as closed


def around(flush: Callable[..., list[str]]) -> Callable[..., list[str]]:
    """`flush` with the statements that drop the triggers before it and create them after it."""

    def sql_flush(*args: Any, **options: Any) -> list[str]:
        statements = flush(*args, **options)
        if not statements:
            return []
        before = [sql for guard in triggers.GUARDS for sql in triggers.removal_statements("sqlite", guard)]
        before += [sql for rule in closed.RULES for sql in closed.removal_statements("sqlite", rule)]
        after = [sql for guard in triggers.GUARDS for sql in triggers.creation_statements("sqlite", guard)]
        after += [sql for rule in closed.RULES for sql in closed.creation_statements("sqlite", rule)]
        return [*before, *statements, *after]

    return sql_flush


@pytest.fixture(scope="session", autouse=True)
def flushable_tables() -> Iterator[None]:
    """Let the end of a test that commits empty the append-only tables."""
    operations = DatabaseWrapper.ops_class
    original = operations.sql_flush
    operations.sql_flush = around(original)
    yield
    operations.sql_flush = original


def refused(write: Any, *args: Any, **values: Any) -> None:
    """The database refuses the write (PostgreSQL calls a number too long for its column a data error)."""
    with pytest.raises((IntegrityError, DataError)), transaction.atomic():
        write(*args, **values)
