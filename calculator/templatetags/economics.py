"""Tags of the economics form: options with their prices, and definitions at hand."""

from collections.abc import Iterable
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from calculator import formats, language
from calculator.domain.offers import ApiModel, Basis, Mode, Sku
from calculator.forms import EconomicsForm
from calculator.language import gettext as _
from calculator.presenters import terms, words

register = template.Library()


class Option(NamedTuple):
    """A check box: its value, its words, and the price beside it."""

    value: str
    label: str
    price: str
    is_checked: bool


@register.simple_tag
def term(code: str) -> SafeString:
    """A small button that shows the definition of a term; works without scripts."""
    return _term(code, language.active())


@lru_cache(maxsize=256)
def _term(code: str, language_code: str) -> SafeString:
    del language_code
    found = terms.BY_CODE[code]
    label = _("Définition\u00a0: %(term)s") % {"term": found.term}
    return format_html(
        '\u00a0<button class="term" type="button" popovertarget="def-{}" aria-label="{}">?</button>', code, label
    )


@register.simple_tag
def defined(text: str, code: str) -> SafeString:
    """A text with the definition's button behind it, never alone on a line."""
    if isinstance(text, SafeString):
        return format_html("{}{}", text, term(code))
    head, _space, last = text.rpartition(" ")
    return format_html('{} <span class="nw">{}{}</span>', head, last, term(code))


@register.simple_tag
def definitions() -> tuple[terms.Definition, ...]:
    """All definitions, for the popovers at the end of the page."""
    return terms.DEFINITIONS


@register.simple_tag
def sku_options(form: EconomicsForm) -> list[tuple[str, str]]:
    """Every GPU by code and card, said to be on request where it has no price."""
    return [(sku.code, _sku_label(sku)) for sku in form.choices.skus]


def _sku_label(sku: Sku) -> str:
    label = f"{sku.code} — {sku.label}" if sku.label else sku.code
    return label if sku.prices or sku.is_test_host else f"{label} ({_('sur devis')})"


@register.simple_tag
def basis_options(form: EconomicsForm) -> list[tuple[str, str]]:
    """By the month or by the hour, each with the price of the chosen GPU."""
    chosen = str(form["sku"].value() or "").casefold()
    sku = next((sku for sku in form.choices.skus if sku.code.casefold() == chosen), None)
    names = {Basis.MONTH: _("Au mois"), Basis.HOUR: _("À l’heure")}
    priced = {Basis.MONTH: _("Au mois, %(price)s"), Basis.HOUR: _("À l’heure, %(price)s")}
    found = {} if sku is None else sku.prices
    return [
        (basis.value, priced[basis] % {"price": formats.unit_price(found[basis].value)} if basis in found else name)
        for basis, name in names.items()
    ]


@register.simple_tag
def api_options(form: EconomicsForm) -> list[Option]:
    """Every API with its output price in the chosen mode."""
    mode = _mode(form)
    checked = set(_values(form["api"].value()))
    return [Option(api.code, api.label, api_price(api, mode), api.code in checked) for api in form.choices.apis]


def _values(value: object) -> Iterable[str]:
    return [str(item) for item in value] if isinstance(value, list | tuple) else []


def _mode(form: EconomicsForm) -> Mode:
    value = str(form["mode"].value())
    return Mode(value) if value in {mode.value for mode in Mode} else form.base.mode


def api_price(api: ApiModel, mode: Mode) -> str:
    """The price of a million output tokens in one mode, or the words for one that varies, lacks or is not read."""
    rates = api.modes.get(mode, ())
    if not rates:
        text = _("tarif %(mode)s non lu") if mode in api.unread else _("pas de tarif %(mode)s")
        return text % {"mode": words.mode_name(mode)}
    if "output" in rates[0].varying:
        return _("prix variable")
    output = rates[0].output
    return _("sortie sans prix") if output is None else _per_million(output.value, language.active())


@lru_cache(maxsize=512)
def _per_million(value: Decimal, code: str) -> str:
    del code
    return _("%(amount)s / 1M") % {"amount": formats.unit_price(value, "USD")}
