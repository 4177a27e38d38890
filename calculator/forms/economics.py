"""The economics form. It does not decide what exists: `Choices` brings the codes that the catalogue knows."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from django import forms
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from calculator import fields, formats
from calculator.domain.offers import ApiModel, Basis, Mode, Sku, Throughput
from calculator.domain.scenario import BillingStep, EconomicsScenario, RateOrigin, Rental, TrafficBy
from calculator.forms.base import EMPTY_CHOICE, Group, ListedSpec, NumberSpec, ScenarioForm, SelectSpec, select_of
from calculator.presenters import badges, labels


@dataclass(frozen=True, slots=True)
class Choices:
    """What the catalogue offers at the scenario's version and instant: the codes that the form may take."""

    skus: tuple[Sku, ...] = ()
    apis: tuple[ApiModel, ...] = ()
    figures: tuple[Throughput, ...] = ()


TOKENS_A_MONTH = gettext_lazy("tokens / mois")
TOKENS_A_REQUEST = gettext_lazy("tokens / requête")
EURO_A_MONTH = gettext_lazy("€ HT / mois")
ZERO_HINT = gettext_lazy("Par exemple 0 ou 150,50.")

NUMBERS: Mapping[str, NumberSpec] = {
    "volume": NumberSpec(
        fields.VOLUME,
        gettext_lazy("Volume de sortie"),
        gettext_lazy("Par exemple 100\u00a0M, 1,5\u00a0Md ou 250\u202f000."),
        TOKENS_A_MONTH,
        required=False,
    ),
    "rate": NumberSpec(
        fields.RATE,
        gettext_lazy("Débit d’un GPU"),
        gettext_lazy("Vide\u00a0: le débit du catalogue. Par exemple 64 ou 1\u202f250,5."),
        "tok/s",
        required=False,
    ),
    "util": NumberSpec(
        fields.UTILISATION,
        gettext_lazy("Utilisation"),
        gettext_lazy("Part des heures payées où le GPU produit des tokens. Par exemple 65."),
        "%",
    ),
    "price": NumberSpec(
        fields.PRICE,
        gettext_lazy("Prix saisi"),
        gettext_lazy("Vide\u00a0: le prix de la liste. Par exemple 1,50 (à l’heure) ou 830,64 (au mois)."),
        gettext_lazy("€ HT"),
        required=False,
    ),
    "count": NumberSpec(
        fields.INSTANCES,
        gettext_lazy("Instances louées ensemble"),
        gettext_lazy("Quand un modèle s’étend sur plusieurs, elles se paient par lots entiers. Par exemple 4."),
        required=False,
    ),
    "conc": NumberSpec(
        fields.CONCURRENCY,
        gettext_lazy("Requêtes simultanées"),
        gettext_lazy("À ce débit saisi, si vous le savez. Par exemple 16."),
        required=False,
    ),
    "prefill": NumberSpec(
        fields.PREFILL,
        gettext_lazy("Lecture du prompt"),
        gettext_lazy(
            "Débit d’un GPU en entrée. Vide\u00a0: celui du catalogue s’il est connu. Par exemple 5\u202f000."
        ),
        "tok/s",
        required=False,
    ),
    "hours": NumberSpec(
        fields.HOURS, gettext_lazy("Heures du mois"), gettext_lazy("Par exemple 720, 730 ou 744."), "h"
    ),
    "requests": NumberSpec(
        fields.REQUESTS,
        gettext_lazy("Requêtes par mois"),
        gettext_lazy("Compte si le trafic est donné en requêtes. Par exemple 200\u202f000."),
        gettext_lazy("requêtes / mois"),
        required=False,
    ),
    "in": NumberSpec(
        fields.INPUT_TOKENS,
        gettext_lazy("Entrée par requête"),
        gettext_lazy("Tokens du prompt, cache compris. Par exemple 2\u202f000."),
        TOKENS_A_REQUEST,
    ),
    "out": NumberSpec(
        fields.OUTPUT_TOKENS,
        gettext_lazy("Sortie par requête"),
        gettext_lazy("Par exemple 500."),
        TOKENS_A_REQUEST,
    ),
    "hit": NumberSpec(
        fields.SHARE,
        gettext_lazy("Entrée lue dans le cache de préfixes"),
        gettext_lazy("Part de l’entrée. Par exemple 40."),
        "%",
    ),
    "write": NumberSpec(
        fields.SHARE,
        gettext_lazy("Entrée écrite dans le cache"),
        gettext_lazy("Part du reste de l’entrée. Par exemple 10."),
        "%",
    ),
    "rcache": NumberSpec(
        fields.RESPONSE_CACHE,
        gettext_lazy("Réponses déjà en cache"),
        gettext_lazy("Part des requêtes servies sans calcul. Par exemple 40."),
        "%",
    ),
    "batch": NumberSpec(
        fields.SHARE, gettext_lazy("Part envoyée en batch"), gettext_lazy("Part des requêtes. Par exemple 30."), "%"
    ),
    "fx": NumberSpec(
        fields.USD_PER_EUR,
        gettext_lazy("Dollars pour 1 €"),
        gettext_lazy("Vide\u00a0: le cours de la BCE. Par exemple 1,1172."),
        "$",
        required=False,
    ),
    "tokratio": NumberSpec(
        fields.TOKEN_RATIO,
        gettext_lazy("Tokens d’API par token"),
        gettext_lazy("Chaque modèle découpe le texte à sa façon. Par exemple 1,15\u00a0; 1 si l’on ne sait pas."),
        "×",
    ),
    "uplift": NumberSpec(
        fields.UPLIFT,
        gettext_lazy("Majoration des API"),
        gettext_lazy("Traitement en Europe ou autre option payante. Par exemple 10."),
        "%",
    ),
    "ops": NumberSpec(fields.EXTRA_COST, gettext_lazy("Exploitation"), ZERO_HINT, EURO_A_MONTH),
    "storage": NumberSpec(fields.EXTRA_COST, gettext_lazy("Stockage"), ZERO_HINT, EURO_A_MONTH),
    "network": NumberSpec(fields.EXTRA_COST, gettext_lazy("Réseau"), ZERO_HINT, EURO_A_MONTH),
    "vat": NumberSpec(fields.VAT, gettext_lazy("TVA"), gettext_lazy("Sur le total. Par exemple 20."), "%"),
    "tie": NumberSpec(
        fields.TIE,
        gettext_lazy("Marge d’équivalence"),
        gettext_lazy("En deçà, deux coûts sont dits équivalents. Par exemple 5."),
        "± %",
    ),
}

SELECTS: Mapping[str, SelectSpec] = {
    "basis": select_of(
        gettext_lazy("Facturation"),
        ((Basis.MONTH, gettext_lazy("Au mois")), (Basis.HOUR, gettext_lazy("À l’heure"))),
    ),
    "rental": select_of(
        gettext_lazy("Location"),
        (
            (Rental.ALWAYS_ON, gettext_lazy("Toujours allumé")),
            (Rental.HOURS_USED, gettext_lazy("Heures utilisées")),
        ),
    ),
    "step": select_of(
        gettext_lazy("Unité de facturation"),
        (
            (BillingStep.HOUR, gettext_lazy("L’heure entière")),
            (BillingStep.SECOND, gettext_lazy("La seconde")),
        ),
    ),
    "traffic": select_of(
        gettext_lazy("Trafic donné en"),
        (
            (TrafficBy.TOKENS, gettext_lazy("tokens de sortie")),
            (TrafficBy.REQUESTS, gettext_lazy("requêtes")),
        ),
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
    "ttl": SelectSpec(
        gettext_lazy("Durée du cache"),
        (("5m", gettext_lazy("5 minutes")), ("1h", gettext_lazy("1 heure"))),
    ),
}
LISTED: Mapping[str, ListedSpec] = {
    "api": ListedSpec(gettext_lazy("API comparées"), required=False, is_many=True),
    "sku": ListedSpec(gettext_lazy("GPU dédié")),
    "ref": ListedSpec(gettext_lazy("Référence des économies")),
    "origin": ListedSpec(gettext_lazy("Origine du débit saisi"), required=False, empty=gettext_lazy("votre saisie")),
    "fig": ListedSpec(gettext_lazy("Débit retenu"), required=False, empty=EMPTY_CHOICE),
}
FIGURE_DIGITS = 4


class EconomicsForm(ScenarioForm):
    """The form of the economics calculator."""

    NUMBERS = NUMBERS
    SELECTS = SELECTS
    LISTED = LISTED
    BASIC = ("volume", "sku", "basis", "rate", "util", "mode", "api")
    GROUPS: ClassVar[tuple[Group, ...]] = (
        Group(
            "traffic",
            gettext_lazy("Trafic"),
            ("traffic", "requests", "in", "out", "hit", "write", "ttl", "rcache", "batch"),
        ),
        Group(
            "rental",
            gettext_lazy("Location et coûts"),
            ("rental", "step", "count", "price", "hours", "ops", "storage", "network"),
        ),
        Group("throughput", gettext_lazy("Débit"), ("fig", "conc", "prefill", "origin")),
        Group("comparison", gettext_lazy("Comparaison"), ("ref", "fx", "tokratio", "uplift", "vat", "tie")),
    )
    ANSWERED = frozenset({"volume", "sku", "rate", "util", "hours", "fx", "price", "prefill"})
    OFFERED = frozenset({"basis", "api", "fig"})
    base: EconomicsScenario
    choices: Choices

    @classmethod
    def tidy(cls, data: MultiValueDict[str, str], choices: Choices) -> None:
        """A figure of another GPU than the one now chosen was the catalogue's pick, not the visitor's."""
        if data["fig"] not in {str(figure.figure_id) for figure in choices.figures}:
            data["fig"] = ""

    def options(self, name: str) -> tuple[tuple[str, str], ...]:
        """What the catalogue offers for a field."""
        if name == "fig":
            return tuple(self._figure_options())
        if name == "origin":
            return ((RateOrigin.ESTIMATE.value, _("estimation de la page Inférence")),)
        items = self.choices.skus if name == "sku" else self.choices.apis
        return tuple((item.code, item.label) for item in items)

    def _figure_options(self) -> Iterator[tuple[str, str]]:
        for figure in self.choices.figures:
            value = formats.number(formats.significant(figure.output_tok_per_s.value, FIGURE_DIGITS))
            kind = badges.word(figure.output_tok_per_s.kind)
            conditions = labels.concurrency(figure.concurrency) if figure.model else ""
            parts = (f"{value}{formats.NBSP}tok/s", kind, figure.model, figure.precision, conditions)
            yield str(figure.figure_id), " · ".join(part for part in parts if part)

    def clean_fig(self) -> int | None:
        text = self.cleaned_data["fig"]
        return int(text) if text else None

    def clean_origin(self) -> RateOrigin | None:
        text = self.cleaned_data["origin"]
        return RateOrigin(text) if text else None

    def clean_volume(self) -> Any:
        """Empty only where the traffic is given in requests."""
        volume = self.cleaned_data["volume"]
        if volume is None and self.data.get("traffic") != TrafficBy.REQUESTS.value:
            raise forms.ValidationError(_("Indiquez un volume de sortie par mois."), code="required")
        return self.base.volume_tokens if volume is None else volume

    def clean(self) -> dict[str, Any]:
        """Requests to count by must be given."""
        cleaned: dict[str, Any] = self.cleaned_data
        by_requests = cleaned.get("traffic") == TrafficBy.REQUESTS.value
        if by_requests and cleaned.get("requests") is None and "requests" not in self.errors:
            self.add_error("requests", _("Indiquez le nombre de requêtes par mois."))
        return cleaned

    def to_scenario(self) -> EconomicsScenario:
        """The scenario that a valid form describes, at the version and instant of `base`."""
        found: EconomicsScenario = super().to_scenario()
        return replace(found, model=self._model())

    def _model(self) -> str:
        """The model served is the one that the chosen figure was obtained with; none for the vendor's own."""
        chosen = self.cleaned_data["fig"]
        return next((figure.model for figure in self.choices.figures if figure.figure_id == chosen), "")
