"""Two figures of the multi-GPU page: speed-up against the ideal line, and cost against time.

Estimated = dashed with hollow dots; the ideal is a plain grey line; the gap between them is communication.
"""

import math
from typing import NamedTuple

from calculator import formats
from calculator.charts.staircase import Figure
from calculator.domain.parallel_scenario import ParallelismEstimate, Point
from calculator.language import gettext as _
from calculator.presenters import parallelism_units

TICKS = (1, 2, 4, 8, 16, 32, 64)
RIGHT_PX = 152
ROUNDING = 1e-4
LEAST_GAP_RATIO = 0.02
"""A gap of less than this costs next to nothing."""
LABELLED_GAP_RATIO = 0.1
"""A gap of less than this has no room for its name."""
HEADROOM = 1.15
MARGIN = 0.08


class PlotLine(NamedTuple):
    """One line of a chart's data table."""

    gpus: str
    first: str
    second: str


class Plot(NamedTuple):
    """A figure with its finding, the quantity it shows, and the same rows as a table."""

    title: str
    subtitle: str
    figure: Figure
    heads: tuple[str, str]
    rows: tuple[PlotLine, ...]


def speed_up(estimate: ParallelismEstimate) -> Plot | None:
    """Speed-up over the number of GPUs beside the ideal; None where there is no curve."""
    points = estimate.points
    if len(points) < 2:
        return None
    return Plot(
        title=_finding(estimate),
        subtitle=_("Accélération face à un GPU seul, échelles logarithmiques. Tirets\u00a0: estimation."),
        figure={"data": _speed_traces(points), "layout": _speed_layout(estimate)},
        heads=(_("Idéal"), _("Estimation")),
        rows=tuple(
            PlotLine(
                formats.number(row.gpu_count),
                parallelism_units.factor(row.gpu_count),
                parallelism_units.factor(row.speed_up),
            )
            for row in points
        ),
    )


def _finding(estimate: ParallelismEstimate) -> str:
    last = estimate.points[-1]
    share = formats.percent(1 - last.efficiency)
    if 1 - last.efficiency < LEAST_GAP_RATIO:
        return _("À %(count)s GPU, l’échange ne coûte presque rien") % {"count": formats.number(last.gpu_count)}
    return _("À %(count)s GPU, %(share)s du temps va aux échanges et aux attentes") % {
        "count": formats.number(last.gpu_count),
        "share": share,
    }


def short(value: float) -> float:
    """Four digits draw a line as well as seventeen, and the page is sent at every key pressed."""
    return float(f"{value:.4g}")


def _trace(xs: list[float], ys: list[float], role: str, **style: object) -> Figure:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [short(value) for value in xs],
        "y": [short(value) for value in ys],
        "meta": {"role": role},
        "hoverinfo": "skip",
        "showlegend": False,
        **style,
    }


def _speed_traces(points: tuple[Point, ...]) -> list[Figure]:
    counts = [float(row.gpu_count) for row in points]
    # A straight line needs its ends only.
    ideal = [counts[0], counts[-1]]
    speeds = [row.speed_up for row in points]
    marked = [row for row in points if row.gpu_count in TICKS]
    return [
        _trace([*ideal, *counts[::-1]], [*ideal, *speeds[::-1]], "area", fill="toself", line={"width": 0}),
        _trace(ideal, ideal, "mute", line={"width": 1.5}),
        _trace(counts, speeds, "gpu", line={"width": 2.5, "dash": "dash"}),
        _trace(
            [float(row.gpu_count) for row in marked],
            [row.speed_up for row in marked],
            "dot",
            mode="markers",
            marker={"size": 8, "line": {"width": 2}},
        ),
    ]


def _count_axis(low: int, high: int) -> Figure:
    ticks = sorted({tick for tick in TICKS if low <= tick <= high} | {high})
    shown = [tick for tick in ticks if tick == high or math.log2(high / tick) > 0.6]
    return {
        "type": "log",
        "range": [short(math.log10(low)) - ROUNDING, short(math.log10(high)) + ROUNDING],
        "tickvals": shown,
        "ticktext": [formats.number(tick) for tick in shown],
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
    }


def _speed_layout(estimate: ParallelismEstimate) -> Figure:
    points = estimate.points
    low, high = points[0].gpu_count, points[-1].gpu_count
    axis = _count_axis(low, high)
    top = math.log10(high * HEADROOM)
    return {
        "xaxis": {**axis, "title": {"text": _("nombre de GPU (échelle log.)"), "standoff": 12}},
        "yaxis": {**axis, "showgrid": True, "range": [_floor(points), top]},
        "margin": {"l": 44, "r": RIGHT_PX, "t": 16, "b": 48},
        "shapes": _rule(estimate, low, high),
        "annotations": [*_speed_ends(points[-1]), *_own_label(estimate, low, high)],
        "showlegend": False,
        "hovermode": False,
        "dragmode": False,
    }


def _floor(points: tuple[Point, ...]) -> float:
    least = min(row.speed_up for row in points)
    return math.log10(min(least, points[0].gpu_count)) - ROUNDING


def _note(text: str, x: float, y: float, role: str, **place: object) -> Figure:
    return {"text": text, "x": short(x), "y": short(y), "showarrow": False, "name": role, **place}


def _speed_ends(last: Point) -> list[Figure]:
    x = math.log10(last.gpu_count)
    right = {"xanchor": "left", "xshift": 8, "align": "left"}
    ideal = _note(_("idéal"), x, math.log10(last.gpu_count), "mute", yshift=8, **right)
    reached = parallelism_units.factor(last.speed_up)
    own = _note(_("estimé %(factor)s") % {"factor": reached}, x, math.log10(last.speed_up), "gpu", yshift=-10, **right)
    if 1 - last.efficiency < LABELLED_GAP_RATIO:
        return [ideal, own]
    middle = math.log10(math.sqrt(last.gpu_count * last.speed_up))
    gap = _note(_("écart\u00a0: échanges"), x, middle, "ink", xanchor="right", xshift=-14, align="right")
    return [ideal, own, gap]


def _rule(estimate: ParallelismEstimate, low: int, high: int) -> list[Figure]:
    count = estimate.scenario.gpu_count
    if not low < count < high:
        return []
    line = {"width": 1, "dash": "dot"}
    return [{"type": "line", "xref": "x", "yref": "paper", "x0": count, "x1": count, "y0": 0, "y1": 1, "line": line}]


def _own_label(estimate: ParallelismEstimate, low: int, high: int) -> list[Figure]:
    count = estimate.scenario.gpu_count
    if not low < count < high:
        return []
    text = _("vos %(count)s GPU") % {"count": formats.number(count)}
    return [_note(text, math.log10(count), 1, "ink", yref="paper", xanchor="right", xshift=-6, yanchor="top")]


def cost(estimate: ParallelismEstimate) -> Plot | None:
    """The bill against the days, one dot a number of GPUs; GPU hours where there is no price."""
    rows = estimate.rows
    if len(rows) < 2:
        return None
    priced = all(row.eur is not None for row in rows)
    unit = _("€ HT") if priced else _("Heures de GPU")
    return Plot(
        title=_cost_finding(estimate, priced=priced),
        subtitle=_("%(unit)s de l’entraînement selon sa durée, un point par nombre de GPU. Estimation.")
        % {"unit": unit},
        figure={"data": _cost_traces(rows, priced=priced), "layout": _cost_layout(rows, priced=priced)},
        heads=(_("Durée"), unit),
        rows=tuple(
            PlotLine(formats.number(row.gpu_count), parallelism_units.days(row.days), _amount(row, priced=priced))
            for row in rows
        ),
    )


def _height(row: Point, *, priced: bool) -> float:
    return float(row.eur) if priced and row.eur is not None else row.gpu_hours_h


def _amount(row: Point, *, priced: bool) -> str:
    if priced:
        return formats.money(row.eur, decimals=0)
    return _("%(count)s h") % {"count": formats.number(row.gpu_hours_h, 0)}


def _cost_finding(estimate: ParallelismEstimate, *, priced: bool) -> str:
    first, last = estimate.rows[0], estimate.rows[-1]
    before, after = _height(first, priced=priced), _height(last, priced=priced)
    values = {
        "count": formats.number(last.gpu_count),
        "days": parallelism_units.days(last.days),
        "change": formats.percent(after / before - 1, signed=True),
    }
    if priced:
        return _("%(count)s GPU\u00a0: %(days)s, %(change)s de coût") % values
    return _("%(count)s GPU\u00a0: %(days)s, %(change)s d’heures de GPU") % values


def _cost_traces(rows: tuple[Point, ...], *, priced: bool) -> list[Figure]:
    days = [row.days for row in rows]
    heights = [_height(row, priced=priced) for row in rows]
    return [
        _trace(days, heights, "gpu", line={"width": 2, "dash": "dash"}),
        _trace(days, heights, "dot", mode="markers", marker={"size": 9, "line": {"width": 2}}),
    ]


def _cost_layout(rows: tuple[Point, ...], *, priced: bool) -> Figure:
    days = sorted(row.days for row in rows)
    heights = [_height(row, priced=priced) for row in rows]
    return {
        "xaxis": {
            "type": "log",
            "range": [short(math.log10(days[0]) - MARGIN), short(math.log10(days[-1]) + MARGIN)],
            "tickvals": [short(value) for value in days],
            "ticktext": [parallelism_units.number(value) for value in days],
            "title": {"text": _("jours (échelle log.)"), "standoff": 12},
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
        },
        "yaxis": {
            "range": [0, short(max(heights) * HEADROOM)],
            "tickformat": ",.0f",
            "zeroline": False,
            "fixedrange": True,
            "nticks": 6,
        },
        "margin": {"l": 60, "r": 24, "t": 16, "b": 48},
        "shapes": [],
        "annotations": [
            _note(
                _("%(count)s GPU") % {"count": formats.number(row.gpu_count)},
                math.log10(row.days),
                _height(row, priced=priced),
                "ink",
                yshift=14,
            )
            for row in rows
        ],
        "showlegend": False,
        "hovermode": False,
        "dragmode": False,
    }
