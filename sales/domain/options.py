"""The ways to serve a need, side by side: dedicated GPUs, an API, or GPUs for the base and an API for the peaks."""

import enum
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from calculator.domain.offers import ApiModel
from calculator.domain.provenance import Kind
from calculator.domain.scenario import ApiBill, EconomicsScenario, GpuBill, Message
from calculator.domain.serving_outcome import Outcome
from calculator.domain.serving_scenario import InferenceScenario
from calculator.domain.units import MTOK
from sales.domain.ranges import Range, range_of
from sales.domain.serving_offers import Sized

SHOWN_AT_MOST = 5


class Way(enum.StrEnum):
    """The kinds of option."""

    GPU = "gpu"
    API = "api"
    HYBRID = "hybrid"


class Targets(enum.StrEnum):
    """Whether the targets hold. UNKNOWN: nobody measured that API's latency. NONE: none is set."""

    MET = "met"
    MISSED = "missed"
    UNKNOWN = "unknown"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Option:
    """One way to serve the need. Money is EUR without VAT; None = on request, or a rate is missing.

    `month` is the economics scenario that gives the amounts (of a hybrid: its GPUs), `rest` that of a hybrid's API,
    `peak` the inference scenario of the busiest hour with its `busiest` outcome. `share` of the output stays on the
    GPUs. `loses` says at what volume another option wins.
    """

    way: Way
    month: EconomicsScenario
    month_eur: Decimal | None
    eur_per_mtok: Decimal | None
    targets: Targets
    trust: Kind | None
    sized: Sized | None = None
    bill: GpuBill | None = None
    api: ApiModel | None = None
    api_bill: ApiBill | None = None
    rest: EconomicsScenario | None = None
    peak: InferenceScenario | None = None
    busiest: Outcome | None = None
    instances: int | None = None
    share: Decimal = Decimal(1)
    loses: tuple[Message, ...] = ()

    @property
    def range(self) -> Range | None:
        """The class of its API; None without one."""
        return None if self.api is None else range_of(self.api.label)

    @property
    def utilisation_ratio(self) -> Decimal | None:
        """Share of the paid hours that produces; None where no GPU is rented."""
        return None if self.bill is None else self.bill.implied_utilisation_ratio

    @property
    def code(self) -> str:
        """A name for the option that its page can point to."""
        parts = (self.way.value, self.sized.sku.code if self.sized else "", self.api.code if self.api else "")
        return "-".join(part.lower().replace(".", "-") for part in parts if part)


@dataclass(frozen=True, slots=True)
class Excluded:
    """What was not taken, and why."""

    name: str
    reasons: tuple[Message, ...]


def per_mtok(total_eur: Decimal | None, tokens: Decimal) -> Decimal | None:
    """A month ÷ its output, per million tokens.

    >>> per_mtok(Decimal("830.64"), Decimal(100_000_000))
    Decimal('8.3064')
    """
    return None if total_eur is None or not tokens else total_eur * MTOK / tokens


def order(option: Option) -> tuple[bool, float, bool, Decimal]:
    """A missed target last, the nearest miss first; then what is on request, then the cheaper. An unknown latency is
    no miss."""
    misses = option.sized.misses if option.sized else ()
    worst = max((miss.excess_ratio for miss in misses), default=0.0)
    return option.targets is Targets.MISSED, worst, option.month_eur is None, option.month_eur or Decimal(0)


def shown(options: Iterable[Option]) -> tuple[Option, ...]:
    """At most five in their order; the best of each way stays, in place of the last of a way that has more."""
    ranked = sorted(options, key=order)
    kept = list(ranked[:SHOWN_AT_MOST])
    for way in Way:
        best = next((option for option in ranked if option.way is way), None)
        if best is not None and best not in kept:
            kept.remove(last_to_spare(kept))
            kept.append(best)
    return tuple(sorted(kept, key=order))


def last_to_spare(kept: Sequence[Option]) -> Option:
    """The last option whose way has another one before it."""
    return next(one for one in reversed(kept) if sum(1 for other in kept if other.way is one.way) > 1)


def models_of(options: Iterable[Option]) -> Iterator[str]:
    """The models that the options answer with, each once: they are not the same good."""
    seen = set()
    for option in options:
        names = [option.sized.scenario.model] if option.sized else []
        names += [option.api.label] if option.api else []
        for name in names:
            if name not in seen:
                seen.add(name)
                yield name
