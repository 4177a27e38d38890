"""The name and the meaning of each flag of a run, for its page."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from benchmarks.eligibility import FLAGS, PREFIX, Judged, Weight, raised
from benchmarks.repeats import UNWATCHED

WORDS = {
    "single_run": (
        gettext_lazy("mesure unique"),
        gettext_lazy("Une seule exécution : la dispersion n’est pas connue."),
    ),
    "random_weights": (
        gettext_lazy("poids aléatoires"),
        gettext_lazy("Un modèle d’essai : le débit est réel, le texte n’a pas de sens."),
    ),
    "partial": (gettext_lazy("partielle"), gettext_lazy("Tous les paliers n’ont pas été menés à leur terme.")),
    "shared_core": (
        gettext_lazy("cœur partagé"),
        gettext_lazy("Le moteur et le client se partagent le même cœur : le débit est sous-estimé."),
    ),
    "client_bound": (
        gettext_lazy("départs en retard"),
        gettext_lazy(
            "Des requêtes sont parties en retard sur un palier au moins : machine occupée, ou connexions lentes."
        ),
    ),
    "tokens_estimated": (
        gettext_lazy("tokens estimés"),
        gettext_lazy("Le moteur n’a pas toujours dit combien de tokens il a écrits."),
    ),
    "outputs_short": (
        gettext_lazy("réponses courtes"),
        gettext_lazy("Plus de 2 % des réponses sont plus courtes que demandé."),
    ),
    "prefix_cache_warm": (
        gettext_lazy("cache de préfixes chaud"),
        gettext_lazy("Une part des prompts a été servie par le cache du moteur."),
    ),
    "saturated": (
        gettext_lazy("saturée"),
        gettext_lazy("Le serveur n’a pas suivi le rythme demandé sur un palier au moins : lisez le rythme atteint."),
    ),
    "censored": (
        gettext_lazy("délais tronqués"),
        gettext_lazy("La fin du palier a interrompu des réponses : les plus longues manquent dans les délais."),
    ),
    "retried": (
        gettext_lazy("requêtes rejouées"),
        gettext_lazy("Le serveur a refusé des requêtes qui ont été renvoyées plus tard ; leur attente compte."),
    ),
    "noisy": (
        gettext_lazy("dispersée"),
        gettext_lazy("Les répétitions diffèrent de plus de 3 % (coefficient de variation) sur un palier au moins."),
    ),
    "dummy_weights": (
        gettext_lazy("poids factices"),
        gettext_lazy("Le moteur a tiré les poids au hasard : le débit vaut pour un modèle dense, le texte non."),
    ),
    "throttled": (
        gettext_lazy("fréquence bridée"),
        gettext_lazy("Un GPU a réduit sa fréquence (puissance ou température) pendant la mesure."),
    ),
    "link_down_trained": (
        gettext_lazy("lien réduit"),
        gettext_lazy("Un lien PCIe ou NVLink tourne sous sa largeur ou sa vitesse nominale."),
    ),
    "server_disagrees": (
        gettext_lazy("compteurs discordants"),
        gettext_lazy("Le serveur et le client ne comptent pas les mêmes tokens à 1 % près."),
    ),
    "foreign_process": (
        gettext_lazy("processus étranger"),
        gettext_lazy("Un autre processus occupait un des GPU de la mesure."),
    ),
    "ecc_errors": (
        gettext_lazy("erreurs ECC"),
        gettext_lazy("La mémoire d’un GPU a signalé des erreurs pendant la mesure."),
    ),
    UNWATCHED: (
        gettext_lazy("matériel non suivi"),
        gettext_lazy("Rien n’a été relevé d’un des GPU de la mesure : bridé ou partagé, on ne le sait pas."),
    ),
}


def flags(run: Judged) -> list[tuple[str, str]]:
    """Name and meaning of every flag that is up."""
    return [(name(flag), str(WORDS[flag][1])) for flag in raised(run, *Weight)]


def name(flag: str) -> str:
    """The flag in two words."""
    return str(WORDS[flag][0])


def barred(flag: str) -> str:
    """Why a flag keeps a run from being published for good; empty for one that does not."""
    if FLAGS.get(f"{PREFIX}{flag}") is not Weight.BARRING:
        return ""
    return _("%(meaning)s La mesure ne se publie pas : relancez-la.") % {"meaning": WORDS[flag][1]}
