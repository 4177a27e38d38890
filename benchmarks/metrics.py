"""From one request's times to named metrics, and from a step's requests to its figures. Pure: no Django, no clock.

TTFT = first token-bearing event − sent. E2E = last token-bearing event − sent. TPOT = (last − first) ÷ (n − k), with n
output tokens of which k came in the first event; unknown when n ≤ k. Gap = time between token-bearing events.
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


def dispatch_lag_ms(request: Request) -> float | None:
    """From the planned instant to the first byte: connection and client, not the server."""
    return span_ms(request.planned_ns, request.sent_ns)


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

    Where the server does not count tokens by event, a request's tokens are spread evenly over its events.
    """
    total = 0.0
    for request in requests:
        if not request.ok or not request.arrivals_ns:
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
    requests from the first one sent to the last one ended.
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
    near_zero_gap_ratio: float | None
    prompt_tokens_mean: float | None
    output_tokens_mean: float | None
    short_output_count: int
    cached_prompt_ratio: float | None
    tokens_from_failed: int


def step_metrics(requests: Sequence[Request], window_ns: tuple[int, int] | None) -> StepMetrics:
    """Aggregate one step; every value that nothing was seen for is None."""
    measured = [request for request in requests if not request.warm_up]
    ok = [request for request in measured if request.ok]
    ttft, tpot = known(map(ttft_ms, ok)), known(map(tpot_ms, ok))
    e2e = known(map(e2e_ms, ok))
    gaps = [gap for request in ok for gap in gaps_ms(request)]
    whole = rates(ok, measured_span_s(measured))
    return StepMetrics(
        warm_up_count=len(requests) - len(measured),
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
        dispatch_lag_p99_ms=statistics.percentile(known(map(dispatch_lag_ms, measured)), 99),
        near_zero_gap_ratio=near_zero_ratio(gaps),
        prompt_tokens_mean=statistics.mean(known(request.prompt_tokens for request in ok)),
        output_tokens_mean=statistics.mean(known(request.output_tokens for request in ok)),
        short_output_count=sum((request.output_tokens or 0) < request.requested_output_tokens for request in ok),
        cached_prompt_ratio=cached_ratio(ok),
        tokens_from_failed=sum(request.output_tokens or 0 for request in measured if not request.ok),
    )


def known[T: (int, float)](values: Iterable[T | None]) -> list[T]:
    return [value for value in values if value is not None]


def window_rate(requests: Sequence[Request], window_ns: tuple[int, int] | None) -> float | None:
    """Output tokens a second inside the window; None without one."""
    if window_ns is None:
        return None
    start_ns, end_ns = window_ns
    return statistics.rate_per_s(tokens_between(requests, start_ns, end_ns), (end_ns - start_ns) / NS_PER_S)


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
    return dict(Counter(request.error_kind for request in requests if not request.ok and not request.warm_up))


def client_bound(metrics: StepMetrics, end: StepEnd) -> bool:
    """Whether the client, not the server, may have set the pace of the step."""
    coalesced = (metrics.near_zero_gap_ratio or 0) > NEAR_ZERO_LIMIT_RATIO and (
        metrics.tpot_p50_ms or 0
    ) > NEAR_ZERO_FROM_TPOT_MS
    return (
        coalesced
        or end.loop_lag_p99_ms > LAG_LIMIT_MS
        or end.client_cpu_ratio > CPU_LIMIT_RATIO
        or (metrics.dispatch_lag_p99_ms or 0) > LAG_LIMIT_MS
    )


def outputs_short(metrics: StepMetrics) -> bool:
    """Whether more than 2 % of the answers were shorter than asked."""
    return bool(metrics.ok_count) and metrics.short_output_count / metrics.ok_count > SHORT_OUTPUT_LIMIT_RATIO


def prefix_cache_warm(metrics: StepMetrics) -> bool:
    """Whether the server's prefix cache answered for part of the prompts."""
    return (metrics.cached_prompt_ratio or 0) > WARM_CACHE_LIMIT_RATIO


def tokens_estimated(requests: Iterable[Request]) -> bool:
    """Whether any successful request was counted by events for want of usage."""
    return any(request.ok and request.token_source == "events" for request in requests)  # noqa: S105
