"""`manage.py seed`: load the fixtures; run again, it changes nothing."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from calculator.seeding import SeedError, seed


class Command(BaseCommand):
    help = "Loads the catalogue from fixtures/ (idempotent; changes are appended as a new version)."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self.stdout.write(seed())
        except SeedError as error:
            raise CommandError(str(error)) from error
