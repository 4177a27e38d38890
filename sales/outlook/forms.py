"""The form of an outlook: the economics form, with the outlook's own questions before its folded groups."""

from collections.abc import Mapping
from typing import ClassVar

from django.utils.translation import gettext_lazy

from calculator import fields
from calculator.forms.base import Group, ListedSpec, NumberSpec
from calculator.forms.economics import EURO_A_MONTH, LISTED, NUMBERS, TOKENS_A_MONTH, EconomicsForm
from sales.domain.outlook import SAID
from sales.outlook import notation as keys
from sales.outlook.words import SAID_WORDS

ON_REQUEST = gettext_lazy("Vide\u00a0: le prix de la liste, ou sur devis.")

OWN_NUMBERS: Mapping[str, NumberSpec] = {
    "latency": NumberSpec(
        keys.LATENCY,
        gettext_lazy("Premier token attendu sous"),
        gettext_lazy("Vide\u00a0: non précisé. Par exemple 100."),
        "ms",
        required=False,
    ),
    "growth": NumberSpec(
        keys.GROWTH, gettext_lazy("Croissance par mois"), gettext_lazy("Du volume. Par exemple 10."), "%"
    ),
    "target": NumberSpec(
        fields.VOLUME,
        gettext_lazy("Ou volume du douzième mois"),
        gettext_lazy("Remplace la croissance. Par exemple 400\u00a0M."),
        TOKENS_A_MONTH,
        required=False,
    ),
    "util_low": NumberSpec(
        fields.UTILISATION, gettext_lazy("Utilisation, au moins"), gettext_lazy("Par exemple 24."), "%"
    ),
    "util_high": NumberSpec(
        fields.UTILISATION, gettext_lazy("Utilisation, au plus"), gettext_lazy("Par exemple 90."), "%"
    ),
    "volume_span": NumberSpec(keys.SPAN, gettext_lazy("Volume"), gettext_lazy("Par exemple 25."), "± %"),
    "price_span": NumberSpec(keys.SPAN, gettext_lazy("Prix du GPU"), gettext_lazy("Par exemple 10."), "± %"),
    "api_span": NumberSpec(keys.SPAN, gettext_lazy("Prix de l’API"), gettext_lazy("Par exemple 10."), "± %"),
    "rate_low": NumberSpec(
        keys.FACTOR,
        gettext_lazy("Débit, au moins"),
        gettext_lazy("Vide\u00a0: la bande de nos estimations. Par exemple 0,8."),
        "×",
        required=False,
    ),
    "rate_high": NumberSpec(
        keys.FACTOR,
        gettext_lazy("Débit, au plus"),
        gettext_lazy("Vide\u00a0: la bande de nos estimations. Par exemple 1,2."),
        "×",
        required=False,
    ),
    "fx_low": NumberSpec(
        fields.USD_PER_EUR,
        gettext_lazy("Dollars pour 1\u00a0€, au moins"),
        gettext_lazy("Vide\u00a0: le plus bas cours BCE de dix ans."),
        "$",
        required=False,
    ),
    "fx_high": NumberSpec(
        fields.USD_PER_EUR,
        gettext_lazy("Dollars pour 1\u00a0€, au plus"),
        gettext_lazy("Vide\u00a0: le plus haut cours BCE de dix ans."),
        "$",
        required=False,
    ),
    "floor": NumberSpec(
        fields.PRICE,
        gettext_lazy("Prix plancher d’une instance"),
        gettext_lazy("À la facturation choisie. Vide\u00a0: aucun."),
        gettext_lazy("€ HT"),
        required=False,
    ),
    "hour_price": NumberSpec(
        fields.PRICE, gettext_lazy("À l’heure"), ON_REQUEST, gettext_lazy("€ HT / h"), required=False
    ),
    "month_price": NumberSpec(fields.PRICE, gettext_lazy("Au mois"), ON_REQUEST, EURO_A_MONTH, required=False),
    "year_price": NumberSpec(
        fields.PRICE,
        gettext_lazy("Au mois, engagement d’un an"),
        gettext_lazy("Vide\u00a0: sur devis, aucun prix n’est publié."),
        EURO_A_MONTH,
        required=False,
    ),
    "pue": NumberSpec(
        keys.PUE,
        gettext_lazy("PUE du centre de données"),
        gettext_lazy("Vide\u00a0: inconnu. Par exemple 1,3."),
        required=False,
    ),
    "grid": NumberSpec(
        keys.GRID,
        gettext_lazy("Facteur du réseau électrique"),
        gettext_lazy("Vide\u00a0: inconnu. Par exemple 50."),
        "g/kWh",
        required=False,
    ),
}
OWN_GROUPS = (
    Group("you", gettext_lazy("Votre situation"), ("said", "latency")),
    Group("year", gettext_lazy("Douze mois et engagements"), ("target", "hour_price", "month_price", "year_price")),
    Group(
        "ranges",
        gettext_lazy("Plages plausibles"),
        (
            *("util_low", "util_high", "volume_span", "price_span", "api_span"),
            *("rate_low", "rate_high", "fx_low", "fx_high", "floor"),
        ),
    ),
    Group("energy", gettext_lazy("Électricité"), ("pue", "grid")),
)
MOVED = {"comparison": ("mode", "api")}
"""Fields of the economics form's first view that stand in one of its folded groups here."""
FIRST = ("ref",)


def _folded(group: Group) -> Group:
    names = (*MOVED.get(group.name, ()), *(name for name in group.names if name not in FIRST))
    return Group(group.name, group.title, names)


class OutlookForm(EconomicsForm):
    """The form of an outlook."""

    NUMBERS = {**NUMBERS, **OWN_NUMBERS}
    LISTED = {
        **LISTED,
        "ref": ListedSpec(gettext_lazy("Face à l’API")),
        "said": ListedSpec(gettext_lazy("Ce qui est vrai chez vous"), required=False, is_many=True),
    }
    BASIC = ("volume", "sku", "basis", "rate", "util", "ref", "growth")
    GROUPS: ClassVar[tuple[Group, ...]] = (*OWN_GROUPS, *(_folded(group) for group in EconomicsForm.GROUPS))
    ANSWERED = EconomicsForm.ANSWERED | {"rate_low", "rate_high", "fx_low", "fx_high", "hour_price", "month_price"}

    def options(self, name: str) -> tuple[tuple[str, str], ...]:
        """What may be said, beside what the catalogue offers."""
        if name == "said":
            return tuple((code, str(SAID_WORDS[code])) for code in SAID)
        return super().options(name)
