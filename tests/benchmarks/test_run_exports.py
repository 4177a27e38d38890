"""The files of a run hold the numbers of its page, raw, and nothing about people."""

import csv
import io
import json
import math

import pytest

from benchmarks import exports, queries
from tests.benchmarks import runfactory as runs

pytestmark = pytest.mark.django_db


def parsed(text: str, delimiter: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff")), delimiter=delimiter))


def test_csv_has_a_line_a_request_in_both_notations() -> None:
    run = runs.succeeded()
    samples = queries.samples(run)
    english = parsed(exports.to_csv(run, samples, french=False), ",")
    french = parsed(exports.to_csv(run, samples, french=True), ";")
    assert len(english) == len(french) == 2
    assert [row["concurrency"] for row in english] == ["1", "4"]
    assert (english[0]["ttft_ms"], french[0]["ttft_ms"]) == ("10.5", "10,5")


def test_unknown_is_empty_and_never_zero() -> None:
    run = runs.succeeded()
    row = parsed(exports.to_csv(run, queries.samples(run), french=False), ",")[0]
    assert (row["tpot_ms"], row["prompt_tokens"], row["warm_up"]) == ("", "", "0")


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "'"])
def test_text_that_a_spreadsheet_would_run_is_disarmed(start: str) -> None:
    assert exports.cell(f"{start}1+1", french=False) == f"'{start}1+1"
    assert exports.cell(-1.5, french=False) == "-1.5"


def test_json_holds_the_run_its_steps_and_its_requests() -> None:
    run = runs.succeeded()
    document = json.loads(exports.to_json(queries.run_view(run.code), queries.samples(run)))
    assert document["schema"] == 1
    assert document["run"]["code"] == run.code
    assert [step["output_tok_per_s"] for step in document["steps"]] == [1000.0, 2500.0]
    assert [len(step["requests"]) for step in document["steps"]] == [1, 1]
    assert document["not_numbers"] == {}


def test_json_names_nobody() -> None:
    run = runs.succeeded()
    run.created_by = runs.operator()
    run.save()
    text = exports.to_json(queries.run_view(run.code), queries.samples(run))
    assert "opérateur" not in text and "created_by" not in text


def test_json_names_no_host_and_no_file_of_it() -> None:
    run = runs.succeeded()
    run.host_name, run.claimed_by, run.prompts_name = "gpu-7.inside", "worker@gpu-7.inside", "customer-a.jsonl"
    run.save()
    text = exports.to_json(queries.run_view(run.code), queries.samples(run))
    assert "gpu-7" not in text and "customer-a" not in text


def test_l36_json_stays_strict_when_a_metric_is_no_number() -> None:
    view = queries.run_view(runs.succeeded().code)
    view.steps[1].gap_max_ms = math.inf
    view.steps[0].tpot_p50_ms = math.nan
    document = json.loads(exports.to_json(view, []), parse_constant=lambda name: pytest.fail(name))
    assert document["steps"][1]["gap_max_ms"] is None
    assert document["not_numbers"] == {"steps[0].tpot_p50_ms": "not a number", "steps[1].gap_max_ms": "infinite"}
