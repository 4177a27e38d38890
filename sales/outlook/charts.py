"""Figures of the outlook as plain dicts for plotly.js: the tornado, and twelve months as staircase and line."""

from decimal import Decimal
from typing import Any

from calculator.language import gettext as _
from sales.domain.outlook_answer import OutlookEstimate
from sales.domain.ramp import Month, Ramp
from sales.domain.sensitivity import Bar
from sales.outlook import words

Figure = dict[str, Any]
RIGHT_PX = 140


def _layout(**more: Any) -> Figure:
    return {"shapes": [], "annotations": [], "showlegend": False, "hovermode": False, "dragmode": False, **more}


def _axis(**more: Any) -> Figure:
    return {"zeroline": False, "fixedrange": True, **more}


def _euros(value: Decimal | None) -> float:
    return round(float(value or 0), 2)


def tornado(found: OutlookEstimate) -> Figure | None:
    """The gap at both ends of each lever, the widest on top; None where no end is known."""
    bars = [one for one in found.sensitivity.bars if one.width_eur]
    gap = found.both.gap_eur
    if not bars or gap is None:
        return None
    names = [str(words.INPUTS[one.lever.value]) for one in bars]
    traces = [_side(bars, names, gap, "low", "mute"), _side(bars, names, gap, "high", "ink")]
    layout = _layout(
        barmode="overlay",
        bargap=0.4,
        xaxis=_axis(
            title={"text": _("€ HT par mois\u00a0: GPU moins API"), "standoff": 8}, tickformat=",.0f", nticks=6
        ),
        yaxis=_axis(autorange="reversed", automargin=True, showgrid=False),
        margin={"l": 170, "r": 24, "t": 24, "b": 48},
        meta={"narrow": {"l": 130, "r": 12, "t": 24, "b": 48}},
    )
    layout["shapes"] = [_vertical(0.0)]
    layout["annotations"] = [_note(_("égalité"), 0.0, 1.0, yref="paper", yanchor="bottom")]
    return {"data": traces, "layout": layout}


def _side(bars: list[Bar], names: list[str], gap: Decimal, end: str, role: str) -> Figure:
    ends = [getattr(one, end) for one in bars]
    return {
        "type": "bar",
        "orientation": "h",
        "base": [_euros(gap)] * len(bars),
        "x": [_euros((one.gap_eur if one else gap) - gap) for one in ends],
        "y": names,
        "meta": {"role": role},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _vertical(x: float) -> Figure:
    line = {"width": 1, "dash": "dot"}
    return {"type": "line", "xref": "x", "yref": "paper", "x0": x, "x1": x, "y0": 0, "y1": 1, "line": line}


def _note(text: str, x: float, y: float, role: str = "ink", **place: object) -> Figure:
    return {"text": text, "x": x, "y": y, "showarrow": False, "name": role, **place}


def year(found: OutlookEstimate, ramp: Ramp) -> Figure | None:
    """Both sides' months: the GPU as a staircase, the API as a line; None where a side is unknown."""
    both, last = found.both, ramp.months[-1]
    if both.api is None or any(month.gpu_eur is None or month.api_eur is None for month in ramp.months):
        return None
    x = [month.number for month in ramp.months]
    gpu = _line(x, [_euros(month.gpu_eur) for month in ramp.months], "gpu", {"width": 2.5, "shape": "hv"})
    api = _line(x, [_euros(month.api_eur) for month in ramp.months], "api", {"width": 2})
    ends = [(last.gpu_eur, both.gpu.sku.name, "gpu"), (last.api_eur, both.api.bill.api.label, "api")]
    layout = _layout(
        xaxis=_axis(
            tickvals=x, range=[1, x[-1]], title={"text": _("mois"), "standoff": 10}, showgrid=False, tickformat="d"
        ),
        yaxis=_axis(rangemode="tozero", tickformat=",.0f", nticks=6),
        margin={"l": 56, "r": RIGHT_PX, "t": 16, "b": 48},
    )
    layout["annotations"] = _ends(ends, x[-1], ramp.months)
    return {"data": [api, gpu], "layout": layout}


def _line(x: list[int], y: list[float], role: str, line: Figure) -> Figure:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "y": y,
        "line": line,
        "meta": {"role": role},
        "hoverinfo": "skip",
        "showlegend": False,
    }


APART_RATIO = Decimal("0.08")
APART_PX = 9


def _ends(ends: list[tuple[Decimal | None, str, str]], x: int, months: tuple[Month, ...]) -> list[Figure]:
    """Each line's name at its right end, moved apart where they would overlap."""
    top = max(max(month.gpu_eur or Decimal(0), month.api_eur or Decimal(0)) for month in months)
    values = [value or Decimal(0) for value, _name, _role in ends]
    near = bool(top) and abs(values[0] - values[1]) / top < APART_RATIO
    notes = []
    for value, name, role in ends:
        up = value == max(values)
        shift = (APART_PX if up else -APART_PX) if near else 0
        notes.append(_note(name, x, _euros(value), role, xanchor="left", xshift=8, yshift=shift, align="left"))
    return notes
