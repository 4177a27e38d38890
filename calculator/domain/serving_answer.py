"""The inference calculator's answer: memory, speeds, the point under the targets, roofline, cost, ranking, steps."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from calculator.domain.calibration import Engine, band, chip_class
from calculator.domain.goodput import Goodput, goodput
from calculator.domain.llm import LOCAL_LAYERS
from calculator.domain.misfit import WayOut, ways_out
from calculator.domain.precision import PRECISIONS
from calculator.domain.provenance import Kind, Step
from calculator.domain.ranking import Ranking, ranking
from calculator.domain.roofline import Roofline, roofline
from calculator.domain.scenario import Headline, Message, MessageValue
from calculator.domain.serving import single_stream_tok_per_s
from calculator.domain.serving_cost import Carried, Cost, carried, cost, price_of, prompt_time_ratio
from calculator.domain.serving_division import divided, is_open
from calculator.domain.serving_layout import computed_cache, written_cache
from calculator.domain.serving_load import Served, curve, most_clients
from calculator.domain.serving_outcome import MS, Miss, Outcome, best_of, load_of, outcome, targets_of
from calculator.domain.serving_scenario import (
    CachePrecision,
    InferenceFacts,
    InferenceScenario,
    KnownRun,
    LoadBy,
    Ranged,
)
from calculator.domain.serving_speed import Speeds, closest, speeds
from calculator.domain.serving_steps import steps

THROUGHPUT = "total_output_tok_s"
NEAR_CAPACITY_RATIO = 0.8
"""From this share of the capacity on, arrivals that bunch up make queues that a steady rate does not show."""


@dataclass(frozen=True, slots=True)
class Best:
    """The most clients under the targets, its speeds and cost."""

    served: Served
    speeds: Speeds
    cost: Cost | None


@dataclass(frozen=True, slots=True)
class InferenceEstimate:
    """The whole answer; page, CSV, XLSX, JSON, print and CLI read this one object.

    `scenario` has its division; `is_divided` says that the visitor had left it open, so that it was chosen for him.
    `chosen` always holds memory where it could be sized; what follows is None where nothing is served. `most_clients`
    is what runs at once, `curve` the points from one client to that many. `runs` are our own runs of this model on
    this SKU; `measured` is the one that answers where the hardware has no sheet to estimate from.
    """

    scenario: InferenceScenario
    headline: Headline
    chosen: Outcome
    speeds: Speeds | None
    best: Best | None
    curve: tuple[Served, ...]
    most_clients: int | None
    roofline: Roofline | None
    goodput: Goodput | None
    cost: Cost | None
    carried: Carried | None
    ways_out: tuple[WayOut, ...]
    ranking: Ranking
    steps: tuple[Step, ...]
    trust: Kind | None
    warnings: tuple[Message, ...]
    is_divided: bool = False
    runs: tuple[KnownRun, ...] = ()
    measured: KnownRun | None = None


def cost_at(found: Outcome, served: Served, speed: Speeds) -> Cost | None:
    """What a point costs; None without a price."""
    if found.server is None or found.layout is None:
        return None
    ratio = prompt_time_ratio(found.server, load_of(found.scenario), served.point.running)
    return cost(found.scenario, found.layout.offer.sku, speed.total_tok_per_s, ratio)


def best_under(found: Outcome, facts: InferenceFacts) -> Best | None:
    """The point with the most clients under the targets."""
    served = best_of(found)
    if served is None:
        return None
    there = replace(
        found, scenario=replace(found.scenario, load=LoadBy.CONCURRENCY, concurrency=int(served.concurrency))
    )
    speed = speeds(there, served, facts)
    return Best(served, speed, cost_at(found, served, speed))


def carried_over(found: Outcome, factor: float) -> Carried | None:
    """What economics takes over, scaled as the estimate is."""
    if found.server is None or found.served is None:
        return None
    rates = carried(found.server, load_of(found.scenario), found.served, found.scenario.instances)
    prefill = None if rates.prefill_tok_per_s is None else rates.prefill_tok_per_s * factor
    return Carried(rates.decode_tok_per_s * factor, prefill)


def within(found: Outcome, speed: Speeds) -> Goodput:
    """Requests a second that hold the targets; none of them where more arrive than are finished."""
    targets = targets_of(found.scenario)
    if found.served is not None and found.served.is_beyond_capacity:
        return Goodput(0.0, 0.0, speed.requests_per_s.value)
    limited = (
        (speed.first_token_s, targets.first_token_s),
        (speed.token_s, targets.token_s),
        (speed.end_to_end_s, targets.end_to_end_s),
    )
    return goodput(speed.requests_per_s.value, limited)


def headline_code(found: Outcome, measured: KnownRun | None) -> str:
    """The first obstacle, or that the targets are held or missed; a measurement where nothing can be estimated."""
    if found.reasons:
        return "not_modelled" if measured is None else "measured_only"
    if not found.fits:
        return "does_not_fit"
    if found.served is not None and found.served.is_beyond_capacity:
        return "beyond_capacity"
    return "misses" if found.misses else "meets"


def headline(
    found: Outcome,
    facts: InferenceFacts,
    speed: Speeds | None,
    price: Cost | None,
    ranked: Ranking,
    measured: KnownRun | None = None,
) -> Headline:
    """The one-sentence answer as code and values."""
    worst: Miss | None = max(found.misses, key=lambda miss: miss.excess_ratio, default=None)
    cheapest = ranked.cheapest
    values: dict[str, MessageValue] = {
        "model": facts.model.name,
        "sku": facts.offer.sku.code,
        "instances": found.scenario.instances,
        "concurrency": found.served.concurrency if found.served else None,
        "first_token_ms": speed.first_token_s.value * MS if speed else None,
        "user_tok_per_s": speed.user_tok_per_s.value if speed else None,
        "total_tok_per_s": speed.total_tok_per_s.value if speed else None,
        "eur_per_mtok": price.output.value if price else None,
        "missed": worst.target.value if worst else None,
        "missed_value": worst.value if worst else None,
        "missed_limit": worst.limit if worst else None,
        "failing": found.failing.value if found.failing else None,
        "lacking_bytes": found.memory.lacking_bytes if found.memory and not found.fits else None,
        "cheapest": cheapest.offer.sku.code if cheapest else None,
        "cheapest_instances": cheapest.scenario.instances if cheapest else None,
        "cheapest_eur_per_h": cheapest.eur_per_h if cheapest else None,
    }
    if measured is not None:
        values |= {"total_tok_per_s": measured.output_tok_per_s.value, "run": measured.run}
    return Headline(headline_code(found, measured), values)


def model_warnings(scenario: InferenceScenario, facts: InferenceFacts) -> Iterator[Message]:
    """What the model's dimensions and lengths make doubtful."""
    context = scenario.prompt_tokens + scenario.output_tokens
    if facts.model.max_context and context > facts.model.max_context:
        yield Message("context_beyond_model", {"context": context, "limit": facts.model.max_context}, "prompt_tokens")
    if facts.model.sliding_window and facts.model.sliding_pattern not in LOCAL_LAYERS:
        yield Message("window_not_applied", {"window": facts.model.sliding_window})
    if facts.is_own_model:
        yield Message("own_model", {"model": facts.model.name})


def cache_warnings(scenario: InferenceScenario, facts: InferenceFacts) -> Iterator[Message]:
    """An 8-bit cache on a GPU without such units: what is estimated, and what the configuration asks for."""
    gpu = facts.offer.gpu
    if gpu is None or scenario.cache is CachePrecision.FP16 or gpu.fp8_native:
        return
    values: dict[str, MessageValue] = {"gpu": gpu.name, "capability": gpu.compute_capability}
    if computed_cache(scenario, gpu) is CachePrecision.FP16:
        yield Message("fp8_cache_refused", values, "cache")
    elif written_cache(scenario, gpu) is CachePrecision.FP16:
        yield Message("fp8_cache_not_written", values, "cache")
    else:
        yield Message("fp8_cache_emulated", values, "cache")


def division_warnings(asked: InferenceScenario, found: Outcome) -> Iterator[Message]:
    """The division that was chosen where the visitor left it open and one GPU is not enough."""
    held = found.layout
    if held is None or not is_open(asked) or held.deployment.gpu_count == 1:
        return
    values: dict[str, MessageValue] = {
        "tp": held.deployment.tensor_parallel,
        "pp": held.deployment.pipeline_parallel,
        "replicas": held.replicas,
        "gpus": held.gpus,
    }
    if found.fits:
        yield Message("division_chosen", values, "tensor_parallel")
    else:
        yield Message("division_widest", values, "tensor_parallel")


def hardware_warnings(scenario: InferenceScenario, facts: InferenceFacts, found: Outcome) -> Iterator[Message]:
    """What the GPU lacks for the chosen formats, and how the instances must stand."""
    gpu, sku = facts.offer.gpu, facts.offer.sku
    precision = PRECISIONS[scenario.precision]
    if gpu is not None and precision.math == "fp8" and not gpu.fp8_native:
        yield Message("fp8_weights_emulated", {"gpu": gpu.name, "capability": gpu.compute_capability}, "precision")
    if gpu is not None and precision.math == "fp4" and not gpu.fp4_tflops_dense:
        yield Message("fp4_weights_emulated", {"gpu": gpu.name}, "precision")
    if gpu is not None and scenario.precision == "bf16" and not gpu.bf16_native:
        yield Message("bf16_not_native", {"gpu": gpu.name}, "precision")
    if scenario.replica_gpus > sku.gpu_count:
        yield Message("replica_across_instances", {"sku": sku.code, "gpus": sku.gpu_count}, "tensor_parallel")
    if found.layout is not None and found.layout.idle_gpus:
        yield Message("idle_gpus", {"idle": found.layout.idle_gpus, "gpus": found.layout.gpus}, "instances")
    if sku.is_test_host:
        yield Message("test_host", {"sku": sku.code}, "sku")


def load_warnings(scenario: InferenceScenario, found: Outcome, most: int | None) -> Iterator[Message]:
    """What the load meets: a queue before the batch, more arrivals than the server finishes, an uncalibrated batch."""
    served = found.served
    if scenario.load is LoadBy.RATE and not scenario.requests_per_s:
        yield Message("no_rate", {}, "requests_per_s")
    if served is None:
        return
    if served.is_beyond_capacity:
        yield Message(
            "beyond_capacity", {"capacity": served.capacity_per_s, "asked": served.asked_per_s}, "requests_per_s"
        )
    elif most is not None and served.concurrency > most:
        yield Message("queueing", {"concurrency": served.concurrency, "running": most}, "concurrency")
    if served.asked_per_s and served.capacity_per_s * NEAR_CAPACITY_RATIO < served.asked_per_s <= served.capacity_per_s:
        values = {"capacity": served.capacity_per_s, "asked": served.asked_per_s}
        yield Message("rate_near_capacity", values, "requests_per_s")
    if scenario.engine is Engine.LLAMA_CPP and served.concurrency > 1:
        yield Message("batch_not_calibrated", {"engine": scenario.engine.value}, "engine")


def band_warnings(found: Outcome, facts: InferenceFacts) -> Iterator[Message]:
    """A band that too few measurements of that class of chips stand behind."""
    if found.layout is None:
        return
    held = found.layout.deployment
    width = band(
        facts.calibration, THROUGHPUT, found.scenario.engine.value, held.precision.family, chip_class(held.gpu)
    )
    if width is not None and width.is_borrowed:
        yield Message("few_measurements", {"chip": chip_class(held.gpu), "rows": width.rows})


def speed_warnings(found: Outcome, speed: Speeds | None, facts: InferenceFacts) -> Iterator[Message]:
    """Where the numbers come from, and margins that the band is wider than."""
    if speed is None:
        return
    alike = found.layout is not None and found.layout.deployment.gpu_count == 1
    if facts.claim_tok_per_s is not None and found.server is not None and alike:
        load = load_of(found.scenario)
        alone = single_stream_tok_per_s(found.server.rates, load.prompt_tokens + load.output_tokens / 2)
        yield Message("vendor_claim", {"claim": facts.claim_tok_per_s.value, "alone": alone})
    yield from band_warnings(found, facts)
    if speed.run is not None and speed.total_tok_per_s.kind is Kind.MEASURED:
        yield Message("measured_here", {"run": speed.run.run})
    elif speed.run is not None:
        yield Message("scaled_from_run", {"run": speed.run.run, "factor": speed.factor})
    targets = targets_of(found.scenario)
    pairs: tuple[tuple[str, Ranged, float | None], ...] = (
        ("ttft", speed.first_token_s, targets.first_token_s),
        ("tpot", speed.token_s, targets.token_s),
        ("e2e", speed.end_to_end_s, targets.end_to_end_s),
    )
    for name, value, limit in pairs:
        if limit is not None and value.high is not None and value.value <= limit < value.high:
            yield Message("margin_within_band", {"target": name, "value": value.value, "limit": limit})
    mark = found.scenario.calibration
    if mark and not facts.calibration.data_hash.startswith(mark):
        yield Message("calibration_changed", {"then": mark, "now": facts.calibration.data_hash[: len(mark)]})


def price_warnings(scenario: InferenceScenario, facts: InferenceFacts) -> Iterator[Message]:
    """A price on request, or one that stands in for the basis asked for."""
    found = price_of(scenario, facts.offer.sku)
    if found is None:
        yield Message("price_on_request", {"sku": facts.offer.sku.code}, "price_eur")
    elif found[1] is not scenario.basis:
        yield Message("hourly_price_used", {"sku": facts.offer.sku.code}, "basis")


def served_trust(speed: Speeds | None, price: Cost | None, measured: KnownRun | None = None) -> Kind | None:
    """The trust of the whole answer: its speeds are estimates, and a cost rests on assumed hours and utilisation."""
    if speed is None:
        return None if measured is None else measured.output_tok_per_s.kind
    return Kind.ESTIMATE if price is None else Kind.ASSUMPTION


def estimate(asked: InferenceScenario, facts: InferenceFacts) -> InferenceEstimate:
    """The whole answer for a scenario; without a speed where the model does not fit or is not modelled."""
    scenario = divided(asked, facts)
    found = outcome(scenario, facts)
    ranked = ranking(scenario, facts)
    served, one, held = found.served, found.server, found.layout
    speed = None if served is None else speeds(found, served, facts)
    price = None if served is None or speed is None else cost_at(found, served, speed)
    best = best_under(found, facts)
    most = None if one is None else most_clients(one, load_of(scenario))
    roof = None
    if served is not None and one is not None and held is not None:
        roof = roofline(held.deployment, one.rates, load_of(scenario), served.point.running)
    told = steps(found, facts, speed, price)
    measured = closest(scenario, facts.runs) if facts.offer.gpu is None else None
    return InferenceEstimate(
        scenario=scenario,
        headline=headline(found, facts, speed, price, ranked, measured),
        chosen=found,
        speeds=speed,
        best=best,
        curve=_curve(found, best),
        most_clients=most,
        roofline=roof,
        goodput=None if speed is None else within(found, speed),
        cost=price,
        carried=carried_over(found, speed.factor if speed else 1.0),
        ways_out=ways_out(found, facts, ranked),
        ranking=ranked,
        steps=told,
        trust=served_trust(speed, price, measured),
        warnings=(
            *found.reasons,
            *division_warnings(asked, found),
            *cache_warnings(scenario, facts),
            *model_warnings(scenario, facts),
            *hardware_warnings(scenario, facts, found),
            *load_warnings(scenario, found, most),
            *speed_warnings(found, speed, facts),
            *price_warnings(scenario, facts),
        ),
        is_divided=is_open(asked),
        runs=facts.runs,
        measured=measured,
    )


def _curve(found: Outcome, best: Best | None) -> tuple[Served, ...]:
    if found.server is None or found.served is None:
        return ()
    marks = [found.served.concurrency, *([best.served.concurrency] if best else [])]
    return curve(found.server, load_of(found.scenario), tuple(marks))
