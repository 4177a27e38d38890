"""GPUs for the base of the load, an API for the peaks: fewer GPUs than the busiest hour takes, the excess elsewhere.

The share that stays on n sets follows from the week's hours: Σ min(load, n × capacity) ÷ Σ load. Both bills are the
economics calculator's own, each for its part of the month's output.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import ROUND_UP, Decimal

from calculator.domain.offers import ApiModel
from calculator.domain.provenance import Kind, weakest_kind
from calculator.domain.scenario import ApiBill, EconomicsScenario, GpuBill, Rental
from sales.domain.losing import base_loses
from sales.domain.need import UTILISATION_DECIMALS, Need, has_targets, volume_tokens
from sales.domain.options import Option, Targets, Way, per_mtok
from sales.domain.serving_offers import ServingFacts, Sized, beside, priced
from sales.domain.week import carried_share, open_ratio, peak_factor

MOST_SETS = 64
"""Numbers of sets that are tried; a larger base is steady enough that the last sets decide nothing."""


@dataclass(frozen=True, slots=True)
class Split:
    """The month's output shared: whole tokens on `sets` sets of GPUs, whole tokens on the API."""

    sets: int
    share: Decimal
    base_tokens: Decimal
    peak_tokens: Decimal


def split(need: Need, found: Sized, sets: int) -> Split | None:
    """What `sets` sets carry within their planned load of each hour; None where that is nothing or everything.

    A set sized for the busiest hour carries `step_tokens` a month; in mean hours of the need that is
    step_tokens × (busiest ÷ mean hour) ÷ volume.
    """
    volume, step = volume_tokens(need), found.bill.step_tokens
    if volume is None or step is None:
        return None
    factor = peak_factor(need.shape)
    capacity = sets * step * factor.numerator / factor.denominator / volume
    share = carried_share(need.shape, capacity)
    base = (volume * share).to_integral_value()
    return Split(sets, share, base, volume - base) if 0 < base < volume else None


def base_month(found: Sized, part: Split) -> EconomicsScenario | None:
    """The base as a month on exactly `part.sets` sets: planned as full as it is used; None beyond what they can do."""
    capacity, planned = found.bill.capacity_tokens, found.month.utilisation_ratio
    if capacity is None:
        return None
    use = part.base_tokens * planned / (capacity * part.sets)
    # Rounded up, so that the whole base finds its place on these sets and not on one more.
    ceiling = use.quantize(UTILISATION_DECIMALS, rounding=ROUND_UP)
    if ceiling > 1:
        return None
    return replace(found.month, volume_tokens=part.base_tokens, utilisation_ratio=ceiling)


def rest_month(need: Need, month: EconomicsScenario, part: Split, api: ApiModel) -> EconomicsScenario:
    """The peaks as a month of the API."""
    return beside(need, replace(month, volume_tokens=part.peak_tokens), api)


def hybrid(need: Need, facts: ServingFacts, found: Sized, part: Split, api: ApiModel) -> Option | None:
    """GPUs and API for one split; None where a side has no price."""
    planned = base_month(found, part)
    if planned is None:
        return None
    month, bill, compared = priced(need, planned, facts, found.sku, api)
    rest, _bill, rests = priced(need, rest_month(need, found.month, part, api), facts, found.sku, api)
    on_api = rests[0].bill
    if bill.total_eur is None or on_api.eur is None or bill.instances != part.sets:
        return None
    total, volume = bill.total_eur + on_api.eur, part.base_tokens + part.peak_tokens
    return Option(
        way=Way.HYBRID,
        month=month,
        month_eur=total,
        eur_per_mtok=per_mtok(total, volume),
        targets=targets(need, found),
        trust=trust(bill, on_api),
        sized=found,
        bill=bill,
        api=api,
        api_bill=on_api,
        rest=rest,
        instances=part.sets * found.scenario.instances,
        share=part.share,
        loses=(base_loses(compared[0], bill.total_eur, part.base_tokens, most_tokens(need, found, part)),),
    )


def most_tokens(need: Need, found: Sized, part: Split) -> Decimal:
    """What the sets would carry if every hour with a request were as busy as they are sized for."""
    factor = peak_factor(need.shape) * open_ratio(need.shape)
    return part.sets * (found.bill.step_tokens or Decimal(0)) * factor.numerator / factor.denominator


def targets(need: Need, found: Sized) -> Targets:
    """A hybrid's targets are known on its GPUs alone: the API's latency is not."""
    if not has_targets(need):
        return Targets.NONE
    return Targets.UNKNOWN if found.meets else Targets.MISSED


def trust(bill: GpuBill, on_api: ApiBill) -> Kind | None:
    """The weakest input of both sides."""
    return weakest_kind((bill.trust, on_api.trust))


def hybrids(need: Need, facts: ServingFacts, found: Sized, api: ApiModel) -> Iterator[Option]:
    """Every smaller number of sets than the busiest hour takes, with the API for the rest."""
    if found.month.rental is Rental.HOURS_USED or found.bill.instances is None:
        return
    for sets in range(1, min(found.bill.instances, MOST_SETS + 1)):
        part = split(need, found, sets)
        option = None if part is None else hybrid(need, facts, found, part, api)
        if option is not None:
            yield option


def best_hybrid(need: Need, facts: ServingFacts, found: Sized, api: ApiModel) -> Option | None:
    """The cheapest number of sets; None where there is no peak to hand over, or it saves nothing on the GPUs' bill."""
    best = min(hybrids(need, facts, found, api), key=lambda option: option.month_eur or Decimal(0), default=None)
    whole = found.bill.total_eur
    if best is None or best.month_eur is None or whole is None or best.month_eur >= whole:
        return None
    return best
