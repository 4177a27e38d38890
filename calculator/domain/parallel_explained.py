"""What would explain an observed run: each cause alone, and whether it is plausible.

An efficiency e on N GPUs means (1−e)/e seconds lost for each second of computing. One unknown at a time is solved for:
the tokens a GPU computes between two all-reduces, the share of the backward pass that hides traffic, the rate of the
link, the time lost outside of the steps.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from calculator.domain.collectives import textbook_s
from calculator.domain.parallel_scenario import Cause, Explanation, Plausibility
from calculator.domain.parallel_step import (
    BACKWARD_RATIO,
    Cluster,
    Layout,
    Work,
    data_s,
    data_topology,
    gradient_message_bytes,
    hiding_s,
    step_time,
)

LEAST_LINK_RATIO = 0.5
"""A link that gives less than half of its data sheet is looked for elsewhere: a slower link is in the way."""
LOST_TIME_RATIO = 0.25
"""Beyond a quarter of the run, stops and checkpoints are no explanation but a fault of their own."""
HALVINGS = 60
SLOWEST_BYTES_PER_S = 1e6


@dataclass(frozen=True, slots=True)
class Observed:
    """The run to explain: days on one GPU as computed, days observed on `layout`."""

    one_gpu_days: float
    days: float
    sequence_tokens: int

    def speed_up(self) -> float:
        """Days on one GPU ÷ days observed."""
        return self.one_gpu_days / self.days


def tokens_for(lost_ratio: float, traffic_s: float, hidden_ratio: float, token_s: float) -> float:
    """Tokens a GPU and step at which traffic costs `lost_ratio` of the computing: t ÷ (lost + hidden) ÷ time a token.

    31.5 ms, nothing hidden, 82 % (92 days to 14), 2.7 G parameters at 26.13 % of an A100:

    >>> round(tokens_for(8 * 14 / 92 - 1, 0.0315, 0.0, 6 * 2.7e9 / (312e12 * 0.2613)))
    729
    """
    return traffic_s / (lost_ratio + hidden_ratio) / token_s


def rate_where(slower: Callable[[float], float], wanted_s: float, fastest: float) -> float:
    """The rate at which `slower(rate)` takes `wanted_s`, by halving in logarithms; times fall as rates rise."""
    low, high = SLOWEST_BYTES_PER_S, fastest
    for _ in range(HALVINGS):
        middle = float((low * high) ** 0.5)
        low, high = (middle, high) if slower(middle) > wanted_s else (low, middle)
    return high


def _with_link(cluster: Cluster, rate: float) -> Cluster:
    return replace(cluster, link=replace(cluster.link, bytes_per_s=rate))


def _tokens_causes(work: Work, layout: Layout, cluster: Cluster, lost: float, observed: Observed) -> list[Cause]:
    """Fewer tokens between two all-reduces: as the textbook has it with nothing hidden, and as measured here."""
    token_s = step_time(work, layout, cluster).compute_s / work.tokens_a_gpu
    topology = data_topology(layout, cluster)
    message = gradient_message_bytes(work, layout)
    textbook = tokens_for(lost, textbook_s(topology, message, work.reduction), 0.0, token_s)
    hidden = hiding_s(work, 1.0)
    measured = tokens_for(lost, data_s(work, layout, cluster), hidden, token_s)

    def cause(code: str, tokens: float) -> Cause:
        plausible = Plausibility.PLAUSIBLE if tokens >= observed.sequence_tokens else Plausibility.UNLIKELY
        values = {"sequence": float(observed.sequence_tokens), "global": tokens * layout.gpu_count}
        return Cause(code, tokens, plausible, values)

    return [cause("tokens_textbook", textbook), cause("tokens_measured", measured)]


def _overlap_cause(work: Work, layout: Layout, cluster: Cluster, lost: float) -> Cause:
    """Less overlap: the share of the backward pass that would leave exactly that much traffic visible."""
    compute = step_time(work, layout, cluster).compute_s
    beside = compute if work.sharded else compute * BACKWARD_RATIO / work.micro_batches
    ratio = (data_s(work, layout, cluster) - lost * compute) / beside
    if ratio < 0:
        worst = compute / (compute + data_s(work, layout, cluster))
        return Cause("overlap", None, Plausibility.IMPOSSIBLE, {"worst": worst})
    return Cause("overlap", ratio, Plausibility.PLAUSIBLE if ratio <= 1 else Plausibility.IMPOSSIBLE)


def _link_cause(work: Work, layout: Layout, cluster: Cluster, lost: float) -> Cause:
    """A slower link: the rate of the data sheet that would lead there with the measured efficiency."""
    compute = step_time(work, layout, cluster).compute_s
    wanted = lost * compute + hiding_s(work, compute)
    network = data_topology(layout, cluster).machines > 1
    stated = cluster.network_bytes_per_s if network else cluster.link.bytes_per_s

    def traffic(rate: float) -> float:
        changed = cluster if network else _with_link(cluster, rate)
        if network:
            changed = replace(cluster, network=replace(cluster.network, bytes_per_s=rate / cluster.cards))
        return data_s(work, layout, changed)

    if traffic(stated) >= wanted:
        return Cause("link", None, Plausibility.IMPOSSIBLE, {"stated": stated})
    rate = rate_where(traffic, wanted, stated)
    plausible = Plausibility.PLAUSIBLE if rate >= LEAST_LINK_RATIO * stated else Plausibility.UNLIKELY
    return Cause("link", rate, plausible, {"stated": stated, "ratio": rate / stated})


def _lost_time_cause(work: Work, layout: Layout, cluster: Cluster, observed: Observed) -> Cause:
    """Days outside of the steps: checkpoints, restarts, data; whatever the steps computed here leave."""
    ideal = observed.one_gpu_days / layout.gpu_count / step_time(work, layout, cluster).efficiency
    lost = observed.days - ideal
    if lost < 0:
        return Cause("lost_time", None, Plausibility.IMPOSSIBLE, {"estimated_days": ideal})
    share = lost / observed.days
    plausible = Plausibility.PLAUSIBLE if share <= LOST_TIME_RATIO else Plausibility.UNLIKELY
    return Cause("lost_time", lost, plausible, {"share": share, "estimated_days": ideal})


def _gpu_speed_cause(work: Work, layout: Layout, cluster: Cluster, observed: Observed) -> Cause:
    """A lower speed of each GPU than on one alone: whatever communication does not explain."""
    needed = observed.speed_up() / layout.gpu_count / step_time(work, layout, cluster).efficiency
    plausible = Plausibility.PLAUSIBLE if needed <= 1 else Plausibility.IMPOSSIBLE
    return Cause("gpu_speed", needed, plausible)


def explained(work: Work, layout: Layout, cluster: Cluster, observed: Observed) -> Explanation:
    """Each cause that alone turns the ideal into what was observed.

    A speed-up beyond the number of GPUs is no loss: nothing then needs explaining, and the causes are empty.
    """
    speed_up = observed.speed_up()
    efficiency = speed_up / layout.gpu_count
    if efficiency >= 1 or layout.data < 2:
        return Explanation(observed.days, speed_up, efficiency, ())
    causes = [_lost_time_cause(work, layout, cluster, observed), _gpu_speed_cause(work, layout, cluster, observed)]
    if layout.tensor == layout.pipeline == 1:
        causes = _traffic_causes(work, layout, cluster, 1 / efficiency - 1, observed) + causes
    return Explanation(observed.days, speed_up, efficiency, tuple(causes))


def _traffic_causes(work: Work, layout: Layout, cluster: Cluster, lost: float, observed: Observed) -> list[Cause]:
    return [
        *_tokens_causes(work, layout, cluster, lost, observed),
        _overlap_cause(work, layout, cluster, lost),
        _link_cause(work, layout, cluster, lost),
    ]
