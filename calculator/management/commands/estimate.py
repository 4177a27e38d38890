"""`manage.py estimate economics sku=GPU-PRO volume=100000000 [--json] [--lang en]`: the page's answer in a terminal.

Keys and notation are those of the page's link. An absent key takes its documented default, which the answer lists.
"""

import json
from argparse import RawDescriptionHelpFormatter
from collections.abc import Iterable, Mapping
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import override

from calculator import answers, catalog, document, pagestate, registry
from calculator.permalinks import Key
from calculator.permalinks.notation import written
from calculator.presenters.values import shown, unit_shown
from calculator.tool import Answer, Calculator, Outcome

REFUSED = 2
LABEL_WIDTH = 52


class Command(BaseCommand):
    help = "Answers one calculator for the keys of its link; absent keys take the defaults listed below."

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.epilog = "\n\n".join(documented_defaults(tool) for tool in registry.TOOLS)
        return parser

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("calculator", help="name of a calculator, for example economics")
        parser.add_argument("pairs", nargs="*", metavar="key=value", help="keys of the page's link, dot decimals")
        parser.add_argument("--json", action="store_true", help="the whole answer as JSON, decimals as strings")
        parser.add_argument("--lang", choices=[code for code, _name in settings.LANGUAGES], default="fr")

    def handle(self, *args: Any, **options: Any) -> None:
        with override(options["lang"]):
            tool = calculator_called(options["calculator"])
            outcome = answered(tool, query_of(options["pairs"]))
            if outcome.answer is None:
                raise refusal(*(problem.message for problem in outcome.problems))
            self.stdout.write(as_json(tool, outcome) if options["json"] else as_text(tool, outcome))


def calculator_called(name: str) -> Calculator:
    """The open calculator of that name; exit status 2 for any other."""
    if name in registry.CALCULATORS:
        return registry.CALCULATORS[name]
    if name in registry.DOORS:
        raise refusal(_("Le calculateur «\u00a0%(name)s\u00a0» n’est pas encore ouvert.") % {"name": name})
    known = ", ".join(registry.CALCULATORS)
    raise refusal(
        _("Aucun calculateur ne s’appelle «\u00a0%(name)s\u00a0»\u00a0; il y a %(known)s.")
        % {"name": name, "known": known}
    )


def query_of(pairs: Iterable[str]) -> QueryDict:
    """The arguments as a query; a key may stand several times (api)."""
    query = QueryDict(mutable=True)
    for pair in pairs:
        key, sign, value = pair.partition("=")
        if not sign or not key:
            raise refusal(_("«\u00a0%(pair)s\u00a0» n’a pas la forme clé=valeur.") % {"pair": pair})
        query.appendlist(key, value)
    return query


def answered(tool: Calculator, query: QueryDict) -> Outcome:
    """The outcome of the query; exit status 2 for a key that means nothing, 1 for an empty catalogue."""
    unknown = tool.notation.strange(query)
    if unknown:
        raise refusal(
            _("Clé inconnue\u00a0: %(keys)s. Les clés sont\u00a0: %(known)s.")
            % {"keys": ", ".join(unknown), "known": ", ".join(tool.notation.by_name)}
        )
    try:
        return answers.from_link(tool, query)
    except catalog.NotFound as error:
        raise CommandError(_("Le catalogue est vide\u00a0: lancez «\u00a0manage.py seed\u00a0».")) from error
    except DatabaseError as error:
        message = _(
            "La base de données ne répond pas ou n’est pas à jour\u00a0: lancez «\u00a0manage.py migrate\u00a0»."
        )
        raise CommandError(message) from error


def refusal(*sentences: str) -> CommandError:
    """An error that ends the command with status 2 and says why on stderr."""
    return CommandError(" ".join(sentences), returncode=REFUSED)


def as_json(tool: Calculator, outcome: Outcome) -> str:
    """The document of the JSON export."""
    found = given(outcome)
    link = pagestate.address(tool.name, found.query)
    held = document.document(tool, found, link, outcome.defaults, outcome.notices)
    return json.dumps(held, ensure_ascii=False, indent=2)


def as_text(tool: Calculator, outcome: Outcome) -> str:
    """The sentence, every exported row under its section, the defaults taken, and the link."""
    found = given(outcome)
    lines = [tool.sentence(found.estimate), *(notice.text for notice in outcome.notices)]
    section = ""
    for row in tool.rows(found.estimate):
        if row.section != section:
            section = row.section
            lines += ["", section]
        value = " ".join(part for part in (shown(row.value, row.unit), unit_shown(row.unit)) if part)
        lines.append(f"  {row.label:<{LABEL_WIDTH}} {value}{f' [{row.kind}]' if row.kind else ''}")
    values = document.scenario_values(found)
    lines += ["", _("Valeurs par défaut, faute d’être données\u00a0:")]
    lines += [f"  {name}={text_of(values[name])}" for name in outcome.defaults] or [f"  {_('aucune')}"]
    return "\n".join([*lines, "", pagestate.address(tool.name, found.query)])


def given(outcome: Outcome) -> Answer:
    """The answer, which `handle` has made sure of."""
    if outcome.answer is None:
        raise CommandError("no answer")
    return outcome.answer


def text_of(value: Any) -> str:
    """A default as it would be given; a repeated key shows its values with commas."""
    return ",".join(value) if isinstance(value, list) else str(value)


def documented_defaults(tool: Calculator) -> str:
    """Every key of a calculator with its default, for --help."""
    defaults = registry.defaults_of(tool)
    lines = [
        f"{tool.name}: keys and defaults (ratios are 0 to 1; an optional key takes the catalogue's value or none):"
    ]
    lines += [f"  {key.name:<10} {default_text(key, defaults) or 'optional'}" for key in tool.notation.keys]
    return "\n".join(lines)


def default_text(key: Key, defaults: Mapping[str, Any]) -> str:
    """The default of one key as it would be given; empty for an optional one."""
    if key.name in ("catalog", "at"):
        return {"catalog": "newest version", "at": "now"}[key.name]
    value = defaults[key.attribute]
    if key.many:
        return text_of([key.write(item) for item in value])
    return written(key, value)
