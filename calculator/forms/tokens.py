"""The form of a corpus. It does not decide what exists: `Choices` brings the codes that the catalogue knows."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from calculator import fields, formats
from calculator.domain.llm import LanguageModel
from calculator.domain.offers import ApiModel, Mode, Sku
from calculator.domain.precision import PRECISIONS
from calculator.domain.scenario import BillingStep
from calculator.domain.tokens_scenario import Work
from calculator.forms.base import Group, ListedSpec, NumberSpec, ScenarioForm, SelectSpec, select_of
from calculator.permalinks import tokens as keys

TOKENS = gettext_lazy("tokens")
DOCUMENTS = gettext_lazy("documents")


@dataclass(frozen=True, slots=True)
class Choices:
    """What the form offers: models to embed with, APIs, machines with a GPU, open models."""

    embeddings: tuple[ApiModel, ...] = ()
    apis: tuple[ApiModel, ...] = ()
    skus: tuple[Sku, ...] = ()
    models: tuple[LanguageModel, ...] = ()


NUMBERS: Mapping[str, NumberSpec] = {
    "docs": NumberSpec(
        keys.DOCUMENTS, gettext_lazy("Documents du corpus"), gettext_lazy("Par exemple 2\u00a0M."), DOCUMENTS
    ),
    "mean": NumberSpec(
        keys.MEAN,
        gettext_lazy("Tokens par document, en moyenne"),
        gettext_lazy("Comptez un échantillon pour le savoir. Par exemple 4\u202f000."),
        TOKENS,
    ),
    "n": NumberSpec(
        keys.SAMPLE,
        gettext_lazy("Documents comptés"),
        gettext_lazy("Taille de l’échantillon. Vide\u00a0: pas d’intervalle. Par exemple 200."),
        DOCUMENTS,
        required=False,
    ),
    "sd": NumberSpec(
        keys.SPREAD,
        gettext_lazy("Écart-type"),
        gettext_lazy("Entre documents de l’échantillon. Par exemple 2\u202f500."),
        TOKENS,
        required=False,
    ),
    "p50": NumberSpec(
        keys.SPREAD, gettext_lazy("Médiane (P50)"), gettext_lazy("Par exemple 3\u202f200."), TOKENS, required=False
    ),
    "p95": NumberSpec(
        keys.SPREAD,
        gettext_lazy("95ᵉ centile (P95)"),
        gettext_lazy("Par exemple 9\u202f500."),
        TOKENS,
        required=False,
    ),
    "chunk": NumberSpec(
        keys.CHUNK,
        gettext_lazy("Taille d’un morceau"),
        gettext_lazy("Découpage avant indexation. Par exemple 512."),
        TOKENS,
    ),
    "overlap": NumberSpec(
        keys.OVERLAP,
        gettext_lazy("Recouvrement"),
        gettext_lazy("Repris du morceau précédent, donc lu deux fois. Par exemple 64."),
        TOKENS,
    ),
    "count": NumberSpec(keys.INSTANCES, gettext_lazy("Machines"), gettext_lazy("Par exemple 1.")),
    "price": NumberSpec(
        fields.PRICE,
        gettext_lazy("Prix saisi"),
        gettext_lazy("De cette machine. Vide\u00a0: le prix de la liste. Par exemple 1,50."),
        gettext_lazy("€ HT / h"),
        required=False,
    ),
    "read": NumberSpec(
        fields.PREFILL,
        gettext_lazy("Débit de lecture connu"),
        gettext_lazy("De toute votre installation, pour une durée de plus. Par exemple 50\u202f000."),
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
}
NAMES_OF_TOKENIZERS: Mapping[str, str] = {
    "cl100k_base": "cl100k_base",
    "o200k_base": "o200k_base",
    "mistral-v1": "Mistral v1",
    "mistral-v3": "Mistral v3",
    "tekken": "Mistral tekken",
}
SELECTS: Mapping[str, SelectSpec] = {
    "tokenizer": SelectSpec(
        gettext_lazy("Tokenizer du compte"),
        (*NAMES_OF_TOKENIZERS.items(), ("other", gettext_lazy("un autre"))),
        hint=gettext_lazy("Celui qui a compté les tokens ci-dessus."),
    ),
    "conf": SelectSpec(
        gettext_lazy("Confiance de l’intervalle"),
        (("0.90", "90\u00a0%"), ("0.95", "95\u00a0%"), ("0.99", "99\u00a0%")),
        is_radio=True,
    ),
    "mode": select_of(
        gettext_lazy("Mode tarifaire des API"),
        (
            (Mode.STANDARD, gettext_lazy("Standard")),
            (Mode.BATCH, pgettext_lazy("API mode", "Batch")),
            (Mode.FLEX, "Flex"),
            (Mode.PRIORITY, gettext_lazy("Prioritaire")),
        ),
    ),
    "step": select_of(
        gettext_lazy("Unité de facturation"),
        (
            (BillingStep.HOUR, gettext_lazy("L’heure entière")),
            (BillingStep.SECOND, gettext_lazy("La seconde")),
        ),
    ),
    "work": select_of(
        gettext_lazy("Travail du GPU"),
        (
            (Work.READ, gettext_lazy("Lire les documents")),
            (Work.INDEX, gettext_lazy("Indexer les morceaux")),
        ),
        is_radio=False,
    ),
    "prec": SelectSpec(
        gettext_lazy("Précision des poids"),
        tuple((code, code) for code in PRECISIONS if not code.startswith("gguf-")),
    ),
}
LISTED: Mapping[str, ListedSpec] = {
    "embed": ListedSpec(gettext_lazy("Modèle d’indexation (embeddings)")),
    "api": ListedSpec(gettext_lazy("API comparées"), required=False, is_many=True),
    "sku": ListedSpec(gettext_lazy("GPU dédié")),
    "model": ListedSpec(gettext_lazy("Modèle ouvert qui lit")),
}


class TokensForm(ScenarioForm):
    """The form of the tokens calculator."""

    NUMBERS = NUMBERS
    SELECTS = SELECTS
    LISTED = LISTED
    BASIC = ("docs", "mean", "chunk", "overlap", "embed", "sku", "work", "api")
    GROUPS = (
        Group("sample", gettext_lazy("Échantillon compté"), ("tokenizer", "n", "sd", "p50", "p95", "conf")),
        Group("reading", gettext_lazy("Lecture sur GPU"), ("model", "prec", "count", "step", "price", "read")),
        Group("prices", gettext_lazy("Tarifs"), ("mode", "fx")),
    )
    ANSWERED = frozenset({"docs", "mean", "embed", "sku", "fx", "price", "read"})
    choices: Choices

    def options(self, name: str) -> tuple[tuple[str, str], ...]:
        """What the catalogue offers for a field."""
        if name == "sku":
            return tuple((sku.code, _machine_label(sku)) for sku in self.choices.skus)
        if name == "model":
            return tuple((model.name, model.name) for model in self.choices.models)
        items = self.choices.embeddings if name == "embed" else self.choices.apis
        return tuple((item.code, item.label) for item in items)


def _machine_label(sku: Sku) -> str:
    """A machine by code and cards, said to be on request where it has no price."""
    label = f"{sku.code} — {sku.label}" if sku.label and sku.label != sku.code else sku.code
    return label if sku.prices else f"{label}{formats.NBSP}({_('sur devis')})"
