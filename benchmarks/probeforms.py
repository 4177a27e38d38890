"""What may be asked of a probe: typed text in, a ProbeConfig out."""

from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from benchmarks import probewords
from benchmarks.probeorders import CEILING_S, FLOOR_S, ProbeConfig, ProbeOrderError, checked
from benchmarks.probing import PROBES
from calculator.fields import Limits, NumberField, Quantity
from calculator.models import CatalogItem

SECONDS = Quantity(Limits(Decimal(str(FLOOR_S)), Decimal(str(CEILING_S))), ("s",))
GPUS = Quantity(Limits(Decimal(0), Decimal(16)), ("GPU", "GPUs"), whole=True)
INITIAL = {"probe": "gemm", "sku": "", "gpus": "0", "seconds": "", "dtypes": "", "config": ""}


def probe_choices() -> list[tuple[str, str]]:
    return [(name, probewords.probe_name(name)) for name in PROBES]


def sku_choices() -> list[tuple[str, Any]]:
    """This host, then every offer for sale."""
    sold = CatalogItem.objects.filter(kind=CatalogItem.Kind.GPU_SKU, is_test_host=False)
    codes = sold.order_by("code").values_list("code", flat=True).distinct()
    return [("", gettext_lazy("cette machine")), *((code, code) for code in codes)]


class ProbeForm(forms.Form):
    """A probe, where it runs, and its few settings; empty = what the device calls for."""

    probe = forms.ChoiceField(label=gettext_lazy("Sonde"), choices=probe_choices)
    sku = forms.ChoiceField(label=gettext_lazy("Offre"), choices=sku_choices, required=False)
    gpus = NumberField(
        GPUS,
        label=gettext_lazy("Nombre de GPU"),
        help_text=gettext_lazy("0 : le processeur, en petit ; ces valeurs ne disent rien d’un GPU."),
    )
    seconds = NumberField(
        SECONDS,
        label=gettext_lazy("Durée d’une valeur"),
        required=False,
        help_text=gettext_lazy("Vide : 30 s sur un GPU, 1 s sur un processeur. En dessous de 30 s, rien ne se publie."),
    )
    dtypes = forms.CharField(
        label=gettext_lazy("Formats"),
        required=False,
        max_length=40,
        help_text=gettext_lazy("Vide : tous ceux du GPU. Sinon bf16, fp16 ou fp8, séparés par des virgules."),
    )
    config = forms.CharField(
        label=gettext_lazy("Modèle"),
        required=False,
        max_length=4000,
        help_text=gettext_lazy("Pour les sondes à modèle : tiny, probe-1b, mistral-7b, ou le texte d’un config.json."),
    )

    def clean(self) -> dict[str, Any]:
        """Refuse what no probe can do, beside its field."""
        cleaned = super().clean() or self.cleaned_data
        if not self.errors:
            try:
                checked(self.to_config())
            except ProbeOrderError as error:
                places = {"one_gpu": "gpus", "sku": "sku", "probe": "probe"}
                self.add_error(places.get(error.code, error.code), probewords.order_words(error))
        return cleaned

    def to_config(self) -> ProbeConfig:
        values = self.cleaned_data
        seconds = values.get("seconds")
        return ProbeConfig(
            probe=values["probe"],
            sku_code=values.get("sku") or "",
            gpus_count=int(values["gpus"]),
            seconds=None if seconds is None else float(seconds),
            dtypes="".join(values.get("dtypes", "").split()),
            config=values.get("config") or "",
        )
