"""Codes of quotes as sentences and labels."""

from collections.abc import Mapping

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from calculator import formats
from calculator.fields import Text
from sales.quoting.refusals import Refused

STATES: Mapping[str, tuple[str, Text]] = {
    "draft": ("idle", gettext_lazy("brouillon")),
    "sent": ("good", gettext_lazy("envoyé")),
    "opened": ("good", gettext_lazy("ouvert")),
    "expired": ("warn", gettext_lazy("expiré")),
    "withdrawn": ("bad", gettext_lazy("retiré")),
}
"""Style of the tag and word of each state."""
WAITING = gettext_lazy("brouillon qui attend un accord")
EVENTS: Mapping[str, Text] = {
    "created": gettext_lazy("brouillon créé"),
    "edited": gettext_lazy("brouillon modifié"),
    "approved": gettext_lazy("accord donné"),
    "refused": gettext_lazy("accord refusé"),
    "sent": gettext_lazy("numéroté et envoyé"),
    "linked": gettext_lazy("lien créé"),
    "opened": gettext_lazy("ouvert par le client"),
    "proposed": gettext_lazy("contre-proposition reçue"),
    "revoked": gettext_lazy("lien révoqué"),
    "withdrawn": gettext_lazy("retiré"),
    "erased": gettext_lazy("client effacé"),
}
LINES: Mapping[str, Text] = {
    "operations": gettext_lazy("Exploitation"),
    "storage": gettext_lazy("Stockage"),
    "network": gettext_lazy("Réseau"),
}
REFUSALS: Mapping[str, Text] = {
    "no_price": gettext_lazy(
        "Rien n’a été envoyé\u00a0: il manque le prix ou le débit de cette configuration. Saisissez un prix convenu, "
        "ou complétez le calcul."
    ),
    "price_nothing": gettext_lazy(
        "Rien n’a été envoyé\u00a0: arrondi, le prix d’une instance est de 0\u00a0€. Modifiez le prix ou la remise."
    ),
    "too_large": gettext_lazy(
        "Rien n’a été envoyé\u00a0: un montant ou une marge est trop grand pour un devis. Modifiez le prix ou les "
        "volumes."
    ),
    "test_figures": gettext_lazy(
        "Rien n’a été envoyé\u00a0: ce calcul repose sur une machine ou un modèle d’essai, qui ne se vend pas."
    ),
    "no_longer_sold": gettext_lazy("Rien n’a été envoyé\u00a0: %(sku)s n’est plus en vente depuis le %(day)s."),
    "stale_price": gettext_lazy(
        "Rien n’a été envoyé\u00a0: ces prix n’ont pas été vérifiés depuis trop longtemps pour un devis\u00a0: "
        "%(codes)s. Faites-les vérifier, ou ôtez-les du calcul."
    ),
    "old_rate": gettext_lazy(
        "Rien n’a été envoyé\u00a0: le cours de change est ancien. Cochez «\u00a0cours ancien accepté\u00a0» pour "
        "l’employer tout de même."
    ),
    "validity_past": gettext_lazy("Rien n’a été envoyé\u00a0: la date de validité est passée. Modifiez le brouillon."),
    "needs_approval": gettext_lazy(
        "Rien n’a été envoyé\u00a0: à ce prix, le devis demande l’accord d’une personne du groupe "
        "«\u00a0approver\u00a0»."
    ),
    "no_customer": gettext_lazy("Rien n’a été envoyé\u00a0: ce devis n’a pas de client. Modifiez le brouillon."),
    "not_owner": gettext_lazy("Ce brouillon est à une autre personne\u00a0: dupliquez-le pour en faire le vôtre."),
    "not_draft": gettext_lazy("Ce devis n’est plus un brouillon, ou il a changé entre-temps\u00a0: le voici."),
    "not_sent": gettext_lazy("Ce devis n’est pas envoyé, ou il est retiré\u00a0: il n’a pas de lien."),
    "no_link": gettext_lazy("Aucun lien n’ouvre ce devis\u00a0: il n’y a rien à révoquer."),
    "withdrawn_already": gettext_lazy("Ce devis est déjà retiré."),
    "reason_missing": gettext_lazy("Dites pourquoi\u00a0: une raison est attendue."),
    "erased_already": gettext_lazy("Le client de ce devis est déjà effacé."),
    "own_quote": gettext_lazy("Personne ne donne l’accord à son propre devis."),
    "too_many": gettext_lazy(
        "Trop de propositions ont été envoyées par ce lien. Celle-ci n’est pas partie\u00a0; joignez le vendeur."
    ),
    "no_answer": gettext_lazy("Ces valeurs ne donnent pas de résultat\u00a0: rien n’a été envoyé."),
    "expired": gettext_lazy("Ce devis n’est plus valable\u00a0: rien n’a été envoyé. Joignez le vendeur."),
}


OBSTACLES: Mapping[str, Text] = {
    "nothing_rented": gettext_lazy("Pas de devis\u00a0: ce calcul ne nomme aucune machine de notre offre."),
    "for_tests": gettext_lazy(
        "Pas de devis\u00a0: ce calcul repose sur une machine ou un modèle d’essai, qui ne se vend pas."
    ),
    "no_amount": gettext_lazy(
        "Pas de devis\u00a0: la vitesse de cette machine n’est pas connue, donc rien à facturer ne se calcule. "
        "Complétez le calcul ou changez de machine."
    ),
}
"""Why a calculation offers no quote; to complete it is the way out."""


def refusal(refused: Refused) -> str:
    """Why a step was not taken, and what to do."""
    return str(REFUSALS[refused.code]) % refused.values


def state(code: str) -> str:
    """The word of a state."""
    return str(STATES[code][1])


def waiting(count: int) -> str:
    """How many drafts wait for an agreement."""
    if not count:
        return _("Aucun brouillon n’attend d’accord.")
    return ngettext("%(count)s brouillon attend un accord.", "%(count)s brouillons attendent un accord.", count) % {
        "count": formats.number(count)
    }


def unit_name(unit: str) -> str:
    """What a quantity counts."""
    return _("h × instance") if unit == "hour" else _("mois × instance")


def period(code: str) -> str:
    """What the total pays for."""
    return _("par mois") if code == "month" else _("pour l’ensemble du travail")
