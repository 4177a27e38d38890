"""From a probe's sizes and times to its rates, and whether a rate can be true. Standard library only.

Rates are in SI units (10¹² FLOP/s, 10⁹ bytes/s). Peaks are dense peaks: a peak with sparsity is twice as high and no
yardstick for dense work.
"""

from collections.abc import Callable
from dataclasses import dataclass

PLAUSIBLE_RATIO = 1.05
TRIAD_ARRAYS_COUNT = 3
FLOP_A_PRODUCT = 2
RECOMPUTE_FACTOR = 4 / 3
FORMULA = "tokens/s × (6·N + 12·L·H·Q·T) ÷ (dense peak × GPUs)"


class ImplausibleError(ValueError):
    """A rate above what the hardware can do: the probe measured something else."""

    def __init__(self, name: str, value: float, peak: float) -> None:
        super().__init__(
            f"{name}: {value:.4g} is {value / peak:.0%} of {peak:.4g}; not synchronised or in cache, so not accepted"
        )


def gemm_tflops(rows: int, columns: int, inner: int, seconds: float) -> float:
    """2·M·N·K operations: 8192³ in 1.45 ms is 758.3 TFLOP/s."""
    return FLOP_A_PRODUCT * rows * columns * inner / seconds / 1e12


def triad_gb_per_s(elements: int, element_bytes: int, seconds: float) -> float:
    """Two arrays read and one written: 2²⁸ fp32 in 1.10 ms is 2,928 GB/s."""
    return TRIAD_ARRAYS_COUNT * elements * element_bytes / seconds / 1e9


def copy_gb_per_s(elements: int, element_bytes: int, seconds: float) -> float:
    """One array read and one written."""
    return 2 * elements * element_bytes / seconds / 1e9


@dataclass(frozen=True, slots=True)
class Collective:
    """Bytes of the buffer ÷ time, and what each link carried if the network is flat; None for a single rank."""

    alg_gb_per_s: float
    bus_gb_per_s: float | None


BUS_FACTORS: dict[str, Callable[[int], float]] = {
    "all_reduce": lambda ranks: 2 * (ranks - 1) / ranks,
    "all_gather": lambda ranks: (ranks - 1) / ranks,
    "reduce_scatter": lambda ranks: (ranks - 1) / ranks,
    "broadcast": lambda ranks: 1.0,
}


def collective(kind: str, size_bytes: int, ranks: int, seconds: float) -> Collective:
    """All-reduce of 1 GiB over 8 ranks in 5.0 ms: 214.7 GB/s, bus 375.8; KeyError for an unknown kind."""
    alg = size_bytes / seconds / 1e9
    return Collective(alg, None if ranks < 2 else alg * BUS_FACTORS[kind](ranks))


@dataclass(frozen=True, slots=True)
class Shape:
    """What a training step's work depends on: parameters, layers, heads, width of a head, tokens of a sequence."""

    parameters: float
    layers: int
    heads: int
    head_width: int
    sequence_tokens: int

    @property
    def attention_flop(self) -> float:
        """12·L·H·Q·T operations a token, attention counted whole as in the PaLM paper's appendix B."""
        return 12.0 * self.layers * self.heads * self.head_width * self.sequence_tokens

    def training_flop(self, *, frozen_base: bool, recomputed: bool, adapter_parameters: float = 0.0) -> "TrainingFlop":
        """Operations of one trained token: what the model needs, and what the hardware does.

        Weights: 2·N forward, 2·N for the gradient of the inputs, 2·N for that of trained weights; a frozen base has no
        such gradient, its adapters have all three. Attention: a third of 12·L·H·Q·T forward, the rest backward.
        Recomputation does the forward pass once more: hardware counts it, the model does not.

        >>> shape = Shape(parameters=7.24e9, layers=32, heads=32, head_width=128, sequence_tokens=4096)
        >>> shape.training_flop(frozen_base=True, recomputed=False).weights / 7.24e9
        4.0
        """
        passes = 2 if frozen_base else 3
        weights = FLOP_A_PRODUCT * (passes * self.parameters + 3 * adapter_parameters)
        model = weights + self.attention_flop
        again = FLOP_A_PRODUCT * (self.parameters + adapter_parameters) + self.attention_flop / 3
        return TrainingFlop(weights, model, model + again if recomputed else model)


@dataclass(frozen=True, slots=True)
class TrainingFlop:
    """Operations of one trained token: weights alone, with attention, and with what is recomputed."""

    weights: float
    model: float
    hardware: float


@dataclass(frozen=True, slots=True)
class Utilisation:
    """Shares of the dense peak: with attention, of the parameters alone, and with full recomputation (hardware)."""

    mfu_ratio: float
    parameters_only_ratio: float
    hfu_ratio: float
    formula: str = FORMULA


def utilisation(shape: Shape, tok_per_s: float, peak_tflops: float, gpu_count: int = 1) -> Utilisation:
    """7.24 B parameters, 32 layers of 32 heads of 128, 4,096 tokens, 3,000 tok/s on 312 TFLOP/s: 48.0 %, 41.8, 64.0."""
    peak = peak_tflops * 1e12 * gpu_count
    mfu = tok_per_s * (6 * shape.parameters + shape.attention_flop) / peak
    return Utilisation(mfu, tok_per_s * 6 * shape.parameters / peak, mfu * RECOMPUTE_FACTOR)


def plausible(name: str, value: float, peak: float) -> float:
    """`value` itself; ImplausibleError above 105 % of the peak of the data sheet."""
    if value > peak * PLAUSIBLE_RATIO:
        raise ImplausibleError(name, value, peak)
    return value
