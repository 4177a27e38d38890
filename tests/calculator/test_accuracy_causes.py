"""Row by row: which rows miss their metric's limit, and the cause that each of them shows."""

import csv
import io
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import Client

from calculator.accuracy import causes, record
from calculator.accuracy.causes import FEW, RULES, UNKNOWN, Missed, cause, missed
from calculator.accuracy.goals import GOALS
from calculator.accuracy.record import Checked
from calculator.accuracy.statistics import Result, goal_key, in_scope
from calculator.presenters.accuracy_words import CAUSE_OF_ROW

MANY = 100


def row(metric: str = "ttft_ms", model: str = "Qwen3-32B", gpu: str = "H100-SXM-80GB", **told: Any) -> Checked:
    """A measurement of 100 that was predicted as 150 unless told otherwise."""
    values = {"engine_class": "vLLM", "family": "fp16", "predicted": 150.0, "measured": 100.0, **told}
    setup = values.pop("setup", "engine=vLLM 0.9.1; n_gpus=1")
    file = values.pop("file", "inference_serving_latency.csv")
    result = Result(
        file=file, line=2, metric=metric, low=80.0, high=120.0, reason="", apart="", held_out=False,
        chip="Hopper/HBM", **values,
    )  # fmt: skip
    return Checked(result, gpu, model, setup, "https://source")


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (row(engine_class="TensorRT-LLM"), "bundled_tokens"),
        (row(engine_class="SGLang", family="fp4"), "slow_first_token"),
        (row(engine_class="SGLang", family="fp8"), UNKNOWN),
        (row("total_output_tok_s", model="Llama-3.1-405B"), "host_bound"),
        (row("total_output_tok_s", setup="engine=vLLM 0.2.7; n_gpus=4"), "host_bound"),
        (row("total_output_tok_s", setup="engine=vLLM 0.10.1; n_gpus=4"), UNKNOWN),
        (row("total_output_tok_s", model="Mixtral-8x7B", gpu="A100-40GB"), "same_prompts"),
        (row("total_output_tok_s", model="Mixtral-8x7B", gpu="H100-SXM-80GB"), UNKNOWN),
        (row("prefill_tok_s", model="Llama-3-70B", engine_class="llama.cpp", setup="n_gpus=4"), "cards_in_turn"),
        (row("prefill_tok_s", model="Llama-3-70B", engine_class="llama.cpp", setup="n_gpus=1"), UNKNOWN),
        (row("busbw_GB_s", setup="interconnect=20 NVL72 racks, NVLink5 + IB; n_gpus=1440"), "racks"),
        (row("measured_gb"), UNKNOWN),
    ],
)
def test_a_cause_is_read_from_the_row_itself(given: Checked, code: str) -> None:
    assert cause(given, is_mixture=False, rows_alike=MANY) == code


def test_speculation_is_suspected_of_mixtures_under_one_engine_alone() -> None:
    served = row("tpot_ms", engine_class="TensorRT-LLM")
    assert cause(served, is_mixture=True, rows_alike=MANY) == "speculative_decoding"
    assert cause(served, is_mixture=False, rows_alike=MANY) == UNKNOWN
    assert cause(row("tpot_ms"), is_mixture=True, rows_alike=MANY) == UNKNOWN


def test_few_measurements_are_named_where_no_cause_is_known() -> None:
    assert cause(row("tpot_ms"), is_mixture=False, rows_alike=11) == FEW
    assert cause(row("tpot_ms"), is_mixture=False, rows_alike=12) == UNKNOWN
    assert cause(row(engine_class="TensorRT-LLM"), is_mixture=False, rows_alike=1) == "bundled_tokens"


def test_a_row_misses_beyond_what_the_goal_allows_nine_of_ten() -> None:
    """TTFT at a concurrency: 70 %. 150 for 100 holds it, 171 does not, half does."""
    rows = [row(predicted=predicted) for predicted in (150.0, 170.0, 171.0, 50.0, 29.0)]
    found = list(missed(rows, lambda _name: False))
    assert [one.row.result.predicted for one in found] == [171.0, 29.0]
    assert [round(one.error_ratio, 2) for one in found] == [0.71, 0.71]
    assert {one.limit_ratio for one in found} == {GOALS["inference_serving_latency.csv", "ttft_ms"].p90}


def test_what_sets_no_goal_or_has_no_prediction_is_not_missed() -> None:
    apart = row(predicted=900.0)
    apart = replace(apart, result=replace(apart.result, apart="burst"))
    refused = row(predicted=None)
    assert list(missed([apart, refused], lambda _name: False)) == []


def shipped() -> tuple[Checked, ...]:
    return record.read(Path(settings.BASE_DIR) / "fixtures" / record.FILE).checked


def test_every_shipped_row_beyond_its_limit_has_a_cause_in_words() -> None:
    rows = shipped()
    found: list[Missed] = list(missed(rows, lambda _name: False))
    beyond = 0
    for one in rows:
        goal, error = GOALS.get(goal_key(one.result)), causes.error_ratio(one.result)
        beyond += bool(goal and error is not None and error > goal.p90 and in_scope(one.result))
    assert len(found) == beyond > 0
    assert {one.cause for one in found} <= set(CAUSE_OF_ROW)
    assert set(RULES) <= {one.result.metric for one in rows}


@pytest.mark.django_db
class TestShown:
    def test_the_page_tells_each_row_of_the_metric(self, client: Client) -> None:
        page = client.get("/fr/accuracy/?metric=ttft").context["page"]
        assert page.missed
        assert all(line.cause and line.place.startswith("ligne") for line in page.missed)
        counted = sum(int(count) for _name, count in page.causes)
        assert counted == len(page.missed)
        english = client.get("/en/accuracy/?metric=ttft").context["page"]
        assert {line.cause for line in english.missed}.isdisjoint({line.cause for line in page.missed})

    def test_the_file_of_all_rows_has_the_cause(self, client: Client) -> None:
        text = client.get("/fr/accuracy.csv").content.decode("utf-8-sig")
        rows = list(csv.DictReader(io.StringIO(text), delimiter=";"))
        told = [one for one in rows if one["Cause de l’écart"]]
        assert len(told) == len(list(missed(shipped(), lambda _name: False)))
        assert all(one["Estimé"] and not one["Refus"] for one in told)


@pytest.mark.slow
def test_the_command_counts_the_causes_and_writes_the_rows(tmp_path: Path) -> None:
    out, file = StringIO(), tmp_path / "misses.csv"
    call_command("check_accuracy", misses=file, stdout=out)
    rows = list(csv.DictReader(file.open(encoding="utf-8")))
    assert f"Rows beyond their limit (the goal's p90): {len(rows)}" in out.getvalue()
    assert list(rows[0]) == ["file", "line", "metric", "engine_class", "error", "limit", "cause"]
    assert all(float(one["error"]) > float(one["limit"]) and int(one["line"]) >= 2 for one in rows)
