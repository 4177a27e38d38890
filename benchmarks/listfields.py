"""Fields that hold several numbers: streams, rates."""

import re

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from calculator.fields import printable

CONCURRENCY_MAX_COUNT = 32
STEPS_MAX_COUNT = 8
RATE_MAX_PER_S = 1000
SEPARATORS = re.compile(r"[\s,;]+")
RATE = re.compile(r"[0-9]{1,4}(\.[0-9]{1,2})?")


class ConcurrenciesField(forms.CharField):
    """A list of whole numbers up to `high`, in rising order and each once, whatever the order they were typed in."""

    high = CONCURRENCY_MAX_COUNT

    def clean(self, value: object) -> tuple[int, ...]:
        text = str(super().clean(value))
        found = {self._one(part) for part in SEPARATORS.split(text.strip()) if part}
        if not found:
            raise ValidationError(_("Indiquez au moins un palier, par exemple 1, 2, 4."))
        if len(found) > STEPS_MAX_COUNT:
            raise ValidationError(_("%(count)d paliers au plus.") % {"count": STEPS_MAX_COUNT})
        return tuple(sorted(found))

    def _one(self, part: str) -> int:
        if not (part.isascii() and part.isdigit() and len(part) < 6 and 1 <= int(part) <= self.high):
            raise ValidationError(
                _("« %(text)s » n’est pas un nombre de flux entre 1 et %(high)d.")
                % {"text": printable(part), "high": self.high}
            )
        return int(part)


class RatesField(forms.CharField):
    """A list of rates a second, in rising order and each once; a point stands for the decimal comma."""

    def clean(self, value: object) -> tuple[float, ...]:
        text = str(super().clean(value))
        found = {self._one(part) for part in SEPARATORS.split(text.strip()) if part}
        if len(found) > STEPS_MAX_COUNT:
            raise ValidationError(_("%(count)d paliers au plus.") % {"count": STEPS_MAX_COUNT})
        return tuple(sorted(found))

    def _one(self, part: str) -> float:
        if not (part.isascii() and RATE.fullmatch(part) and 0 < float(part) <= RATE_MAX_PER_S):
            raise ValidationError(
                _("« %(text)s » n’est pas un rythme entre 0.01 et %(high)d requêtes par seconde.")
                % {"text": printable(part), "high": RATE_MAX_PER_S}
            )
        return float(part)
