"""fixtures/accuracy.json: what the check found, for the Accuracy page, which cannot wait for the check itself.

Rows are stored by column, repeated words once: some thousands of rows in some hundred kilobytes.
"""

import datetime as dt
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from calculator.accuracy import store
from calculator.accuracy.cases import Row, rows_of
from calculator.accuracy.collect import READERS
from calculator.accuracy.report import Report
from calculator.accuracy.sheets import Sheets
from calculator.accuracy.statistics import Result, class_key, grouped
from calculator.accuracy.traits import traits

FILE = "accuracy.json"
DIGITS = 5
RESULT_WORDS = ("file", "metric", "engine_class", "family", "reason", "apart", "chip")
WORD_COLUMNS = (*RESULT_WORDS, "gpu", "model", "setup", "source", "traits")
NUMBER_COLUMNS = ("measured", "predicted", "low", "high")
SETUPS: dict[str, tuple[str, ...]] = {
    "inference_single_stream.csv": ("engine", "n_gpus", "batch", "prompt_tokens", "output_tokens"),
    "inference_batched.csv": ("engine", "n_gpus", "tp", "isl", "osl", "concurrency", "kv_dtype"),
    "inference_serving_latency.csv": ("engine", "n_gpus", "tp", "isl", "osl", "concurrency", "kv_dtype"),
    "training.csv": ("method", "n_gpus", "seq_len", "micro_batch", "global_batch", "activation_checkpointing"),
    "allreduce.csv": ("interconnect", "n_gpus", "bytes"),
    "memory.csv": ("method", "n_gpus", "seq_len", "batch"),
}
"""Cells of a row that tell how it was measured."""


@dataclass(frozen=True, slots=True)
class Checked:
    """One metric of one row, as checked, and what the row says of how it was measured."""

    result: Result
    gpu: str
    model: str
    setup: str
    source: str
    traits: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """What one check of all measurements found."""

    date: dt.date
    data_hash: str
    checked: tuple[Checked, ...]

    @property
    def results(self) -> tuple[Result, ...]:
        """The results alone."""
        return tuple(row.result for row in self.checked)


def checked(report: Report, folder: Path) -> tuple[Checked, ...]:
    """The results of a report beside what their rows say."""
    cells = {(name, line): row for name in READERS if (folder / name).exists() for line, row in rows_of(folder / name)}
    return tuple(_checked(result, cells[result.file, result.line], report.sheets) for result in report.results)


def _checked(result: Result, row: Row, sheets: Sheets) -> Checked:
    told = [f"{column}={row[column]}" for column in SETUPS[result.file] if row.get(column)]
    own = traits(result.file, row, sheets)
    return Checked(result, row.get("gpu", ""), row.get("model", ""), "; ".join(told), row.get("source", ""), own)


def document(report: Report, folder: Path) -> dict[str, Any]:
    """A report as the file's content."""
    rows = checked(report, folder)
    return {
        "date": report.calibration.date.isoformat(),
        "data_hash": report.calibration.data_hash,
        "measurements_hash": store.data_hash(folder),
        "rows": len(rows),
        "words": {name: _words([_word(row, name) for row in rows]) for name in WORD_COLUMNS},
        "numbers": {name: [_rounded(getattr(row.result, name)) for row in rows] for name in NUMBER_COLUMNS},
        "lines": [row.result.line for row in rows],
        "held_out": [int(row.result.held_out) for row in rows],
        "classes": [
            {"class": list(key)} | value.document()
            for key, value in grouped([row.result for row in rows], class_key).items()
        ],
    }


def _word(row: Checked, name: str) -> str:
    return str(getattr(row if name in Checked.__dataclass_fields__ else row.result, name))


def _words(values: Sequence[str]) -> dict[str, Any]:
    """Values once, and for each row the place of its own."""
    distinct = sorted(set(values))
    place = {value: index for index, value in enumerate(distinct)}
    return {"values": distinct, "rows": [place[value] for value in values]}


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{DIGITS}g}")


def written(content: Mapping[str, Any]) -> str:
    """The file's text: a line for each column, so that a change shows where it is."""
    lines = [f" {json.dumps(name)}: {_value(value)}" for name, value in content.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _value(value: object) -> str:
    if isinstance(value, dict):
        inner = [f"  {json.dumps(name)}: {_compact(each)}" for name, each in value.items()]
        return "{\n" + ",\n".join(inner) + "\n }"
    return _compact(value)


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def read(path: Path) -> Record:
    """The record of that file. Raises FileNotFoundError, KeyError or ValueError when it cannot be used."""
    return from_document(json.loads(path.read_text(encoding="utf-8")))


def from_document(content: Mapping[str, Any]) -> Record:
    """A record from its JSON document."""
    columns: dict[str, Iterable[Any]] = {
        name: [column["values"][place] for place in column["rows"]] for name, column in content["words"].items()
    }
    columns |= content["numbers"]
    columns |= {"line": content["lines"], "held_out": [bool(value) for value in content["held_out"]]}
    names = list(columns)
    rows = [dict(zip(names, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    found = tuple(_from_row(row) for row in rows)
    return Record(dt.date.fromisoformat(content["date"]), content["data_hash"], found)


def _from_row(row: dict[str, Any]) -> Checked:
    told = {name: row.pop(name) for name in ("gpu", "model", "setup", "source", "traits")}
    return Checked(result=Result(**row), **told)


def write(path: Path, report: Report, folder: Path) -> None:
    """The report as a file for the page."""
    path.write_text(written(document(report, folder)), encoding="utf-8")
