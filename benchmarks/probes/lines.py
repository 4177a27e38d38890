"""A probe's output: one JSON object a line, written as it happens, read again by whoever stores it. No torch here.

`start` says what was asked on what machine; `samples` hold every timed run; `guard` and `reading` close one figure;
`end` closes the probe. A file that stops in the middle is read up to its last whole line. JSON knows no infinity: such
a number becomes null and its reason stands in `reasons`.
"""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

SCHEMA = 1
"""Version of the lines' form; another one is refused."""
METHOD = 1
"""Version of how times are taken; figures of different methods are not comparable."""
NOT_FINITE = "not_finite"


class LineError(ValueError):
    """A line that is no record of this schema."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One figure of one GPU: the median of the sustained run with the best beside it.

    `metric` names what is measured without size (`gemm_bf16`), `unit` is FLOP/s, B/s, tok/s or ratio. `sheet_ratio` is
    its share of the data sheet, `refusal` empty where it is accepted, `flags` the other guards that failed, or with a
    question mark could not tell. `spread_ratio` is the coefficient of variation of the batches' medians.
    """

    metric: str
    value: float | None
    unit: str
    gpu: str
    gpu_name: str
    shape: str
    dtype: str
    best: float | None = None
    sheet: float | None = None
    sheet_ratio: float | None = None
    span_s: float = 0.0
    samples_count: int = 0
    spread_ratio: float | None = None
    formula: str = ""
    refusal: str = ""
    flags: tuple[str, ...] = ()
    on_cpu: bool = False
    headline: bool = True

    @property
    def accepted(self) -> bool:
        return not self.refusal


@dataclass(frozen=True, slots=True)
class Probe:
    """Everything that a file of lines says."""

    start: Mapping[str, Any] = field(default_factory=dict)
    readings: tuple[Reading, ...] = ()
    guards: tuple[Mapping[str, Any], ...] = ()
    samples_count: int = 0
    end: Mapping[str, Any] = field(default_factory=dict)


def finite(value: Any, path: str, reasons: dict[str, str]) -> Any:
    """`value` with every infinite or undefined number as None, and where they stood."""
    if isinstance(value, float) and not math.isfinite(value):
        reasons[path] = NOT_FINITE
        return None
    if isinstance(value, Mapping):
        return {key: finite(item, f"{path}.{key}" if path else str(key), reasons) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item, f"{path}.{place}", reasons) for place, item in enumerate(value)]
    return value


def dump(kind: str, values: Mapping[str, Any]) -> str:
    """One line without its end.

    >>> dump("guard", {"ratio": float("nan")})
    '{"kind": "guard", "schema": 1, "ratio": null, "reasons": {"ratio": "not_finite"}}'
    """
    reasons: dict[str, str] = {}
    record = {"kind": kind, "schema": SCHEMA, **finite(dict(values), "", reasons)}
    if reasons:
        record["reasons"] = reasons
    return json.dumps(record, allow_nan=False, ensure_ascii=False)


def load(line: str) -> dict[str, Any] | None:
    """The record of a line; None for what a library printed between the records. LineError for another schema."""
    text = line.strip()
    if not text.startswith("{"):
        return None
    try:
        record = json.loads(text, parse_constant=_refused)
    except ValueError as error:
        raise LineError(f"not JSON: {text[:80]}") from error
    if not isinstance(record, dict) or record.get("schema") != SCHEMA or not isinstance(record.get("kind"), str):
        raise LineError(f"not a record of schema {SCHEMA}: {text[:80]}")
    return record


def _refused(name: str) -> float:
    raise ValueError(name)


def reading_of(record: Mapping[str, Any]) -> Reading:
    """The figure of a `reading` record. LineError where it lacks a field or one has another type."""
    try:
        return Reading(
            metric=_text(record, "metric"),
            value=_number(record, "value"),
            unit=_text(record, "unit"),
            gpu=_text(record, "gpu"),
            gpu_name=_text(record, "gpu_name"),
            shape=_text(record, "shape"),
            dtype=_text(record, "dtype"),
            best=_number(record, "best"),
            sheet=_number(record, "sheet"),
            sheet_ratio=_number(record, "sheet_ratio"),
            spread_ratio=_number(record, "spread_ratio"),
            span_s=_number(record, "span_s") or 0.0,
            samples_count=int(_number(record, "samples_count") or 0),
            formula=str(record.get("formula") or ""),
            refusal=_text(record, "refusal"),
            flags=tuple(str(flag) for flag in record.get("flags") or ()),
            on_cpu=bool(record.get("on_cpu")),
            headline=bool(record.get("headline", True)),
        )
    except (KeyError, TypeError) as error:
        raise LineError(f"a reading without {error}") from error


def _text(record: Mapping[str, Any], name: str) -> str:
    value = record[name]
    if not isinstance(value, str):
        raise TypeError(name)
    return value


def _number(record: Mapping[str, Any], name: str) -> float | None:
    value = record.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(name)
    return float(value)


def records(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """The records of a file, up to a last line that was cut in the middle; a broken line before it raises."""
    broken: LineError | None = None
    for line in lines:
        if broken is not None:
            raise broken
        try:
            record = load(line)
        except LineError as error:
            broken = error
            continue
        if record is not None:
            yield record


def read(lines: Iterable[str]) -> Probe:
    """A whole file, or what there is of one."""
    start: Mapping[str, Any] = {}
    end: Mapping[str, Any] = {}
    readings: list[Reading] = []
    guards: list[Mapping[str, Any]] = []
    samples = 0
    for record in records(lines):
        match record["kind"]:
            case "start":
                start = record
            case "reading":
                readings.append(reading_of(record))
            case "guard":
                guards.append(record)
            case "samples":
                samples += len(record.get("seconds") or ())
            case "end":
                end = record
    return Probe(start, tuple(readings), tuple(guards), samples, end)
