"""Why a step with prices was refused: each code of the services as a sentence that says what to do."""

from collections.abc import Mapping

from django.utils.translation import gettext_lazy

from calculator.fields import Text, printable
from calculator.language import gettext as _
from calculator.pricelist import refusals
from calculator.pricelist.refusals import Refused, Value

RIGHTS: Mapping[str, Text] = {
    refusals.UPLOAD: gettext_lazy("envoyer des fichiers de prix"),
    refusals.APPROVE: gettext_lazy("approuver un fichier envoyé par une autre personne"),
    refusals.APPLY: gettext_lazy("appliquer un fichier de prix"),
    refusals.BACKDATE: gettext_lazy("faire commencer un prix dans le passé"),
    refusals.ROLLBACK: gettext_lazy("annuler une liste ou un prix prévu"),
    refusals.VIEW_PRIVATE: gettext_lazy("voir les prix négociés"),
}
SENTENCES: Mapping[str, Text] = {
    "right_missing": gettext_lazy("Il vous manque un droit\u00a0: %(right)s."),
    "reason_missing": gettext_lazy("Donnez une raison\u00a0: elle reste au journal."),
    "not_open": gettext_lazy("Ce fichier est déjà appliqué ou rejeté."),
    "not_validated": gettext_lazy("Ce fichier n’est pas vérifié, ou il vient d’être relu\u00a0: vérifiez-le d’abord."),
    "bytes_changed": gettext_lazy(
        "Le fichier enregistré n’est plus celui qui a été envoyé\u00a0: envoyez-le de nouveau."
    ),
    "base_moved": gettext_lazy(
        "Une autre liste est venue entre-temps\u00a0: le fichier est comparé à la liste n° %(base)s, et la liste "
        "n° %(version)s est en vigueur. Rien n’a été écrit\u00a0: relisez la nouvelle comparaison."
    ),
    "result_moved": gettext_lazy(
        "La comparaison ne donne plus le même résultat (un prix prévu vient d’entrer en vigueur, par exemple). "
        "Rien n’a été écrit\u00a0: relisez-la."
    ),
    "has_errors": gettext_lazy("Le fichier contient des erreurs (%(count)s)\u00a0: rien n’est appliqué."),
    "nothing_to_change": gettext_lazy("0 changement\u00a0: le catalogue dit déjà ce que dit ce fichier."),
    "needs_second_person": gettext_lazy("Certaines lignes demandent l’accord d’une autre personne, avec une raison."),
    "own_upload": gettext_lazy("Personne n’approuve son propre fichier\u00a0: demandez à une autre personne."),
    "seed_stays": gettext_lazy("Cette liste vient des données livrées\u00a0: elle ne s’annule pas."),
    "nothing_to_roll_back": gettext_lazy("Cette liste n’a rien changé qui puisse être annulé."),
    "touched_later": gettext_lazy(
        "Des listes plus récentes ont aussi changé ces prix\u00a0: %(keys)s. Confirmez-les un par un pour les annuler."
    ),
    "not_planned": gettext_lazy("Ce prix a déjà commencé, ou il est déjà annulé."),
    "start_in_the_past": gettext_lazy("Choisissez un instant à venir."),
}


def _shown(name: str, value: Value) -> str:
    if name == "right":
        return str(RIGHTS[str(value)])
    if isinstance(value, tuple):
        return ", ".join(printable(one) for one in value) or _("aucun")
    return printable(str(value))


def sentence(refused: Refused) -> str:
    """Why nothing was done, and what to do."""
    return str(SENTENCES[refused.code]) % {name: _shown(name, value) for name, value in refused.values.items()}
