"""Predicted against measured: one result a metric, and statistics of groups of them."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from math import isfinite, log
from typing import Any

from calculator.accuracy.cases import Case, Outcome, Refusal, RefusedError
from calculator.accuracy.holdout import held_out
from calculator.domain.calibration import (
    Band,
    Calibration,
    found_band,
    link_constants,
    memory_constants,
    serving_constants,
    training_constants,
)
from calculator.domain.inference import NotModelledError

CONSTANTS: dict[str, Callable[[Calibration, tuple[str, ...]], Any]] = {
    "serving": serving_constants,
    "training": training_constants,
    "links": link_constants,
    "memory": memory_constants,
}
DOES_NOT_FIT = "does not fit"
NOT_COMPUTABLE = "not computable"
HIGH_QUANTILE = 0.9
ALONE = "inference_single_stream.csv"
ALONE_METRICS = {"ttft_ms": "ttft_ms_alone"}
"""A lone request waits for nobody: its first token has a band of its own."""
SAME_ON_EVERY_CHIP = ("measured_gb",)
"""Bytes do not depend on the chip: their bands are not told apart by it."""


@dataclass(frozen=True, slots=True)
class Result:
    """One metric of one row: the prediction with its band, or the reason for none."""

    file: str
    line: int
    metric: str
    engine_class: str
    family: str
    measured: float | None
    predicted: float | None
    low: float | None
    high: float | None
    reason: str
    apart: str
    held_out: bool
    chip: str = ""

    @property
    def error_ratio(self) -> float | None:
        """|predicted − measured| ÷ measured; None without a prediction."""
        if self.predicted is None or self.measured is None:
            return None
        return abs(self.predicted - self.measured) / self.measured

    @property
    def log_ratio(self) -> float | None:
        """ln(predicted ÷ measured); None without a prediction."""
        return log(self.predicted / self.measured) if self.predicted and self.measured else None

    @property
    def in_band(self) -> bool | None:
        """Whether the measurement lies inside the band; None without one."""
        if self.low is None or self.high is None or self.measured is None:
            return None
        return self.low <= self.measured <= self.high


@dataclass(frozen=True, slots=True)
class Summary:
    """Statistics of a group; ratios, not percent. None where no row of the group was answered."""

    rows: int
    answered: int
    refused: dict[str, int]
    mean: float | None
    median: float | None
    p90: float | None
    bias: float | None
    in_band: float | None

    def document(self) -> dict[str, Any]:
        """The summary as JSON, rounded to four digits."""
        return {key: round(value, 4) if isinstance(value, float) else value for key, value in asdict(self).items()}


def quantile(values: Sequence[float], part: float) -> float:
    """Linear between the ranks, as numpy's default.

    >>> quantile([1.0, 2.0, 3.0, 4.0], 0.5)
    2.5
    """
    ordered = sorted(values)
    place = part * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


class Predictor:
    """Predictions of one calibration; constants of a class set are resolved once."""

    def __init__(self, calibration: Calibration) -> None:
        self.calibration = calibration
        self._kept: dict[tuple[str, tuple[str, ...]], Any] = {}

    def constants(self, case: Case) -> Any:
        """The constants that the case's prediction takes."""
        key = (case.group, case.classes)
        if key not in self._kept:
            self._kept[key] = CONSTANTS[case.group](self.calibration, case.classes)
        return self._kept[key]

    def result(self, outcome: Outcome) -> Result:
        """The outcome with its prediction and band; that of a held-out row is drawn from the rows of the fit alone."""
        if isinstance(outcome, Refusal):
            return _result(outcome, None, None, outcome.reason, held=False)
        try:
            predicted = outcome.predict(self.constants(outcome))
        except (RefusedError, NotModelledError) as reason:
            return _result(outcome, None, None, str(reason), held=held_out(outcome))
        except (ArithmeticError, ValueError):
            return _result(outcome, None, None, NOT_COMPUTABLE, held=held_out(outcome))
        if not isfinite(predicted) or predicted <= 0:
            return _result(outcome, None, None, NOT_COMPUTABLE, held=held_out(outcome))
        held = held_out(outcome)
        return _result(outcome, predicted, self._band(outcome, held=held), "", held=held)

    def _band(self, case: Case, *, held: bool) -> Band | None:
        bands = self.calibration.seen_bands if held else self.calibration.bands
        metric = band_metric(case.file, case.metric)
        return found_band(bands, metric, case.engine_class, case.family, band_chip(case.metric, case.chip))


def band_metric(file: str, metric: str) -> str:
    """The metric by which the band of a row is found."""
    return ALONE_METRICS.get(metric, metric) if file == ALONE else metric


def band_chip(metric: str, chip: str) -> str | None:
    """The class of chips by which the band of a row is found; None where the metric does not depend on it."""
    return None if metric in SAME_ON_EVERY_CHIP else chip


def _result(outcome: Outcome, predicted: float | None, width: Band | None, reason: str, *, held: bool) -> Result:
    banded = predicted is not None and width is not None
    return Result(
        file=outcome.file,
        line=outcome.line,
        metric=outcome.metric,
        engine_class=outcome.engine_class,
        family=outcome.family,
        measured=outcome.measured,
        predicted=predicted,
        low=predicted * width.low_ratio if banded and predicted is not None and width is not None else None,
        high=predicted * width.high_ratio if banded and predicted is not None and width is not None else None,
        reason=reason,
        apart=outcome.apart,
        held_out=held,
        chip=outcome.chip,
    )


def summary(results: Sequence[Result]) -> Summary:
    """Statistics of some results. A measured row that the model says does not fit counts as an error of 100 %."""
    refused = Counter(result.reason for result in results if result.predicted is None)
    errors = [result.error_ratio for result in results if result.error_ratio is not None]
    errors += [1.0] * refused[DOES_NOT_FIT]
    logs = [result.log_ratio for result in results if result.log_ratio is not None]
    held = [result.in_band for result in results if result.in_band is not None]
    answered = sum(result.predicted is not None for result in results)
    if not errors:
        return Summary(len(results), answered, dict(refused), None, None, None, None, None)
    return Summary(
        rows=len(results),
        answered=answered,
        refused=dict(refused),
        mean=sum(errors) / len(errors),
        median=quantile(errors, 0.5),
        p90=quantile(errors, HIGH_QUANTILE),
        bias=sum(logs) / len(logs) if logs else None,
        in_band=sum(held) / len(held) if held else None,
    )


Key = tuple[str, ...]


def grouped(results: Iterable[Result], key: Callable[[Result], Key]) -> dict[Key, Summary]:
    """A summary for each key, in the order of the keys."""
    groups: defaultdict[Key, list[Result]] = defaultdict(list)
    for result in results:
        groups[key(result)].append(result)
    return {name: summary(groups[name]) for name in sorted(groups)}


def class_key(result: Result) -> Key:
    """File, metric, engine class, precision family; rows that set no goal apart."""
    return (result.file, result.metric, result.engine_class, result.family, result.apart)


GOAL_ENGINES = {
    "inference_single_stream.csv": ("vLLM", "TensorRT-LLM", "llama.cpp"),
    "inference_batched.csv": ("vLLM", "TensorRT-LLM", "SGLang"),
    "inference_serving_latency.csv": ("vLLM", "TensorRT-LLM", "SGLang"),
}
"""Engines in scope of the goals; the other files are in scope whole."""


def in_scope(result: Result) -> bool:
    """Whether a row counts for the goals."""
    engines = GOAL_ENGINES.get(result.file)
    return not result.apart and (engines is None or result.engine_class in engines)


def goal_key(result: Result) -> Key:
    """File and metric: a line of the table of goals."""
    return (result.file, result.metric)
