"""The sections that the economics calculator adds to its JSON document."""

from typing import Any

from calculator.domain.provenance import asked_kind
from calculator.domain.scenario import Comparison, EconomicsEstimate, GpuBill, OverviewRow, VolumeRow
from calculator.jsonable import data, sourced_data, step_data
from calculator.permalinks import economics as notation
from calculator.presenters.headline import sentence

BILL_FIGURES = (
    "sku",
    "basis",
    "instances",
    "capacity_tokens",
    "implied_utilisation_ratio",
    "bill_eur",
    "total_eur",
    "eur_per_mtok",
    "full_eur_per_mtok",
    "trust",
)
RATE_COMPONENTS = ("input", "cache_read", "cache_write_5m", "cache_write_1h", "output")


def sections(answer: Any) -> dict[str, Any]:
    """The economics answer as data: what it says, what it rests on, every table, the formulas with their terms."""
    estimate: EconomicsEstimate = answer.estimate
    return {
        "answer": _answer(estimate),
        "eur_per_mtok": {basis.value: _per_mtok(bill) for basis, bill in estimate.bases.items()},
        "inputs": inputs(estimate),
        "gpu": {basis.value: data(bill) for basis, bill in estimate.bases.items()},
        "apis": [_api(row) for row in estimate.comparisons],
        "overview": [overview_data(row) for row in estimate.overview],
        "volumes": [volume_data(row) for row in estimate.volumes],
        "utilisations": data(estimate.utilisations),
        "years": data(estimate.years),
        "steps": [step_data(step) for step in estimate.steps],
        "warnings": data(estimate.warnings),
    }


def _answer(estimate: EconomicsEstimate) -> dict[str, Any]:
    return {
        "sentence": sentence(estimate),
        "code": estimate.headline.code,
        "values": data(estimate.headline.values),
        "trust": data(estimate.trust),
        "volume_tokens": data(estimate.volume_tokens),
        "served_tokens": data(estimate.served_tokens),
        "requests_count": data(estimate.requests_count),
    }


def _per_mtok(bill: GpuBill) -> dict[str, Any]:
    """Both readings of a price: the bill over the served volume, and over a full planned month."""
    return {"at_volume": data(bill.eur_per_mtok), "full_use": data(bill.full_eur_per_mtok)}


def inputs(estimate: EconomicsEstimate) -> list[dict[str, Any]]:
    """Every number that the answer rests on, each with kind, source and date."""
    typed = [
        {
            "name": key.name,
            "value": key.write(value),
            "unit": "",
            "kind": asked_kind(estimate.scenario, key.attribute).value,
            "source": "",
            "date": None,
        }
        for key in notation.KEYS
        if key.quantity and not key.quantity.whole and (value := getattr(estimate.scenario, key.attribute)) is not None
    ]
    return typed + [sourced_data(name, item) for name, item in _sourced_inputs(estimate)]


def _sourced_inputs(estimate: EconomicsEstimate) -> list[tuple[str, Any]]:
    """Names and sourced numbers: assumptions, exchange rate, GPU prices and rates, API rates."""
    found: list[tuple[str, Any]] = [
        ("hours_per_month", estimate.hours_per_month_h),
        ("utilisation", estimate.utilisation),
        ("usd_per_eur", estimate.usd_per_eur),
    ]
    for basis, bill in estimate.bases.items():
        found.append((f"price_{basis.value}", bill.price))
    rate = estimate.gpu.throughput
    if rate is not None:
        found += [("output_tok_per_s", rate.output_tok_per_s), ("prefill_tok_per_s", rate.prefill_tok_per_s)]
    for row in estimate.comparisons:
        found += _api_inputs(row)
    return [(name, item) for name, item in found if item is not None]


def _api_inputs(row: Comparison) -> list[tuple[str, Any]]:
    return [
        (f"{row.bill.api.code} {row.bill.mode.value} {component} over {rates.context_over_tokens}", item)
        for rates in row.bill.api.modes.get(row.bill.mode, ())
        for component in RATE_COMPONENTS
        if (item := getattr(rates, component)) is not None
    ]


def _api(row: Comparison) -> dict[str, Any]:
    """One API's side of the comparison; its rates stand among the inputs."""
    found: dict[str, Any] = data(row)
    return {"code": row.bill.api.code, "label": row.bill.api.label, **found}


def bill_line(bill: GpuBill) -> dict[str, Any]:
    """A GPU's month in a table: amounts only, the origins stand among the inputs."""
    return {name: data(getattr(bill, name)) for name in BILL_FIGURES}


def overview_data(row: OverviewRow) -> dict[str, Any]:
    """One SKU at one price basis against every API."""
    verdicts = [
        {"api": code, "verdict": verdict.value, "difference_ratio": data(ratio)}
        for code, verdict, ratio in row.verdicts
    ]
    price = sourced_data(f"price_{row.gpu.basis.value}", row.gpu.price) if row.gpu.price else None
    return {**bill_line(row.gpu), "price": price, "verdicts": verdicts, "incomplete": row.incomplete}


def volume_data(row: VolumeRow) -> dict[str, Any]:
    """One volume: the GPU's month, each API's, and which is cheapest."""
    cells = [{"api": code, "eur": data(eur), "verdict": verdict.value} for code, eur, verdict in row.cells]
    return {
        "volume_tokens": data(row.volume_tokens),
        "gpu": bill_line(row.gpu),
        "apis": cells,
        "cheapest": row.cheapest,
        "is_current": row.is_current,
        "incomplete": row.incomplete,
    }
