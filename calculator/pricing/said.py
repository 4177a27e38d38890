"""What was kept about a line, as sentences; and why a step was refused."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext_lazy

from calculator.fields import Text
from calculator.language import gettext as _
from calculator.models import PriceUploadLine, PriceWork
from calculator.presenters import pricelist, pricelist_guards, pricelist_refusals
from calculator.pricelist.contract import LineProblem
from calculator.pricelist.guards import Guard, Level
from calculator.pricelist.progress import Stage
from calculator.pricelist.refusals import Refused

AMOUNTS = ("factor", "limit", "old", "new", "amount", "low", "high", "rate", "before")
"""Values of guards that are decimals; they are kept as text."""
COMPARED_AT = gettext_lazy("À partir de cet instant, le résultat est autre : le voici ; vérifiez-le et appliquez.")


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
    return str(COMPARED_AT) if refused.code == "compared_at" else pricelist_refusals.sentence(refused)


def broken_off(step: str) -> str:
    """That a worker did not come to the end of a step: nothing was written by halves."""
    if step == PriceWork.Step.APPLY:
        return _("L’application s’est interrompue : rien n’a changé. Appliquez de nouveau.")
    return _("La comparaison s’est interrompue. Comparez de nouveau.")


STAGES: Mapping[str, Text] = {
    Stage.OPENING: gettext_lazy("Ouverture du classeur"),
    Stage.READING: gettext_lazy("Lecture des lignes"),
    Stage.COMPARING: gettext_lazy("Comparaison avec la liste en vigueur"),
    Stage.GUARDING: gettext_lazy("Garde-fous"),
    Stage.WRITING: gettext_lazy("Écriture, toute la liste à la fois"),
}


def applied(number: int, *, already: bool) -> str:
    """What a step that made a list says; a second confirmation made nothing."""
    text = _("Déjà appliqué en liste n° %(number)s.") if already else _("Liste n° %(number)s en vigueur.")
    return text % {"number": number}
