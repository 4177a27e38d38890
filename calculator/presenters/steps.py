"""The formulas with the visitor's numbers: symbols, numbers, result, and where every value comes from."""

import re
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from html import escape
from typing import NamedTuple

from django.utils.safestring import SafeString, mark_safe

from calculator import formats, language
from calculator.domain.provenance import Step, Term
from calculator.domain.scenario import EconomicsEstimate
from calculator.domain.units import to_decimal
from calculator.language import gettext as _
from calculator.methodology.mathml import FRACTION, TOKEN, mathml
from calculator.presenters import counted, labels
from calculator.presenters.badges import AnySourced, Badge, badge, of_kind
from calculator.presenters.stats import reference

OPEN_STEP = "eur_per_mtok"


class Value(NamedTuple):
    """One symbol of a formula: its value, what it means, its badge."""

    symbol: SafeString
    text: str
    meaning: str
    badge: Badge | None


class FormulaView(NamedTuple):
    """One folded formula. `symbols` and `numbers` are MathML, `result` the text set in bold after them."""

    code: str
    title: str
    symbols: SafeString
    numbers: SafeString
    result: str
    values: tuple[Value, ...]
    trust: Badge | None
    is_open: bool


def formulas(estimate: EconomicsEstimate) -> tuple[FormulaView, ...]:
    """Every step of the estimate in reading order."""
    words = Wording(titles(estimate), meanings(estimate))
    return tuple(formula(step, words) for step in estimate.steps)


class Wording(NamedTuple):
    """The titles of the formulas and the meanings of their symbols, put into words once a page."""

    titles: Mapping[str, str]
    meanings: Mapping[str, str]


def formula(step: Step, words: Wording) -> FormulaView:
    """One step as it is shown."""
    text = expression(step)
    left, right = text.split(" = ", 1)
    values = {term.symbol: shown(term.source) for term in step.terms}
    return FormulaView(
        code=step.code,
        title=words.titles[step.code],
        symbols=symbolic(text, language.active()),
        numbers=numeric(f"{left} = {right}", values),
        result=result(step),
        values=tuple(_value(term, words) for term in step.terms),
        trust=of_kind(step.trust),
        is_open=step.code == OPEN_STEP,
    )


def titles(estimate: EconomicsEstimate) -> dict[str, str]:
    """What each formula gives, by step code."""
    row, sku = reference(estimate), estimate.gpu.sku
    api = {"api": row.bill.api.label if row else ""}
    return {
        "instance_rate": _("Débit d’une instance"),
        "capacity": counted.capacity(sku),
        "capacity_with_prompt": counted.capacity_with_prompt(sku),
        "paid_hours": _("Heures payées"),
        "bill_hours_used": _("Facture aux heures utilisées"),
        "instances": counted.whole_count(sku),
        "bill": _("Facture du mois"),
        "total": _("Total du mois"),
        "eur_per_mtok": _("Coût par million de tokens"),
        "full_eur_per_mtok": _("Coût par million à pleine capacité prévue"),
        "implied_utilisation": _("Utilisation réelle"),
        "api_usd": _("Facture de %(api)s en dollars") % api,
        "api_eur": _("Facture de %(api)s en euros") % api,
        "break_even": _("Volume d’équivalence avec %(api)s") % api,
    }


def expression(step: Step) -> str:
    """The formula in the notation of `mathml`, with just the terms that the step has."""
    has = {term.symbol for term in step.terms}
    month = "h × P" if "h" in has else "P"
    fixed = " + F" if "F" in has else ""
    shared = " ÷ (1 − q)" if "q" in has else ""
    whole = "C" if "C" in has else "B"
    return {
        "instance_rate": "d = d_1 × g",
        "capacity": "K = d × 3600 × h × u",
        "capacity_with_prompt": "K = {3600 × h × u × o | i ÷ f + o ÷ d}",
        "paid_hours": "t = ⌈{V | K} × h⌉",
        "bill_hours_used": "B = t × P",
        "instances": "n = ⌈{V | K}⌉",
        "bill": f"B = n × {month}",
        "total": "C = B + F",
        "eur_per_mtok": f"c = {{{whole} | V}}",
        "full_eur_per_mtok": f"c_K = {{n × {month}{fixed} | n × K}}",
        "implied_utilisation": "u_r = {t_p | t}",
        "api_usd": "A = V × p",
        "api_eur": "A_eur = {A | x}",
        "break_even": f"V_min = {{n × {month}{fixed} | p ÷ x}}{shared}",
    }[step.code]


@lru_cache(maxsize=128)
def symbolic(text: str, code: str) -> SafeString:
    """The formula in symbols; numbers in it are written for the language `code`, which is only part of the key."""
    del code
    return mathml(text)


def numeric(text: str, values: Mapping[str, str]) -> SafeString:
    """The same formula with each known symbol replaced by its value and unit."""
    body = "".join(
        f"<mtext>{escape(values[name])}</mtext>" if name in values else markup
        for name, markup in _pieces(text, language.active())
    )
    return mark_safe(f'<math displaystyle="true">{body}</math>')  # noqa: S308 - every piece is escaped


@lru_cache(maxsize=128)
def _pieces(text: str, code: str) -> tuple[tuple[str, str], ...]:
    """What a formula consists of: the symbol that a value may stand for, empty for none, and its own markup."""
    del code
    return tuple(_piece(token) for token in TOKEN.finditer(text))


def _piece(token: re.Match[str]) -> tuple[str, str]:
    if sign := token["sign"]:
        return "", FRACTION.get(sign) or f"<mo>{escape(sign)}</mo>"
    if number := token["number"]:
        return "", f"<mn>{formats.number(Decimal(number))}</mn>"
    name, index = token["name"], token["index"]
    base = f"<mi>{escape(name)}</mi>"
    if not index:
        return name, base
    return f"{name}_{index}", f"<msub>{base}<mtext>{escape(index)}</mtext></msub>"


def shown(source: AnySourced) -> str:
    """A value with its unit, as it stands in a formula."""
    return _with_unit(to_decimal(source.value), source.unit)


def result(step: Step) -> str:
    """The result with its unit, set in bold."""
    value = to_decimal(step.result)
    if step.unit == "EUR/Mtok":
        return _("%(amount)s par million") % {"amount": formats.unit_price(value)}
    if step.unit == "":
        return formats.percent(value, 1)
    return _with_unit(value, step.unit)


def _with_unit(value: Decimal, unit: str) -> str:
    return _text_with_unit(value, unit, formats.is_french())


@lru_cache(maxsize=256)
def _text_with_unit(value: Decimal, unit: str, french: bool) -> str:
    """A value stands in several formulas and twice in each; `french` is only part of the key."""
    del french
    if unit == "tok":
        return formats.tokens(value)
    if unit.startswith("EUR"):
        return formats.unit_price(value)
    if unit.startswith("USD") and unit != "USD/EUR":
        per = _("par million")
        amount = formats.unit_price(value, "USD")
        return f"{amount} {per}" if unit == "USD/Mtok" else amount
    if unit in ("h", "tok/s"):
        return f"{formats.number(formats.significant(value, 6).normalize())}{formats.NBSP}{unit}"
    return formats.number(value)


def _value(term: Term, words: Wording) -> Value:
    return Value(
        symbol=symbolic(term.symbol, ""),
        text=_own_text(term.source),
        meaning=words.meanings.get(term.symbol, term.source.label),
        badge=badge(term.source),
    )


def _own_text(source: AnySourced) -> str:
    value = to_decimal(source.value)
    if source.label in ("utilisation", "response_cache"):
        return formats.percent(value, 0 if value * 100 == (value * 100).to_integral_value() else 1)
    return shown(source)


def meanings(estimate: EconomicsEstimate) -> dict[str, str]:
    """What each symbol stands for, in words."""
    sku = estimate.gpu.sku
    return {
        "d": _throughput_meaning(estimate),
        "d_1": _throughput_meaning(estimate),
        "g": _("GPU de l’instance"),
        "h": _("heures d’un mois"),
        "u": _("utilisation\u00a0: part productive des heures payées"),
        "f": _("lecture du prompt, par GPU"),
        "i": _("tokens d’entrée à lire par requête, hors cache de préfixes"),
        "o": _("tokens de sortie par requête"),
        "V": _("tokens de sortie par mois"),
        "K": counted.capacity_a_month(sku),
        "n": counted.whole(sku),
        "P": _("prix de %(name)s, HT") % {"name": estimate.gpu.sku.code},
        "F": _("exploitation, stockage et réseau, par mois"),
        "B": _("facture du mois, HT"),
        "C": _("total du mois, HT"),
        "t": _("heures payées"),
        "t_p": _("heures où le GPU produit"),
        "q": _("réponses servies par le cache"),
        "p": _("prix de l’API, prompts compris, par million de tokens de sortie"),
        "A": _("facture de l’API en dollars"),
        "x": _("dollars pour un euro"),
    }


def _throughput_meaning(estimate: EconomicsEstimate) -> str:
    conditions = labels.throughput_conditions(estimate.gpu.throughput)
    return _("débit de sortie\u00a0: %(conditions)s") % {"conditions": conditions}
