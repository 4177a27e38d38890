"""A probe's lines: strict JSON, versioned, readable while half written."""

import json
import math

import pytest

from benchmarks.probes import lines
from benchmarks.probes.lines import LineError, Reading

READING = {
    "metric": "gemm_bf16",
    "value": 7.58e14,
    "unit": "FLOP/s",
    "gpu": "GPU-1",
    "gpu_name": "NVIDIA H100",
    "shape": "8192x8192x8192",
    "dtype": "bf16",
    "refusal": "",
}


def written(*records: tuple[str, dict[str, object]]) -> list[str]:
    return [lines.dump(kind, values) for kind, values in records]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_l36_a_number_that_is_none_becomes_null_with_its_reason(value: float) -> None:
    record = json.loads(lines.dump("reading", {"value": value, "facts": {"ratio": value, "list": [1.0, value]}}))
    assert record["value"] is None and record["facts"] == {"ratio": None, "list": [1.0, None]}
    assert record["reasons"] == {
        "value": "not_finite",
        "facts.ratio": "not_finite",
        "facts.list.1": "not_finite",
    }


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_l36_words_that_json_does_not_know_are_refused(word: str) -> None:
    with pytest.raises(LineError):
        lines.load(f'{{"kind": "reading", "schema": 1, "value": {word}}}')


def test_every_line_says_its_kind_and_its_schema() -> None:
    assert json.loads(lines.dump("end", {"status": "succeeded"})) == {
        "kind": "end",
        "schema": 1,
        "status": "succeeded",
    }


def test_what_a_library_prints_between_the_lines_is_passed_over() -> None:
    found = lines.read(["warning: no NUMA node", *written(("end", {"status": "succeeded"})), ""])
    assert found.end["status"] == "succeeded"


@pytest.mark.parametrize("text", ['{"kind": "end", "schema": 2}', '{"schema": 1}', '{"kind": 4, "schema": 1}'])
def test_another_schema_is_refused(text: str) -> None:
    with pytest.raises(LineError, match="schema 1"):
        lines.load(text)


def test_a_file_cut_in_its_last_line_is_read_up_to_there() -> None:
    whole = written(("start", {"probe": "gemm"}), ("reading", READING))
    found = lines.read([*whole, '{"kind": "end", "sch'])
    assert found.start["probe"] == "gemm"
    assert [reading.metric for reading in found.readings] == ["gemm_bf16"]
    assert found.end == {}


def test_a_broken_line_in_the_middle_is_an_error() -> None:
    with pytest.raises(LineError, match="not JSON"):
        lines.read(['{"kind": ', *written(("end", {}))])


def test_a_reading_comes_back_as_it_was_written() -> None:
    text = lines.dump("reading", {**READING, "sheet": 989e12, "sheet_ratio": 0.766, "flags": ["sustained"]})
    found = lines.read([text]).readings[0]
    assert found == Reading(
        **{**READING, "sheet": 989e12, "sheet_ratio": 0.766, "flags": ("sustained",)}  # type: ignore[arg-type]
    )
    assert found.accepted


def test_a_refused_reading_is_not_accepted() -> None:
    text = lines.dump("reading", {**READING, "value": None, "refusal": "complete"})
    found = lines.read([text]).readings[0]
    assert not found.accepted and found.value is None


@pytest.mark.parametrize(("name", "value"), [("metric", 4), ("value", "fast"), ("value", True), ("gpu", None)])
def test_a_reading_with_a_field_of_another_type_is_refused(name: str, value: object) -> None:
    with pytest.raises(LineError):
        lines.read([lines.dump("reading", {**READING, name: value})])


def test_a_reading_without_its_metric_is_refused() -> None:
    lacking = {name: value for name, value in READING.items() if name != "metric"}
    with pytest.raises(LineError, match="metric"):
        lines.read([lines.dump("reading", lacking)])


def test_every_time_of_every_batch_is_counted() -> None:
    rows = written(("samples", {"seconds": [1.0, 2.0]}), ("samples", {"seconds": [3.0]}), ("samples", {}))
    assert lines.read(rows).samples_count == 3


def test_guards_are_kept_as_they_were_told() -> None:
    found = lines.read(written(("guard", {"name": "sustained", "verdict": "failed", "facts": {"span_s": 1.0}})))
    assert found.guards[0]["facts"] == {"span_s": 1.0}
