"""What stands below a run's result: its seconds, how its delays are distributed, and how its hardware stood."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.utils.translation import gettext as _

from benchmarks import charts, statistics, telemetrycurves
from benchmarks.models import BenchmarkRun, BenchmarkSample, BenchmarkStep, RunGpu, TelemetrySecond
from benchmarks.queries import RunView
from benchmarks.statistics import P99_MIN_COUNT
from benchmarks.wording import load_words, milliseconds, three, tok_per_s
from calculator import formats
from calculator.formats import NBSP

PLACES = (("p10", 10), ("p25", 25), ("p50", 50), ("p75", 75), ("p90", 90), ("p95", 95))
UUID_CHARACTERS = 12


def context(view: RunView) -> dict[str, Any]:
    """The three sections; each is empty where nothing was seen."""
    delays = [(step, ttfts_ms(step)) for step in view.steps]
    delays = [(step, values) for step, values in delays if values]
    return {"seconds": seconds(view), "distribution": distribution(delays), "telemetry": telemetry(view.run)}


# --- throughput, second by second ---


def seconds(view: RunView) -> dict[str, Any]:
    """The curve of the whole run, and for each step the slow end (p10), the middle and the best second."""
    figure = charts.live_rate(view)
    if figure is None:
        return {}
    rates = {step: rates_of(view, step) for step in view.steps}
    everything = [rate for each in rates.values() for rate in each]
    return {
        "figure": figure,
        "title": _("Une seconde sur deux à %(rate)s ou plus")
        % {"rate": tok_per_s(statistics.percentile(everything, 50))},
        "rows": [second_row(step, found) for step, found in rates.items() if found],
    }


def rates_of(view: RunView, step: BenchmarkStep) -> list[float]:
    """The rates of the seconds in which a step was measured."""
    ticks = (tick for tick in view.ticks if tick.step_id == step.pk and not tick.warming_up)
    return [tick.tok_per_s for tick in ticks if tick.tok_per_s is not None]


def second_row(step: BenchmarkStep, rates: Sequence[float]) -> dict[str, str]:
    return {
        "load": load_words(step),
        "count": formats.number(len(rates)),
        "p10": three(statistics.percentile(rates, 10)),
        "p50": three(statistics.percentile(rates, 50)),
        "high": three(max(rates)),
    }


# --- distribution of the delays ---


def ttfts_ms(step: BenchmarkStep) -> list[float]:
    """TTFT of the measured requests of a step that succeeded."""
    found = BenchmarkSample.objects.filter(step=step, warm_up=False, error_kind="", ttft_ms__isnull=False)
    return [value for value in found.values_list("ttft_ms", flat=True) if value is not None]


def distribution(delays: Sequence[tuple[BenchmarkStep, Sequence[float]]]) -> dict[str, Any]:
    """A box a step, from p10 to p90, and the same centiles as a table."""
    if not delays:
        return {}
    last, values = delays[-1]
    named = {"load": load_words(last), "low": milliseconds(statistics.percentile(values, 10))}
    named["high"] = milliseconds(statistics.percentile(values, 90))
    return {
        "title": _("À %(load)s, huit premiers tokens sur dix arrivent entre %(low)s et %(high)s") % named,
        "figure": charts.boxes([(load_words(step), quantiles(found)) for step, found in delays]),
        "rows": [delay_row(step, found) for step, found in delays],
    }


def quantiles(values: Sequence[float]) -> list[float]:
    return [statistics.percentile(values, percent) or 0.0 for percent in (10, 25, 50, 75, 90)]


def delay_row(step: BenchmarkStep, values: Sequence[float]) -> dict[str, Any]:
    p99 = statistics.shown_p99(values)
    few = _("n < %(count)d") % {"count": P99_MIN_COUNT}
    return {
        "load": load_words(step),
        "low": milliseconds(min(values)),
        "places": [milliseconds(statistics.percentile(values, percent)) for _name, percent in PLACES],
        "p99": few if p99 is None else milliseconds(p99),
        "high": milliseconds(max(values)),
    }


# --- hardware beside the run ---


def telemetry(run: BenchmarkRun) -> dict[str, Any]:
    """Each device with the means of its seconds; what a device does not tell is a word."""
    found: dict[str, list[TelemetrySecond]] = {}
    for second in TelemetrySecond.objects.filter(run=run).order_by("device", "second"):
        found.setdefault(second.device, []).append(second)
    if not found:
        return {}
    gpus = {gpu.uuid: gpu for gpu in RunGpu.objects.filter(run=run)}
    named = {device_name(device, gpus.get(device)): rows for device, rows in found.items()}
    return {
        "rows": [device_row(device, rows, gpus.get(device)) for device, rows in found.items()],
        **telemetrycurves.curves(named),
    }


def device_row(device: str, seconds: Sequence[TelemetrySecond], gpu: RunGpu | None) -> dict[str, str]:
    """One GPU, or the host, which has neither clock nor power of its own here."""
    return {
        "name": device_name(device, gpu),
        "utilisation": formats.percent(mean(second.utilisation_ratio for second in seconds)),
        "memory": unit(top(second.memory_used_bytes for second in seconds), _("Go"), 1e9),
        "clock": unit(mean(second.clock_mhz for second in seconds), "MHz"),
        "power": unit(mean(second.power_w for second in seconds), "W"),
        "temperature": unit(top(second.temperature_c for second in seconds), "°C"),
        "energy": unit(gpu.energy_j if gpu else None, "kJ", 1e3),
        "throttled": formats.percent(gpu.throttled_ratio if gpu else None),
    }


def device_name(device: str, gpu: RunGpu | None) -> str:
    """The GPU's place and name; the end of its number where the name is not known."""
    if not device:
        return _("hôte")
    if gpu is None:
        return device[:UUID_CHARACTERS]
    return f"{gpu.index} · {gpu.name or device[:UUID_CHARACTERS]}"


def mean(values: Iterable[float | None]) -> float | None:
    return statistics.mean([value for value in values if value is not None])


def top(values: Iterable[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)


def unit(value: float | None, name: str, divisor: float = 1.0) -> str:
    return formats.number(None) if value is None else f"{three(value / divisor)}{NBSP}{name}"
