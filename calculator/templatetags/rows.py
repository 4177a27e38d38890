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
from calculator.presenters.formulaview import Value
from calculator.presenters.tables import Amount, Column, HeatCell, Offer, OfferTable, SkuRow, VolumeLine, YearLine
from calculator.presenters.words import Mark

register = template.Library()


def _text(value: str) -> str:
    """`value` as markup: what is markup already stays as it is."""
    return value if isinstance(value, SafeString) else escape(value)


def _joined(rows: Iterable[str]) -> SafeString:
    return mark_safe("\n".join(rows))  # noqa: S308 - every row below escapes its parts


def _cells(items: Iterable[Mark | HeatCell], css: str = "") -> str:
    return "".join(f'<td class="{f"{css} {item.css}".strip()}">{_text(item.text)}</td>' for item in items)


def _amount(item: Amount, css: str) -> str:
    return f'<span class="{css}">{_text(item.text)}</span>' if item.best else f"<span>{_text(item.text)}</span>"


@register.simple_tag
def column_heads(columns: Iterable[Column], with_month: bool = False) -> SafeString:
    """The compared APIs as column heads, each with its cost at the visitor's volume where asked."""
    return _joined(
        f'<th scope="col" class="n">{_text(one.name)}{f"<small>{_text(one.month)}</small>" if with_month else ""}</th>'
        for one in columns
    )


@register.simple_tag
def offer_rows(offers: OfferTable) -> SafeString:
    """The chosen GPU among the APIs, each with its bar and, dashed, where the GPU stands."""
    line = offers.line and f'<line x1="{offers.line}" x2="{offers.line}" y1="-10" y2="30"/>'
    per_mtok, incomplete = escape(_("€ / 1M")), f" <small>{escape(_('incomplet'))}</small>"
    return _joined(
        f'<tr{_reference(offer.is_gpu)}><th scope="row">{_text(offer.name)}{_small(offer.reasons)}</th>'
        f'<td class="barcell"><svg class="hb" aria-hidden="true">{_bar(offer)}{line}</svg></td>'
        f'<td class="n m">{_text(offer.month)}</td><td class="n end" data-l="{per_mtok}">{_text(offer.per_mtok)}</td>'
        f'<td class="verd {offer.mark.css}">{_text(offer.mark.text)}{incomplete if offer.incomplete else ""}</td>'
        f'<td class="opt">{html(offer.badge)}</td></tr>'
        for offer in offers.rows
    )


def _reference(is_reference: bool) -> str:
    return ' class="ref"' if is_reference else ""


def _small(lines: Iterable[str]) -> str:
    return "".join(f"<small>{_text(line)}</small>" for line in lines)


def _bar(offer: Offer) -> str:
    css = "gpu" if offer.is_gpu else "api"
    return f'<rect class="{css}" y="6" height="8" width="{offer.width}"/>' if offer.width else ""


@register.simple_tag
def point_rows(points: Iterable[Point]) -> SafeString:
    """The data of the chart."""
    return _joined(
        f'<tr><th scope="row">{_text(point.label)}</th><td class="n">{_text(point.volume)}</td>'
        f'<td class="n">{_text(point.gpu)}</td><td class="n">{_text(point.api)}</td></tr>'
        for point in points
    )


@register.simple_tag
def sku_cells(row: SkuRow) -> SafeString:
    """The costs of one GPU with a price, and its verdict against each API."""
    costs = f'<td class="n">{_text(row.month)}</td><td class="n">{_text(row.per_mtok)}</td>'
    return mark_safe(costs + _cells(row.cells, "n"))  # noqa: S308 - every part is escaped


@register.simple_tag
def volume_rows(lines: Iterable[VolumeLine]) -> SafeString:
    """The bill of the GPU and of each API at one volume after the other, the cheapest underlined."""
    return _joined(
        f'<tr{_reference(line.is_current)}><th scope="row" class="pin">{_text(line.volume)}</th>'
        f'<td class="n">{_amount(line.gpu, "best gpu")}{_small([line.gpus] if line.gpus else ())}</td>'
        f"{''.join(f'<td class="n">{_amount(cell, "best")}</td>' for cell in line.cells)}"
        f'<td><span class="{line.reading.css}">{_text(line.reading.text)}</span></td></tr>'
        for line in lines
    )


@register.simple_tag
def heat_rows(rows: Iterable[tuple[str, Iterable[HeatCell]]]) -> SafeString:
    """Utilisation down, volume across."""
    return _joined(f'<tr><th scope="row" class="pin">{_text(label)}</th>{_cells(row)}</tr>' for label, row in rows)


@register.simple_tag
def year_rows(lines: Iterable[YearLine]) -> SafeString:
    """Month, year and saving of each alternative."""
    reference = f"<small>{escape(_('référence'))}</small>"
    return _joined(
        f'<tr{_reference(line.is_gpu)}><th scope="row" class="pin">{_text(line.name)}'
        f'{reference if line.is_reference else ""}</th><td class="n">{_text(line.month)}</td>'
        f'<td class="n">{_text(line.year)}</td><td class="n">{_text(line.saving)}</td>'
        f'<td class="n">{_text(line.share)}</td></tr>'
        for line in lines
    )


@register.simple_tag
def origins(values: Iterable[Value]) -> SafeString:
    """One line for each symbol of a formula: its value, what it means, where it comes from."""
    return _joined(
        f"<tr><td>{value.symbol} = {_text(value.text)}</td><td>{_text(value.meaning)}</td>"
        f"<td>{html(value.badge)}</td></tr>"
        for value in values
    )
