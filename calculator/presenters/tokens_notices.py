"""What the reader must know beside the figures of a corpus: each message code as a sentence, with the way out."""

from collections.abc import Mapping

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy

from calculator import formats
from calculator.domain.scenario import Message, MessageValue
from calculator.domain.tokens_scenario import TokensEstimate
from calculator.presenters.notices import Notice, Wording

SILENT = frozenset({"no_input_price"})
"""Said in the tables."""

SENTENCES: Mapping[str, Wording] = {
    "no_sample": Wording(
        gettext_lazy("Pas d’intervalle."),
        gettext_lazy(
            "La moyenne n’est appuyée sur aucun échantillon compté\u00a0: comptez quelques dizaines de documents."
        ),
        "warn",
        gettext_lazy("Saisir l’échantillon"),
    ),
    "one_document": Wording(
        gettext_lazy("Pas d’intervalle."),
        gettext_lazy("Un seul document compté ne dit rien de la dispersion des autres."),
        "warn",
    ),
    "no_spread": Wording(
        gettext_lazy("Pas d’intervalle."),
        gettext_lazy("L’écart-type entre les documents comptés n’est pas donné."),
        "warn",
        gettext_lazy("Saisir l’écart-type"),
    ),
    "few_documents": Wording(
        gettext_lazy("Petit échantillon."),
        gettext_lazy(
            "Avec %(count)s documents, l’intervalle de Student suppose des longueurs presque normales, ce qu’elles ne "
            "sont guère\u00a0: comptez-en une trentaine au moins."
        ),
        "warn",
    ),
    "whole_corpus": Wording(
        gettext_lazy("Corpus entièrement compté."),
        gettext_lazy("Le total est exact pour ce tokenizer\u00a0: l’intervalle est nul."),
    ),
    "chunk_over_context": Wording(
        gettext_lazy("Morceau trop long."),
        gettext_lazy("%(model)s prend %(limit)s tokens au plus par morceau\u00a0: il couperait la fin."),
        "bad",
        gettext_lazy("Réduire le morceau"),
    ),
    "embedding_counts_otherwise": Wording(
        gettext_lazy("Autre tokenizer."),
        gettext_lazy("%(model)s compte avec un autre tokenizer que celui du compte\u00a0: le coût est approché."),
        "warn",
        gettext_lazy("Changer de tokenizer"),
    ),
    "gpu_counts_otherwise": Wording(
        gettext_lazy("Un autre découpage sur GPU."),
        gettext_lazy(
            "%(model)s découpe le texte à sa façon\u00a0: durée et coût sur GPU sont ceux du nombre de tokens compté "
            "ici."
        ),
        "",
        gettext_lazy("Changer de tokenizer"),
    ),
    "documents_cut": Wording(
        gettext_lazy("Documents lus en plusieurs fois."),
        gettext_lazy("%(model)s lit %(limit)s tokens au plus à la fois\u00a0: la vitesse est celle de cette longueur."),
    ),
    "no_exchange_rate": Wording(
        gettext_lazy("Cours inconnu."),
        gettext_lazy("Aucun cours de l’euro à cette date\u00a0: les montants restent en dollars."),
        "warn",
        gettext_lazy("Saisir un cours"),
    ),
    "no_data_sheet": Wording(
        gettext_lazy("Vitesse inconnue."), gettext_lazy("Pas de fiche technique pour le GPU de %(name)s."), "warn"
    ),
    "vendor_not_calibrated": Wording(
        gettext_lazy("Vitesse inconnue."),
        gettext_lazy("L’étalonnage ne couvre pas les GPU de %(vendor)s."),
        "warn",
    ),
    "unknown_peak": Wording(
        gettext_lazy("Vitesse inconnue."), gettext_lazy("La fiche de %(name)s ne donne pas son pic 16 bits."), "warn"
    ),
    "unknown_link": Wording(
        gettext_lazy("Vitesse inconnue."),
        gettext_lazy("La fiche de %(name)s ne donne pas le lien entre ses GPU."),
        "warn",
    ),
    "does_not_fit": Wording(
        gettext_lazy("Le modèle ne tient pas."),
        gettext_lazy("%(model)s ne tient pas dans la mémoire de cette machine avec ces documents."),
        "bad",
        gettext_lazy("Changer de modèle"),
    ),
    "no_hourly_price": Wording(
        gettext_lazy("Prix non publié."),
        gettext_lazy("%(sku)s n’a pas de prix à l’heure."),
        "warn",
        gettext_lazy("Saisir un prix"),
    ),
    "no_input_price": Wording(
        gettext_lazy("Pas de prix."), gettext_lazy("%(model)s n’a pas de prix d’entrée connu dans ce mode."), "", ""
    ),
}


def _shown(value: MessageValue) -> str:
    return formats.number(value) if isinstance(value, int | float) else str(value)


def sentence_of(message: Message) -> SafeString:
    """One message as a sentence."""
    values = {name: _shown(value) for name, value in message.values.items()}
    return format_html("{}", str(SENTENCES[message.code].text) % values)


def notice(message: Message) -> Notice:
    """One message with its bold beginning, and the field that settles it."""
    wording = SENTENCES[message.code]
    field = f"id_{message.field}" if message.field and wording.action else ""
    return Notice(str(wording.lead), sentence_of(message), wording.level, field, str(wording.action), message.code)


def notices(estimate: TokensEstimate) -> tuple[Notice, ...]:
    """What stands under the figures."""
    return tuple(notice(message) for message in estimate.warnings if message.code not in SILENT)
