"""fixtures/accuracy.json: what the page reads is what the check finds now, with the calibration that is in use."""

import json
import shutil
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from calculator.accuracy import record, store
from calculator.accuracy.goals import GOALS, Goal, by_goal
from calculator.accuracy.report import Report, run
from calculator.accuracy.statistics import Result, Summary

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
MEASUREMENTS = FIXTURES / "measurements"
MOST_BYTES = 10**6


@pytest.fixture(scope="module")
def content() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FIXTURES / record.FILE).read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module")
def report() -> Report:
    return run(FIXTURES, MEASUREMENTS, store.read(FIXTURES / "calibration.json"))


def test_the_file_holds_what_the_check_finds_now(report: Report) -> None:
    """Stale? `manage.py check_accuracy --write` writes it anew."""
    assert (FIXTURES / record.FILE).read_text(encoding="utf-8") == record.written(record.document(report, MEASUREMENTS))


def test_the_file_belongs_to_the_calibration_in_use(content: dict[str, Any]) -> None:
    calibration = store.read(FIXTURES / "calibration.json")
    assert content["data_hash"] == calibration.data_hash
    assert content["date"] == calibration.date.isoformat()
    assert content["measurements_hash"] == store.data_hash(MEASUREMENTS)


def test_the_file_stays_small() -> None:
    assert (FIXTURES / record.FILE).stat().st_size < MOST_BYTES


def test_what_was_written_reads_back_row_by_row(report: Report) -> None:
    found = record.read(FIXTURES / record.FILE)
    assert len(found.checked) == len(report.results)
    for row, result in zip(found.checked, report.results, strict=True):
        assert (row.result.file, row.result.line, row.result.metric) == (result.file, result.line, result.metric)
        assert (row.result.reason, row.result.apart) == (result.reason, result.apart)
        assert row.result.held_out == result.held_out
        assert row.result.predicted == (None if result.predicted is None else pytest.approx(result.predicted, rel=1e-4))


def test_rows_keep_how_they_were_measured() -> None:
    found = record.read(FIXTURES / record.FILE)
    row = next(row for row in found.checked if row.result.file == "inference_batched.csv" and row.gpu == "L40S")
    assert row.source.startswith("https://")
    assert dict(part.split("=", 1) for part in row.setup.split("; "))["n_gpus"] == "1"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the fixtures with two measurements: what a command writes stays away from the shipped files."""
    shutil.copytree(FIXTURES, tmp_path / "fixtures", ignore=shutil.ignore_patterns("*.csv", "accuracy.json"))
    head = "gpu,n_gpus,interconnect,bytes,busbw_GB_s,source,note\n"
    rows = "H100-SXM-80GB,8,NVLink4 NVSwitch (ring),1073741824,360,https://example.org,\nH100,8,NVLink4,,,,\n"
    (tmp_path / "fixtures" / "measurements" / "allreduce.csv").write_text(head + rows)
    return tmp_path / "fixtures"


def test_check_accuracy_writes_the_file_when_asked_to(folder: Path, settings: Any) -> None:
    settings.BASE_DIR = folder.parent
    call_command("check_accuracy", data=folder / "measurements", stdout=StringIO())
    assert not (folder / record.FILE).exists()
    call_command("check_accuracy", "--write", data=folder / "measurements", stdout=StringIO())
    found = record.read(folder / record.FILE)
    assert [row.result.reason for row in found.checked] == ["", "nothing measured"]


def test_fit_calibration_writes_both_files_of_the_same_fit(folder: Path, tmp_path: Path) -> None:
    for name in ("memory.csv", "training.csv"):
        lines = (MEASUREMENTS / name).read_text(encoding="utf-8").splitlines(keepends=True)[:60]
        (folder / "measurements" / name).write_text("".join(lines))
    lines = (MEASUREMENTS / "inference_batched.csv").read_text(encoding="utf-8").splitlines(keepends=True)[:60]
    (folder / "measurements" / "inference_batched.csv").write_text("".join(lines))
    output = tmp_path / "out" / "calibration.json"
    output.parent.mkdir()
    call_command("fit_calibration", data=folder / "measurements", output=output, iterations=1, stdout=StringIO())
    assert record.read(output.with_name(record.FILE)).data_hash == store.read(output).data_hash


def summary(median: float | None, mean: float | None, p90: float | None) -> Summary:
    return Summary(10, 10, {}, mean, median, p90, 0.0, 0.8)


@pytest.mark.parametrize(
    ("found", "met"),
    [
        (summary(0.08, 0.13, 0.28), True),
        (summary(0.081, 0.13, 0.28), False),
        (summary(0.08, 0.131, 0.28), False),
        (summary(0.08, 0.13, 0.281), False),
        (summary(None, None, None), False),
    ],
)
def test_a_goal_is_met_when_all_three_errors_hold(found: Summary, met: bool) -> None:
    assert (Goal(0.08, 0.13, 0.28).missed(found) == ()) is met


def test_goals_are_judged_on_rows_in_scope_and_on_unseen_ones_apart() -> None:
    results = [made(held_out=True), made(), made(apart="AMD"), made(engine_class="DeepSpeed-MII")]
    key = ("inference_batched.csv", "total_output_tok_s")
    assert by_goal(results)[key].rows == 2
    assert by_goal(results, unseen=True)[key].rows == 1


def test_every_goal_of_the_design_has_its_line() -> None:
    # Median, mean, p90 in percent, as the goals were set.
    set_down = {
        "decode_tok_s": (10, 15, 35),
        "prefill_tok_s": (15, 25, 50),
        "total_output_tok_s": (8, 13, 28),
        "tpot_ms": (9, 15, 40),
        "tok_s_per_gpu": (12, 18, 40),
        "busbw_GB_s": (12, 20, 45),
        "measured_gb": (8, 12, 30),
    }
    found = {metric: goal for (_file, metric), goal in GOALS.items()}
    for metric, errors in set_down.items():
        assert (found[metric].median, found[metric].mean, found[metric].p90) == tuple(part / 100 for part in errors)
    latency, alone = "inference_serving_latency.csv", "inference_single_stream.csv"
    assert GOALS[latency, "ttft_ms"] == Goal(0.25, 0.35, 0.70)
    assert GOALS[alone, "ttft_ms"] == Goal(0.15, 0.25, 0.50)


def made(**more: Any) -> Result:
    given: dict[str, Any] = {
        "file": "inference_batched.csv",
        "line": 2,
        "metric": "total_output_tok_s",
        "engine_class": "vLLM",
        "family": "fp16",
        "measured": 100.0,
        "predicted": 110.0,
        "low": 90.0,
        "high": 120.0,
        "reason": "",
        "apart": "",
        "held_out": False,
    }
    return Result(**(given | more))
