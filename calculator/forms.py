"""The economics form: localised text in, a frozen scenario out. Field names are the keys of the link.

The form does not decide what exists: `Choices` brings the codes that the catalogue knows at the scenario's version and
instant. Values that stand in place of the catalogue's (price, rate, exchange rate) are empty or equal when the
catalogue's own is meant.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

from django import forms
from django.forms.boundfield import BoundField
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from calculator import fields, formats, permalinks
from calculator.domain.offers import ApiModel, Basis, Mode, Sku, Throughput
from calculator.domain.scenario import BillingStep, EconomicsScenario, Rental, TrafficBy
from calculator.fields import NumberField, Quantity, Text
from calculator.permalinks import Query
from calculator.presenters import badges, labels


@dataclass(frozen=True, slots=True)
class Choices:
    """What the catalogue offers at the scenario's version and instant: the codes that the form may take."""

    skus: tuple[Sku, ...] = ()
    apis: tuple[ApiModel, ...] = ()
    figures: tuple[Throughput, ...] = ()


@dataclass(frozen=True, slots=True)
class NumberSpec:
    """A number of the form: its quantity and the words around it."""

    quantity: Quantity
    label: Text
    hint: Text = ""
    unit: Text = ""
    required: bool = True


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

SELECTS: Mapping[str, tuple[Text, tuple[tuple[str, Text], ...]]] = {
    "basis": (
        gettext_lazy("Facturation"),
        ((Basis.MONTH.value, gettext_lazy("Au mois")), (Basis.HOUR.value, gettext_lazy("À l’heure"))),
    ),
    "rental": (
        gettext_lazy("Location"),
        (
            (Rental.ALWAYS_ON.value, gettext_lazy("Toujours allumé")),
            (Rental.HOURS_USED.value, gettext_lazy("Heures utilisées")),
        ),
    ),
    "step": (
        gettext_lazy("Pas de facturation"),
        (
            (BillingStep.HOUR.value, gettext_lazy("L’heure entière")),
            (BillingStep.SECOND.value, gettext_lazy("La seconde")),
        ),
    ),
    "traffic": (
        gettext_lazy("Trafic donné en"),
        (
            (TrafficBy.TOKENS.value, gettext_lazy("tokens de sortie")),
            (TrafficBy.REQUESTS.value, gettext_lazy("requêtes")),
        ),
    ),
    "mode": (
        gettext_lazy("Mode tarifaire des API"),
        (
            (Mode.STANDARD.value, gettext_lazy("Standard")),
            (Mode.BATCH.value, pgettext_lazy("API mode", "Batch")),
            (Mode.FLEX.value, "Flex"),
            (Mode.PRIORITY.value, gettext_lazy("Prioritaire")),
        ),
    ),
    "ttl": (
        gettext_lazy("Durée du cache"),
        (("5m", gettext_lazy("5 minutes")), ("1h", gettext_lazy("1 heure"))),
    ),
}
LISTED: Mapping[str, tuple[Text, bool]] = {
    "api": (gettext_lazy("API comparées"), False),
    "sku": (gettext_lazy("GPU dédié"), True),
    "ref": (gettext_lazy("Référence des économies"), True),
    "fig": (gettext_lazy("Débit retenu"), False),
}
"""The fields whose options come from the catalogue: label, and whether a choice is needed."""
FIGURE_DIGITS = 4
MAX_TEXT_CHARACTERS = 200
RADIOS = frozenset({"basis", "rental", "step", "traffic", "mode"})
BASIC = ("volume", "sku", "basis", "rate", "util", "mode", "api")
TRAFFIC = ("traffic", "requests", "in", "out", "hit", "write", "ttl", "rcache", "batch")
RENTAL = ("rental", "step", "price", "hours", "ops", "storage", "network")
THROUGHPUT = ("fig", "conc", "prefill")
COMPARISON = ("ref", "fx", "vat", "tie")
ADVANCED = TRAFFIC + RENTAL + THROUGHPUT + COMPARISON


@dataclass(frozen=True, slots=True)
class Fieldset:
    """A titled group of bound fields, in reading order."""

    name: str
    title: str
    fields: tuple[BoundField, ...]


@cache
def _own_field(name: str) -> forms.Field:
    """A field that is the same in every form: made once a process, its words translated when they are shown."""
    if name in NUMBERS:
        spec = NUMBERS[name]
        return NumberField(spec.quantity, required=spec.required, label=spec.label, help_text=spec.hint, unit=spec.unit)
    label, options = SELECTS[name]
    widget = forms.RadioSelect() if name in RADIOS else forms.Select()
    return forms.ChoiceField(label=label, choices=options, widget=widget, error_messages=_choice_errors())


@lru_cache(maxsize=256)
def _catalogue_field(name: str, options: tuple[tuple[str, str], ...]) -> forms.Field:
    """A field whose options come from the catalogue, made once for the same options."""
    label, required = LISTED[name]
    if name == "api":
        return forms.MultipleChoiceField(
            label=label,
            choices=options,
            required=required,
            widget=forms.CheckboxSelectMultiple(),
            error_messages=_choice_errors(),
        )
    shown = _with_empty(options) if name == "fig" else options
    return forms.ChoiceField(label=label, choices=shown, required=required, error_messages=_choice_errors())


class EconomicsForm(forms.Form):
    """Raw localised text of every key; `to_scenario` is the only door from these strings to types."""

    def __init__(self, data: Any = None, *, base: EconomicsScenario, choices: Choices, **kwargs: Any) -> None:
        self.base = base
        self.choices = choices
        super().__init__(data, **kwargs)
        for name in (*BASIC, *ADVANCED):
            self.fields[name] = _catalogue_field(name, self._options(name)) if name in LISTED else _own_field(name)

    @classmethod
    def from_scenario(cls, scenario: EconomicsScenario, choices: Choices) -> "EconomicsForm":
        """The unbound form that shows `scenario`."""
        initial = {key.name: getattr(scenario, key.attribute) for key in permalinks.KEYS}
        return cls(base=scenario, choices=choices, initial=initial)

    @classmethod
    def from_texts(cls, texts: Query, base: EconomicsScenario, choices: Choices) -> "EconomicsForm":
        """The form bound to what was typed; a field that was not sent at all keeps the value of `base`.

        A figure of another GPU than the one now chosen is let go: it was the catalogue's pick, not the visitor's.
        """
        sent = set(texts.keys())
        shown = None if sent.issuperset((*BASIC, *ADVANCED)) else cls.from_scenario(base, choices)
        data = MultiValueDict[str, str]()
        for name in (*BASIC, *ADVANCED):
            if name in sent or shown is None:
                data.setlist(name, [_clean(text) for text in texts.getlist(name)])
            else:
                data.setlist(name, shown.texts(name))
        data.setlist("api", [code for code in data.getlist("api") if code != permalinks.NO_API])
        if data["fig"] not in {str(figure.figure_id) for figure in choices.figures}:
            data["fig"] = ""
        return cls(data, base=base, choices=choices)

    def texts(self, name: str) -> list[str]:
        """What the field shows now, as the texts that it would send."""
        value = self[name].value()
        if value is None:
            return [""]
        return [str(item) for item in value] if isinstance(value, list | tuple) else [str(value)]

    def _options(self, name: str) -> tuple[tuple[str, str], ...]:
        """What the catalogue offers for a field."""
        if name == "fig":
            return tuple(self._figure_options())
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

    def clean_conc(self) -> int | None:
        value = self.cleaned_data["conc"]
        return None if value is None else int(value)

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
        values: dict[str, Any] = {}
        for name in (*BASIC, *ADVANCED):
            key = permalinks.BY_NAME[name]
            values[key.attribute] = _typed(name, self.cleaned_data[name])
        return replace(self.base, **values, model=self._model())

    def _model(self) -> str:
        """The model served is the one that the chosen figure was obtained with; none for the vendor's own."""
        chosen = self.cleaned_data["fig"]
        return next((figure.model for figure in self.choices.figures if figure.figure_id == chosen), "")

    def fieldsets(self) -> tuple[Fieldset, ...]:
        """Every field once, in reading order: the basic group, then the folded ones."""
        groups = (
            ("basic", _("Votre besoin"), BASIC),
            ("traffic", _("Trafic"), TRAFFIC),
            ("rental", _("Location et coûts"), RENTAL),
            ("throughput", _("Débit"), THROUGHPUT),
            ("comparison", _("Comparaison"), COMPARISON),
        )
        return tuple(Fieldset(code, title, tuple(self[name] for name in names)) for code, title, names in groups)

    def basic(self) -> tuple[BoundField, ...]:
        """The fields of the first view."""
        return tuple(self[name] for name in BASIC)

    def advanced(self) -> tuple[Fieldset, ...]:
        """The folded groups."""
        return self.fieldsets()[1:]

    def hidden(self) -> tuple[tuple[str, str], ...]:
        """What the form sends unseen: the notation, the price version and instant it was filled in under."""
        return (
            ("form", "1"),
            ("v", permalinks.VERSION),
            ("catalog", str(self.base.catalog_version)),
            ("at", permalinks.write_instant(self.base.at)),
            # Keeps "no API ticked" apart from "the field was not sent".
            ("api", permalinks.NO_API),
        )


def _clean(text: str) -> str:
    """Typed text without control characters, cut to what a page can show again."""
    return fields.UNPRINTABLE.sub("", text)[:MAX_TEXT_CHARACTERS]


def _typed(name: str, value: Any) -> Any:
    """Text of a choice as the scenario's type."""
    types = {"basis": Basis, "rental": Rental, "step": BillingStep, "traffic": TrafficBy, "mode": Mode, "api": tuple}
    return types[name](value) if name in types else value


def _with_empty(options: Iterable[tuple[str, Text]]) -> list[tuple[str, Text]]:
    return [("", gettext_lazy("Celui du catalogue")), *options]


def _choice_errors() -> dict[str, Text]:
    return {
        "required": gettext_lazy("Un choix est attendu ici."),
        "invalid_choice": gettext_lazy(
            "«\u00a0%(value)s\u00a0» n’est pas proposé ici\u00a0: choisissez dans la liste."
        ),
        "invalid_list": gettext_lazy("Une liste de choix est attendue ici."),
    }
