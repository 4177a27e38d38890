"""Addresses of the programming interface; not under a language, which the request names instead."""

from django.urls import URLPattern, URLResolver

urlpatterns: list[URLPattern | URLResolver] = []
