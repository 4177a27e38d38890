"""`manage.py mcp [--lang en]`: the estimates, catalogue and prices as tools for an assistant (docs/api.md)."""

from typing import Any

import anyio
from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from sales.api import assistant


class Command(BaseCommand):
    help = "Serves the Model Context Protocol on standard input and output; nothing else is written there."
    # A check that prints would speak into the protocol.
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--lang", choices=[code for code, _name in settings.LANGUAGES], default="fr")

    def handle(self, *args: Any, **options: Any) -> None:
        anyio.run(assistant.serve, options["lang"])
