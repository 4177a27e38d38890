"""Why a run, a latency or a probe is not published, and what to do: every code of a refusal as one sentence."""

from django.utils.translation import gettext as _

from benchmarks import flagwords


def refusal(code: str) -> str:
    """The sentence of a code of publishing, latency or probepublishing; of a flag that bars, what the flag means."""
    known = of_any() | of_rates() | of_latencies() | of_roofs()
    return known.get(code) or flagwords.barred(code) or _("Cette mesure ne se publie pas.")


def of_any() -> dict[str, str]:
    return {
        "not_succeeded": _("Seule une mesure terminée se publie."),
        "withdrawn": _("Cette mesure a été retirée : lancez-en une nouvelle pour publier."),
    }


def of_rates() -> dict[str, str]:
    return {
        "no_rate": _("Aucun palier n’a de débit : il n’y a rien à publier."),
        "target": _(
            "Cette mesure porte sur un serveur extérieur : elle reste lisible ici, mais ne devient pas un débit du"
            " catalogue."
        ),
        "open_loop": _(
            "Cette mesure suit un rythme d’arrivée : elle n’a pas de nombre de flux, et ne devient pas un débit du"
            " catalogue. Mesurez en boucle fermée pour publier."
        ),
        "client_bound": _(
            "Le client de mesure a pris du retard : ces chiffres décrivent peut-être le client, pas le serveur. La"
            " mesure ne se publie pas ; relancez-la sur une machine moins chargée."
        ),
        "prefix_cache_warm": _(
            "Le cache de préfixes du serveur a répondu à une partie des prompts : la mesure ne se publie pas."
            " Relancez-la avec une graine nouvelle."
        ),
        "repeat": _("Une répétition se publie avec la première mesure de sa série."),
        "repeats_live": _("Toutes les répétitions de la série ne sont pas terminées : publiez quand elles le seront."),
        "imported": _(
            "Ce résultat vient d’un autre outil, avec ses propres définitions : il se compare ici, mais ne devient pas"
            " un débit du catalogue."
        ),
        "probe": _("Une sonde ne mesure pas un serveur : elle ne devient pas un débit du catalogue."),
        "gates": _(
            "Une condition de publication n’est pas remplie. Une personne habilitée peut publier par exception, avec"
            " une raison."
        ),
        "no_model": _("Le catalogue ne connaît pas le modèle mesuré : il n’y a pas de débit où l’inscrire."),
        "no_sku": _("Le catalogue ne contient pas « cette machine (CPU) » : chargez-le, puis publiez."),
    }


def of_latencies() -> dict[str, str]:
    return {
        "latency_not_an_api": _("Ce modèle n’est pas une API du catalogue : son délai n’a nulle part où s’inscrire."),
        "latency_no_region": _("Sans région du serveur, un délai ne dit rien : relancez la mesure en l’indiquant."),
        "latency_few": _("Il faut au moins 20 réponses complètes au palier le plus bas pour un 95ᵉ centile."),
        "latency_partial": _("La mesure est partielle : son délai ne se publie pas."),
    }


def of_roofs() -> dict[str, str]:
    return {
        "probe_cpu": _("Ces valeurs viennent d’un processeur : elles ne disent rien d’un GPU et ne se publient pas."),
        "probe_no_sku": _("Cette sonde ne porte sur aucune offre du catalogue : elle reste lisible ici."),
        "probe_no_roof": _(
            "Seuls les produits de matrices, la copie mémoire et l’all-reduce deviennent des plafonds de l’offre ;"
            " ces valeurs restent lisibles ici."
        ),
        "probe_other_gpu": _("Le GPU mesuré n’est pas celui de l’offre : ces valeurs ne se publient pas."),
        "probe_refused": _("Une valeur au moins est refusée : rien ne se publie. Relancez la sonde."),
        "probe_unchecked": _("Aucune fiche technique n’a pu contrôler une valeur au moins : rien ne se publie."),
        "probe_unproven": _(
            "Une valeur au moins n’est pas établie (moins de 30 s, échauffement instable, cache, tranche de GPU) :"
            " rien ne se publie."
        ),
        "probe_noisy": _("Une valeur au moins varie de plus de 3 % d’une seconde à l’autre : rien ne se publie."),
    }
