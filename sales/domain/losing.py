"""What would make an option lose: the volume at which another one costs less, from the calculator's own break-even."""

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

from calculator.domain.scenario import BreakEven, Comparison, GpuBill, Message, Outcome


def holding(break_even: BreakEven, volume: Decimal) -> tuple[Decimal, Decimal | None] | None:
    """The interval of volumes around `volume` in which the GPU costs less; None where there is none."""
    for part in break_even.intervals:
        if part.start_tokens <= volume and (part.end_tokens is None or volume <= part.end_tokens):
            return part.start_tokens, part.end_tokens
    return None


def next_win(break_even: BreakEven, volume: Decimal) -> Decimal | None:
    """The first volume above `volume` from which the GPU costs less; None where there is none."""
    return next((part.start_tokens for part in break_even.intervals if part.start_tokens > volume), None)


def unlisted_win(found: Comparison, volume: Decimal) -> Decimal | None:
    """Where the GPU begins to win on the step of `volume`, the comparison's own, among the intervals that are not
    listed: cost ÷ API price = volume × GPU ÷ API. None outside them."""
    parts, ratio = found.break_even.intervals, found.difference_ratio
    if not found.break_even.omitted_count or ratio is None or len(parts) < 2:
        return None
    listed_to = parts[-2].end_tokens
    among = listed_to is not None and listed_to < volume < parts[-1].start_tokens
    return volume * (1 + ratio) if among else None


def gpu_loses(found: Comparison, volume: Decimal) -> Message:
    """When the GPU loses to this API: below which volume, or that it has lost already and from where it would win."""
    name, crossing = found.bill.api.label, found.break_even
    if crossing.outcome is Outcome.UNKNOWN:
        return Message("unknown_crossing", {"api": name})
    unlisted, around = unlisted_win(found, volume), holding(crossing, volume)
    if unlisted is not None and unlisted <= volume:
        return Message("api_wins_below", {"api": name, "tokens": unlisted, "until": None})
    if around is not None:
        return Message("api_wins_below", {"api": name, "tokens": around[0], "until": around[1]})
    start = unlisted or next_win(crossing, volume)
    if start is None:
        return Message("api_always_wins", {"api": name})
    return Message("api_wins_until", {"api": name, "tokens": start})


def api_loses(found: Comparison, sku: str, volume: Decimal) -> Message:
    """When the API loses to the GPU: from which volume, or that it has lost already and below which it would win."""
    crossing = found.break_even
    if crossing.outcome is Outcome.UNKNOWN:
        return Message("unknown_gpu", {"sku": sku})
    unlisted, around = unlisted_win(found, volume), holding(crossing, volume)
    if unlisted is not None and unlisted <= volume:
        return Message("gpu_wins_here", {"sku": sku, "tokens": unlisted})
    if around is not None:
        return Message("gpu_wins_here", {"sku": sku, "tokens": around[0]})
    start = unlisted or next_win(crossing, volume)
    if start is None:
        return Message("gpu_never_wins", {"sku": sku})
    return Message("gpu_wins_from", {"sku": sku, "tokens": start})


def base_loses(found: Comparison, gpu_eur: Decimal, base_tokens: Decimal, most_tokens: Decimal) -> Message:
    """When the sets of a hybrid cost more than the API for what they carry: below month ÷ API price, at any load where
    that is more than the `most_tokens` that they can carry."""
    name, api_eur = found.bill.api.label, found.bill.eur
    if not api_eur:
        return Message("unknown_crossing", {"api": name})
    tokens = gpu_eur * base_tokens / api_eur
    if tokens > most_tokens:
        return Message("api_always_wins", {"api": name})
    code = "base_loses_below" if base_tokens >= tokens else "base_loses_until"
    return Message(code, {"api": name, "tokens": tokens})


def next_step(bill: GpuBill, sets: int | None, share: Fraction) -> Iterator[Message]:
    """The volume from which one more set than `sets` is needed; they run in that `share` of the month's hours."""
    if sets is not None and bill.step_tokens is not None:
        tokens = bill.step_tokens * sets * share.numerator / share.denominator
        yield Message("one_more_from", {"tokens": tokens, "sku": bill.sku.name})
