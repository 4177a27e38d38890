"""The answer in one line and what to beware of, as codes and values; sentences are made elsewhere."""

import datetime as dt
from collections.abc import Iterable, Iterator
from decimal import Decimal

from calculator.domain.comparison import Inputs
from calculator.domain.offers import Mode
from calculator.domain.scenario import (
    Comparison,
    EconomicsScenario,
    GpuBill,
    Headline,
    Message,
    MessageValue,
    Verdict,
)
from calculator.domain.workload import problems


def _codes(compared: Iterable[Comparison], wanted: Verdict) -> str:
    return ",".join(item.bill.api.code for item in compared if item.verdict is wanted)


def _gap(compared: Iterable[Comparison], wanted: Verdict, pick: str) -> Decimal | None:
    ratios = [i.difference_ratio for i in compared if i.verdict is wanted and i.difference_ratio is not None]
    return (min if pick == "min" else max)(ratios, default=None)


def _reference_values(reference: Comparison | None) -> dict[str, MessageValue]:
    if reference is None:
        return {"reference": None, "reference_eur": None, "reference_verdict": None, "reference_difference_ratio": None}
    return {
        "reference": reference.bill.api.code,
        "reference_eur": reference.bill.eur,
        "reference_verdict": reference.verdict.value,
        "reference_difference_ratio": reference.difference_ratio,
    }


def headline_code(inputs: Inputs, compared: tuple[Comparison, ...]) -> str:
    """The first obstacle to a comparison, or that there is none."""
    chosen = inputs.chosen
    if chosen.price is None:
        return "price_on_request"
    if chosen.throughput is None:
        return "no_throughput"
    if chosen.full is None:
        return "cannot_size"
    if chosen.is_test:
        return "test_model"
    if not compared:
        return "no_api"
    if inputs.terms.conversion.usd_per_eur is None:
        return "no_rate"
    return "gpu_vs_api"


def headline(inputs: Inputs, bill: GpuBill, compared: tuple[Comparison, ...], reference: Comparison | None) -> Headline:
    """The one-sentence answer. Code lists are comma-joined; gaps are GPU ÷ API − 1 over the APIs of that list."""
    values: dict[str, MessageValue] = {
        "sku": bill.sku.code,
        "basis": bill.basis.value,
        "rental": inputs.chosen.rental.value,
        "volume_tokens": inputs.terms.month.volume_tokens,
        "instances": bill.instances,
        "gpu_eur": bill.total_eur,
        "gpu_eur_per_mtok": bill.eur_per_mtok,
        "full_eur_per_mtok": bill.full_eur_per_mtok,
        "capacity_tokens": bill.capacity_tokens,
        "cheaper_than": _codes(compared, Verdict.GPU),
        "dearer_than": _codes(compared, Verdict.API),
        "equivalent_to": _codes(compared, Verdict.EQUIVALENT),
        "unknown_against": _codes(compared, Verdict.UNKNOWN),
        "cheaper_gap_min_ratio": _gap(compared, Verdict.GPU, "max"),
        "cheaper_gap_max_ratio": _gap(compared, Verdict.GPU, "min"),
        "dearer_gap_min_ratio": _gap(compared, Verdict.API, "min"),
        "dearer_gap_max_ratio": _gap(compared, Verdict.API, "max"),
        "incomplete": int(any(item.incomplete for item in compared)),
        **_reference_values(reference),
    }
    return Headline(headline_code(inputs, compared), values)


def _traffic_warnings(scenario: EconomicsScenario, inputs: Inputs) -> Iterator[Message]:
    yield from problems(scenario)
    month = inputs.terms.month
    if not month.input_tokens:
        yield Message("output_only", field="input_tokens")
    if not month.kept_ratio and month.units:
        yield Message("all_answered_by_cache", field="response_cache_ratio")
    if scenario.mode is not Mode.STANDARD:
        yield Message("mode_not_standard", {"mode": scenario.mode.value}, "mode")
    elif scenario.batch_share_ratio:
        yield Message("batch_share", {"ratio": scenario.batch_share_ratio}, "batch_share_ratio")
    if scenario.api_uplift_ratio:
        yield Message("api_uplift", {"ratio": scenario.api_uplift_ratio}, "api_uplift_ratio")
    if scenario.api_token_ratio != 1:
        yield Message("api_token_ratio", {"ratio": scenario.api_token_ratio - 1}, "api_token_ratio")


def _gpu_warnings(inputs: Inputs, bill: GpuBill) -> Iterator[Message]:
    yield from bill.reasons
    throughput = bill.throughput
    if throughput is not None and throughput.single_stream:
        yield Message("single_stream", {"sku": bill.sku.code}, "rate_tok_per_s")
    if bill.sku.set_of > 1:
        yield Message("set_of_instances", {"count": bill.sku.set_of, "sku": bill.sku.code}, "instances_per_set")
    if inputs.chosen.is_test:
        yield Message("test_model", {"sku": bill.sku.code})
    if bill.instances is not None and bill.instances > 1:
        yield Message("capacity_exceeded", {"instances": bill.instances, "step_tokens": bill.step_tokens})
    if bill.implied_utilisation_ratio is not None:
        ratio = bill.implied_utilisation_ratio
        yield Message("implied_utilisation", {"ratio": ratio, "planned": inputs.terms.utilisation.value})


def _api_warnings(inputs: Inputs, compared: tuple[Comparison, ...], today: dt.date) -> Iterator[Message]:
    if inputs.terms.conversion.usd_per_eur is None:
        yield Message("no_exchange_rate", field="usd_per_eur")
    for api in (item.bill.api for item in compared):
        if api.retired_on is not None:
            code = "api_retired" if api.retired_on <= today else "api_retiring"
            yield Message(code, {"api": api.code, "on": api.retired_on})
    for item in compared:
        yield from item.bill.reasons


def warnings(
    scenario: EconomicsScenario,
    inputs: Inputs,
    bill: GpuBill,
    compared: tuple[Comparison, ...],
    day: dt.date,
) -> tuple[Message, ...]:
    """What the reader must know beside the figures, each once. `day` is the catalogue's, for retirements."""
    found = [*_traffic_warnings(scenario, inputs), *_gpu_warnings(inputs, bill)]
    found += _api_warnings(inputs, compared, day)
    used = inputs.reference.api.code if inputs.reference else None
    if used is not None and used != scenario.reference:
        found.append(Message("reference_not_compared", {"api": scenario.reference, "used": used}, "reference"))
    return tuple(found)
