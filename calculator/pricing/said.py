"""What was kept about a line, as sentences; and why a step was refused."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext_lazy

from calculator.fields import Text, printable
from calculator.language import gettext as _
from calculator.models import PriceUploadLine
from calculator.presenters import pricelist, pricelist_guards
from calculator.pricelist.contract import LineProblem
from calculator.pricelist.guards import Guard, Level
from calculator.pricelist.refusals import Refused

AMOUNTS = ("factor", "limit", "old", "new", "amount", "low", "high", "rate", "before")
"""Values of guards that are decimals; they are kept as text."""
REFUSALS: Mapping[str, Text] = {
    "right_missing": gettext_lazy("Il vous manque le droit pour cela (%(right)s)."),
    "reason_missing": gettext_lazy("Dites pourquoi, en une phrase : la raison est gardée avec la liste."),
    "not_open": gettext_lazy("Ce fichier est déjà appliqué ou rejeté : il ne se change plus."),
    "not_validated": gettext_lazy("Le fichier n’est pas comparé, ou l’a été de nouveau entre-temps : relisez la page."),
    "bytes_changed": gettext_lazy("Les octets gardés ne sont plus ceux qui ont été déposés : le fichier est bloqué."),
    "own_upload": gettext_lazy("On n’approuve pas son propre fichier : une autre personne doit donner l’accord."),
    "base_moved": gettext_lazy(
        "La liste n° %(version)s est arrivée depuis la comparaison avec la n° %(base)s : comparez de nouveau."
    ),
    "has_errors": gettext_lazy("Le fichier a des erreurs : rien n’a été appliqué."),
    "nothing_to_change": gettext_lazy("Le fichier ne change rien : il n’y a rien à appliquer."),
    "result_moved": gettext_lazy(
        "Le résultat n’est plus celui qui était montré (un prix a commencé, un choix a changé) : comparez de nouveau."
    ),
    "seed_stays": gettext_lazy("La liste d’origine ne s’annule pas."),
    "nothing_to_roll_back": gettext_lazy("Ce que cette liste avait changé ne vaut déjà plus : rien à rétablir."),
    "touched_later": gettext_lazy("Une liste plus récente a changé les mêmes prix : confirmez-les un à un (%(keys)s)."),
    "not_planned": gettext_lazy("Ce prix a commencé ou est déjà annulé."),
    "start_in_the_past": gettext_lazy("Cet instant est passé."),
    "compared_at": gettext_lazy(
        "À partir de cet instant, le résultat est autre : le voici ; vérifiez-le et appliquez."
    ),
    "needs_second_person": gettext_lazy("Des lignes sont bloquées : l’accord d’une autre personne est attendu."),
}
OTHER = gettext_lazy("Refusé : %(code)s.")


def of_line(line: PriceUploadLine) -> tuple[str, ...]:
    """Everything that was said of a line, in the language of the reader; the line's number stands beside it."""
    return tuple(_sentence(message) for message in line.messages)


def _sentence(message: Mapping[str, Any]) -> str:
    if message["from"] == "guard":
        values = {name: _guard_value(name, value) for name, value in message["values"].items()}
        return pricelist_guards.sentence(Guard(0, message["code"], Level(message["level"]), values))
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in message["values"].items()}
    return pricelist.sentence(LineProblem(0, message["column"], message["code"], values))


def _guard_value(name: str, value: Any) -> Any:
    return Decimal(value) if name in AMOUNTS and isinstance(value, str) else value


def refusal(refused: Refused) -> str:
    """Why a step was not taken, and what to do."""
    values = {name: _shown(value) for name, value in refused.values.items()}
    text = REFUSALS.get(refused.code)
    return str(text) % values if text is not None else str(OTHER) % {"code": refused.code}


def applied(number: int, *, already: bool) -> str:
    """What a step that made a list says; a second confirmation made nothing."""
    text = _("Déjà appliqué en liste n° %(number)s.") if already else _("Liste n° %(number)s en vigueur.")
    return text % {"number": number}


def _shown(value: str | int | tuple[str, ...]) -> str:
    return printable(", ".join(value) if isinstance(value, tuple) else str(value))
