"""One measurement as a case: what was measured, its classes, and the function of the constants that predicts it."""

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Row = dict[str, str]


class RefusedError(Exception):
    """A measurement that is not predicted; the argument is the reason."""


@dataclass(frozen=True, slots=True)
class Case:
    """One metric of one row. `group` names the constants that `predict` takes, `classes` the factors that apply.

    `pair` is GPU × model, `apart` says why a row sets no goal (empty: it does), `chip` is the class of the GPU.
    """

    file: str
    line: int
    metric: str
    engine_class: str
    family: str
    measured: float
    source: str
    pair: str
    group: str
    classes: tuple[str, ...]
    predict: Callable[[Any], float]
    apart: str = ""
    chip: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """One metric of one row without a prediction, and why; `measured` is None where the row gives no usable figure."""

    file: str
    line: int
    metric: str
    engine_class: str
    family: str
    measured: float | None
    reason: str
    apart: str = ""
    chip: str = ""


Outcome = Case | Refusal


def rows_of(path: Path) -> Iterator[tuple[int, Row]]:
    """Rows with their line numbers: 2 is the first one after the header. Missing cells read as empty text.

    A byte order mark, either line ending and blanks around names and values make no difference.
    """
    with path.open(encoding="utf-8-sig", newline="", errors="replace") as stream:
        for line, row in enumerate(csv.DictReader(stream), start=2):
            yield line, {key.strip(): (value or "").strip() for key, value in row.items() if key is not None}
