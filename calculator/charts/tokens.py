"""One figure of the tokens page: what reading the corpus once costs, on each API and each machine."""

from typing import NamedTuple

from calculator import formats
from calculator.charts.staircase import Figure
from calculator.domain.tokens_scenario import TokensEstimate
from calculator.language import gettext as _

RIGHT_PX = 96
LEFT_PX = 150
LEAST_BARS = 2


class BarLine(NamedTuple):
    """One line of the chart's data table."""

    name: str
    kind: str
    amount: str


class Bars(NamedTuple):
    """A figure with its finding, the quantity it shows, and the same rows as a table."""

    title: str
    subtitle: str
    figure: Figure
    rows: tuple[BarLine, ...]


class _Cost(NamedTuple):
    name: str
    eur: float
    is_gpu: bool


def _costs(estimate: TokensEstimate) -> list[_Cost]:
    """Everything with a price in euros, the dearest first: a horizontal bar chart is drawn from below."""
    apis = [_Cost(item.model.label, float(item.eur), False) for item in estimate.apis if item.eur is not None]
    gpus = [_Cost(item.offer.sku.code, float(item.eur), True) for item in estimate.gpus if item.eur is not None]
    return sorted((*apis, *gpus), key=lambda cost: -cost.eur)


def reading_costs(estimate: TokensEstimate) -> Bars | None:
    """The corpus read once: a bar for each price; None where fewer than two are known."""
    costs = _costs(estimate)
    if len(costs) < LEAST_BARS:
        return None
    return Bars(
        title=_finding(costs),
        subtitle=_("€ HT pour lire une fois tous les documents, sans réponse. GPU\u00a0: estimation."),
        figure={"data": _traces(costs), "layout": _layout(costs)},
        rows=tuple(
            BarLine(cost.name, _("GPU, estimé") if cost.is_gpu else _("API"), formats.money(cost.eur))
            for cost in reversed(costs)
        ),
    )


def _finding(costs: list[_Cost]) -> str:
    low, high = costs[-1], costs[0]
    return _("Lire le corpus une fois coûte de %(low)s (%(cheap)s) à %(high)s (%(dear)s)") % {
        "low": formats.money(low.eur, decimals=0),
        "cheap": low.name,
        "high": formats.money(high.eur, decimals=0),
        "dear": high.name,
    }


def _traces(costs: list[_Cost]) -> list[Figure]:
    return [
        {
            "type": "bar",
            "orientation": "h",
            "x": [round(cost.eur, 2) for cost in costs if cost.is_gpu is is_gpu],
            "y": [cost.name for cost in costs if cost.is_gpu is is_gpu],
            "meta": {"role": "gpu" if is_gpu else "api"},
            "width": 0.6,
            "hoverinfo": "skip",
            "showlegend": False,
        }
        for is_gpu in (False, True)
    ]


def _layout(costs: list[_Cost]) -> Figure:
    return {
        "xaxis": {
            "title": {"text": _("€ HT"), "standoff": 12},
            "rangemode": "tozero",
            "tickformat": ",.0f",
            "nticks": 6,
            "showgrid": True,
            "zeroline": False,
            "fixedrange": True,
            "range": [0, costs[0].eur * 1.02],
        },
        "yaxis": {
            "categoryorder": "array",
            "categoryarray": [cost.name for cost in costs],
            "showgrid": False,
            "fixedrange": True,
        },
        "margin": {"l": LEFT_PX, "r": RIGHT_PX, "t": 8, "b": 48},
        "meta": {"narrow": {"l": 120, "r": 72, "t": 8, "b": 48}},
        "shapes": [],
        "annotations": [
            {
                "text": formats.money(cost.eur, decimals=0),
                "x": cost.eur,
                "y": cost.name,
                "showarrow": False,
                "name": "gpu" if cost.is_gpu else "api",
                "xanchor": "left",
                "xshift": 6,
                "yref": "y",
            }
            for cost in costs
        ],
        "bargap": 0.3,
        "showlegend": False,
        "hovermode": False,
        "dragmode": False,
    }
