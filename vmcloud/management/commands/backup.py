"""`manage.py backup`: database and secret key into one private file."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.utils import timezone

from vmcloud import archive

USE_PG_DUMP = (
    "The data is on PostgreSQL: use its own tools (pg_dump --format=custom, pg_restore). "
    "Keep {key} with the dump: sessions and links signed with it depend on it."
)


def refuse_postgresql() -> None:
    """A file copy of a server's data would not be a backup."""
    if connection.vendor != "sqlite":
        raise CommandError(USE_PG_DUMP.format(key=settings.VAR_DIR / archive.SECRET_KEY))


class Command(BaseCommand):
    help = (
        "Write the SQLite database, the secret key, uploaded files and what runs recorded to var/backups/ (mode 600), "
        "also while running."
    )
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        refuse_postgresql()
        try:
            written = archive.create(settings.VAR_DIR, timezone.localtime())
        except archive.ArchiveError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Wrote {written}. It holds the secret key: keep it private.")
