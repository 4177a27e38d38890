"""A priced bill as a file: the rows of the page, unrounded."""

import datetime as dt
from typing import Any

from django.http import HttpResponse, JsonResponse
from django.utils import timezone
from django.utils.translation import gettext as _

from calculator import exports, fields, formats
from calculator.document import ROUNDING
from calculator.jsonable import data, row_data
from sales.bills import result as results
from sales.bills import shown
from sales.bills.result import Machine, Result

SCHEMA = 1
STEM = "vmcloud-bill"


def response(result: Result, suffix: str) -> HttpResponse:
    """The file with that suffix; nothing of it is kept by anyone on the way."""
    if suffix == "json":
        found: HttpResponse = JsonResponse(document(result), json_dumps_params={"ensure_ascii": False})
    else:
        found = HttpResponse(exports.csv_of(head(result), shown.rows(result)).encode(), content_type=exports.CSV_TYPE)
    found.headers["Content-Disposition"] = f'attachment; filename="{STEM}.{suffix}"'
    return found


def head(result: Result) -> tuple[tuple[str, str], ...]:
    """What the file says of itself before its rows."""
    return (
        (_("Document"), _("VMCloud calculator, relevé d’API comparé")),
        (_("Établi le"), formats.instant(timezone.now())),
        (_("Prix du"), formats.instant(result.at)),
        (_("Jours couverts"), formats.number(result.totals.period.days)),
        (_("Réponse"), shown.lead(result)),
        *((_("Hypothèse"), note) for note in shown.notes(result)),
    )


def document(result: Result) -> dict[str, Any]:
    """The result as data: decimals are strings, unknown is null."""
    period = result.totals.period
    return {
        "schema": SCHEMA,
        "created_at": timezone.now().astimezone(dt.UTC).isoformat(timespec="seconds"),
        "rounding": ROUNDING,
        "outcome": results.outcome(result),
        "sentence": shown.lead(result),
        "notes": list(shown.notes(result)),
        "period": {"days": fields.plain(period.days), "start": data(period.start), "end": data(period.end)},
        "month": data(result.month),
        "list_usd": data(shown.listed_usd(result)),
        "own_month_eur": data(result.own_month_eur),
        "lines": [
            {
                "model": line.traffic.model,
                "mode": line.traffic.mode.value,
                "api": line.api.code if line.api else None,
                "usage": data(line.traffic.usage),
                "requests": line.traffic.requests,
                "list_usd": data(line.list_usd),
                "billed": data(line.traffic.amount),
                "currency": line.traffic.currency,
                "explanation": results.explained(line, result.usd_per_eur),
                "missing": list(line.missing),
            }
            for line in result.lines
        ],
        "options": [data(option) for option in result.options],
        "served_model": result.model,
        "machines": [_machine(machine) for machine in result.machines],
        "rows": [row_data(row) for row in shown.rows(result)],
    }


def _machine(machine: Machine) -> dict[str, Any]:
    gpu = machine.gpu
    return {
        "sku": machine.sku.code,
        "reason": machine.reason,
        "query": machine.answer.query if machine.answer else None,
        "instances": gpu.instances if gpu else None,
        "total_eur": data(gpu.total_eur) if gpu else None,
        "eur_per_mtok": data(gpu.eur_per_mtok) if gpu else None,
    }
