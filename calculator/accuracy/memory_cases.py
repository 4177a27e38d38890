"""Cases of memory.csv: peak memory of one GPU, or of all where the row gives the sum.

The tools behind these figures divide by 2**30 whatever unit they print, so a printed GB is read as a GiB.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from calculator.accuracy.cases import Case, Outcome, Refusal, RefusedError, Row
from calculator.accuracy.naming import count, number
from calculator.accuracy.sheets import Sheets
from calculator.domain.calibration import MemoryConstants, chip_class
from calculator.domain.llm import LanguageModel, kv_bytes, lora_params
from calculator.domain.memory import Sharding, TrainingMemory, generation_memory, training_memory
from calculator.domain.precision import PRECISIONS, Precision, model_weight_bytes
from calculator.domain.units import GIB

METRIC = "measured_gb"
WORDS = {
    "bnb-nf4-dq": "nf4-dq",
    "nf4 double": "nf4-dq",
    "bnb-nf4": "nf4",
    "bnb-fp4-dq": "nf4-dq",
    "bnb-fp4": "nf4",
    "nf4": "nf4",
    "awq-int4": "awq-int4",
    "gptq-int4": "gptq-int4",
    "gptq-int8": "gptq-int8",
    "bnb-int8": "bnb-int8",
    "int4": "gptq-int4",
    "fp32": "fp32",
    "bf16": "bf16",
    "bfloat16": "bf16",
    "float16": "fp16",
}
FULL_SHARD_WORDS = ("FSDP", "ZeRO-3")
LORA_RANK = 16
LORA_TARGETS = ("q", "k", "v", "o", "gate", "up", "down")
SHORTER_WORDS = "shorter than max"
SHORTER_RATIO = 0.4
"""Mean length of instruction data against the stated maximum."""


@dataclass(frozen=True, slots=True)
class Process:
    """One row: its classes, and GPU bytes as a function of the constants."""

    family: str
    classes: tuple[str, ...]
    bytes_of: Callable[[MemoryConstants], float]


def precision_in(text: str) -> Precision:
    """The precision that a free text names first."""
    code = next((code for word, code in WORDS.items() if text.startswith(word) or f" {word}" in f" {text}"), None)
    if code is None:
        raise RefusedError("precision not modelled")
    return PRECISIONS[code]


def _summed(row: Row) -> bool:
    return "sum" in row.get("note", "").lower()


def _generation(row: Row, model: LanguageModel) -> Process:
    precision = precision_in(row.get("precision", ""))
    tokens, batch = number(row.get("seq_len")), number(row.get("batch")) or 1.0
    if not tokens:
        raise RefusedError("lengths not stated")
    element = 1.0 if "int8 kv" in row.get("precision", "") else 2.0
    weights, cache = model_weight_bytes(model, precision), batch * kv_bytes(model, int(tokens), element)
    gpus = count(row.get("n_gpus"), 1)

    def bytes_of(constants: MemoryConstants) -> float:
        whole = generation_memory(model, weights, cache, batch * tokens, 0.0, constants).needed_bytes
        contexts = constants.context_bytes * (gpus - 1)
        return whole + contexts if _summed(row) else (whole + contexts) / gpus

    return Process(precision.family, ("inference", precision.family), bytes_of)


def _trained(row: Row, model: LanguageModel, method: str) -> tuple[float, float]:
    """Trained parameters and adapter parameters."""
    if method == "full":
        return float(model.params_total), 0.0
    targets = [target for target in LORA_TARGETS if target != "gate" or model.gated_mlp]
    adapters = float(lora_params(model, LORA_RANK, targets))
    embeddings = model.params_total - model.params_non_embedding
    return adapters + (embeddings if "embeddings" in row.get("method", "") else 0), adapters


def _training(row: Row, model: LanguageModel) -> Process:
    method = row.get("method", "").split(" ")[0]
    if "offload" in row.get("method", ""):
        raise RefusedError("offload not modelled")
    tokens, batch = number(row.get("seq_len")), number(row.get("batch"))
    if not tokens or not batch:
        raise RefusedError("lengths not stated")
    base = PRECISIONS["bf16"] if method in ("full", "lora") else precision_in(row.get("precision", ""))
    trained, adapters = _trained(row, model, method)
    gpus = count(row.get("n_gpus"), 1)
    whole = any(word in row.get("method", "") for word in FULL_SHARD_WORDS)
    job = TrainingMemory(
        model=model,
        base_bytes=model_weight_bytes(model, base),
        trained_params=trained,
        adapter_params=adapters,
        tokens=tokens * batch * (SHORTER_RATIO if SHORTER_WORDS in row.get("note", "") else 1.0),
        recomputed=SHORTER_WORDS not in row.get("note", ""),
        sharding=Sharding.WEIGHTS if whole else Sharding.OPTIMIZER if method == "full" else Sharding.NONE,
        shards=gpus,
    )
    copies = gpus if _summed(row) else 1
    reserved = "reserved" if "reserved" in row.get("note", "") else "allocated"
    fused = ("fused",) if "foak" in row.get("method", "") else ()

    def bytes_of(constants: MemoryConstants) -> float:
        return training_memory(job, 0.0, constants).needed_bytes * copies

    return Process(base.family, ("training", method, base.family, reserved, *fused), bytes_of)


def process_of(row: Row, sheets: Sheets) -> tuple[Process, str, str]:
    """What a row measured, its GPU × model and class of chip; refused with the first thing that is not known."""
    model, gpu = sheets.model(row.get("model", "")), sheets.gpu(row.get("gpu", ""))
    if model is None:
        raise RefusedError("unknown model")
    if gpu is None:
        raise RefusedError("unknown GPU")
    method = row.get("method", "")
    if method == "inference":
        process = _generation(row, model)
    elif method.split(" ")[0] in ("full", "lora", "qlora"):
        process = _training(row, model)
    else:
        raise RefusedError("method not modelled")
    return process, f"{gpu.name}|{model.name}", chip_class(gpu)


def memory(file: str, line: int, row: Row, sheets: Sheets) -> Iterator[Outcome]:
    """Peak memory of one row."""
    measured = number(row.get(METRIC))
    if measured:
        yield _outcome(file, line, row, sheets, measured)


def _outcome(file: str, line: int, row: Row, sheets: Sheets, measured: float) -> Outcome:
    name = row.get("method", "").split(" ")[0]
    try:
        process, pair, chip = process_of(row, sheets)
    except (RefusedError, ValueError) as reason:
        return Refusal(file, line, METRIC, name, row.get("precision", ""), measured, str(reason))

    def predict(constants: MemoryConstants) -> float:
        return process.bytes_of(constants) / GIB

    return Case(
        file,
        line,
        METRIC,
        name,
        process.family,
        measured,
        row.get("source", ""),
        pair,
        "memory",
        process.classes,
        predict,
        chip=chip,
    )
