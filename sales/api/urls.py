"""Addresses of the programming interface; not under a language, which the request names instead."""

from django.urls import URLPattern, URLResolver, path
from django.views.decorators.http import require_safe

from sales.api.interface import api
from sales.api.openapi import index, openapi

operations, _app, _namespace = api.urls

urlpatterns: list[URLPattern | URLResolver] = [
    path("", require_safe(index), name="api-root"),
    path("openapi.json", require_safe(openapi), name="api-openapi"),
    *(one for one in operations if getattr(one, "name", "") != "api-root"),
]
