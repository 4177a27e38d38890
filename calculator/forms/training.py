"""The training form."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext_lazy, pgettext_lazy

from calculator import fields
from calculator.domain.calibration import Framework
from calculator.domain.llm import LanguageModel
from calculator.domain.offers import ApiModel, Basis, Sku
from calculator.domain.scenario import BillingStep
from calculator.domain.training import Method
from calculator.domain.training_scenario import TARGETS, Convention, Numbers, Optimizer, Reads, Speed, Work
from calculator.forms.base import Group, ListedSpec, NumberSpec, ScenarioForm, SelectSpec, select_of
from calculator.permalinks import training as keys


@dataclass(frozen=True, slots=True)
class Choices:
    """What the catalogue offers at the scenario's version and instant."""

    skus: tuple[Sku, ...] = ()
    models: tuple[LanguageModel, ...] = ()
    apis: tuple[ApiModel, ...] = ()


TOKENS = gettext_lazy("tokens")
NUMBERS: Mapping[str, NumberSpec] = {
    "params": NumberSpec(
        keys.PARAMS,
        gettext_lazy("Paramètres d’un modèle hors liste"),
        gettext_lazy("Vide\u00a0: le modèle choisi. Sinon ce nombre le remplace, par exemple 2,7\u00a0Md."),
        gettext_lazy("paramètres"),
        required=False,
    ),
    "count": NumberSpec(keys.INSTANCES, gettext_lazy("Instances"), gettext_lazy("Louées ensemble. Par exemple 1.")),
    "mbs": NumberSpec(
        keys.MICRO_BATCH,
        gettext_lazy("Micro-batch"),
        gettext_lazy("Séquences par GPU et par passe. Par exemple 2."),
        gettext_lazy("séquences"),
    ),
    "accum": NumberSpec(
        keys.ACCUMULATION,
        gettext_lazy("Accumulation"),
        gettext_lazy("Passes avant chaque pas de l’optimiseur. Par exemple 4."),
        gettext_lazy("passes"),
    ),
    "seq": NumberSpec(
        keys.SEQUENCE, gettext_lazy("Longueur de séquence"), gettext_lazy("Par exemple 512 ou 4096."), TOKENS
    ),
    "steps": NumberSpec(
        keys.STEPS,
        gettext_lazy("Pas de l’optimiseur"),
        gettext_lazy("Compte si le travail est donné en pas. Par exemple 750."),
        gettext_lazy("pas"),
    ),
    "rows": NumberSpec(
        keys.ROWS,
        gettext_lazy("Exemples du jeu de données"),
        gettext_lazy("Sert aussi à compter les époques. Par exemple 12\u202f000."),
        gettext_lazy("exemples"),
        required=False,
    ),
    "mean": NumberSpec(
        keys.MEAN,
        gettext_lazy("Longueur moyenne d’un exemple"),
        gettext_lazy("Au-delà d’une séquence, l’exemple est coupé. Par exemple 350."),
        TOKENS,
        required=False,
    ),
    "epochs": NumberSpec(
        keys.EPOCHS, gettext_lazy("Époques"), gettext_lazy("Passages sur les données. Par exemple 3.")
    ),
    "tokens": NumberSpec(
        keys.CORPUS,
        gettext_lazy("Tokens au total"),
        gettext_lazy("Compte si le travail est donné en tokens. Par exemple 40\u00a0Md."),
        TOKENS,
        required=False,
    ),
    "rank": NumberSpec(keys.RANK, gettext_lazy("Rang LoRA"), gettext_lazy("Par exemple 16.")),
    "tp": NumberSpec(
        keys.DEGREE,
        gettext_lazy("Parallélisme tensoriel (TP)"),
        gettext_lazy("GPU qui se partagent chaque matrice. Vide\u00a0: choisi pour vous. Par exemple 8."),
        "GPU",
        required=False,
    ),
    "pp": NumberSpec(
        keys.DEGREE,
        gettext_lazy("Parallélisme de pipeline (PP)"),
        gettext_lazy("Étages qui se partagent les couches. Vide\u00a0: choisis avec le précédent, sinon 1."),
        gettext_lazy("étages"),
        required=False,
    ),
    "train_rate": NumberSpec(
        fields.RATE,
        gettext_lazy("Débit saisi, par GPU"),
        gettext_lazy("Compte si la vitesse est saisie en tok/s. Par exemple 1\u202f350,5."),
        "tok/s",
        required=False,
    ),
    "mfu": NumberSpec(
        keys.MFU,
        gettext_lazy("MFU saisi"),
        gettext_lazy("Part du pic de calcul. Compte si la vitesse est un MFU. Par exemple 38."),
        "%",
        required=False,
    ),
    "price": NumberSpec(
        fields.PRICE,
        gettext_lazy("Prix saisi"),
        gettext_lazy("Par instance. Vide\u00a0: le prix de la liste. Par exemple 1,50."),
        gettext_lazy("€ HT"),
        required=False,
    ),
    "hours": NumberSpec(
        fields.HOURS, gettext_lazy("Heures du mois"), gettext_lazy("Par exemple 720, 730 ou 744."), "h"
    ),
    "retry": NumberSpec(
        keys.RETRIES,
        gettext_lazy("Marge pour reprises"),
        gettext_lazy("Temps ajouté pour les essais ratés. Par exemple 10."),
        "%",
    ),
    "save": NumberSpec(
        keys.STEPS,
        gettext_lazy("Sauvegarde tous les"),
        gettext_lazy("Vide\u00a0: une seule, à la fin. Par exemple 100."),
        gettext_lazy("pas"),
        required=False,
    ),
    "kept": NumberSpec(keys.KEPT, gettext_lazy("Sauvegardes gardées"), gettext_lazy("Les dernières. Par exemple 3.")),
    "kept_months": NumberSpec(
        keys.MONTHS, gettext_lazy("Durée de conservation"), gettext_lazy("Par exemple 6."), gettext_lazy("mois")
    ),
    "storage_gb": NumberSpec(
        keys.STORAGE_PRICE,
        gettext_lazy("Prix du stockage"),
        gettext_lazy("Vide\u00a0: inconnu. Par exemple 0,05."),
        gettext_lazy("€ HT / Go et mois"),
        required=False,
    ),
    "saved": NumberSpec(
        fields.INPUT_TOKENS,
        gettext_lazy("Tokens retirés du prompt"),
        gettext_lazy("Consignes et exemples devenus inutiles. Par exemple 1\u202f500."),
        gettext_lazy("tokens / requête"),
        required=False,
    ),
    "requests": NumberSpec(
        fields.REQUESTS,
        gettext_lazy("Requêtes par mois"),
        gettext_lazy("Par exemple 200\u202f000."),
        gettext_lazy("requêtes / mois"),
        required=False,
    ),
    "prefill": NumberSpec(
        fields.PREFILL,
        gettext_lazy("Lecture du prompt"),
        gettext_lazy("Débit d’un GPU en entrée. Vide\u00a0: estimé. Par exemple 5\u202f000."),
        "tok/s",
        required=False,
    ),
    "fx": NumberSpec(
        fields.USD_PER_EUR,
        gettext_lazy("Dollars pour 1 €"),
        gettext_lazy("Vide\u00a0: le cours de la BCE. Par exemple 1,1172."),
        "$",
        required=False,
    ),
    "vat": NumberSpec(fields.VAT, gettext_lazy("TVA"), gettext_lazy("Sur le total. Par exemple 20."), "%"),
}

YES_NO = (("1", gettext_lazy("Oui")), ("0", gettext_lazy("Non")))
SELECTS: Mapping[str, SelectSpec] = {
    "method": select_of(
        gettext_lazy("Méthode"),
        (
            (Method.QLORA, "QLoRA"),
            (Method.LORA, "LoRA"),
            (Method.FULL, gettext_lazy("Complet")),
            (Method.PRETRAIN, gettext_lazy("Pré-entraînement")),
        ),
        is_radio=False,
    ),
    "work": select_of(
        gettext_lazy("Travail donné en"),
        (
            (Work.STEPS, gettext_lazy("pas")),
            (Work.DATASET, gettext_lazy("exemples")),
            (Work.TOKENS, gettext_lazy("tokens")),
        ),
    ),
    "speed": select_of(
        gettext_lazy("Vitesse"),
        (
            (Speed.CALIBRATED, gettext_lazy("Estimée, calibrée sur des mesures publiées")),
            (Speed.PUBLISHED, gettext_lazy("Annoncée par le vendeur pour ce cas")),
            (Speed.RATE, gettext_lazy("Débit saisi")),
            (Speed.MFU, gettext_lazy("MFU saisi")),
        ),
        is_radio=False,
    ),
    "prec": select_of(
        gettext_lazy("Format de calcul"),
        ((Numbers.BF16, "bf16"), (Numbers.FP16, "fp16"), (Numbers.FP8, "fp8"), (Numbers.FP32, "fp32")),
        is_radio=False,
        hint=gettext_lazy("En fp8, les poids restent gardés sur 16 bits."),
    ),
    "optim": select_of(
        gettext_lazy("Optimiseur"),
        (
            (Optimizer.ADAMW, gettext_lazy("AdamW, états sur 32 bits")),
            (Optimizer.FUSED, gettext_lazy("AdamW fusionné, mêmes états")),
            (Optimizer.EIGHT_BIT, gettext_lazy("AdamW 8 bits")),
            (Optimizer.HALF, gettext_lazy("AdamW tout en 16 bits")),
        ),
        is_radio=False,
    ),
    "recomp": SelectSpec(gettext_lazy("Recalculer les activations"), YES_NO, is_radio=True),
    "zero": SelectSpec(
        gettext_lazy("Partage entre copies (ZeRO, FSDP)"),
        (
            ("0", gettext_lazy("Aucun")),
            ("1", gettext_lazy("1\u00a0: états de l’optimiseur")),
            ("2", gettext_lazy("2\u00a0: et gradients")),
            ("3", gettext_lazy("3\u00a0: et poids (FSDP)")),
        ),
    ),
    "framework": select_of(
        gettext_lazy("Logiciel"),
        (
            (Framework.TRANSFORMERS, "Transformers, PEFT, TRL"),
            (Framework.FSDP, "PyTorch FSDP"),
            (Framework.MEGATRON, "Megatron, NeMo"),
            (Framework.NATIVE, gettext_lazy("Code C++/CUDA dédié")),
        ),
        is_radio=False,
    ),
    "conv": select_of(
        gettext_lazy("Le MFU saisi compte"),
        (
            (Convention.SIX, gettext_lazy("6N, usage courant")),
            (Convention.METHOD, gettext_lazy("4N si la base est gelée")),
        ),
        is_radio=False,
    ),
    "basis": select_of(
        gettext_lazy("Facturation"),
        ((Basis.HOUR, gettext_lazy("À l’heure")), (Basis.MONTH, gettext_lazy("Au mois"))),
    ),
    "step": select_of(
        gettext_lazy("Unité de facturation"),
        (
            (BillingStep.SECOND, gettext_lazy("La seconde")),
            (BillingStep.HOUR, gettext_lazy("L’heure entière")),
        ),
    ),
    "restart": SelectSpec(gettext_lazy("Garder les états de l’optimiseur"), YES_NO, is_radio=True),
    "reads": select_of(
        gettext_lazy("Qui lit les prompts raccourcis"),
        (
            (Reads.NOBODY, pgettext_lazy("payback", "Ne pas calculer")),
            (Reads.API, gettext_lazy("Une API")),
            (Reads.GPU, gettext_lazy("Ce GPU, payé à l’usage")),
            (Reads.ALWAYS_ON, gettext_lazy("Un GPU toujours allumé")),
        ),
        is_radio=False,
    ),
}
LISTED: Mapping[str, ListedSpec] = {
    "model": ListedSpec(gettext_lazy("Modèle")),
    "sku": ListedSpec(gettext_lazy("GPU dédié")),
    "target": ListedSpec(gettext_lazy("Matrices adaptées"), required=False, is_many=True),
    "ref": ListedSpec(gettext_lazy("API qui lit les prompts")),
}


class TrainingForm(ScenarioForm):
    """The form of the training calculator."""

    NUMBERS = NUMBERS
    SELECTS = SELECTS
    LISTED = LISTED
    BASIC = ("model", "sku", "count", "method", "work", "steps", "mbs", "accum", "seq", "speed")
    GROUPS = (
        Group("work", gettext_lazy("Données et durée"), ("rows", "mean", "epochs", "tokens", "retry")),
        Group("model", gettext_lazy("Modèle et adaptateurs"), ("params", "rank", "target")),
        Group("memory", gettext_lazy("Mémoire et calcul"), ("prec", "optim", "recomp", "framework")),
        Group("division", gettext_lazy("Plusieurs GPU"), ("zero", "tp", "pp")),
        Group("speed", gettext_lazy("Vitesse saisie"), ("train_rate", "mfu", "conv")),
        Group("rental", gettext_lazy("Location"), ("basis", "price", "step", "hours", "vat")),
        Group(
            "checkpoints",
            gettext_lazy("Sauvegardes"),
            ("save", "kept", "restart", "kept_months", "storage_gb"),
        ),
        Group(
            "payback",
            gettext_lazy("Prompt raccourci"),
            ("reads", "saved", "requests", "prefill", "ref", "fx"),
        ),
    )
    ANSWERED = frozenset(
        {"mbs", "accum", "steps", "seq", "sku", "speed", "hours", "retry", "price", "tp", "pp", "train_rate"}
    )
    choices: Choices

    def options(self, name: str) -> tuple[tuple[str, str], ...]:
        """What the catalogue offers for a field."""
        if name == "target":
            return tuple((target, target) for target in TARGETS)
        if name == "model":
            return tuple((model.name, model.name) for model in self.choices.models)
        items = self.choices.skus if name == "sku" else self.choices.apis
        return tuple((item.code, item.label) for item in items)

    def opened(self) -> frozenset[str]:
        """The groups whose fields the chosen work or speed waits for, and those that are in use."""
        waiting = {
            "work": self.texts("work") != [Work.STEPS.value],
            "speed": self.texts("speed")[0] in (Speed.RATE.value, Speed.MFU.value),
            "payback": self.texts("reads") != [Reads.NOBODY.value],
        }
        return frozenset(name for name, is_open in waiting.items() if is_open)
