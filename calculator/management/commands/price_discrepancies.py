"""`manage.py price_discrepancies`: our API prices beside those of genai-prices, rate by rate, with dates.

Exit status: 0 where they agree, 1 where some rate differs. It only reads, so that cron may run it.
"""

import json
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from django.utils.translation import override

from calculator import catalog
from calculator.presenters import pricelist_discrepancies as words
from calculator.pricelist import discrepancies
from calculator.pricelist.cells import CellError, instant_of

BAD_INPUT = 2


class Command(BaseCommand):
    help = "Compares our API prices with genai-prices; exit status 1 where some rate differs."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="every rate as JSON, decimals as text")
        parser.add_argument("--all", action="store_true", help="also the rates that agree")
        parser.add_argument("--at", help="a day, or an instant with its offset, to compare at (now)")
        parser.add_argument("--lang", choices=[code for code, _name in settings.LANGUAGES], default="fr")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            at = instant_of(options["at"]) if options["at"] else timezone.now()
            version = catalog.latest_version()
        except CellError:
            raise CommandError(f"--at {options['at']}: YYYY-MM-DD?", returncode=BAD_INPUT) from None
        except catalog.NotFound:
            raise CommandError("The catalogue is empty.", returncode=BAD_INPUT) from None
        found = discrepancies.report(version, at)
        shown = found if options["all"] else discrepancies.worth_a_look(found)
        with override(options["lang"]):
            if options["json"]:
                self.stdout.write(json.dumps(words.document(version, at, shown, found), ensure_ascii=False, indent=1))
            else:
                self.stdout.write("\n".join((words.summary(version, at, found), *map(words.sentence, shown))))
        if discrepancies.counts(found)[discrepancies.DIFFERS]:
            raise SystemExit(1)
