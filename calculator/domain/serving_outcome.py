"""One setup under one load: does it fit, how fast is it, does it hold the targets, what does it cost.

The same function answers the chosen setup, each way out and each line of the ranking.
"""

import enum
from dataclasses import dataclass
from decimal import Decimal

from calculator.domain.hardware import memory_bytes
from calculator.domain.inference import NotModelledError
from calculator.domain.memory import (
    Line,
    MemoryEstimate,
    kv_budget_bytes,
    kv_bytes_a_gpu,
    live_tokens,
    serving_memory,
)
from calculator.domain.scenario import Message
from calculator.domain.serving import Load, Point, Targets, end_to_end_s
from calculator.domain.serving_cost import eur_per_h
from calculator.domain.serving_layout import Layout, faults, layout
from calculator.domain.serving_load import MINIMUM_ROOM, Served, Server, best, by_clients, by_rate, room_of, server
from calculator.domain.serving_scenario import InferenceFacts, InferenceScenario, LoadBy

MS = 1000.0


class Target(enum.StrEnum):
    """What a setup may miss."""

    TTFT = "ttft"
    TPOT = "tpot"
    E2E = "e2e"
    RATE = "rate"


@dataclass(frozen=True, slots=True)
class Miss:
    """A target that is not held: the value reached and the limit, both in seconds (requests a second for RATE)."""

    target: Target
    value: float
    limit: float

    @property
    def excess_ratio(self) -> float:
        """By how much the limit is missed, relative to it."""
        return (self.value / self.limit if self.target is not Target.RATE else self.limit / self.value) - 1


@dataclass(frozen=True, slots=True)
class ServingMemory:
    """One GPU's memory: lines, what the engine may use, what the card has; and sequences that its cache holds.

    `mean_sequences` counts a request's mean live context, `full_sequences` its whole context, over all replicas;
    `room_tokens` are the cache's tokens on one replica.
    """

    estimate: MemoryEstimate
    total_bytes: float
    mean_sequences: float
    full_sequences: float
    room_tokens: float

    @property
    def free_bytes(self) -> float:
        """What the engine may use beyond its lines; never negative."""
        return max(0.0, self.estimate.usable_bytes - self.estimate.needed_bytes)

    @property
    def lacking_bytes(self) -> float:
        """What is missing for one sequence; 0 where the model fits."""
        return max(0.0, self.estimate.needed_bytes - self.estimate.usable_bytes)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a scenario comes to on its hardware. `reasons` say why there is no answer; then the rest is None.

    `memory` without `served` = it does not fit.
    """

    scenario: InferenceScenario
    layout: Layout | None = None
    memory: ServingMemory | None = None
    server: Server | None = None
    served: Served | None = None
    misses: tuple[Miss, ...] = ()
    eur_per_h: Decimal | None = None
    reasons: tuple[Message, ...] = ()

    @property
    def fits(self) -> bool:
        """Whether the model fits and could be sized."""
        return self.served is not None

    @property
    def failing(self) -> Line | None:
        """The memory line that no longer fits."""
        return None if self.memory is None or self.fits else self.memory.estimate.failing or Line.KV_CACHE

    @property
    def meets(self) -> bool:
        """Whether it fits and holds every target."""
        return self.fits and not self.misses


def load_of(scenario: InferenceScenario) -> Load:
    """The scenario's lengths and clients as the kernel takes them."""
    return Load(
        float(scenario.prompt_tokens),
        float(scenario.output_tokens),
        float(scenario.concurrency),
        float(scenario.prefix_hit_ratio),
    )


def targets_of(scenario: InferenceScenario) -> Targets:
    """The scenario's targets in seconds; 0 sets none."""
    limits = (scenario.first_token_ms, scenario.token_ms, scenario.end_to_end_ms)
    return Targets(*(float(limit) / MS if limit else None for limit in limits))


def times(found: Point, output_tokens: float) -> dict[Target, float]:
    """A point's latencies by target, in seconds."""
    return {
        Target.TTFT: found.first_token_s,
        Target.TPOT: found.token_s,
        Target.E2E: end_to_end_s(found, output_tokens),
    }


def limits(targets: Targets) -> dict[Target, float | None]:
    """The limits by target, in seconds."""
    return {
        Target.TTFT: targets.first_token_s,
        Target.TPOT: targets.token_s,
        Target.E2E: targets.end_to_end_s,
    }


def misses(served: Served, targets: Targets) -> tuple[Miss, ...]:
    """The targets that a point does not hold; a rate beyond capacity is one of them."""
    limit_of = limits(targets)
    found = [
        Miss(target, value, limit)
        for target, value in times(served.point, served.output_tokens).items()
        if (limit := limit_of[target]) is not None and value > limit
    ]
    if served.is_beyond_capacity and served.asked_per_s is not None:
        found.append(Miss(Target.RATE, served.capacity_per_s, served.asked_per_s))
    return tuple(found)


def memory_of(scenario: InferenceScenario, held: Layout, running: float) -> ServingMemory:
    """One GPU's memory with `running` sequences a replica at their mean live context."""
    deployment, constants = held.deployment, held.constants
    prompt, output = float(scenario.prompt_tokens), float(scenario.output_tokens)
    live = live_tokens(prompt, output, constants)
    budget = max(0.0, kv_budget_bytes(deployment, constants, held.engine))
    full = budget / kv_bytes_a_gpu(deployment, prompt + output) * deployment.attention_parallel
    one_block = kv_bytes_a_gpu(deployment, prompt + output) / (prompt + output)
    return ServingMemory(
        estimate=serving_memory(deployment, constants, held.engine, live, running),
        total_bytes=memory_bytes(deployment.gpu),
        mean_sequences=room_of(held, prompt, output) * held.replicas,
        full_sequences=full * held.replicas,
        room_tokens=budget / one_block,
    )


def under_load(scenario: InferenceScenario, one: Server) -> Served:
    """The replicas under the scenario's clients or its rate of requests; without a rate, under one client."""
    load = load_of(scenario)
    if scenario.load is LoadBy.RATE and scenario.requests_per_s:
        return by_rate(one, load, float(scenario.requests_per_s))
    return by_clients(one, load)


def outcome(scenario: InferenceScenario, facts: InferenceFacts) -> Outcome:
    """What a scenario comes to on `facts.offer`: faults first, then memory, then speed."""
    if found := faults(scenario, facts):
        return Outcome(scenario, reasons=found)
    held = layout(scenario, facts)
    hourly = eur_per_h(scenario, facts.offer.sku, scenario.instances)
    try:
        one = server(held, float(scenario.prompt_tokens), float(scenario.output_tokens))
    except NotModelledError as error:
        return Outcome(scenario, held, eur_per_h=hourly, reasons=(Message(error.code, {"name": facts.offer.sku.gpu}),))
    if one is None:
        return Outcome(scenario, held, memory_of(scenario, held, MINIMUM_ROOM), eur_per_h=hourly)
    served = under_load(scenario, one)
    return Outcome(
        scenario=scenario,
        layout=held,
        memory=memory_of(scenario, held, served.point.running),
        server=one,
        served=served,
        misses=misses(served, targets_of(scenario)),
        eur_per_h=hourly,
    )


def best_of(found: Outcome) -> Served | None:
    """The most clients under the targets on that setup; None where it does not fit or one client misses them."""
    if found.server is None:
        return None
    return best(found.server, load_of(found.scenario), targets_of(found.scenario))
