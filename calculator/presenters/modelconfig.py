"""Why a visitor's model configuration gives no model, in a sentence."""

from collections.abc import Mapping

from django.utils.translation import gettext_lazy

from calculator import formats
from calculator.fields import Text
from calculator.modelconfig import ModelConfigError

NAMES = frozenset({"name", "value"})
"""Values that are words from the file; all others are numbers."""

SENTENCES: Mapping[str, Text] = {
    "empty": gettext_lazy("Collez le contenu de config.json ou choisissez le fichier."),
    "too_big": gettext_lazy(
        "Fichier trop grand\u00a0: %(limit)s octets au plus. Un config.json en fait quelques milliers."
    ),
    "not_utf8": gettext_lazy("Ce fichier n’est pas du texte en UTF-8."),
    "not_json": gettext_lazy("Ce n’est pas du JSON\u00a0: erreur ligne %(line)s, colonne %(column)s."),
    "half_character": gettext_lazy(
        "Ce JSON contient une moitié de caractère (\\uD800 à \\uDFFF sans sa paire)\u00a0: ce n’est pas du texte."
    ),
    "not_object": gettext_lazy("Un config.json est un objet JSON, entre accolades."),
    "too_deep": gettext_lazy("Ce JSON est imbriqué sur plus de %(limit)s niveaux."),
    "duplicate_key": gettext_lazy("La clé %(field)s est écrite deux fois."),
    "number_not_finite": gettext_lazy("%(value)s n’est pas un nombre."),
    "number_too_long": gettext_lazy("Un nombre a plus de %(limit)s chiffres."),
    "missing": gettext_lazy("Il manque %(field)s."),
    "not_whole": gettext_lazy("%(field)s doit être un nombre entier."),
    "out_of_range": gettext_lazy("%(field)s doit être entre %(low)s et %(high)s."),
    "not_true_or_false": gettext_lazy("%(field)s doit être true ou false."),
    "not_text": gettext_lazy("%(field)s doit être un texte."),
    "not_list": gettext_lazy("%(field)s doit être une liste."),
    "not_object_at": gettext_lazy("%(field)s doit être un objet JSON."),
    "architecture_missing": gettext_lazy("Il manque model_type, qui nomme l’architecture."),
    "architecture_unknown": gettext_lazy(
        "Architecture %(name)s inconnue\u00a0: ses paramètres et son cache ne se déduisent pas des clés que nous "
        "lisons. Pas de calcul plutôt qu’un calcul faux."
    ),
    "state_space": gettext_lazy(
        "%(name)s garde un état de taille fixe et non un cache KV\u00a0: ces modèles ne sont pas calculés ici."
    ),
    "encoder_decoder": gettext_lazy("%(name)s est un encodeur-décodeur\u00a0: ces modèles ne sont pas calculés ici."),
    "encoder_only": gettext_lazy("%(name)s est un encodeur\u00a0: il ne produit pas de texte token par token."),
    "not_generative": gettext_lazy("%(name)s ne produit pas de texte token par token."),
    "attention_unknown": gettext_lazy("Attention inconnue\u00a0: %(name)s."),
    "layer_types_length": gettext_lazy(
        "layer_types nomme %(listed)s couches, num_hidden_layers en annonce %(layers)s."
    ),
    "heads_do_not_divide": gettext_lazy(
        "%(heads)s têtes ne divisent pas hidden_size = %(hidden)s, et head_dim n’est pas donné."
    ),
    "kv_heads_do_not_divide": gettext_lazy("%(kv)s têtes KV ne divisent pas %(heads)s têtes d’attention."),
    "more_active_than_experts": gettext_lazy("%(active)s experts par token sur %(count)s."),
    "dense_layers_beyond": gettext_lazy("%(dense)s couches denses sur %(layers)s couches."),
    "too_many_parameters": gettext_lazy("Plus de %(limit)s paramètres\u00a0: vérifiez les dimensions."),
    "not_carried": gettext_lazy("Ce modèle sort des limites de la page : %(value)s"),
    "quantisation_unknown": gettext_lazy("Quantification %(name)s inconnue dans quantization_config."),
    "dtype_unknown": gettext_lazy("Type de nombres %(name)s inconnu."),
}


def sentence(error: ModelConfigError) -> str:
    """The sentence of one refusal; it names the key that is at fault."""
    shown = {key: value if key in NAMES else formats.number(int(value)) for key, value in error.values.items()}
    return str(SENTENCES[error.code]) % {"field": error.field, **shown}
