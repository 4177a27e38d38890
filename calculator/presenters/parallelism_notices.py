"""What the reader must know beside the multi-GPU figures: each message code as a sentence, with the way out."""

from collections.abc import Mapping

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy

from calculator import formats
from calculator.domain.parallel_scenario import ParallelismEstimate
from calculator.domain.scenario import Message, MessageValue
from calculator.presenters import parallelism_units
from calculator.presenters.notices import Notice, Wording

SILENT = frozenset({"price_on_request"})
"""Said in the figures."""
FIELD_IDS = {
    "mfu_ratio": "id_mfu",
    "price_eur": "id_price",
    "machine_gpus": "id_machine",
    "cards_count": "id_cards",
    "link": "id_link",
    "network": "id_net",
    "reduction": "id_algo",
    "tensor_parallel": "id_tp",
    "step_tokens": "id_steptok",
    "sharing": "id_sharing",
    "model": "id_model",
    "gpu": "id_gpu",
    "gpu_count": "id_gpus",
    "layers_count": "id_layers",
}
CHANGE = gettext_lazy("Modifier")

SENTENCES: Mapping[str, Wording] = {
    "ranks": Wording(
        gettext_lazy("Partage impossible."),
        gettext_lazy(
            "%(tensor)s (tenseurs) × %(pipeline)s (étages) font %(ranks)s rangs\u00a0: ils ne tiennent pas un nombre "
            "entier de fois sur %(gpus)s GPU."
        ),
        "bad",
        CHANGE,
    ),
    "shape_unknown": Wording(
        gettext_lazy("Dimensions inconnues."),
        gettext_lazy(
            "Partager les tenseurs ou les couches demande le nombre de couches et la largeur\u00a0: choisissez un "
            "modèle ou saisissez-les."
        ),
        "bad",
        gettext_lazy("Saisir les couches"),
    ),
    "parallel_heads": Wording(
        gettext_lazy("Partage impossible."),
        gettext_lazy("Les têtes d’attention de %(model)s ne se divisent pas par %(tensor)s."),
        "bad",
    ),
    "parallel_kv_heads": Wording(
        gettext_lazy("Partage impossible."),
        gettext_lazy("Les têtes KV de %(model)s et %(tensor)s GPU ne se divisent pas l’un par l’autre."),
        "bad",
    ),
    "parallel_vocabulary": Wording(
        gettext_lazy("Partage impossible."),
        gettext_lazy("Le vocabulaire de %(model)s ne se divise pas par %(tensor)s."),
        "bad",
    ),
    "parallel_layers": Wording(
        gettext_lazy("Partage impossible."), gettext_lazy("Il y a moins de couches que d’étages (%(pipeline)s)."), "bad"
    ),
    "link_too_small": Wording(
        gettext_lazy("Lien trop petit."),
        gettext_lazy("%(link)s relie %(most)s GPU au plus."),
        "bad",
        gettext_lazy("Choisir un autre lien"),
    ),
    "vendor_not_modelled": Wording(
        gettext_lazy("GPU non modélisé."),
        gettext_lazy("L’étalonnage ne couvre pas les GPU %(vendor)s\u00a0: aucun chiffre n’est donné pour %(gpu)s."),
        "bad",
    ),
    "unknown_peak": Wording(
        gettext_lazy("Pic inconnu."),
        gettext_lazy("La fiche de %(gpu)s ne donne pas de pic de calcul en 16 bits."),
        "bad",
    ),
    "unknown_link": Wording(
        gettext_lazy("Lien inconnu."),
        gettext_lazy("La fiche de %(gpu)s ne donne pas le débit de son lien\u00a0: choisissez-en un."),
        "bad",
    ),
    "mfu_is_published": Wording(
        gettext_lazy("MFU déduite de l’offre."),
        gettext_lazy(
            "Sans modèle choisi, la vitesse d’un GPU vient des 92 jours annoncés sur un %(gpu)s, soit %(mfu)s du pic. "
            "Un modèle du catalogue donne une valeur calée sur des mesures."
        ),
        "",
        gettext_lazy("Saisir une MFU"),
    ),
    "mfu_typed": Wording(
        gettext_lazy("MFU saisie."),
        gettext_lazy("Vous avez saisi %(typed)s\u00a0; l’étalonnage donne %(calibrated)s pour ce modèle et ce GPU."),
        "",
        CHANGE,
    ),
    "price_on_request": Wording(
        gettext_lazy("Prix sur devis."), gettext_lazy("Aucun prix n’est publié pour cette machine."), "warn"
    ),
    "link_not_own": Wording(
        gettext_lazy("Lien hypothétique."),
        gettext_lazy("%(link)s n’est pas le lien de ce GPU (%(own)s)\u00a0: le résultat est une comparaison."),
        "warn",
        CHANGE,
    ),
    "one_machine_assumed": Wording(
        gettext_lazy("Une seule machine supposée."),
        gettext_lazy(
            "%(instances)s instances de l’offre sont prises pour les cartes d’une même machine, reliées par %(link)s. "
            "L’offre ne le dit pas\u00a0: si elles sont séparées, réduire «\u00a0GPU par machine\u00a0»."
        ),
        "warn",
        CHANGE,
    ),
    "network_capped": Wording(
        gettext_lazy("Réseau borné par PCIe."),
        gettext_lazy(
            "Les cartes réseau iraient plus vite que les GPU ne les alimentent\u00a0: compté à %(rate)s par machine, "
            "soit %(gpus)s × %(slot)s."
        ),
        "",
        CHANGE,
    ),
    "network_assumed": Wording(
        gettext_lazy("Réseau supposé."),
        gettext_lazy(
            "L’offre ne publie pas le nombre de cartes réseau\u00a0: %(machines)s machines reliées par %(cards)s × "
            "%(network)s chacune est une hypothèse."
        ),
        "warn",
        CHANGE,
    ),
    "switch_cannot_add": Wording(
        gettext_lazy("Le commutateur ne sait pas additionner."),
        gettext_lazy("%(link)s n’a pas de somme dans le commutateur (NVLink 4 et suivants)\u00a0: calculé en anneau."),
        "warn",
        CHANGE,
    ),
    "tensor_over_network": Wording(
        gettext_lazy("Tenseurs partagés à travers le réseau."),
        gettext_lazy(
            "Un groupe de %(tensor)s GPU dépasse la machine\u00a0: chaque couche attend le réseau quatre fois par pas."
        ),
        "warn",
        CHANGE,
    ),
    "less_than_a_sequence": Wording(
        gettext_lazy("Moins d’une séquence par GPU."),
        gettext_lazy("%(tokens)s tokens par GPU et par pas, pour des séquences de %(sequence)s."),
        "warn",
        CHANGE,
    ),
    "memory_unknown": Wording(
        gettext_lazy("Mémoire non vérifiée."),
        gettext_lazy("Sans modèle choisi, les activations sont inconnues\u00a0: rien ne dit que tout tient."),
        "",
        gettext_lazy("Choisir un modèle"),
    ),
    "does_not_fit": Wording(
        gettext_lazy("Ne tient pas en mémoire."),
        gettext_lazy(
            "Il faut %(needed_bytes)s par GPU pour %(usable_bytes)s. Issues\u00a0: partager les états (FSDP), "
            "partager tenseurs ou couches, plus de micro-batchs."
        ),
        "bad",
        gettext_lazy("Changer le partage"),
    ),
    "does_not_fit_sharded": Wording(
        gettext_lazy("Ne tient pas en mémoire."),
        gettext_lazy(
            "Il faut %(needed_bytes)s par GPU pour %(usable_bytes)s, même partagé. Issues\u00a0: plus de GPU, plus de "
            "micro-batchs, activations recalculées."
        ),
        "bad",
        gettext_lazy("Ajouter des GPU"),
    ),
}


def text_of(name: str, value: MessageValue) -> str:
    """A value of a message as it is written in its sentence."""
    if name in ("mfu", "typed", "calibrated"):
        return formats.percent(_number(value), 1)
    if name.endswith("_bytes"):
        return parallelism_units.memory(_number(value))
    if name in ("rate", "slot"):
        return parallelism_units.rate(_number(value))
    if isinstance(value, int | float) and not isinstance(value, bool):
        return parallelism_units.number(value)
    return str(value)


def _number(value: MessageValue) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def sentence_of(message: Message) -> SafeString:
    """The sentence of a message without its bold beginning."""
    values = {name: text_of(name, value) for name, value in message.values.items()}
    return format_html("{}", str(SENTENCES[message.code].text) % values)


def notice(message: Message) -> Notice:
    """One message in words."""
    wording = SENTENCES[message.code]
    return Notice(
        lead=str(wording.lead),
        text=sentence_of(message),
        level=wording.level,
        field=FIELD_IDS.get(message.field, ""),
        action=str(wording.action),
        code=message.code,
    )


def notices(estimate: ParallelismEstimate) -> tuple[Notice, ...]:
    """Faults first, then what to beware of; what the figures say already is left out."""
    return tuple(notice(item) for item in (*estimate.faults, *estimate.warnings) if item.code not in SILENT)
