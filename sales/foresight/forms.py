"""What a visitor may suppose of tomorrow: how much more comes, how high the peak is, what an API lets through."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy

from calculator.fields import NumberField, Quantity, limits, show

GROWTH = Quantity(limits("1", "1000"), ("×",))
PEAK = Quantity(limits("1", "1000"), ("×",))
PER_MINUTE = Quantity(limits("1", "10000000"))
PEAK_HOURS = Quantity(limits("0.05", "744"), ("h",))

# Published of one API: refusals from about 100 requests a minute on, a bill ten times as high. Claims, to be replaced.
SUPPOSED: Mapping[str, Mapping[str, Decimal]] = {
    "inference": {"growth": Decimal(2)},
    "training": {"growth": Decimal(2)},
    "economics": {"growth": Decimal(10), "peak": Decimal(3), "limit": Decimal(100), "lasts": Decimal(1)},
}


class TomorrowForm(forms.Form):
    """The suppositions of one page; what is left out of the address stands at its default."""

    growth = NumberField(GROWTH, label=gettext_lazy("Croissance"), help_text=gettext_lazy("Par exemple 2."), unit="×")
    peak = NumberField(
        PEAK,
        label=gettext_lazy("Pointe"),
        help_text=gettext_lazy("Minute la plus chargée ÷ minute moyenne. Par exemple 3."),
        unit="×",
    )
    limit = NumberField(
        PER_MINUTE,
        label=gettext_lazy("Limite de l’API"),
        help_text=gettext_lazy("Requêtes par minute, selon votre contrat."),
        unit=gettext_lazy("req/min"),
    )
    lasts = NumberField(
        PEAK_HOURS, label=gettext_lazy("Durée de la pointe"), help_text=gettext_lazy("Par exemple 1."), unit="h"
    )

    def __init__(self, name: str, query: QueryDict) -> None:
        supposed = SUPPOSED[name]
        texts = {key: query[key] if key in query else show(value, QUANTITIES[key]) for key, value in supposed.items()}
        super().__init__(texts)
        for key in set(self.fields) - set(supposed):
            del self.fields[key]

    def values(self) -> Mapping[str, Decimal]:
        """The suppositions as numbers; call only where the form is valid."""
        found: dict[str, Any] = self.cleaned_data
        return found


QUANTITIES = {"growth": GROWTH, "peak": PEAK, "limit": PER_MINUTE, "lasts": PEAK_HOURS}
