"""The multi-GPU form. It does not decide what exists: `Choices` brings the machines, data sheets and models."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from calculator import fields, formats, interconnects
from calculator.domain.collectives import Reduction
from calculator.domain.hardware import Gpu
from calculator.domain.interconnects import Reach
from calculator.domain.llm import LanguageModel
from calculator.domain.offers import Sku
from calculator.domain.parallel_scenario import BatchBy, Sharing
from calculator.forms.base import Group, ListedSpec, NumberSpec, ScenarioForm, SelectSpec, select_of
from calculator.permalinks import parallelism as keys


@dataclass(frozen=True, slots=True)
class Choices:
    """What the form offers: machines for sale, data sheets, models."""

    skus: tuple[Sku, ...] = ()
    gpus: tuple[Gpu, ...] = ()
    models: tuple[LanguageModel, ...] = ()


NUMBERS: Mapping[str, NumberSpec] = {
    "params": NumberSpec(
        keys.PARAMS,
        gettext_lazy("Nombre de paramètres"),
        gettext_lazy("Compte si aucun modèle n’est choisi. Par exemple 2,7\u00a0Md."),
        gettext_lazy("paramètres"),
    ),
    "tokens": NumberSpec(
        keys.CORPUS,
        gettext_lazy("Tokens d’entraînement"),
        gettext_lazy("Par exemple 40\u00a0Md."),
        gettext_lazy("tokens"),
    ),
    "gpus": NumberSpec(keys.GPUS, gettext_lazy("Nombre de GPU"), gettext_lazy("De 1 à 64. Par exemple 8."), "GPU"),
    "steptok": NumberSpec(
        keys.STEP_TOKENS,
        gettext_lazy("Tokens par pas"),
        gettext_lazy("Entre deux échanges de gradients. Par exemple 16\u202f384."),
        gettext_lazy("tokens"),
    ),
    "mfu": NumberSpec(
        keys.MFU,
        gettext_lazy("MFU d’un GPU seul"),
        gettext_lazy("Part du pic 16 bits utile au modèle. Vide\u00a0: la valeur calée. Par exemple 38."),
        "%",
        required=False,
    ),
    "overlap": NumberSpec(
        fields.SHARE,
        gettext_lazy("Recouvrement"),
        gettext_lazy("Part de la passe arrière du dernier micro-batch qui masque l’échange. Par exemple 50."),
        "%",
    ),
    "price": NumberSpec(
        fields.PRICE,
        gettext_lazy("Prix d’une instance"),
        gettext_lazy("Vide\u00a0: le prix de la liste. Par exemple 43,20."),
        gettext_lazy("€ HT / h"),
        required=False,
    ),
    "observed": NumberSpec(
        keys.DAYS,
        gettext_lazy("Durée observée ou annoncée"),
        gettext_lazy("Sur ce nombre de GPU, pour chercher ce qui l’explique. Par exemple 14."),
        gettext_lazy("jours"),
        required=False,
    ),
    "layers": NumberSpec(
        keys.LAYERS,
        gettext_lazy("Couches"),
        gettext_lazy("Sans modèle choisi, pour partager tenseurs ou couches. Par exemple 32."),
        required=False,
    ),
    "width": NumberSpec(
        keys.WIDTH, gettext_lazy("Largeur cachée"), gettext_lazy("Par exemple 2\u202f560."), required=False
    ),
    "machine": NumberSpec(
        keys.MACHINE_GPUS,
        gettext_lazy("GPU par machine"),
        gettext_lazy("Vide\u00a0: 8, ou ceux de l’offre s’il y en a plus. Par exemple 1."),
        "GPU",
        required=False,
    ),
    "cards": NumberSpec(
        keys.CARDS,
        gettext_lazy("Cartes réseau par machine"),
        gettext_lazy("Partagées par tous ses GPU. Vide\u00a0: une par GPU, huit au plus."),
        required=False,
    ),
    "tp": NumberSpec(keys.DEGREE, gettext_lazy("Parallélisme tensoriel"), gettext_lazy("Par exemple 8."), "GPU"),
    "pp": NumberSpec(keys.DEGREE, gettext_lazy("Étages de pipeline"), gettext_lazy("Par exemple 2."), "GPU"),
    "seq": NumberSpec(
        keys.SEQUENCE,
        gettext_lazy("Longueur des séquences"),
        gettext_lazy("Par exemple 2\u202f048."),
        gettext_lazy("tokens"),
    ),
    "micro": NumberSpec(
        keys.MICRO_BATCHES,
        gettext_lazy("Micro-batchs par pas"),
        gettext_lazy("Accumulation, et remplissage du pipeline. Par exemple 8."),
    ),
    "floor": NumberSpec(
        fields.SHARE,
        gettext_lazy("Seuil de rentabilité d’un GPU ajouté"),
        gettext_lazy("Part de son gain idéal en deçà de laquelle il ne vaut plus son prix. Par exemple 50."),
        "%",
    ),
    "day": NumberSpec(
        fields.EXTRA_COST,
        gettext_lazy("Valeur d’un jour gagné"),
        gettext_lazy("Vide\u00a0: non comptée. Par exemple 1\u202f000."),
        gettext_lazy("€ HT"),
        required=False,
    ),
    "vat": NumberSpec(fields.VAT, gettext_lazy("TVA"), gettext_lazy("Sur le total. Par exemple 20."), "%"),
}

SELECTS: Mapping[str, SelectSpec] = {
    "sharing": select_of(
        gettext_lazy("Copies du modèle"),
        (
            (Sharing.DATA, gettext_lazy("Copie entière")),
            (Sharing.SHARDED, gettext_lazy("États partagés (FSDP)")),
        ),
    ),
    "batchby": select_of(
        gettext_lazy("Tokens comptés"),
        ((BatchBy.GPU, gettext_lazy("par GPU")), (BatchBy.STEP, gettext_lazy("pour tout le pas"))),
    ),
    "algo": select_of(
        gettext_lazy("Somme des gradients"),
        (
            (Reduction.RING, gettext_lazy("Anneau")),
            (Reduction.TREE, gettext_lazy("Arbres")),
            (Reduction.SWITCH, gettext_lazy("Commutateur")),
        ),
    ),
    "grad": SelectSpec(
        gettext_lazy("Octets par gradient"),
        (("2", gettext_lazy("2 (bf16)")), ("4", gettext_lazy("4 (fp32)"))),
        is_radio=True,
    ),
    "recomp": SelectSpec(
        gettext_lazy("Activations"),
        (("1", gettext_lazy("recalculées")), ("0", gettext_lazy("gardées"))),
        is_radio=True,
    ),
}
LISTED: Mapping[str, ListedSpec] = {
    "sku": ListedSpec(gettext_lazy("Machine")),
    "gpu": ListedSpec(
        gettext_lazy("Autre GPU, sans offre"),
        required=False,
        empty=gettext_lazy("Celui de la machine"),
        hint=gettext_lazy("Une fiche technique\u00a0: sans prix publié."),
    ),
    "model": ListedSpec(gettext_lazy("Modèle"), required=False, empty=gettext_lazy("Taille saisie")),
    "link": ListedSpec(gettext_lazy("Lien dans la machine"), required=False, empty=gettext_lazy("Celui du GPU")),
    "net": ListedSpec(gettext_lazy("Réseau entre machines")),
}


class ParallelismForm(ScenarioForm):
    """The form of the multi-GPU calculator."""

    NUMBERS = NUMBERS
    SELECTS = SELECTS
    LISTED = LISTED
    BASIC = ("model", "params", "tokens", "sku", "gpus", "sharing", "steptok", "mfu")
    GROUPS = (
        Group("machines", gettext_lazy("Machines et liens"), ("gpu", "machine", "link", "net", "cards", "price")),
        Group(
            "sharing",
            gettext_lazy("Partage et échange"),
            ("tp", "pp", "micro", "batchby", "algo", "grad", "overlap"),
        ),
        Group("model", gettext_lazy("Modèle et séquences"), ("seq", "recomp", "layers", "width")),
        Group("limit", gettext_lazy("Rentabilité et comparaison"), ("floor", "day", "observed", "vat")),
    )
    ANSWERED = frozenset({"params", "mfu", "price", "overlap", "machine", "cards"})
    choices: Choices

    @classmethod
    def tidy(cls, data: MultiValueDict[str, str], choices: Choices) -> None:
        """Names of models and GPUs in any case are those of the lists."""
        for name, listed in (("model", choices.models), ("gpu", choices.gpus)):
            by_name = {one.name.casefold(): one.name for one in listed}
            typed = str(data[name])
            data[name] = by_name.get(typed.casefold(), typed)

    def options(self, name: str) -> tuple[tuple[str, str], ...]:
        """What is offered for a field."""
        if name == "sku":
            return tuple((sku.code, machine_label(sku)) for sku in self.choices.skus)
        if name == "gpu":
            return tuple((gpu.name, gpu.name) for gpu in self.choices.gpus)
        if name == "model":
            return tuple((model.name, model.name) for model in self.choices.models)
        reach = Reach.MACHINE if name == "link" else Reach.NETWORK
        return tuple((one.code, one.name) for one in interconnects.of_reach(reach))


def machine_label(sku: Sku) -> str:
    """A machine by code and cards, said to be on request where it has no price."""
    label = f"{sku.code} — {sku.label}" if sku.label else sku.code
    return label if sku.prices else f"{label}{formats.NBSP}({_('sur devis')})"
