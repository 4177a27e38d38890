"""From one request's times to named metrics, and from a step's requests to its figures. Pure: no Django, no clock.

TTFT = first token-bearing event − sent. E2E = last token-bearing event − sent. TPOT = (last − first) ÷ (n − k), with n
output tokens of which k came in the first event; unknown when n ≤ k. Gap = time between token-bearing events. TTFT and
E2E "from plan" start at the planned instant instead: they contain what a request waited before it could be sent.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from benchmarks import statistics
from benchmarks.load.records import Request, StepEnd

NS_PER_MS = 1e6
NS_PER_S = 1e9
NEAR_ZERO_GAP_MS = 0.1
LAG_LIMIT_MS = 10.0
CPU_LIMIT_RATIO = 0.85
NEAR_ZERO_LIMIT_RATIO = 0.20
NEAR_ZERO_FROM_TPOT_MS = 2.0
SHORT_OUTPUT_LIMIT_RATIO = 0.02
WARM_CACHE_LIMIT_RATIO = 0.05
SATURATED_BELOW_RATIO = 0.95


def span_ms(start_ns: int | None, end_ns: int | None) -> float | None:
    return None if start_ns is None or end_ns is None else (end_ns - start_ns) / NS_PER_MS


def ttft_ms(request: Request) -> float | None:
    """Time to first token: role, empty and usage events do not count, nor does waiting for a connection."""
    return span_ms(request.sent_ns, request.first_ns)


def answer_ms(request: Request) -> float | None:
    """Time to the first token that is not reasoning."""
    return span_ms(request.sent_ns, request.answer_ns)


def e2e_ms(request: Request) -> float | None:
    """Time to the last token; what the server sends after it (usage) does not count."""
    return span_ms(request.sent_ns, request.last_ns)


def ttft_planned_ms(request: Request) -> float | None:
    """Time from the planned instant to the first token: in an open loop, what a user would have waited."""
    return span_ms(request.planned_ns, request.first_ns)


def e2e_planned_ms(request: Request) -> float | None:
    """Time from the planned instant to the last token."""
    return span_ms(request.planned_ns, request.last_ns)


def dispatch_lag_ms(request: Request) -> float | None:
    """From the planned instant to the first byte: whatever the request waited for before it could be sent."""
    return span_ms(request.planned_ns, request.sent_ns)


def client_lag_ms(request: Request) -> float | None:
    """The part of the dispatch lag that only the client can be blamed for.

    It starts at the planned instant, or at the later one at which a slot was free, a pause asked for by the server
    was over, or the server had accepted a new connection.
    """
    return span_ms(request.planned_ns if request.ready_ns is None else request.ready_ns, request.sent_ns)


def tpot_ms(request: Request) -> float | None:
    """Time per output token after the first event; None when there is no token after it."""
    later = (request.output_tokens or 0) - request.first_tokens
    decode_ms = span_ms(request.first_ns, request.last_ns)
    return decode_ms / later if decode_ms is not None and later > 0 else None


def gaps_ms(request: Request) -> list[float]:
    """Times between consecutive token-bearing events."""
    return [(after - before) / NS_PER_MS for before, after in pairwise(request.arrivals_ns)]


def itl_ms(request: Request) -> list[float] | None:
    """Each gap shared among the tokens that ended it; None when the server does not count tokens by event."""
    if request.arrival_tokens is None:
        return None
    later = zip(gaps_ms(request), request.arrival_tokens[1:], strict=True)
    return [gap / count for gap, count in later for _ in range(count)]


def tokens_between(requests: Iterable[Request], start_ns: int, end_ns: int) -> float:
    """Output tokens that arrived in (start, end], whatever request they belong to; failed requests do not count.

    Requests that the end of the step cut off do count: their tokens were delivered.

    Where the server does not count tokens by event, a request's tokens are spread evenly over its events.
    """
    total = 0.0
    for request in requests:
        if not (request.ok or request.incomplete) or not request.arrivals_ns:
            continue
        even = (request.output_tokens or 0) / len(request.arrivals_ns)
        for index, at_ns in enumerate(request.arrivals_ns):
            if start_ns < at_ns <= end_ns:
                total += request.arrival_tokens[index] if request.arrival_tokens else even
    return total


@dataclass(frozen=True, slots=True)
class Rates:
    """Four rates that are easily taken for one another; None without a duration."""

    requests_per_s: float | None
    output_tok_per_s: float | None
    total_tok_per_s: float | None
    output_tok_per_s_per_gpu: float | None


def rates(ok: Sequence[Request], duration_s: float | None, gpu_count: int = 1) -> Rates:
    """100 requests of 128 + 256 tokens in 40 s on 2 GPUs: 2.5 req/s, 640 and 960 tok/s, 320 tok/s a GPU."""
    output = sum(request.output_tokens or 0 for request in ok)
    total = output + sum(request.prompt_tokens or 0 for request in ok)
    return Rates(
        requests_per_s=statistics.rate_per_s(len(ok), duration_s),
        output_tok_per_s=statistics.rate_per_s(output, duration_s),
        total_tok_per_s=statistics.rate_per_s(total, duration_s),
        output_tok_per_s_per_gpu=statistics.rate_per_s(output / gpu_count, duration_s),
    )


@dataclass(frozen=True, slots=True)
class StepMetrics:
    """The figures of one step. Latencies are of successful measured requests; failures are in the counts alone.

    `output_tok_per_s` is taken over the window with every slot busy, `whole_output_tok_per_s` over the measured
    requests from the first one sent to the last one ended; `delivered_tok_per_s` over the same span, with the tokens
    of the `incomplete_count` requests that the end of the step cut off (they are in no other count, and latencies
    are then those of the shorter answers). `offered_per_s` and `achieved_per_s` are the rate of planned requests and
    of complete answers.
    """

    warm_up_count: int
    measured_count: int
    ok_count: int
    error_count: int
    output_tok_per_s: float | None
    whole_output_tok_per_s: float | None
    total_tok_per_s: float | None
    requests_per_s: float | None
    window_s: float | None
    ttft_p50_ms: float | None
    ttft_p95_ms: float | None
    ttft_p99_ms: float | None
    tpot_p50_ms: float | None
    tpot_p95_ms: float | None
    e2e_p50_ms: float | None
    e2e_p95_ms: float | None
    gap_p95_ms: float | None
    gap_p99_ms: float | None
    gap_max_ms: float | None
    dispatch_lag_p99_ms: float | None
    client_lag_p99_ms: float | None
    near_zero_gap_ratio: float | None
    prompt_tokens_mean: float | None
    output_tokens_mean: float | None
    short_output_count: int
    cached_prompt_ratio: float | None
    tokens_from_failed: int
    incomplete_count: int
    delivered_tok_per_s: float | None
    offered_per_s: float | None
    achieved_per_s: float | None
    ttft_planned_p50_ms: float | None
    ttft_planned_p95_ms: float | None
    ttft_planned_p99_ms: float | None
    e2e_planned_p50_ms: float | None
    e2e_planned_p95_ms: float | None


def step_metrics(requests: Sequence[Request], window_ns: tuple[int, int] | None) -> StepMetrics:
    """Aggregate one step; every value that nothing was seen for is None."""
    issued = [request for request in requests if not request.warm_up]
    measured = [request for request in issued if not request.incomplete]
    ok = [request for request in measured if request.ok]
    ttft, tpot = known(map(ttft_ms, ok)), known(map(tpot_ms, ok))
    e2e = known(map(e2e_ms, ok))
    gaps = [gap for request in ok for gap in gaps_ms(request)]
    ttft_planned, e2e_planned = known(map(ttft_planned_ms, ok)), known(map(e2e_planned_ms, ok))
    whole = rates(ok, measured_span_s(issued))
    return StepMetrics(
        warm_up_count=len(requests) - len(issued),
        measured_count=len(measured),
        ok_count=len(ok),
        error_count=len(measured) - len(ok),
        output_tok_per_s=window_rate(requests, window_ns) if ok else None,
        whole_output_tok_per_s=whole.output_tok_per_s if ok else None,
        total_tok_per_s=whole.total_tok_per_s if ok else None,
        requests_per_s=whole.requests_per_s if ok else None,
        window_s=(window_ns[1] - window_ns[0]) / NS_PER_S if window_ns else None,
        ttft_p50_ms=statistics.percentile(ttft, 50),
        ttft_p95_ms=statistics.percentile(ttft, 95),
        ttft_p99_ms=statistics.shown_p99(ttft),
        tpot_p50_ms=statistics.percentile(tpot, 50),
        tpot_p95_ms=statistics.percentile(tpot, 95),
        e2e_p50_ms=statistics.percentile(e2e, 50),
        e2e_p95_ms=statistics.percentile(e2e, 95),
        gap_p95_ms=statistics.percentile(gaps, 95),
        gap_p99_ms=statistics.percentile(gaps, 99),
        gap_max_ms=max(gaps, default=None),
        dispatch_lag_p99_ms=statistics.percentile(known(map(dispatch_lag_ms, issued)), 99),
        client_lag_p99_ms=statistics.percentile(known(map(client_lag_ms, issued)), 99),
        near_zero_gap_ratio=near_zero_ratio(gaps),
        prompt_tokens_mean=statistics.mean(known(request.prompt_tokens for request in ok)),
        output_tokens_mean=statistics.mean(known(request.output_tokens for request in ok)),
        short_output_count=sum((request.output_tokens or 0) < request.requested_output_tokens for request in ok),
        cached_prompt_ratio=cached_ratio(ok),
        tokens_from_failed=sum(request.output_tokens or 0 for request in measured if not request.ok),
        incomplete_count=len(issued) - len(measured),
        delivered_tok_per_s=delivered_rate(issued),
        offered_per_s=pace_per_s(request.planned_ns for request in issued),
        achieved_per_s=pace_per_s(known(request.end_ns for request in ok)),
        ttft_planned_p50_ms=statistics.percentile(ttft_planned, 50),
        ttft_planned_p95_ms=statistics.percentile(ttft_planned, 95),
        ttft_planned_p99_ms=statistics.shown_p99(ttft_planned),
        e2e_planned_p50_ms=statistics.percentile(e2e_planned, 50),
        e2e_planned_p95_ms=statistics.percentile(e2e_planned, 95),
    )


def known[T: (int, float)](values: Iterable[T | None]) -> list[T]:
    return [value for value in values if value is not None]


def window_rate(requests: Sequence[Request], window_ns: tuple[int, int] | None) -> float | None:
    """Output tokens a second inside the window; None without one."""
    if window_ns is None:
        return None
    start_ns, end_ns = window_ns
    return statistics.rate_per_s(tokens_between(requests, start_ns, end_ns), (end_ns - start_ns) / NS_PER_S)


def delivered_rate(issued: Sequence[Request]) -> float | None:
    """Tokens a second of complete and of cut-off answers, from the first one sent to the end; None without any."""
    given = [request for request in issued if request.ok or request.incomplete]
    tokens = sum(request.output_tokens or 0 for request in given)
    return statistics.rate_per_s(tokens, measured_span_s(issued)) if given else None


def pace_per_s(instants_ns: Iterable[int]) -> float | None:
    """Events a second between the first and the last of them; None with fewer than two apart in time."""
    ordered = sorted(instants_ns)
    if len(ordered) < 2:
        return None
    return statistics.rate_per_s(len(ordered) - 1, (ordered[-1] - ordered[0]) / NS_PER_S)


def measured_span_s(measured: Sequence[Request]) -> float | None:
    """From the first measured request sent to the last one ended, seconds."""
    sent = known(request.sent_ns for request in measured)
    ended = known(request.end_ns for request in measured)
    return (max(ended) - min(sent)) / NS_PER_S if sent and ended else None


def near_zero_ratio(gaps: Sequence[float]) -> float | None:
    """Share of gaps too short to be real: a late client reads several events at once."""
    return sum(gap < NEAR_ZERO_GAP_MS for gap in gaps) / len(gaps) if gaps else None


def cached_ratio(ok: Sequence[Request]) -> float | None:
    """Share of prompt tokens that the server took from its prefix cache; None when it does not say."""
    told = [request for request in ok if request.cached_tokens is not None and request.prompt_tokens]
    prompt = sum(request.prompt_tokens or 0 for request in told)
    return sum(request.cached_tokens or 0 for request in told) / prompt if prompt else None


def error_kinds(requests: Iterable[Request]) -> dict[str, int]:
    """How many measured requests failed, by kind."""
    failed = [request for request in requests if not (request.ok or request.incomplete or request.warm_up)]
    return dict(Counter(request.error_kind for request in failed))


def client_reasons(metrics: StepMetrics, end: StepEnd) -> tuple[str, ...]:
    """By which self-checks the client, not the server, may have set the pace of the step; empty = by none."""
    coalesced = (metrics.near_zero_gap_ratio or 0) > NEAR_ZERO_LIMIT_RATIO
    breaches = {
        "loop_lag": end.loop_lag_p99_ms > LAG_LIMIT_MS,
        "cpu": end.client_cpu_ratio > CPU_LIMIT_RATIO,
        "dispatch_lag": (metrics.client_lag_p99_ms or 0) > LAG_LIMIT_MS,
        "near_zero_gaps": coalesced and (metrics.tpot_p50_ms or 0) > NEAR_ZERO_FROM_TPOT_MS,
    }
    return tuple(name for name, breached in breaches.items() if breached)


def client_bound(metrics: StepMetrics, end: StepEnd) -> bool:
    """Whether the client, not the server, may have set the pace of the step: the run is then no figure."""
    return bool(client_reasons(metrics, end))


def saturated(metrics: StepMetrics) -> bool:
    """Whether fewer answers came than requests were planned: the asked rate is then no throughput."""
    if not metrics.offered_per_s or not metrics.ok_count:
        return False
    return (metrics.achieved_per_s or 0) < SATURATED_BELOW_RATIO * metrics.offered_per_s


def latencies_censored(metrics: StepMetrics) -> bool:
    """Whether the step's end cut answers off: the longest are then missing from the latencies."""
    return metrics.incomplete_count > 0


def outputs_short(metrics: StepMetrics) -> bool:
    """Whether more than 2 % of the answers were shorter than asked."""
    return bool(metrics.ok_count) and metrics.short_output_count / metrics.ok_count > SHORT_OUTPUT_LIMIT_RATIO


def prefix_cache_warm(metrics: StepMetrics) -> bool:
    """Whether the server's prefix cache answered for part of the prompts."""
    return (metrics.cached_prompt_ratio or 0) > WARM_CACHE_LIMIT_RATIO


def cache_answered(hits: int | None, queries: int | None) -> bool:
    """The same question to the server's own counts, in tokens: 51 of 1 000 from the cache are too many, 50 are not."""
    return bool(hits and queries) and (hits or 0) / (queries or 1) > WARM_CACHE_LIMIT_RATIO


def tokens_estimated(requests: Iterable[Request]) -> bool:
    """Whether any successful request was counted by events for want of usage."""
    return any(request.ok and request.token_source == "events" for request in requests)  # noqa: S105
