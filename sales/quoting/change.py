"""The few inputs that a customer may change in a copy of his quote, priced at the quote's own frozen state."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django import forms
from django.http import QueryDict

from calculator import catalog, permalinks, registry
from calculator.forms.base import initial_of, own_field
from calculator.tool import Calculator
from sales.models import Quote
from sales.quoting import offers
from sales.quoting.offers import Offer

OPEN_KEYS: Mapping[str, tuple[str, ...]] = {
    "economics": ("volume", "requests", "in", "out", "util"),
    "inference": ("conc", "volume", "in", "out", "util"),
    "training": ("count", "steps", "rows", "mean", "epochs", "tokens", "retry"),
    "parallelism": ("tokens", "gpus"),
    "tokens": ("docs", "mean", "count"),
}
"""Volumes, lengths, counts and utilisation: what is the customer's to know. No price, no machine, no rate."""


def frozen_scenario(quote: Quote) -> Any:
    """The scenario that was quoted, the seller's price in it."""
    link = str(quote.results[quote.language]["permalink"])
    return offers.scenario_of(quote.calculator, link.partition("?")[2])


def keys_of(tool: Calculator, scenario: Any) -> tuple[str, ...]:
    """The open keys that count in this scenario: those it gives a value to."""
    by_name = permalinks.notation_of(scenario).by_name
    return tuple(
        name
        for name in OPEN_KEYS[tool.name]
        if name in tool.form.NUMBERS and getattr(scenario, by_name[name].attribute) is not None
    )


def _completed(
    texts: QueryDict | None, own: Mapping[str, forms.Field], initial: Mapping[str, Any]
) -> Mapping[str, Any] | None:
    """What was sent, the rest as quoted; None where nothing of it was."""
    if texts is None or not any(name in texts for name in own):
        return None
    return {name: texts.get(name, field.prepare_value(initial[name])) for name, field in own.items()}


class ChangeForm(forms.Form):
    """The open inputs of a quote as the calculator's own fields; what is not sent stays as quoted."""

    def __init__(self, quote: Quote, texts: QueryDict | None) -> None:
        self.tool, self.base = registry.CALCULATORS[quote.calculator], frozen_scenario(quote)
        names = keys_of(self.tool, self.base)
        by_name = permalinks.notation_of(self.base).by_name
        initial = {name: initial_of(getattr(self.base, by_name[name].attribute)) for name in names}
        own = {name: own_field(self.tool.form, name) for name in names}
        super().__init__(_completed(texts, own, initial), initial=initial)
        self.fields.update(own)
        self.keys = {name: by_name[name] for name in names}

    def scenario(self) -> Any:
        """The quoted scenario with the valid values in it."""
        changes = {}
        for name, key in self.keys.items():
            value = self.cleaned_data[name]
            if value is not None:
                changes[key.attribute] = int(value) if key.quantity and key.quantity.whole else value
        return replace(self.base, **changes)

    def offer(self, quote: Quote) -> Offer | None:
        """The copy estimated; None where the values have no answer together."""
        scenario = self.scenario()
        if permalinks.notation_of(scenario).check(scenario):
            return None
        try:
            answer = self.tool.answer(scenario, self.tool.reads())
        except catalog.NotFound:
            return None
        return None if self.tool.impossible(answer) else offers.of_answer(quote, self.tool, answer)
