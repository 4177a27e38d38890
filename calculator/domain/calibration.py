"""Efficiency constants as sourced input: few numbers with a physical meaning, by engine class and precision.

Nothing here holds a fitted value. `calculator.accuracy` reads them from fixtures/calibration.json, which
`manage.py fit_calibration` writes with the data's hash, the date and the residual bands; a visitor may overwrite any
of them. A constant is a base value times the factors of the classes that a deployment belongs to.
"""

import datetime as dt
import enum
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from math import prod

from calculator.domain.hardware import Gpu

ROWS_OF_OWN_BAND = 12
"""Measurements that a class of chips needs before its band is its own; below, the band is borrowed and widened."""
ANY_CHIP = "any"
"""The last part of the key of a metric's band over engines and classes of chips that all weigh the same."""
RACK_MARK = "NVL72"
"""How a data sheet says that one NVLink switch joins the GPUs of a whole rack."""


class Engine(enum.StrEnum):
    """The engine classes that are modelled; any other engine is refused, never approximated by one of these."""

    VLLM = "vLLM"
    SGLANG = "SGLang"
    TENSORRT_LLM = "TensorRT-LLM"
    LLAMA_CPP = "llama.cpp"


class Era(enum.StrEnum):
    """Age of an engine: 2025 brought the rewritten schedulers (vLLM 0.8, TensorRT-LLM 0.20, SGLang 0.4)."""

    OLD = "old"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class ServingConstants:
    """What a server reaches of the data sheet, and what its host adds. Ratios are shares of the sheet's peak.

    `norm` joins reading and multiplying: 1 adds their times, a large one takes the longer. `small_matrix_columns` is
    the width at which matrices reach half of the compute efficiency, `kv_half_streams` the KV heads × sequences at
    which the cache is read at half speed; `score_bytes` is what unfused attention moves for one score,
    `sampling_bytes` what choosing a token moves for each word of the vocabulary;
    `power_flop_per_j` caps compute by the card's power; `chunk_tokens` of a prompt pass at once, and the share
    `stage_overlap_ratio` of a pipeline's work overlaps; `link_pipeline_s` weighs an all-reduce's chunks in flight, as
    in `parallelism`. The queue ratios weigh a first burst of requests, random arrivals and steps in flight (see
    `serving.wait_s`).
    """

    weight_bandwidth_ratio: float
    norm: float
    decode_compute_ratio: float
    kv_bandwidth_ratio: float
    kv_emulated_ratio: float
    kv_eight_bit_ratio: float
    kv_half_streams: float
    decode_attention_ratio: float
    prefill_compute_ratio: float
    prefill_attention_ratio: float
    score_bytes: float
    power_flop_per_j: float
    chunk_tokens: float
    stage_s: float
    stage_overlap_ratio: float
    expert_bandwidth_ratio: float
    expert_compute_ratio: float
    small_matrix_columns: float
    allreduce_latency_s: float
    pcie_latency_factor: float
    link_ratio: float
    pcie_ratio: float
    link_pipeline_s: float
    step_s: float
    layer_s: float
    expert_layer_factor: float
    latent_layer_factor: float
    sequence_s: float
    sampling_bytes: float
    prompt_s: float
    request_s: float
    prompt_token_s: float
    overlap_ratio: float
    burst_ratio: float
    arrival_ratio: float
    inflight_steps: float
    memory_ratio: float
    runtime_bytes: float
    live_output_ratio: float
    max_sequences: float


class Framework(enum.StrEnum):
    """The classes of training software that are modelled."""

    MEGATRON = "Megatron"
    FSDP = "FSDP"
    TRANSFORMERS = "Transformers"
    NATIVE = "native"


@dataclass(frozen=True, slots=True)
class TrainingConstants:
    """Shares of the peak that training kernels reach, and what does not shrink with the batch.

    `dequantised_bytes` is what a 4-bit base moves for each weight and pass; `exposed_ratio` the part of sharding's
    traffic that no computing hides; `cluster_exponent` x of the loss (GPUs ÷ 8)^−x beyond one machine.
    """

    compute_ratio: float
    attention_ratio: float
    small_matrix_columns: float
    small_pass_tokens: float
    layer_s: float
    step_s: float
    expert_compute_ratio: float
    dequantised_bytes: float
    adapter_layer_factor: float
    exposed_ratio: float
    cluster_exponent: float


@dataclass(frozen=True, slots=True)
class LinkConstants:
    """Collectives: start-up, time a hop, and the share of a link's rate that large messages reach.

    `pipeline_s` weighs the chunks in flight of middle-sized messages; `switch_gain` is the gain of a reduction inside
    the switch over a ring; `node_ratio` and `node_start_s` hold for the network between machines.
    """

    start_s: float
    hop_s: float
    pipeline_s: float
    bandwidth_ratio: float
    switch_gain: float
    node_start_s: float
    node_ratio: float


@dataclass(frozen=True, slots=True)
class MemoryConstants:
    """What a process holds beside its tensors, and how much of the textbook's activations it keeps.

    `context_bytes` the CUDA context and library workspaces; `allocator_ratio` reserved ÷ allocated; `layer_elements`
    elements of the hidden width kept a token and layer; `kept_elements` with recomputation; `logit_bytes` a token and
    word of the vocabulary; `optimizer_bytes` a trainable parameter, with its gradient and master copy.
    """

    context_bytes: float
    allocator_ratio: float
    layer_elements: float
    kept_elements: float
    logit_bytes: float
    optimizer_bytes: float
    prompt_elements: float


@dataclass(frozen=True, slots=True)
class Band:
    """p10 and p90 of measured ÷ predicted in one class of `rows` measurements.

    `is_borrowed`: fewer than `ROWS_OF_OWN_BAND` measurements were made on this class of chips (`rows` of them); the
    band comes from other chips and is widened, so a page should say on how few measurements it rests.
    """

    low_ratio: float
    high_ratio: float
    rows: int
    is_borrowed: bool = False


@dataclass(frozen=True, slots=True)
class Factored:
    """One group of constants: base values and, by constant, the factor of each class."""

    base: Mapping[str, float]
    factors: Mapping[str, Mapping[str, float]]

    def resolve(self, classes: tuple[str, ...]) -> dict[str, float]:
        """Each constant: base × the factors of `classes`.

        >>> Factored({"step_s": 0.002}, {"step_s": {"new": 0.5, "fp8": 3.0}}).resolve(("vLLM", "new"))
        {'step_s': 0.001}
        """
        return {name: value * prod(self._chosen(name, classes)) for name, value in self.base.items()}

    def _chosen(self, name: str, classes: tuple[str, ...]) -> list[float]:
        factors = self.factors.get(name, {})
        return [factors[item] for item in classes if item in factors]


@dataclass(frozen=True, slots=True)
class Calibration:
    """One fit: constants, bands, the hash of its data and its day.

    Bands are keyed by `metric|engine|precision family`, those of a class of chips also by `|chip`.
    `seen_bands` are drawn from the rows of the fit alone: only the accuracy check of other rows takes them.
    """

    serving: Factored
    training: Factored
    links: Factored
    memory: Factored
    bands: Mapping[str, Band]
    data_hash: str
    date: dt.date
    seen_bands: Mapping[str, Band] = field(default_factory=dict)


def architecture_class(gpu: Gpu) -> str:
    """The architecture whose factors apply; Blackwell Ultra counts as Blackwell."""
    return gpu.architecture.split(" ")[0]


def memory_class(gpu: Gpu) -> str:
    """HBM, or GDDR of cards without it."""
    return "HBM" if gpu.mem_type.startswith("HBM") else "GDDR"


def chip_class(gpu: Gpu) -> str:
    """Architecture and memory, by which bands are told apart.

    >>> chip_class(Gpu("L4", "NVIDIA", "Ada", 24, 300, mem_type="GDDR6"))
    'Ada/GDDR'
    """
    return f"{architecture_class(gpu)}/{memory_class(gpu)}"


def serving_classes(engine: Engine, era: Era, family: str, gpu: Gpu) -> tuple[str, ...]:
    """The classes of a server: engine, age, precision family, architecture and memory, and pairs of them.

    >>> serving_classes(Engine.VLLM, Era.NEW, "fp8", Gpu("L4", "NVIDIA", "Ada", 24, 300, mem_type="GDDR6"))
    ('vLLM', 'new', 'vLLM/new', 'fp8', 'Ada', 'GDDR', 'vLLM/Ada', 'vLLM/GDDR', 'fp8/Ada')
    """
    chip, memory = architecture_class(gpu), memory_class(gpu)
    own = (f"{engine.value}/{chip}", f"{engine.value}/{memory}", f"{family}/{chip}")
    return (engine.value, era.value, f"{engine.value}/{era.value}", family, chip, memory, *own)


def serving_constants(calibration: Calibration, classes: tuple[str, ...]) -> ServingConstants:
    """The constants of a server of these classes. Raises KeyError when the calibration lacks one."""
    values = calibration.serving.resolve(classes)
    return ServingConstants(**{each.name: values[each.name] for each in fields(ServingConstants)})


def training_classes(framework: Framework, method: str, family: str, gpu: Gpu) -> tuple[str, ...]:
    """The classes of a training job: framework, method, precision family, architecture, memory, and whether NVLink
    spans a rack, where experts exchange tokens at its rate across machines.

    >>> training_classes(Framework.FSDP, "full", "fp16", Gpu("L4", "NVIDIA", "Ada", 24, 300, mem_type="GDDR6"))
    ('FSDP', 'full', 'fp16', 'Ada', 'GDDR', 'FSDP/fp16', 'machine')
    """
    memory = memory_class(gpu)
    reach = "rack" if RACK_MARK in gpu.nvlink_gen else "machine"
    return (framework.value, method, family, architecture_class(gpu), memory, f"{framework.value}/{family}", reach)


def training_constants(calibration: Calibration, classes: tuple[str, ...]) -> TrainingConstants:
    """The constants of a training job of these classes. Raises KeyError when the calibration lacks one."""
    values = calibration.training.resolve(classes)
    return TrainingConstants(**{each.name: values[each.name] for each in fields(TrainingConstants)})


def link_constants(calibration: Calibration, classes: tuple[str, ...]) -> LinkConstants:
    """The constants of an interconnect of these classes. Raises KeyError when the calibration lacks one."""
    values = calibration.links.resolve(classes)
    return LinkConstants(**{each.name: values[each.name] for each in fields(LinkConstants)})


def memory_constants(calibration: Calibration, classes: tuple[str, ...]) -> MemoryConstants:
    """The constants of a memory estimate of these classes. Raises KeyError when the calibration lacks one."""
    values = calibration.memory.resolve(classes)
    return MemoryConstants(**{each.name: values[each.name] for each in fields(MemoryConstants)})


def band(calibration: Calibration, metric: str, engine: str, family: str, chip: str | None = None) -> Band | None:
    """The band of the narrowest class that has one: metric, engine and precision; then metric and engine; then metric.

    With a `chip` (`chip_class`), the band of that class of chips. Where its engine has too few measurements in this
    precision it takes in the band above; where it has too few at all it also takes in the widest of its few residuals
    and of the metric's band over all classes, and is marked as borrowed. None: no residual is known, so no band.
    """
    return found_band(calibration.bands, metric, engine, family, chip)


def found_band(bands: Mapping[str, Band], metric: str, engine: str, family: str, chip: str | None) -> Band | None:
    """`band` in a table of bands."""
    keys = (f"{metric}|{engine}|{family}", f"{metric}|{engine}|", f"{metric}||")
    wide = next((bands[key] for key in keys if key in bands), None)
    if wide is None or not chip:
        return wide
    own = bands.get(f"{keys[0]}|{chip}")
    return own or _joined(wide, bands.get(f"{keys[1]}|{chip}"), bands.get(f"{metric}|||{ANY_CHIP}"))


def _joined(wide: Band, own: Band | None, everywhere: Band | None) -> Band:
    """From the lowest to the highest end of the bands of a precision, of a chip and, with few rows of it, of all."""
    rows = own.rows if own else 0
    is_borrowed = rows < ROWS_OF_OWN_BAND
    parts = [part for part in (wide, own, everywhere if is_borrowed else None) if part]
    return Band(min(part.low_ratio for part in parts), max(part.high_ratio for part in parts), rows, is_borrowed)


def banded(value: float, width: Band | None) -> tuple[float, float] | None:
    """Low and high end of an estimate.

    >>> banded(100.0, Band(0.9, 1.25, 40))
    (90.0, 125.0)
    """
    return None if width is None else (value * width.low_ratio, value * width.high_ratio)


def anchored(value: float, near_measured: float, near_predicted: float) -> tuple[float, float]:
    """An estimate re-anchored to our own run near it: value × measured ÷ predicted there, and that factor, which is
    shown. What comes out is an estimate scaled from a measurement, never a measurement.

    >>> anchored(1000.0, 900.0, 1200.0)
    (750.0, 0.75)
    """
    factor = near_measured / near_predicted
    return value * factor, factor
