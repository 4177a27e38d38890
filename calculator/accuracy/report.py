"""The accuracy check as a report: results, unknown names, and the tables of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from calculator.accuracy.cases import rows_of
from calculator.accuracy.collect import READERS, outcomes
from calculator.accuracy.sheets import Sheets, load_sheets
from calculator.accuracy.statistics import (
    Key,
    Predictor,
    Result,
    Summary,
    class_key,
    goal_key,
    grouped,
    in_scope,
)
from calculator.domain.calibration import Calibration


@dataclass(frozen=True, slots=True)
class Report:
    """What was compared, with what, and the names that nobody knew."""

    results: tuple[Result, ...]
    calibration: Calibration
    unknown_gpus: tuple[str, ...]
    unknown_models: tuple[str, ...]
    files_not_read: tuple[str, ...]
    sheets: Sheets


def run(fixtures: Path, folder: Path, calibration: Calibration) -> Report:
    """Every measurement of `folder` predicted with the calibration."""
    sheets = load_sheets(fixtures, folder)
    predictor = Predictor(calibration)
    results = tuple(predictor.result(outcome) for outcome in outcomes(folder, sheets))
    known = {*READERS, "gpus.csv", "models.csv"}
    others = {path.name for path in folder.glob("*.csv") if path.name not in known}
    unread = tuple(sorted({*others, *damaged(folder)}))
    return Report(results, calibration, *unknown_names(folder, sheets), unread, sheets)


def damaged(folder: Path) -> tuple[str, ...]:
    """Files of known names that are no table: with zeros (UTF-16, a binary file), or not UTF-8 and without a row."""
    present = (folder / name for name in READERS if (folder / name).exists())
    return tuple(path.name for path in present if not _is_table(path))


def _is_table(path: Path) -> bool:
    content = path.read_bytes()
    try:
        content.decode()
    except UnicodeDecodeError:
        return b"\0" not in content and any(rows_of(path))
    return b"\0" not in content


def unknown_names(folder: Path, sheets: Sheets) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """GPU names and model names of the files that no data sheet bears."""
    gpus: set[str] = set()
    models: set[str] = set()
    for name in READERS:
        if not (folder / name).exists():
            continue
        for _, row in rows_of(folder / name):
            gpus |= {row.get("gpu", "")} if sheets.gpu(row.get("gpu", "")) is None else set()
            models |= {row["model"]} if row.get("model") and sheets.model(row["model"]) is None else set()
    return tuple(sorted(gpus - {""})), tuple(sorted(models))


def row_fields() -> list[str]:
    """The columns of the CSV of predictions."""
    return ["file", "line", "metric", "engine_class", "predicted", "measured", "low", "high", "reason"]


def rows(report: Report) -> Iterator[dict[str, Any]]:
    """Every prediction as a row; `reason` is empty where one was made."""
    for result in report.results:
        values = {name: getattr(result, name) for name in row_fields()}
        yield {name: "" if value is None else value for name, value in values.items()}


def _named(groups: dict[Key, Summary], names: Sequence[str]) -> list[dict[str, Any]]:
    return [dict(zip(names, key, strict=True)) | value.document() for key, value in groups.items()]


def document(report: Report) -> dict[str, Any]:
    """The statistics as JSON: the goals' lines on held-out and on all rows, every class, unknown names."""
    scope = [result for result in report.results if in_scope(result)]
    unseen = [result for result in scope if result.held_out]
    line = ("file", "metric")
    return {
        "calibration": {"date": report.calibration.date.isoformat(), "data_hash": report.calibration.data_hash},
        "held_out": _named(grouped(unseen, goal_key), line),
        "in_scope": _named(grouped(scope, goal_key), line),
        "groups": _named(grouped(report.results, class_key), (*line, "engine_class", "precision", "apart")),
        "unknown_gpus": list(report.unknown_gpus),
        "unknown_models": list(report.unknown_models),
        "files_not_read": list(report.files_not_read),
    }


HEAD = f"{'':64} {'rows':>5} {'pred.':>5} {'mean':>6} {'median':>6} {'p90':>6} {'bias':>6} {'band':>5}"


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value * 100:.1f}"


def _line(name: str, found: Summary) -> str:
    bias = "–" if found.bias is None else f"{found.bias:+.2f}"
    errors = f"{_percent(found.mean):>6} {_percent(found.median):>6} {_percent(found.p90):>6}"
    return f"{name[:64]:64} {found.rows:5} {found.answered:5} {errors} {bias:>6} {_percent(found.in_band):>5}"


def _refusals(found: Summary) -> list[str]:
    return [f"    refused: {reason}: {count}" for reason, count in sorted(found.refused.items())]


def _section(title: str, groups: dict[Key, Summary]) -> list[str]:
    lines = [f"{title:64}" + HEAD[64:]]
    for key, found in groups.items():
        lines += [_line(" · ".join(part for part in key if part), found), *_refusals(found)]
    return [*lines, ""]


def table(report: Report) -> str:
    """The report as text: errors in percent of the measurement."""
    scope = [result for result in report.results if in_scope(result)]
    unseen = [result for result in scope if result.held_out]
    lines = _section("Held out of the fit", grouped(unseen, goal_key))
    lines += _section("All rows in scope", grouped(scope, goal_key))
    lines += _section("By class", grouped(report.results, class_key))
    names = {
        "Unknown GPUs": report.unknown_gpus,
        "Unknown models": report.unknown_models,
        "Files not read": report.files_not_read,
    }
    return "\n".join([*lines, *(f"{title}: {', '.join(found) or '–'}" for title, found in names.items())])
