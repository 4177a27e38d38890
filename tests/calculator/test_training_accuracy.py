"""The page and the accuracy check call one model: a measured row asked of the page predicts what the check predicts."""

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from calculator.accuracy.cases import Case
from calculator.accuracy.sheets import Sheets, load_sheets
from calculator.accuracy.store import read
from calculator.accuracy.training_cases import framework_of, job_of, training
from calculator.domain.calibration import training_constants
from calculator.domain.training_scenario import Numbers, TrainingScenario
from calculator.domain.training_speed import calibrated_rate, family, settle
from tests.domain.training_factories import NOW, PRO, facts

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
CALIBRATION = read(FIXTURES / "calibration.json")
SHEETS: Sheets = load_sheets(FIXTURES)
NUMBERS = {"fp16": Numbers.BF16, "fp8": Numbers.FP8}
ROWS_AT_LEAST = 100


def measured() -> list[tuple[dict[str, str], Case]]:
    """Rows of one GPU whose number format the page offers, with the check's case."""
    path = FIXTURES / "measurements" / "training.csv"
    with path.open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    found = []
    for line, row in enumerate(rows, start=2):
        for outcome in training(path.name, line, row, SHEETS):
            if isinstance(outcome, Case) and row.get("n_gpus") == "1":
                found.append((row, outcome))
    return found


def page_rate(row: dict[str, str]) -> tuple[float, str]:
    """The page's speed of the job that a row describes, and the class of its number format."""
    job = job_of(row, SHEETS)
    asked = TrainingScenario(
        catalog_version=1,
        at=NOW,
        method=job.method,
        numbers=NUMBERS[job.math],
        micro_batch=int(job.micro_batch),
        sequence_tokens=int(job.sequence_tokens),
        accumulation=int(job.accumulation),
        recomputed=job.recomputed,
        framework=framework_of(row, job.method),
    )
    known = facts(
        job.model, sku=replace(PRO, gpu="measured"), gpus={"measured": job.gpu}, skus=(), calibration=CALIBRATION
    )
    return calibrated_rate(settle(asked, known)), family(asked.method, asked.numbers)


def whole(row: dict[str, str]) -> bool:
    """Whether the page can state the row: whole numbers of sequences, tokens and passes, in a format it offers."""
    job = job_of(row, SHEETS)
    counts = (job.micro_batch, job.sequence_tokens, job.accumulation)
    return job.math in NUMBERS and all(count == int(count) for count in counts)


def test_every_measured_row_that_the_page_can_state_gets_the_checks_prediction() -> None:
    rows = [(row, case) for row, case in measured() if whole(row)]
    assert len(rows) >= ROWS_AT_LEAST
    for row, case in rows:
        found, number_format = page_rate(row)
        assert number_format == case.family, case.line
        assert found == pytest.approx(case.predict(training_constants(CALIBRATION, case.classes))), case.line
