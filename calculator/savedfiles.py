"""A saved estimate as a file: the rows and the document that were kept, written down and never computed again."""

import datetime as dt
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.http import HttpResponse, JsonResponse
from django.utils.translation import gettext as _

from calculator import exports, formats, registry
from calculator.models import EstimateSnapshot
from calculator.presenters.row import Row


def row_of(kept: Mapping[str, Any]) -> Row:
    """A row as it was exported when the estimate was saved."""
    value = Decimal(kept["value"]) if kept["is_number"] else kept["value"]
    day = dt.date.fromisoformat(kept["date"]) if kept["date"] else None
    return Row(kept["section"], kept["label"], value, kept["unit"], kept["kind"], kept["source"], day)


def head(snapshot: EstimateSnapshot, kept: Mapping[str, Any], address: str) -> tuple[tuple[str, str], ...]:
    """What the file says of itself: saved when, of which prices, where the page stands."""
    tool = registry.CALCULATORS[snapshot.calculator]
    return (
        (_("Document"), str(tool.document_title)),
        (_("Enregistrée le"), formats.instant(snapshot.created_at)),
        (_("Prix du"), formats.instant(dt.datetime.fromisoformat(kept["at"]))),
        (_("Liste de prix"), str(snapshot.catalog_version_id)),
        (_("Lien"), address),
        (_("Prix"), _("hors taxes (HT) sauf mention TTC")),
        *((_("Remarque"), notice["text"]) for notice in kept["notices"]),
    )


def response(snapshot: EstimateSnapshot, kept: Mapping[str, Any], suffix: str, address: str) -> HttpResponse:
    """The file with that suffix; `address` is that of the saved page."""
    if suffix == "json":
        document = {name: value for name, value in kept.items() if name != "charts"}
        return JsonResponse(document, json_dumps_params={"ensure_ascii": False})
    title = str(registry.CALCULATORS[snapshot.calculator].title)
    rows, described = [row_of(row) for row in kept["rows"]], head(snapshot, kept, address)
    if suffix == "csv":
        found = HttpResponse(exports.csv_of(described, rows).encode(), content_type=exports.CSV_TYPE)
    else:
        found = HttpResponse(exports.workbook_of(title, described, rows), content_type=exports.XLSX_TYPE)
    name = f"vmcloud-{snapshot.calculator}-{snapshot.created_at:%Y%m%d}.{suffix}"
    found.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return found
