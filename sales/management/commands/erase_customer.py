"""Erase who a quote was for, by its number, or a customer from every quote that names him exactly so."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from sales.quoting import queries, writing


class Command(BaseCommand):
    help = "Erase a customer's name, contact, reference and messages; numbers and figures stay."

    def add_arguments(self, parser: CommandParser) -> None:
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("--number", help="one quote, for example 2026-0001")
        which.add_argument("--name", help="the customer's name as the quotes have it, in any case")

    def handle(self, *args: Any, **options: Any) -> None:
        found = queries.to_erase(options["number"] or "", options["name"] or "")
        if not found:
            raise CommandError("No quote names such a customer, or he is erased already.")
        for quote in found:
            writing.erase(quote, None)
            self.stdout.write(f"{quote}: customer erased")
