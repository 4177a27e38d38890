"""Figures as plain dicts for the vendored plotly.js; colours are roles (`gpu`, `api`…) that charts.js looks up.

plotly.py is not needed to build them: a test validates each figure with it instead.
"""

import math
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple

from django.utils.safestring import SafeString

from calculator import formats
from calculator.domain.gpubill import instances_for
from calculator.domain.scenario import BillingStep, Comparison, EconomicsEstimate, Verdict
from calculator.domain.units import HOUR_S
from calculator.language import gettext as _
from calculator.presenters import counted, crossing, words
from calculator.presenters.stats import reference

Figure = dict[str, Any]
Place = tuple[float, float]

MILLION = Decimal(10**6)
POINTS_PER_LINE = 28
LINES_AT_MOST = 5
DRAWN_STEPS_AT_MOST = 150
DASHES = ("dash", "dot", "dashdot", "longdash")
TICKS = (1, 2, 5)
ENDS = (1, 2, 3, 5, 10)
FULL_DECADES = 3
"""Decades that are ticked at 1, 2 and 5; more ticks would touch each other on a narrow screen."""
CENTS_BELOW_EUR = 100
PLOT_HEIGHT_PX = 316
LABEL_GAP_PX = 18
LABEL_CHAR_PX = 8
LABELS_AT_LEAST_PX = 140
LABEL_LEFT_FROM = 0.4
"""A label stands left of its point from this share of the axis on; nearer to the left end it would leave the plot."""
# What rounding may cut off the logarithm of the right end, whose tick must stay inside the axis.
ROUNDING = 1e-6


class Point(NamedTuple):
    """One line of the chart's data table: what happens, at which volume, and both costs there."""

    label: str
    volume: str
    gpu: str
    api: str


class Chart(NamedTuple):
    """A figure with the sentence that is its title, the quantity it shows, and the same rows as a table."""

    title: SafeString
    subtitle: str
    caption: str
    figure: Figure
    points: tuple[Point, ...]
    api_name: str


@dataclass(frozen=True, slots=True)
class Stairs:
    """What draws the GPU: n steps cost n × step + fixed, each carrying `capacity` stated tokens a month.

    A step is an instance, or where `unit` is set, that billing step of the hours used.
    """

    step: Decimal
    fixed: Decimal
    capacity: Decimal
    unit: BillingStep | None = None

    def cost(self, volume: Decimal) -> Decimal:
        """€ a month at a stated volume; at a corner, the cost of the steps that just suffice."""
        return self.step * instances_for(volume, self.capacity) + self.fixed

    def cost_above(self, volume: Decimal) -> Decimal:
        """The cost one token further: at a corner, with the next step."""
        return self.cost(volume + 1)


@dataclass(frozen=True, slots=True)
class Plot:
    """What is drawn: the estimate, the highlighted API, the GPU's staircase, and the range of volumes."""

    estimate: EconomicsEstimate
    row: Comparison
    stairs: Stairs
    low: Decimal
    high: Decimal

    def shows(self, volume: Decimal) -> bool:
        """Whether a volume lies inside the drawn range."""
        return self.low < volume < self.high

    def share(self, volume: Decimal) -> float:
        """Where a volume lies on the axis: 0 at its left end, 1 at its right one."""
        return math.log(volume / self.low) / math.log(self.high / self.low)

    def per_token(self, row: Comparison) -> Decimal:
        """€ per stated token of one API at the visitor's own request shape."""
        return (row.bill.eur or Decimal(0)) / self.estimate.volume_tokens

    @property
    def starts(self) -> list[Decimal]:
        """The visible volumes from which the GPU costs less."""
        return [item.start_tokens for item in self.row.break_even.intervals if self.shows(item.start_tokens)]

    @property
    def apis(self) -> list[Comparison]:
        """The highlighted API first, then the others that have a cost in €, five lines at most."""
        others = [row for row in self.estimate.comparisons if row is not self.row and row.bill.eur is not None]
        return [self.row, *others[: LINES_AT_MOST - 1]]


def break_even(estimate: EconomicsEstimate) -> Chart | None:
    """Monthly cost against volume: the GPU as a staircase, each API as a line; None where no line can be drawn."""
    row, stairs = reference(estimate), _stairs(estimate)
    if row is None or row.verdict is Verdict.UNKNOWN or stairs is None or not estimate.volume_tokens:
        return None
    plot = Plot(estimate, row, stairs, *_range(estimate, row, stairs))
    return Chart(
        title=crossing.finding(row, estimate.gpu.sku.name),
        subtitle=crossing.subtitle(estimate.gpu.sku, unit=stairs.unit),
        caption=crossing.caption(estimate),
        figure={"data": _traces(plot), "layout": _layout(plot)},
        points=_points(plot),
        api_name=row.bill.api.label,
    )


def _stairs(estimate: EconomicsEstimate) -> Stairs | None:
    gpu = estimate.gpu
    if gpu.total_eur is None or gpu.bill_eur is None or not gpu.instances or not gpu.step_tokens:
        return None
    fixed = gpu.total_eur - gpu.bill_eur
    if not words.is_hours_used(gpu, estimate.scenario.rental) or gpu.price is None:
        return Stairs(gpu.bill_eur / gpu.instances, fixed, gpu.step_tokens)
    unit = estimate.scenario.billing_step
    a_unit = 1 if unit is BillingStep.HOUR else HOUR_S
    a_month = estimate.hours_per_month_h.value * a_unit
    return Stairs(gpu.price.value / a_unit, fixed, gpu.step_tokens / a_month, unit)


def _range(estimate: EconomicsEstimate, row: Comparison, stairs: Stairs) -> tuple[Decimal, Decimal]:
    """The volumes drawn: from well under to well over what matters, on round numbers."""
    starts = [interval.start_tokens for interval in row.break_even.intervals[:2]]
    matters = [estimate.volume_tokens, *(start for start in starts if start > 0)]
    high = max(*matters, estimate.gpu.step_tokens or stairs.capacity) * Decimal("2.3")
    return _round_down(min(matters) / 6), _round_up(high)


def _decade(value: Decimal) -> Decimal:
    return Decimal(1).scaleb(value.adjusted())


def _round_down(value: Decimal) -> Decimal:
    return max(_decade(value) * tick for tick in TICKS if _decade(value) * tick <= value)


def _round_up(value: Decimal) -> Decimal:
    return min(_decade(value) * tick for tick in ENDS if _decade(value) * tick >= value)


def _traces(plot: Plot) -> list[Figure]:
    return [*_areas(plot), *_api_lines(plot), _gpu_line(plot), *_dots(plot)]


@lru_cache(maxsize=256)
def _geometric(low: float, high: float, count: int) -> tuple[float, ...]:
    """Volumes that are evenly spaced on a log axis, both ends exact."""
    ratio = (high / low) ** (1 / (count - 1))
    return (low, *(low * ratio**index for index in range(1, count - 1)), high)


def _straight(
    low: Decimal, high: Decimal, per_token: Decimal, fixed: Decimal = Decimal(0), count: int = POINTS_PER_LINE
) -> list[Place]:
    """A line of constant price from `low` to `high`: where money becomes ink, floats will do."""
    price, start = float(per_token), float(fixed)
    return [(volume, price * volume + start) for volume in _geometric(float(low), float(high), count)]


def _trace(points: list[Place], role: str, **style: object) -> Figure:
    return _drawn([_millions(x) for x, _y in points], [round(y, 2) for _x, y in points], role, **style)


def _drawn(x: list[float], y: list[float], role: str, **style: object) -> Figure:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "y": y,
        "meta": {"role": role},
        "hoverinfo": "skip",
        "showlegend": False,
        **style,
    }


@lru_cache(maxsize=1024)
def _millions(value: Decimal | float) -> float:
    return float(f"{float(value) / 1e6:.7g}")


def _euros(value: Decimal) -> float:
    return round(float(value), 2)


def _api_lines(plot: Plot) -> list[Figure]:
    """The others grey and dashed, then the highlighted API in its own colour, so that none covers it."""
    volumes = _geometric(float(plot.low), float(plot.high), POINTS_PER_LINE)
    x, lines = [_millions(volume) for volume in volumes], []
    for index, row in enumerate(plot.apis):
        price = float(plot.per_token(row))
        style = {"width": 1.5, "dash": DASHES[index - 1]} if index else {"width": 2}
        y = [round(price * volume, 2) for volume in volumes]
        lines.append(_drawn(x, y, "mute" if index else "api", line=style))
    return [*lines[1:], lines[0]]


def _gpu_line(plot: Plot) -> Figure:
    return _trace(_outline(plot.stairs, plot.low, plot.high), "gpu", line={"width": 2.5})


def _outline(stairs: Stairs, low: Decimal, high: Decimal) -> list[Place]:
    """The GPU's cost from `low` to `high` with both points of each riser; a curve where steps would be too many."""
    first, last = int(low / stairs.capacity) + 1, int(high / stairs.capacity)
    if last - first > DRAWN_STEPS_AT_MOST:
        return _straight(low, high, stairs.step / stairs.capacity, stairs.fixed)
    points = [(low, stairs.cost_above(low))]
    for corner in (stairs.capacity * index for index in range(first, last + 1)):
        if low < corner < high:
            points += [(corner, stairs.cost(corner)), (corner, stairs.cost_above(corner))]
    return [(float(volume), float(cost)) for volume, cost in [*points, (high, stairs.cost(high))]]


def _areas(plot: Plot) -> list[Figure]:
    """The surfaces between API line and staircase where the GPU costs less, their edge drawn as finely as a line."""
    spans = [
        (max(plot.low, item.start_tokens), min(plot.high, item.end_tokens or plot.high))
        for item in plot.row.break_even.intervals
    ]
    return [_area(plot, start, end) for start, end in spans if start < end]


def _area(plot: Plot, start: Decimal, end: Decimal) -> Figure:
    share = math.log(end / start) / math.log(plot.high / plot.low)
    count = max(2, math.ceil(share * POINTS_PER_LINE))
    above = _straight(start, end, plot.per_token(plot.row), count=count)
    below = _outline(plot.stairs, start, end)[::-1]
    return _trace([*above, *below], "area", fill="toself", line={"width": 0})


def _dots(plot: Plot) -> list[Figure]:
    if not plot.starts:
        return []
    points = [(float(volume), float(plot.stairs.cost_above(volume))) for volume in plot.starts]
    return [_trace(points, "dot", mode="markers", marker={"size": 9, "line": {"width": 2}})]


def _layout(plot: Plot) -> Figure:
    ends = _end_labels(plot)
    return {
        "xaxis": _volume_axis(plot),
        "yaxis": {"rangemode": "tozero", "tickformat": ",.0f", "zeroline": False, "fixedrange": True, "nticks": 6},
        "margin": {"l": 52, "r": _room(ends), "t": 16, "b": 48},
        "shapes": _rules(plot),
        "annotations": [*ends, *_volume_label(plot), *_crossing_label(plot)],
        "showlegend": False,
        "hovermode": False,
        "dragmode": False,
    }


def _volume_axis(plot: Plot) -> Figure:
    ticks = _tick_values(plot.low, plot.high)
    return {
        "type": "log",
        "range": [_log10(plot.low), _log10(plot.high) + ROUNDING],
        "tickvals": [_millions(value) for value in ticks],
        "ticktext": [formats.number(value / MILLION) for value in ticks],
        "title": {"text": _("millions de tokens de sortie par mois (échelle log.)"), "standoff": 12},
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
    }


def _log10(value: Decimal) -> float:
    return round(math.log10(value / MILLION), 6)


def _tick_values(low: Decimal, high: Decimal) -> list[Decimal]:
    """1, 2, 5 of each decade and the right end; decades alone where there are many."""
    decades = [Decimal(1).scaleb(power) for power in range(low.adjusted(), high.adjusted() + 1)]
    ticks = TICKS if len(decades) <= FULL_DECADES else TICKS[:1]
    inside = {decade * tick for decade in decades for tick in ticks if low <= decade * tick <= high}
    return sorted(inside | {high})


def _rules(plot: Plot) -> list[Figure]:
    """Dotted verticals: the visitor's volume over the full height, each crossing down to the axis."""
    own = [_rule(plot.estimate.volume_tokens, "paper", 1.0)] if plot.shows(plot.estimate.volume_tokens) else []
    return own + [_rule(start, "y", _euros(plot.stairs.cost_above(start))) for start in plot.starts]


def _rule(volume: Decimal, yref: str, top: float) -> Figure:
    x = _millions(volume)
    line = {"width": 1, "dash": "dot"}
    return {"type": "line", "xref": "x", "yref": yref, "x0": x, "x1": x, "y0": 0, "y1": top, "line": line}


def _note(text: str, volume: Decimal, y: float, role: str, **place: object) -> Figure:
    return {"text": text, "x": _log10(volume), "y": y, "showarrow": False, "name": role, **place}


def _volume_label(plot: Plot) -> list[Figure]:
    volume = plot.estimate.volume_tokens
    if not plot.shows(volume):
        return []
    text = _("votre volume\u00a0: %(count)s") % {"count": formats.tokens(volume)}
    return [_note(text, volume, 1, "ink", yref="paper", xanchor="right", xshift=-6, yanchor="top")]


def _crossing_label(plot: Plot) -> list[Figure]:
    if not plot.starts:
        return []
    start = plot.starts[0]
    cost = plot.stairs.cost_above(start)
    amount = formats.money(cost, decimals=2 if cost < CENTS_BELOW_EUR else 0)
    text = _("équivalence<br>%(count)s = %(amount)s") % {"count": formats.tokens(start, digits=3), "amount": amount}
    side, shift = ("right", -8) if plot.share(start) > LABEL_LEFT_FROM else ("left", 8)
    place = {"xanchor": side, "xshift": shift, "yanchor": "bottom", "yshift": 6, "align": side}
    return [_note(text, start, _euros(cost), "ink", **place)]


def _end_labels(plot: Plot) -> list[Figure]:
    """Each line's name at its right end, moved apart where they would overlap."""
    ends = [(plot.stairs.cost(plot.high), _gpu_label(plot), "gpu"), *_api_ends(plot)]
    return [
        _note(text, plot.high, _euros(cost), role, xanchor="left", xshift=8, yshift=shift, align="left")
        for cost, text, role, shift in _apart(ends)
    ]


def _room(ends: list[Figure]) -> int:
    """Pixels right of the plot that hold the longest name in bold."""
    longest = max(len(part) for note in ends for part in note["text"].split("<br>"))
    return max(LABELS_AT_LEAST_PX, longest * LABEL_CHAR_PX + LABEL_CHAR_PX)


def _api_ends(plot: Plot) -> list[tuple[Decimal, str, str]]:
    """Where the API lines end and what they are called; lines that lie on each other share one label."""
    named: dict[Decimal, list[str]] = {}
    for row in plot.apis:
        named.setdefault(formats.significant(plot.per_token(row) * plot.high, 3), []).append(row.bill.api.label)
    first = next(iter(named))
    return [(cost, "<br>".join(labels), "api" if cost == first else "mute") for cost, labels in named.items()]


def _apart(ends: list[tuple[Decimal, str, str]]) -> list[tuple[Decimal, str, str, int]]:
    """Labels from the lowest up with the upward shift that keeps each clear of the one before."""
    top = max(cost for cost, _text, _role in ends)
    placed, floor = [], -LABEL_GAP_PX
    for cost, text, role in sorted(ends, key=lambda end: end[0]):
        natural = int(cost / top * PLOT_HEIGHT_PX) if top else 0
        extra = LABEL_GAP_PX * text.count("<br>") // 2
        at = max(natural, floor + LABEL_GAP_PX + extra)
        placed.append((cost, text, role, at - natural))
        floor = at + extra
    return placed


def _gpu_label(plot: Plot) -> str:
    sku = plot.estimate.gpu.sku
    count = instances_for(plot.high, plot.stairs.capacity)
    if plot.stairs.unit is not None or count == 1:
        return sku.name
    return f"{sku.code}{formats.NBSP}× {formats.number(count * sku.set_of)}"


def _points(plot: Plot) -> tuple[Point, ...]:
    """The chart's own rows in order of volume: crossings, steps, the visitor's volume."""
    own = plot.estimate.volume_tokens
    found = [(own, _("votre volume"), plot.stairs.cost(own))]
    found += [(start, _("équivalence"), plot.stairs.cost_above(start)) for start in plot.starts[:3]]
    if plot.stairs.unit is None:
        corners = [(plot.stairs.capacity * count, count + 1) for count in (1, 2, 3)]
        found += [
            (at, counted.riser(rank, plot.estimate.gpu.sku), plot.stairs.cost_above(at))
            for at, rank in corners
            if plot.shows(at)
        ]
    return tuple(
        Point(label, formats.tokens(volume), formats.money(cost), formats.money(plot.per_token(plot.row) * volume))
        for volume, label, cost in sorted(found, key=lambda item: item[0])
    )
