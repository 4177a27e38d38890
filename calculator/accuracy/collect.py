"""All measurements of a folder as cases and refusals, file by file; files that are absent are left out."""

from collections.abc import Callable, Iterator
from pathlib import Path

from calculator.accuracy.cases import Outcome, Refusal, Row, rows_of
from calculator.accuracy.link_cases import allreduce
from calculator.accuracy.memory_cases import memory
from calculator.accuracy.naming import number
from calculator.accuracy.serving_cases import batched, latency, single_stream
from calculator.accuracy.sheets import Sheets
from calculator.accuracy.training_cases import training

Reader = Callable[[str, int, Row, Sheets], Iterator[Outcome]]

READERS: dict[str, Reader] = {
    "inference_single_stream.csv": single_stream,
    "inference_batched.csv": batched,
    "inference_serving_latency.csv": latency,
    "training.csv": training,
    "allreduce.csv": allreduce,
    "memory.csv": memory,
}


COLUMNS: dict[str, tuple[str, ...]] = {
    "inference_single_stream.csv": ("value",),
    "inference_batched.csv": ("total_output_tok_s",),
    "inference_serving_latency.csv": ("tpot_ms", "ttft_ms"),
    "training.csv": ("tok_s_per_gpu",),
    "allreduce.csv": ("busbw_GB_s",),
    "memory.csv": ("measured_gb",),
}
"""The columns that hold what was measured."""
NOTHING_MEASURED = "nothing measured"
NOT_READABLE = "measurement not readable"


def outcomes(folder: Path, sheets: Sheets) -> list[Outcome]:
    """Every metric of every row of the known files in `folder`, in their order; no row without an outcome."""
    found: list[Outcome] = []
    for name, reader in READERS.items():
        path = folder / name
        if path.exists():
            for line, row in rows_of(path):
                read = [*reader(name, line, row, sheets), *_unreadable(name, line, row)]
                found += read or [_refused(name, line, row, COLUMNS[name][0], NOTHING_MEASURED)]
    return found


def _unreadable(name: str, line: int, row: Row) -> Iterator[Refusal]:
    """Figures that are no number above 0: there is nothing to compare with."""
    for column in COLUMNS[name]:
        if row.get(column) and not number(row[column]):
            yield _refused(name, line, row, column, NOT_READABLE)


def _refused(name: str, line: int, row: Row, column: str, reason: str) -> Refusal:
    metric = row.get("metric") or column
    return Refusal(name, line, metric, row.get("engine") or row.get("method", ""), "", None, reason, reason)
