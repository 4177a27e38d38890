"""Problems, remarks and names of a bill as sentences."""

from collections.abc import Mapping

from django.utils.translation import gettext_lazy

from calculator.fields import Text
from calculator.language import gettext as _
from sales.bills.reading.formats import Meaning
from sales.bills.reading.problems import Problem, ReportError

REFUSALS: Mapping[str, Text] = {
    "too_large": gettext_lazy("Le fichier dépasse %(limit)s\u00a0Mo\u00a0: exportez une période plus courte."),
    "archive": gettext_lazy("C’est une archive, un classeur ou un PDF\u00a0: envoyez le CSV ou le JSON lui-même."),
    "empty": gettext_lazy("Le fichier est vide."),
    "binary": gettext_lazy("Ce n’est pas un fichier de texte."),
    "encoding_unknown": gettext_lazy("L’encodage n’est ni UTF-8, ni UTF-16, ni Windows-1252."),
    "encoding_wrong": gettext_lazy("L’encodage du fichier ne se lit pas."),
    "too_many_columns": gettext_lazy("Le fichier a trop de colonnes pour un relevé d’usage."),
    "too_many_rows": gettext_lazy("Le fichier dépasse %(limit)s lignes\u00a0: regroupez par jour et par modèle."),
    "too_many_models": gettext_lazy("Plus de %(limit)s modèles et modes\u00a0: séparez le relevé."),
    "no_rows": gettext_lazy("Le fichier n’a aucune ligne d’usage."),
    "json_broken": gettext_lazy("Ce n’est pas du JSON valable (ligne:colonne %(text)s)."),
    "json_key_twice": gettext_lazy("La clé «\u00a0%(text)s\u00a0» y est deux fois dans un même objet."),
    "json_unknown": gettext_lazy(
        "Ce JSON n’est pas un relevé connu\u00a0: usage des «\u00a0completions\u00a0» d’OpenAI, rapport d’usage "
        "d’Anthropic ou usage de Mistral."
    ),
    "costs_only": gettext_lazy(
        "C’est un export de coûts, sans tokens\u00a0: prenez l’export d’usage, groupé par modèle."
    ),
    "totals_broken": gettext_lazy("Les totaux de la page ne se lisent plus\u00a0: renvoyez le fichier."),
    "missing": gettext_lazy("Choisissez un fichier."),
    "days_unknown": gettext_lazy("Le fichier n’a pas de dates\u00a0: indiquez combien de jours il couvre."),
    "bad_days": gettext_lazy("Le nombre de jours est un nombre de 1 à %(limit)s."),
    "no_output": gettext_lazy("Le relevé n’a aucun token de sortie\u00a0: il n’y a pas de trafic à comparer."),
    "beyond": gettext_lazy("Ce trafic dépasse ce que le calculateur d’économie accepte."),
    "no_length": gettext_lazy("Le fichier arrive sans sa longueur\u00a0: réessayez avec un autre navigateur."),
    "busy": gettext_lazy("D’autres gros fichiers sont en lecture\u00a0: réessayez dans quelques secondes."),
    "unreadable": gettext_lazy("L’envoi ne se lit pas\u00a0: réessayez."),
}
PROBLEMS: Mapping[str, Text] = {
    "not_a_number": gettext_lazy("«\u00a0%(text)s\u00a0» n’est pas un nombre."),
    "not_finite": gettext_lazy("«\u00a0%(text)s\u00a0» n’est pas un nombre fini."),
    "negative_number": gettext_lazy("«\u00a0%(text)s\u00a0» est négatif."),
    "wrong_mark": gettext_lazy("«\u00a0%(text)s\u00a0» n’a pas le séparateur décimal du fichier."),
    "too_many_digits": gettext_lazy("«\u00a0%(text)s\u00a0» a trop de chiffres."),
    "out_of_range": gettext_lazy("«\u00a0%(text)s\u00a0» est hors de toute mesure."),
    "currency_sign_unknown": gettext_lazy("«\u00a0%(text)s\u00a0» est dans une monnaie inconnue ici."),
    "too_large": gettext_lazy("«\u00a0%(text)s\u00a0» est trop grand."),
    "not_whole": gettext_lazy("«\u00a0%(text)s\u00a0» n’est pas un nombre entier."),
    "bad_model": gettext_lazy("«\u00a0%(text)s\u00a0» n’est pas un nom de modèle."),
    "model_missing": gettext_lazy("Le modèle manque\u00a0: exportez un relevé groupé par modèle."),
    "bad_flag": gettext_lazy("«\u00a0%(text)s\u00a0» n’est ni vrai ni faux."),
    "bad_tier": gettext_lazy("Le niveau de service «\u00a0%(text)s\u00a0» n’est pas connu."),
    "bad_context": gettext_lazy("La tranche de contexte «\u00a0%(text)s\u00a0» n’est pas connue."),
    "bad_day": gettext_lazy("«\u00a0%(text)s\u00a0» n’est pas une date\u00a0: AAAA-MM-JJ ou des secondes Unix."),
    "ends_before": gettext_lazy("La ligne finit avant de commencer."),
    "not_text": gettext_lazy("%(text)s tokens de son ou d’image\u00a0: leur prix n’est pas celui du texte."),
    "not_tokens": gettext_lazy("Cette entrée ne compte pas des tokens."),
    "cached_over_input": gettext_lazy("Plus de tokens en cache que de tokens d’entrée\u00a0: %(text)s."),
    "header_twice": gettext_lazy("La colonne «\u00a0%(text)s\u00a0» y est deux fois."),
    "column_missing": gettext_lazy("Aucune colonne n’est désignée pour\u00a0: %(text)s."),
    "too_many_cells": gettext_lazy("La ligne a plus de cellules que l’en-tête."),
    "two_marks": gettext_lazy("Virgule et point servent tous deux de séparateur décimal\u00a0: %(text)s."),
    "two_readings": gettext_lazy("«\u00a0%(text)s\u00a0» se lit de deux façons, et rien ne tranche."),
    "json_shape": gettext_lazy("Cette entrée n’a pas la forme attendue."),
    "csv_broken": gettext_lazy("Les guillemets de cette ligne ne se ferment pas comme en CSV."),
}
REMARKS: Mapping[str, Text] = {
    "more_pages": gettext_lazy("Le relevé annonce d’autres pages\u00a0: ce n’est qu’une partie du trafic."),
    "extra": gettext_lazy("Facturé à part et pas compté ici\u00a0: %(text)s."),
    "modifier": gettext_lazy("Ce réglage change le prix, qui est ici celui de la liste\u00a0: %(text)s."),
}
FORMATS: Mapping[str, Text] = {
    "openai_csv": gettext_lazy("OpenAI, export CSV de l’usage"),
    "openai_json": gettext_lazy("OpenAI, usage de l’organisation en JSON"),
    "anthropic_csv": gettext_lazy("Anthropic, export CSV de l’usage"),
    "anthropic_json": gettext_lazy("Anthropic, rapport d’usage en JSON"),
    "mistral_json": gettext_lazy("Mistral, usage en JSON"),
    "generic": gettext_lazy("CSV à vos colonnes"),
}
MEANINGS: Mapping[Meaning, Text] = {
    Meaning.MODEL: gettext_lazy("modèle"),
    Meaning.START: gettext_lazy("date"),
    Meaning.INPUT: gettext_lazy("tokens d’entrée"),
    Meaning.CACHE_READ: gettext_lazy("tokens lus du cache"),
    Meaning.WRITE_5M: gettext_lazy("tokens écrits au cache, 5\u00a0min"),
    Meaning.WRITE_1H: gettext_lazy("tokens écrits au cache, 1\u00a0h"),
    Meaning.OUTPUT: gettext_lazy("tokens de sortie"),
    Meaning.REQUESTS: gettext_lazy("requêtes"),
    Meaning.AMOUNT: gettext_lazy("montant facturé"),
    Meaning.TIER: gettext_lazy("niveau de service (standard, batch, flex, priority)"),
}
EXPLANATIONS: Mapping[str, Text] = {
    "same": gettext_lazy("le tarif public"),
    "old_price": gettext_lazy("le tarif public du premier jour, qui a changé depuis"),
    "discount": gettext_lazy("moins que le tarif public\u00a0: remise, crédits ou quota offert"),
    "dearer": gettext_lazy("plus que le tarif public\u00a0: région, appels d’outils ou long contexte"),
}
MISSING: Mapping[str, Text] = {
    "model": gettext_lazy("modèle inconnu du catalogue"),
    "mode": gettext_lazy("mode sans prix au catalogue"),
    "input": gettext_lazy("prix d’entrée inconnu"),
    "output": gettext_lazy("prix de sortie inconnu"),
    "cache_read": gettext_lazy("prix de lecture du cache inconnu"),
    "cache_write_5m": gettext_lazy("prix d’écriture du cache inconnu"),
    "cache_write_1h": gettext_lazy("prix d’écriture du cache inconnu"),
}
REASONS: Mapping[str, Text] = {
    "does_not_fit": gettext_lazy("ce modèle n’y tient pas"),
    "not_sized": gettext_lazy("ce service n’y est pas calculable"),
    "on_request": gettext_lazy("sur devis"),
}


def refusal(error: ReportError) -> str:
    """Why nothing was read."""
    sentence = REFUSALS.get(error.code) or gettext_lazy("Ce fichier ne se lit pas.")
    return str(sentence) % {"limit": error.values.get("limit", ""), "text": error.values.get("text", "")}


def problem(found: Problem) -> str:
    """What is wrong with a cell or a row."""
    text = found.values.get("text", "")
    if found.code == "column_missing":
        text = str(MEANINGS[Meaning(text)])
    return str(PROBLEMS.get(found.code) or gettext_lazy("Cette ligne ne se lit pas.")) % {"text": text}


def place(found: Problem) -> str:
    """Where it is."""
    if not found.place:
        return _("fichier")
    return _("ligne %(line)s") % {"line": found.place} if found.place.isdecimal() else found.place


def remark(found: Problem) -> str:
    """What the result must say."""
    return str(REMARKS[found.code]) % {"text": found.values.get("text", "")}
