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
from calculator.accuracy.causes import FEW, RULES, UNDECIDED, UNSTATED, Missed, cause, missed
from calculator.accuracy.goals import GOALS
from calculator.accuracy.record import Checked
from calculator.accuracy.statistics import Result, goal_key, in_scope
from calculator.presenters import accuracy_causes

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


def served(metric: str, traits: str = "", **told: Any) -> Checked:
    """A measurement of a server, with what its note and the data sheets add."""
    return replace(row(metric, **told), traits=traits)


def trained(setup: str, traits: str = "", **told: Any) -> Checked:
    """A measurement of a training job."""
    found = row("tok_s_per_gpu", file="training.csv", engine_class="pretrain", setup=setup, **told)
    return replace(found, traits=traits)


def on(chip: str, given: Checked) -> Checked:
    """The same measurement on another class of chip."""
    return replace(given, result=replace(given.result, chip=chip))


TRT, LLAMA = "TensorRT-LLM", "llama.cpp"


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (row(engine_class=TRT), "bundled_tokens"),
        (row(engine_class="SGLang", family="fp4"), "slow_first_token"),
        (row(engine_class="SGLang", family="fp8"), UNDECIDED),
        (served("tpot_ms", "mixture=1", engine_class=TRT), "speculative_decoding"),
        (served("tpot_ms", "query_group=8", engine_class=TRT), UNDECIDED),
        (served("tpot_ms", "mixture=1"), UNDECIDED),
        (row("total_output_tok_s", model="Llama-3.1-405B"), "host_bound"),
        (row("total_output_tok_s", setup="engine=vLLM 0.2.7; n_gpus=4"), "host_bound"),
        (row("total_output_tok_s", setup="engine=TensorRT-LLM/Triton (2023); n_gpus=8"), "host_bound"),
        (row("total_output_tok_s", setup="engine=vLLM 0.10.1; n_gpus=4"), UNDECIDED),
        (row("total_output_tok_s", model="Mixtral-8x7B", gpu="A100-40GB"), "same_prompts"),
        (row("total_output_tok_s", model="Mixtral-8x7B", gpu="H100-SXM-80GB"), UNDECIDED),
        (row("prefill_tok_s", model="Llama-3-8B", engine_class=LLAMA, setup="n_gpus=4"), "cards_in_turn"),
        (row("prefill_tok_s", model="Llama-3-70B", engine_class=LLAMA, setup="n_gpus=1"), UNDECIDED),
        (row("prefill_tok_s", model="Llama-3-70B", gpu="A40", engine_class=LLAMA, setup="n_gpus=1"), "sister_card"),
        (row("decode_tok_s", setup="engine=vLLM 0.6.3; prompt_tokens=129024"), "long_context"),
        (row("decode_tok_s", setup="engine=vLLM 0.6.3; prompt_tokens=63488"), UNDECIDED),
        (row("busbw_GB_s", setup="interconnect=20 NVL72 racks, NVLink5 + IB; n_gpus=1440"), "racks"),
        (row("busbw_GB_s", setup="interconnect=2 nodes, NVLink3 + EFA 4x100 Gb/s per node"), "cloud_network"),
        (row("busbw_GB_s", setup="interconnect=2 nodes x 1 GPU, 4 NICs 400 Gb/s"), "one_gpu_a_machine"),
        (served("tpot_ms", "batch_column=1"), "prompts_not_computed"),
        (served("ttft_ms", "filled_ratio=0.80", setup="engine=vLLM 0.11; concurrency=64"), "memory_full"),
        (served("ttft_ms", "filled_ratio=0.79", setup="engine=vLLM 0.11; concurrency=64"), UNDECIDED),
        (served("total_output_tok_s", "weights_ratio=0.82", setup="engine=vLLM 0.8; concurrency=max"), "memory_full"),
        (served("ttft_ms", "inferencex=1; mixture=1", engine_class="SGLang", family="fp8"), "prompt_intake"),
        (served("tpot_ms", "mixture=1", family="fp8"), "steady_step"),
        (row("tpot_ms", setup="engine=vLLM 0.12.0; isl=1024; osl=128"), "short_answers"),
        (row("tpot_ms", setup="engine=vLLM 0.12.0; isl=1023; osl=128"), UNDECIDED),
        (served("total_output_tok_s", "query_group=29", engine_class=TRT), "wide_groups"),
        (row("total_output_tok_s", engine_class=TRT, family="fp4"), "unpacked_format"),
        (row("total_output_tok_s", setup="engine=vLLM; kv_dtype=fp8"), "eight_bit_cache"),
        (served("total_output_tok_s", "mean_lengths=1"), "mean_lengths"),
        (row("total_output_tok_s", setup="engine=TensorRT-LLM 0.14; concurrency=max"), "batch_not_stated"),
        (trained("method=pretrain; micro_batch=1; seq_len=4096", "container=1; mixture=1"), "container_release"),
        (trained("method=lora; micro_batch=1; seq_len=4096", "multinode=1"), "two_machines"),
        (trained("activation_checkpointing=partial recompute/offload"), "offloaded"),
        (trained("micro_batch=1; seq_len=512"), "short_passes"),
        (trained("micro_batch=2; seq_len=512"), UNDECIDED),
        (served("measured_gb", "shorter=1"), "shorter_sequences"),
        (served("measured_gb", "summed=1"), "summed_memory"),
        (row("measured_gb"), UNDECIDED),
    ],
)
def test_a_cause_is_read_from_the_row_itself(given: Checked, code: str) -> None:
    assert cause(causes.told(given), rows_alike=MANY) == code


def test_a_format_is_unpacked_only_where_the_chip_has_no_unit_for_it() -> None:
    given = row("total_output_tok_s", engine_class=TRT, family="fp4")
    assert cause(causes.told(on("Blackwell/HBM", given)), rows_alike=MANY) == UNDECIDED


def test_few_measurements_are_named_where_no_cause_is_known() -> None:
    assert cause(causes.told(row("tpot_ms")), rows_alike=11) == FEW
    assert cause(causes.told(row("tpot_ms")), rows_alike=12) == UNDECIDED
    assert cause(causes.told(row(engine_class=TRT)), rows_alike=1) == "bundled_tokens"


def test_a_source_that_contradicts_itself_is_named() -> None:
    """100 and 131 tokens a second for one configuration are 31 % apart, 100 and 130 are not more than 30 %."""
    first = trained("method=pretrain; micro_batch=4; seq_len=4096", predicted=150.0, measured=100.0)
    for other, code in ((131.0, "twice_measured"), (130.0, FEW)):
        second = replace(first, result=replace(first.result, line=3, measured=other))
        found = [one.cause for one in missed([first, second]) if one.row is first]
        assert found == [code], other


def test_two_configurations_do_not_contradict_each_other() -> None:
    first = trained("micro_batch=4; seq_len=4096", predicted=150.0)
    larger = trained("micro_batch=8; seq_len=4096", predicted=300.0, measured=300.0)
    assert [one.cause for one in missed([first, larger])] == [FEW]


@pytest.mark.parametrize(
    ("given", "codes"),
    [
        (row(setup="engine=vLLM; n_gpus=1"), ("engine_version", "cache_precision", "prefix_cache")),
        (row(setup="engine=vLLM 0.9.1; kv_dtype=fp8"), ("prefix_cache",)),
        (row("tpot_ms", setup="engine=vLLM 0.9.1; kv_dtype=auto"), ("cache_precision", "prompt_mixing")),
        (
            served("total_output_tok_s", "variant=1", setup="engine=vLLM 0.9; kv_dtype=fp16; concurrency=64"),
            ("card_variant", "engine_settings"),
        ),
        (trained("activation_checkpointing=not stated", "container=1"), ("recomputation",)),
        (trained("activation_checkpointing=full"), ("software_version",)),
        (row("measured_gb"), ("allocator",)),
    ],
)
def test_an_undecided_row_names_what_its_source_leaves_out(given: Checked, codes: tuple[str, ...]) -> None:
    assert causes.unstated(causes.told(given)) == codes


def test_a_row_misses_beyond_what_the_goal_allows_nine_of_ten() -> None:
    """TTFT at a concurrency: 70 %. 150 for 100 holds it, 171 does not, half does."""
    rows = [row(predicted=predicted) for predicted in (150.0, 170.0, 171.0, 50.0, 29.0)]
    found = list(missed(rows))
    assert [one.row.result.predicted for one in found] == [171.0, 29.0]
    assert [round(one.error_ratio, 2) for one in found] == [0.71, 0.71]
    assert {one.limit_ratio for one in found} == {GOALS["inference_serving_latency.csv", "ttft_ms"].p90}


def test_what_sets_no_goal_or_has_no_prediction_is_not_missed() -> None:
    apart = row(predicted=900.0)
    apart = replace(apart, result=replace(apart.result, apart="burst"))
    refused = row(predicted=None)
    assert list(missed([apart, refused])) == []


def shipped() -> tuple[Checked, ...]:
    return record.read(Path(settings.BASE_DIR) / "fixtures" / record.FILE).checked


def test_every_shipped_row_beyond_its_limit_has_a_cause_in_words() -> None:
    rows = shipped()
    found: list[Missed] = list(missed(rows))
    beyond = 0
    for one in rows:
        goal, error = GOALS.get(goal_key(one.result)), causes.error_ratio(one.result)
        beyond += bool(goal and error is not None and error > goal.p90 and in_scope(one.result))
    assert len(found) == beyond > 0
    assert {one.cause for one in found} <= set(accuracy_causes.CAUSES)
    assert {metric for _code, metrics, _holds in RULES for metric in metrics} <= {one.result.metric for one in rows}


def test_no_shipped_row_is_beyond_its_limit_without_a_reason() -> None:
    """Where no cause is established, the row says what its source would have to state."""
    open_rows = [one for one in missed(shipped()) if one.cause in (FEW, UNDECIDED)]
    assert all(one.unstated for one in open_rows)
    assert len(open_rows) <= 20


def test_every_cause_and_every_gap_has_words() -> None:
    assert {code for code, _metrics, _holds in RULES} | {FEW, UNDECIDED} == set(accuracy_causes.CAUSES)
    assert {code for code, _metrics, _absent in UNSTATED} == set(accuracy_causes.UNSTATED)


@pytest.mark.django_db
class TestShown:
    def test_the_page_tells_each_row_of_the_metric(self, client: Client) -> None:
        page = client.get("/fr/accuracy/?metric=ttft").context["page"]
        assert page.missed
        assert all(line.cause and line.place.startswith("ligne") for line in page.missed)
        counted = sum(line.rows_count for line in page.causes)
        assert all(line.evidence for line in page.causes)
        assert counted == len(page.missed)
        english = client.get("/en/accuracy/?metric=ttft").context["page"]
        assert {line.cause for line in english.missed}.isdisjoint({line.cause for line in page.missed})

    def test_the_file_of_all_rows_has_the_cause(self, client: Client) -> None:
        text = client.get("/fr/accuracy.csv").content.decode("utf-8-sig")
        rows = list(csv.DictReader(io.StringIO(text), delimiter=";"))
        told = [one for one in rows if one["Cause de l’écart"]]
        assert len(told) == len(list(missed(shipped())))
        assert all(one["Estimé"] and not one["Refus"] for one in told)


@pytest.mark.slow
def test_the_command_counts_the_causes_and_writes_the_rows(tmp_path: Path) -> None:
    out, file = StringIO(), tmp_path / "misses.csv"
    call_command("check_accuracy", misses=file, stdout=out)
    rows = list(csv.DictReader(file.open(encoding="utf-8")))
    assert f"Rows beyond their limit (the goal's p90): {len(rows)}" in out.getvalue()
    assert list(rows[0]) == ["file", "line", "metric", "engine_class", "error", "limit", "cause", "not_stated"]
    assert all(float(one["error"]) > float(one["limit"]) and int(one["line"]) >= 2 for one in rows)
