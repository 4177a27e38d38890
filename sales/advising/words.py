"""Words of the advisor that its form, page and files share."""

from collections.abc import Mapping

from django.utils.translation import gettext_lazy, pgettext_lazy

from calculator.domain.training import Method
from calculator.fields import Text
from sales.domain.language import Language
from sales.domain.need import Constraint, Use
from sales.domain.options import Targets
from sales.domain.ranges import Range
from sales.domain.week import Shape

USES: Mapping[Use, Text] = {
    Use.CHAT: gettext_lazy("Assistant conversationnel"),
    Use.RAG: gettext_lazy("Questions sur des documents (RAG)"),
    Use.CODE: gettext_lazy("Aide au code"),
    Use.BATCH: gettext_lazy("Traitement par lots"),
    Use.INDEX: gettext_lazy("Indexer des documents"),
    Use.TUNE: gettext_lazy("Affiner un modèle"),
    Use.PRETRAIN: gettext_lazy("Pré-entraîner un modèle"),
}
LANGUAGES: Mapping[Language, Text] = {
    Language.FRENCH: gettext_lazy("Français"),
    Language.ENGLISH: gettext_lazy("Anglais"),
    Language.BOTH: gettext_lazy("Les deux"),
}
SHAPES: Mapping[Shape, Text] = {
    Shape.OFFICE: gettext_lazy("Heures de bureau, cinq jours"),
    Shape.PUBLIC: gettext_lazy("Grand public, pointe le soir"),
    Shape.STEADY: gettext_lazy("Constant, jour et nuit"),
    Shape.NIGHT: gettext_lazy("La nuit, de 22\u00a0h à 6\u00a0h"),
}
CONSTRAINTS: Mapping[Constraint, Text] = {
    Constraint.RESIDENCY: gettext_lazy("Données hébergées en Europe"),
    Constraint.SENSITIVE: gettext_lazy("Données sensibles, matériel dédié"),
    Constraint.OWN_WEIGHTS: gettext_lazy("Mes propres poids"),
    Constraint.FIXED: gettext_lazy("Capacité garantie"),
    Constraint.DAILY_TUNING: gettext_lazy("Affinage chaque jour"),
    Constraint.FAST: gettext_lazy("Premier token en 20\u00a0ms"),
}
RANGES: Mapping[Range, Text] = {
    Range.SMALL: gettext_lazy("Petits modèles (mini, small, haiku…)"),
    Range.LARGE: gettext_lazy("Grands modèles"),
}
METHODS: Mapping[Method, Text] = {
    Method.QLORA: "QLoRA",
    Method.LORA: "LoRA",
    Method.FULL: gettext_lazy("Tous les poids"),
    Method.PRETRAIN: gettext_lazy("Pré-entraînement"),
}
TARGETS: Mapping[Targets, Text] = {
    Targets.MET: gettext_lazy("délais tenus"),
    Targets.MISSED: gettext_lazy("délais manqués"),
    Targets.UNKNOWN: pgettext_lazy("latency", "délais inconnus"),
    Targets.NONE: gettext_lazy("sans délai promis"),
}
TARGETS_CSS: Mapping[Targets, str] = {
    Targets.MET: "good",
    Targets.MISSED: "bad",
    Targets.UNKNOWN: "warn",
    Targets.NONE: "idle",
}
