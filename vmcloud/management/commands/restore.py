"""`manage.py restore FILE`: put a backup back; what was there is kept in var/backups/."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from vmcloud import archive
from vmcloud.management.commands.backup import refuse_postgresql


class Command(BaseCommand):
    help = "Replace database, secret key, uploads and recorded runs by those of a backup; the present ones are kept."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="a file that `make backup` wrote")

    def handle(self, *args: Any, **options: Any) -> None:
        refuse_postgresql()
        if not options["file"]:
            raise CommandError("Name the backup: make restore FILE=var/backups/vmcloud-….tar.gz")
        try:
            kept = archive.restore(settings.VAR_DIR, Path(options["file"]), timezone.localtime())
        except archive.ArchiveError as error:
            raise CommandError(str(error)) from error
        call_command("migrate", interactive=False, verbosity=0)
        self.stdout.write("Restored." + (f" What was there before is in {kept}." if kept else ""))
