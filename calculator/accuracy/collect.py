"""All measurements of a folder as cases and refusals, file by file; files that are absent are left out."""

from collections.abc import Callable, Iterator
from pathlib import Path

from calculator.accuracy.cases import Outcome, Row, rows_of
from calculator.accuracy.link_cases import allreduce
from calculator.accuracy.memory_cases import memory
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


def outcomes(folder: Path, sheets: Sheets) -> list[Outcome]:
    """Every metric of every row of the known files in `folder`, in their order."""
    found: list[Outcome] = []
    for name, reader in READERS.items():
        path = folder / name
        if path.exists():
            for line, row in rows_of(path):
                found += reader(name, line, row, sheets)
    return found
