"""Time of the run against the number of GPUs, as a figure for plotly.js; its table carries the cost too."""

import math
from typing import NamedTuple

from calculator import formats
from calculator.charts.staircase import Figure
from calculator.domain.training_scenario import Alternative, TrainingEstimate
from calculator.language import gettext as _
from calculator.presenters import quantities

HOUR_S, DAY_S = 3600.0, 86_400.0
LEAST_POINTS = 2
RIGHT_PX = 24
EDGE = 0.05


class TrainingChart(NamedTuple):
    """A figure with the sentence that is its title and how to read it."""

    title: str
    subtitle: str
    figure: Figure


class Drawn(NamedTuple):
    """The alternatives that have a time, and the unit in which the axis counts it."""

    rows: tuple[Alternative, ...]
    seconds: float
    unit: str

    def time(self, row: Alternative) -> float:
        """A row's time in the axis's unit."""
        return round((row.seconds or 0.0) / self.seconds, 4)


def by_count(estimate: TrainingEstimate) -> TrainingChart | None:
    """Estimated time by number of GPUs beside an ideal division; None where fewer than two counts have a time."""
    rows = tuple(row for row in estimate.counts if row.seconds is not None)
    if len(rows) < LEAST_POINTS:
        return None
    drawn = _drawn(rows)
    return TrainingChart(
        title=finding(estimate, rows),
        subtitle=_(
            "Durée estimée (tirets) et division idéale (points), mêmes tokens et même batch\u00a0; le cercle est votre "
            "choix. Réseau entre instances non compté."
        ),
        figure={"data": _traces(drawn), "layout": _layout(drawn)},
    )


def _drawn(rows: tuple[Alternative, ...]) -> Drawn:
    longest = max(row.seconds or 0.0 for row in rows)
    if longest >= 2 * DAY_S:
        return Drawn(rows, DAY_S, _("jours"))
    return Drawn(rows, HOUR_S, "h") if longest >= 2 * HOUR_S else Drawn(rows, 60.0, "min")


def finding(estimate: TrainingEstimate, rows: tuple[Alternative, ...]) -> str:
    """What the chart shows, as a sentence: the largest count against the smallest."""
    first, last = rows[0], rows[-1]
    values = {
        "count": formats.number(last.gpu_count),
        "few": formats.number(first.gpu_count),
        "time": quantities.duration(last.seconds),
        "before": quantities.duration(first.seconds),
    }
    text = _("%(count)s GPU au lieu de %(few)s\u00a0: %(time)s au lieu de %(before)s") % values
    if first.eur is None or last.eur is None:
        return text
    more = formats.percent(last.eur / first.eur - 1, 0, signed=True)
    return _("%(text)s, pour %(more)s de coût") % {"text": text, "more": more}


def _traces(drawn: Drawn) -> list[Figure]:
    x = [row.gpu_count for row in drawn.rows]
    own = [drawn.time(row) for row in drawn.rows]
    ideal = [round(own[0] * x[0] / count, 4) for count in x]
    current = [row for row in drawn.rows if row.is_current]
    lines = [
        _line(x, ideal, "mute", "dot"),
        _line(x, own, "gpu", "dash"),
    ]
    dots = {
        "x": [row.gpu_count for row in current],
        "y": [drawn.time(row) for row in current],
        "mode": "markers",
        "marker": {"size": 10},
        "meta": {"role": "dot"},
        "type": "scatter",
        "showlegend": False,
        "hoverinfo": "skip",
    }
    return [*lines, dots]


def _line(x: list[int], y: list[float], role: str, dash: str) -> Figure:
    return {
        "x": x,
        "y": y,
        "mode": "lines",
        "line": {"width": 2, "dash": dash},
        "meta": {"role": role},
        "type": "scatter",
        "showlegend": False,
        "hoverinfo": "skip",
    }


def _layout(drawn: Drawn) -> Figure:
    counts = [row.gpu_count for row in drawn.rows]
    return {
        "margin": {"l": 56, "r": RIGHT_PX, "t": 16, "b": 56},
        "showlegend": False,
        "shapes": [],
        "annotations": [],
        "xaxis": {
            "type": "log",
            "range": [_log10(counts[0]) - EDGE, _log10(counts[-1]) + EDGE],
            "tickvals": counts,
            "ticktext": [formats.number(count) for count in counts],
            "title": {"text": _("GPU (échelle log.)"), "standoff": 12},
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
        },
        "yaxis": {
            "rangemode": "tozero",
            "title": {"text": drawn.unit},
            "zeroline": False,
            "fixedrange": True,
        },
    }


def _log10(value: int) -> float:
    return round(math.log10(value), 6)
