"""Pages of price lists that change nothing: files and versions, planned and private prices, the record."""

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from calculator.pricing import downloads, queries, rights, rows


@require_safe
@rights.needs(*rights.STAFF)
def lists(request: HttpRequest) -> HttpResponse:
    """Files that wait, the newest versions, what is planned."""
    seen, now = rights.audiences_of(request.user), timezone.now()
    context = {
        "uploads": rows.upload_rows(queries.uploads(seen)),
        "versions": rows.version_rows(queries.versions(seen), seen),
        "planned": rows.planned_rows(queries.planned(now, seen)),
    }
    return render(request, "pricing/lists.html", context)


@require_safe
@rights.needs(rights.VIEW_PRIVATE)
def private(request: HttpRequest) -> HttpResponse:
    """Negotiated and private prices, for those who may see them."""
    found = rows.planned_rows(queries.private_rows(timezone.now()))
    response = render(request, "pricing/private.html", {"prices": found})
    response.headers["Cache-Control"] = "private, no-store"
    return response


@require_safe
@rights.needs(*rights.STAFF)
def audit(request: HttpRequest) -> HttpResponseBase:
    """The whole record as a file: who did what, when, why."""
    found = queries.events(rights.audiences_of(request.user))
    return downloads.table(rows.audit_header(), map(rows.audit_cells, found), "price-record.csv")
