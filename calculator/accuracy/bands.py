"""The bands of a calibration: where measurements lay around its estimates, by class of engine, format and chip."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import exp

from calculator.accuracy.statistics import HIGH_QUANTILE, Result, band_chip, band_metric
from calculator.domain.calibration import ANY_CHIP, ROWS_OF_OWN_BAND, Band

LOW_QUANTILE = 0.1
ROWS_FOR_A_BAND = ROWS_OF_OWN_BAND
UNSEEN_ROWS_FOR_A_BAND = 12
UNSEEN_SHARE = 2 / 3
"""Weight of held-out rows in a band where there are enough of them: they tell what a stranger's row would show."""

Groups = dict[str, list[Result]]


def bands_of(results: Sequence[Result]) -> dict[str, Band]:
    """p10–p90 of measured ÷ predicted by metric, engine and format, with and without the class of chip; held-out rows
    weigh most in it. An engine's chip with a few rows has their lowest and highest ratio instead; and a metric a band
    over all engines and chips, each weighing the same: what a chip that nobody measured may show.
    """
    classes: Groups = defaultdict(list)
    chips: Groups = defaultdict(list)
    for result in results:
        if result.predicted and not result.apart:
            for key in _keys(result):
                classes[key].append(result)
            if band_chip(result.metric, result.chip):
                chips[_chip_key(result)].append(result)
    found = {key: _band(rows) for key, rows in (classes | chips).items() if len(rows) >= ROWS_FOR_A_BAND}
    few = {key: _extent(rows) for key, rows in chips.items() if len(rows) < ROWS_FOR_A_BAND}
    return dict(sorted((found | few | _anywhere(chips)).items()))


def _keys(result: Result) -> Iterator[str]:
    """The classes whose bands a result shapes, its engine's chip left out."""
    metric, chip = band_metric(result.file, result.metric), band_chip(result.metric, result.chip)
    for engine, family in ((result.engine_class, result.family), (result.engine_class, ""), ("", "")):
        yield f"{metric}|{engine}|{family}"
    if chip and result.family:
        yield f"{metric}|{result.engine_class}|{result.family}|{chip}"


def _chip_key(result: Result) -> str:
    return f"{band_metric(result.file, result.metric)}|{result.engine_class}||{result.chip}"


def _band(results: Sequence[Result]) -> Band:
    unseen = sum(result.held_out for result in results)
    share = unseen / len(results)
    if UNSEEN_ROWS_FOR_A_BAND <= unseen < len(results):
        share = max(share, UNSEEN_SHARE)
    return _between([(ratio, _weight(result, share, unseen, len(results))) for result, ratio in _ratios(results)])


def _ratios(results: Sequence[Result]) -> list[tuple[Result, float]]:
    """Results with ln(measured ÷ predicted)."""
    return [(result, -found) for result in results if (found := result.log_ratio) is not None]


def _between(weighed: Sequence[tuple[float, float]]) -> Band:
    low, high = (weighted_quantile(weighed, part) for part in (LOW_QUANTILE, HIGH_QUANTILE))
    return Band(exp(low), exp(high), len(weighed))


def _extent(results: Sequence[Result]) -> Band:
    ratios = [ratio for _result, ratio in _ratios(results)]
    return Band(exp(min(ratios)), exp(max(ratios)), len(ratios))


def _anywhere(chips: Groups) -> dict[str, Band]:
    """By metric, the band in which every engine's class of chips weighs the same, however many rows it has."""
    weighed: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    for key, rows in chips.items():
        weighed[key.split("|")[0]] += [(ratio, 1 / len(rows)) for _result, ratio in _ratios(rows)]
    return {f"{metric}|||{ANY_CHIP}": _between(rows) for metric, rows in weighed.items()}


def _weight(result: Result, share: float, unseen: int, rows: int) -> float:
    return share / unseen if result.held_out else (1 - share) / (rows - unseen)


def weighted_quantile(values: Sequence[tuple[float, float]], part: float) -> float:
    """The value below which `part` of the weight lies, linear between the middles of the weights.

    >>> weighted_quantile([(1.0, 1.0), (2.0, 1.0), (3.0, 2.0)], 0.5)
    2.333...
    """
    ordered = sorted(values)
    total, passed, before = sum(weight for _, weight in ordered), 0.0, None
    for value, weight in ordered:
        middle = (passed + weight / 2) / total
        if middle >= part:
            return (
                value if before is None else before[1] + (value - before[1]) * (part - before[0]) / (middle - before[0])
            )
        passed, before = passed + weight, (middle, value)
    return ordered[-1][0]
