"""The visitor's inputs as rows of a file, in the words of the form: its labels, its choices, its units."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _

from calculator.domain.provenance import Kind, asked_kind
from calculator.forms.base import ScenarioForm
from calculator.permalinks.notation import Key
from calculator.presenters.badges import word
from calculator.presenters.row import Row, Value


def input_rows(
    form: type[ScenarioForm], keys: Sequence[Key], scenario: Any, kinds: Mapping[str, Kind]
) -> Iterator[Row]:
    """What is known of the scenario; numbers unrounded, a ratio as a part of 1; an untouched default is an assumption.

    `kinds` = keys that hold no input."""
    for key in keys:
        value = getattr(scenario, key.attribute)
        if value is not None and value != "":
            kind = word(kinds.get(key.name) or asked_kind(scenario, key.attribute))
            yield Row(_("Saisies"), _label(form, key), _value(form, key, value), _unit(form, key), kind)


def _label(form: type[ScenarioForm], key: Key) -> str:
    """The form's; what no field sets is the mark of the calibration."""
    for specs in (form.NUMBERS, form.SELECTS, form.LISTED):
        if key.name in specs:
            return str(specs[key.name].label)
    return _("Étalonnage")


def _value(form: type[ScenarioForm], key: Key, value: Any) -> Value:
    if key.name in form.NUMBERS:
        return Decimal(key.write(value))
    text = ", ".join(key.write(item) for item in value) if key.many else key.write(value)
    options = form.SELECTS[key.name].options if key.name in form.SELECTS else ()
    return str(dict(options).get(text, text))


def _unit(form: type[ScenarioForm], key: Key) -> str:
    spec = form.NUMBERS.get(key.name)
    if spec is None:
        return ""
    return _("part de 1") if spec.quantity.percent else str(spec.unit)
