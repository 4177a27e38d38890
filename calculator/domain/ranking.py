"""Every SKU × count × division for the same load and targets: what meets them, what is cheapest, why others fail."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from calculator.domain.calibration import Engine
from calculator.domain.memory import parallel_faults
from calculator.domain.serving import end_to_end_s
from calculator.domain.serving_layout import written_cache
from calculator.domain.serving_outcome import Outcome, outcome
from calculator.domain.serving_scenario import InferenceFacts, InferenceScenario, Offer

COUNTS = (1, 2, 4, 8)
MOST_INSTANCES = 16
"""Up to so many instances the fewest that hold the targets are looked for."""
DIVISIONS = (1, 2, 4, 8)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One line of the ranking: an offer, how many, how divided, and what that comes to."""

    offer: Offer
    outcome: Outcome
    on_front: bool = False
    with_wide_cache: bool = False

    @property
    def scenario(self) -> InferenceScenario:
        """The scenario of this line; the visitor's own but for the hardware."""
        return self.outcome.scenario

    @property
    def needs_one_machine(self) -> bool:
        """Whether a replica lies over several instances, which must then stand in one machine."""
        return self.scenario.replica_gpus > self.offer.sku.gpu_count

    @property
    def eur_per_h(self) -> Decimal | None:
        """What it costs an hour; None on request."""
        return self.outcome.eur_per_h

    @property
    def latency_s(self) -> float | None:
        """From sending a request to its last token; None where it does not fit."""
        served = self.outcome.served
        return None if served is None else end_to_end_s(served.point, served.output_tokens)

    @property
    def worst_excess(self) -> float:
        """How far the worst missed target is missed; 0 where all hold, infinite where it does not fit."""
        if not self.outcome.fits:
            return float("inf")
        return max((miss.excess_ratio for miss in self.outcome.misses), default=0.0)


@dataclass(frozen=True, slots=True)
class Ranking:
    """All candidates, one best line for each SKU (meeting first, then the cheaper), and the cheapest that meets."""

    candidates: tuple[Candidate, ...]
    by_sku: tuple[Candidate, ...]
    cheapest: Candidate | None


def divisions(scenario: InferenceScenario, facts: InferenceFacts, gpus: int) -> Iterator[tuple[int, int]]:
    """Valid divisions of a replica over `gpus` GPUs as (tensor, pipeline); llama.cpp splits layers."""
    for size in DIVISIONS:
        tensor, pipeline = (1, size) if scenario.engine is Engine.LLAMA_CPP else (size, 1)
        if size <= gpus and gpus % size == 0 and not parallel_faults(facts.model, tensor, pipeline):
            yield tensor, pipeline


def setups(
    scenario: InferenceScenario, facts: InferenceFacts, precisions: Iterable[str]
) -> Iterator[tuple[Offer, InferenceScenario]]:
    """Every offer × count × division × precision as a scenario of its own, replicas as many as the GPUs hold."""
    wanted = tuple(precisions)
    for offer in facts.offers:
        for count in COUNTS:
            for tensor, pipeline in divisions(scenario, facts, count * offer.sku.gpu_count):
                for precision in wanted:
                    yield (
                        offer,
                        replace(
                            scenario,
                            sku=scenario.sku if offer == facts.offer else offer.sku.code,
                            gpu=scenario.gpu if offer == facts.offer else "",
                            price_eur=scenario.price_eur if offer == facts.offer else None,
                            instances=count,
                            tensor_parallel=tensor,
                            pipeline_parallel=pipeline,
                            replicas=None,
                            precision=precision,
                            cache=written_cache(scenario, offer.gpu),
                        ),
                    )


def order(candidate: Candidate) -> tuple[bool, float, bool, Decimal, int, float]:
    """Those that meet the targets first, then by how far they miss; priced before unpriced, cheaper, fewer, faster."""
    hourly, latency = candidate.eur_per_h, candidate.latency_s
    gpus = candidate.scenario.instances * candidate.offer.sku.gpu_count
    return (
        not candidate.outcome.meets,
        candidate.worst_excess,
        hourly is None,
        hourly if hourly is not None else Decimal(0),
        gpus,
        latency if latency is not None else 0.0,
    )


def with_front(candidates: Iterable[Candidate]) -> Iterator[Candidate]:
    """The candidates, those marked that no other undercuts in both € an hour and latency (the Pareto front)."""
    listed = list(candidates)
    priced = [(one.eur_per_h, one.latency_s) for one in listed]
    known = [(cost, wait) for cost, wait in priced if cost is not None and wait is not None]
    for one, (cost, wait) in zip(listed, priced, strict=True):
        beaten = (
            cost is None
            or wait is None
            or any((other <= cost and slower < wait) or (other < cost and slower <= wait) for other, slower in known)
        )
        yield replace(one, on_front=not beaten)


def candidate(offer: Offer, asked: InferenceScenario, facts: InferenceFacts) -> Candidate:
    """One line; its cache may be wider than the one that `facts` were asked for."""
    return Candidate(offer, outcome(asked, replace(facts, offer=offer)))


def may_yet_meet(one: Candidate) -> bool:
    """Whether more replicas may help: it fits, and a replica still has more than its own client."""
    served = one.outcome.served
    return served is not None and served.concurrency > served.replicas


def fewest(tried: list[Candidate], facts: InferenceFacts) -> Iterator[Candidate]:
    """The fewest instances of one offer and division that hold the targets, where they lie between those tried.

    Replicas share the load, so that more of them are never slower: halving finds it.
    """
    last = tried[-1]
    meeting = next((one for one in tried if one.outcome.meets), None)
    if meeting is None and may_yet_meet(last) and last.scenario.instances * 2 == MOST_INSTANCES:
        meeting = candidate(last.offer, replace(last.scenario, instances=MOST_INSTANCES), facts)
        if meeting.outcome.meets:
            yield meeting
    if meeting is None or not meeting.outcome.meets:
        return
    each, scenario = meeting.offer.sku.gpu_count, meeting.scenario
    step = max(1, scenario.replica_gpus // each)
    missing = [one.scenario.instances for one in tried if not one.outcome.meets]
    low, high = max(missing, default=0) // step + 1, scenario.instances // step - 1
    while low <= high:
        middle = (low + high) // 2
        found = candidate(meeting.offer, replace(scenario, instances=middle * step), facts)
        if found.outcome.meets:
            yield found
            high = middle - 1
        else:
            low = middle + 1


def every(scenario: InferenceScenario, facts: InferenceFacts, precisions: Iterable[str]) -> Iterator[Candidate]:
    """The setups at the usual counts, and at the fewest instances that hold the targets."""
    groups: dict[tuple[str, int, int, str], list[Candidate]] = {}
    for offer, asked in setups(scenario, facts, precisions):
        key = (offer.sku.code, asked.tensor, asked.stages, asked.precision)
        groups.setdefault(key, []).append(candidate(offer, asked, facts))
    for tried in groups.values():
        yield from tried
        yield from fewest(tried, facts)


def ranking(scenario: InferenceScenario, facts: InferenceFacts) -> Ranking:
    """The ranking of all offers for the scenario's load and targets, at its own weight format and those also asked."""
    wanted = tuple(dict.fromkeys((scenario.precision, *scenario.also_ranked)))
    tried = (
        replace(one, with_wide_cache=one.scenario.cache is not scenario.cache) for one in every(scenario, facts, wanted)
    )
    candidates = tuple(sorted(with_front(tried), key=order))
    best: dict[str, Candidate] = {}
    for candidate in candidates:
        best.setdefault(candidate.offer.sku.code, candidate)
    meeting = (one for one in candidates if one.outcome.meets and one.eur_per_h is not None)
    return Ranking(candidates, tuple(best.values()), next(meeting, None))
