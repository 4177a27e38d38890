"""What gives way first when more comes than today: a server's targets, a training's memory, an API's rate limit.

Everything is read from the estimates of the calculators, asked again with more load; nothing is extrapolated.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from math import ceil

from calculator.domain.scenario import EconomicsScenario, TrafficBy
from calculator.domain.serving_answer import InferenceEstimate
from calculator.domain.serving_outcome import Target, best_of
from calculator.domain.serving_scenario import InferenceScenario, LoadBy
from calculator.domain.training_fit import memory_of, verdict
from calculator.domain.training_scenario import TrainingFacts, TrainingScenario, Verdict
from calculator.domain.training_speed import settle

MINUTES_PER_HOUR = 60
BACK_OFF_S = (1, 2, 4)
"""Waits of three attempts that double, as published for clients of an API (facts of the offer, section 7)."""
MOST_MICRO_BATCH = 4096
MOST_SEQUENCE_TOKENS = 1_000_000
"""As large as the training page takes a micro-batch, and as long a sequence."""


# --- serving


@dataclass(frozen=True, slots=True)
class ServingLimit:
    """The most clients before one thing gives way: a target, or `memory` where the cache is full.

    `clients` None = even one client is too many. `asked` is the load of the scenario, in clients.
    """

    code: str
    clients: float | None
    asked: float

    @property
    def factor(self) -> float | None:
        """How many times today's clients that is; below 1 it has given way already."""
        return None if self.clients is None else self.clients / self.asked

    @property
    def has_given_way(self) -> bool:
        """Whether today's load is beyond it."""
        return self.clients is None or self.clients < self.asked


def serving_limits(estimate: InferenceEstimate) -> tuple[ServingLimit, ...]:
    """Each target alone and the room of the cache, in the order in which they give way; empty where nothing is served.

    A target that is not set is left out. Clients are over all replicas.
    """
    found = estimate.chosen
    if found.served is None or estimate.most_clients is None:
        return ()
    asked = found.served.concurrency
    limits = [ServingLimit("memory", float(estimate.most_clients), asked)]
    for target, alone in alone_with(found.scenario).items():
        best = best_of(replace(found, scenario=alone))
        clients = None if best is None else min(best.concurrency, float(estimate.most_clients))
        limits.append(ServingLimit(target.value, clients, asked))
    return tuple(sorted(limits, key=lambda limit: limit.clients or 0.0))


def alone_with(scenario: InferenceScenario) -> dict[Target, InferenceScenario]:
    """The scenario with each of its targets as the only one, by target."""
    bare = replace(scenario, first_token_ms=Decimal(0), token_ms=Decimal(0), end_to_end_ms=Decimal(0))
    found = {
        Target.TTFT: (scenario.first_token_ms, replace(bare, first_token_ms=scenario.first_token_ms)),
        Target.TPOT: (scenario.token_ms, replace(bare, token_ms=scenario.token_ms)),
        Target.E2E: (scenario.end_to_end_ms, replace(bare, end_to_end_ms=scenario.end_to_end_ms)),
    }
    return {target: alone for target, (limit, alone) in found.items() if limit}


def grown_serving(scenario: InferenceScenario, growth: Decimal) -> InferenceScenario:
    """The same server with `growth` times the load, rounded up to a whole client; the division stays open or typed."""
    if scenario.load is LoadBy.RATE and scenario.requests_per_s:
        return replace(scenario, requests_per_s=scenario.requests_per_s * growth)
    return replace(scenario, concurrency=ceil(scenario.concurrency * growth))


# --- training


@dataclass(frozen=True, slots=True)
class TrainingLimit:
    """The largest value of one input that still fits the memory; None = not even the smallest does."""

    code: str
    now: int
    most: int | None


def largest(fits: Callable[[int], bool], most: int) -> int | None:
    """The largest whole number from 1 to `most` that fits, where fitting ends once and for all; None = not even 1.

    >>> largest(lambda value: value <= 6, 1024), largest(lambda value: False, 8)
    (6, None)
    """
    low, high, kept = 1, most, None
    while low <= high:
        middle = (low + high) // 2
        if fits(middle):
            kept, low = middle, middle + 1
        else:
            high = middle - 1
    return kept


def training_limits(scenario: TrainingScenario, facts: TrainingFacts) -> tuple[TrainingLimit, ...]:
    """How far micro-batch and sequence can grow on the same GPUs; `scenario` has its division.

    The sequence ends at the model's context. Empty where the division itself is not valid.
    """

    def found(changed: TrainingScenario) -> Verdict:
        setup = settle(changed, facts)
        return verdict(setup, memory_of(setup))

    if found(scenario) is Verdict.IMPOSSIBLE:
        return ()
    context = facts.model.max_context or MOST_SEQUENCE_TOKENS
    batch = largest(lambda value: found(replace(scenario, micro_batch=value)) is not Verdict.MISFIT, MOST_MICRO_BATCH)
    longest = largest(lambda value: found(replace(scenario, sequence_tokens=value)) is not Verdict.MISFIT, context)
    return (
        TrainingLimit("micro_batch", scenario.micro_batch, batch),
        TrainingLimit("sequence_tokens", scenario.sequence_tokens, longest),
    )


# --- an API


@dataclass(frozen=True, slots=True)
class RateLimit:
    """A peak against the requests a minute that an API lets through.

    `refused_ratio` is the share of the peak answered with 429; `cache_ratio` the share of repeated requests that a
    response cache must answer for the rest to pass. `queued` requests wait where a client-side limit holds them back
    through a peak of `peak_h`; the last one waits `wait_s`, and the queue is empty `drained_s` after the peak, None =
    never, since the mean alone is above the limit.
    """

    mean_per_min: Decimal
    peak_per_min: Decimal
    limit_per_min: Decimal
    refused_ratio: Decimal
    cache_ratio: Decimal
    queued: Decimal
    wait_s: Decimal
    drained_s: Decimal | None

    @property
    def is_exceeded(self) -> bool:
        """Whether the peak is above what is let through."""
        return self.peak_per_min > self.limit_per_min


def rate_limit(
    requests_a_month: Decimal, hours_per_month_h: Decimal, peak_ratio: Decimal, limit_per_min: Decimal, peak_h: Decimal
) -> RateLimit:
    """A month's requests at their peak against a limit a minute.

    864 000 requests in 720 h are 20 a minute; a peak of 10 times that is 200. Against 100 a minute, half is refused; a
    client that waits instead queues 6 000 in an hour, an hour's work at 100, and needs 75 min at the mean to catch up.

    >>> found = rate_limit(Decimal(864_000), Decimal(720), Decimal(10), Decimal(100), Decimal(1))
    >>> [str(part) for part in (found.peak_per_min, found.refused_ratio, found.queued, found.wait_s, found.drained_s)]
    ['200', '0.5', '6000', '3600', '4500']
    """
    mean = requests_a_month / (hours_per_month_h * MINUTES_PER_HOUR)
    peak = mean * peak_ratio
    excess = max(Decimal(0), peak - limit_per_min)
    share = excess / peak if peak else Decimal(0)
    queued = excess * peak_h * MINUTES_PER_HOUR
    spare = limit_per_min - mean
    return RateLimit(
        mean_per_min=mean,
        peak_per_min=peak,
        limit_per_min=limit_per_min,
        refused_ratio=share,
        cache_ratio=share,
        queued=queued,
        wait_s=queued / limit_per_min * MINUTES_PER_HOUR,
        drained_s=queued / spare * MINUTES_PER_HOUR if spare > 0 else None,
    )


def back_off_s() -> int:
    """How long a request survives by waiting 1, 2 and 4 s between attempts; a longer peak loses it.

    >>> back_off_s()
    7
    """
    return sum(BACK_OFF_S)


def grown_traffic(scenario: EconomicsScenario, growth: Decimal) -> EconomicsScenario:
    """The same month with `growth` times the traffic, as it is stated: tokens or requests."""
    if scenario.traffic is TrafficBy.REQUESTS and scenario.requests_count is not None:
        return replace(scenario, requests_count=scenario.requests_count * growth)
    return replace(scenario, volume_tokens=scenario.volume_tokens * growth)
