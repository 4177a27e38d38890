"""`manage.py rollback_prices VERSION --by USER --reason TEXT`: take a version of the catalogue back as a new version.

Exit status: 0 taken back (or already), 1 refused with its sentence, 2 for a version or person that does not exist.
"""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.utils.translation import gettext as _
from django.utils.translation import override

from calculator.management.commands.import_prices import person, refusal
from calculator.models import CatalogVersion
from calculator.pricelist import rollback
from calculator.pricelist.refusals import Refused
from calculator.pricing import said


class Command(BaseCommand):
    help = "Takes a version of the catalogue back as a new version; nothing is deleted."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("version", type=int)
        parser.add_argument("--by", metavar="USER", help="whose rights apply and whose name is recorded")
        parser.add_argument("--reason", default="", help="recorded with the new version")
        parser.add_argument("--dry-run", action="store_true", help="only say what would be taken back")
        parser.add_argument(
            "--confirm", action="append", default=[], metavar="NAME", help="a price that a later version changed too"
        )
        parser.add_argument("--lang", choices=[code for code, _name in settings.LANGUAGES], default="fr")

    def handle(self, *args: Any, **options: Any) -> None:
        with override(options["lang"]):
            version = version_called(options["version"])
            if options["dry_run"]:
                self.stdout.write(planned(rollback.plan(version)))
                return
            try:
                done = rollback.rollback(version, person(options["by"]), options["reason"], options["confirm"])
            except Refused as refused:
                self.stdout.write(said.refusal(refused))
                raise SystemExit(1) from None
            values = {"version": version.number, "made": done.version.number}
            self.stdout.write(_("La liste n° %(version)s est annulée par la liste n° %(made)s.") % values)


def version_called(number: int) -> CatalogVersion:
    """The version of that number; exit status 2 where there is none."""
    found = CatalogVersion.objects.filter(number=number).first()
    if found is None:
        raise refusal(_("Il n’y a pas de liste de prix n° %(version)s.") % {"version": number})
    return found


def planned(plan: rollback.RollbackPlan) -> str:
    """What would be taken back, by name."""
    lines = [rollback.name_of(row) for row in (*plan.voided, *plan.planned_again)]
    lines += [rollback.name_of(one.row) for one in plan.restored]
    lines += [str(rate) for rate in (*plan.rates_voided, *plan.rates_again)]
    lines += [event.subject for event in plan.items]
    lines += [_("changé aussi par une liste plus récente\u00a0: %(name)s") % {"name": name} for name in plan.touched]
    return "\n".join(lines or [_("Il n’y a rien à annuler.")])
