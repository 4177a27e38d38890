"""What must be true before web and worker start, each told in one sentence: database, migrations, broker."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import django
from django.core.exceptions import ImproperlyConfigured

from vmcloud.logs import without_secrets

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper

CONNECT_TIMEOUT_S = 5


class NotReadyError(Exception):
    """The product cannot start; the message is one sentence for the person who starts it."""


def first_line(error: BaseException) -> str:
    """The first line of a driver's message, without its hints and without a full stop."""
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(". ")


@contextmanager
def plain_connection() -> Iterator["BaseDatabaseWrapper"]:
    """A connection outside the pool: a pool opened here would retry for half a minute and outlive a fork."""
    from django.conf import settings
    from django.db.utils import ConnectionHandler

    configured = settings.DATABASES["default"]
    options = {key: value for key, value in configured.get("OPTIONS", {}).items() if key != "pool"}
    if configured["ENGINE"].endswith("postgresql"):
        options.setdefault("connect_timeout", CONNECT_TIMEOUT_S)
    connection = ConnectionHandler({"default": {**configured, "OPTIONS": options}})["default"]
    try:
        yield connection
    finally:
        connection.close()


def check_database(connection: "BaseDatabaseWrapper") -> None:
    """The server accepts a connection."""
    from django.db import Error

    try:
        connection.ensure_connection()
    except Error as error:
        raise NotReadyError(f"The database does not answer: {first_line(error)}. Check DATABASE_URL.") from error


def applied_migrations(connection: "BaseDatabaseWrapper") -> set[tuple[str, str]]:
    """App and name of each migration that the database records; none in a new database."""
    with connection.cursor() as cursor:
        if "django_migrations" not in connection.introspection.table_names(cursor):
            return set()
        cursor.execute("SELECT app, name FROM django_migrations")
        return {(app, name) for app, name in cursor.fetchall()}


def check_migrations(connection: "BaseDatabaseWrapper") -> None:
    """Every migration of this version is applied; otherwise pages would fail one by one."""
    from django.db.migrations.loader import MigrationLoader

    # Django's executor would ask through the connection of the same alias, and so open the pool before gunicorn forks.
    missing = sorted(set(MigrationLoader(None).graph.nodes) - applied_migrations(connection))
    if missing:
        names = ", ".join(f"{app}.{name}" for app, name in missing[:3])
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        raise NotReadyError(f"The database lacks migrations: {names}{more}. Run `python manage.py migrate`.")


def check_broker() -> None:
    """Open one connection to the broker."""
    from kombu.exceptions import KombuError

    from vmcloud.celery import app

    # A Redis that accepts and then says nothing would otherwise be waited for without end.
    patience = {"socket_timeout": CONNECT_TIMEOUT_S} if "redis" in str(app.conf.broker_url) else {}
    try:
        with app.connection_for_write(connect_timeout=CONNECT_TIMEOUT_S, transport_options=patience) as connection:
            connection.ensure_connection(max_retries=1, timeout=CONNECT_TIMEOUT_S)
    except (KombuError, OSError, KeyError, ImportError, ValueError) as error:
        said = f"The task broker does not answer: {first_line(error)}. Check CELERY_BROKER_URL."
        raise NotReadyError(said) from error


def exit_unless_ready(*, migrations: bool = True, broker: bool = True) -> None:
    """Set Django up and run the checks; on failure print one sentence and end the process with status 1."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "vmcloud.settings")
    try:
        django.setup()
        with plain_connection() as connection:
            check_database(connection)
            if migrations:
                check_migrations(connection)
        if broker:
            check_broker()
    except (ImproperlyConfigured, NotReadyError) as error:
        sys.exit(f"VMCloud cannot start. {without_secrets(str(error))}")
