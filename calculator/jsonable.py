"""Domain objects as JSON: what every section of a document is written with."""

import dataclasses
import datetime as dt
import enum
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from calculator import fields
from calculator.domain.offers import ApiModel, Sku
from calculator.domain.provenance import Sourced, Step
from calculator.domain.units import to_decimal
from calculator.presenters.row import Row


def sourced_data(name: str, item: Sourced[Any]) -> dict[str, Any]:
    """A number with its origin."""
    return {
        "name": name,
        "value": data(item.value),
        "unit": item.unit,
        "kind": item.shown_kind.value,
        "source": item.reference or item.note,
        "note": item.note,
        "exception": item.exception,
        "date": data(item.date),
        "replaces_catalogue": item.replaces,
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
        case tuple() if hasattr(value, "_fields"):
            return {name: data(getattr(value, name)) for name in value._fields}
        case list() | tuple():
            return [data(item) for item in value]
    return {field.name: data(getattr(value, field.name)) for field in dataclasses.fields(value)}
