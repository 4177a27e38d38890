"""What a row says of its own measurement beyond its main cells: marks in its note, and what data sheets add to it.

Causes are read from these, so that the record of a check needs neither the notes nor the sheets.
"""

from collections.abc import Iterator, Mapping

from calculator.accuracy.cases import RefusedError, Row
from calculator.accuracy.naming import number
from calculator.accuracy.serving_cases import SERVERS, Server, server_of
from calculator.accuracy.sheets import Sheets
from calculator.domain.hardware import memory_bytes
from calculator.domain.inference import NotModelledError
from calculator.domain.memory import kv_bytes_a_gpu, weight_bytes_a_gpu

MARKS: Mapping[str, str] = {
    "batch_column": "batch_size column",
    "inferencex": "InferenceX",
    "mean_lengths": "mean lengths",
    "multinode": "multinode",
    "container": "NeMo Container",
    "shorter": "shorter than max",
    "summed": "sum over GPUs",
    "variant": "variant not stated",
    "form_factor": "form factor not stated",
}
"""Words of a note that say how a row was measured, by the name that a cause asks for."""
SERVED = ("inference_batched.csv", "inference_serving_latency.csv")


def traits(file: str, row: Row, sheets: Sheets) -> str:
    """Marks and ratios written one after the other as name=value; empty where the row shows none."""
    return "; ".join([*_marks(row), *_model(row, sheets), *(_memory(row, sheets) if file in SERVED else ())])


def _marks(row: Row) -> Iterator[str]:
    note = row.get("note", "")
    return (f"{name}=1" for name, words in MARKS.items() if words in note)


def _model(row: Row, sheets: Sheets) -> Iterator[str]:
    model = sheets.model(row["model"]) if row.get("model") else None
    if model is None:
        return
    if model.n_experts:
        yield "mixture=1"
    yield f"query_group={model.heads // max(1, model.kv_heads)}"


def _memory(row: Row, sheets: Sheets) -> Iterator[str]:
    """Shares of a GPU's memory that the weights take, and that they take with the cache of every client at full length.

    The latter only where the row says how many clients there were.
    """
    try:
        server = server_of(row, sheets, "weight_precision", SERVERS)
    except (RefusedError, NotModelledError, ValueError):
        return
    total = memory_bytes(server.deployment.gpu)
    weights = weight_bytes_a_gpu(server.deployment)
    yield f"weights_ratio={weights / total:.2f}"
    if (cache := _cache_bytes(row, server)) is not None:
        yield f"filled_ratio={(weights + cache) / total:.2f}"


def _cache_bytes(row: Row, server: Server) -> float | None:
    clients, prompt, output = (number(row.get(name)) for name in ("concurrency", "isl", "osl"))
    if not clients or not prompt or not output:
        return None
    groups = server.deployment.attention_parallel
    return clients / groups * kv_bytes_a_gpu(server.deployment, prompt + output)
