"""`manage.py advise use=rag users=2000 [--json] [--lang en]`: the advisor's answer in a terminal.

Keys and notation are those of the page's link. An absent key takes its documented default.
"""

from argparse import RawDescriptionHelpFormatter
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.utils.translation import override

from calculator.management.commands import estimate
from sales.advising.tool import TOOL


class Command(BaseCommand):
    help = "Answers the advisor for the keys of its link; absent keys take the defaults listed below."

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.epilog = estimate.documented_defaults(TOOL)
        return parser

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("pairs", nargs="*", metavar="key=value", help="keys of the page's link, dot decimals")
        parser.add_argument("--json", action="store_true", help="the whole answer as JSON, decimals as strings")
        parser.add_argument("--lang", choices=[code for code, _name in settings.LANGUAGES], default="fr")

    def handle(self, *args: Any, **options: Any) -> None:
        with override(options["lang"]):
            outcome = estimate.answered(TOOL, estimate.query_of(options["pairs"]))
            if outcome.answer is None:
                raise estimate.refusal(*(problem.message for problem in outcome.problems))
            shown = estimate.as_json if options["json"] else estimate.as_text
            self.stdout.write(shown(TOOL, outcome))
