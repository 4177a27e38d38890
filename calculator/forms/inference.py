"""The inference form. It does not decide what exists: `Choices` brings offers, data sheets and models."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Self

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from calculator import fields, formats
from calculator.domain.calibration import Engine, Era
from calculator.domain.hardware import Gpu
from calculator.domain.llm import LanguageModel
from calculator.domain.offers import Basis, Sku
from calculator.domain.serving_scenario import CachePrecision, InferenceScenario, LoadBy
from calculator.forms.base import Group, ListedSpec, NumberSpec, ScenarioForm, SelectSpec, select_of
from calculator.permalinks import inference as keys
from calculator.presenters.inference_words import PATTERNS, PRECISIONS


@dataclass(frozen=True, slots=True)
class Choices:
    """What the form offers: machines for sale, data sheets, models; `own_model` names one described by its sizes."""

    skus: tuple[Sku, ...] = ()
    gpus: tuple[Gpu, ...] = ()
    models: tuple[LanguageModel, ...] = ()
    own_model: str = ""


TOKENS = gettext_lazy("tokens")
NO_TARGET = gettext_lazy("Vide\u00a0: sans objectif. Par exemple 500.")
TARGETS = frozenset({"ttft", "tpot", "e2e"})

NUMBERS: Mapping[str, NumberSpec] = {
    "count": NumberSpec(keys.INSTANCES, gettext_lazy("Nombre"), gettext_lazy("Par exemple 1 ou 4.")),
    "in": NumberSpec(keys.TOKENS, gettext_lazy("Prompt"), gettext_lazy("Par exemple 1\u202f024."), TOKENS),
    "out": NumberSpec(keys.TOKENS, gettext_lazy("Réponse"), gettext_lazy("Par exemple 256."), TOKENS),
    "conc": NumberSpec(
        fields.CONCURRENCY,
        gettext_lazy("Flux simultanés"),
        gettext_lazy("Compte si la charge est donnée en flux. Par exemple 16."),
        gettext_lazy("flux"),
    ),
    "rps": NumberSpec(
        keys.ARRIVALS,
        gettext_lazy("Arrivées"),
        gettext_lazy("Compte si la charge est donnée en requêtes. Par exemple 2,5."),
        gettext_lazy("requêtes/s"),
        required=False,
    ),
    "ttft": NumberSpec(keys.MILLISECONDS, gettext_lazy("Premier token"), NO_TARGET, "ms", required=False),
    "tpot": NumberSpec(
        keys.MILLISECONDS,
        gettext_lazy("Par token"),
        gettext_lazy("20\u00a0ms font 50\u00a0tok/s par flux. Vide\u00a0: sans objectif."),
        "ms",
        required=False,
    ),
    "e2e": NumberSpec(
        keys.MILLISECONDS,
        gettext_lazy("Réponse entière"),
        gettext_lazy("Vide\u00a0: sans objectif. Par exemple 10\u202f000."),
        "ms",
        required=False,
    ),
    "tp": NumberSpec(
        keys.PARALLEL,
        gettext_lazy("Parallélisme tensoriel"),
        gettext_lazy("GPU qui se partagent chaque matrice. Vide\u00a0: choisi pour vous. Par exemple 4."),
        "GPU",
        required=False,
    ),
    "pp": NumberSpec(
        keys.PARALLEL,
        gettext_lazy("Parallélisme de pipeline"),
        gettext_lazy("Étages qui se partagent les couches. Vide\u00a0: choisis avec le précédent, sinon 1."),
        gettext_lazy("étages"),
        required=False,
    ),
    "replicas": NumberSpec(
        keys.INSTANCES,
        gettext_lazy("Répliques"),
        gettext_lazy("Vide\u00a0: autant que les GPU en portent. Par exemple 2."),
        required=False,
    ),
    "hit": NumberSpec(
        fields.SHARE,
        gettext_lazy("Prompt lu dans le cache de préfixes"),
        gettext_lazy("Part du prompt. Par exemple 40."),
        "%",
    ),
    "mem": NumberSpec(
        keys.MEMORY,
        gettext_lazy("Mémoire laissée au moteur"),
        gettext_lazy("Vide\u00a0: la valeur calée. Par exemple 90."),
        "%",
        required=False,
    ),
    "maxseq": NumberSpec(
        keys.SEQUENCES,
        gettext_lazy("Séquences au plus"),
        gettext_lazy("Réglage du moteur. Vide\u00a0: la valeur calée. Par exemple 256."),
        required=False,
    ),
    "price": NumberSpec(
        fields.PRICE,
        gettext_lazy("Prix saisi"),
        gettext_lazy("D’une instance. Vide\u00a0: le prix de la liste. Par exemple 4,20."),
        gettext_lazy("€ HT"),
        required=False,
    ),
    "hours": NumberSpec(
        fields.HOURS, gettext_lazy("Heures du mois"), gettext_lazy("Par exemple 720, 730 ou 744."), "h"
    ),
    "util": NumberSpec(
        fields.UTILISATION,
        gettext_lazy("Utilisation"),
        gettext_lazy("Part des heures payées où le GPU produit des tokens. Par exemple 65."),
        "%",
    ),
    "volume": NumberSpec(
        fields.VOLUME,
        gettext_lazy("Volume de sortie"),
        gettext_lazy("Vide\u00a0: ce que le point produit à l’utilisation prévue. Par exemple 100\u00a0M."),
        gettext_lazy("tokens / mois"),
        required=False,
    ),
    "params": NumberSpec(
        keys.PARAMS,
        gettext_lazy("Paramètres"),
        gettext_lazy("Embeddings compris. Par exemple 7\u202f248\u202f023\u202f552."),
        required=False,
    ),
    "active": NumberSpec(
        keys.PARAMS, gettext_lazy("Paramètres actifs"), gettext_lazy("Par token, si experts."), required=False
    ),
    "layers": NumberSpec(keys.LAYERS, gettext_lazy("Couches"), gettext_lazy("Par exemple 32."), required=False),
    "width": NumberSpec(keys.SIZE, gettext_lazy("Largeur cachée"), gettext_lazy("Par exemple 4096."), required=False),
    "heads": NumberSpec(keys.SIZE, gettext_lazy("Têtes d’attention"), gettext_lazy("Par exemple 32."), required=False),
    "kv_heads": NumberSpec(
        keys.SIZE, gettext_lazy("Têtes clé-valeur"), gettext_lazy("Vide\u00a0: autant. Par exemple 8."), required=False
    ),
    "head_dim": NumberSpec(
        keys.SIZE, gettext_lazy("Taille d’une tête"), gettext_lazy("Vide\u00a0: largeur ÷ têtes."), required=False
    ),
    "intermediate": NumberSpec(
        keys.SIZE, gettext_lazy("Largeur du MLP"), gettext_lazy("Par exemple 14336."), required=False
    ),
    "vocab": NumberSpec(keys.SIZE, gettext_lazy("Vocabulaire"), gettext_lazy("Par exemple 32768."), required=False),
    "context": NumberSpec(
        keys.CONTEXT, gettext_lazy("Contexte maximal"), gettext_lazy("Par exemple 32768."), TOKENS, required=False
    ),
    "experts": NumberSpec(keys.SIZE, gettext_lazy("Experts"), gettext_lazy("Par exemple 8."), required=False),
    "topk": NumberSpec(keys.SIZE, gettext_lazy("Experts par token"), gettext_lazy("Par exemple 2."), required=False),
    "latent": NumberSpec(
        keys.SIZE, gettext_lazy("Rang latent (MLA)"), gettext_lazy("kv_lora_rank. Par exemple 512."), required=False
    ),
    "rope": NumberSpec(
        keys.SIZE, gettext_lazy("Dimension rotative (MLA)"), gettext_lazy("Par exemple 64."), required=False
    ),
    "window": NumberSpec(
        keys.SIZE, gettext_lazy("Fenêtre glissante"), gettext_lazy("Par exemple 4096."), TOKENS, required=False
    ),
}

SELECTS: Mapping[str, SelectSpec] = {
    "prec": SelectSpec(gettext_lazy("Poids"), tuple(PRECISIONS.items())),
    "kv": select_of(
        gettext_lazy("Cache KV"),
        ((CachePrecision.FP16, "fp16"), (CachePrecision.FP8, "fp8")),
        is_radio=False,
    ),
    "engine": select_of(gettext_lazy("Moteur"), tuple((engine, engine.value) for engine in Engine), is_radio=False),
    "era": select_of(
        gettext_lazy("Version du moteur"),
        ((Era.NEW, gettext_lazy("2025 et après")), (Era.OLD, gettext_lazy("avant 2025"))),
    ),
    "load": select_of(
        gettext_lazy("Charge donnée en"),
        ((LoadBy.CONCURRENCY, gettext_lazy("flux")), (LoadBy.RATE, gettext_lazy("requêtes/s"))),
    ),
    "basis": select_of(
        gettext_lazy("Facturation"),
        ((Basis.MONTH, gettext_lazy("Au mois")), (Basis.HOUR, gettext_lazy("À l’heure"))),
    ),
    "tied": SelectSpec(
        gettext_lazy("Embeddings partagés avec la sortie"),
        (("1", gettext_lazy("oui")), ("0", gettext_lazy("non"))),
        is_radio=True,
    ),
}
LISTED: Mapping[str, ListedSpec] = {
    "model": ListedSpec(gettext_lazy("Modèle")),
    "sku": ListedSpec(gettext_lazy("GPU dédié")),
    "also": ListedSpec(gettext_lazy("Formats classés aussi"), required=False, is_many=True),
    "gpu": ListedSpec(gettext_lazy("Autre GPU"), required=False, empty=gettext_lazy("Celui de l’offre")),
    "pattern": ListedSpec(
        gettext_lazy("Couches à fenêtre"), required=False, empty=gettext_lazy("inconnues\u00a0: fenêtre non comptée")
    ),
}


class InferenceForm(ScenarioForm):
    """The form of the inference calculator."""

    NUMBERS = NUMBERS
    SELECTS = SELECTS
    LISTED = LISTED
    BASIC = ("model", "sku", "count", "prec", "kv", "in", "out", "load", "conc", "rps", "ttft", "tpot")
    GROUPS = (
        Group(
            "engine",
            gettext_lazy("Moteur et répartition"),
            ("engine", "era", "tp", "pp", "replicas", "hit", "e2e", "mem", "maxseq", "gpu", "also"),
        ),
        Group("cost", gettext_lazy("Coût"), ("basis", "price", "hours", "util", "volume")),
        Group(
            "own",
            gettext_lazy("Modèle hors catalogue"),
            (
                *("params", "layers", "width", "heads", "kv_heads", "head_dim", "intermediate", "vocab", "tied"),
                *("context", "active", "experts", "topk", "latent", "rope", "window", "pattern"),
            ),
        ),
    )
    ANSWERED = frozenset({"model", "sku", "util", "hours", "price", "volume", "replicas", "tp", "pp", "mem", "maxseq"})
    base: InferenceScenario
    choices: Choices

    @classmethod
    def from_scenario(cls, scenario: InferenceScenario, choices: Choices) -> Self:
        """The unbound form that shows `scenario`; a target that is none is an empty field."""
        form = super().from_scenario(scenario, choices)
        form.initial.update({name: None for name in TARGETS if not form.initial[name]})
        return form

    def options(self, name: str) -> tuple[tuple[str, str], ...]:
        """What the catalogue offers for a field."""
        if name == "also":
            return tuple((value, str(words)) for value, words in PRECISIONS.items())
        if name == "pattern":
            return tuple((value, str(words)) for value, words in PATTERNS.items())
        if name == "sku":
            return tuple((sku.code, sku_label(sku)) for sku in self.choices.skus)
        if name == "gpu":
            return tuple((gpu.name, gpu_label(gpu)) for gpu in self.choices.gpus)
        own = self.choices.own_model
        listed = tuple((model.name, model.name) for model in self.choices.models)
        return ((own, _("%(name)s (dimensions saisies)") % {"name": own}), *listed) if own else listed

    def typed(self, name: str, value: Any) -> Any:
        """A cleaned value as the scenario's type; an empty target is none."""
        if name in TARGETS and value is None:
            return Decimal(0)
        return super().typed(name, value)

    def clean(self) -> dict[str, Any]:
        """Arrivals to count by must be given."""
        cleaned: dict[str, Any] = self.cleaned_data
        by_rate = cleaned.get("load") == LoadBy.RATE.value
        if by_rate and cleaned.get("rps") is None and "rps" not in self.errors:
            self.add_error("rps", _("Indiquez le nombre de requêtes par seconde."))
        return cleaned


def sku_label(sku: Sku) -> str:
    """A machine by code and card."""
    label = f"{sku.code} — {sku.label}" if sku.label else sku.code
    return label if sku.prices else _("%(label)s, sur devis") % {"label": label}


def gpu_label(gpu: Gpu) -> str:
    """A data sheet by name and memory."""
    return f"{gpu.name}, {formats.number(gpu.vram_gb)}{formats.NBSP}{_('Go')}"
