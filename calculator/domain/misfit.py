"""Ways out for a setup that does not fit or misses its targets: each one recomputed, the cheapest first."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from calculator.domain.calibration import Engine
from calculator.domain.precision import PRECISIONS
from calculator.domain.ranking import Ranking
from calculator.domain.serving_layout import written_cache
from calculator.domain.serving_outcome import Outcome, Target, best_of, outcome
from calculator.domain.serving_scenario import CachePrecision, InferenceFacts, InferenceScenario, LoadBy

LIGHTER = {
    Engine.LLAMA_CPP: ("gguf-q8_0", "gguf-q4_k_m"),
    Engine.VLLM: ("fp8", "awq-int4"),
    Engine.SGLANG: ("fp8", "awq-int4"),
    Engine.TENSORRT_LLM: ("fp8", "awq-int4"),
}
SHARED_PROMPT_RATIO = Decimal("0.5")
"""Share of the prompt that the way out "prefix cache" supposes common to all requests."""
MORE_INSTANCES = range(2, 9)
SHORTEST_PROMPT = 16
MOST_SHOWN = 6


@dataclass(frozen=True, slots=True)
class WayOut:
    """One change and what it comes to. `hardware_support` False = it saves memory, but the GPU lacks 8-bit units.

    `with_wide_cache` = beside the change, a cache in 8 bits that the GPU only emulates goes back to 16.
    """

    code: str
    outcome: Outcome
    hardware_support: bool = True
    with_wide_cache: bool = False
    added_eur_per_h: Decimal | None = None

    @property
    def scenario(self) -> InferenceScenario:
        """The visitor's scenario with the change."""
        return self.outcome.scenario


Try = Callable[[InferenceScenario], Outcome]


def lighter_weights(found: Outcome, ask: Try) -> Iterator[WayOut]:
    """Weights in 8 and in 4 bits, where those are fewer than now."""
    scenario = found.scenario
    native = found.layout is not None and found.layout.deployment.gpu.fp8_native
    for code in LIGHTER[scenario.engine]:
        if PRECISIONS[code].weight_bits < PRECISIONS[scenario.precision].weight_bits:
            yield WayOut(f"weights_{code}", ask(replace(scenario, precision=code)), native or code != "fp8")


def lighter_cache(found: Outcome, ask: Try) -> Iterator[WayOut]:
    """The cache in 8 bits: twice the tokens, where the engine's configuration would ask for it on that GPU."""
    lighter = replace(found.scenario, cache=CachePrecision.FP8)
    gpu = found.layout.deployment.gpu if found.layout is not None else None
    if found.scenario.cache is CachePrecision.FP16 and written_cache(lighter, gpu) is CachePrecision.FP8:
        yield WayOut("cache_fp8", ask(lighter), gpu is not None and gpu.fp8_native)


def wide_cache(found: Outcome, ask: Try) -> Outcome | None:
    """The same setup with a cache in 16 bits, where the GPU only emulates the 8-bit one asked for."""
    held = found.layout
    if held is None or held.deployment.gpu.fp8_native or found.scenario.cache is CachePrecision.FP16:
        return None
    return ask(replace(found.scenario, cache=CachePrecision.FP16))


def wider_division(found: Outcome, ask: Try) -> Iterator[WayOut]:
    """Twice the GPUs a replica; more instances where those rented do not suffice."""
    scenario, held = found.scenario, found.layout
    if held is None:
        return
    if scenario.engine is Engine.LLAMA_CPP:
        wider = replace(scenario, pipeline_parallel=scenario.stages * 2)
    else:
        wider = replace(scenario, tensor_parallel=scenario.tensor * 2)
    needed = wider.replica_gpus
    each = held.offer.sku.gpu_count
    instances = max(scenario.instances, -(-needed // each))
    yield WayOut("tensor_parallel", ask(replace(wider, instances=instances, replicas=None)))


def shorter_prompt(found: Outcome, ask: Try) -> Iterator[WayOut]:
    """The longest prompt that is good enough, found by halving; none where even the shortest is not."""
    scenario = found.scenario
    low, high = SHORTEST_PROMPT, scenario.prompt_tokens - 1
    kept: Outcome | None = None
    while low <= high:
        middle = (low + high) // 2
        tried = ask(replace(scenario, prompt_tokens=middle))
        if tried.meets:
            kept, low = tried, middle + 1
        else:
            high = middle - 1
    if kept is not None:
        yield WayOut("shorter_prompt", kept)


def fewer_sequences(found: Outcome, ask: Try) -> Iterator[WayOut]:
    """As many clients as hold the targets on the same hardware."""
    best = best_of(found)
    if best is None or found.scenario.load is LoadBy.RATE or best.concurrency >= found.scenario.concurrency:
        return
    yield WayOut("fewer_sequences", ask(replace(found.scenario, concurrency=int(best.concurrency))))


def more_instances(found: Outcome, ask: Try) -> Iterator[WayOut]:
    """The fewest copies of the same instances that hold the targets."""
    for factor in MORE_INSTANCES:
        scenario = replace(found.scenario, instances=found.scenario.instances * factor, replicas=None)
        if (tried := ask(scenario)).meets:
            yield WayOut("more_instances", tried)
            return


def prefix_cache(found: Outcome, ask: Try) -> Iterator[WayOut]:
    """Half of the prompt shared by all requests and kept in the cache: it cuts the prompt's time, not the memory."""
    late = any(miss.target in (Target.TTFT, Target.RATE) for miss in found.misses)
    if late and found.scenario.prefix_hit_ratio < SHARED_PROMPT_RATIO:
        yield WayOut("prefix_cache", ask(replace(found.scenario, prefix_hit_ratio=SHARED_PROMPT_RATIO)))


def other_offer(ranked: Ranking, found: Outcome) -> Iterator[WayOut]:
    """The cheapest offer that holds the targets; else the first that fits, where the chosen one does not."""
    best = ranked.cheapest
    if best is None and not found.fits:
        best = next((one for one in ranked.candidates if one.outcome.fits), None)
    if best is not None and best.scenario != found.scenario:
        yield WayOut("other_offer", best.outcome)


def helps(way: WayOut, found: Outcome) -> bool:
    """A change is a way out when it fits where the setup does not, or holds the targets that it misses."""
    return way.outcome.fits if not found.fits else way.outcome.meets


def _dearness(way: WayOut) -> tuple[bool, bool, Decimal, bool]:
    hourly = way.outcome.eur_per_h
    return (
        not way.outcome.meets,
        hourly is None,
        hourly if hourly is not None else Decimal(0),
        not way.hardware_support,
    )


def ways_out(found: Outcome, facts: InferenceFacts, ranked: Ranking) -> tuple[WayOut, ...]:
    """The changes that help, those that hold the targets first, then by € an hour; none for a setup that meets them."""
    if found.reasons or found.meets:
        return ()

    def ask(scenario: InferenceScenario) -> Outcome:
        return outcome(scenario, facts)

    ways = [way for each in TRIES for way in each(found, ask)]
    repaired = wide_cache(found, ask)
    if repaired is not None:
        ways.append(WayOut("cache_fp16", repaired))
        more = (way for each in TRIES if each is not lighter_cache for way in each(repaired, ask))
        ways += [] if repaired.meets else [replace(way, with_wide_cache=True) for way in more]
    ways += other_offer(ranked, found)
    helping = sorted((way for way in ways if helps(way, found)), key=_dearness)[:MOST_SHOWN]
    return tuple(replace(way, added_eur_per_h=_added(way, found)) for way in helping)


TRIES = (
    lighter_weights,
    lighter_cache,
    fewer_sequences,
    shorter_prompt,
    prefix_cache,
    wider_division,
    more_instances,
)
"""The single changes, in the order in which they are tried."""


def _added(way: WayOut, found: Outcome) -> Decimal | None:
    if way.outcome.eur_per_h is None or found.eur_per_h is None:
        return None
    return way.outcome.eur_per_h - found.eur_per_h
