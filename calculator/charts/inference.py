"""Figures of the inference page: what the first token waits for, memory, throughput against latency, the roofline."""

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

from calculator import formats
from calculator.domain.roofline import Mark, Roofline
from calculator.domain.serving_answer import InferenceEstimate
from calculator.domain.serving_load import Served
from calculator.domain.serving_outcome import MS, Outcome
from calculator.domain.units import GIB
from calculator.language import gettext as _
from calculator.presenters import inference_words as words

Figure = dict[str, Any]

PARTS = (("queue_s", "mute"), ("prefill_s", "gpu"), ("first_step_s", "api"))
TERA = 1e12
ABOVE_THE_BARS = -0.5
"""Where an axis of names ends above its first one."""
ROOF_SPAN = 4.0
"""How far beyond ridge and marks the roofs are drawn."""
SIGNIFICANT = 5
APART_RATIO = 0.25
"""Streams that differ by less lie too near for two labels."""


class LatencyBar(NamedTuple):
    """One bar of the first-token figure and of its table, in seconds."""

    name: str
    queue_s: float
    prefill_s: float
    first_step_s: float


def _layout(**more: Any) -> Figure:
    """What every figure has: nothing that moves, nothing that a pointer opens."""
    return {
        "shapes": [],
        "annotations": [],
        "showlegend": False,
        "hovermode": False,
        "dragmode": False,
        **more,
    }


def _axis(**more: Any) -> Figure:
    return {"zeroline": False, "fixedrange": True, **more}


def _bar(name: str, size: float, role: str, place: str = "") -> Figure:
    return {
        "type": "bar",
        "orientation": "h",
        "x": [size],
        "y": [place],
        "name": name,
        "meta": {"role": role},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def rounded(value: float) -> float:
    """Digits that a pixel can show."""
    return float(f"{value:.{SIGNIFICANT}g}")


def latency_bars(estimate: InferenceEstimate) -> tuple[LatencyBar, ...]:
    """The chosen setup, then the best line of each other offer that fits, as many as a page holds."""
    found = [_bar_of(estimate.headline.values["sku"], estimate.scenario.instances, estimate.chosen)]
    for one in estimate.ranking.by_sku:
        if one.offer.sku.code != estimate.headline.values["sku"]:
            found.append(_bar_of(one.offer.sku.code, one.scenario.instances, one.outcome))
    return tuple(bar for bar in found if bar is not None)


def _bar_of(code: object, instances: int, found: Outcome) -> LatencyBar | None:
    if found.served is None:
        return None
    point = found.served.point
    return LatencyBar(words.machine(str(code), instances), point.queue_s, point.prefill_s, point.first_step_s)


def latency(estimate: InferenceEstimate) -> Figure | None:
    """Stacked bars of the first token's parts in milliseconds, the target as a rule; None where nothing is served."""
    bars = latency_bars(estimate)
    if not bars:
        return None
    names = [bar.name for bar in bars]
    traces = [
        {**_bar("", 0, role), "x": [rounded(getattr(bar, part) * MS) for bar in bars], "y": names}
        for part, role in PARTS
    ]
    target = float(estimate.scenario.first_token_ms)
    layout = _layout(
        barmode="stack",
        bargap=0.45,
        xaxis=_axis(title={"text": _("ms jusqu’au premier token"), "standoff": 8}, rangemode="tozero", nticks=6),
        yaxis=_axis(autorange="reversed", automargin=True, showgrid=False),
        margin={"l": 150, "r": 24, "t": 24, "b": 44},
        meta={"narrow": {"l": 112, "r": 8, "t": 24, "b": 48}},
    )
    if target:
        layout["shapes"] = [_vertical(target)]
        text = _("objectif %(limit)s") % {"limit": words.target_ms(estimate.scenario.first_token_ms)}
        layout["annotations"] = [_note(text, target, ABOVE_THE_BARS, yanchor="bottom")]
    return {"data": traces, "layout": layout}


def _vertical(x: float) -> Figure:
    return {"type": "line", "xref": "x", "yref": "paper", "x0": x, "x1": x, "y0": 0, "y1": 1, "line": _dotted()}


def _dotted() -> Figure:
    return {"width": 1, "dash": "dot"}


def _note(text: str, x: float, y: float, role: str = "ink", **place: object) -> Figure:
    return {"text": text, "x": x, "y": y, "showarrow": False, "name": role, **place}


def memory(parts: Iterable[tuple[str, float, str]], usable_bytes: float) -> Figure:
    """One bar of a GPU's memory: (name, bytes, role) from left to right, in GiB; what is usable as a rule."""
    traces = [_bar(name, rounded(size / GIB), role) for name, size, role in parts]
    return {
        "data": traces,
        "layout": _layout(
            barmode="stack",
            xaxis=_axis(title={"text": _("Gio par GPU"), "standoff": 6}, showgrid=False, nticks=6),
            yaxis=_axis(showticklabels=False, showgrid=False),
            shapes=[_vertical(rounded(usable_bytes / GIB))],
            margin={"l": 8, "r": 16, "t": 8, "b": 40},
            meta={"narrow": {"l": 4, "r": 8, "t": 8, "b": 40}},
        ),
    }


def curve(estimate: InferenceEstimate) -> Figure | None:
    """Time a token against total output rate, hollow marks since all is estimated; the visitor's point is full."""
    points, chosen = estimate.curve, estimate.chosen.served
    if not points or chosen is None:
        return None
    traces = [_line(points), _marks(points)]
    traces.append(_full(chosen))
    best = estimate.best.served if estimate.best else None
    notes = [_clients(one, "mute") for one in _labelled(points, [one for one in (chosen, best) if one is not None])]
    if best is not None:
        traces.append({**_full(best), "meta": {"role": "api"}, "marker": {"size": 12, "symbol": "diamond"}})
        text = _("meilleur point\u00a0: %(streams)s") % {"streams": words.streams(best.concurrency)}
        notes.append(_note(text, *_place(best), "api", yanchor="top", yshift=-10, xanchor="right"))
    text = _("votre charge\u00a0: %(streams)s") % {"streams": words.streams(chosen.concurrency)}
    notes.append(_note(text, *_place(chosen), "gpu", yanchor="top", yshift=-14))
    layout = _layout(
        xaxis=_axis(title={"text": _("débit total de sortie (tok/s)"), "standoff": 12}, rangemode="tozero", nticks=7),
        yaxis=_axis(rangemode="tozero", nticks=6),
        margin={"l": 52, "r": 24, "t": 24, "b": 48},
        annotations=notes,
    )
    limit = float(estimate.scenario.token_ms)
    if limit:
        layout["shapes"] = [_horizontal(limit)]
        user = _("objectif\u00a0: %(limit)s = %(rate)s par flux") % {
            "limit": words.target_ms(estimate.scenario.token_ms),
            "rate": words.rate(MS / limit),
        }
        layout["annotations"] = [*notes, _note(user, 1, limit, xref="paper", xanchor="right", yanchor="bottom")]
    return {"data": traces, "layout": layout}


def _place(one: Served) -> tuple[float, float]:
    return rounded(one.output_tok_per_s), rounded(one.point.token_s * MS)


def _line(points: tuple[Served, ...]) -> Figure:
    places = [_place(one) for one in points]
    return _scatter(places, "gpu", mode="lines", line={"width": 2, "dash": "dash"})


def _marks(points: tuple[Served, ...]) -> Figure:
    return _scatter([_place(one) for one in points], "dot", mode="markers", marker={"size": 8, "line": {"width": 2}})


def _full(one: Served) -> Figure:
    return _scatter([_place(one)], "gpu", mode="markers", marker={"size": 12})


def _scatter(places: Iterable[tuple[float, float]], role: str, **style: object) -> Figure:
    listed = list(places)
    return {
        "type": "scatter",
        "x": [x for x, _y in listed],
        "y": [y for _x, y in listed],
        "meta": {"role": role},
        "hoverinfo": "skip",
        "showlegend": False,
        **style,
    }


def _labelled(points: tuple[Served, ...], named: Iterable[Served]) -> tuple[Served, ...]:
    """The first and the last point, what the ends of the line are, unless a named point lies there."""
    ends = (points[0], points[-1]) if len(points) > 1 else points
    taken = [one.concurrency for one in named]
    return tuple(end for end in ends if all(abs(end.concurrency / there - 1) > APART_RATIO for there in taken))


def _clients(one: Served, role: str) -> Figure:
    return _note(words.streams(one.concurrency), *_place(one), role, yanchor="top", yshift=-10)


def _horizontal(y: float) -> Figure:
    return {"type": "line", "xref": "paper", "yref": "y", "x0": 0, "x1": 1, "y0": y, "y1": y, "line": _dotted()}


def roofline(found: Roofline) -> Figure:
    """Roofs of the data sheet on logarithmic axes, the ridge, and where decode and prefill lie."""
    low = min(found.decode.flop_per_byte, found.ridge_flop_per_byte) / ROOF_SPAN
    high = max(found.prefill.flop_per_byte, found.ridge_flop_per_byte) * ROOF_SPAN
    ridge = found.ridge_flop_per_byte
    roof = [
        (low, low * found.memory_bytes_per_s),
        (ridge, found.compute_flop_per_s),
        (high, found.compute_flop_per_s),
    ]
    names = {"gpu": (_("décodage"), found.decode), "api": (_("lecture du prompt"), found.prefill)}
    traces = [_scatter([_tera(x, y) for x, y in roof], "mute", mode="lines", line={"width": 2})]
    traces += [
        _scatter([_tera(mark.flop_per_byte, mark.flop_per_s)], role, mode="markers", marker={"size": 11})
        for role, (_name, mark) in names.items()
    ]
    notes = [_log_note(name, mark, role) for role, (name, mark) in names.items()]
    text = _("crête\u00a0: %(ridge)s FLOP/octet") % {"ridge": formats.number(ridge, 0)}
    notes.append(_log_note(text, Mark(ridge, found.compute_flop_per_s), "mute", yanchor="bottom", yshift=6))
    return {
        "data": traces,
        "layout": _layout(
            xaxis=_log_axis(_("FLOP par octet lu (échelle log.)"), low, high),
            yaxis=_log_axis(
                "",
                min(y for _x, y in map(_of, (found.decode, found.prefill))) / ROOF_SPAN / TERA,
                found.compute_flop_per_s * ROOF_SPAN / TERA,
            ),
            margin={"l": 60, "r": 24, "t": 24, "b": 48},
            annotations=notes,
        ),
    }


def _of(mark: Mark) -> tuple[float, float]:
    return mark.flop_per_byte, mark.flop_per_s


def _tera(x: float, y: float) -> tuple[float, float]:
    return rounded(x), rounded(y / TERA)


def _log_axis(title: str, low: float, high: float) -> Figure:
    span = [round(math.log10(low), 4), round(math.log10(high), 4)]
    powers = range(math.ceil(span[0]), math.floor(span[1]) + 1)
    ticks = [10.0**power for power in powers]
    return _axis(
        type="log",
        range=span,
        tickvals=ticks,
        ticktext=[formats.number(tick) for tick in ticks],
        title={"text": title, "standoff": 12},
    )


def _log_note(text: str, mark: Mark, role: str, **place: object) -> Figure:
    x, y = math.log10(mark.flop_per_byte), math.log10(mark.flop_per_s / TERA)
    found: dict[str, object] = {"yanchor": "top", "yshift": -8, **place}
    return _note(text, round(x, 4), round(y, 4), role, **found)
