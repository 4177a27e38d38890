"""Rows of the tables of the economics page, joined here: a page has four hundred cells, all new at every key pressed.

Each tag prints the rows of one <tbody>; heads, captions and the sections around them stand in the template.
"""

from collections.abc import Iterable
from html import escape

from django import template
from django.utils.safestring import SafeString, mark_safe

from calculator.charts import Point
from calculator.language import gettext as _
from calculator.presenters.badges import html
from calculator.presenters.stats import Stat
from calculator.presenters.tables import (
    Amount,
    Column,
    HeatCell,
    HeatTable,
    Offer,
    OfferTable,
    SkuRow,
    VolumeLine,
    YearLine,
)
from calculator.presenters.words import Mark
from calculator.templatetags.economics import defined
from calculator.templatetags.site import ask_price

register = template.Library()

TERM_OF_STAT = {0: "full_use", 2: "break_even"}
"""The definition behind a figure, by its place."""


def markup(value: str) -> str:
    """`value` as markup: what is markup already stays as it is."""
    return value if isinstance(value, SafeString) else escape(value)


def joined(rows: Iterable[str]) -> SafeString:
    return mark_safe("\n".join(rows))  # noqa: S308 - every row below escapes its parts


def _cells(items: Iterable[Mark | HeatCell], css: str = "") -> str:
    return "".join(f'<td class="{f"{css} {item.css}".strip()}">{markup(item.text)}</td>' for item in items)


def _amount(item: Amount, css: str) -> str:
    return f'<span class="{css}">{markup(item.text)}</span>' if item.best else f"<span>{markup(item.text)}</span>"


@register.simple_tag
def column_heads(columns: Iterable[Column], with_month: bool = False) -> SafeString:
    """The compared APIs as column heads, each with its cost at the visitor's volume where asked."""
    return joined(
        f'<th scope="col" class="n wrap">{_head(one.name)}{_small([one.month] if with_month else ())}</th>'
        for one in columns
    )


def _head(name: str) -> str:
    """A name that may break after its first word and nowhere else: nine columns have to fit."""
    return " ".join(f'<span class="nw">{markup(part)}</span>' for part in name.split(" ", 1))


@register.simple_tag
def offer_rows(offers: OfferTable) -> SafeString:
    """The chosen GPU among the APIs, each with its bar and, dashed, where the GPU stands."""
    line = offers.line and f'<line x1="{offers.line}" x2="{offers.line}" y1="-10" y2="30"/>'
    per_mtok, incomplete = escape(_("€ / 1M")), f" <small>{escape(_('incomplet'))}</small>"
    return joined(
        f'<tr{_reference(offer.is_gpu)}><th scope="row">{markup(offer.name)}{_small(offer.reasons)}</th>'
        f'<td class="barcell"><svg class="hb" aria-hidden="true">{_bar(offer)}{line}</svg></td>'
        f'<td class="n m">{markup(offer.month)}</td><td class="n end" data-l="{per_mtok}">{markup(offer.per_mtok)}</td>'
        f'<td class="verd {offer.mark.css}">{markup(offer.mark.text)}{incomplete if offer.incomplete else ""}</td>'
        f'<td class="opt">{html(offer.badge)}</td></tr>'
        for offer in offers.rows
    )


def _reference(is_reference: bool) -> str:
    return ' class="ref"' if is_reference else ""


def _small(lines: Iterable[str]) -> str:
    return "".join(f"<small>{markup(line)}</small>" for line in lines)


def _bar(offer: Offer) -> str:
    css = "gpu" if offer.is_gpu else "api"
    return f'<rect class="{css}" y="6" height="8" width="{offer.width}"/>' if offer.width else ""


@register.simple_tag
def point_rows(points: Iterable[Point]) -> SafeString:
    """The data of the chart."""
    return joined(
        f'<tr><th scope="row">{markup(point.label)}</th><td class="n">{markup(point.volume)}</td>'
        f'<td class="n">{markup(point.gpu)}</td><td class="n">{markup(point.api)}</td></tr>'
        for point in points
    )


@register.simple_tag
def stat_list(stats: Iterable[Stat]) -> SafeString:
    """The figures under the sentence, two of them with the definition of what they show."""
    return joined(
        f"<div><dt>{defined(stat.label, term) if (term := TERM_OF_STAT.get(place)) else markup(stat.label)}</dt>"
        f'<dd>{markup(stat.value)}</dd><dd class="sub">{markup(stat.note)}</dd></div>'
        for place, stat in enumerate(stats)
    )


@register.simple_tag
def sku_rows(rows: Iterable[SkuRow], column_count: int, contact: str) -> SafeString:
    """Each GPU with its costs and its verdict against each API; without a price, the ways to one."""
    return joined(
        f'<tr{_reference(row.is_current)}><th scope="row" class="pin"><a class="nw" href="?{markup(row.query)}">'
        f"{markup(row.code)}</a><small>{markup(row.detail)} · {markup(row.price)}</small></th>"
        f'<td class="n">{markup(row.gpus)}</td>'
        f"{_on_request(row, column_count, contact) if row.on_request else _costs(row)}</tr>"
        for row in rows
    )


def _costs(row: SkuRow) -> str:
    costs = f'<td class="n">{markup(row.month)}</td><td class="n">{markup(row.per_mtok)}</td>'
    return costs + _cells(row.cells, "n")


def _on_request(row: SkuRow, column_count: int, contact: str) -> str:
    enter = f'<a href="?{markup(row.query)}#id_price">{escape(_("Saisir un prix"))}</a>'
    return (
        f'<td class="n" colspan="2">{escape(_("sur devis"))}</td>'
        f'<td colspan="{column_count}" class="note">{escape(_("Prix non publié."))} {enter} · {ask_price(contact)}</td>'
    )


@register.simple_tag
def volume_rows(lines: Iterable[VolumeLine]) -> SafeString:
    """The bill of the GPU and of each API at one volume after the other, the cheapest underlined."""
    return joined(
        f'<tr{_reference(line.is_current)}><th scope="row" class="pin">{markup(line.volume)}</th>'
        f'<td class="n">{_amount(line.gpu, "best gpu")}{_small([line.gpus] if line.gpus else ())}</td>'
        f"{''.join(f'<td class="n">{_amount(cell, "best")}</td>' for cell in line.cells)}"
        f'<td><span class="{line.reading.css}">{markup(line.reading.text)}</span></td></tr>'
        for line in lines
    )


@register.simple_tag
def heat_heads(heat: HeatTable) -> SafeString:
    """The volumes as column heads."""
    return joined(f'<th scope="col">{markup(volume)}</th>' for volume in heat.volumes)


@register.simple_tag
def heat_rows(rows: Iterable[tuple[str, Iterable[HeatCell]]]) -> SafeString:
    """Utilisation down, volume across."""
    return joined(f'<tr><th scope="row" class="pin">{markup(label)}</th>{_cells(row)}</tr>' for label, row in rows)


@register.simple_tag
def year_rows(lines: Iterable[YearLine]) -> SafeString:
    """Month, year and saving of each alternative."""
    reference = f"<small>{escape(_('référence'))}</small>"
    return joined(
        f'<tr{_reference(line.is_gpu)}><th scope="row" class="pin">{markup(line.name)}'
        f'{reference if line.is_reference else ""}</th><td class="n">{markup(line.month)}</td>'
        f'<td class="n">{markup(line.year)}</td><td class="n">{markup(line.saving)}</td>'
        f'<td class="n">{markup(line.share)}</td></tr>'
        for line in lines
    )
