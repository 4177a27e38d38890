"""Cases of training.csv: tokens a second and GPU."""

from collections.abc import Iterator

from calculator.accuracy.cases import Case, Outcome, Refusal, RefusedError, Row
from calculator.accuracy.naming import count, number
from calculator.accuracy.sheets import Sheets
from calculator.domain.calibration import Framework, TrainingConstants, chip_class, training_classes
from calculator.domain.inference import NotModelledError
from calculator.domain.llm import LanguageModel, lora_params
from calculator.domain.training import Method, TrainingJob, tok_per_s_per_gpu

MATH = {
    "bf16": "fp16",
    "bfloat16": "fp16",
    "float16": "fp16",
    "bf16/fp16": "fp16",
    "fp8": "fp8",
    "mxfp8": "fp8",
    "nvfp4": "fp4",
    "bf16+fp8": "fp8",
}
FRAMEWORK_WORDS = {
    "Megatron": Framework.MEGATRON,
    "NeMo": Framework.MEGATRON,
    "llm-foundry": Framework.FSDP,
    "fms-fsdp": Framework.FSDP,
    "FSDP, SDPA": Framework.FSDP,
    "llmq": Framework.NATIVE,
}
FRAMEWORK_OF_METHOD = {Method.PRETRAIN: Framework.FSDP}
RECOMPUTED = ("full", "yes")
LORA_RANK = 16
LORA_TARGETS = ("q", "k", "v", "o", "gate", "up", "down")
PACKED_TOKENS = 4096.0
SHORT_WORDS = "variable short sequences"


def framework_of(row: Row, method: Method) -> Framework:
    """The training software that a row names; by the method where it names none."""
    text = f"{row.get('note', '')} {row.get('source', '')}"
    named = next((framework for word, framework in FRAMEWORK_WORDS.items() if word in text), None)
    return named or FRAMEWORK_OF_METHOD.get(method, Framework.TRANSFORMERS)


def recomputed(row: Row) -> bool:
    """Whether activations were recomputed: as stated, or where HFU exceeds MFU by a forward pass."""
    mfu, hfu = number(row.get("mfu")), number(row.get("hfu"))
    if mfu and hfu:
        return hfu > mfu * 1.1
    return row.get("activation_checkpointing", "").startswith(RECOMPUTED)


def trained_params(model: LanguageModel, method: Method) -> float:
    """Parameters that get a gradient; adapters of rank 16 on all matrices where the rank is not stated."""
    if not method.frozen_base:
        return model.params_total
    targets = [target for target in LORA_TARGETS if target != "gate" or model.gated_mlp]
    return lora_params(model, LORA_RANK, targets)


def sequence_tokens(row: Row) -> float:
    """Sequence length; unstated ones are read as packed to 4 096, as the sister tables of that suite are."""
    if SHORT_WORDS in row.get("note", ""):
        raise RefusedError("padded sequences of unknown length")
    return number(row.get("seq_len")) or PACKED_TOKENS


def job_of(row: Row, sheets: Sheets) -> TrainingJob:
    """The job that a row describes; refused with the first thing that is not known."""
    gpu, model = sheets.gpu(row.get("gpu", "")), sheets.model(row.get("model", ""))
    if gpu is None:
        raise RefusedError("unknown GPU")
    if gpu.vendor != "NVIDIA":
        raise RefusedError("vendor not calibrated")
    if model is None:
        raise RefusedError("unknown model")
    if row.get("method") not in set(Method):
        raise RefusedError("method not modelled")
    micro = number(row.get("micro_batch"))
    if not micro:
        raise RefusedError("micro-batch not stated")
    method, gpus = Method(row["method"]), count(row.get("n_gpus"), 1)
    batch = number(row.get("global_batch")) or micro * gpus
    return TrainingJob(
        model=model,
        gpu=gpu,
        method=method,
        math=MATH.get(row.get("precision", ""), "fp16"),
        micro_batch=micro,
        sequence_tokens=sequence_tokens(row),
        gpu_count=gpus,
        accumulation=max(1.0, batch / (micro * gpus)),
        recomputed=recomputed(row),
        trained_params=trained_params(model, method),
        sharded=gpus > 1,
    )


def family_of(row: Row, job: TrainingJob) -> str:
    """The class of a job's number format: fp16, fp8, fp4, or int4 for a 4-bit base."""
    return "int4" if job.method is Method.QLORA else job.math


def training(file: str, line: int, row: Row, sheets: Sheets) -> Iterator[Outcome]:
    """Tokens a second and GPU of one job."""
    measured = number(row.get("tok_s_per_gpu"))
    if measured:
        yield _outcome(file, line, row, sheets, measured)


def _outcome(file: str, line: int, row: Row, sheets: Sheets, measured: float) -> Outcome:
    metric, name = "tok_s_per_gpu", row.get("method", "")
    try:
        job = job_of(row, sheets)
    except (RefusedError, NotModelledError, ValueError) as reason:
        return Refusal(file, line, metric, name, row.get("precision", ""), measured, str(reason))

    def predict(constants: TrainingConstants) -> float:
        return tok_per_s_per_gpu(job, constants)

    family = family_of(row, job)
    classes = training_classes(framework_of(row, job.method), job.method.value, family, job.gpu)
    pair = f"{job.gpu.name}|{job.model.name}"
    chip, source = chip_class(job.gpu), row.get("source", "")
    return Case(file, line, metric, name, family, measured, source, pair, "training", classes, predict, chip=chip)
