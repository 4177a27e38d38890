"""Why a row is beyond its limit, in words: a few for a table, then the evidence; and what a row leaves out."""

from collections.abc import Mapping
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from calculator.accuracy.causes import Missed
from calculator.language import gettext as _


class Cause(NamedTuple):
    """A cause in a few words, and what shows it."""

    short: Promise
    evidence: Promise


CAUSES: Mapping[str, Cause] = {
    "bundled_tokens": Cause(
        gettext_lazy("tokens envoyés par paquets"),
        gettext_lazy(
            "Premier token sous TensorRT-LLM. Certains serveurs publiés n’envoient qu’un token sur vingt, ou gardent "
            "une place de moins qu’il n’y a de clients\u00a0; les lignes ne le disent pas."
        ),
    ),
    "slow_first_token": Cause(
        gettext_lazy("premier token de plusieurs secondes"),
        gettext_lazy(
            "SGLang en nvfp4. Les essais d’octobre et de novembre 2025 répondent après plusieurs secondes quelle que "
            "soit la charge\u00a0; ceux de mars 2026, sur la même machine, plus de dix fois plus vite."
        ),
    ),
    "speculative_decoding": Cause(
        gettext_lazy("décodage spéculatif probable"),
        gettext_lazy(
            "Temps par token des mélanges d’experts. Deux versions de TensorRT-LLM à quelques semaines d’écart "
            "diffèrent du simple au double sur le même modèle, et la source lance aussi ses serveurs avec décodage "
            "spéculatif\u00a0; les lignes ne disent pas lesquels."
        ),
    ),
    "host_bound": Cause(
        gettext_lazy("serveur bridé par son hôte"),
        gettext_lazy(
            "Débit de Llama 3.1 405B et des moteurs de 2023 et 2024. Le processeur hôte les bride à un septième de "
            "la bande passante, ou les graphes CUDA manquent."
        ),
    ),
    "same_prompts": Cause(
        gettext_lazy("prompts identiques"),
        gettext_lazy(
            "Débit de Mixtral sur A100, mesuré avec des prompts identiques, dont les tokens choisissent les mêmes "
            "experts."
        ),
    ),
    "sister_card": Cause(
        gettext_lazy("carte jumelle deux fois plus rapide"),
        gettext_lazy(
            "Prompts d’un modèle de 70 milliards sur A40. La RTX A6000, même puce et même puissance, lit 2,3 fois "
            "plus vite dans le même tableau\u00a0; le refroidissement et la fréquence ne sont pas indiqués."
        ),
    ),
    "cards_in_turn": Cause(
        gettext_lazy("cartes à tour de rôle"),
        gettext_lazy(
            "Prompts lus par llama.cpp sur plusieurs cartes. Dans le même tableau, quatre cartes n’y lisent pas plus "
            "vite qu’une seule\u00a0: cette version ne les faisait pas travailler en même temps."
        ),
    ),
    "long_context": Cause(
        gettext_lazy("contexte de plus de 100 000 tokens"),
        gettext_lazy(
            "Décodage après 129 024 tokens. Quatre précisions y vont à la même vitesse à 12\u00a0% près, alors qu’à "
            "la moitié de cette longueur la même installation suit l’estimation\u00a0: ni la mémoire ni les poids ne "
            "limitent plus, et la source ne dit pas ce qui change."
        ),
    ),
    "racks": Cause(
        gettext_lazy("plusieurs baies"),
        gettext_lazy("All-reduce sur vingt baies\u00a0: une seule installation, six lignes."),
    ),
    "cloud_network": Cause(
        gettext_lazy("réseau d’un hébergeur"),
        gettext_lazy(
            "All-reduce de taille moyenne par EFA, dont la latence est plus grande que celle d’InfiniBand, sur "
            "lequel reposent les autres lignes."
        ),
    ),
    "one_gpu_a_machine": Cause(
        gettext_lazy("un GPU par machine"),
        gettext_lazy(
            "All-reduce entre deux machines d’un GPU chacune\u00a0: un GPU seul n’occupe pas les quatre cartes "
            "réseau que la ligne compte."
        ),
    ),
    "prompts_not_computed": Cause(
        gettext_lazy("prompts en partie non calculés"),
        gettext_lazy(
            "Sept mesures à 4 000 tokens de prompt et 1 000 de réponse. Le temps par token publié est inférieur à ce "
            "que permet la fiche technique si tous les prompts sont calculés\u00a0: 11,6\u00a0ms, pour 12,2 au "
            "mieux\u00a0; des prompts répétés, gardés en cache, l’expliqueraient. La colonne donne un batch, pas des "
            "clients."
        ),
    ),
    "twice_measured": Cause(
        gettext_lazy("deux mesures qui se contredisent"),
        gettext_lazy(
            "La même source a mesuré la même configuration plusieurs fois, à plus de 30\u00a0% d’écart. Ce qui "
            "diffère, version ou réglage, n’est pas dans la ligne\u00a0; l’estimation suit l’autre mesure."
        ),
    ),
    "steady_step": Cause(
        gettext_lazy("pas d’une durée fixe"),
        gettext_lazy(
            "Qwen3-235B en fp8 sous vLLM\u00a0: 52\u00a0ms par token sur deux H200 et 35 sur quatre, de 4 à 20 "
            "clients et de 1 000 à 8 000 tokens. C’est le temps de lire tous les experts, même quand la charge n’en "
            "choisit qu’un quart\u00a0; le noyau de calcul employé n’est pas indiqué."
        ),
    ),
    "memory_full": Cause(
        gettext_lazy("mémoire presque pleine"),
        gettext_lazy(
            "Poids et cache de tous les clients prennent plus de 80\u00a0% de la mémoire\u00a0: la part que le "
            "moteur garde pour le cache décide alors combien de requêtes tournent. La file publiée pour Qwen3-32B "
            "sur une H100 répond à 0,8 de la mémoire, l’estimation en suppose 0,92\u00a0; la source n’indique pas la "
            "sienne."
        ),
    ),
    "prompt_intake": Cause(
        gettext_lazy("requêtes prises sans attendre"),
        gettext_lazy(
            "Premier token sous SGLang. Les constantes viennent surtout de serveurs B200 que leur script publié "
            "règle pour ne chercher de nouvelles requêtes que tous les dix ou trente pas\u00a0; celui des H200 ne le "
            "fait pas, et répond plus vite. Séparer les deux dans l’ajustement n’a pas amélioré les lignes jamais "
            "vues."
        ),
    ),
    "short_answers": Cause(
        gettext_lazy("réponses courtes, longs prompts"),
        gettext_lazy(
            "128 tokens de réponse au plus pour huit fois plus de prompt\u00a0: entre deux tokens, le serveur lit "
            "surtout les prompts des autres, et leur ordre n’est pas publié."
        ),
    ),
    "wide_groups": Cause(
        gettext_lazy("29 têtes pour une tête de cache"),
        gettext_lazy(
            "Débit de Falcon 180B. À 128 tokens de réponse l’estimation tient à 4\u00a0% près, à 2 048 elle est de "
            "1,4 à 1,8 fois trop haute\u00a0: c’est la lecture du cache qui est lente. Vingt-neuf têtes de requête "
            "partagent une tête de cache, et le noyau de 2024 la relit probablement pour plusieurs."
        ),
    ),
    "unpacked_format": Cause(
        gettext_lazy("format sans unité de calcul"),
        gettext_lazy(
            "Débit en mxfp4 sur un GPU sans unité de 4 bits\u00a0: un noyau Triton déballe les poids à chaque pas."
        ),
    ),
    "eight_bit_cache": Cause(
        gettext_lazy("cache en 8 bits d’un ancien vLLM"),
        gettext_lazy(
            "Débit avec des poids en 16 bits et un cache en fp8. Le vLLM de 2024 renonçait alors à FlashAttention "
            "pour un autre noyau."
        ),
    ),
    "mean_lengths": Cause(
        gettext_lazy("longueurs moyennes de conversations"),
        gettext_lazy(
            "Débit sur des conversations de longueurs très inégales, dont seule la moyenne est publiée\u00a0: les "
            "plus longues décident de la fin de l’essai."
        ),
    ),
    "batch_not_stated": Cause(
        gettext_lazy("batch atteint non publié"),
        gettext_lazy(
            "Débit hors ligne, au plus. Le nombre de requêtes en cours n’est pas publié\u00a0; il se déduit ici de "
            "la mémoire. Sous TensorRT-LLM 0.14, l’écart croît avec le parallélisme pour des prompts et réponses "
            "courts, et avec la longueur des réponses sur H100 seulement."
        ),
    ),
    "container_release": Cause(
        gettext_lazy("version du conteneur"),
        gettext_lazy(
            "Entraînement de mélanges d’experts. Dans le conteneur 26.02, le même modèle va souvent de 1,7 à 1,8 "
            "fois moins vite que dans les suivants\u00a0; l’ajustement mêle les versions."
        ),
    ),
    "two_machines": Cause(
        gettext_lazy("deux machines, réseau non indiqué"),
        gettext_lazy("LoRA sur deux machines de deux GPU\u00a0: le débit entre elles n’est pas publié, et il limite."),
    ),
    "offloaded": Cause(
        gettext_lazy("déport en mémoire vive"),
        gettext_lazy("La ligne indique un recalcul et un déport partiels en mémoire vive, qui ne sont pas modélisés."),
    ),
    "short_passes": Cause(
        gettext_lazy("passes de 512 tokens au plus"),
        gettext_lazy(
            "Entraînement par passes si courtes que le lancement des noyaux décide, non le GPU. Les scripts de la "
            "source passent par DeepSpeed pour l’entraînement complet et s’en passent pour LoRA sur un GPU\u00a0; "
            "son temps par pas est arrondi au dixième de seconde."
        ),
    ),
    "eight_bit_gain": Cause(
        gettext_lazy("fp8 à peine plus rapide que bf16"),
        gettext_lazy(
            "Entraînement en fp8 sur L40S. Dans le même tableau, fp8 y va 1,2 fois plus vite que bf16, contre 1,5 à "
            "1,6 sur RTX 5090\u00a0: l’estimation suppose le second gain, et la source n’explique pas le premier."
        ),
    ),
    "shorter_sequences": Cause(
        gettext_lazy("séquences plus courtes qu’annoncé"),
        gettext_lazy(
            "Mémoire de litgpt. La ligne dit elle-même que les séquences sont plus courtes que la longueur qu’elle "
            "donne et, en QLoRA, le maximum peut être atteint au chargement des poids, encore en 16 bits."
        ),
    ),
    "summed_memory": Cause(
        gettext_lazy("mémoire de plusieurs GPU"),
        gettext_lazy("Le chiffre publié paraît être la somme de plusieurs GPU\u00a0; la source ne le dit pas."),
    ),
    "few_measurements": Cause(
        gettext_lazy("trop peu de mesures de ce genre"),
        gettext_lazy("Moins de douze mesures de ce moteur, de ce format et de cette architecture."),
    ),
    "undecided": Cause(
        gettext_lazy("cause non établie"),
        gettext_lazy(
            "Les conditions de la ligne et sa source ont été relues sans qu’une cause s’impose. Chacune nomme ce que "
            "la source devrait dire pour trancher."
        ),
    ),
}
"""By code, the surest first; docs/methodology.md says the same."""

UNSTATED: Mapping[str, Promise] = {
    "engine_version": gettext_lazy("la version du moteur"),
    "cache_precision": gettext_lazy("la précision du cache"),
    "card_variant": gettext_lazy("le modèle exact de la carte"),
    "batch_reached": gettext_lazy("le nombre de requêtes en cours"),
    "prefix_cache": gettext_lazy("si les préfixes étaient gardés en cache"),
    "prompt_mixing": gettext_lazy("comment les prompts se mêlaient au décodage"),
    "engine_settings": gettext_lazy("les limites de batch et de mémoire du moteur"),
    "build_settings": gettext_lazy("la compilation et les réglages"),
    "recomputation": gettext_lazy("si les activations étaient recalculées"),
    "software_version": gettext_lazy("la version du logiciel d’entraînement"),
    "allocator": gettext_lazy("ce que l’allocateur gardait en réserve, et quand le maximum est atteint"),
    "network_settings": gettext_lazy("les réglages du réseau"),
}
"""What a row would have to say."""


def short(found: Missed) -> str:
    """A cause for a line of a table; an undecided one with what the source leaves out."""
    words = str(CAUSES[found.cause].short)
    if not found.unstated:
        return words
    left_out = ", ".join(str(UNSTATED[code]) for code in found.unstated)
    return _("%(cause)s\u00a0; la source ne dit pas\u00a0: %(left_out)s") % {"cause": words, "left_out": left_out}


def title(code: str) -> str:
    """A cause as the head of its evidence."""
    text = str(CAUSES[code].short)
    return text[:1].upper() + text[1:]
