"""Data that many tests start from, made once a session and copied: a database with its tables, one with its catalogue,
a whole var/ as `make run` leaves it, and the same tables on PostgreSQL.

Nobody works in the originals; each test has a copy of its own.
"""

import shutil
import sqlite3
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from tests.platform import processes

FILE = "db.sqlite3"
PREPARING_S = 300
Copy = Callable[[Path], None]


def manage(*arguments: str, **environment: str) -> None:
    done = processes.run("manage.py", *arguments, timeout_s=PREPARING_S, **environment)
    assert done.returncode == 0, done.stderr


def copy_database(source: Path, folder: Path) -> None:
    """The database of one var/ into another, as one whole file whatever its journal."""
    folder.mkdir(parents=True, exist_ok=True)
    original, copy = sqlite3.connect(source / FILE), sqlite3.connect(folder / FILE)
    try:
        original.backup(copy)
    finally:
        copy.close()
        original.close()


@pytest.fixture(scope="session")
def migrated_var(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The original var/ with a database of all tables; to be copied."""
    folder = tmp_path_factory.mktemp("migrated")
    manage("migrate", "-v0", VMCLOUD_VAR=str(folder))
    return folder


@pytest.fixture(scope="session")
def seeded_var(tmp_path_factory: pytest.TempPathFactory, migrated_var: Path) -> Path:
    """The original var/ with the catalogue; to be copied."""
    folder = tmp_path_factory.mktemp("catalogue")
    copy_database(migrated_var, folder)
    manage("seed", "-v0", VMCLOUD_VAR=str(folder))
    return folder


@pytest.fixture(scope="session")
def prepared_var(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The original var/ as `make run` leaves it before the servers start; to be copied."""
    folder = tmp_path_factory.mktemp("prepared")
    done = processes.run("-m", "scripts.prepare", timeout_s=PREPARING_S, VMCLOUD_VAR=str(folder))
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="session")
def migrated(migrated_var: Path) -> Copy:
    """Puts a database with all tables and no row into a folder."""
    return lambda folder: copy_database(migrated_var, folder)


@pytest.fixture(scope="session")
def with_catalogue(seeded_var: Path) -> Copy:
    """Puts a database with the catalogue into a folder."""
    return lambda folder: copy_database(seeded_var, folder)


@pytest.fixture(scope="session")
def prepared(prepared_var: Path) -> Copy:
    """Makes a folder the var/ of a site that only has to be served."""
    return lambda folder: copy_var(prepared_var, folder)


def copy_var(source: Path, folder: Path) -> None:
    shutil.copytree(source, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns(f"{FILE}*"))
    copy_database(source, folder)


@contextmanager
def own_database(server_url: str, template: str = "template1") -> Iterator[str]:
    """The address of a new database of a server that others use too; it goes away afterwards."""
    name = f"own_{uuid.uuid4().hex}"
    with psycopg.connect(server_url, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
    yield urlsplit(server_url)._replace(path=f"/{name}").geturl()
    with psycopg.connect(server_url, autocommit=True) as server:
        server.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


@pytest.fixture
def empty_database(postgres_url: str) -> Iterator[str]:
    """The address of a new database of one test alone: tests that run side by side share the server."""
    with own_database(postgres_url) as url:
        yield url


@pytest.fixture(scope="session")
def migrated_template(postgres_url: str) -> Iterator[str]:
    """The name of a database with all tables, made once by each process that runs tests; nobody connects to it."""
    with own_database(postgres_url) as url:
        manage("migrate", "-v0", DATABASE_URL=url)
        yield urlsplit(url).path.removeprefix("/")


@pytest.fixture
def migrated_database(postgres_url: str, migrated_template: str) -> Iterator[str]:
    """The address of a new database of one test alone with all tables."""
    with own_database(postgres_url, migrated_template) as url:
        yield url
