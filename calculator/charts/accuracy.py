"""Predicted against measured, log-log: a point a row, the line of equality, and half and twice beside it."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from calculator import formats
from calculator.accuracy.statistics import Result, quantile
from calculator.charts.staircase import Figure
from calculator.language import gettext as _

DIGITS = 3
ROUNDING = 1e-6
TWICE = math.log10(2)
TICK_DECADES_AT_MOST = 7
RIGHT_PX = 16


class Plot(NamedTuple):
    """A figure with its finding, the quantity it shows, and how its marks are told apart."""

    title: str
    subtitle: str
    caption: str
    figure: Figure


def predicted_and_measured(results: Sequence[Result], unit: str) -> Plot | None:
    """The figure of the answered rows; None where no row was answered."""
    answered = [result for result in results if result.predicted and result.measured]
    if not answered:
        return None
    median = quantile([result.error_ratio or 0.0 for result in answered], 0.5)
    return Plot(
        title=_("La moitié des estimations est à moins de %(error)s de la mesure")
        % {"error": formats.percent(median, 1)},
        subtitle=_("Estimé en ordonnée, mesuré en abscisse, en %(unit)s, échelles logarithmiques.") % {"unit": unit},
        caption=_(
            "%(seen)s ronds\u00a0: mesures que l’ajustement a vues. %(unseen)s losanges\u00a0: mesures qu’il n’a "
            "jamais vues. Trait plein\u00a0: estimé = mesuré\u00a0; pointillés\u00a0: moitié et double."
        )
        % {
            "seen": formats.number(sum(not result.held_out for result in answered)),
            "unseen": formats.number(sum(result.held_out for result in answered)),
        },
        figure={"data": _traces(answered), "layout": _layout(answered, unit)},
    )


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def _points(results: Sequence[Result], role: str, symbol: str) -> Figure:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [_rounded(result.measured or 0.0) for result in results],
        "y": [_rounded(result.predicted or 0.0) for result in results],
        "marker": {"size": 5, "symbol": symbol, "opacity": 0.5},
        "meta": {"role": role},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _traces(results: Sequence[Result]) -> list[Figure]:
    low, high = _range(results)
    seen = [result for result in results if not result.held_out]
    unseen = [result for result in results if result.held_out]
    return [
        _line(low, high, -TWICE, "mute", dash="dot"),
        _line(low, high, TWICE, "mute", dash="dot"),
        _points(seen, "gpu", "circle"),
        _points(unseen, "api", "diamond"),
        _line(low, high, 0.0, "ink", width=1.5),
    ]


def _line(low: float, high: float, shift: float, role: str, **style: object) -> Figure:
    """y = x × 10^shift between two powers of ten."""
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [10**low, 10**high],
        "y": [10 ** (low + shift), 10 ** (high + shift)],
        "line": {"width": 1, **style},
        "meta": {"role": role},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _range(results: Sequence[Result]) -> tuple[float, float]:
    """Both axes run from the least to the greatest figure, with a little room."""
    values = [value for result in results for value in (result.measured, result.predicted) if value]
    room = 0.08
    return math.log10(min(values)) - room, math.log10(max(values)) + room


def _axis(low: float, high: float) -> Figure:
    decades = range(math.ceil(low - ROUNDING), math.floor(high + ROUNDING) + 1)
    steps = [1, 2, 5] if len(decades) < 3 else [1]
    ticks = [10.0**decade * step for decade in range(math.floor(low), math.floor(high) + 1) for step in steps]
    shown = [tick for tick in ticks if low <= math.log10(tick) <= high]
    return {
        "type": "log",
        "range": [low, high],
        "tickvals": shown,
        "ticktext": [formats.number(tick) for tick in shown],
        "zeroline": False,
        "fixedrange": True,
    }


def _layout(results: Sequence[Result], unit: str) -> Figure:
    low, high = _range(results)
    return {
        "xaxis": {**_axis(low, high), "title": {"text": _("mesuré, %(unit)s") % {"unit": unit}, "standoff": 12}},
        "yaxis": {**_axis(low, high), "title": {"text": _("estimé, %(unit)s") % {"unit": unit}, "standoff": 8}},
        "margin": {"l": 72, "r": RIGHT_PX, "t": 16, "b": 48},
        "meta": {"narrow": {"l": 60, "r": 8, "t": 12, "b": 48}},
        "shapes": [],
        "annotations": [],
        "showlegend": False,
        "hovermode": False,
        "dragmode": False,
    }
