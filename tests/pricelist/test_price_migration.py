"""Prices recorded before private ones existed are public afterwards, and the guards stand again; forth and back."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.platform import processes

ROWS = (
    "INSERT INTO calculator_catalogversion (number, kind, summary, created_at) "
    "VALUES (1, 'seed', '', '2026-11-30 12:00:00')",
    "INSERT INTO calculator_catalogitem (id, kind, code, provider, label_fr, label_en, gpu_count, vram_gb, "
    "interconnect, status, is_test_host, position, note, catalog_version_id) "
    "VALUES (1, 'gpu_sku', 'GPU-PRO', 'VMCloud', '', '', 1, 24, '', 'offered', false, 0, '', 1)",
    'INSERT INTO calculator_pricerow (id, item_id, component, mode, region, context_over, "window", kind, amount, '
    "currency, unit, tax_basis, valid_from, origin, source_url, checked_on, note, note_fr, catalog_version_id, "
    "recorded_at, void_reason) VALUES (1, 1, 'instance_hour', 'on_demand', '*', 0, 'all', 'price', 1.5, 'EUR', "
    "'instance_hour', 'HT', '2026-01-01 00:00:00', 'manual', '', '2026-11-30', '', '', 1, '2026-11-30 12:00:00', '')",
)
AMOUNTS = "SELECT amount FROM calculator_pricerow"
AUDIENCES = "SELECT audience FROM calculator_pricerow"
CHEAPER = "UPDATE calculator_pricerow SET amount = 0.5"


def migrate(name: str, **environment: str) -> None:
    done = processes.manage("migrate", "calculator", name, "-v0", **environment)
    assert done.returncode == 0, done.stderr


def test_prices_of_before_are_public_on_sqlite(tmp_path: Path) -> None:
    def run(*statements: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(tmp_path / "db.sqlite3")) as database, database:
            return [row for statement in statements for row in database.execute(statement)]

    migrate("0005", VMCLOUD_VAR=str(tmp_path))
    run(*ROWS)
    migrate("0006", VMCLOUD_VAR=str(tmp_path))
    assert run(AUDIENCES) == [("public",)]
    for statement in (CHEAPER, "UPDATE calculator_pricerow SET audience = 'sales'", "DELETE FROM calculator_pricerow"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            run(statement)
    migrate("0005", VMCLOUD_VAR=str(tmp_path))
    assert run(AMOUNTS) == [(1.5,)]
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        run(CHEAPER)


@pytest.mark.postgres
def test_prices_of_before_are_public_on_postgresql(tmp_path: Path, empty_database: str) -> None:
    here = {"VMCLOUD_VAR": str(tmp_path), "DATABASE_URL": empty_database}

    def run(*statements: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(empty_database) as database:
            cursors = [database.execute(statement) for statement in statements]
            return [row for cursor in cursors if cursor.description for row in cursor.fetchall()]

    migrate("0005", **here)
    run(*ROWS)
    migrate("0006", **here)
    assert run(AUDIENCES) == [("public",)]
    for statement in (CHEAPER, "UPDATE calculator_pricerow SET audience = 'sales'", "DELETE FROM calculator_pricerow"):
        with pytest.raises(psycopg.errors.IntegrityConstraintViolation, match="append-only"):
            run(statement)
    migrate("0005", **here)
    assert [float(amount) for (amount,) in run(AMOUNTS)] == [1.5]
