"""`manage.py unlock`: let somebody in again who failed too often."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from vmcloud.accounts import attempts


class Command(BaseCommand):
    help = "Forget the failed logins of a name, of an address, or of that name from that address."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", nargs="?", default="")
        parser.add_argument("--address", default="", help="an IP address")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["name"] and not options["address"]:
            raise CommandError("Give a name, --address, or both.")
        count = attempts.unlock(options["name"], options["address"])
        self.stdout.write(f"{count} records of failed logins forgotten.")
