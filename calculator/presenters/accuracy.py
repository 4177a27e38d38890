"""The Accuracy page in words: goals beside what was reached, one metric in detail, what is reported apart."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from math import exp
from typing import NamedTuple

from calculator import formats
from calculator.accuracy.causes import Missed, missed
from calculator.accuracy.goals import ANSWERED_GOAL, BAND_GOAL, GOALS, Goal, by_goal
from calculator.accuracy.holdout import PAIRS, SOURCES
from calculator.accuracy.record import Checked, Record
from calculator.accuracy.statistics import Key, Result, Summary, class_key, goal_key, grouped, in_scope
from calculator.charts import accuracy as chart
from calculator.language import gettext as _
from calculator.language import ngettext
from calculator.presenters import accuracy_causes
from calculator.presenters import accuracy_words as words
from calculator.presenters.accuracy_chips import ChipLine, chip_lines, known_chips
from calculator.presenters.accuracy_words import METRICS, Metric, metric_asked

WORST_ROWS = 10
SAMPLE_ROWS = 40
HASH_DIGITS = 12
Place = tuple[str, int, str]
"""File, line and metric of a measurement."""


class Reached(NamedTuple):
    """One group of rows against a goal: errors, on how many rows, share in the band, the verdict in words."""

    errors: str
    rows: str
    band: str
    is_met: bool
    verdict: str


class GoalLine(NamedTuple):
    """One line of the goals: the metric, what is asked, what rows the fit never saw and all rows show."""

    metric: Metric
    goal: str
    unseen: Reached
    everywhere: Reached
    is_current: bool


class RowLine(NamedTuple):
    """One measurement beside its estimate."""

    gpu: str
    model: str
    setup: str
    source: str
    place: str
    measured: str
    predicted: str
    factor: str
    is_unseen: bool
    cause: str = ""


class CauseLine(NamedTuple):
    """A cause of rows beyond their limit: how many of them, and what shows it."""

    name: str
    rows: str
    rows_count: int
    evidence: str


class ClassLine(NamedTuple):
    """One class of rows: engine, precision, statistics; why rows were refused; why it sets no goal."""

    name: str
    precision: str
    rows: str
    answered: str
    median: str
    mean: str
    p90: str
    bias: str
    band: str
    refused: tuple[str, ...]
    apart: str


class PeerLine(NamedTuple):
    """One metric by this calculator and by the best public predictor: median and p90."""

    name: str
    unseen: str
    everywhere: str
    peer: str


class Page(NamedTuple):
    """Everything that the template prints."""

    met_unseen: int
    met_everywhere: int
    goals_count: int
    measured: str
    answered: str
    date: str
    mark: str
    is_current: bool
    goals: tuple[GoalLine, ...]
    metric: Metric
    plot: chart.Plot | None
    worst: tuple[RowLine, ...]
    sample: tuple[RowLine, ...]
    missed: tuple[RowLine, ...]
    causes: tuple[CauseLine, ...]
    limit: str
    classes: tuple[ClassLine, ...]
    chips: tuple[ChipLine, ...]
    apart: tuple[tuple[str, str], ...]
    peers: tuple[PeerLine, ...]
    peer_name: str
    peer_source: str
    others: tuple[tuple[str, str], ...]
    held_sources: tuple[str, ...]
    held_pairs: tuple[str, ...]


def page(record: Record, current_hash: str, code: str) -> Page:
    """The page of one metric; `current_hash` is the hash of the calibration in use."""
    metric, results = metric_asked(code), record.results
    unseen, everywhere = by_goal(results, unseen=True), by_goal(results)
    lines = tuple(_goal_line(each, unseen, everywhere, metric) for each in METRICS if each.key in everywhere)
    own = [row for row in record.checked if goal_key(row.result) == metric.key]
    scope = [result for result in results if in_scope(result)]
    every = causes_of(record.checked)
    causes = {place: found for place, found in every.items() if goal_key(found.row.result) == metric.key}
    return Page(
        met_unseen=sum(line.unseen.is_met for line in lines),
        met_everywhere=sum(line.everywhere.is_met for line in lines),
        goals_count=len(lines),
        measured=formats.number(len(scope)),
        answered=formats.percent(sum(result.predicted is not None for result in scope) / max(1, len(scope))),
        date=formats.date(record.date),
        mark=record.data_hash[:HASH_DIGITS],
        is_current=record.data_hash == current_hash,
        goals=lines,
        metric=metric,
        plot=chart.predicted_and_measured([row.result for row in own if in_scope(row.result)], str(metric.unit)),
        worst=tuple(_row_line(row, causes) for row in worst(own)),
        sample=tuple(_row_line(row, causes) for row in sample(own)),
        missed=tuple(_row_line(found.row, causes) for found in causes.values()),
        causes=cause_counts(causes),
        limit=formats.percent(GOALS[metric.key].p90) if metric.key in GOALS else "",
        classes=tuple(_class_lines([row.result for row in own])),
        chips=tuple(chip_lines([row.result for row in own], known_chips(results))),
        apart=_apart(results),
        peers=tuple(_peer_line(each, unseen, everywhere) for each in METRICS if each.key in words.PEER_FIGURES),
        peer_name=words.PEER,
        peer_source=words.PEER_SOURCE,
        others=tuple((name, formats.percent(ratio)) for name, ratio in words.OTHER_MEDIANS.items()),
        held_sources=SOURCES,
        held_pairs=tuple(sorted(map(_pair, PAIRS))),
    )


def _pair(text: str) -> str:
    """A GPU and a model; of links, a GPU with how many of them on how many machines."""
    gpu, *rest = text.split("|")
    if len(rest) == 1:
        return f"{gpu}, {rest[0]}"
    count, machines = rest
    if machines == "1":
        return _("%(gpu)s, %(count)s GPU d’une machine") % {"gpu": gpu, "count": count}
    return _("%(gpu)s, %(count)s GPU de %(machines)s machines") % {"gpu": gpu, "count": count, "machines": machines}


def _three(median: float | None, mean: float | None, p90: float | None) -> str:
    return " / ".join(words.percent(value) for value in (median, mean, p90))


def _whole(goal: Goal) -> str:
    return " / ".join(words.percent(value, 0) for value in (goal.median, goal.mean, goal.p90))


def _goal_line(metric: Metric, unseen: dict[Key, Summary], everywhere: dict[Key, Summary], current: Metric) -> GoalLine:
    goal, nothing = GOALS[metric.key], Summary(0, 0, {}, None, None, None, None, None)
    return GoalLine(
        metric,
        _whole(goal),
        _reached(unseen.get(metric.key, nothing), goal),
        _reached(everywhere[metric.key], goal),
        metric is current,
    )


def _reached(found: Summary, goal: Goal) -> Reached:
    missed = missed_parts(found, goal)
    verdict = _("tenu") if not missed else _("manqué\u00a0: %(parts)s") % {"parts": ", ".join(missed)}
    return Reached(_three(found.median, found.mean, found.p90), _rows(found), _band(found), not missed, verdict)


def _rows(found: Summary) -> str:
    """How many rows a verdict rests on."""
    if found.answered != found.rows:
        counts = {"answered": formats.number(found.answered), "rows": formats.number(found.rows)}
        return _("%(answered)s lignes sur %(rows)s") % counts
    return ngettext("%(count)s ligne", "%(count)s lignes", found.rows) % {"count": formats.number(found.rows)}


def missed_parts(found: Summary, goal: Goal) -> tuple[str, ...]:
    """The names of what a group of rows misses; empty where it holds its goal."""
    names = {"median": _("médiane"), "mean": _("moyenne"), "p90": "p90"}
    missed = [names[part] for part in goal.missed(found)]
    if found.rows and found.answered < ANSWERED_GOAL * found.rows:
        missed.append(_("réponses"))
    if found.in_band is not None and not BAND_GOAL[0] <= found.in_band <= BAND_GOAL[1]:
        missed.append(_("fourchette"))
    return tuple(missed)


def _band(found: Summary) -> str:
    return _("aucun chiffre") if found.in_band is None else words.percent(found.in_band)


def worst(rows: Iterable[Checked]) -> list[Checked]:
    """The rows in scope whose estimate is furthest off, as a factor: half counts as twice."""
    answered = [row for row in rows if in_scope(row.result) and row.result.log_ratio is not None]
    return sorted(answered, key=lambda row: -abs(row.result.log_ratio or 0.0))[:WORST_ROWS]


def sample(rows: Iterable[Checked]) -> list[Checked]:
    """Some answered rows, evenly spread over the measurements in their order."""
    answered = [row for row in rows if in_scope(row.result) and row.result.predicted is not None]
    ordered = sorted(answered, key=lambda row: row.result.measured or 0.0)
    step = max(1, -(-len(ordered) // SAMPLE_ROWS))
    return ordered[::step]


def _row_line(row: Checked, causes: Mapping[Place, Missed]) -> RowLine:
    result = row.result
    off = causes.get(place_of(row))
    return RowLine(
        gpu=row.gpu,
        model=row.model,
        setup=words.setup(row.setup),
        source=row.source if row.source.startswith("https://") else "",
        place=_("ligne %(line)s") % {"line": formats.number(result.line)},
        measured=words.value(result.measured),
        predicted=words.value(result.predicted),
        factor="×\u00a0" + formats.number(formats.significant(exp(result.log_ratio or 0.0))),
        is_unseen=result.held_out,
        cause=accuracy_causes.short(off) if off else "",
    )


def place_of(row: Checked) -> Place:
    """Where a measurement stands: a row may hold several."""
    return row.result.file, row.result.line, row.result.metric


def causes_of(rows: Iterable[Checked]) -> dict[Place, Missed]:
    """The rows beyond their limit by their place, each with its cause."""
    return {place_of(found.row): found for found in missed(rows)}


def cause_counts(causes: Mapping[Place, Missed]) -> tuple[CauseLine, ...]:
    """How many rows are beyond their limit, by cause, the most first; with the evidence."""
    counts = Counter(found.cause for found in causes.values())
    return tuple(_cause_line(code, count) for code, count in counts.most_common())


def _cause_line(code: str, count: int) -> CauseLine:
    rows = ngettext("%(count)s ligne", "%(count)s lignes", count) % {"count": formats.number(count)}
    return CauseLine(accuracy_causes.title(code), rows, count, str(accuracy_causes.CAUSES[code].evidence))


def _class_lines(results: Sequence[Result]) -> Iterable[ClassLine]:
    groups = grouped(results, class_key)
    ordered = sorted(groups.items(), key=lambda each: (bool(each[0][-1]), not each[1].answered, each[0]))
    for (_file, _metric, engine, family, apart), found in ordered:
        yield ClassLine(
            name=engine or _("non indiqué"),
            precision=family or _("non indiquée"),
            rows=formats.number(found.rows),
            answered=formats.number(found.answered),
            median=words.percent(found.median),
            mean=words.percent(found.mean),
            p90=words.percent(found.p90),
            bias=_bias(found.bias),
            band=_band(found),
            refused=tuple(_refusals(found.refused)),
            apart=str(words.APART.get(apart, apart)),
        )


def _bias(value: float | None) -> str:
    """The mean factor by which estimates are off, as a signed share."""
    return _("aucun chiffre") if value is None else formats.percent(exp(value) - 1, signed=True)


def _refusals(refused: dict[str, int]) -> Iterable[str]:
    for reason, rows in sorted(groupby_reason(refused).items()):
        yield f"{reason}\u00a0: {formats.number(rows)}" if formats.is_french() else f"{reason}: {formats.number(rows)}"


def groupby_reason(refused: dict[str, int]) -> dict[str, int]:
    """Rows refused by the words of the reason: two codes may share them."""
    told = sorted((words.reason(code), rows) for code, rows in refused.items())
    return {reason: sum(rows for _reason, rows in group) for reason, group in groupby(told, key=lambda each: each[0])}


def _apart(results: Sequence[Result]) -> tuple[tuple[str, str], ...]:
    rows = Counter(result.apart for result in results if result.apart)
    return tuple((str(words.APART.get(code, code)), formats.number(count)) for code, count in rows.most_common())


def _peer_line(metric: Metric, unseen: dict[Key, Summary], everywhere: dict[Key, Summary]) -> PeerLine:
    figures = words.PEER_FIGURES[metric.key]
    return PeerLine(
        str(metric.name),
        _two(unseen.get(metric.key)),
        _two(everywhere.get(metric.key)),
        f"{words.percent(figures.median, 0)} / {words.percent(figures.p90, 0)}",
    )


def _two(found: Summary | None) -> str:
    return _("aucune mesure") if found is None else f"{words.percent(found.median)} / {words.percent(found.p90)}"
