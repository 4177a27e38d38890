"""Migrations on a real SQLite file: rows are kept, and the append-only triggers cover the columns of the moment."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.platform import processes

SAVED = (
    "INSERT INTO calculator_estimatesnapshot "
    "(slug, calculator, query, catalog_version_id, hours_per_month, rounding, results, created_at) "
    "VALUES ('kept', 'economics', 'v=1', 1, '730.00', 'none', '{}', '2026-11-30 12:00:00')"
)
VERSION = (
    "INSERT INTO calculator_catalogversion (number, kind, summary, created_at) "
    "VALUES (1, 'seed', '', '2026-11-30 12:00:00')"
)


def migrate(var: Path, name: str) -> None:
    done = processes.manage("migrate", "calculator", name, "-v0", VMCLOUD_VAR=str(var))
    assert done.returncode == 0, done.stderr


def triggers(var: Path) -> dict[str, str]:
    with closing(sqlite3.connect(var / "db.sqlite3")) as database:
        found: dict[str, str] = dict(database.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"))
        return found


def run(var: Path, *statements: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(var / "db.sqlite3")) as database:
        rows = [row for statement in statements for row in database.execute(statement)]
        database.commit()
        return rows


def test_the_guards_follow_the_columns_forth_and_back_and_rows_stay(tmp_path: Path) -> None:
    migrate(tmp_path, "0002")
    before = triggers(tmp_path)
    run(tmp_path, VERSION, SAVED)
    migrate(tmp_path, "0003")
    after = triggers(tmp_path)
    assert set(after) == set(before), "each table keeps its guards"
    for table in ("pricerow", "fxrate"):
        assert "note_fr" not in before[f"calculator_{table}_update"]
        assert 'NEW."note_fr" IS NOT OLD."note_fr"' in after[f"calculator_{table}_update"]
    assert run(tmp_path, "SELECT slug, hours_per_month_h FROM calculator_estimatesnapshot") == [("kept", 730)]
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        run(tmp_path, "DELETE FROM calculator_catalogversion")
    migrate(tmp_path, "0002")
    assert triggers(tmp_path) == before
    assert run(tmp_path, "SELECT hours_per_month FROM calculator_estimatesnapshot") == [(730,)]
