"""The pages about interfaces: our own, and the same request to any API and to a server on a VMCloud GPU."""

from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from calculator import catalog
from calculator.catalog import NotFound
from calculator.codes import may_be_a_name
from calculator.views import needs_catalogue
from sales.api import snippets
from sales.api.listing import address, destination
from sales.api.openapi import document

KINDS = ("sku", "api")


@require_safe
@needs_catalogue
def overview(request: HttpRequest) -> HttpResponse:
    """Every address of the interface with an example, and the request to each API and GPU."""
    scenario = catalog.default_scenario()
    version, at = scenario.catalog_version, scenario.at
    example = request.build_absolute_uri(f"{reverse('api-estimate-economics')}?sku=GPU-PRO&volume=100000000")
    context = {
        "addresses": [address(path, found["get"]["operationId"]) for path, found in document()["paths"].items()],
        "openapi": reverse("api-openapi"),
        "example": f'curl "{example}"',
        "example_href": example,
        "rate": settings.API_RATE,
        "apis": [destination("api", api.code, api.label) for api in catalog.api_choices(version, at)],
        "skus": [destination("sku", sku.code, sku.code) for sku in catalog.sku_choices(version, at)],
    }
    return render(request, "sales/api.html", context)


@require_safe
@needs_catalogue
def example_request(request: HttpRequest, kind: str, code: str) -> HttpResponse:
    """The same request to a model of an API and to a server of one's own on a VMCloud GPU."""
    if kind not in KINDS or not may_be_a_name(code):
        raise Http404(kind)
    scenario = catalog.default_scenario()
    try:
        name = catalog.canonical_code(kind, code, scenario.catalog_version, scenario.at)
    except NotFound as error:
        if error.kind == "version":
            raise
        raise Http404(code) from error
    context = {"kind": kind, "code": name, "own": own_request(), **vendor_context(kind, name, scenario)}
    return render(request, "sales/api_request.html", context)


def own_request() -> tuple[snippets.Snippet, ...]:
    """The request to a server of one's own."""
    return snippets.snippets(snippets.vmcloud_base_url(), snippets.VMCLOUD_KEY, snippets.vmcloud_model())


def vendor_context(kind: str, code: str, scenario: Any) -> dict[str, Any]:
    """The request to the vendor of a model, or that its address is not known; nothing for a GPU."""
    if kind != "api":
        return {}
    version, at = scenario.catalog_version, scenario.at
    api = next(one for one in catalog.api_choices(version, at, include_retired=True) if one.code == code)
    endpoint = snippets.endpoint_of(api.provider)
    day = timezone.localdate(at)
    return {
        "api": api,
        "is_retired": api.retired_on is not None and api.retired_on <= day,
        "endpoint": endpoint,
        "vendor": endpoint and snippets.snippets(endpoint.base_url, endpoint.key_variable, code),
    }
