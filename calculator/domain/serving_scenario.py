"""What a visitor sets on the inference page, what the catalogue and the calibration know, and numbers with a band."""

import datetime as dt
import enum
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from calculator.domain.calibration import Calibration, Engine, Era
from calculator.domain.hardware import Gpu
from calculator.domain.llm import LOCAL_LAYERS, MLA, LanguageModel
from calculator.domain.offers import Basis, Sku
from calculator.domain.provenance import Kind, Sourced


class LoadBy(enum.StrEnum):
    """How the visitor states the load: clients at once, or requests that arrive a second."""

    CONCURRENCY = "concurrency"
    RATE = "rate"


class CachePrecision(enum.StrEnum):
    """Precision of the KV cache, apart from the weights'."""

    FP16 = "fp16"
    FP8 = "fp8"


CACHE_ELEMENT_BYTES = {CachePrecision.FP16: 2.0, CachePrecision.FP8: 1.0}


@dataclass(frozen=True, slots=True)
class InferenceScenario:
    """Everything a visitor may set. Ratios are 0–1, targets milliseconds (0 = none); None = unknown or "the usual".

    `instances` of the SKU stand in one machine; `tensor_parallel` × `pipeline_parallel` GPUs hold one replica (None:
    the smallest division that fits, `serving_division`) and `replicas` None = as many as the GPUs hold. `gpu` names a
    data sheet in place of the SKU's. `memory_ratio` and `max_sequences` None = the calibration's. `params` and what
    follows describe a model that the catalogue lacks. `volume_tokens` is the month's output, None = what the point
    yields at the planned utilisation. `also_ranked` are weight formats that the ranking tries beside `precision`.
    """

    catalog_version: int
    at: dt.datetime
    model: str = "Mistral-7B-v0.3"
    sku: str = "GPU-ENTERPRISE"
    gpu: str = ""
    instances: int = 1
    tensor_parallel: int | None = None
    pipeline_parallel: int | None = None
    replicas: int | None = None
    precision: str = "fp16"
    cache: CachePrecision = CachePrecision.FP16
    engine: Engine = Engine.VLLM
    era: Era = Era.NEW
    prompt_tokens: int = 1024
    output_tokens: int = 256
    load: LoadBy = LoadBy.CONCURRENCY
    concurrency: int = 16
    requests_per_s: Decimal | None = None
    prefix_hit_ratio: Decimal = Decimal(0)
    first_token_ms: Decimal = Decimal(500)
    token_ms: Decimal = Decimal(50)
    end_to_end_ms: Decimal = Decimal(0)
    memory_ratio: Decimal | None = None
    max_sequences: int | None = None
    basis: Basis = Basis.HOUR
    price_eur: Decimal | None = None
    hours_per_month_h: Decimal = Decimal(720)
    utilisation_ratio: Decimal = Decimal("0.65")
    volume_tokens: Decimal | None = None
    also_ranked: tuple[str, ...] = ()
    params: int | None = None
    active_params: int | None = None
    layers: int | None = None
    hidden: int | None = None
    heads: int | None = None
    kv_heads: int | None = None
    head_dim: int | None = None
    intermediate: int | None = None
    vocab: int | None = None
    tied: bool = False
    max_context: int | None = None
    experts: int | None = None
    experts_top_k: int | None = None
    latent_rank: int | None = None
    rope_dim: int | None = None
    window: int | None = None
    window_pattern: str = ""
    calibration: str = ""

    @property
    def tensor(self) -> int:
        """GPUs that share every matrix; 1 as long as none is chosen."""
        return self.tensor_parallel or 1

    @property
    def stages(self) -> int:
        """Stages that share the layers; 1 as long as none is chosen."""
        return self.pipeline_parallel or 1

    @property
    def replica_gpus(self) -> int:
        """GPUs of one replica."""
        return self.tensor * self.stages


class IncompleteModelError(ValueError):
    """A typed model whose sizes do not follow; `missing` names the scenario's fields that lack or contradict others."""

    def __init__(self, missing: tuple[str, ...]) -> None:
        super().__init__(f"missing: {', '.join(missing)}")
        self.missing = missing


NEEDED = ("params", "layers", "hidden", "heads", "vocab")
OWN_MODEL = "own"
"""Name of a typed model that the visitor did not name."""


def is_own_model(scenario: InferenceScenario) -> bool:
    """Whether the visitor describes a model himself: any of its dimensions is typed."""
    return any(getattr(scenario, name) is not None for name in NEEDED)


def own_model(scenario: InferenceScenario) -> LanguageModel:
    """The model that the visitor describes. Raises IncompleteModelError naming what is missing.

    KV heads default to the heads and the head's size to hidden ÷ heads, as configuration files mean it.
    """
    missing = tuple(name for name in NEEDED if not getattr(scenario, name))
    params, layers, hidden = scenario.params, scenario.layers, scenario.hidden
    heads, vocab = scenario.heads, scenario.vocab
    if params is None or layers is None or hidden is None or heads is None or vocab is None or missing:
        raise IncompleteModelError(missing)
    if scenario.latent_rank and not scenario.rope_dim:
        raise IncompleteModelError(("rope_dim",))
    embeddings = vocab * hidden * (1 if scenario.tied else 2)
    if not embeddings < params or not embeddings < (scenario.active_params or params) <= params:
        raise IncompleteModelError(("active_params" if embeddings < params else "params",))
    if not (scenario.head_dim or hidden // heads):
        raise IncompleteModelError(("heads",))
    kv_heads = scenario.kv_heads or heads
    return LanguageModel(
        name=scenario.model or OWN_MODEL,
        params_total=params,
        params_active=scenario.active_params or params,
        params_non_embedding=params - embeddings,
        layers=layers,
        hidden=hidden,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=scenario.head_dim or hidden // heads,
        intermediate=scenario.intermediate or 4 * hidden,
        vocab=vocab,
        tied_embeddings=scenario.tied,
        max_context=scenario.max_context or 0,
        attention=MLA if scenario.latent_rank else "MHA" if kv_heads == heads else "GQA",
        sliding_window=scenario.window,
        sliding_pattern=scenario.window_pattern if scenario.window_pattern in LOCAL_LAYERS else "",
        kv_lora_rank=scenario.latent_rank,
        qk_rope_head_dim=scenario.rope_dim,
        n_experts=scenario.experts,
        experts_top_k=scenario.experts_top_k,
        source=OWN_MODEL,
    )


@dataclass(frozen=True, slots=True)
class Offer:
    """Hardware that can be rented: a SKU with the data sheet of its GPU (None: the catalogue has none)."""

    sku: Sku
    gpu: Gpu | None


@dataclass(frozen=True, slots=True)
class KnownRun:
    """One of our own published runs: total output tokens a second of an instance under stated conditions."""

    model: str
    precision: str
    engine: Engine
    concurrency: int
    prompt_tokens: int
    output_tokens: int
    output_tok_per_s: Sourced[float]
    run: str = ""


@dataclass(frozen=True, slots=True)
class InferenceFacts:
    """Everything from the catalogue and the calibration that an estimate may use.

    `offer` is what was asked for, `offers` all that enter the ranking; `is_own_model` = the dimensions were typed.
    """

    catalog_version: int
    catalog_date: dt.date
    at: dt.datetime
    day: dt.date
    model: LanguageModel
    offer: Offer
    offers: tuple[Offer, ...]
    calibration: Calibration
    runs: tuple[KnownRun, ...] = ()
    claim_tok_per_s: Sourced[float] | None = None
    is_own_model: bool = False


@dataclass(frozen=True, slots=True)
class Ranged:
    """A number with the band of its class; `low` and `high` None = no residual is known. `kind` is its origin."""

    value: float
    low: float | None = None
    high: float | None = None
    kind: Kind = Kind.ESTIMATE

    def scaled(self, factor: float) -> "Ranged":
        """Value and band times a positive factor: another unit, the same uncertainty."""
        low = None if self.low is None else self.low * factor
        high = None if self.high is None else self.high * factor
        return Ranged(self.value * factor, low, high, self.kind)

    def inverted(self, numerator: float = 1.0) -> "Ranged":
        """numerator ÷ value: the band's ends change places."""
        low = None if not self.high else numerator / self.high
        high = None if not self.low else numerator / self.low
        return Ranged(numerator / self.value, low, high, self.kind)


Changes = Mapping[str, object]
"""Fields of a scenario with other values: what a way out changes."""
