"""A run as a file: CSV with one line a request, JSON with everything. Raw numbers, unknown left empty or null."""

import csv
import io
import json
from typing import Any

from django.forms.models import model_to_dict

from benchmarks import statistics
from benchmarks.models import BenchmarkRun, BenchmarkSample, ProbeJob, ProbeReading
from benchmarks.queries import RunView
from calculator.exports import BYTE_ORDER_MARK, guarded

SCHEMA_VERSION = 1
SAMPLE_COLUMNS = (
    "number",
    "warm_up",
    "sent_s",
    "ttft_ms",
    "tpot_ms",
    "e2e_ms",
    "gap_max_ms",
    "dispatch_lag_ms",
    "prompt_tokens",
    "output_tokens",
    "events_count",
    "token_source",
    "finish_reason",
    "http_status",
    "error_kind",
    "error_message",
)
# What an operator reads on the run's page: names of people, addresses, and messages that hold this machine's folders.
PRIVATE = {"id", "run", "step", "created_by", "gates_passed_by", "parent", "error_detail", "target_url", "key_variable"}
PRIVATE |= {"engine_config", "engine_log", "host_name", "claimed_by", "prompts_name"}


def to_csv(run: BenchmarkRun, samples: list[BenchmarkSample], *, french: bool) -> str:
    """One line a request; `;` and decimal comma in French, `,` and dot in English. Marked as UTF-8 for spreadsheets."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=";" if french else ",", lineterminator="\r\n")
    writer.writerow(["run", "concurrency", *SAMPLE_COLUMNS])
    for sample in samples:
        values = sample_values(run, sample).values()
        writer.writerow([run.code, sample.step.concurrency, *(cell(value, french=french) for value in values)])
    return BYTE_ORDER_MARK + buffer.getvalue()


def sample_values(run: BenchmarkRun, sample: BenchmarkSample) -> dict[str, Any]:
    """The columns of a request. What somebody else's server said may name accounts and addresses: it is left out."""
    values = {name: getattr(sample, name) for name in SAMPLE_COLUMNS}
    return values | ({"error_message": ""} if run.target_url else {})


def cell(value: object, *, french: bool) -> str:
    """A raw value as CSV text. Text that a spreadsheet would run as a formula is disarmed."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, float):
        text = repr(value)
        return text.replace(".", ",") if french else text
    return guarded(str(value))


def to_jsonl(run: BenchmarkRun, samples: list[BenchmarkSample]) -> str:
    """One JSON object a request, with the step that it belongs to; what is no number is null."""
    rows = (
        {"run": run.code, "step": sample.step.position, "concurrency": sample.step.concurrency}
        | {"rate_per_s": sample.step.rate_per_s}
        | sample_values(run, sample)
        for sample in samples
    )
    return "".join(f"{json.dumps(statistics.strict(row), ensure_ascii=False, allow_nan=False)}\n" for row in rows)


def to_json(view: RunView, samples: list[BenchmarkSample]) -> str:
    """The run, its steps and its requests; strict JSON, a number that is none becomes null with its reason."""
    by_step: dict[int, list[dict[str, Any]]] = {}
    for sample in samples:
        by_step.setdefault(sample.step_id, []).append(sample_values(view.run, sample))
    document = {
        "schema": SCHEMA_VERSION,
        "run": fields_of(view.run),
        "errors": view.errors,
        **probe_values(view.run),
        "steps": [{**fields_of(step), "requests": by_step.get(step.pk, [])} for step in view.steps],
    }
    reasons: dict[str, str] = {}
    document = statistics.strict(document, reasons=reasons)
    return json.dumps({**document, "not_numbers": reasons}, ensure_ascii=False, indent=1, allow_nan=False, default=str)


def probe_values(run: BenchmarkRun) -> dict[str, Any]:
    """What a probe was asked and read; nothing for another run."""
    if run.kind != BenchmarkRun.Kind.PROBE:
        return {}
    readings = [fields_of(reading) for reading in ProbeReading.objects.filter(run=run).order_by("position")]
    return {"probe": fields_of(ProbeJob.objects.get(run=run)), "readings": readings}


def fields_of(row: Any) -> dict[str, Any]:
    """Every column of a row but keys and what is for operators."""
    return {name: value for name, value in model_to_dict(row).items() if name not in PRIVATE}
