"""An answer as data: what the JSON file, the command's --json and a saved estimate hold.

Decimals are strings, unrounded. Keys and codes are stable English; sentences and labels are in the active language,
beside their codes.
"""

import dataclasses
import datetime as dt
import enum
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from django.utils import timezone

from calculator import fields, permalinks
from calculator.answers import Answer, Notice
from calculator.domain.offers import ApiModel, Sku
from calculator.domain.provenance import Kind, Sourced, Step
from calculator.domain.scenario import Comparison, EconomicsEstimate, GpuBill, OverviewRow, VolumeRow
from calculator.domain.units import to_decimal
from calculator.presenters import Row, export_rows, sentence

SCHEMA = 1
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
ROUNDING = "unrounded; half-up on display"


def document(
    answer: Answer, permalink: str, defaults: Iterable[str] = (), notices: Iterable[Notice] = ()
) -> dict[str, Any]:
    """The whole answer; `defaults` names the keys that the question left to their documented default."""
    estimate, scenario = answer.estimate, scenario_values(answer)
    return {
        "calculator": "economics",
        "schema": SCHEMA,
        "created_at": timezone.now().astimezone(dt.UTC).isoformat(timespec="seconds"),
        "permalink": permalink,
        "catalog": {"version": answer.facts.catalog_version, "date": answer.facts.catalog_date.isoformat()},
        "at": permalinks.write_instant(answer.scenario.at),
        "tax": "excluded unless ttc is named",
        "rounding": ROUNDING,
        "defaults": {name: scenario[name] for name in defaults},
        "notices": [{"code": notice.code, "text": notice.text} for notice in notices],
        "answer": _answer(estimate),
        "eur_per_mtok": {basis.value: _per_mtok(bill) for basis, bill in estimate.bases.items()},
        "scenario": scenario,
        "inputs": inputs(answer),
        "gpu": {basis.value: data(bill) for basis, bill in estimate.bases.items()},
        "apis": [_api(row) for row in estimate.comparisons],
        "overview": [overview_data(row) for row in estimate.overview],
        "volumes": [volume_data(row) for row in estimate.volumes],
        "utilisations": data(estimate.utilisations),
        "years": data(estimate.years),
        "steps": [step_data(step) for step in estimate.steps],
        "warnings": data(estimate.warnings),
        "rows": [row_data(row) for row in export_rows(estimate)],
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


def scenario_values(answer: Answer) -> dict[str, Any]:
    """Every key of the link with its canonical text; unknown is null."""
    found: dict[str, Any] = {"v": permalinks.VERSION}
    for key in permalinks.KEYS:
        value = getattr(answer.scenario, key.attribute)
        if key.name == permalinks.REPEATED:
            found[key.name] = list(value)
        else:
            found[key.name] = None if value is None or value == "" else key.write(value)
    return found


def inputs(answer: Answer) -> list[dict[str, Any]]:
    """Every number that the answer rests on, each with kind, source and date."""
    estimate = answer.estimate
    typed = [
        {"name": key.name, "value": key.write(value), "unit": "", "kind": Kind.INPUT.value, "source": "", "date": None}
        for key in permalinks.KEYS
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


def sourced_data(name: str, item: Sourced[Any]) -> dict[str, Any]:
    """A number with its origin."""
    return {
        "name": name,
        "value": data(item.value),
        "unit": item.unit,
        "kind": item.kind.value,
        "source": item.reference or item.note,
        "note": item.note,
        "date": data(item.date),
        "replaces_catalogue": item.replaces,
    }


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


def step_data(step: Step) -> dict[str, Any]:
    """A formula with the visitor's numbers and the trust of its result."""
    return {
        "code": step.code,
        "result": data(step.result),
        "unit": step.unit,
        "trust": data(step.trust),
        "terms": [{"symbol": term.symbol, **sourced_data(term.source.label, term.source)} for term in step.terms],
    }


def row_data(row: Row) -> dict[str, Any]:
    """One row of the exports, its number as a string."""
    return {
        "section": row.section,
        "label": row.label,
        "value": data(row.value),
        "is_number": isinstance(row.value, Decimal),
        "unit": row.unit,
        "kind": row.kind,
        "source": row.source,
        "date": data(row.date),
    }


def data(value: Any) -> Any:
    """Domain objects as JSON: decimals and floats as strings, an offer inside a bill by its code."""
    match value:
        case None | bool() | int() | str() if not isinstance(value, enum.Enum):
            return value
        case enum.Enum():
            return value.value
        case Decimal() | float():
            return fields.plain(to_decimal(value))
        case dt.datetime() | dt.date():
            return value.isoformat()
        case Sku() | ApiModel():
            return value.code
        case Mapping():
            return {str(data(key)): data(item) for key, item in value.items()}
        case list() | tuple():
            return [data(item) for item in value]
    return {field.name: data(getattr(value, field.name)) for field in dataclasses.fields(value)}
