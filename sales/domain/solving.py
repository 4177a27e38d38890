"""What would have to be true: the value of one input at which the GPU and the reference API cost the same month.

Every solution is in closed form and carries the scenario with the solved value put back: both of its sides cost the
same by the economics estimate, which a property test checks. GPUs come whole, so a volume is a set of intervals (see
`breakeven`), and utilisation and rate are solved for one instance that is full as planned.
"""

import enum
from dataclasses import dataclass, replace
from decimal import Decimal

from calculator.domain.gpubill import capacity, instance_speed, rounded_up
from calculator.domain.hardware import Gpu, peak_flop_per_s
from calculator.domain.llm import LanguageModel
from calculator.domain.offers import Basis
from calculator.domain.scenario import Interval, Message, Outcome
from calculator.domain.units import HOUR_S, to_decimal
from sales.domain.outlook import OutlookFacts, OutlookScenario, Sides, at_volume, sides

FLOP_A_PARAMETER = 2
"""One multiplication and one addition a weight and token."""


class Unknown(enum.StrEnum):
    """The inputs that are solved for, in the order of the page."""

    VOLUME = "volume"
    UTILISATION = "utilisation"
    PRICE = "price"
    DISCOUNT = "discount"
    API_PRICE = "api_price"
    RATE = "rate"
    FX = "fx"


@dataclass(frozen=True, slots=True)
class Solution:
    """One input: its value `now`, the `solved` one, and why the latter is not plausible (`doubts`).

    REACHED: at `solved` both cost the same, as `put_back` shows. NEVER: no value of this input makes them equal, for
    the reason in `doubts`. ALWAYS: the GPU costs less whatever the value. UNKNOWN: a price or a rate is missing.
    `intervals` are those volumes at which the GPU costs less.
    """

    unknown: Unknown
    outcome: Outcome
    now: Decimal | None = None
    solved: Decimal | None = None
    doubts: tuple[Message, ...] = ()
    intervals: tuple[Interval, ...] = ()
    put_back: OutlookScenario | None = None


def solutions(both: Sides, facts: OutlookFacts) -> tuple[Solution, ...]:
    """Each unknown solved for this scenario."""
    return tuple(SOLVERS[unknown](both, facts) for unknown in Unknown)


def _unknown(unknown: Unknown, now: Decimal | None = None) -> Solution:
    return Solution(unknown, Outcome.UNKNOWN, now)


def _never(unknown: Unknown, now: Decimal | None, reason: str) -> Solution:
    return Solution(unknown, Outcome.NEVER, now, doubts=(Message(reason),))


def equal_price(api_eur: Decimal, extras_eur: Decimal, paid: Decimal) -> Decimal:
    """What one paid hour or one instance's month may cost: (API − other costs) ÷ hours or instances paid.

    GPU-PRO at 100 M tokens a month beside gpt-5.4 standard, 1 500 $ at 1.1172 $ for 1 €: one instance.

    >>> round(equal_price(Decimal(1500) / Decimal("1.1172"), Decimal(0), Decimal(1)), 2)
    Decimal('1342.64')
    """
    return (api_eur - extras_eur) / paid


def equal_rate(api_usd: Decimal, gpu_eur: Decimal) -> Decimal:
    """Dollars for one euro at which both months cost the same: API in dollars ÷ GPU in euros.

    >>> round(equal_rate(Decimal(1500), Decimal("830.64")), 4)
    Decimal('1.8058')
    """
    return api_usd / gpu_eur


def equal_decode(unit_seconds: Decimal, prompt_seconds: Decimal, output_tokens: Decimal) -> Decimal | None:
    """Output tokens a second at which a request takes `unit_seconds` with its prompt; None where the prompt alone takes
    as long.

    GPU-PRO by the month, full at 65 %, beside 13.4264 € per million: 1 684 800 s carry 61.866 M tokens.

    >>> tokens = Decimal("830.64") * 10**6 / (Decimal(15) / Decimal("1.1172"))
    >>> round(equal_decode(Decimal(1_684_800) / tokens, Decimal(0), Decimal(1)), 2)
    Decimal('36.72')
    """
    left = unit_seconds - prompt_seconds
    return output_tokens / left if left > 0 else None


def decode_ceiling(gpu: Gpu | None, model: LanguageModel | None) -> Decimal | None:
    """Output tokens a second that one card cannot pass, whatever the batch: dense 16-bit peak ÷ 2 FLOP a weight.

    >>> from calculator.domain.llm import MISTRAL_7B
    >>> card = Gpu("RTX 4090", "NVIDIA", "Ada", 24, 1008, bf16_tflops_dense=165.2)
    >>> round(decode_ceiling(replace(card, bf16_native=True), MISTRAL_7B))
    11406
    """
    peak = None if gpu is None else peak_flop_per_s(gpu, "bf16") or peak_flop_per_s(gpu, "fp16")
    if peak is None or model is None:
        return None
    return to_decimal(peak / (FLOP_A_PARAMETER * model.params_active))


def _volume(both: Sides, facts: OutlookFacts) -> Solution:
    del facts
    now = both.inputs.terms.month.volume_tokens
    found = both.api.break_even if both.api else None
    if found is None or found.outcome is Outcome.UNKNOWN:
        return _unknown(Unknown.VOLUME, now)
    if not found.intervals:
        return _never(Unknown.VOLUME, now, "full_gpu_dearer")
    start = found.intervals[0].start_tokens
    if not start:
        return Solution(Unknown.VOLUME, Outcome.ALWAYS, now, intervals=found.intervals)
    doubts = (Message("instances_needed", {"count": found.instances}),) if found.instances else ()
    back = at_volume(both.scenario, start)
    return Solution(Unknown.VOLUME, Outcome.REACHED, now, start, doubts, found.intervals, back)


def _utilisation(both: Sides, facts: OutlookFacts) -> Solution:
    del facts
    scenario, chosen = both.scenario, both.inputs.chosen
    now = both.gpu.implied_utilisation_ratio
    ratio = both.api.break_even.utilisation_ratio if both.api else None
    if both.api is None or both.gap_eur is None or chosen.full is None:
        return _unknown(Unknown.UTILISATION, now)
    if ratio is None:
        return _never(Unknown.UTILISATION, now, "api_free")
    month = both.inputs.terms.month
    back = replace(at_volume(scenario, capacity(chosen.full, ratio) / month.kept_ratio), utilisation_ratio=ratio)
    return Solution(Unknown.UTILISATION, Outcome.REACHED, now, ratio, _busy(ratio, scenario), (), back)


def _busy(ratio: Decimal, scenario: OutlookScenario) -> tuple[Message, ...]:
    if ratio > 1:
        return (Message("over_full"),)
    high = scenario.utilisation_high_ratio
    return (Message("over_range", {"ratio": high}),) if ratio > high else ()


def _instance_price(both: Sides, unknown: Unknown) -> Decimal | Solution:
    """The price of one instance at which both cost the same, or why there is none."""
    api, bill = both.api_eur, both.gpu
    paid = bill.paid_h if bill.basis is Basis.HOUR else bill.instances
    if api is None or not paid or both.inputs.chosen.is_test:
        return _unknown(unknown)
    price = equal_price(api, both.inputs.terms.extras_eur, Decimal(paid)) / bill.sku.set_of
    return price if price > 0 else _never(unknown, None, "extras_dearer" if api else "api_free")


def _own_price(both: Sides) -> Decimal | None:
    return None if both.gpu.price is None else both.gpu.price.value / both.gpu.sku.set_of


def _price(both: Sides, facts: OutlookFacts) -> Solution:
    del facts
    now, found = _own_price(both), _instance_price(both, Unknown.PRICE)
    if isinstance(found, Solution):
        return replace(found, now=now)
    return Solution(
        Unknown.PRICE,
        Outcome.REACHED,
        now,
        found,
        _below_floor(found, both.scenario) or (_beyond_span(1 - found / now, both.scenario) if now else ()),
        (),
        replace(both.scenario, price_eur=found),
    )


def _below_floor(price: Decimal, scenario: OutlookScenario) -> tuple[Message, ...]:
    floor = scenario.floor_eur
    return (Message("below_floor", {"floor": floor}),) if floor is not None and price < floor else ()


def _discount(both: Sides, facts: OutlookFacts) -> Solution:
    """Off the list price, or off the typed one where nothing is listed; negative = what could be added."""
    listed = facts.prices.sku.prices.get(both.gpu.basis)
    base = listed.value if listed else _own_price(both)
    if base is None:
        return _unknown(Unknown.DISCOUNT)
    own = _own_price(both)
    now, found = None if own is None else 1 - own / base, _instance_price(both, Unknown.DISCOUNT)
    if isinstance(found, Solution):
        return replace(found, now=now)
    ratio = 1 - found / base
    doubts = _below_floor(found, both.scenario) or _beyond_span(ratio, both.scenario)
    back = replace(both.scenario, price_eur=found)
    return Solution(Unknown.DISCOUNT, Outcome.REACHED, now, ratio, doubts, (), back)


def _beyond_span(ratio: Decimal, scenario: OutlookScenario) -> tuple[Message, ...]:
    span = scenario.price_span_ratio
    return (Message("beyond_span", {"ratio": span}),) if ratio > span else ()


def _api_price(both: Sides, facts: OutlookFacts) -> Solution:
    """Per million output tokens with the prompts that come with them; all of an API's rates move together."""
    del facts
    gpu, api, now = both.gpu_eur, both.api_eur, both.api.bill.usd_per_mtok if both.api else None
    if gpu is None or api is None or now is None:
        return _unknown(Unknown.API_PRICE, now)
    if not api:
        return _never(Unknown.API_PRICE, now, "api_free")
    factor = gpu / api
    span = both.scenario.api_span_ratio
    doubts = (Message("beyond_span", {"ratio": span}),) if abs(factor - 1) > span else ()
    back = replace(both.scenario, api_uplift_ratio=(1 + both.scenario.api_uplift_ratio) * factor - 1)
    return Solution(Unknown.API_PRICE, Outcome.REACHED, now, now * factor, doubts, (), back)


def _rate(both: Sides, facts: OutlookFacts) -> Solution:
    """Total output of one card at which one instance, full as planned, costs what the API does."""
    now, chosen, month = _card_rate(both), both.inputs.chosen, both.inputs.terms.month
    ratio = both.api.break_even.utilisation_ratio if both.api else None
    if ratio is None or chosen.full is None or both.gap_eur is None or not month.output_tokens:
        return _unknown(Unknown.RATE, now)
    planned = both.inputs.terms.utilisation.value
    full = chosen.full * ratio / planned
    seconds = HOUR_S * both.inputs.terms.hours_h.value * month.unit_tokens / full
    found = equal_decode(seconds, _prompt_seconds(both), month.output_tokens)
    if found is None:
        return _never(Unknown.RATE, now, "prompt_alone")
    card = found / both.gpu.sku.gpu_count
    back = _filled(replace(both.scenario, rate_tok_per_s=card), facts)
    return Solution(Unknown.RATE, Outcome.REACHED, now, card, _ceiling(card, both, facts), (), back)


def _filled(scenario: OutlookScenario, facts: OutlookFacts) -> OutlookScenario:
    """`scenario` at the volume that fills one instance as planned: a rate is a float, so its capacity is asked for."""
    carried = sides(scenario, facts.prices).gpu.step_tokens
    return scenario if carried is None else at_volume(scenario, carried)


def _card_rate(both: Sides) -> Decimal | None:
    found = both.gpu.throughput
    if found is None:
        return None
    return instance_speed(found, both.gpu.sku.gpu_count).output_tok_per_s / both.gpu.sku.gpu_count


def _prompt_seconds(both: Sides) -> Decimal:
    """GPU time of one request's prompt on one instance; 0 where it is not counted."""
    found, month = both.gpu.throughput, both.inputs.terms.month
    if found is None or found.prefill_tok_per_s is None or not month.prompt_tokens:
        return Decimal(0)
    prefill = instance_speed(found, both.gpu.sku.gpu_count).prefill_tok_per_s
    return month.prompt_tokens / prefill if prefill else Decimal(0)


def _ceiling(card: Decimal, both: Sides, facts: OutlookFacts) -> tuple[Message, ...]:
    ceiling, found = decode_ceiling(facts.gpu, facts.model), both.gpu.throughput
    doubts = []
    if ceiling is None:
        doubts.append(Message("ceiling_unknown"))
    elif card > ceiling:
        doubts.append(Message("over_ceiling", {"rate": ceiling}))
    if found is not None and found.single_stream:
        alone = to_decimal(found.output_tok_per_s.value)
        streams = rounded_up(card / alone)
        doubts += [Message("streams_needed", {"count": int(streams)})] if streams > 1 else []
    return tuple(doubts)


def _fx(both: Sides, facts: OutlookFacts) -> Solution:
    rate, gpu = both.inputs.terms.conversion.usd_per_eur, both.gpu_eur
    usd = both.api.bill.usd if both.api else None
    now = rate.value if rate else None
    if gpu is None or usd is None:
        return _unknown(Unknown.FX, now)
    if not usd or not gpu:
        return _never(Unknown.FX, now, "api_free" if not usd else "gpu_free")
    solved = equal_rate(usd, gpu)
    back = replace(both.scenario, usd_per_eur=solved)
    return Solution(Unknown.FX, Outcome.REACHED, now, solved, _outside(solved, facts), (), back)


def _outside(rate: Decimal, facts: OutlookFacts) -> tuple[Message, ...]:
    known = facts.fx
    if known is None or known.low.value <= rate <= known.high.value:
        return ()
    return (Message("outside_history", {"low": known.low.value, "high": known.high.value}),)


SOLVERS = {
    Unknown.VOLUME: _volume,
    Unknown.UTILISATION: _utilisation,
    Unknown.PRICE: _price,
    Unknown.DISCOUNT: _discount,
    Unknown.API_PRICE: _api_price,
    Unknown.RATE: _rate,
    Unknown.FX: _fx,
}
