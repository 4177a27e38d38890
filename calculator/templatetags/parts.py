"""Parts of every calculator's page that are many small pieces, joined here: each is printed at every key pressed."""

from collections.abc import Iterable
from html import escape
from typing import Any

import orjson
from django import template
from django.utils.safestring import SafeString, mark_safe

from calculator.language import gettext as _
from calculator.pagestate import ExportLink
from calculator.presenters.badges import html
from calculator.presenters.formulaview import FormulaView, Value
from calculator.presenters.notices import Notice
from calculator.templatetags.rows import joined, markup

register = template.Library()

CURRENT, KEPT = ' aria-current="true"', " download"

UNSAFE_IN_SCRIPT = {"<": "\\u003C", ">": "\\u003E", "&": "\\u0026"}
"""Signs that could end a <script>; they stand in texts of the data only, where JSON may write them so."""


@register.simple_tag
def formula_folds(formulas: Iterable[FormulaView]) -> SafeString:
    """The formulas, folded but one: in symbols, with numbers, and where each value comes from."""
    return joined(map(_fold, formulas))


def _fold(formula: FormulaView) -> str:
    title, result = markup(formula.title), markup(formula.result)
    trust = html(formula.trust)
    weakest = f'<p class="note">{escape(_("Le résultat vaut ce que vaut sa donnée la plus faible\u00a0:"))} {trust}</p>'
    return (
        f'<details class="fold" id="f-{markup(formula.code)}"{" open" if formula.is_open else ""}>'
        f'<summary>{title} <span class="hint">{result}</span></summary><div>'
        f'<div class="formula" tabindex="0" role="region" aria-label="{title}"><div class="eq">{formula.symbols}</div>'
        f'<div class="eq">{formula.numbers} <span class="res">= {result}</span></div></div>'
        f'<table class="t tight where"><caption class="vh">{escape(_("Origine de chaque valeur"))}</caption>'
        f"<tbody>{origins(formula.values)}</tbody></table>{weakest if trust else ''}</div></details>"
    )


@register.simple_tag
def origins(values: Iterable[Value]) -> SafeString:
    """One line for each symbol of a formula: its value, what it means, where it comes from."""
    return joined(
        f"<tr><td>{value.symbol} = {markup(value.text)}</td><td>{markup(value.meaning)}</td>"
        f"<td>{html(value.badge)}</td></tr>"
        for value in values
    )


@register.simple_tag
def notice_list(notices: Iterable[Notice]) -> SafeString:
    """What the reader must know beside the figures, each with the way out."""
    return joined(
        f'<div class="notice {notice.level}"><p><b>{markup(notice.lead)}</b> {markup(notice.text)}'
        f"{_way_out(notice)}</p></div>"
        for notice in notices
    )


def _way_out(notice: Notice) -> str:
    if not (notice.field and notice.action):
        return ""
    return f' <a class="screen-only" href="#{notice.field}">{markup(notice.action)}</a>'


@register.simple_tag
def list_items(texts: Iterable[str]) -> SafeString:
    """Texts as the items of a list."""
    return joined(f"<li>{markup(text)}</li>" for text in texts)


@register.simple_tag
def chips(links: Iterable[Any]) -> SafeString:
    """Cases as links to the same page, the one now shown marked."""
    return joined(
        f'<a class="chip" href="?{escape(link.query)}"{CURRENT if link.is_current else ""}>{escape(link.title)}</a>'
        for link in links
    )


@register.simple_tag
def file_links(files: Iterable[ExportLink]) -> SafeString:
    """The same scenario as files; the JSON opens in the browser."""
    return joined(
        f'<a class="btn" href="{escape(file.href)}"{KEPT if file.suffix != "json" else ""}>{escape(file.label)}</a>'
        for file in files
    )


@register.simple_tag
def hidden_fields(pairs: Iterable[tuple[str, str]]) -> SafeString:
    """What a form sends unseen."""
    return joined(f'<input type="hidden" name="{escape(name)}" value="{escape(value)}">' for name, value in pairs)


@register.simple_tag
def chart_data(figure: object, name: str) -> SafeString:
    """A figure as data for charts.js, in a script element that no browser runs."""
    data = orjson.dumps(figure).decode()
    for sign, written in UNSAFE_IN_SCRIPT.items():
        data = data.replace(sign, written)
    return mark_safe(f'<script id="{escape(name)}" type="application/json">{data}</script>')  # noqa: S308 - see above
