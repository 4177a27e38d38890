"""The totals of a report as a text that travels in the page: a file of the result, or another model to serve, asks for
the same totals again without the report. Nothing is kept, so what comes back is read as strictly as a report.
"""

import datetime as dt
import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from calculator import fields
from calculator.domain.apibill import Usage
from calculator.domain.offers import Mode
from sales.bills.reading.limits import AMOUNT, MOST_DAYS, TOKENS, TRAFFICS
from sales.bills.reading.problems import ReportError
from sales.domain.bills import Period, Traffic

MOST_CHARACTERS = 100_000
COUNTS = ("input", "read", "w5", "w1", "output")
NAME_CHARACTERS = 100


@dataclass(frozen=True, slots=True)
class Totals:
    """What a report comes to: its provider, its days, its traffic."""

    provider: str
    period: Period
    traffic: tuple[Traffic, ...]


def written(totals: Totals) -> str:
    """The totals as text."""
    period = totals.period
    return json.dumps(
        {
            "provider": totals.provider,
            "days": str(period.days),
            "start": period.start.isoformat() if period.start else "",
            "end": period.end.isoformat() if period.end else "",
            "lines": [_line(each) for each in totals.traffic],
        }
    )


def _line(each: Traffic) -> dict[str, Any]:
    usage = each.usage
    counts = (
        usage.input_tokens,
        usage.cache_read_tokens,
        usage.cache_write_5m_tokens,
        usage.cache_write_1h_tokens,
        usage.output_tokens,
    )
    return {
        "model": each.model,
        "mode": each.mode.value,
        "over": each.over_tokens,
        **dict(zip(COUNTS, (int(number) for number in counts), strict=True)),
        "requests": each.requests,
        "amount": None if each.amount is None else fields.plain(each.amount),
        "currency": each.currency,
    }


def read(text: str) -> Totals:
    """The totals of a page that came back. ReportError: totals_broken."""
    try:
        found: Any = json.loads(text) if len(text) <= MOST_CHARACTERS else None
        lines = found["lines"]
        if not 0 < len(lines) <= TRAFFICS:
            raise ValueError(len(lines))
        period = Period(_number(found["days"], MOST_DAYS), _day(found["start"]), _day(found["end"]))
        if period.days < 1:
            raise ValueError(period.days)
        return Totals(_name(found["provider"]), period, tuple(map(_traffic, lines)))
    except (KeyError, TypeError, ValueError, ArithmeticError, AttributeError, RecursionError):
        raise ReportError("totals_broken") from None


def _traffic(line: Mapping[str, Any]) -> Traffic:
    usage = Usage(*(_number(line[name], TOKENS) for name in COUNTS))
    requests, amount = line["requests"], line["amount"]
    return Traffic(
        model=_name(line["model"]),
        mode=Mode(line["mode"]),
        over_tokens=int(_number(line["over"], TOKENS)),
        usage=usage,
        requests=None if requests is None else int(_number(requests, TOKENS)),
        amount=None if amount is None else _number(amount, AMOUNT),
        currency=_name(line["currency"])[:3],
    )


def _number(value: Any, most: int) -> Decimal:
    if isinstance(value, bool | float) or len(str(value)) > 40:
        raise ValueError(value)
    number = Decimal(str(value))
    if not number.is_finite() or not 0 <= number <= most:
        raise ValueError(value)
    return number


def _name(value: Any) -> str:
    if not isinstance(value, str) or len(value) > NAME_CHARACTERS:
        raise ValueError(value)
    return fields.printable(value)


def _day(value: str) -> dt.date | None:
    return dt.date.fromisoformat(value) if value else None
