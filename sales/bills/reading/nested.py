"""JSON reports of the providers' admin interfaces: their nested results as rows with a place each."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from typing import Any

from calculator import exactjson, fields
from sales.bills.reading.cells import Cell
from sales.bills.reading.formats import ANTHROPIC_JSON, MISTRAL_JSON, OPENAI_JSON, Format, Meaning
from sales.bills.reading.limits import AMOUNT, NESTED_OPENED, TOKENS
from sales.bills.reading.problems import Problems, ReportError

Row = tuple[str, Mapping[Meaning, tuple[tuple[str, Cell], ...]]]
ESCAPED_NUL = "\\u0000"
MISTRAL_GROUPS = ("input", "output", "cached")
TOKENS_EVENT = frozenset({"", "api_tokens", "api_batch_tokens"})
BETWEEN_NAMES = "::"


def rows(text: str, problems: Problems) -> tuple[Format, Iterator[Row]]:
    """The export that a JSON text is, and its rows. ReportError: json_broken, json_unknown, …"""
    document = _document(text)
    if isinstance(document, dict) and isinstance(document.get("completion"), dict):
        billed = replace(MISTRAL_JSON, currency=str(document.get("currency") or "EUR")[:3].upper())
        return billed, _mistral(document, billed, problems)
    buckets = list(_buckets(document, problems))
    first = next((bucket for _place, bucket in buckets), {})
    known = ANTHROPIC_JSON if "starting_at" in first else OPENAI_JSON if "start_time" in first else None
    if known is None:
        raise ReportError("json_unknown")
    return known, _results(buckets, known, problems)


def _document(text: str) -> Any:
    if ESCAPED_NUL in text:
        raise ReportError("binary")
    if text.count("{") + text.count("[") > NESTED_OPENED:
        raise ReportError("too_many_rows", limit=str(NESTED_OPENED))
    try:
        return exactjson.loads(text, _constant)
    except exactjson.TwiceError as error:
        raise ReportError("json_key_twice", text=fields.printable(str(error))[:60]) from None
    except json.JSONDecodeError as error:
        raise ReportError("json_broken", text=f"{error.lineno}:{error.colno}") from None
    except (ValueError, ArithmeticError, RecursionError):
        raise ReportError("json_broken", text="?") from None


def _constant(text: str) -> Any:
    raise ValueError(text)


def _buckets(document: Any, problems: Problems) -> Iterator[tuple[str, dict[str, Any]]]:
    """The time buckets of one page, or of several pages in a list."""
    pages = document if isinstance(document, list) else [document]
    for number, page in enumerate(pages):
        data = page.get("data") if isinstance(page, dict) else None
        if not isinstance(data, list):
            raise ReportError("json_unknown")
        if page.get("has_more") is True and number == len(pages) - 1:
            problems.remark("", "has_more", "more_pages")
        for place, bucket in enumerate(data):
            if not isinstance(bucket, dict) or not isinstance(bucket.get("results"), list):
                raise ReportError("json_unknown")
            yield f"{'' if len(pages) == 1 else f'[{number}].'}data[{place}]", bucket


def _results(buckets: list[tuple[str, dict[str, Any]]], known: Format, problems: Problems) -> Iterator[Row]:
    """One row a result; a bucket without any is a row of its days alone."""
    for place, bucket in buckets:
        held = {name: value for name, value in bucket.items() if name != "results"}
        for number, result in enumerate(bucket["results"] or [{}]):
            where = f"{place}.results[{number}]"
            if not isinstance(result, dict):
                problems.add(where, "", "json_shape")
                continue
            if str(result.get("object", "")).startswith("organization.costs") or "amount" in result:
                raise ReportError("costs_only")
            yield where, _meant({**held, **_flat(result)}, known, where, problems)


def _flat(result: Mapping[str, Any]) -> dict[str, Any]:
    """One level of nesting as dotted names."""
    found: dict[str, Any] = {}
    for name, value in result.items():
        if isinstance(value, dict):
            found |= {f"{name}.{inner}": each for inner, each in value.items()}
        else:
            found[name] = value
    return found


def _meant(
    values: Mapping[str, Any], known: Format, where: str, problems: Problems
) -> Mapping[Meaning, tuple[tuple[str, Cell], ...]]:
    found: dict[Meaning, list[tuple[str, Cell]]] = {}
    for name, meaning in known.columns.items():
        value = values.get(name)
        if isinstance(value, list | dict):
            problems.add(where, name, "json_shape")
        elif value is not None:
            found.setdefault(meaning, []).append((name, value))
    return {meaning: tuple(cells) for meaning, cells in found.items()}


def _mistral(document: Mapping[str, Any], known: Format, problems: Problems) -> Iterator[Row]:
    """One row a model and day: its three groups of tokens, and their price where the report holds one."""
    models = document["completion"].get("models")
    if not isinstance(models, dict):
        raise ReportError("json_unknown")
    prices = _prices(document.get("prices"))
    for name, groups in models.items():
        for where, values in _days(name, groups, prices, problems):
            yield where, _meant(values, known, where, problems)


def _prices(listed: Any) -> dict[tuple[str, str], Decimal]:
    found = {}
    for row in listed if isinstance(listed, list) else []:
        if isinstance(row, dict):
            try:
                price = Decimal(str(row.get("price")))
            except InvalidOperation:
                continue
            if price.is_finite() and 0 <= price <= AMOUNT:
                found[str(row.get("billing_metric")), str(row.get("billing_group"))] = price
    return found


def _days(
    name: str, groups: Any, prices: Mapping[tuple[str, str], Decimal], problems: Problems
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The entries of one model by day and service level."""
    days: dict[tuple[str, str], dict[str, Any]] = {}
    model = name.rpartition(BETWEEN_NAMES)[2]
    for group in MISTRAL_GROUPS:
        entries = groups.get(group) if isinstance(groups, dict) else None
        for number, entry in enumerate(entries if isinstance(entries, list) else []):
            where = f"completion.models[{model}].{group}[{number}]"
            if isinstance(entry, dict) and str(entry.get("event_type") or "") in TOKENS_EVENT:
                day, tier = str(entry.get("timestamp") or ""), str(entry.get("service_tier") or "")
                row = days.setdefault((day, tier), {"model": model, "timestamp": day, "service_tier": tier})
                _add(row, group, entry, prices, where, problems)
            else:
                problems.add(where, group, "not_tokens")
    for (day, _tier), row in days.items():
        yield f"completion.models[{model}] {day}", row


def _add(
    row: dict[str, Any],
    group: str,
    entry: Mapping[str, Any],
    prices: Mapping[tuple[str, str], Decimal],
    where: str,
    problems: Problems,
) -> None:
    """One entry into its row: what was consumed, and what of it was paid."""
    used, paid = entry.get("value", entry.get("value_paid")), entry.get("value_paid", entry.get("value"))
    if not isinstance(used, Decimal) or not isinstance(paid, Decimal) or min(used, paid) < 0:
        problems.add(where, "value", "not_a_number", text=str(used)[:60])
        return
    if max(used, paid) > TOKENS:
        problems.add(where, "value", "too_large", text=str(max(used, paid))[:60])
        return
    row[group] = row.get(group, Decimal(0)) + used
    price = prices.get((str(entry.get("billing_metric")), str(entry.get("billing_group") or group)))
    if price is None:
        row["amount"] = None
    elif "amount" not in row or row["amount"] is not None:
        row["amount"] = row.get("amount", Decimal(0)) + paid * price
