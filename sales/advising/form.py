"""The form of a need. Empty fields stand for what is usual for the use; the page shows it in their place."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy

from calculator import fields
from calculator.domain.llm import LanguageModel
from calculator.domain.training import Method
from calculator.forms.base import Group, ListedSpec, NumberSpec, ScenarioForm, SelectSpec, select_of
from calculator.permalinks import training
from calculator.permalinks.inference import MILLISECONDS
from calculator.permalinks.tokens import DOCUMENTS, MEAN
from sales.advising import notation as keys
from sales.advising.words import CONSTRAINTS, LANGUAGES, METHODS, RANGES, SHAPES, USES
from sales.domain.need import Constraint, LoadBy, Unit, Use
from sales.domain.ranges import Range


@dataclass(frozen=True, slots=True)
class Choices:
    """What the form offers of the catalogue: open models."""

    models: tuple[LanguageModel, ...] = ()


TOKENS = gettext_lazy("tokens")
USUAL = gettext_lazy("Vide\u00a0: l’usuel de cet usage.")
NO_TARGET = gettext_lazy("0\u00a0: sans objectif. Vide\u00a0: l’usuel de cet usage.")

NUMBERS: Mapping[str, NumberSpec] = {
    "users": NumberSpec(keys.PEOPLE, gettext_lazy("Personnes"), gettext_lazy("Par exemple 200."), required=False),
    "daily": NumberSpec(
        keys.DAILY,
        gettext_lazy("Requêtes par jour"),
        gettext_lazy("De chacune, un jour actif. Par exemple 20."),
        required=False,
    ),
    "requests": NumberSpec(
        fields.REQUESTS,
        gettext_lazy("Requêtes par mois"),
        gettext_lazy("Compte si la charge est donnée en requêtes. Par exemple 200\u202f000."),
        required=False,
    ),
    "volume": NumberSpec(
        fields.VOLUME,
        gettext_lazy("Tokens de sortie par mois"),
        gettext_lazy("Compte si la charge est donnée en tokens. Par exemple 100\u00a0M."),
        TOKENS,
        required=False,
    ),
    "in": NumberSpec(keys.LENGTH, gettext_lazy("Demande"), gettext_lazy("Prompt et documents joints."), required=False),
    "out": NumberSpec(keys.LENGTH, gettext_lazy("Réponse"), USUAL, required=False),
    "ttft": NumberSpec(MILLISECONDS, gettext_lazy("Premier token"), NO_TARGET, "ms", required=False),
    "tpot": NumberSpec(
        MILLISECONDS,
        gettext_lazy("Par token"),
        gettext_lazy("20\u00a0ms font 50\u00a0tok/s."),
        "ms",
        required=False,
    ),
    "docs": NumberSpec(
        DOCUMENTS,
        gettext_lazy("Documents"),
        gettext_lazy("Par exemple 2\u00a0M."),
        gettext_lazy("documents"),
        required=False,
    ),
    "doc": NumberSpec(
        MEAN, gettext_lazy("Longueur moyenne"), gettext_lazy("Par exemple 4\u202f000."), TOKENS, required=False
    ),
    "rows": NumberSpec(
        training.ROWS, gettext_lazy("Exemples annotés"), gettext_lazy("Par exemple 12\u202f000."), required=False
    ),
    "row": NumberSpec(
        training.MEAN, gettext_lazy("Longueur moyenne"), gettext_lazy("Par exemple 256."), TOKENS, required=False
    ),
    "epochs": NumberSpec(training.EPOCHS, gettext_lazy("Passages sur les exemples"), gettext_lazy("Par exemple 3.")),
    "params": NumberSpec(
        training.PARAMS, gettext_lazy("Paramètres du modèle"), gettext_lazy("Par exemple 2,7\u00a0Md."), required=False
    ),
    "corpus": NumberSpec(
        training.CORPUS, gettext_lazy("Corpus"), gettext_lazy("Par exemple 40\u00a0Md."), TOKENS, required=False
    ),
    "days": NumberSpec(
        keys.DAYS,
        gettext_lazy("Délai voulu"),
        gettext_lazy("Vide\u00a0: aucun. Par exemple 30."),
        gettext_lazy("jours"),
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
SELECTS: Mapping[str, SelectSpec] = {
    "use": select_of(gettext_lazy("Pour quoi faire"), tuple(USES.items()), is_radio=False),
    "lang": select_of(
        gettext_lazy("Langue"), tuple(LANGUAGES.items()), hint=gettext_lazy("Elle change le nombre de tokens.")
    ),
    "load": select_of(
        gettext_lazy("Charge donnée en"),
        (
            (LoadBy.USERS, gettext_lazy("personnes qui demandent")),
            (LoadBy.REQUESTS, gettext_lazy("requêtes par mois")),
            (LoadBy.TOKENS, gettext_lazy("tokens de sortie par mois")),
            (LoadBy.NONE, gettext_lazy("aucune\u00a0: rien à servir")),
        ),
        is_radio=False,
    ),
    "shape": select_of(gettext_lazy("Rythme"), tuple(SHAPES.items()), is_radio=False),
    "unit": select_of(
        gettext_lazy("Longueurs comptées en"),
        ((Unit.TOKENS, gettext_lazy("tokens")), (Unit.WORDS, gettext_lazy("mots"))),
    ),
    "small": SelectSpec(
        gettext_lazy("Accepter des poids compressés (8 ou 4 bits)"),
        (("0", gettext_lazy("Non")), ("1", gettext_lazy("Oui"))),
        is_radio=True,
    ),
    "method": select_of(
        gettext_lazy("Méthode"),
        tuple((method, words) for method, words in METHODS.items() if method is not Method.PRETRAIN),
    ),
}
LISTED: Mapping[str, ListedSpec] = {
    "model": ListedSpec(gettext_lazy("Modèle ouvert"), required=False, empty=gettext_lazy("Celui de l’usage"), hint=""),
    "must": ListedSpec(gettext_lazy("Obligatoire"), required=False, is_many=True),
    "range": ListedSpec(gettext_lazy("API acceptées à la place"), required=False, is_many=True),
}


class NeedForm(ScenarioForm):
    """The form of a need."""

    NUMBERS = NUMBERS
    SELECTS = SELECTS
    LISTED = LISTED
    BASIC = ("use", "lang", "load", "users", "daily", "shape", "must", "range")
    GROUPS = (
        Group("load", gettext_lazy("Requêtes ou tokens par mois"), ("requests", "volume")),
        Group("lengths", gettext_lazy("Longueurs"), ("unit", "in", "out")),
        Group("targets", gettext_lazy("Délais promis"), ("ttft", "tpot")),
        Group("model", gettext_lazy("Modèle"), ("model", "small")),
        Group("index", gettext_lazy("Documents à indexer"), ("docs", "doc")),
        Group("tune", gettext_lazy("Affinage"), ("method", "rows", "row", "epochs")),
        Group("pretrain", gettext_lazy("Pré-entraînement"), ("params", "corpus")),
        Group("terms", gettext_lazy("Délai et cours"), ("days", "fx")),
    )
    ANSWERED = frozenset({"in", "out", "ttft", "tpot", "docs", "doc", "rows", "row", "params", "corpus", "fx"})
    choices: Choices

    def options(self, name: str) -> tuple[tuple[str, str], ...]:
        """Open models of the catalogue; constraints and classes are the same everywhere."""
        if name == "model":
            return tuple((model.name, model.name) for model in self.choices.models)
        listed: Mapping[Any, Any] = CONSTRAINTS if name == "must" else RANGES
        return tuple((str(member.value), str(words)) for member, words in listed.items())

    def opened(self) -> frozenset[str]:
        """The groups that the chosen use or load waits for."""
        load = self.texts("load")
        use, must = self.texts("use"), self.texts("must")
        waiting = {
            "index": use == [Use.INDEX.value],
            "tune": use == [Use.TUNE.value] or Constraint.DAILY_TUNING.value in must,
            "pretrain": use == [Use.PRETRAIN.value],
            "load": load in ([LoadBy.REQUESTS.value], [LoadBy.TOKENS.value]),
        }
        return frozenset(name for name, is_open in waiting.items() if is_open)

    def typed(self, name: str, value: Any) -> Any:
        """Constraints and classes as members of their enumerations."""
        if name == "must":
            return tuple(Constraint(item) for item in value)
        return tuple(Range(item) for item in value) if name == "range" else super().typed(name, value)
