"""How the hardware stood over a run's time: a curve a quantity, a line a device, and the very same points as a table.

A run may have thousands of seconds. What is drawn are means over equal spans, as many as a table can still be read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from benchmarks import charts, statistics
from benchmarks.models import TelemetrySecond
from benchmarks.wording import three
from calculator import formats
from calculator.formats import NBSP

MOST_ROWS, MOST_SPANS, FEWEST_SPANS = 240, 60, 12


@dataclass(frozen=True, slots=True)
class Quantity:
    """A column of the seconds that is drawn; `scale` brings its value into `unit`."""

    column: str
    name: Promise
    unit: str
    scale: float = 1.0


QUANTITIES = (
    Quantity("power_w", gettext_lazy("Puissance"), "W"),
    Quantity("temperature_c", gettext_lazy("Température"), "°C"),
    Quantity("clock_mhz", gettext_lazy("Fréquence de calcul"), "MHz"),
    Quantity("memory_clock_mhz", gettext_lazy("Fréquence de la mémoire"), "MHz"),
    Quantity("utilisation_ratio", gettext_lazy("Occupation"), "%", 100.0),
)
Values = Mapping[str, float | None]
Spans = Mapping[int, Values]
"""By the second with which a span begins, the mean of each quantity; None where no second of it tells."""


def curves(devices: Mapping[str, Sequence[TelemetrySecond]]) -> dict[str, Any]:
    """The figures and the table of the seconds of each device, by its name; empty before there is a curve to draw."""
    if max((len(seconds) for seconds in devices.values()), default=0) < 2:
        return {}
    width_s = span_s(devices)
    spans = {name: spans_of(seconds, width_s) for name, seconds in devices.items()}
    told = [quantity for quantity in QUANTITIES if is_told(quantity, spans)]
    return {
        "span_s": width_s,
        "figures": [figure(quantity, spans) for quantity in told],
        "columns": [label(quantity) for quantity in told],
        "lines": [row(name, second, found, told) for name, each in spans.items() for second, found in each.items()],
    }


def span_s(devices: Mapping[str, Sequence[TelemetrySecond]]) -> int:
    """How many seconds a point stands for: one, or as many as keep the table within its rows.

    A minute of one device is drawn by the second; fifteen minutes of eight devices in spans of half a minute.
    """
    spans_count = max(FEWEST_SPANS, min(MOST_SPANS, MOST_ROWS // len(devices)))
    last = max(second.second for seconds in devices.values() for second in seconds)
    return ceil((last + 1) / spans_count)


def spans_of(seconds: Sequence[TelemetrySecond], width_s: int) -> Spans:
    """The means of one device over spans of `width_s`; a span without a second is not there."""
    parts: dict[int, list[TelemetrySecond]] = {}
    for second in seconds:
        parts.setdefault(second.second // width_s * width_s, []).append(second)
    return {begin: {each.column: mean(part, each) for each in QUANTITIES} for begin, part in sorted(parts.items())}


def mean(part: Sequence[TelemetrySecond], quantity: Quantity) -> float | None:
    """The mean of what some second of a span tells, in the quantity's unit."""
    values = [value for second in part if (value := getattr(second, quantity.column)) is not None]
    found = statistics.mean(values)
    return None if found is None else found * quantity.scale


def is_told(quantity: Quantity, spans: Mapping[str, Spans]) -> bool:
    return any(found[quantity.column] is not None for each in spans.values() for found in each.values())


def label(quantity: Quantity) -> str:
    """A quantity with its unit."""
    return f"{quantity.name}, {quantity.unit}"


def figure(quantity: Quantity, spans: Mapping[str, Spans]) -> dict[str, Any]:
    """One quantity over time; devices that never tell it have no line."""
    lines = [
        (name, [(second, found[quantity.column]) for second, found in each.items()])
        for name, each in spans.items()
        if any(found[quantity.column] is not None for found in each.values())
    ]
    return {
        "id": f"telemetry-{quantity.column.replace('_', '-')}",
        "title": label(quantity),
        "figure": charts.over_time(lines),
    }


def row(name: str, second: int, found: Values, told: Sequence[Quantity]) -> dict[str, Any]:
    """A line of the table: the points of one device at one instant."""
    values = [found[quantity.column] for quantity in told]
    return {"second": f"{formats.number(second)}{NBSP}s", "name": name, "values": [three(value) for value in values]}
