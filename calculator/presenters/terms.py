"""Definitions at hand: each term that a page uses, in one or two sentences."""

from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class Definition(NamedTuple):
    """A term and what it means here."""

    code: str
    term: Promise
    text: Promise


DEFINITIONS = (
    Definition(
        "volume",
        _("Volume de sortie"),
        _(
            "Tokens que le modèle écrit en un mois, toutes requêtes confondues. Les tokens lus (le prompt) sont "
            "l’entrée."
        ),
    ),
    Definition(
        "single_stream",
        _("Un seul flux"),
        _(
            "Débit obtenu avec une requête à la fois. Un serveur qui regroupe les requêtes (batching continu) "
            "produit "
            "plusieurs fois plus de tokens en tout, au prix de réponses un peu plus lentes."
        ),
    ),
    Definition(
        "utilisation",
        _("Utilisation"),
        _(
            "Part des heures payées pendant laquelle le GPU produit au débit indiqué. Elle fixe la capacité "
            "prévue\u00a0; "
            "elle ne réduit jamais la facture, car un GPU inoccupé se paie aussi."
        ),
    ),
    Definition(
        "mode",
        _("Standard, batch, flex, prioritaire"),
        _(
            "Niveaux de service d’une API. En batch, les réponses arrivent en différé, souvent à moitié prix. "
            "Deux modes différents ne se comparent jamais sans le dire."
        ),
    ),
    Definition(
        "prefix_cache",
        _("Cache de préfixes"),
        _(
            "Le début d’un prompt déjà lu (consignes, documents) n’est pas relu. Une API le facture à son tarif de "
            "lecture du cache\u00a0; un GPU dédié y gagne le temps de lecture."
        ),
    ),
    Definition(
        "response_cache",
        _("Cache de réponses"),
        _(
            "Une question déjà posée reçoit la réponse déjà écrite\u00a0: aucun token n’est produit ni facturé, "
            "des deux côtés."
        ),
    ),
    Definition(
        "prefill",
        _("Lecture du prompt"),
        _(
            "Vitesse à laquelle le GPU lit les tokens d’entrée avant d’écrire. Inconnue, elle rend la "
            "comparaison incomplète."
        ),
    ),
    Definition(
        "ttft",
        _("TTFT, délai du premier token"),
        _(
            "Temps entre l’envoi d’une requête et l’arrivée de son premier token\u00a0: attente, lecture du "
            "prompt, premier calcul."
        ),
    ),
    Definition(
        "full_use",
        _("Pleine capacité prévue"),
        _(
            "Le coût par million si chaque GPU loué produisait tout ce que l’utilisation prévue permet. Le "
            "volume réel donne plus."
        ),
    ),
    Definition(
        "break_even",
        _("Équivalence"),
        _(
            "Volume à partir duquel le GPU coûte moins que l’API. Comme les GPU se louent entiers, il peut y en "
            "avoir "
            "plusieurs. En deçà de 5\u00a0% d’écart, deux coûts sont dits équivalents."
        ),
    ),
    Definition(
        "tax",
        _("HT et TTC"),
        _("Tous les prix sont hors taxes (HT). Le total TTC ajoute la TVA une seule fois, sur le total."),
    ),
    Definition(
        "rental",
        _("Toujours allumé ou heures utilisées"),
        _(
            "Toujours allumé\u00a0: des GPU entiers, payés toutes les heures du mois. Heures utilisées\u00a0: "
            "seulement le temps "
            "que prend le volume, arrondi une fois à l’unité de facturation. Un prix au mois est toujours allumé."
        ),
    ),
    Definition(
        "mfu",
        _("MFU et HFU"),
        _(
            "Part du pic de calcul de la carte que l’entraînement utilise. Le MFU ne compte que les opérations dont le "
            "modèle a besoin\u00a0; le HFU ajoute celles qu’on refait. Il faut dire ce que l’on compte\u00a0: 6N par "
            "token, ou 4N sur une base gelée."
        ),
    ),
    Definition(
        "accumulation",
        _("Micro-batch, accumulation, batch global"),
        _(
            "Le micro-batch passe d’un coup dans un GPU. L’accumulation additionne les gradients de plusieurs passes "
            "avant un pas. Le batch global est leur produit, fois le nombre de copies du modèle."
        ),
    ),
    Definition(
        "recomputation",
        _("Recalcul des activations"),
        _(
            "Au lieu de garder toutes les valeurs de la passe avant, on les recalcule pendant la passe arrière "
            "(gradient checkpointing)\u00a0: beaucoup moins de mémoire, un tiers de calcul en plus, la moitié sur une "
            "base gelée."
        ),
    ),
    Definition(
        "sharding",
        _("ZeRO et FSDP"),
        _(
            "Les copies d’un modèle se partagent ce qu’elles gardent en double\u00a0: états de l’optimiseur (1), "
            "gradients (2), poids (3). Chaque GPU tient moins et reçoit le reste des autres au moment voulu."
        ),
    ),
    Definition(
        "token",
        _("Token"),
        _("Morceau de texte que le modèle lit ou écrit, souvent un mot court ou une partie de mot. 1M = un million."),
    ),
)
BY_CODE = {definition.code: definition for definition in DEFINITIONS}
