"""One item's prices over time: a step line for each component, from its start to the next; gaps are withdrawals,
and times at which the price varied."""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from calculator import formats
from calculator.charts.staircase import DASHES, LINES_AT_MOST, Figure
from calculator.language import gettext as _
from calculator.ledger import PricePoint
from calculator.presenters.labels import COMPONENTS, component_name
from calculator.snapshots import PARIS

USUAL_MODES = ("standard", "on_demand", "reserved")
"""Other service levels stand in the table below: their lines would cross those of the price that most people pay."""
ROLES = ("gpu", "api", "ink", "mute", "mute")
MARGIN_DAYS = 30
DAYS_SHOWN_BY_MONTH = dt.timedelta(days=150)
HEADROOM = 1.12
CLOSE_RATIO = 0.06

Key = tuple[str, str]


class Plot(NamedTuple):
    """A figure with its finding and the quantity it shows."""

    title: str
    subtitle: str
    figure: Figure


def price_histories(points: Sequence[PricePoint], now: dt.datetime) -> tuple[Plot, ...]:
    """A figure for each unit: prices by the hour and by the month of one machine do not share an axis."""
    units = dict.fromkeys(point.unit for point in points)
    plots = (price_history([point for point in points if point.unit == unit], now) for unit in units)
    return tuple(plot for plot in plots if plot is not None)


def price_history(points: Sequence[PricePoint], now: dt.datetime) -> Plot | None:
    """The figure of the usual service level without context tiers; None where nothing was ever priced."""
    lines = _lines(points)
    if not lines:
        return None
    first = min(point.valid_from for line in lines.values() for point in line)
    currency = next(iter(lines.values()))[0].currency
    changes = sum(len(line) - 1 for line in lines.values())
    since = {"date": formats.date(first), "count": formats.number(changes)}
    if not changes:
        title = _("Aucun changement depuis le %(date)s") % since
    elif changes == 1:
        title = _("Un changement depuis le %(date)s") % since
    else:
        title = _("%(count)s changements depuis le %(date)s") % since
    sign = formats.SIGNS.get(currency, currency)
    component = next(iter(lines))[0]
    per = component_name(component) if component.startswith("instance") else _("par 1M tokens")
    return Plot(title, f"{sign} {per}", {"data": _traces(lines, now), "layout": _layout(lines, first, now)})


def _lines(points: Sequence[PricePoint]) -> dict[Key, list[PricePoint]]:
    """The starts of each component in order, components in their usual order, of one currency."""
    usual = [point for point in points if point.mode in USUAL_MODES and not point.context_over_tokens]
    order = list(COMPONENTS)
    usual.sort(key=lambda point: (order.index(point.component) if point.component in order else 99, point.valid_from))
    found: dict[Key, list[PricePoint]] = {}
    for point in usual:
        if point.currency == usual[0].currency:
            found.setdefault((point.component, point.mode), []).append(point)
    priced = {key: line for key, line in found.items() if any(point.amount is not None for point in line)}
    return dict(list(priced.items())[:LINES_AT_MOST])


def _traces(lines: Mapping[Key, Sequence[PricePoint]], now: dt.datetime) -> list[Figure]:
    end = _end(lines, now)
    return [_trace(line, end, place) for place, line in enumerate(lines.values())]


def _trace(line: Sequence[PricePoint], end: dt.datetime, place: int) -> Figure:
    amounts = [0.0 if point.is_free else _float(point) for point in line]
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [_day(point.valid_from) for point in line] + [_day(end)],
        "y": [*amounts, amounts[-1]],
        "line": {"shape": "hv", "width": 2, **({"dash": DASHES[(place - 2) % len(DASHES)]} if place > 1 else {})},
        "meta": {"role": ROLES[place]},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _float(point: PricePoint) -> float | None:
    return None if point.amount is None else float(point.amount)


def _end(lines: Mapping[Key, Sequence[PricePoint]], now: dt.datetime) -> dt.datetime:
    """The right edge: a month past today, or past the last announced start."""
    last = max((point.valid_from for line in lines.values() for point in line), default=now)
    return max(now, last) + dt.timedelta(days=MARGIN_DAYS)


def _day(at: dt.datetime) -> str:
    """An instant as Plotly reads it, in Paris."""
    return at.astimezone(PARIS).strftime("%Y-%m-%d %H:%M")


def _layout(lines: Mapping[Key, Sequence[PricePoint]], first: dt.datetime, now: dt.datetime) -> Figure:
    top = max(_float(point) or 0.0 for line in lines.values() for point in line) * HEADROOM or 1.0
    end = _end(lines, now)
    rule = {"type": "line", "x0": _day(now), "x1": _day(now), "yref": "paper", "y0": 0, "y1": 1}
    return {
        "margin": {"l": 64, "r": 176, "t": 24, "b": 40},
        "xaxis": {
            "type": "date",
            "range": [_day(first), _day(end)],
            "showgrid": False,
            "tickformat": "%m/%Y" if end - first > DAYS_SHOWN_BY_MONTH else "%d/%m/%Y",
            "nticks": 4,
        },
        "yaxis": {"range": [0, top], "rangemode": "tozero", "nticks": 6, "zeroline": False},
        "shapes": [{**rule, "line": {"width": 1, "dash": "dot"}}],
        "annotations": [_today(now, is_early=now - first < end - now), *_names(lines, top, end)],
        "showlegend": False,
    }


def _today(now: dt.datetime, *, is_early: bool) -> Figure:
    """The label leans to where the figure has room: to the right of a line near the left edge."""
    return {
        "name": "mute",
        "text": _("aujourd’hui"),
        "x": _day(now),
        "y": 1,
        "yref": "paper",
        "xanchor": "left" if is_early else "right",
        "yanchor": "bottom",
        "showarrow": False,
    }


def _names(lines: Mapping[Key, Sequence[PricePoint]], top: float, end: dt.datetime) -> list[Figure]:
    """The name of each line at its right end; names that would lie on one another are set apart."""
    ends = [(_last(line), place, key) for place, (key, line) in enumerate(lines.items())]
    found, height = [], -top
    for amount, place, (component, _mode) in sorted(ends):
        height = max(amount, height + top * CLOSE_RATIO)
        found.append(
            {
                "name": ROLES[place],
                "text": component_name(component),
                "x": _day(end),
                "y": height,
                "xanchor": "left",
                "xshift": 6,
                "showarrow": False,
            }
        )
    return found


def _last(line: Sequence[PricePoint]) -> float:
    """Where a line ends: its last amount that is one."""
    return next((amount for point in reversed(line) if (amount := _float(point)) is not None), 0.0)
