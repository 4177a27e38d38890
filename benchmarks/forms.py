"""What a visitor may ask of a measurement: typed text in, a RunConfig out, within what this machine can do."""

import re
from decimal import Decimal

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from benchmarks.services import RunConfig
from calculator.fields import Limits, NumberField, Quantity, printable

CONCURRENCY_MAX_COUNT = 32
STEPS_MAX_COUNT = 8
TOKENS_UNITS = ("tokens", "token", "tok")
REQUESTS = Quantity(Limits(Decimal(8), Decimal(512)), ("requêtes", "requests"), whole=True)
PROMPT_TOKENS = Quantity(Limits(Decimal(1), Decimal(1024)), TOKENS_UNITS, whole=True)
OUTPUT_TOKENS = Quantity(Limits(Decimal(2), Decimal(512)), TOKENS_UNITS, whole=True)
SEED = Quantity(Limits(Decimal(0), Decimal(2**31 - 1)), whole=True)
SEPARATORS = re.compile(r"[\s,;]+")
INITIAL = {"concurrencies": "1, 2, 4, 8", "requests": Decimal(128), "prompt": Decimal(128), "output": Decimal(128)}


class ConcurrenciesField(forms.CharField):
    """A list of whole numbers, in rising order and each once, whatever the order they were typed in."""

    def clean(self, value: object) -> tuple[int, ...]:
        text = str(super().clean(value))
        found = {self._one(part) for part in SEPARATORS.split(text.strip()) if part}
        if not found:
            raise ValidationError(_("Indiquez au moins un palier, par exemple 1, 2, 4."))
        if len(found) > STEPS_MAX_COUNT:
            raise ValidationError(_("%(count)d paliers au plus.") % {"count": STEPS_MAX_COUNT})
        return tuple(sorted(found))

    def _one(self, part: str) -> int:
        if not (part.isascii() and part.isdigit() and len(part) < 6 and 1 <= int(part) <= CONCURRENCY_MAX_COUNT):
            raise ValidationError(
                _("« %(text)s » n’est pas un nombre de flux entre 1 et %(high)d.")
                % {"text": printable(part), "high": CONCURRENCY_MAX_COUNT}
            )
        return int(part)


class RunForm(forms.Form):
    """The defaults take about half a minute on two cores."""

    concurrencies = ConcurrenciesField(
        label=gettext_lazy("Flux simultanés, un palier chacun"),
        help_text=gettext_lazy("Des nombres de 1 à 32 séparés par des virgules. Par exemple 1, 2, 4, 8."),
        max_length=100,
    )
    requests = NumberField(
        REQUESTS,
        label=gettext_lazy("Requêtes mesurées par palier"),
        help_text=gettext_lazy("De 8 à 512 ; le p99 n’est montré qu’à partir de 100."),
        unit=gettext_lazy("requêtes"),
    )
    prompt = NumberField(
        PROMPT_TOKENS,
        label=gettext_lazy("Longueur du prompt"),
        help_text=gettext_lazy("De 1 à 1 024. Par exemple 128."),
        unit=gettext_lazy("tokens"),
    )
    output = NumberField(
        OUTPUT_TOKENS,
        label=gettext_lazy("Longueur de la réponse"),
        help_text=gettext_lazy("De 2 à 512, exacte : le modèle ne s’arrête pas avant. Par exemple 128."),
        unit=gettext_lazy("tokens"),
    )
    seed = NumberField(
        SEED,
        required=False,
        label=gettext_lazy("Graine des prompts"),
        help_text=gettext_lazy("Vide : une graine nouvelle est tirée et notée."),
    )

    def to_config(self) -> RunConfig:
        given = self.cleaned_data
        return RunConfig(
            concurrencies=given["concurrencies"],
            requests_count=int(given["requests"]),
            prompt_tokens=int(given["prompt"]),
            output_tokens=int(given["output"]),
            seed=None if given["seed"] is None else int(given["seed"]),
        )
