"""What each GPU is good for, derived from figures: what fits, how fast a stated reference job runs, what it costs.

One GPU, one replica. Inference: the reference model answers prompts of `PROMPT_TOKENS` with `OUTPUT_TOKENS`; training:
LoRA of rank 16 on it. A rating is the quarter of the ranking by throughput that a GPU falls in; what fits in 4 bits
only is rated lower; what does not fit or is not calibrated is not rated, with the reason.
"""

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

from calculator.domain.calibration import (
    Calibration,
    Engine,
    Era,
    Framework,
    band,
    chip_class,
    memory_constants,
    serving_classes,
    serving_constants,
    training_classes,
    training_constants,
)
from calculator.domain.hardware import Gpu, memory_bytes
from calculator.domain.inference import Deployment, rates
from calculator.domain.llm import LanguageModel, lora_params
from calculator.domain.memory import TrainingMemory, room_sequences, training_memory
from calculator.domain.offers import Basis, Sku
from calculator.domain.precision import PRECISIONS, Precision, math_flop_per_s, model_weight_bytes
from calculator.domain.provenance import Kind, Sourced, weakest_kind
from calculator.domain.serving import Load, Point, Targets, best_point, saturated
from calculator.domain.training import Method, TrainingJob, tok_per_s_per_gpu
from calculator.domain.training_fit import optimizer_bytes
from calculator.domain.training_scenario import Numbers, Optimizer
from calculator.domain.units import HOUR_S, MTOK, to_decimal

PROMPT_TOKENS, OUTPUT_TOKENS = 1000, 300
FIRST_TOKEN_S, STREAM_TOK_PER_S = 0.1, 60.0
"""The offer's own targets: 100 ms to the first token, then 60 tokens a second."""
LORA_RANK = 16
LORA_TARGETS = ("q", "k", "v", "o", "gate", "up", "down")
SEQUENCE_TOKENS = 2048.0
ACCUMULATION = 8.0
KV_BYTES = 2.0
ENGINE, ERA = Engine.VLLM, Era.NEW
SERVED_IN = ("fp16", "awq-int4")
"""Precisions tried for the reference model, the first that fits is taken."""
FIT_PRECISIONS = ("fp16", "fp8", "awq-int4")
NVIDIA = "NVIDIA"


class Word(enum.IntEnum):
    """A rating in words; the larger the better."""

    LIMITED = 1
    FAIR = 2
    GOOD = 3
    VERY_GOOD = 4


class Reason(enum.StrEnum):
    """Why a GPU is not rated."""

    VENDOR = "vendor"
    NO_PEAK = "no_peak"
    DOES_NOT_FIT = "does_not_fit"


@dataclass(frozen=True, slots=True)
class Job:
    """A GPU on one reference job. `tok_per_s` None = not rated, for `reason`. `share` = its throughput ÷ the best's.

    `best` is the highest throughput under the targets, None where even one client misses them; inference only.
    `reduced` says that the model fits in 4 bits only. `eur_per_mtok` needs a price by the hour.
    """

    tok_per_s: float | None
    reduced: bool = False
    best: Point | None = None
    clients: int | None = None
    reason: Reason | None = None
    share: float | None = None
    word: Word | None = None


@dataclass(frozen=True, slots=True)
class Fit:
    """The largest model of the catalogue that one GPU serves in each precision, and which trainings of the reference
    model fit on it. None = none does."""

    served: Mapping[str, LanguageModel | None]
    trained: Mapping[Method, bool]


@dataclass(frozen=True, slots=True)
class Cost:
    """What a million tokens costs on an offer of the GPU: at saturation, under the targets, and trained."""

    sku: Sku
    price: Sourced[Decimal]
    output_eur: Decimal | None
    target_eur: Decimal | None
    trained_eur: Decimal | None


@dataclass(frozen=True, slots=True)
class Rating:
    """One GPU: fit, both jobs, and what they cost where it is on offer. `on_request` = offered without a price."""

    gpu: Gpu
    fit: Fit
    inference: Job
    training: Job
    costs: tuple[Cost, ...] = ()
    on_request: bool = False


@dataclass(frozen=True, slots=True)
class Recommendation:
    """One GPU for one job: the cheapest per unit of work among priced offers, and the fastest of all.

    `by_target` says that the price is that under the targets. `evidence` is its weakest input; `band` the fit's.
    """

    job: str
    sku: Sku | None
    eur_per_mtok: Decimal | None
    by_target: bool
    fastest: Gpu | None
    evidence: Kind | None
    low_ratio: float | None = None
    high_ratio: float | None = None


@dataclass(frozen=True, slots=True)
class Ratings:
    """All GPUs in order of name, and one recommendation for each job."""

    model: LanguageModel
    rows: tuple[Rating, ...]
    training: Recommendation
    inference: Recommendation


def eur_per_mtok(eur_per_h: Decimal, tok_per_s: float, gpu_count: int) -> Decimal:
    """€/h ÷ million tokens an hour of the whole machine, at full use.

    1.50 €/h at 1 000 tok/s on one GPU:

    >>> round(eur_per_mtok(Decimal("1.50"), 1000.0, 1), 4)
    Decimal('0.4167')
    """
    return eur_per_h / (to_decimal(tok_per_s) * gpu_count * HOUR_S / MTOK)


def not_rated(gpu: Gpu) -> Reason | None:
    """Why no figure can be computed for a GPU at all."""
    if gpu.vendor != NVIDIA:
        return Reason.VENDOR
    return Reason.NO_PEAK if math_flop_per_s(gpu, "fp16") is None else None


def _deployment(gpu: Gpu, model: LanguageModel, precision: Precision) -> Deployment:
    return Deployment(model, gpu, precision, KV_BYTES)


def room(gpu: Gpu, model: LanguageModel, precision: Precision, calibration: Calibration) -> float:
    """Reference requests that the GPU holds at once; below 1 the model does not fit."""
    classes = serving_classes(ENGINE, ERA, precision.family, gpu)
    constants = serving_constants(calibration, classes)
    return room_sequences(_deployment(gpu, model, precision), constants, ENGINE, PROMPT_TOKENS, OUTPUT_TOKENS)


def inference_job(gpu: Gpu, model: LanguageModel, calibration: Calibration) -> Job:
    """Saturated output rate, and the best point under the targets, in 16 bits or else in 4."""
    reason = not_rated(gpu)
    if reason is not None:
        return Job(None, reason=reason)
    for code in SERVED_IN:
        found = room(gpu, model, PRECISIONS[code], calibration)
        if found >= 1:
            return _served(gpu, model, PRECISIONS[code], calibration, found)
    return Job(None, reason=Reason.DOES_NOT_FIT)


def _served(gpu: Gpu, model: LanguageModel, precision: Precision, calibration: Calibration, held: float) -> Job:
    constants = serving_constants(calibration, serving_classes(ENGINE, ERA, precision.family, gpu))
    server = rates(_deployment(gpu, model, precision), constants)
    load = Load(PROMPT_TOKENS, OUTPUT_TOKENS, 1.0)
    targets = Targets(first_token_s=FIRST_TOKEN_S, token_s=1 / STREAM_TOK_PER_S)
    best = best_point(server, constants, load, held, targets)
    return Job(
        tok_per_s=saturated(server, constants, load, held).output_tok_per_s,
        reduced=precision.code != SERVED_IN[0],
        best=best[1] if best else None,
        clients=best[0] if best else None,
    )


def adapters(model: LanguageModel) -> float:
    """Trained parameters of the reference adapters."""
    return float(lora_params(model, LORA_RANK, [name for name in LORA_TARGETS if name != "gate" or model.gated_mlp]))


def training_fits(gpu: Gpu, model: LanguageModel, method: Method, calibration: Calibration) -> bool:
    """Whether one sequence of the reference job fits: weights (4 bits for QLoRA), gradients, states, recomputed
    activations."""
    base = PRECISIONS["nf4" if method is Method.QLORA else "bf16"]
    own = adapters(model) if method.frozen_base else 0.0
    job = TrainingMemory(
        model=model,
        base_bytes=model_weight_bytes(model, base),
        trained_params=own if method.frozen_base else float(model.params_total),
        adapter_params=own,
        tokens=SEQUENCE_TOKENS,
        recomputed=True,
    )
    fitted = memory_constants(calibration, ("training", method.value, base.family, "allocated"))
    constants = replace(fitted, optimizer_bytes=optimizer_bytes(Optimizer.ADAMW, Numbers.BF16))
    return training_memory(job, float(memory_bytes(gpu)), constants).fits


def training_job(gpu: Gpu, model: LanguageModel, calibration: Calibration) -> Job:
    """Trained tokens a second of LoRA, or of QLoRA where 16-bit weights do not fit."""
    reason = not_rated(gpu)
    if reason is not None:
        return Job(None, reason=reason)
    for method in (Method.LORA, Method.QLORA):
        if training_fits(gpu, model, method, calibration):
            return Job(_trained(gpu, model, method, calibration), reduced=method is Method.QLORA)
    return Job(None, reason=Reason.DOES_NOT_FIT)


def _trained(gpu: Gpu, model: LanguageModel, method: Method, calibration: Calibration) -> float:
    family = "int4" if method is Method.QLORA else "fp16"
    classes = training_classes(Framework.TRANSFORMERS, method.value, family, gpu)
    job = TrainingJob(
        model=model,
        gpu=gpu,
        method=method,
        math="fp16",
        micro_batch=1.0,
        sequence_tokens=SEQUENCE_TOKENS,
        gpu_count=1,
        accumulation=ACCUMULATION,
        recomputed=True,
        trained_params=adapters(model),
        sharded=False,
    )
    return tok_per_s_per_gpu(job, training_constants(calibration, classes))


def largest_served(
    gpu: Gpu, models: Iterable[LanguageModel], precision: Precision, calibration: Calibration
) -> LanguageModel | None:
    """The model of most parameters that the GPU serves in that precision."""
    held = memory_bytes(gpu)
    for model in sorted(models, key=lambda one: one.params_total, reverse=True):
        if model_weight_bytes(model, precision) < held and room(gpu, model, precision, calibration) >= 1:
            return model
    return None


def fit(gpu: Gpu, model: LanguageModel, models: tuple[LanguageModel, ...], calibration: Calibration) -> Fit:
    """What one GPU holds; a GPU that is not calibrated holds nothing that could be said."""
    if not_rated(gpu) is not None:
        return Fit({}, {})
    served = {code: largest_served(gpu, models, PRECISIONS[code], calibration) for code in FIT_PRECISIONS}
    trained = {
        method: training_fits(gpu, model, method, calibration) for method in (Method.QLORA, Method.LORA, Method.FULL)
    }
    return Fit(served, trained)


def quarter(place: int, count: int) -> Word:
    """The word of the `place`-th of `count` GPUs, 0 for the best: a quarter of the ranking each.

    >>> [quarter(place, 8).name for place in (0, 2, 5, 7)]
    ['VERY_GOOD', 'GOOD', 'FAIR', 'LIMITED']
    """
    return Word(len(Word) - min(len(Word) - 1, place * len(Word) // count))


CEILING = {"inference": Word.FAIR, "training": Word.LIMITED}
"""The best word for a GPU that holds the reference model in 4 bits only."""


def ranked(jobs: Mapping[str, Job], name: str) -> dict[str, Job]:
    """Each job with its share of the best and its word."""
    rated = sorted((job.tok_per_s for job in jobs.values() if job.tok_per_s), reverse=True)
    return {gpu: _worded(job, rated, CEILING[name]) for gpu, job in jobs.items()}


def _worded(job: Job, rated: list[float], ceiling: Word) -> Job:
    if job.tok_per_s is None:
        return job
    word = quarter(rated.index(job.tok_per_s), len(rated))
    return Job(
        tok_per_s=job.tok_per_s,
        reduced=job.reduced,
        best=job.best,
        clients=job.clients,
        share=job.tok_per_s / rated[0],
        word=min(word, ceiling) if job.reduced else word,
    )


def costs(gpu_skus: Iterable[Sku], inference: Job, training: Job) -> tuple[Cost, ...]:
    """What a million tokens costs on each priced offer of a GPU."""
    found = []
    for sku in gpu_skus:
        price = sku.prices.get(Basis.HOUR)
        if price is not None:
            under = inference.best.output_tok_per_s if inference.best else None
            speeds = (inference.tok_per_s, under, training.tok_per_s)
            output, target, trained = (_cost(price.value, speed, sku.gpu_count) for speed in speeds)
            found.append(Cost(sku, price, output, target, trained))
    return tuple(found)


def _cost(eur_per_h: Decimal, speed: float | None, gpu_count: int) -> Decimal | None:
    return None if speed is None else eur_per_mtok(eur_per_h, speed, gpu_count)


def recommend(rows: tuple[Rating, ...], job: str, calibration: Calibration) -> Recommendation:
    """One GPU for one job: the cheapest per million tokens among priced offers that hold the model in 16 bits (in 4
    where none does; under the targets where one holds them), and the fastest of the catalogue."""
    fastest = max((row for row in rows if _job(row, job).tok_per_s), key=lambda row: _speed(row, job), default=None)
    offers = [(row, cost) for row in rows for cost in row.costs if _job(row, job).tok_per_s is not None]
    whole = [item for item in offers if not _job(item[0], job).reduced]
    pool = whole or offers
    by_target = job == "inference" and any(cost.target_eur is not None for _row, cost in pool)
    priced = [(value, cost) for _row, cost in pool if (value := _value(cost, job, by_target)) is not None]
    chosen = min(priced, key=lambda item: item[0], default=None)
    metric = ("total_output_tok_s", ENGINE.value, "fp16") if job == "inference" else ("tok_s_per_gpu", "lora", "fp16")
    chip = next((chip_class(row.gpu) for row, cost in pool if chosen and cost is chosen[1]), None)
    width = band(calibration, *metric, chip)
    return Recommendation(
        job=job,
        sku=chosen[1].sku if chosen else None,
        eur_per_mtok=chosen[0] if chosen else None,
        by_target=by_target,
        fastest=fastest.gpu if fastest else None,
        evidence=weakest_kind((Kind.ESTIMATE, chosen[1].price.rank_kind)) if chosen else None,
        low_ratio=width.low_ratio if width else None,
        high_ratio=width.high_ratio if width else None,
    )


def _job(row: Rating, job: str) -> Job:
    return row.inference if job == "inference" else row.training


def _speed(row: Rating, job: str) -> float:
    return _job(row, job).tok_per_s or 0.0


def _value(cost: Cost, job: str, by_target: bool) -> Decimal | None:
    if job == "training":
        return cost.trained_eur
    return cost.target_eur if by_target else cost.output_eur


def ratings(
    gpus: tuple[Gpu, ...],
    models: tuple[LanguageModel, ...],
    reference: LanguageModel,
    skus_of: Mapping[str, tuple[Sku, ...]],
    calibration: Calibration,
) -> Ratings:
    """Every GPU rated for both jobs. `skus_of` are the offers of each GPU by its name."""
    inference = ranked({gpu.name: inference_job(gpu, reference, calibration) for gpu in gpus}, "inference")
    training = ranked({gpu.name: training_job(gpu, reference, calibration) for gpu in gpus}, "training")
    rows = []
    for gpu in gpus:
        offers, serve, train = skus_of.get(gpu.name, ()), inference[gpu.name], training[gpu.name]
        found = costs(offers, serve, train)
        held = fit(gpu, reference, models, calibration)
        rows.append(Rating(gpu, held, serve, train, found, on_request=bool(offers) and not found))
    listed = tuple(rows)
    return Ratings(
        reference, listed, recommend(listed, "training", calibration), recommend(listed, "inference", calibration)
    )
