"""What is said of changes to the catalogue: each code of the comparison as a sentence."""

from collections.abc import Mapping

from django.utils.translation import gettext_lazy

from calculator.fields import Text

SENTENCES: Mapping[str, Text] = {
    "start_taken": gettext_lazy(
        "Un prix commence déjà à cet instant et il est en vigueur\u00a0: il ne change plus. Donnez un autre début."
    ),
    "price_inside_period": gettext_lazy(
        "Un prix déjà en vigueur commence pendant cette période (%(start)s)\u00a0: partagez la période."
    ),
    "ends_before_application": gettext_lazy("Cette période serait finie au moment de l’application."),
    "nothing_to_withdraw": gettext_lazy(
        "Rien à retirer\u00a0: ce prix n’est pas au catalogue. La ligne ne change rien."
    ),
    "item_said_twice": gettext_lazy(
        "Deux lignes ne disent pas la même chose de «\u00a0%(item)s\u00a0»\u00a0: la première dit "
        "«\u00a0%(first)s\u00a0»."
    ),
    "new_item_needs": gettext_lazy(
        "«\u00a0%(item)s\u00a0» n’est pas au catalogue (code le plus proche\u00a0: %(nearest)s). "
        "Pour l’ajouter, il manque\u00a0: %(missing)s."
    ),
    "unknown_gpu": gettext_lazy(
        "Aucune fiche de GPU ne s’appelle «\u00a0%(gpu)s\u00a0» (la plus proche\u00a0: %(nearest)s)."
    ),
    "unknown_successor": gettext_lazy("Le remplaçant «\u00a0%(item)s\u00a0» n’est ni au catalogue ni dans le fichier."),
    "retired_without_day": gettext_lazy(
        "«\u00a0%(item)s\u00a0» est dit retiré sans que «\u00a0retired_on\u00a0» dise depuis quel jour\u00a0: il "
        "resterait en vente. Ajoutez ce jour."
    ),
    "alias_is_a_code": gettext_lazy(
        "«\u00a0%(alias)s\u00a0» est déjà le code d’une offre\u00a0: ce ne peut pas être un autre nom."
    ),
    "new_sheet_needs": gettext_lazy("La fiche «\u00a0%(name)s\u00a0» est nouvelle\u00a0: il manque %(missing)s."),
    "sheet_refused": gettext_lazy("La fiche «\u00a0%(name)s\u00a0» ne peut pas être enregistrée\u00a0: %(why)s"),
    "rate_corrected": gettext_lazy("Ce jour a déjà un taux\u00a0: la ligne le corrige."),
}
