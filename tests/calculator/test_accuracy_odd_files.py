"""`check_accuracy` on files as strangers write them: no row is lost, no cell breaks it, each refusal has a reason."""

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from calculator.accuracy import store
from calculator.accuracy.cases import rows_of
from calculator.accuracy.collect import READERS
from calculator.accuracy.report import Report, run

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
MEASUREMENTS = FIXTURES / "measurements"
ODD_CELLS = ("", "0", "-1", "nan", "inf", "1e30", "1e-30", "1,5", "about 5", "é\t'", "=1+1", "999999999999999999999")
SAMPLE = slice(None, None, 211)
BATCHED = "gpu,n_gpus,tp,model,weight_precision,engine,isl,osl,concurrency,total_output_tok_s"
GOOD = "NVIDIA H100 80GB HBM3,1,1,meta-llama/Llama-3.1-8B-Instruct,FP16,vLLM v0.6.3,512,512,16,1500"


def check(folder: Path) -> tuple[list[dict[str, str]], dict[str, Any], str]:
    out = StringIO()
    call_command("check_accuracy", data=folder, rows=folder / "rows.out", json=folder / "j.out", stdout=out)
    with (folder / "rows.out").open(newline="") as stream:
        return list(csv.DictReader(stream)), json.loads((folder / "j.out").read_text()), out.getvalue()


def report(folder: Path) -> Report:
    return run(FIXTURES, folder, store.read(FIXTURES / "calibration.json"))


def written(folder: Path, text: str, name: str = "inference_batched.csv", encoding: str = "utf-8") -> Path:
    (folder / name).write_bytes(text.encode(encoding))
    return folder


def odd_rows(name: str) -> tuple[list[str], list[dict[str, str]]]:
    """Some rows of a file, each with each of its cells made odd in turn."""
    rows = [row for _, row in rows_of(MEASUREMENTS / name)][SAMPLE]
    made = [row | {column: cell} for row in rows for column in row for cell in ODD_CELLS]
    return list(rows[0]), made


@pytest.mark.parametrize("name", READERS)
def test_no_odd_cell_breaks_the_check_or_loses_its_row(name: str, tmp_path: Path) -> None:
    columns, rows = odd_rows(name)
    with (tmp_path / name).open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, columns)
        writer.writeheader()
        writer.writerows(rows)
    found = report(tmp_path).results
    assert {result.line for result in found} == set(range(2, len(rows) + 2))
    assert all((result.predicted is None) == bool(result.reason) for result in found)
    assert all(result.predicted > 0 for result in found if result.predicted is not None)


def test_a_row_as_a_stranger_writes_it_is_answered(tmp_path: Path) -> None:
    rows, _, _ = check(written(tmp_path, f"{BATCHED}\n{GOOD}\n"))
    assert [row["reason"] for row in rows] == [""]
    assert 0.7 < float(rows[0]["predicted"]) / 1500 < 1.4


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_marks_and_line_endings_make_no_difference(encoding: str, ending: str, tmp_path: Path) -> None:
    rows, _, _ = check(written(tmp_path, ending.join([BATCHED, GOOD, GOOD, ""]), encoding=encoding))
    assert [(row["line"], row["reason"]) for row in rows] == [("2", ""), ("3", "")]


def test_blanks_around_names_and_cells_make_no_difference(tmp_path: Path) -> None:
    spaced = "\n".join(" , ".join(line.split(",")) for line in (BATCHED, GOOD))
    assert [row["reason"] for row in check(written(tmp_path, spaced))[0]] == [""]


def test_columns_in_another_order_with_strange_ones_between_are_read(tmp_path: Path) -> None:
    names, cells = BATCHED.split(",")[::-1], GOOD.split(",")[::-1]
    text = f"mood,{','.join(names)},mood\ngood,{','.join(cells)},bad,surplus\n"
    assert [row["reason"] for row in check(written(tmp_path, text))[0]] == [""]


def test_optional_columns_may_be_missing(tmp_path: Path) -> None:
    text = (
        "gpu,model,weight_precision,engine,isl,osl,concurrency,total_output_tok_s\nL4,Llama-3-8B,fp16,vLLM,64,64,4,90\n"
    )
    assert [row["reason"] for row in check(written(tmp_path, text))[0]] == [""]


def test_a_column_that_is_needed_and_missing_is_a_reason(tmp_path: Path) -> None:
    text = "gpu,model,engine,isl,osl,concurrency,total_output_tok_s\nL4,Llama-3-8B,vLLM,64,64,4,90\n"
    assert [row["reason"] for row in check(written(tmp_path, text))[0]] == ["precision not modelled"]


def test_a_line_cut_short_is_refused(tmp_path: Path) -> None:
    rows, _, _ = check(written(tmp_path, f"{BATCHED}\n{GOOD}\nL4,1\n"))
    assert [(row["line"], row["reason"], row["measured"]) for row in rows[1:]] == [("3", "nothing measured", "")]


@pytest.mark.parametrize("text", ["", "\n", BATCHED, f"{BATCHED}\n"])
def test_a_file_without_rows_is_a_report_without_rows(text: str, tmp_path: Path) -> None:
    rows, found, _ = check(written(tmp_path, text))
    assert (rows, found["groups"], found["unknown_gpus"]) == ([], [], [])


def test_a_figure_that_is_no_number_is_refused_apart_from_the_goals(tmp_path: Path) -> None:
    rows, found, _ = check(written(tmp_path, f"{BATCHED}\n{GOOD}\n{GOOD.replace('1500', 'fast')}\n"))
    assert [row["reason"] for row in rows] == ["", "measurement not readable"]
    assert (found["in_scope"][0]["rows"], found["in_scope"][0]["answered"]) == (1, 1)


def test_a_latency_row_keeps_the_metric_that_can_be_read(tmp_path: Path) -> None:
    head = "gpu,n_gpus,tp,model,weight_precision,kv_dtype,engine,isl,osl,concurrency,ttft_ms,tpot_ms"
    text = f"{head}\nL4,1,1,Llama-3-8B,fp16,,vLLM,64,64,4,n/a,60\n"
    rows, _, _ = check(written(tmp_path, text, "inference_serving_latency.csv"))
    assert {(row["metric"], row["reason"]) for row in rows} == {
        ("tpot_ms", ""),
        ("ttft_ms", "measurement not readable"),
    }


def test_unknown_names_are_listed_once_each(tmp_path: Path) -> None:
    other = GOOD.replace("NVIDIA H100 80GB HBM3", "Wormhole n300").replace("Llama-3.1-8B", "Orca-5B")
    _, found, text = check(written(tmp_path, f"{BATCHED}\n{other}\n{other}\n{GOOD}\n"))
    assert found["unknown_gpus"] == ["Wormhole n300"]
    assert found["unknown_models"] == ["meta-llama/Orca-5B-Instruct"]
    assert "Unknown GPUs: Wormhole n300" in text


def test_files_of_other_names_are_named_as_not_read(tmp_path: Path) -> None:
    written(tmp_path, "a,b\n1,2\n", "weather.csv")
    _, found, text = check(written(tmp_path, f"{BATCHED}\n{GOOD}\n"))
    assert found["files_not_read"] == ["weather.csv"]
    assert "Files not read: weather.csv" in text


@pytest.mark.parametrize("option", ["json", "rows"])
def test_a_file_that_cannot_be_written_is_said(option: str, tmp_path: Path) -> None:
    written(tmp_path, f"{BATCHED}\n{GOOD}\n")
    with pytest.raises(CommandError, match="Not written"):
        call_command("check_accuracy", data=tmp_path, stdout=StringIO(), **{option: tmp_path / "nowhere" / "f"})


def test_bytes_that_are_not_utf_8_do_not_stop_the_check(tmp_path: Path) -> None:
    text = f"{BATCHED},note\n{GOOD},équipe\n"
    assert [row["reason"] for row in check(written(tmp_path, text, encoding="latin-1"))[0]] == [""]


@pytest.mark.parametrize(
    "content", [b"\xff\xfe", b"\xff", f"{BATCHED}\n{GOOD}\n".encode("utf-16"), b"\x89PNG\0\0", b"a,b\n1,\0\n"]
)
def test_a_file_of_a_known_name_that_is_no_table_is_named_and_fails_the_check(content: bytes, tmp_path: Path) -> None:
    written(tmp_path, f"{BATCHED}\n{GOOD}\n")
    (tmp_path / "training.csv").write_bytes(content)
    out = StringIO()
    with pytest.raises(CommandError, match=r"Not read.*training\.csv"):
        call_command("check_accuracy", data=tmp_path, json=tmp_path / "j.out", stdout=out)
    assert json.loads((tmp_path / "j.out").read_text())["files_not_read"] == ["training.csv"]
    assert "Files not read: training.csv" in out.getvalue()
