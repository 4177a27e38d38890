"""One formula with the visitor's numbers: symbols, numbers, result, and where every value comes from."""

import re
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from html import escape
from typing import NamedTuple

from django.utils.safestring import SafeString, mark_safe

from calculator import formats, language
from calculator.domain.provenance import Step, Term
from calculator.domain.units import to_decimal
from calculator.language import gettext as _
from calculator.methodology.mathml import FRACTION, TOKEN, mathml
from calculator.presenters import quantities
from calculator.presenters.badges import AnySourced, Badge, badge, of_kind

RATIO_DECIMALS = 6
PERCENTAGES = ("utilisation", "response_cache")


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


def view(step: Step, expression: str, title: str, meanings: Mapping[str, str], is_open: bool = False) -> FormulaView:
    """One step as it is shown. `expression` is in the notation of `mathml`, `meanings` are words by symbol."""
    left, right = expression.split(" = ", 1)
    values = {term.symbol: in_formula(term.source) for term in step.terms}
    return FormulaView(
        code=step.code,
        title=title,
        symbols=symbolic(expression, language.active()),
        numbers=numeric(f"{left} = {right}", values),
        result=result(step),
        values=tuple(_value(term, meanings) for term in step.terms),
        trust=of_kind(step.trust),
        is_open=is_open,
    )


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


def in_formula(source: AnySourced) -> str:
    """A value with its unit as it stands among signs: a ratio stays a number there, since it multiplies."""
    if source.unit == "":
        return formats.number(_short(to_decimal(source.value)))
    return quantities.with_unit(source.value, source.unit)


def shown(source: AnySourced) -> str:
    """A value with its unit, alone: a ratio reads as a percentage."""
    return _ratio(to_decimal(source.value)) if source.label in PERCENTAGES else in_formula(source)


def _short(value: Decimal) -> Decimal:
    """What was typed with all its digits; what was computed with as many as a reader can check."""
    exponent = value.normalize().as_tuple().exponent
    is_long = isinstance(exponent, int) and -exponent > RATIO_DECIMALS
    return formats.significant(value, RATIO_DECIMALS).normalize() if is_long else value


def _ratio(value: Decimal) -> str:
    return formats.percent(value, 0 if value * 100 == (value * 100).to_integral_value() else 1)


def result(step: Step) -> str:
    """The result with its unit, set in bold."""
    if step.unit == "EUR/Mtok":
        return _("%(amount)s par million") % {"amount": formats.unit_price(to_decimal(step.result))}
    return quantities.with_unit(step.result, step.unit)


def _value(term: Term, meanings: Mapping[str, str]) -> Value:
    return Value(
        symbol=symbolic(term.symbol, ""),
        text=shown(term.source),
        meaning=meanings.get(term.symbol, term.source.label),
        badge=badge(term.source),
    )
