"""What several GPUs bring to a training run: days, speed-up against the ideal, bill, and where more stop paying.

`estimate` reads nothing but its two arguments and raises on no scenario that the form lets through.
"""

from dataclasses import replace
from decimal import Decimal

from calculator.domain import parallel_tables as tables
from calculator.domain.calibration import band, chip_class
from calculator.domain.interconnects import OWN
from calculator.domain.parallel_explained import Observed, explained
from calculator.domain.parallel_scenario import (
    Explanation,
    ParallelismEstimate,
    ParallelismFacts,
    ParallelismScenario,
    Point,
    Sharing,
)
from calculator.domain.parallel_settled import (
    Settled,
    cards_count,
    instance_gpus,
    layout_faults,
    machine_gpus,
    machine_price,
    settle,
)
from calculator.domain.parallel_steps import steps
from calculator.domain.provenance import weakest, weakest_kind, with_defaults
from calculator.domain.scenario import Headline, Message, MessageValue
from calculator.domain.units import including_tax

SAME_RATIO = 1e-6
SIZE = ("model", "params_count")
INPUTS_BEHIND = {
    "params_count": SIZE,
    "held_params": (*SIZE, "tensor_parallel", "pipeline_parallel"),
    "tokens_count": ("tokens_count",),
    "step_tokens": ("step_tokens", "batch_by"),
    "sent_ring": ("gpu_count", "reduction"),
    "sent_tree": ("gpu_count", "reduction"),
    "sent_switch": ("gpu_count", "reduction"),
    "gradient_bytes": ("gradient_bytes",),
    "micro_batches": ("micro_batches",),
    "gpu_count": ("gpu_count",),
    "instances": ("gpu_count", "sku", "gpu"),
}
"""The visitor's inputs behind the terms of the formulas, by the term's label."""
"""Two scenario values this close are the same: a published run is recognised by its inputs."""


def is_published(scenario: ParallelismScenario, facts: ParallelismFacts) -> bool:
    """Whether the scenario is the run that the offer publishes: same GPU, parameters and tokens, as many GPUs in one
    machine with their own link."""
    run = facts.published
    same = abs(float(scenario.params_count) - run.params_count) <= SAME_RATIO * run.params_count
    same = same and abs(float(scenario.tokens_count) - run.tokens_count) <= SAME_RATIO * run.tokens_count
    same = same and facts.model is None and facts.gpu.name == run.gpu and scenario.gpu_count == run.gpu_count
    return same and facts.link is None and machine_gpus(scenario, facts) >= run.gpu_count


def observed_days(scenario: ParallelismScenario, facts: ParallelismFacts) -> float | None:
    """Days to explain: what the visitor states, else what the offer publishes for this very run."""
    if scenario.observed_days is not None:
        return float(scenario.observed_days)
    return facts.published.many_days if is_published(scenario, facts) else None


def explanation(settled: Settled) -> Explanation | None:
    """What would explain the observed days; None where nothing was observed."""
    scenario = settled.scenario
    days = observed_days(scenario, settled.facts)
    if days is None:
        return None
    observed = Observed(settled.one_gpu_days, days, scenario.sequence_tokens)
    return explained(settled.work(scenario.gpu_count), settled.layout(scenario.gpu_count), settled.cluster, observed)


def headline(settled: Settled, chosen: Point) -> Headline:
    """The one-sentence answer as code and values."""
    values: dict[str, MessageValue] = {
        "gpus": chosen.gpu_count,
        "gpu": settled.facts.gpu.name,
        "one_days": settled.one_gpu_days,
        "days": chosen.days,
        "speed_up": chosen.speed_up,
        "efficiency": chosen.efficiency,
        "eur": chosen.eur,
    }
    if chosen.fits is False:
        return Headline("does_not_fit", values)
    return Headline("one_gpu" if chosen.gpu_count == 1 else "scaled", values)


def warnings(settled: Settled, chosen: Point) -> tuple[Message, ...]:
    """What the reader must know beside the figures, each once."""
    scenario, facts, found = settled.scenario, settled.facts, []
    if settled.mfu.label == "mfu_published":
        found.append(Message("mfu_is_published", {"mfu": settled.mfu.value, "gpu": facts.published.gpu}, "mfu_ratio"))
    if scenario.mfu_ratio is not None and settled.calibrated_mfu is not None:
        values = {"typed": float(scenario.mfu_ratio), "calibrated": settled.calibrated_mfu}
        found.append(Message("mfu_typed", values, "mfu_ratio"))
    if settled.price is None:
        found.append(Message("price_on_request", {"sku": facts.sku.code if facts.sku else ""}, "price_eur"))
    if settled.cluster.link.code != OWN:
        own = facts.gpu.nvlink_gen or "PCIe"
        found.append(Message("link_not_own", {"link": settled.cluster.link.name, "own": own}, "link"))
    return (*found, *_cluster_warnings(settled, chosen))


def _cluster_warnings(settled: Settled, chosen: Point) -> list[Message]:
    scenario, found = settled.scenario, _machine_warnings(settled, chosen)
    if scenario.reduction.value == "switch" and not settled.cluster.link.reducing:
        found.append(Message("switch_cannot_add", {"link": settled.cluster.link.name}, "reduction"))
    if scenario.tensor_parallel > settled.machine_gpus:
        found.append(Message("tensor_over_network", {"tensor": scenario.tensor_parallel}, "tensor_parallel"))
    if chosen.tokens_a_gpu < scenario.sequence_tokens:
        values = {"tokens": chosen.tokens_a_gpu, "sequence": scenario.sequence_tokens}
        found.append(Message("less_than_a_sequence", values, "step_tokens"))
    if settled.facts.model is None:
        found.append(Message("memory_unknown", {}, "model"))
    return found


def _machine_warnings(settled: Settled, chosen: Point) -> list[Message]:
    """How the GPUs are taken to be joined: instances as cards of one machine, network cards, what their slots carry."""
    cluster, found = settled.cluster, []
    if min(chosen.gpu_count, cluster.machine_gpus) > settled.instance_gpus and settled.scenario.machine_gpus is None:
        values: dict[str, MessageValue] = {
            "instances": min(chosen.instances, cluster.machine_gpus // settled.instance_gpus),
            "link": cluster.link.name,
        }
        found.append(Message("one_machine_assumed", values, "machine_gpus"))
    if chosen.machines > 1:
        values = {"machines": chosen.machines, "cards": cluster.cards, "network": cluster.network.name}
        found.append(Message("network_assumed", values, "network"))
    if chosen.machines > 1 and cluster.network_bytes_per_s < cluster.cards_bytes_per_s:
        values = {"rate": cluster.network_bytes_per_s, "gpus": cluster.machine_gpus, "slot": cluster.gpu_bytes_per_s}
        found.append(Message("network_capped", values, "cards_count"))
    return found


def _memory_warnings(estimate: ParallelismEstimate) -> tuple[Message, ...]:
    if estimate.memory is None or estimate.memory.failing is None:
        return ()
    values: dict[str, MessageValue] = {
        "needed_bytes": estimate.memory.needed_bytes,
        "usable_bytes": estimate.memory.usable_bytes,
        "line": estimate.memory.failing.value,
    }
    code = "does_not_fit_sharded" if estimate.scenario.sharing is Sharing.SHARDED else "does_not_fit"
    return (Message(code, values, "sharing"),)


def unanswered(scenario: ParallelismScenario, facts: ParallelismFacts, faults: tuple[Message, ...]) -> Headline:
    """The headline where the chosen count cannot be computed."""
    return Headline("not_possible", {"gpus": scenario.gpu_count, "gpu": facts.gpu.name, "fault": faults[0].code})


def without_answer(
    scenario: ParallelismScenario, facts: ParallelismFacts, faults: tuple[Message, ...], settled: Settled | None = None
) -> ParallelismEstimate:
    """The answer where the chosen count or GPU cannot be computed: the reasons, and the counts that can be."""
    bare = inputs_alone(scenario, facts, unanswered(scenario, facts, faults), faults)
    return with_tables(bare, settled) if settled else bare


def inputs_alone(
    scenario: ParallelismScenario, facts: ParallelismFacts, first: Headline, faults: tuple[Message, ...] = ()
) -> ParallelismEstimate:
    """What is known before anything is computed; every figure is absent."""
    gpus = machine_gpus(scenario, facts)
    return ParallelismEstimate(
        scenario=scenario,
        gpu=facts.gpu,
        sku=facts.sku,
        model=facts.model,
        link=facts.link,
        network=facts.network,
        machine_gpus=gpus,
        instance_gpus=instance_gpus(scenario, facts),
        cards_count=cards_count(scenario, gpus),
        network_bytes_per_s=facts.network.bytes_per_s,
        params_count=float(scenario.params_count),
        price=machine_price(scenario, facts),
        headline=first,
        faults=faults,
    )


def with_tables(bare: ParallelismEstimate, settled: Settled) -> ParallelismEstimate:
    """The same with the speed of one GPU, the counts and the ways of sharing, which need no valid chosen layout."""
    rows = tables.points(settled, tables.table_counts(settled))
    return replace(
        bare,
        link=settled.cluster.link,
        network_bytes_per_s=settled.cluster.network_bytes_per_s,
        params_count=settled.params,
        peak=settled.peak,
        mfu=settled.mfu,
        calibrated_mfu=settled.calibrated_mfu,
        mfu_band=settled.mfu_band,
        one_gpu_days=settled.one_gpu_days,
        points=tables.points(settled, tables.counts(settled)),
        rows=rows,
        ways=tables.ways(settled),
        cheapest=tables.cheapest(rows),
        fastest=tables.fastest(rows),
    )


def estimate(scenario: ParallelismScenario, facts: ParallelismFacts) -> ParallelismEstimate:
    """The whole answer of the multi-GPU calculator, unrounded: days, EUR without VAT for the run, seconds a step.

    Formulas and sources: docs/methodology.md. The published run, 2.7 G parameters and 40 G tokens, takes 92.0 days on
    one A100 at the 26.1 % that it means.
    """
    settled = settle(scenario, facts)
    if isinstance(settled, Message):
        return without_answer(scenario, facts, (settled,))
    faults = layout_faults(settled, settled.layout(scenario.gpu_count))
    if faults:
        return without_answer(scenario, facts, faults, settled)
    return answered(settled)


def answered(settled: Settled) -> ParallelismEstimate:
    """The answer for a valid layout."""
    scenario, layout = settled.scenario, settled.layout(settled.scenario.gpu_count)
    known = with_tables(inputs_alone(scenario, settled.facts, Headline("scaled", {})), settled)
    chosen = next((row for row in known.rows if row.gpu_count == layout.gpu_count), tables.point(settled, layout))
    found = steps(settled, chosen)
    answer = replace(
        known,
        chosen=chosen,
        memory=tables.memory(settled, layout),
        stop=tables.stop(known.rows, scenario.floor_ratio, scenario.day_eur),
        explanation=explanation(settled),
        headline=headline(settled, chosen),
        steps=with_defaults(found, scenario, INPUTS_BEHIND),
        trust=weakest_kind((weakest([settled.mfu]), *(step.trust for step in found))),
        warnings=warnings(settled, chosen),
        eur_ttc=None if chosen.eur is None else taxed(chosen.eur, scenario.vat_ratio),
    )
    answer = with_exchange(answer, settled) if layout.data > 1 else answer
    return replace(answer, warnings=(*answer.warnings, *_memory_warnings(answer)))


def with_exchange(answer: ParallelismEstimate, settled: Settled) -> ParallelismEstimate:
    """The same with what compares exchanges between copies: links, algorithms, overlap, and their band."""
    way, chip = settled.cluster.link.way.value, chip_class(settled.facts.gpu)
    return replace(
        answer,
        links=tables.links(settled),
        reductions=tables.reductions(settled),
        overlaps=tables.overlaps(settled),
        allreduce_band=band(settled.facts.calibration, "busbw_GB_s", "NCCL", way, chip),
    )


def taxed(net_eur: Decimal, vat_ratio: Decimal) -> Decimal:
    """The bill with VAT, rounded once."""
    return including_tax(net_eur, vat_ratio)
