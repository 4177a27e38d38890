"""The fit of all groups of constants, and the document that records it."""

import datetime as dt
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from calculator.accuracy import holdout, starts, store
from calculator.accuracy.bands import bands_of
from calculator.accuracy.cases import Case, Outcome
from calculator.accuracy.collect import outcomes
from calculator.accuracy.leastsquares import Fit, Problem, factored
from calculator.accuracy.sheets import load_sheets
from calculator.accuracy.statistics import Predictor, Result, goal_key, grouped, in_scope
from calculator.domain.calibration import (
    Band,
    Factored,
    LinkConstants,
    MemoryConstants,
    ServingConstants,
    TrainingConstants,
)

ITERATIONS = 14
SCALES = {"ttft_ms": 0.55, "prefill_tok_s": 0.6}
"""Waiting times scatter several times as much as step times: they weigh less."""

GROUPS: dict[str, tuple[Callable[..., Any], Any, Any]] = {
    "serving": (ServingConstants, starts.SERVING, starts.SERVING_FACTORS),
    "training": (TrainingConstants, starts.TRAINING, starts.TRAINING_FACTORS),
    "links": (LinkConstants, starts.LINKS, starts.LINK_FACTORS),
    "memory": (MemoryConstants, starts.MEMORY, starts.MEMORY_FACTORS),
}

Tell = Callable[[str], None]


def fitted(group: str, cases: Sequence[Case], iterations: int, tell: Tell) -> Factored:
    """The constants of one group from the cases that are not held out."""
    constants, base, factors = GROUPS[group]
    seen = [case for case in cases if case.group == group and not case.apart and not holdout.held_out(case)]
    problem = Problem(seen, starts.parameters(base, factors), constants, SCALES)
    tell(f"{group}: {len(seen)} measurements, {len(problem.parameters)} constants")
    return factored(problem.parameters, Fit(problem).run(iterations, tell))


def document(fixtures: Path, folder: Path, today: dt.date, iterations: int, tell: Tell) -> dict[str, Any]:
    """The whole calibration: constants, bands, data hash, date, what was held out, and what was reached."""
    found = outcomes(folder, load_sheets(fixtures))
    cases = [outcome for outcome in found if isinstance(outcome, Case)]
    groups = {name: store.group_document(fitted(name, cases, iterations, tell)) for name in GROUPS}
    record: dict[str, Any] = {
        "date": today.isoformat(),
        "data_hash": store.data_hash(folder),
        "held_out": {"sources": list(holdout.SOURCES), "pairs": sorted(holdout.PAIRS)},
        **groups,
    }
    return with_bands(record, found)


def document_with_new_bands(fixtures: Path, folder: Path, record: dict[str, Any]) -> dict[str, Any]:
    """A calibration's document with the same constants and day, and its bands drawn anew.

    Raises ValueError where its constants were fitted to other measurements than those of `folder`.
    """
    if record["data_hash"] != store.data_hash(folder):
        raise ValueError("The constants were fitted to other measurements.")
    return with_bands(record, outcomes(folder, load_sheets(fixtures)))


def with_bands(record: dict[str, Any], found: Sequence[Outcome]) -> dict[str, Any]:
    """A document of constants with the bands of its residuals: of all rows, which pages show, and of the rows of the
    fit alone, by which the check judges the others; and what was reached."""
    bare = record | {"bands": {}, "seen_bands": {}}
    results = results_of(bare, found)
    seen = [result for result in results if not result.held_out]
    drawn = bare | {"bands": _documents(bands_of(results)), "seen_bands": _documents(bands_of(seen))}
    return drawn | {"reached": reached(results_of(drawn, found))}


def _documents(bands: dict[str, Band]) -> dict[str, Any]:
    return {key: store.band_document(value) for key, value in bands.items()}


def results_of(record: dict[str, Any], found: Sequence[Outcome]) -> list[Result]:
    """Every measurement predicted with the constants of a document."""
    predictor = Predictor(store.from_document(record))
    return [predictor.result(outcome) for outcome in found]


def reached(results: Sequence[Result]) -> dict[str, Any]:
    """The lines of the table of goals: on held-out rows, and on all rows in scope."""
    scope = [result for result in results if in_scope(result)]
    unseen = [result for result in scope if result.held_out]
    return {
        "held_out": {" ".join(key): value.document() for key, value in grouped(unseen, goal_key).items()},
        "all": {" ".join(key): value.document() for key, value in grouped(scope, goal_key).items()},
    }
