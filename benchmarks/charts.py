"""Figures of runs as plain dicts; colours are roles that the page's script looks up."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _

from benchmarks.models import BenchmarkStep, BenchmarkTick
from benchmarks.queries import RunView
from benchmarks.repeats import Load
from benchmarks.wording import load_words

Figure = dict[str, Any]


def rate_and_latency(view: RunView) -> Figure | None:
    """Time per token against total rate, one full dot a step; None with fewer than two steps that have both."""
    steps = [step for step in view.steps if step.output_tok_per_s is not None and step.tpot_p50_ms is not None]
    if len(steps) < 2:
        return None
    trace = {
        "type": "scatter",
        "mode": "lines+markers",
        "x": [round(step.output_tok_per_s or 0, 1) for step in steps],
        "y": [round(step.tpot_p50_ms or 0, 4) for step in steps],
        "line": {"width": 2.5},
        "marker": {"size": 8},
        "meta": {"role": "gpu"},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    return {"data": [trace], "layout": layout(_("débit total (tok/s)"), labels(steps))}


ROLES = ("gpu", "api", "ink", "mute", "gpu", "api")
SHIFTS = (14, -14, 30, -30, 46, -46)
"""Names stand above and below their last dots, so that those of like runs do not cover each other."""
FEW = 3
"""Of more lines only the number of the device stands in the plot: whole names would cover each other."""
DASHES = ("solid", "solid", "solid", "dash", "dot", "dot")


def rates_and_latencies(runs: Sequence[tuple[str, Sequence[Load]]]) -> Figure | None:
    """Time per token against total rate, a line a run with its number at the end; None where no run has both."""
    traces, notes = [], []
    for place, (code, loads) in enumerate(runs):
        points = [(rate, tpot) for load in loads if (rate := median(load)) and (tpot := load.step.tpot_p50_ms)]
        if not points:
            continue
        role = ROLES[place % len(ROLES)]
        traces.append(line(points, role, DASHES[place % len(DASHES)]))
        x, y = points[-1]
        note = {"x": round(x, 1), "y": round(y, 4), "text": code, "showarrow": False, "name": role}
        notes.append({**note, "xanchor": "right", "yshift": SHIFTS[place % len(SHIFTS)]})
    return {"data": traces, "layout": layout(_("débit total (tok/s)"), notes)} if traces else None


def median(load: Load) -> float | None:
    spread = load.point.spread
    return spread.median if spread else None


def line(points: Sequence[tuple[float, float]], role: str, dash: str) -> Figure:
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": [round(x, 1) for x, _y in points],
        "y": [round(y, 4) for _x, y in points],
        "line": {"width": 2.5, "dash": dash},
        "marker": {"size": 8},
        "meta": {"role": role},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def labels(steps: Sequence[BenchmarkStep]) -> list[Figure]:
    """The load above each dot."""
    return [
        {
            "x": round(step.output_tok_per_s or 0, 1),
            "y": round(step.tpot_p50_ms or 0, 4),
            "text": load_words(step),
            "showarrow": False,
            "yshift": 16,
            "name": "ink",
        }
        for step in steps
    ]


def live_rate(view: RunView) -> Figure | None:
    """Output tokens a second, second by second; None before the second measurement."""
    ticks = [tick for tick in view.ticks if tick.tok_per_s is not None]
    if len(ticks) < 2:
        return None
    trace = {
        "type": "scatter",
        "mode": "lines",
        "x": seconds_since_first(ticks),
        "y": [round(tick.tok_per_s or 0, 1) for tick in ticks],
        "line": {"width": 2.5},
        "meta": {"role": "gpu"},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    return {"data": [trace], "layout": layout(_("secondes depuis le premier palier"), [])}


def over_time(lines: Sequence[tuple[str, Sequence[tuple[int, float | None]]]]) -> Figure:
    """A line a name through its points (second, value), broken where a value is None; named at its end if not alone."""
    traces, notes = [], []
    for place, (name, points) in enumerate(lines):
        role = ROLES[place % len(ROLES)]
        drawn = [None if value is None else round(value, 2) for _second, value in points]
        traces.append(
            {
                "type": "scatter",
                "mode": "lines",
                "x": [second for second, _value in points],
                "y": drawn,
                "line": {"width": 2, "dash": DASHES[place % len(DASHES)]},
                "meta": {"role": role},
                "hoverinfo": "skip",
                "showlegend": False,
            }
        )
        x, y = [(second, value) for (second, _), value in zip(points, drawn, strict=True) if value is not None][-1]
        text = name if len(lines) <= FEW else name.partition(" · ")[0]
        note = {"x": x, "y": y, "text": text, "showarrow": False, "name": role}
        notes.append({**note, "xanchor": "right", "yshift": SHIFTS[place % len(SHIFTS)]})
    return {"data": traces, "layout": layout(_("secondes depuis le début"), notes if len(lines) > 1 else [])}


def seconds_since_first(ticks: Sequence[BenchmarkTick]) -> list[float]:
    return [round((tick.at - ticks[0].at).total_seconds(), 1) for tick in ticks]


def layout(x_title: str, annotations: list[Figure]) -> Figure:
    """Axes from zero, horizontal grid only, no title: the page's heading says what is drawn."""
    return {
        "xaxis": {
            "title": {"text": x_title, "standoff": 12},
            "rangemode": "tozero",
            "tickformat": ",",
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
        },
        "yaxis": {"rangemode": "tozero", "zeroline": False, "fixedrange": True, "nticks": 6},
        "margin": {"l": 52, "r": 24, "t": 24, "b": 48},
        "shapes": [],
        "annotations": annotations,
        "showlegend": False,
        "hovermode": False,
        "dragmode": False,
    }


def boxes(groups: Sequence[tuple[str, Sequence[float]]]) -> Figure:
    """A box a group from its p10, p25, p50, p75 and p90; only these five numbers travel."""
    columns = list(zip(*(values for _name, values in groups), strict=True))
    low, first, middle, third, high = ([round(value, 3) for value in column] for column in columns)
    trace = {
        "type": "box",
        "x": [name for name, _values in groups],
        "lowerfence": low,
        "q1": first,
        "median": middle,
        "q3": third,
        "upperfence": high,
        "line": {"width": 2},
        "meta": {"role": "gpu"},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    figure = layout("", [])
    figure["xaxis"] = {**figure["xaxis"], "type": "category", "rangemode": "normal"}
    return {"data": [trace], "layout": figure}
