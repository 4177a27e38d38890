"""Messages of the advice as sentences: why something was left out, what would make an option lose, what to know."""

from collections.abc import Mapping
from decimal import Decimal

from django.utils.html import conditional_escape

from calculator import formats
from calculator.domain.scenario import Message, MessageValue
from calculator.language import gettext as _
from calculator.presenters import inference_words
from calculator.presenters.inference_notices import notice as serving_notice
from calculator.presenters.notices import Notice
from sales.advising.words import RANGES
from sales.domain.ranges import Range


def known(values: Mapping[str, MessageValue]) -> dict[str, str]:
    """The values that sentences name, as text."""
    return {name: text(name, value) for name, value in values.items() if value is not None}


def text(name: str, value: MessageValue) -> str:
    """One value as its sentence says it: tokens as they stand before the word, a class by its name."""
    match name:
        case "tokens" | "until":
            return formats.tokens_before(Decimal(str(value)), digits=3)
        case "lacking_bytes":
            return inference_words.bytes_text(float(str(value)))
        case "range":
            return str(RANGES[Range(str(value))]).lower()
        case "limit_ms":
            return f"{formats.number(Decimal(str(value)))}{formats.NBSP}ms"
    return str(value)


def refusal(message: Message) -> str:
    """Why an offer was left out."""
    sentences = {
        "residency_unknown": _("hébergement en Europe inconnu au catalogue"),
        "shared_hardware": _("matériel partagé"),
        "vendor_weights": _("sert les poids de son fournisseur"),
        "no_fixed_capacity": _("capacité non garantie"),
        "tuning_unknown": _("affinage inconnu au catalogue"),
        "latency_unknown": _("premier token en 20\u00a0ms non mesuré"),
        "range_not_accepted": _("classe non acceptée\u00a0: %(range)s"),
        "does_not_fit": _("%(model)s n’y tient pas, il manque %(lacking_bytes)s"),
        "mode_not_sold": _("tarif non vendu dans ce mode"),
        "mode_not_read": _("tarif non lu\u00a0: en euros, d’une région ou de certaines heures"),
        "component_price_missing": _("un prix manque au catalogue"),
        "component_price_varies": _("son prix varie d’une requête à l’autre"),
        "context_window_exceeded": _("requêtes plus longues que sa fenêtre"),
        "no_exchange_rate": _("aucun taux de change"),
    }
    if message.code in sentences:
        return sentences[message.code] % known(message.values)
    return str(serving_notice(message).text)


def losing(message: Message) -> str:
    """What would make an option lose."""
    sentences = {
        "unknown_crossing": _("Point d’équivalence avec %(api)s inconnu."),
        "unknown_gpu": _("Point d’équivalence avec %(sku)s inconnu\u00a0: il manque un prix."),
        "api_wins_below": _("Perd contre %(api)s sous %(tokens)s tokens par mois."),
        "api_always_wins": _("Coûte plus que %(api)s à tout volume."),
        "api_wins_until": _("Coûte plus que %(api)s jusqu’à %(tokens)s tokens par mois."),
        "gpu_wins_here": _("Coûte plus que %(sku)s dès %(tokens)s tokens par mois."),
        "gpu_never_wins": _("Aucun volume ne rend %(sku)s moins cher."),
        "gpu_wins_from": _("Perd contre %(sku)s dès %(tokens)s tokens par mois."),
        "base_loses_below": _("Perd contre %(api)s si ses GPU servent moins de %(tokens)s tokens par mois."),
        "base_loses_until": _("Coûte plus que %(api)s tant que ses GPU servent moins de %(tokens)s tokens par mois."),
        "one_more_from": _("Au-delà de %(tokens)s tokens par mois, il faut une instance de plus."),
    }
    return sentences[message.code] % known(message.values)


def notice(message: Message) -> Notice:
    """What the reader must know beside the ranking."""
    wordings: dict[str, tuple[str, str, str]] = {
        "models_differ": (
            _("Ces options ne répondent pas avec le même modèle."),
            _(
                "%(models)s\u00a0: leurs réponses ne se valent pas forcément, et rien ici ne mesure leur qualité. "
                "Essayez-les sur vos propres cas avant de choisir au prix."
            ),
            "warn",
        ),
        "api_latency_unknown": (
            _("Délais des API inconnus."),
            _("Le catalogue n’a aucune mesure de leur premier token\u00a0: elles sont classées au prix seul."),
            "",
        ),
        "fast_first_token": (
            _("Premier token en %(limit_ms)s."),
            _("Cet objectif remplace celui de l’usage ; sans mesure, aucune API n’est réputée le tenir."),
            "",
        ),
        "claim_beside_estimates": (
            _("Une vitesse annoncée parmi des estimations."),
            _(
                "Elle vient du vendeur, conditions non précisées\u00a0; les autres sont calées sur des mesures "
                "publiées."
            ),
            "",
        ),
        "nothing_in_time": (
            _("Aucune offre ne tient le délai voulu."),
            _("Les durées ci-dessous le dépassent\u00a0: allongez-le, ou réduisez le travail."),
            "warn",
        ),
        "one_gpu_a_job": (
            _("Deux travaux, deux GPU."),
            _("Entraîner et servir ne demandent pas la même carte\u00a0: chacun a son propre classement."),
            "",
        ),
        "tokenizer_assumed": (
            _("Mots convertis à peu près."),
            _("Le tokenizer de %(model)s n’est pas parmi les nôtres\u00a0: cl100k en tient lieu."),
            "",
        ),
    }
    head, body, level = wordings[message.code]
    shown = known(message.values)
    return Notice(head % shown, conditional_escape(body % shown), level, code=message.code)
